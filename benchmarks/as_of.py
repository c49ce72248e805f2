"""Questions whose answer changes with the date.

Statutes with a time limit ("within 45 days") are amended: a second version with another limit supersedes the first on a
day. Each question asks for the limit, the day before and on the day, and without dates for comparison. It counts when
the first passage of a version in the evidence is the right one, and when the answer has the right number. What
`as_of` costs is measured by filters.py.

    python benchmarks/as_of.py dc_law.jsonl.xz [-n 120]
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from multihop import Document, Engine

_LIMIT = re.compile(r"([^.\n]{30,220}?)\bwithin (\d+) ((?:business |calendar )?days)\b([^.\n]{10,160})")


class Amended(NamedTuple):
    """A statute in two versions, the day on which the second replaces the first, and the two limits."""

    question: str
    versions: tuple[Document, Document]
    day: date
    limits: tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-n", type=int, default=120)
    options = parser.parse_args()
    documents = list(_read(options.corpus))
    cases = _amended(documents, options.n, random.Random(7))
    replaced = {case.versions[0].id for case in cases}
    others = [document for document in documents if document.id not in replaced]
    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "law.mh", create=True) as engine:
        engine.add([*others, *(version for case in cases for version in case.versions)], whole=True)
        _quality(engine, cases)


def _read(path: Path) -> Iterator[Document]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Document(str(row.get("_id") or row.get("id") or row["title"]), row["text"], row.get("title", ""))


def _amended(documents: list[Document], most: int, chance: random.Random) -> list[Amended]:
    found: list[Amended] = []
    for document in documents:
        limits = _LIMIT.findall(document.text)
        if len(limits) != 1 or len(found) == most:
            continue
        before, number, unit, after = limits[0]
        other = str(int(number) + chance.choice((3, 7, 15, 25)))
        day = date(2000, 1, 1) + timedelta(days=chance.randrange(9000))
        text = document.text.replace(f"within {number} {unit}", f"within {other} {unit}")
        first = Document(f"{document.id}/1", document.text, document.title, {"valid_from": "1995-01-01"})
        about = {"valid_from": day.isoformat(), "supersedes": first.id}
        second = Document(f"{document.id}/2", text, document.title, about)
        name = document.title.rpartition(" > ")[2]
        said = re.sub(r"^\W*(?:\([a-z0-9]+\)\W*)*", "", f"{before.strip()} within how many {unit}{after.rstrip()}")
        found.append(Amended(f"{name} {said}?", (first, second), day, (number, other)))
    return found


def _quality(engine: Engine, cases: list[Amended]) -> None:
    counts = {kind: [0, 0, 0] for kind in ("as of the day", "without dates")}
    for case in cases:
        for place, day in ((0, case.day - timedelta(days=1)), (1, case.day)):
            for kind, as_of in (("as of the day", day), ("without dates", "any")):
                answer = engine.answer(case.question, k=10, as_of=as_of)
                ids = {version.id for version in case.versions}
                met = [e.passage.document_id for e in answer.result if e.passage.document_id in ids]
                shown = " ".join([answer.text, *(s.quote.text for s in answer.sentences[:1])])
                counts[kind][0] += met[:1] == [case.versions[place].id]
                counts[kind][1] += bool(re.search(rf"\b{case.limits[place]}\b", shown))
                counts[kind][2] += case.versions[1 - place].id in met
    asked = 2 * len(cases)
    print(f"{len(cases)} statutes, {asked} questions with a day")
    for kind, (right, answered, wrong) in counts.items():
        rates = f"right version first {right / asked:.3f}, right limit in the answer {answered / asked:.3f}"
        print(f"{kind:14} {rates}, the other version in the evidence {wrong / asked:.3f}")


if __name__ == "__main__":
    main()
