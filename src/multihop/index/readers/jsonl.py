"""JSON Lines: one record per line, BEIR's corpus.jsonl among them. Holds one line in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers.decoding import lines, source_of
from multihop.index.readers.files import record_format
from multihop.index.readers.record import USUAL, FieldNames

# Raw control characters are let through, to be stripped later; NaN, which JSON does not have, counts as missing.
DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def records(
    path: Path, _fields: FieldNames = USUAL, encoding: str | None = None, *, if_cut: str = ""
) -> Iterator[tuple[int, object]]:
    """Yield the number and the record of every line that is not blank, or a problem in the place of the record.

    Only the last line of a file has no end; where that one is broken, `if_cut` is added to what is said of it.
    """
    for number, line in lines(path, encoding):
        if isinstance(line, InvalidRecord):
            yield number, line
        elif not line.isspace():
            try:
                yield number, DECODER.decode(line)
            except (ValueError, RecursionError) as error:
                problem = why_not_json(error) + ("" if line.endswith("\n") else if_cut)
                yield number, InvalidRecord(problem, source=source_of(path), line=number)


def why_not_json(error: ValueError | RecursionError, start: int = 0) -> str:
    """Describe in one line why a text that begins at `start` could not be parsed."""
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON: {error.msg.removesuffix(' at')} at character {error.pos - start + 1}"
    return "is not usable JSON: " + ("it is nested too deeply" if isinstance(error, RecursionError) else str(error))


BEIR = record_format(records)
JSONL = record_format(records, (".jsonl", ".ndjson"), "application/x-ndjson")
