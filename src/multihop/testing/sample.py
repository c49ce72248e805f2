"""The sample corpus: short linked documents on several topics, with claims and questions whose evidence is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from multihop.types import Document


@dataclass(frozen=True, slots=True)
class SampleQuestion:
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


def sample_questions() -> list[SampleQuestion]:
    """Read the sample claims and questions."""
    return [
        SampleQuestion(
            r["id"], r["text"], r["kind"], r["hops"], r["type"], tuple(r["gold"]), r.get("answer") or r["label"]
        )
        for r in _rows("questions.jsonl")
    ]


def write_hover_sample(folder: Path) -> None:
    """Write the sample as HoVer's official files: hover_train_… and hover_dev_release_v1.1.json, and corpus.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = list(sample_documents())
    titles = {d.id: d.title for d in documents}
    rows = [{"id": d.id, "title": d.title, "text": d.text} for d in documents]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for split, questions in (("train", sample_questions()[::2]), ("dev", sample_questions()[1::2])):
        claims = [
            {"uid": q.id, "claim": q.text, "supporting_facts": [[titles[gold], 0] for gold in q.gold],
             "label": "SUPPORTED", "num_hops": q.hops}
            for q in questions
        ]  # fmt: skip
        (folder / f"hover_{split}_release_v1.1.json").write_text(json.dumps(claims), encoding="utf-8")


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (files("multihop.testing") / "sample" / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
