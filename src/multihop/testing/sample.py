"""The sample corpus: short linked documents on several topics, with claims and questions whose evidence is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from multihop.types import Document


@dataclass(frozen=True, slots=True)
class Question:
    """A claim or question of 2, 3 or 4 hops, and the documents that decide it."""

    id: str
    text: str
    kind: str
    hops: int
    type: str
    gold: tuple[str, ...]
    answer: str


def sample_documents() -> Iterator[Document]:
    """Read the sample documents, in a fixed order."""
    for row in _rows("corpus.jsonl"):
        yield Document(row["id"], row["text"], row["title"], row["metadata"], tuple(row.get("aliases", ())))


def sample_questions() -> list[Question]:
    """Read the sample claims and questions."""
    return [
        Question(r["id"], r["text"], r["kind"], r["hops"], r["type"], tuple(r["gold"]), r.get("answer") or r["label"])
        for r in _rows("questions.jsonl")
    ]


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (files("multihop.testing") / "sample" / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
