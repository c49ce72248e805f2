"""Rules for what verifiers overlook: another weekday, unit or role, an opposite, a ban, an absence, an exception."""

from __future__ import annotations

import re
from collections.abc import Set

from multihop import text
from multihop.answering.claim_evidence import VerifierInput
from multihop.answering.contexts import closest_clause
from multihop.answering.measures import is_in_other_unit
from multihop.answering.values import weekdays_in
from multihop.text.units import SEPARATOR

_ROLE_CLAIM = re.compile(r"(?P<name>[A-Z]\S+(?: [A-Z]\S+)+) (?:is|was) (?P<article>the|an?) (?P<role>[^,;]+?)\.?")
_NEGATIONS = frozenset("no not never nobody nothing except".split())
_OPPOSITES = (("open", "closed"), ("available", "unavailable"), ("free", "busy"), ("allowed", "forbidden"))
_ATTENDED = re.compile(r"\b(?:attended|took part|(?:was|were) (?:at|present))\b", re.IGNORECASE)
_ABSENT = re.compile(r"\W*(?:apologies|absent|excused|regrets|not present)\b", re.IGNORECASE)
_PERMITS = re.compile(r"\b(?:may|can|allowed|permitted)\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"\b(?:(?:must|may|can|shall|should|is|are|be) not|cannot|no longer|never|forbidden|prohibited|banned)\b|n[’']t\b",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(r"\b(?:only|unless|except\w*|if|without|but|before|after|until|more than)\b", re.IGNORECASE)
_DETERMINER, _WORDS = r"(?:[Tt]he|[Oo]ur|[Ii]ts|[Tt]heir|[Hh]is|[Hh]er)", r"[a-z]+(?:[ -][a-z]+){0,3}"
_ROLES = frozenset("role title position job function post".split())
"""Columns of a table with the role of a person."""


_ALL = re.compile(r"\W*(?:all|every|each|everybody|everyone|everything)\b", re.IGNORECASE)
_NOT_ALL = re.compile(
    r"\b(?:(?:all|the|every) others?|except\w*|apart from|but not|other than|(?:all|every\w*) but)\b", re.IGNORECASE
)


def differs(claim: str, shown: VerifierInput) -> bool:
    """Return whether evidence contradicts a claim by its weekday, unit, opposite, ban, role, exception or absence.

    Verifiers overlook these: "open from Tuesday to Sunday" does not support "open on Mondays".
    """
    days, stated = weekdays_in(claim), weekdays_in(shown.text)
    if days and stated and days.isdisjoint(stated):
        return True
    return len(shown.units) == 1 and _unit_differs(claim, shown.units[0].quote.text, days & stated)


def _unit_differs(claim: str, unit: str, days: Set[int]) -> bool:
    """Return whether a unit contradicts a claim; `days` are the days of the week that they share."""
    if is_in_other_unit(claim, unit):
        return True
    own, other = text.words(claim), text.words(unit)
    if days and _NEGATIONS.isdisjoint((*own, *other)):
        pairs = [pair for pair in (*_OPPOSITES, *(pair[::-1] for pair in _OPPOSITES)) if pair[0] in own]
        if any(opposite in other and word not in other for word, opposite in pairs):
            return True
    if _PERMITS.search(claim) and not _FORBIDS.search(claim) and _FORBIDS.search(closest_clause(unit, claim)):
        return not _EXCEPTS.search(unit)
    if _ALL.match(claim) and not _NOT_ALL.search(claim) and _NOT_ALL.search(closest_clause(unit, claim)):
        return True
    if _ATTENDED.search(claim) and _ABSENT.match(unit):
        return True
    return (said := _ROLE_CLAIM.fullmatch(claim.strip())) is not None and _has_another_role(said, unit)


def _has_another_role(said: re.Match[str], unit: str) -> bool:
    """Return whether a row, or an apposition, gives the person of a claim another role only."""
    role, name = set(text.words(said["role"])), said["name"].lower()
    if SEPARATOR in unit:
        cells = [cell.strip().lower().partition(": ") for cell in unit.split(SEPARATOR)]
        roles = [set(text.words(value)) for column, _, value in cells if column in _ROLES]
        is_about = any(value == name for _, _, value in cells)
        return is_about and bool(roles) and not any(role <= known or known <= role for known in roles)
    # Somebody can be a painter and a teacher, but "the captain" is hardly "the cook".
    found = _apposition(name).finditer(unit) if said["article"] == "the" else ()
    stated = [set(text.terms(match["role"] or match["after"] or match["bracket"])) for match in found]
    return bool(stated) and all(known.isdisjoint(text.terms(said["role"])) for known in stated)


def _apposition(name: str) -> re.Pattern[str]:
    """Return a pattern for the role beside a name: "the cook, Ada Holm", "Ada Holm, our cook," or "Ada Holm (cook)"."""
    own = re.escape(name)
    return re.compile(
        rf"\b{_DETERMINER} (?P<role>{_WORDS}), (?i:{own})\b"
        rf"|(?i:\b{own})(?:, {_DETERMINER} (?P<after>{_WORDS})(?=[,.;]|$)| \((?P<bracket>{_WORDS})\))"
    )
