"""The layout of BEIR: corpus.jsonl, queries.jsonl and qrels/<split>.tsv.

Gold are the passages with a positive score. A document with nothing but a title (some sets have them) is searched by
its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord
from multihop.evaluation.datasets.corpora import chosen_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place
from multihop.evaluation.datasets.rows import Row, rows
from multihop.index.readers import decoding
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import bare_name
from multihop.index.readers.record import TEXT_FIELDS, to_document
from multihop.types import Document


class BeirLayout:
    """Reads corpus.jsonl, queries.jsonl and qrels."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        qrels = place.folder / "qrels"
        return {path.stem: path for path in sorted(qrels.glob("*.tsv"))} if place.own and qrels.is_dir() else {}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        corpus, queries = _file(place.folder, "corpus.jsonl"), _file(place.folder, "queries.jsonl")
        corpus = chosen_corpus([place.folder], place.corpus) or corpus
        return DatasetParts(lambda: _drafts(queries, path), lambda: _documents(corpus), (path, queries, corpus))


def _file(folder: Path, name: str) -> Path:
    for path in sorted(folder.iterdir()):
        if bare_name(path) == name:
            return path
    raise InvalidInput(f"{source_of(folder)}: there is a folder qrels but no {name}; BEIR needs both")


def _documents(path: Path) -> Iterator[Document]:
    for row in rows(path):
        record = dict(row.fields)
        if not any(str(record.get(name) or "").strip() for name in TEXT_FIELDS):
            if not str(record.get("title") or "").strip():
                continue
            record["text"] = record["title"]
        yield to_document(record, row.source, row.line, partial(_no_id, row))


def _no_id(row: Row, _title: str) -> str:
    raise row.wrong("there is no '_id'")


def _drafts(queries: Path, qrels: Path) -> Iterator[Draft]:
    judged = _read_judgments(qrels)
    for row in rows(queries):
        id = row.text("_id", "id", "qid")
        if gold := judged.pop(id, None):
            metadata = row.fields.get("metadata")
            answer = metadata.get("answer", "") if isinstance(metadata, dict) else ""
            question = Question(id, row.text("text", "query"), (), answer=answer if isinstance(answer, str) else "")
            yield Draft.of(question, gold, row)
    # What no query took is a mistake of the files: left out in silence, it would make the set look easier.
    for id, gold in judged.items():
        place = gold[0].row
        if place is not None:
            raise place.wrong(f"the query {id!r} is not in {source_of(queries)}")


def _read_judgments(path: Path) -> dict[str, list[Reference]]:
    judgments: dict[str, list[Reference]] = {}
    source = source_of(path)
    for number, line in decoding.lines(path):
        if isinstance(line, InvalidRecord):
            raise line
        cells = line.rstrip("\r\n").split("\t")
        # Some sets come with a header and some without; what its last column is called tells.
        if not line.strip() or (number == 1 and cells[-1].strip() in ("score", "relevance")):
            continue
        row = Row({}, source, number)
        if len(cells) != 3:
            raise row.wrong(f"a row has 3 cells (query-id, corpus-id, score) with tabs between, not {len(cells)}")
        query, passage, score = (cell.strip() for cell in cells)
        try:
            relevant = float(score) > 0
        except ValueError as error:
            raise row.wrong(f"the score must be a number, got {score!r}") from error
        if relevant:
            judgments.setdefault(query, []).append(Reference(id=passage, row=row))
    return judgments
