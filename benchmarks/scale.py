"""One machine and a growing corpus: indexing rate, memory, disk and time per question, as curves over the size.

A larger corpus is made of HoVer's: beside the passages as they are ("world 0") stand others in which every name is
another one, the same wherever it occurs, so that words keep their frequencies, names their mentions, and links lead
on. Words of names that are rare become new ones, as in a corpus that grows; titles that would come twice are left out.
The questions are HoVer's and ask for world 0; the other worlds are what it has to be told from.

    python benchmarks/scale.py make --data datasets --to worlds --passages 3000000 --jobs 4
    python benchmarks/scale.py index --worlds worlds --passages 1000000 --to 1m.mh
    python benchmarks/scale.py index … --interrupt 20    # kill it so many seconds after its first commit, and resume it
    python benchmarks/scale.py ask --worlds worlds --indexes 346k.mh,1m.mh
    python benchmarks/scale.py memory --worlds worlds --indexes 346k.mh,1m.mh
    python benchmarks/scale.py draw --tables *.txt --to scale.svg   # what index and ask printed, kept in files
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import lru_cache, partial
from pathlib import Path

from multihop import Document, Engine
from multihop.errors import StoreError
from multihop.evaluation.datasets import Dataset, load
from multihop.evaluation.page.axes import WIDTH, Axis, frame, log_ticks, marker, named_keys
from multihop.evaluation.page.printing import printable
from multihop.rendering.html import el, join
from multihop.rendering.svg import drawing

FILE = 50_000
"""Documents of a file, at most."""
NAME = re.compile(r"\b[A-ZÀ-Þ][^\W\d_]{2,}\b")
EVERYDAY = re.compile(r"\b[a-zß-ÿ][^\W\d_]{2,}\b")
RARE = 2
ALIKE = 64
"""Names change places with the so many that are about as frequent."""
SYLLABLES = ("an", "el", "or", "is", "um", "ay", "ino", "esk", "ard", "ova", "ith", "ule")
QUESTIONS = "questions.json"
K = 21
STRATEGIES = ("bm25", "auto-fast", "auto")
CURVES = (("rate", "passages/s"), ("memory", "peak memory, MiB"), ("disk", "disk, MiB"))


class Shared:
    """What the processes of `make` have without a copy, since they are forked when it is there."""

    documents: Sequence[Document] = ()
    known: Sequence[tuple[str, int]] = ()

    @classmethod
    def part(cls, number: int) -> Sequence[Document]:
        return cls.documents[number * FILE : (number + 1) * FILE]


def used(part: int) -> tuple[Counter[str], Counter[str]]:
    """Count the words that may be parts of names, and those that are written small, in one part of the documents."""
    names: Counter[str] = Counter()
    everyday: Counter[str] = Counter()
    for document in Shared.part(part):
        names.update(NAME.findall(document.text))
        names.update(NAME.findall(document.title))
        everyday.update(EVERYDAY.findall(document.text))
    return names, everyday


def names(counted: Iterable[tuple[Counter[str], Counter[str]]]) -> list[tuple[str, int]]:
    """Give the words that names are made of, the most frequent first, with how often they occur."""
    used: Counter[str] = Counter()
    everyday: Counter[str] = Counter()
    for some, others in counted:
        used.update(some)
        everyday.update(others)
    found = [(word, n) for word, n in used.items() if n > everyday[word.lower()]]
    return sorted(found, key=lambda each: (-each[1], each[0]))


@lru_cache(maxsize=2)
def world(number: int) -> Callable[[str], str]:
    """Give what writes a text as it stands in another world."""
    if number == 0:
        return str
    others: dict[str, str] = {}
    syllable = SYLLABLES[number % len(SYLLABLES)] * (1 + number // len(SYLLABLES))
    for start in range(0, len(Shared.known), ALIKE):
        alike = Shared.known[start : start + ALIKE]
        block = [word for word, n in alike if n > RARE]
        places = list(block)
        random.Random(f"{number}/{start}").shuffle(places)
        others.update(zip(block, places, strict=True))
        others.update((word, word + syllable) for word, n in alike if n <= RARE)
    return lambda text: NAME.sub(lambda match: others.get(match[0], match[0]), text)


def written(part: int, number: int) -> Iterator[dict[str, str]]:
    """Write a part of one world: all its documents but those whose title is the same in world 0."""
    told = world(number)
    for place, document in enumerate(Shared.part(part), part * FILE):
        title = told(document.title)
        if number == 0 or title != document.title:
            id = f"{number}-{place}" if number else document.id
            yield {"id": id, "title": title, "text": told(document.text)}


def put(folder: Path, task: tuple[int, int]) -> int:
    """Write one file of one world, and count its documents."""
    number, part = task
    lines = [json.dumps(document, ensure_ascii=False) + "\n" for document in written(part, number)]
    (folder / f"{number:03}-{part:03}.jsonl").write_text("".join(lines), encoding="utf-8")
    return len(lines)


def make(dataset: Dataset, folder: Path, size: int, jobs: int) -> None:
    """Write the questions, and as many worlds as have `size` documents together."""
    folder.mkdir(parents=True, exist_ok=True)
    questions = [(question.text, question.gold) for question in dataset.questions]
    (folder / QUESTIONS).write_text(json.dumps(questions), encoding="utf-8")
    Shared.documents = list(dataset.corpus.read())
    parts = range(math.ceil(len(Shared.documents) / FILE))
    fork = multiprocessing.get_context("fork")
    if size > len(Shared.documents):
        with fork.Pool(jobs) as pool:
            Shared.known = names(pool.imap_unordered(used, parts))
    with fork.Pool(jobs) as pool:
        there, first, worlds = 0, 0, 2 if size > len(Shared.documents) else 1
        while there < size and first < worlds:
            tasks = [(number, part) for number in range(first, worlds) for part in parts]
            there += sum(counts := pool.map(partial(put, folder), tasks, chunksize=1))
            print(f"worlds {first} to {worlds - 1} are in {folder}: {there:,} documents", flush=True)
            # Every world leaves out about as many titles as the last one did.
            first, more = worlds, math.ceil((size - there) / max(1, sum(counts[-len(parts) :])))
            worlds += max(0, more) if Shared.known else 0


def finished(process: subprocess.Popen[bytes]) -> tuple[float, int]:
    """Wait for a program: seconds of the processor, and bytes that it held at most."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def passages(path: Path) -> int:
    """Count what an index holds; nothing where there is none yet, or it is just being committed."""
    try:
        with Engine.open(path) as engine:
            return engine.stats().passages
    except StoreError:
        return 0


def chosen(worlds: Path, most: int) -> list[Path]:
    """Give the files that have at most so many documents together, in order."""
    files: list[Path] = []
    left = most
    for file in sorted(worlds.glob("*.jsonl")):
        with file.open("rb") as opened:
            left -= sum(1 for _ in opened)
        if left < 0:
            break
        files.append(file)
    return files


def index(given: argparse.Namespace) -> None:
    """Index the first files as one folder, in a process of its own, and print what it took."""
    shutil.rmtree(given.to, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=given.worlds.parent) as folder:
        for file in chosen(given.worlds, given.passages):
            (Path(folder) / file.name).symlink_to(file.resolve())
        command = [sys.executable, "-m", "multihop", "index", folder, "--whole", "--to", str(given.to), "--json"]
        if given.interrupt is not None:
            interrupted(command, given.to, given.interrupt)
        began, started = passages(given.to), time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        threading.Thread(target=watched, args=(given.to, started), daemon=True).start()
        busy, memory = finished(process)
        seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    size = passages(given.to)
    disk = sum(file.stat().st_size for file in given.to.rglob("*") if file.is_file())
    new = size - began
    print("| passages | of these now | s | passages/s | passages/s of CPU | peak memory, MiB | disk, MiB |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {size:,} | {new:,} | {seconds:,.0f} | {new / seconds:,.0f} | {new / busy:,.0f} | {memory / 2**20:,.0f} | "
        f"{disk / 2**20:,.0f} |",
        flush=True,
    )


def watched(path: Path, started: float) -> None:
    """Say when a load commits, so that something is known of one that is cut off."""
    held = 0
    while True:
        time.sleep(5)
        with suppress(sqlite3.Error), closing(sqlite3.connect(path / "documents.sqlite", timeout=0)) as connection:
            now = connection.execute("SELECT value FROM meta WHERE key = 'next_passage'").fetchone()[0] - 1
            if now != held:
                print(f"{time.perf_counter() - started:,.0f} s: {now:,} passages are committed", flush=True)
            held = now


def interrupted(command: Sequence[str], path: Path, after: float) -> None:
    """Begin a load, and kill it so many seconds after something of it is in the index."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None and not passages(path):
        time.sleep(1)
    time.sleep(after)
    process.kill()
    process.wait()
    took, held = time.perf_counter() - started, passages(path)
    print(f"killed after {took:,.0f} s: the index holds {held:,} passages, and the load resumes\n", flush=True)


def ask(given: argparse.Namespace) -> None:
    """Ask indexes of every size in turn, so that noise falls on all alike."""
    questions = json.loads((given.worlds / QUESTIONS).read_text(encoding="utf-8"))[: given.limit]
    print("| strategy | passages | p50 ms | p95 ms | p95 / first p95 | all gold in the first 21 |")
    print("|---|---|---|---|---|---|")
    with ExitStack() as stack:
        engines = [stack.enter_context(Engine.open(path)) for path in given.indexes.split(",")]
        for strategy in given.strategies.split(","):
            asked(engines, questions, strategy)


def asked(engines: Sequence[Engine], questions: Sequence[tuple[str, list[str]]], strategy: str) -> None:
    times: list[list[float]] = [[] for _ in engines]
    whole = [0] * len(engines)
    for number, (text, gold) in enumerate(questions):
        turns = list(enumerate(engines))
        for place, engine in turns[:: 1 if number % 2 else -1]:
            started = time.perf_counter()
            result = engine.retrieve(text, k=K, strategy=strategy)
            times[place].append(time.perf_counter() - started)
            whole[place] += set(gold) <= {e.passage.document_id for e in result.evidence}
    p95 = [statistics.quantiles(each, n=20)[-1] * 1000 for each in times]
    for engine, each, high, all_gold in zip(engines, times, p95, whole, strict=True):
        p50, share = statistics.median(each) * 1000, all_gold / len(each)
        size = engine.stats().passages
        print(f"| {strategy} | {size:,} | {p50:.1f} | {high:.1f} | {high / p95[0]:.2f} | {share:.3f} |", flush=True)


def memory(given: argparse.Namespace) -> None:
    """Ask each index in a process of its own, and print what that held."""
    print("| passages | memory of a process that asked, MiB |\n|---|---|")
    for path in given.indexes.split(","):
        command = [sys.executable, __file__, "ask", "--worlds", given.worlds, "--limit", given.limit]
        command += ["--indexes", path, "--strategies", given.strategies]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
        _, held = finished(process)
        print(f"| {passages(Path(path)):,} | {held / 2**20:,.0f} |", flush=True)


def rows(file: Path) -> Iterator[dict[str, str]]:
    """Read the tables that this program printed."""
    head: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells
        elif not set(line) <= set("|-"):
            yield dict(zip(head, cells, strict=True))


def curves(files: Iterable[Path]) -> dict[str, dict[int, float]]:
    """Give what was measured by size: of loads, and of each strategy."""
    found: dict[str, dict[int, float]] = {}
    for row in (row for file in files for row in rows(file)):
        loaded = row.get("of these now")
        if "strategy" in row:
            values = {f"p95 of {row['strategy']}": row["p95 ms"]}
        elif loaded is not None:
            values = {f"{name} of a load": row[column] for name, column in CURVES}
            if loaded != row["passages"]:  # the rest of a load that was interrupted
                del values["rate of a load"]
        else:
            continue
        for name, value in values.items():
            size = int(row["passages"].replace(",", ""))
            found.setdefault(name, {}).setdefault(size, float(value.replace(",", "")))
    return {name: dict(sorted(points.items())) for name, points in found.items() if len(points) > 1}


def draw(given: argparse.Namespace) -> None:
    """Draw every curve as multiples of its value at the smallest size, both axes logarithmic."""
    multiples = {
        name: {size: value / next(iter(points.values())) for size, value in points.items()}
        for name, points in curves(given.tables).items()
    }
    sizes = sorted({size for points in multiples.values() for size in points})
    low = min(0.5, *(value for points in multiples.values() for value in points.values()))
    high = max(sizes[-1] / sizes[0], *(value for points in multiples.values() for value in points.values()))
    x = Axis(sizes[0], sizes[-1], 40.0, WIDTH - 40, tuple(sizes), "passages", log=True)
    y = Axis(low, high, 262.0, 26.0, log_ticks(low, high), f"times what it is at {sizes[0]:,} passages", log=True)
    content = [frame(x, y)]
    for color, (name, points) in enumerate(multiples.items()):
        places = [(x.at(size), y.at(value), f"{name}: {value:.2f} at {size:,}") for size, value in points.items()]
        path = "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up, _ in places)
        content += [el("path", d=path, class_=f"line c{color}"), *(marker(color, *place) for place in places)]
    title = "Time, rate, memory and disk by the size of a corpus"
    keys = named_keys([(name, color) for color, name in enumerate(multiples)])
    drawn = join([keys, drawing(WIDTH, 304, *content, title=title, id="scale")])
    given.to.write_text(printable(drawn).svg, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("make", "index", "ask", "memory", "draw"))
    parser.add_argument("--data", type=Path, help="make: the folder of datasets")
    parser.add_argument("--corpus", help="make: lite begins with the smaller one of HoVer's corpora")
    parser.add_argument("--to", type=Path, help="make: a folder for the worlds; index: the index; draw: an SVG file")
    parser.add_argument("--passages", type=int, default=1_000_000, help="make: at least so many; index: at most")
    parser.add_argument("--jobs", type=int, default=1, help="make: so many worlds at a time")
    parser.add_argument("--worlds", type=Path, help="the folder that was made")
    parser.add_argument("--interrupt", type=float, help="index: kill it so many seconds after its first commit")
    parser.add_argument("--indexes", help="ask, memory: these, smallest first")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--limit", type=int, default=100, help="ask, memory: so many questions")
    parser.add_argument("--tables", type=Path, nargs="*", help="draw: files with what index and ask printed")
    given = parser.parse_args()
    if missing := [str(path) for path in (*(given.tables or ()), *filter(None, [given.worlds])) if not path.exists()]:
        parser.error(f"not found: {', '.join(missing)}")
    if given.action == "make":
        make(load("hover", given.data, corpus=given.corpus), given.to, given.passages, given.jobs)
    else:
        {"index": index, "ask": ask, "memory": memory, "draw": draw}[given.action](given)


if __name__ == "__main__":
    main()
