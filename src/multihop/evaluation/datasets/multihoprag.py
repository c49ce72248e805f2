"""MultiHop-RAG in its official files: MultiHopRAG.json over the news articles of corpus.json.

Articles are long, so an index cuts them into passages; gold are whole articles, by title. Queries that no article
answers (`null_query`) have no evidence and are kept out, and the notes count them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from multihop.errors import InvalidInput
from multihop.evaluation.datasets.corpora import chosen_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows
from multihop.index.readers.decoding import source_of
from multihop.index.readers.record import FreshIds, to_document
from multihop.types import Document

_FILE = re.compile(r"MultiHopRAG\.json")


class MultiHopRagLayout:
    """Reads MultiHopRAG.json and corpus.json. There is one set of queries, which is called test."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "multihop-rag"):
            return {}
        paths = [path for path, _ in files_in(place.folder, _FILE)]
        return {"test": paths[0]} if paths else {}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        corpus = chosen_corpus([place.folder], place.corpus)
        if corpus is None:
            raise InvalidInput(f"{source_of(path)} needs its corpus: put corpus.json beside it")
        return DatasetParts(lambda: _drafts(path), lambda: _articles(corpus), (path, corpus), whole=False)


def _drafts(path: Path) -> Iterator[Draft]:
    # The file gives no ids. Numbers of questions do not change when somebody formats it anew, as lines do.
    for number, row in enumerate(rows(path), 1):
        question = Question(
            id=f"q{number}", text=row.text("query"), gold=(), hops=len(_titles(row)) or None,
            type=row.text("question_type", needed=False), answer=row.first_text("answer"),
        )  # fmt: skip
        yield Draft.of(question, map(Reference, _titles(row)), row)


def _titles(row: Row) -> list[str]:
    evidence = row.items("evidence_list")
    if not all(isinstance(e, dict) and isinstance(e.get("title"), str) for e in evidence):
        raise row.wrong("'evidence_list' must be a list of objects with a title")
    return list(dict.fromkeys(e["title"] for e in evidence))


def _articles(path: Path) -> Iterator[Document]:
    ids = FreshIds()
    for row in rows(path):
        record = {"title": row.text("title"), "text": row.text("body")}
        yield to_document(record, row.source, row.line, partial(ids.pick, f"row {row.line}"))
