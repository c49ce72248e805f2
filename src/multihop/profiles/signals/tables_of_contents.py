"""Tables of contents: passages that name every topic of a document and say nothing of any."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from multihop.types import Passage

STAMP = "1"
"""Change it with the rules below: caches of other rules are not used."""
WORTH = 0.5
"""Factor for the score of a table of contents."""
_LEADERS = re.compile(r"\.{4,}|(?: \.){4,}|…{2,}|_{4,}")
# A number behind a word or a closing mark: not a year, not the number of a section before its heading.
_PAGE = re.compile(r"(?<=[^\W\d_] |[).:’] )\d{1,3}(?=\s|$)")
_FEWEST = 6
_WORDS_AN_ENTRY = 12


def is_contents(content: str) -> bool:
    """Return whether a text is a list of headings with page numbers: dots lead to them, or the numbers only rise."""
    if len(_LEADERS.findall(content)) >= _FEWEST:
        return True
    pages = [int(page) for page in _PAGE.findall(" ".join(content.split()))]
    if len(pages) < _FEWEST or len(content.split()) > _WORDS_AN_ENTRY * len(pages):
        return False
    # Headings hold numbers of their own ("Annex 2"), so not all of them need to rise.
    rising = sum(one <= other for one, other in pairwise(pages))
    return rising >= 0.85 * (len(pages) - 1) and pages[-1] > pages[0] + 2


def are_contents(passages: Iterable[Passage]) -> NDArray[np.bool_]:
    """Return for each passage whether it is a table of contents."""
    return np.array([is_contents(passage.text) for passage in passages], dtype=bool)


def worths(contents: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the factor for the score of each passage."""
    return np.where(contents, WORTH, 1.0)
