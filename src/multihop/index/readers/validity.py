"""Finds in the text of a file from when until when it holds, and what it replaces.

Only what a document says about itself counts: a labeled line ("Effective date: 3 May 2024", "Supersedes: Travel
policy") or a sentence that begins with "This policy" and the like, near the beginning of the text, or a title such as
"Travel policy (superseded)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from multihop.types import Document
from multihop.types.dates import DATE, MONTH, day_before, iso_day

_BEGINNING = 4000
_ITSELF = (
    r"This (?:act|agreement|amendment|annex|circular|contract|directive|document|edition|guidance|guideline|handbook|"
    r"instruction|law|manual|notice|order|page|plan|policy|price list|procedure|regulation|release|rule|schedule|"
    r"section|standard|version)(?: \(?v?[\d.]+\)?)?"
)
_LINE = r"^[ \t#*_>-]*"
_SENTENCE = r"(?:^|(?<=[.!?] ))[ \t#*_>-]*"
_END = r"[ \t*_]*(?:[.;)]?[ \t]*$|[.;][ \t*_]+(?=[A-Z“\"]))"
_WHEN = rf"(?:{DATE}|{MONTH},? \d{{4}}|(?:19|20)\d\d(?![\w-]))"
"""A day, a month or a year."""


def _date_pattern(label: str, verb: str) -> str:
    """A line that holds a label and a date, or a sentence that says it of the document itself."""
    return rf"{_LINE}(?:{label}):? ({_WHEN}){_END}|{_SENTENCE}{_ITSELF} (?:{verb}) ({_WHEN})"


_FROM = _date_pattern(
    r"(?:effective|valid|in force|applicable|last amended|amended)(?: date)?:?(?: from| as of| since| on)?",
    r"(?:is |was |has been )?(?:takes effect|effective|valid|in force|in effect|comes into force|enters into force|"
    r"applies|last amended|amended)(?: since)?(?: from| on| as of)?",
)
_UNTIL = _date_pattern(
    r"(?:valid|in force|effective) until|(?:expires|expiry date|expiration date)(?: on)?",
    r"is (?:valid|in force|effective) until|expires on",
)
_ENDED = _date_pattern(
    r"(?:repealed|withdrawn|rescinded|revoked)(?: on)?",
    r"(?:is|was|has been) (?:repealed|withdrawn|rescinded|revoked) on",
)
_REPLACES = (
    rf"(?:{_LINE}(?:supersedes|replaces):|{_SENTENCE}{_ITSELF} (?:supersedes|replaces)) (?:the )?"
    rf"(?:[“\"']([^”\"'\n]+)[”\"']|([^\n.;,“\"]+?)(?= (?:of|dated|from) {DATE}|[.;,]?[ \t]*$|[.;,] ))"
)
_VERSION = r"^[ \t#*_]*Version (\d+(?:\.\d+)?) of (?:the )?([^\n.;,]+?)[ \t*_]*[.;,]?[ \t]*$"
_OLD = r"(?:superseded|replaced|obsolete|outdated|withdrawn|repealed|archived|deprecated|old(?: version)?)"
_OLD_TITLE = re.compile(rf"(.+?)\s*[(\[]{_OLD}[)\]]\s*|[(\[]{_OLD}[)\]]\s*(.+)|{_OLD}:\s*(.+)", re.IGNORECASE)
_FLAGS = re.IGNORECASE | re.MULTILINE
_PATTERNS = {name: re.compile(p, _FLAGS) for name, p in (
    ("from", _FROM), ("until", _UNTIL), ("ended", _ENDED), ("replaces", _REPLACES), ("version", _VERSION),
)}  # fmt: skip


def with_validity(metadata: Mapping[str, object], text: str, title: str = "") -> dict[str, object]:
    """Add what a text and its title say of its validity to metadata, which count before it."""
    old = _OLD_TITLE.fullmatch(title.strip())
    superseded = {"superseded_by": old[old.lastindex or 0].strip()} if old else {}
    return {**superseded, **dict(_find_dates(text[:_BEGINNING])), **metadata}


def _find_dates(text: str) -> Iterator[tuple[str, str]]:
    matches = {name: pattern.search(text) for name, pattern in _PATTERNS.items()}
    if (begins := matches["from"]) and (day := iso_day(begins[1] or begins[2])):
        yield "valid_from", day
    if (until := matches["until"]) and (day := iso_day(until[1] or until[2], last=True)):
        yield "valid_until", day
    elif (ended := matches["ended"]) and (day := iso_day(ended[1] or ended[2])):
        # It held for the last time on the day before.
        yield "valid_until", day_before(day)
    if replaces := matches["replaces"]:
        yield "supersedes", " ".join((replaces[1] or replaces[2]).split())
    if version := matches["version"]:
        yield from (("version", version[1]), ("version_of", " ".join(version[2].split())))


def normalize_dates(document: Document) -> Document:
    """Write the dates of a document's validity as ISO days; a year or a month ends with its last day."""
    days = {
        field: day
        for field, last in (("valid_from", False), ("valid_until", True))
        if (day := iso_day(document.metadata.get(field), last=last)) and day != document.metadata[field]
    }
    return replace(document, metadata={**document.metadata, **days}) if days else document
