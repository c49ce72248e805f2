"""Claims about something described: "The man who drew the Fram was born in Larvik." describes Colin Archer.

What is described is looked up in the evidence first, and the claim is then checked with its name. A verifier that reads
everything at once does not see who is meant.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate
from multihop.answering.nested_questions import DEEPEST, NESTED, REDUCED, as_listed, inner_question, is_person, name_of
from multihop.answering.spans import AnswerSources

_MOST_WORDS = 22
_LEAST, _UNSAID = 0.3, 0.8
"""Minimum confidence in what is described, and in a relation ("the father of") of which the evidence has no word."""
_STEM = 5
_VERB = re.compile(r" (?:is|are|was|were|has|had|have|can|could|will|would|must|may|should|did|does)\b")
_PAST = re.compile(
    r" (?:[a-z]{2,}ed|came|went|won|wrote|drew|built|made|sang|led|bought|sold|took|gave|ran|held|left|lent|found)\b"
)
_SAYS = re.compile(r"^ [A-Z]\S*(?: [A-Z]\S*)* [a-z]+s ")
_PRESENT = re.compile(r" [A-Z]\S* [a-z]+s$")
_SEVERAL = re.compile(r"[,;]|\b(?:and|or|but|not|never|no|both|neither|than)\b|n[’']t\b", re.IGNORECASE)


class DescribedClaim(NamedTuple):
    """A question for what a claim describes, and the words of the claim before and after the description."""

    asked: str
    before: str
    after: str
    relation: str = ""
    """The noun of "the father of"."""

    def is_said(self, found: Candidate) -> bool:
        """Return whether the relation is in the unit: the designer of a ship, where the unit has "designed"."""
        said = found.unit.text.lower()
        return not self.relation or any(word[:_STEM] in said for word in self.relation.split())

    def about(self, name: str) -> str:
        return f"{self.before}{name}{self.after}."


class Resolved(NamedTuple):
    """A claim with names instead of descriptions, and where these names were found."""

    claim: str
    found: tuple[Candidate, ...]
    confidence: float


def described(claim: str) -> DescribedClaim | None:
    """Find the innermost description in a claim of one simple sentence."""
    stated = claim.strip().rstrip(".")
    if len(stated.split()) > _MOST_WORDS or _SEVERAL.search(stated) or ". " in stated:
        return None
    for article in reversed(list(re.finditer(r"\b[Tt]he ", stated))):
        start = article.start()
        nested = NESTED.fullmatch(f"{stated[:start]}t{stated[start + 1 :]}", start)
        if nested is None or not text.STOPWORDS.isdisjoint(nested["noun"].split()):
            continue
        noun, link, rest = nested["noun"], nested["link"], nested["rest"]
        if link == "of" and not is_person(noun):
            continue
        # What stands before a description at the end has the verb.
        has_verb = any(verb.search(f" {stated[:start]}") for verb in (_VERB, _PAST, _SAYS))
        end = len(rest) if has_verb else _end(link, rest)
        if (has_verb or end < len(rest)) and any(letter.isupper() or letter.isdigit() for letter in rest[:end]):
            relation = noun if link == "of" else ""
            return DescribedClaim(inner_question(noun, link, rest[:end]), stated[:start], rest[end:], relation)
    return None


def _end(link: str, rest: str) -> int:
    """Return where the description ends, before the verb of the claim; its whole length if there is no other verb."""
    said = f" {rest}"
    verbs = [verb.start() for verb in _VERB.finditer(said)]
    past = [verb.start() for verb in _PAST.finditer(said)]
    if link == "of" or REDUCED.fullmatch(link):
        verbs = sorted([*verbs, *past])
    # The clause has a verb of its own, which comes first: "who was born here", "that Amundsen borrowed".
    elif verbs and not _PRESENT.search(said[: verbs[0]]) and (not past or verbs[0] < past[0]):
        verbs = verbs[1:]
    return max(0, verbs[0] - 1) if verbs else len(rest)


def resolve(claim: str, sources: AnswerSources) -> Resolved | None:
    """Replace what a claim describes by its name, from the inside out; None if nothing is described or found."""
    found: list[Candidate] = []
    sure = 1.0
    for _ in range(DEEPEST):
        inner = described(claim)
        answers = sources.read(inner.asked) if inner else []
        name = name_of(answers[0]) if answers else ""
        if inner is None or not name or name.lower() in claim.lower():
            break
        # Other wordings of the answer count too.
        best = min(1.0, sum(answer.confidence for answer in answers if name_of(answer).lower() == name.lower()))
        if best < (_LEAST if inner.is_said(answers[0]) else _UNSAID):
            break
        found.append(answers[0])
        sure *= best
        claim = inner.about(as_listed(name, sources.readings))
    return Resolved(claim, tuple(found), sure) if found else None
