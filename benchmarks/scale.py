"""One machine and a growing corpus: indexing rate, memory, disk and time per question, as curves over the size.

A larger corpus is made of HoVer's: beside the passages as they are ("world 0") stand others in which every name is
another one, the same wherever it occurs, so that words keep their frequencies, names their mentions, and links lead
on. Words of names that are rare become new ones, as in a corpus that grows; titles that would come twice are left out.
The questions are HoVer's and ask for world 0; the other worlds are what it has to be told from.

    python benchmarks/scale.py make --data datasets --to worlds --passages 1000000
    python benchmarks/scale.py measure --data datasets --worlds worlds --to indexes --sizes 100000,350000,1000000
    python benchmarks/scale.py measure --data datasets --indexes lite.mh,full.mh    # only ask indexes that are there
    python benchmarks/scale.py measure … --interrupt 60    # kill the largest load after so many seconds, and resume it
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from multihop import Document, Engine
from multihop.errors import IndexNotFound
from multihop.evaluation.datasets import Dataset, load

FILE = 50_000
"""Documents of a file."""
NAME = re.compile(r"\b[A-ZÀ-Þ][^\W\d_]{2,}\b")
EVERYDAY = re.compile(r"\b[a-zß-ÿ][^\W\d_]{2,}\b")
RARE = 2
ALIKE = 64
"""Names change places with the so many that are about as frequent."""
SYLLABLES = ("an", "el", "or", "is", "um", "ay", "ino", "esk", "ard", "ova", "ith", "ule")
K = 21
STRATEGIES = ("bm25", "auto-fast", "auto")


def names(documents: Iterator[Document]) -> list[tuple[str, int]]:
    """Give the words that names are made of, the most frequent first, with how often they occur."""
    used: Counter[str] = Counter()
    everyday: Counter[str] = Counter()
    for document in documents:
        used.update(NAME.findall(document.text))
        used.update(NAME.findall(document.title))
        everyday.update(EVERYDAY.findall(document.text))
    found = [(word, n) for word, n in used.items() if n > everyday[word.lower()]]
    return sorted(found, key=lambda each: (-each[1], each[0]))


def world(number: int, known: Sequence[tuple[str, int]]) -> Callable[[str], str]:
    """Give what writes a text as it stands in another world."""
    if number == 0:
        return str
    others: dict[str, str] = {}
    syllable = SYLLABLES[number % len(SYLLABLES)] * (1 + number // len(SYLLABLES))
    for start in range(0, len(known), ALIKE):
        block = [word for word, n in known[start : start + ALIKE] if n > RARE]
        places = list(block)
        random.Random(f"{number}/{start}").shuffle(places)
        others.update(zip(block, places, strict=True))
        others.update((word, word + syllable) for word, n in known[start : start + ALIKE] if n <= RARE)
    return lambda text: NAME.sub(lambda match: others.get(match[0], match[0]), text)


def worlds(dataset: Dataset) -> Iterator[dict[str, str]]:
    """Write one world after another, without end."""
    documents = list(dataset.documents())
    known = names(iter(documents))
    for number in count():
        told = world(number, known)
        for place, document in enumerate(documents):
            title = told(document.title)
            if number == 0 or title != document.title:
                id = f"{number}-{place}" if number else document.id
                yield {"id": id, "title": title, "text": told(document.text)}


def make(dataset: Dataset, folder: Path, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = islice(worlds(dataset), size)
    for number in range(-(-size // FILE)):
        with (folder / f"{number:04}.jsonl").open("w") as file:
            file.writelines(json.dumps(document, ensure_ascii=False) + "\n" for document in islice(made, FILE))
        print(f"{min(size, (number + 1) * FILE):,} documents in {folder}", flush=True)


def run(command: Sequence[object], after: float | None = None) -> tuple[float, float, int]:
    """Run a program, killed after so many seconds: how long it took, of which the processor, and bytes it held."""
    started = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    if after is not None:
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and after is None:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def passages(path: Path) -> int:
    """Count what an index holds; nothing where a load was killed before there was one."""
    try:
        with Engine.open(path) as engine:
            return engine.stats().passages
    except IndexNotFound:
        return 0


def indexed(files: Sequence[Path], path: Path, interrupt: float | None) -> None:
    """Index files in a process of its own, and print what it took."""
    shutil.rmtree(path, ignore_errors=True)
    command = [sys.executable, "-m", "multihop", "index", *files, "--whole", "--to", path, "--json"]
    if interrupt is not None:
        run(command, interrupt)
        print(f"killed after {interrupt:g} s: the index holds {passages(path):,} passages, and the load resumes")
    seconds, busy, memory = run(command)
    size = passages(path)
    disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    print(
        f"| {size:,} | {seconds:,.0f} | {size / seconds:,.0f} | {size / busy:,.0f} | {memory / 2**20:,.0f} | "
        f"{disk / 2**20:,.0f} | {disk / size:,.0f} |",
        flush=True,
    )


def filled(given: argparse.Namespace) -> list[Path]:
    """Make an index of every size."""
    sizes = [int(size) for size in given.sizes.split(",")]
    files = sorted(given.worlds.glob("*.jsonl"))
    paths = [given.to / f"{size}.mh" for size in sizes]
    given.to.mkdir(parents=True, exist_ok=True)
    print("| passages | s | passages/s | passages/s of CPU | peak memory, MiB | disk, MiB | bytes a passage |")
    print("|---|---|---|---|---|---|---|")
    for size, path in zip(sizes, paths, strict=True):
        indexed(files[: -(-size // FILE)], path, given.interrupt if size == max(sizes) else None)
    return paths


def asked(paths: Sequence[Path], dataset: Dataset, strategies: Sequence[str]) -> None:
    """Ask indexes of every size in turn, so that noise falls on all alike."""
    engines = [Engine.open(path) for path in paths]
    print("\n| strategy | passages | p50 ms | p95 ms | p95 / first p95 | all gold in the first 21 |")
    print("|---|---|---|---|---|---|")
    for strategy in strategies:
        times: list[list[float]] = [[] for _ in engines]
        whole = [0] * len(engines)
        for number, question in enumerate(dataset.questions):
            turns = list(enumerate(engines))
            for place, engine in turns[:: 1 if number % 2 else -1]:
                started = time.perf_counter()
                result = engine.retrieve(question.text, k=K, strategy=strategy)
                times[place].append(time.perf_counter() - started)
                whole[place] += set(question.gold) <= {e.passage.document_id for e in result.evidence}
        p95 = [statistics.quantiles(each, n=20)[-1] * 1000 for each in times]
        for engine, each, high, all_gold in zip(engines, times, p95, whole, strict=True):
            p50, share = statistics.median(each) * 1000, all_gold / len(each)
            size = engine.stats().passages
            print(f"| {strategy} | {size:,} | {p50:.1f} | {high:.1f} | {high / p95[0]:.2f} | {share:.3f} |", flush=True)
    for engine in engines:
        engine.close()


def memory(path: Path, given: argparse.Namespace) -> None:
    command = [sys.executable, __file__, "ask", "--data", given.data, "--limit", given.limit, "--index", path]
    command += ["--corpus", given.corpus] if given.corpus else []
    seconds, _, held = run(command)
    print(f"| {path.stem} | {held / 2**20:,.0f} | {seconds:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("make", "measure", "ask"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", help="lite: begin with the smaller one of HoVer's corpora")
    parser.add_argument("--to", type=Path, help="make: a folder for the corpus; measure: one for the indexes")
    parser.add_argument("--passages", type=int, default=1_000_000, help="make: how many")
    parser.add_argument("--worlds", type=Path, help="measure: the folder that was made")
    parser.add_argument("--sizes", default="100000,350000,1000000", help="measure: passages of each index")
    parser.add_argument("--indexes", help="measure: only ask these, smallest first, and index nothing")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--limit", type=int, default=100, help="so many questions")
    parser.add_argument("--interrupt", type=float, help="measure: kill the load of the largest after so many seconds")
    parser.add_argument("--index", type=Path, help="ask: the index")
    given = parser.parse_args()
    dataset = load("hover", given.data, corpus=given.corpus, limit=given.limit)
    if given.action == "make":
        make(dataset, given.to, given.passages)
        return
    if given.action == "ask":
        with Engine.open(given.index) as engine:
            for question in dataset.questions:
                engine.retrieve(question.text, k=K, strategy="auto-fast")
        return
    paths = [Path(path) for path in given.indexes.split(",")] if given.indexes else filled(given)
    asked(paths, dataset, given.strategies.split(","))
    print("\n| index | memory of a process that asked auto-fast, MiB | s |\n|---|---|---|")
    for path in paths:
        memory(path, given)


if __name__ == "__main__":
    main()
