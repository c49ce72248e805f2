"""EX-FEVER in its official files: test.csv with the columns claim, explanation, label, golden entity, …

The golden entities are a list written as Python writes it, of Wikipedia titles with underscores; there are as many
as hops. The claims bring no id, so the row is the id. The corpus is HoVer's Wikipedia.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord
from multihop.evaluation.datasets.corpora import over_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows, table
from multihop.index.readers import decoding

_FILE = re.compile(r"(train|dev|test|mini_test)\.(csv|json)")
_GOLD = ("golden entity", "golden_entity", "golden_evidence", "gold_entity")


class ExFeverLayout:
    """Reads <split>.csv, or the same fields in <split>.json."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "exfever"):
            return {}
        return {m[1]: path for path, m in files_in(place.folder, _FILE) if _names_gold(path)}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        beside = place.folder.parent / "hover"
        return over_corpus(partial(_drafts, split=split), path, [place.folder, beside], place.corpus)


def _names_gold(path: Path) -> bool:
    try:
        with decoding.open_file(path) as file:
            # Files called test.csv are everywhere: only one that names gold at its beginning is taken.
            start = file.read(65_536)
    except InvalidRecord:
        return False
    return any(name.encode() in start for name in _GOLD)


def _drafts(path: Path, split: str) -> Iterator[Draft]:
    records = table(path, strict=True) if path.suffix == ".csv" else rows(path)
    for number, row in enumerate(records, 1):
        titles = [title.replace("_", " ") for title in _titles(row)]
        question = Question(
            id=row.text("id", "uid", needed=False) or f"{split}-{number}",
            text=row.text("claim"),
            gold=(),
            hops=row.whole_number("hops", "num_hops") or len(titles) or None,
            label=row.text("label", needed=False),
        )
        yield Draft.of(question, map(Reference, dict.fromkeys(titles)), row)


def _titles(row: Row) -> list[str]:
    value: Any = next((row.fields[name] for name in _GOLD if row.fields.get(name)), [])
    if isinstance(value, str):
        try:
            # Never eval: the cell is data from a file; hostile nesting ends in the errors caught below.
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise row.wrong(f"the golden entities are not a list of titles: {value[:80]!r}") from error
    # Where evidence is given as [title, sentence] the title counts.
    titles = [item[0] if isinstance(item, list | tuple) and item else item for item in value or ()]
    if not isinstance(value, list | tuple) or not all(isinstance(title, str) for title in titles):
        raise row.wrong(f"the golden entities are not a list of titles: {str(value)[:80]!r}")
    return titles
