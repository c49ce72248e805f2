"""Statements of a policy about itself: its scope, its review interval, and the consequences of a breach.

A policy also mentions approvals, owners and deadlines of other things: "A request is approved by the officer".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from multihop.survey.cells import Line
from multihop.survey.columns import Column
from multihop.survey.quantities import Value, values_in
from multihop.types import Passage

_SURE = 0.85
_SELF = r"\b(?:polic(?:y|ies)|procedures?|standards?|guidelines?|documents?|versions?|it|they)\b"
_APPLIES = re.compile(
    rf"{_SELF}\s+(?:(?:only|also|shall|will)\s+)?appl(?:y|ies)\s+to:?\s+(?P<whom>[^.;\n]{{4,200}})", re.IGNORECASE
)
_REVIEWED = re.compile(
    rf"{_SELF}[^.;]{{0,80}}\breviewed\b[^.;]{{0,60}}?"
    r"\b(?P<often>annually|yearly|every year|once a year|each year|on an annual basis|quarterly|monthly|semi-annually"
    r"|twice a year)\b",
    re.IGNORECASE,
)
_OFTEN = {"quarterly": "3 months", "monthly": "1 month", "semi-annually": "6 months", "twice a year": "6 months"}
_BREACH = re.compile(r"\b(?:violat\w+|breach\w*|fail\w*\s+to\s+comply|non-?complian\w+)\b", re.IGNORECASE)
_LEADS = re.compile(
    r"\b(?:disciplin\w+|sanction\w*|terminat\w+|dismiss\w+|penalt\w+|prosecut\w+|loss\s+of)\b", re.IGNORECASE
)
_CONSEQUENCE = re.compile(r"\b(?:may|will|shall|subject\s+to|lead|result|appl)\w*\b", re.IGNORECASE)
_OWN: tuple[tuple[str, re.Pattern[str]], ...] = tuple((words, re.compile(own, re.IGNORECASE)) for words, own in (
    ("approved by", rf"{_SELF}[^.;]{{0,60}}\b(?:approv|adopt|endors|ratif)|^\W*(?:approv|adopt)\w*\s+by\b"),
    ("policy owner",
     rf"\bpolicy owner|\bowner\s*:|{_SELF}[^.;]{{0,40}}\bowned by|\bresponsible for[^.;]{{0,40}}{_SELF}"),
    ("applies to", rf"{_SELF}\s+(?:\w+\s+)?appl|^\W*(?:scope|appli(?:es|cable) to)\b"),
    ("deadline for reports",
     r"\b(?:report|notif|inform|escalat|disclos)\w*\b[^.;]{0,120}\b(?:within|than)\b|\bdeadline\b"),
    ("version", r"\d"),
))  # fmt: skip
"""Patterns of lines about the policy itself, by the words of a column."""
_TITLE = re.compile(r"\b(?:polic(?:y|ies)|procedures?|standards?|guidelines?|code of conduct)\b", re.IGNORECASE)
_NAMED = re.compile(r"\bpolic(?:y|ies)\b|\bthis (?:procedure|standard|guideline)\b", re.IGNORECASE)
_OPENING = 400
"""Characters at the beginning of a document that say whether it is a policy."""


def is_policy(passages: Sequence[Passage]) -> bool:
    """Return whether a document calls itself a policy in its title or opening."""
    first = passages[0] if passages else None
    return first is not None and bool(
        _TITLE.search(f"{first.label} {first.heading}") or _NAMED.search(first.text[:_OPENING])
    )


def stated_in_policy(column: Column, lines: Sequence[Line]) -> list[tuple[Value, Line, float]] | None:
    """Find a statement of the policy about itself; None if there is none, or no rule for this column."""
    asked = column.label.lower()
    for line in lines:
        said = line.text.replace("\n", " ")
        if column.kind == "text" and "appl" in asked and (match := _APPLIES.search(said)):
            return [(Value(*match.span("whom"), match["whom"].strip()), line, _SURE)]
        if column.kind == "duration" and "review" in asked and (match := _REVIEWED.search(said)):
            [often] = values_in("duration", _OFTEN.get(match["often"].lower(), "1 year"))
            return [(often._replace(start=match.start("often"), end=match.end("often")), line, _SURE)]
        if column.kind == "text" and "sanction" in asked and _names_sanctions(said):
            return [(Value(0, len(said), " ".join(said.split())), line, _SURE)]
    return None


def _names_sanctions(said: str) -> bool:
    return all(words.search(said) for words in (_BREACH, _LEADS, _CONSEQUENCE)) and not said.rstrip().endswith(":")


def is_of_policy(column: Column, value: Value, line: Line) -> bool:
    """Return whether a line is about the policy itself: requests are approved and keys are owned, too."""
    asked = column.label.lower()
    for words, own in _OWN:
        if words in asked:
            return bool(own.search(value.text if words == "version" else line.text.replace("\n", " ")))
    return True
