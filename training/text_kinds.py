"""Lay out many kinds of text alike, to train and to measure a ranker on: rules, reviews, privacy policies, manuals.

    python training/text_kinds.py --data datasets --out .training/kinds

Reads the folders `kinds` (corpus and questions), `reading` (questions with a context), `verifying` (claims with
evidence) and `corpora` (passages under headings), as training/README.md describes them, and writes a folder in the
layout of BEIR for each set, for training/pools.py. A set with contexts becomes a corpus of its contexts; a heading
becomes a query for the text under it. Questions of the dev splits have no passage in common with those of train.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

KINDS = ("obliqa", "phantom8", "politihop", "locomo")
READING = {
    "squad": "squad11_train44", "newwiki": "squadshifts_newwiki", "reddit": "squadshifts_reddit",
    "amazon": "squadshifts_amazon", "policy": "policyqa", "nq": "qed_nq_dev", "condqa": "conditionalqa_goldev",
}  # fmt: skip
CLAIMS = ("fever_athnlp", "feverous_dev_text")
TRAIN, DEV = 1500, 150
"""Questions that are taken of a set with contexts."""
CLAIMS_TAKEN, PER_CORPUS, HEADINGS = 1200, 3000, 200
LONGEST = 1500
"""Characters of a passage that is put together or cut here."""


class Asked(NamedTuple):
    """A question, the passages it needs, and its answer where it has one."""

    text: str
    gold: tuple[str, ...]
    answer: str = ""


class Kind(NamedTuple):
    """A set as it is written: passages by id, and questions by split."""

    passages: Mapping[str, tuple[str, str]]
    splits: Mapping[str, Sequence[Asked]]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def plain_title(title: str | None) -> str:
    """Give a title that says something; numbers of reviews and addresses do not."""
    return "" if not title or re.fullmatch(r".*_\d+", title) or title.startswith("http") else title.replace("_", " ")


def asked_of(row: Mapping[str, Any]) -> str:
    return f"{row['scenario']} {row['question']}" if row.get("scenario") else str(row["question"])


def labelled(folder: Path) -> Kind:
    passages = {row["_id"]: (row.get("title") or "", row["text"]) for row in rows(folder / "corpus.jsonl.xz")}
    splits = {
        split: [Asked(r["text"], tuple(r["gold"]), _text(r["metadata"].get("answer"))) for r in rows(path)]
        for split in ("train", "dev")
        if (path := folder / f"{split}.jsonl").exists()
    }
    return Kind(passages, splits)


def _text(answer: object) -> str:
    return answer if isinstance(answer, str) else ""


def with_contexts(name: str, path: Path, chance: random.Random) -> Kind:
    """Make a corpus of the contexts that questions come with; dev gets contexts of its own."""
    ids: dict[str, str] = {}
    passages: dict[str, tuple[str, str]] = {}
    questions: dict[str, list[Asked]] = {}
    for row in rows(path):
        context = row["context"]
        if len(context) < 40:
            continue
        id = ids.setdefault(context, f"{name}-{len(ids)}")
        passages[id] = (plain_title(row.get("title")), context)
        answer = row["answers"][0]["text"] if row.get("answers") else _text(row.get("yesno"))
        questions.setdefault(id, []).append(Asked(asked_of(row), (id,), answer))
    order = list(questions)
    chance.shuffle(order)
    train, dev = list[Asked](), list[Asked]()
    for id in order:
        (dev if len(dev) < DEV else train).extend(questions[id])
    chance.shuffle(train)
    return Kind(passages, {"train": train[:TRAIN], "dev": dev[:DEV]})


def claims(paths: Sequence[Path], chance: random.Random) -> Kind:
    """Make a corpus of the evidence of claims, the sentences of each as one passage."""
    ids: dict[str, str] = {}
    found: list[Asked] = []
    for path in paths:
        for row in rows(path):
            if row["label"] in ("supported", "refuted"):
                evidence = " ".join(row["evidence"])[:LONGEST]
                found.append(Asked(row["claim"], (ids.setdefault(evidence, f"claims-{len(ids)}"),)))
    chance.shuffle(found)
    return Kind({id: ("", text) for text, id in ids.items()}, {"train": found[:CLAIMS_TAKEN]})


def headings(paths: Sequence[Path], chance: random.Random) -> Kind:
    """Ask for passages by their headings, which are taken out of the corpus."""
    passages: dict[str, tuple[str, str]] = {}
    found: list[Asked] = []
    for path in paths:
        usable = []
        for row in list(rows(path))[:PER_CORPUS]:
            passages[row["_id"]] = ("", row["text"][:LONGEST])
            heading = row["title"].split(" > ")[-1].strip()
            telling = 3 <= len(heading.split()) <= 16 and not re.search(r"train\d+|EP-|§", heading)
            if telling and len(row["text"]) > 200:
                usable.append(Asked(heading, (row["_id"],)))
        chance.shuffle(usable)
        found += usable[:HEADINGS]
    return Kind(passages, {"train": found})


def write(folder: Path, kind: Kind) -> None:
    """Write a set in the layout of BEIR."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for id, (title, text) in kind.passages.items():
            file.write(json.dumps({"_id": id, "title": title, "text": text}, ensure_ascii=False) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for split, questions in kind.splits.items():
            for number, asked in enumerate(questions):
                row = {"_id": f"{split}-{number}", "text": asked.text, "metadata": {"answer": asked.answer}}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    for split, questions in kind.splits.items():
        lines = [f"{split}-{n}\t{id}\t1\n" for n, asked in enumerate(questions) for id in dict.fromkeys(asked.gold)]
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")
    counts = ", ".join(f"{split} {len(questions)}" for split, questions in kind.splits.items())
    print(f"{folder.name}: {len(kind.passages)} passages, questions: {counts}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with kinds/, reading/, verifying/, corpora/")
    parser.add_argument("--out", type=Path, default=Path(".training/kinds"))
    arguments = parser.parse_args()
    data, chance = arguments.data, random.Random(1)
    for name in KINDS:
        if (data / "kinds" / name).is_dir():
            write(arguments.out / name, labelled(data / "kinds" / name))
    for name, file in READING.items():
        if (path := data / "reading" / f"{file}.jsonl.xz").exists():
            write(arguments.out / name, with_contexts(name, path, chance))
    if paths := [path for name in CLAIMS if (path := data / "verifying" / f"{name}.jsonl.xz").exists()]:
        write(arguments.out / "claims", claims(paths, chance))
    if paths := sorted((data / "corpora").glob("*.jsonl.xz")):
        write(arguments.out / "headings", headings(paths, chance))


if __name__ == "__main__":
    main()
