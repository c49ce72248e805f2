"""A JSON file that is a list of records (or one record, or records one after another), read one record at a time.

The standard library parses whole files only. Here it parses records out of a buffer that holds a few of them; a
record that does not parse is either not complete yet or malformed, which counting its brackets tells apart.
Not left to ijson, which ends at the first malformed record.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers import decoding
from multihop.index.readers.files import record_format
from multihop.index.readers.jsonl import DECODER, why_not_json
from multihop.index.readers.record import FieldNames

CHUNK = 2**20
_USED = 2**14
"""Characters that are held after they were used."""
_GAP = re.compile(r"[\s,]*+")
# A whole string, or one bracket, or a quote that opens a string which the text does not close.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]', re.DOTALL)
_BARE = re.compile(r"[\]}:]|[^\s,\[\]{}:]++")


def records(path: Path, _fields: FieldNames, encoding: str | None) -> Iterator[tuple[int, object]]:
    """Yield the line and the value of every record, or a problem in the place of the value."""
    source = decoding.source_of(path)
    try:
        with decoding.open_file(path) as file, decoding.text_of(file, encoding) as text:
            yield from JsonRecords(text, source).records()
    except InvalidRecord as problem:
        yield 1, problem
    except UnicodeDecodeError as error:
        said = f"is not {error.encoding.upper()} text; save it as UTF-8 or give its --encoding"
        yield 1, InvalidRecord(said, source=source)


class JsonRecords:
    """A window on the file: what is before `at` has been used, and `line` is the line of `at`."""

    def __init__(self, file: io.TextIOWrapper, source: str) -> None:
        self.file = file
        self.source = source
        self.text = ""
        self.at = 0
        self.line = 1

    def records(self) -> Iterator[tuple[int, object]]:
        """Yield the line and the value of each record, or a problem in the place of the value."""
        if not self._more_after_gap():
            yield 1, InvalidRecord("is empty; a list of records is expected", source=self.source, line=1)
            return
        listed = self.text[self.at] == "["
        if listed:
            self._use(self.at + 1)
        while self._more_after_gap():
            if listed and self.text[self.at] == "]":
                return
            line = self.line
            value, end = self._record()
            self._use(len(self.text) if end is None else end)
            yield line, value
            # Without an end there is no place from which the next record could be read.
            if end is None and isinstance(value, InvalidRecord):
                return
        if listed:
            yield self.line, self._problem("the list of records is never closed with ]")

    def _record(self) -> tuple[object, int | None]:
        """Return the value at `at` and its end, reading on until it is whole; no end when the file ends within it."""
        while True:
            value, end = self._parse()
            if end is not None:
                problem = decoding.find_undecodable(self.text[self.at : end], "record")
                return self._problem(problem) if problem else value, end
            if len(self.text) - self.at > decoding.MAX_RECORD:
                return self._problem(f"is longer than {decoding.MAX_RECORD} characters; the rest is not read"), None
            if not self._fill():
                return value, None

    def _parse(self) -> tuple[object, int | None]:
        """Return the value at `at` and its end; no end when it may go on after what has been read so far."""
        try:
            value, end = DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            return self._problem(why_not_json(error, self.at)), _end(self.text, self.at)
        # A number at the edge of the buffer may have more digits behind it; brackets and quotes end for sure.
        return value, end if isinstance(value, dict | list | str) or end < len(self.text) else None

    def _fill(self) -> bool:
        # Reading as much as is held doubles the buffer, so a long record is tried only a few times.
        more = self.file.read(max(CHUNK, len(self.text) - self.at))
        self.text = self.text[self.at :] + more
        self.at = 0
        return bool(more)

    def _more_after_gap(self) -> bool:
        while True:
            # Commas count as blanks, so that lists, records in a row and lists with a comma too many read alike.
            gap = _GAP.match(self.text, self.at)
            self._use(gap.end() if gap else self.at)
            if self.at < len(self.text):
                return True
            if not self._fill():
                return False

    def _use(self, end: int) -> None:
        self.line += self.text.count("\n", self.at, end)
        self.at = end
        if end > _USED:
            # An error of the parser counts the lines before it, from the beginning of what is held.
            self.text, self.at = self.text[end:], 0

    def _problem(self, problem: str) -> InvalidRecord:
        return InvalidRecord(problem, source=self.source, line=self.line)


def _end(text: str, start: int) -> int | None:
    """Find the end of a malformed value by its brackets; None when the text ends first."""
    if text[start] not in "[{":
        bare = _BARE.match(text, start)
        end = bare.end() if bare else start + 1
        return end if end < len(text) else None
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token.group() == '"':
            return None
        if token.group() in ("[", "{"):
            depth += 1
        elif token.group() in ("]", "}"):
            depth -= 1
            if depth == 0:
                return token.end()
    return None


JSON = record_format(records, (".json",), "application/json")
