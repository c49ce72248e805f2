"""FRAMES in its official file, test.tsv: questions over 2 to 15 articles of Wikipedia, named by their addresses.

The articles are not part of it: put a corpus with their titles into the folder, or pass one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from multihop.evaluation.datasets.corpora import OverCorpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.rows import Row, table
from multihop.evaluation.datasets.titles import title_of_address

_ADDRESS = re.compile(r"https?://(?:(?!,\s*https?:|[,;]?\s)\S)+")
"""One of several in a cell, parted by commas, maybe with a remark behind it; a comma may be part of a title."""


def _drafts(path: Path) -> Iterator[Draft]:
    """Read the columns Prompt, Answer, wiki_links or wikipedia_link_1 …, and reasoning_types."""
    for number, row in enumerate(table(path, dialect="excel-tab"), 1):
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
        addresses = ast.literal_eval(given)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise row.wrong(f"'wiki_links' is not a list of addresses: {given[:80]!r}") from error
    if not isinstance(addresses, list) or not all(isinstance(address, str) for address in addresses):
        raise row.wrong(f"'wiki_links' is not a list of addresses: {given[:80]!r}")
    return _ADDRESS.findall(" ".join(addresses))


# Anybody may have a test.tsv, so it is taken only where FRAMES was asked for.
FRAMES = OverCorpus("frames", re.compile(r"(test)\.tsv"), _drafts, whole=False, only_named=True)
