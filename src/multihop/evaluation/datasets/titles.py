"""Title normalization as HoVer and HotpotQA use it.

The published scores of HoVer compare titles after the normalization of DSPy's `normalize_text`: decomposed Unicode,
lower case, no ASCII punctuation, no articles, single spaces. It is needed because the questions and the dumps of
Wikipedia were written down at different times.
"""

from __future__ import annotations

import re
import string
import unicodedata
from urllib.parse import unquote, urlsplit

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FEVER = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "_": " "}
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalized_title(title: str) -> str:
    """Reduce a title to the form in which it is compared: "The Beatles!" → "beatles"."""
    # Decomposed only: accents stay, as in the comparison that the published scores were made with.
    return bare_words(unicodedata.normalize("NFD", title))


def bare_words(text: str) -> str:
    """Normalize a text as SQuAD does: lower case, without ASCII punctuation and articles."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def fever_title(page: str) -> str:
    """Write the name that FEVER has for a page as its title: "Fox_-LRB-band-RRB-" → "Fox (band)"."""
    for written, meant in _FEVER.items():
        page = page.replace(written, meant)
    return page


def title_of_address(address: str) -> str:
    """Return the title of an article of Wikipedia by its address."""
    path = urlsplit(address.strip()).path
    return unquote(path.removeprefix("/wiki/")).replace("_", " ").strip("/ ")
