"""When two titles are the same article: the comparison that HoVer and HotpotQA measure with.

The published scores of HoVer compare titles after the normalization of DSPy's `normalize_text`: decomposed Unicode,
lower case, no ASCII punctuation, no articles, single spaces. It is needed because the questions and the dumps of
Wikipedia were written down at different times.
"""

from __future__ import annotations

import re
import string
import unicodedata

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalized_title(title: str) -> str:
    """Reduce a title to the form in which it is compared: "The Beatles!" → "beatles"."""
    bare = unicodedata.normalize("NFD", title).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())
