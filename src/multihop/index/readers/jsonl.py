"""JSON Lines: one record per line, BEIR's corpus.jsonl among them. Holds one line in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import lines, source_of
from multihop.index.readers.naming import Naming, SourceNames
from multihop.index.readers.record import USUAL, FieldNames, FreshIds, to_document
from multihop.types import Document

# Raw control characters are let through, to be stripped later; NaN, which JSON does not have, counts as missing.
DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


@dataclass(frozen=True, slots=True)
class JsonlReader:
    """Reads one document per line; `naming` names those that bring no id."""

    naming: Naming | None = None
    fields: FieldNames = USUAL
    encoding: str | None = None

    def read(self, path: Path) -> Iterator[Document | InvalidRecord]:
        """Yield a document or a problem for every line that is not blank."""
        source, naming = source_of(path), self.naming or SourceNames().enter(path)
        name = naming.name(path)
        for number, line in lines(path, self.encoding):
            if isinstance(line, InvalidRecord):
                yield line
            elif not line.isspace():
                yield self._document(line, source, number, f"{name}:{number}", naming.ids)

    def _document(self, line: str, source: str, number: int, place: str, ids: FreshIds) -> Document | InvalidRecord:
        try:
            record = DECODER.decode(line)
            return to_document(record, source, number, partial(ids.pick, place), ids.claim, self.fields)
        except InvalidRecord as problem:
            return problem
        except (ValueError, RecursionError) as error:
            return InvalidRecord(why_not_json(error), source=source, line=number)


def why_not_json(error: ValueError | RecursionError, start: int = 0) -> str:
    """Say in one line why a text that begins at `start` could not be parsed."""
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON: {error.msg.removesuffix(' at')} at character {error.pos - start + 1}"
    return "is not usable JSON: " + ("it is nested too deeply" if isinstance(error, RecursionError) else str(error))
