"""How `auto` does on text that is unlike Wikipedia: rules, chats, fact checks, invented people.

    python benchmarks/kinds.py --data datasets

Prints a Markdown table: recall@5 / all-gold@21 of `bm25`, `auto-fast` and `auto` for every set in datasets/kinds, and
how far `auto` is from `bm25`. A set is a folder with corpus.jsonl.xz (`_id`, `title`, `text`) and dev.jsonl (`text`,
`gold`); one without dev.jsonl is measured on train.jsonl. Each passage is indexed as one document. Three
sets more are made of datasets/reading, of kinds that no ranker was trained on: the text that belongs to a question is
cut into passages of a few sentences, and all of them are gold.

    python benchmarks/kinds.py --data datasets --adapt 100

Adapts each index to 100 of its train questions, and prints recall@5 / all-gold@21 of `auto` on dev before and after,
beside what cross-validation over the 100 promised.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from multihop import Document, Engine, text

STRATEGIES = ("bm25", "auto-fast", "auto")
K = 21


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def passage_id(given: str) -> str:
    """Passages are told apart from documents by a #, so a document's id has none."""
    return given.replace("#", "~")


def open_kind(folder: Path, indexes: Path) -> Engine:
    """Open the index of a set, building it when it is not there."""
    path = indexes / f"kind-{folder.name}.mh"
    if not (path / "complete").exists():
        documents = (Document(passage_id(r["_id"]), r["text"], r.get("title", "")) for r in rows(folder / CORPUS))
        with Engine.open(path, create=True) as engine:
            engine.add(documents, whole=True)
        (path / "complete").touch()
    return Engine.open(path)


def dev_of(folder: Path, indexes: Path) -> tuple[Engine, list[dict[str, Any]]]:
    """Open the index of a set, with its dev questions, or those of train where there are none."""
    split = next(path for path in (folder / "dev.jsonl", folder / "train.jsonl") if path.exists())
    return open_kind(folder, indexes), list(rows(split))


def cut_kind(name: str, data: Path, indexes: Path) -> tuple[Engine, list[dict[str, Any]]]:
    """Index the texts of a reading set in pieces without titles, and draw questions whose text has several of them."""
    file, size = UNSEEN[name]
    ids: dict[str, str] = {}
    questions = []
    for row in rows(data / "reading" / file):
        said = text.sentences(row["context"])
        pieces = [" ".join(said[start : start + size]) for start in range(0, len(said), size)]
        gold = list(dict.fromkeys(ids.setdefault(piece, f"p{len(ids)}") for piece in pieces))
        if 2 <= len(gold) <= 5:
            questions.append({"text": row["question"], "gold": gold})
    path = indexes / f"kind-{name}.mh"
    if not (path / "complete").exists():
        with Engine.open(path, create=True) as engine:
            engine.add((Document(id, piece) for piece, id in ids.items()), whole=True)
        (path / "complete").touch()
    return Engine.open(path), random.Random(1).sample(questions, min(DRAWN, len(questions)))


CORPUS = "corpus.jsonl.xz"
UNSEEN = {
    "bioasq": ("bioasq_golden6_9.jsonl.xz", 2),
    "pubmedqa": ("pubmedqa.jsonl.xz", 3),
    "strategyqa": ("strategyqa_facts.jsonl.xz", 1),
}
"""Files of reading sets, and how many sentences make a passage."""
DRAWN = 200


def measure(engine: Engine, questions: list[dict[str, Any]], strategy: str) -> tuple[float, float, float]:
    recall, complete, seconds = [], [], []
    for question in questions:
        gold = {passage_id(each) for each in question["gold"]}
        started = time.perf_counter()
        found = [e.passage.document_id for e in engine.retrieve(question["text"], k=K, strategy=strategy)]
        seconds.append(time.perf_counter() - started)
        recall.append(len(gold & set(found[:5])) / len(gold))
        complete.append(gold <= set(found))
    return statistics.fmean(recall), statistics.fmean(complete), statistics.median(seconds)


def adapting(folder: Path, indexes: Path, count: int, limit: int | None) -> list[str]:
    """Measure `auto` before and after adapting to so many train questions, on dev or on the train questions left."""
    train = list(rows(folder / "train.jsonl"))
    random.Random(0).shuffle(train)
    dev = list(rows(folder / "dev.jsonl")) if (folder / "dev.jsonl").exists() else train[count:]
    with open_kind(folder, indexes) as engine:
        engine.forget_adaptation()
        before = measure(engine, dev[:limit], "auto")
        started = time.perf_counter()
        done = engine.adapt((q["text"], [*map(passage_id, q["gold"])]) for q in train[:count])
        seconds = time.perf_counter() - started
        after = measure(engine, dev[:limit], "auto")
        engine.forget_adaptation()
    promised = f"{done.before:.3f} → {done.after:.3f}, {'kept' if done.kept else 'not kept'}"
    cells = [f"{recall:.3f} / {complete:.3f}" for recall, complete, _ in (before, after)]
    return [folder.name, str(len(dev[:limit])), *cells, f"{after[0] - before[0]:+.3f}", promised, f"{seconds:.0f} s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with kinds/")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--only", nargs="*", default=(), help="only these sets")
    parser.add_argument("--limit", type=int, help="only so many questions of each set")
    parser.add_argument("--adapt", type=int, help="adapt to so many train questions of each set, before and after")
    arguments = parser.parse_args()
    folders = sorted(path.parent for path in (arguments.data / "kinds").glob(f"*/{CORPUS}"))
    arguments.indexes.mkdir(parents=True, exist_ok=True)
    chosen = [f for f in folders if not arguments.only or f.name in arguments.only]
    there = [name for name, (file, _) in UNSEEN.items() if (arguments.data / "reading" / file).exists()]
    unseen = [name for name in there if not arguments.only or name in arguments.only]
    if not chosen and not unseen:
        known = ", ".join([*(folder.name for folder in folders), *there]) or "none"
        parser.error(f"no set to measure: {arguments.data} has {known}")
    if arguments.adapt:
        print("| set | questions | `auto` | adapted | gain | by cross-validation | time |\n" + "|---" * 7 + "|")
        for folder in chosen:
            row = adapting(folder, arguments.indexes, arguments.adapt, arguments.limit)
            print("|", " | ".join(row), "|", flush=True)
        return
    print(
        "| set | questions |",
        " | ".join(f"`{name}`" for name in STRATEGIES),
        "| `auto` − `bm25` | time, × `auto-fast` |",
    )
    print("|---" * (len(STRATEGIES) + 4) + "|")
    gains = []
    for name, open_set in [
        *((folder.name, partial(dev_of, folder, arguments.indexes)) for folder in chosen),
        *((name, partial(cut_kind, name, arguments.data, arguments.indexes)) for name in unseen),
    ]:
        engine, questions = open_set()
        questions = questions[: arguments.limit]
        with engine:
            found = {each: measure(engine, questions, each) for each in STRATEGIES}
        gains.append(found["auto"][0] - found["bm25"][0])
        cells = [f"{r:.3f} / {c:.3f}" for r, c, _ in found.values()]
        times = found["auto"][2] / found["auto-fast"][2]
        print(
            "|", " | ".join([name, str(len(questions)), *cells, f"{gains[-1]:+.3f}", f"{times:.1f}"]), "|", flush=True
        )
    if gains:
        print(f"\nmean gain in recall@5: {statistics.fmean(gains):+.3f}")


if __name__ == "__main__":
    main()
