"""BRIGHT in its official files: examples/<task>…parquet beside documents/<task>…parquet, read with pyarrow.

A split is one of its tasks (biology, leetcode …). JSON Lines of the same fields and names are read too. For some
questions BRIGHT leaves documents out of the ranking; here they stay in, and the notes say so.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from multihop.errors import InvalidInput, cause
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows
from multihop.index.readers.decoding import source_of
from multihop.index.readers.record import to_document
from multihop.types import Document

_FILE = re.compile(r"([a-z_]+)(?:-\d+-of-\d+)?\.(?:parquet|jsonl)")


class BrightLayout:
    """Reads the folders examples and documents."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        asked, searched = (place.folder / name for name in ("examples", "documents"))
        if place.name not in ("", "bright") or not searched.is_dir():
            return {}
        return {match[1]: path for path, match in files_in(asked, _FILE)}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        files = tuple(f for f, match in files_in(place.folder / "documents", _FILE) if match[1] == split)
        if not files:
            folder = source_of(place.folder / "documents")
            raise InvalidInput(f"{source_of(path)} needs its documents: put those of {split!r} into {folder}")
        # Read once more for the note only: how many questions are concerned must stand in every report.
        left_out = sum(bool(_ids(row, "excluded_ids")) for row in _rows(path))
        note = f"{left_out} questions name documents to leave out of the ranking, which is not done"
        return DatasetParts(
            lambda: map(_draft, _rows(path)), lambda: _documents(files), (path, *files), whole=False,
            notes=(note,) if left_out else (),
        )  # fmt: skip


def _draft(row: Row) -> Draft:
    question = Question(row.text("id"), row.text("query"), (), answer=row.first_text("gold_answer"))
    return Draft.of(question, (Reference(id=id) for id in dict.fromkeys(_ids(row, "gold_ids"))), row)


def _ids(row: Row, name: str) -> list[str]:
    # BRIGHT writes "N/A" where there is nothing to list.
    return [str(id) for id in row.items(name) if id != "N/A"]


def _documents(files: tuple[Path, ...]) -> Iterator[Document]:
    for file in files:
        for row in _rows(file):
            if text := row.text("content", needed=False):
                yield to_document({"id": row.text("id"), "text": text}, row.source, row.line, str)


def _rows(path: Path) -> Iterator[Row]:
    if path.suffix != ".parquet":
        yield from rows(path)
        return
    source = source_of(path)
    try:
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise InvalidInput(f"{source} is Parquet, which pyarrow reads: pip install pyarrow") from error
    try:
        batches = (batch.to_pylist() for batch in parquet.ParquetFile(path).iter_batches())
        yield from (Row(record, source, line) for line, record in enumerate(chain.from_iterable(batches), 1))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{source} cannot be read as Parquet: {cause(error)}") from error
