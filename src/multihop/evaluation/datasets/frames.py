"""FRAMES in its official file, test.tsv: questions over 2 to 15 articles of Wikipedia, named by their addresses.

The articles are not part of it: put a corpus with their titles into the folder, or pass one.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.evaluation.datasets.corpora import corpus_documents, needed_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import Parts, Place, files_in
from multihop.evaluation.datasets.rows import Row
from multihop.evaluation.datasets.titles import title_of_address
from multihop.index.readers import decoding
from multihop.index.readers.decoding import MAX_RECORD, source_of

_FILE = re.compile(r"(test)\.tsv")
_ADDRESS = re.compile(r"https?://(?:(?!,\s*https?:|[,;]?\s)\S)+")
"""One of several in a cell, parted by commas, maybe with a remark behind it; a comma may be part of a title."""


class FramesLayout:
    """Reads test.tsv, with the columns Prompt, Answer, wiki_links or wikipedia_link_1 …, and reasoning_types."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name != "frames":
            return {}
        return {match[1]: path for path, match in files_in(place.folder, _FILE)}

    def read(self, place: Place, split: str, path: Path) -> Parts:
        corpus = needed_corpus(path, [place.folder], place.corpus)
        return Parts(lambda: _drafts(path), lambda: corpus_documents(corpus), (path, corpus), whole=False)


def _drafts(path: Path) -> Iterator[Draft]:
    for number, row in enumerate(_table(path), 1):
        titles = list(dict.fromkeys(map(title_of_address, _addresses(row))))
        question = Question(
            id=f"q{number}", text=row.text("Prompt"), gold=(), hops=len(titles) or None,
            type=row.text("reasoning_types", needed=False), answer=row.text("Answer", needed=False),
        )  # fmt: skip
        yield Draft.of(question, map(Reference, titles), row)


def _addresses(row: Row) -> list[str]:
    given = row.text("wiki_links", needed=False)
    if not given:
        columns = [v for name, v in row.fields.items() if name.startswith("wikipedia_link")]
        return _ADDRESS.findall(" ".join(columns))
    try:
        found = ast.literal_eval(given)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise row.wrong(f"'wiki_links' is not a list of addresses: {given[:80]!r}") from error
    if not isinstance(found, list) or not all(isinstance(address, str) for address in found):
        raise row.wrong(f"'wiki_links' is not a list of addresses: {given[:80]!r}")
    return _ADDRESS.findall(" ".join(found))


def _table(path: Path) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD))
    source = source_of(path)
    with decoding.opened(path) as file, decoding.text_of(file) as text:
        reader = csv.reader(text, dialect="excel-tab")
        header = next(reader, [])
        for cells in reader:
            if len(cells) != len(header):
                problem = f"the row has {len(cells)} cells, the header {len(header)}"
                raise InvalidRecord(problem, source=source, line=reader.line_num)
            yield Row(dict(zip(header, cells, strict=True)), source, reader.line_num)
