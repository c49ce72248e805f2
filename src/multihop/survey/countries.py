"""Recognizes countries by common names, other spellings, and three-letter codes."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files

from multihop import text

EUROPEAN_UNION = "European Union"
MEMBERS = frozenset(
    "Austria Belgium Bulgaria Croatia Cyprus Czechia Denmark Estonia Finland France Germany Greece Hungary Ireland "
    "Italy Latvia Lithuania Luxembourg Malta Netherlands Poland Portugal Romania Slovakia Slovenia Spain Sweden".split()
)
"""Countries covered by the contribution of the European Union."""
_ACRONYM = re.compile(r"(?<![A-Za-z])[A-Z]{2,4}\d{0,2}(?![A-Za-z])")

_BESIDE = frozenset("cdn eng final first indc ndc ndcs revised second submission third update updated version".split())
"""Words beside a country code in file names."""


@cache
def _names() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Return common names by spelling and by acronym, and the acronyms that are also English words."""
    spelled: dict[str, str] = {}
    acronyms: dict[str, str] = {}
    words: set[str] = set()
    for line in files("multihop.survey").joinpath("countries.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        usual, code, others = line.split("|")
        acronyms[code.rstrip("_")] = usual
        # In the list, an underscore marks codes that are also English words.
        words |= {code.rstrip("_")} if code.endswith("_") else set()
        for name in (usual, *filter(None, (other.strip() for other in others.split(",")))):
            if _ACRONYM.fullmatch(name):
                acronyms[name] = usual
            else:
                spelled[text.naming(name).strip()] = usual
    return spelled, acronyms, frozenset(words)


@cache
def _pattern() -> re.Pattern[str]:
    # "Guinea-Bissau" before "Guinea", since the first alternative that matches is taken.
    longest_first = sorted(_names()[0], key=lambda name: (-len(name), name))
    return re.compile(f" ({'|'.join(map(re.escape, longest_first))})(?= )")


def countries_in(source: str, *, codes: bool = False) -> Counter[str]:
    """Count the countries in a text, in order of appearance; with `codes` also by acronyms.

    Acronyms count only in capitals and without any name; English words among them ("CAN", "PER") only in a text that
    is not all in capitals. In a text without capitals ("eu_ndc_2020"), the code must be the only content.
    """
    spelled, acronyms, words = _names()
    counts = Counter(spelled[m[1]] for m in _pattern().finditer(text.naming(source)))
    if counts or not codes:
        return counts
    if source == source.lower():
        said = [word for word in re.split(r"[\W\d_]+", source) if len(word) > 1 and word not in _BESIDE]
        source = said[0].upper() if len(said) == 1 else ""
    shouted = source == source.upper()
    meant = (m[0] for m in _ACRONYM.finditer(source) if not (shouted and m[0] in words))
    return Counter(acronyms[code] for code in meant if code in acronyms)


def usual_name(name: str) -> str | None:
    """Return the common name of a country: Japan for "japan" and "JPN", Russian Federation for "Russia"."""
    spelled, acronyms, _ = _names()
    return spelled.get(text.naming(name).strip()) or acronyms.get(name.strip().upper())
