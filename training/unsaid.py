"""Make claims that a sentence about their subject says nothing of, and their like that it does decide.

Sets of claims hold few of these: an undecided claim stands beside a sentence on something else, so that a model takes
every sentence about the subject that does not support a claim for one that contradicts it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from contrast import MONTHS, Example, Verdict

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_DISAMBIGUATION = re.compile(r" \([^)]*\)$")
_INTRODUCED = re.compile(r"\b(?:is|was) an? (?P<country>[A-Z][a-z]+(?:-[A-Z][a-z]+)?) (?P<work>[a-z]+)\b")
_OPENING, _TRIES = 220, 400
_PREDICATE = re.compile(
    r"^(?:He|She) (?P<said>(?:is|was|has|had|also|later|received|won|played|worked|made|became|began|studied|"
    r"lived|died|served|directed|wrote|released|reached|appeared|grew|married|moved|founded|joined)\b.{10,120})$"
)
_PERSONAL = re.compile(r" (?:he|she|his|her) ", re.IGNORECASE)
_BORN = re.compile(r"\bborn\b|\d{4} – ")
_OF_LIFE = re.compile(
    r"\b(?:born|died|wife|husband|son|daughter|prize|award|school|univers|marri|famil|taught)", re.IGNORECASE
)
_TRAITS = (
    "was married", "was married twice", "had two children", "was a vegetarian", "was rich", "died young",
    "spoke French", "was a Catholic", "was left-handed", "won a prize", "was tall", "was poor", "was a teacher",
)  # fmt: skip
_NAME = re.compile(
    r"\b(?:in|at|of|for|with|by|from|to) "
    rf"(?P<name>(?!{'|'.join(MONTHS)})[A-Z][a-z]{{2,}}(?: [A-Z][a-z]{{2,}})?)\b"
)


class Relation(NamedTuple):
    """A way in which a subject and a name can be related: the claim, what states it, and what hints at it."""

    claim: str
    stated: re.Pattern[str]
    hinted: re.Pattern[str]


def _relation(claim: str, stated: str, hinted: str) -> Relation:
    name = r"(?P<x>[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?)\b"
    return Relation(claim, re.compile(stated + name), re.compile(hinted, re.IGNORECASE))


RELATIONS = (
    _relation("was born in {x}", r"\bborn (?:on [\w ,]+? )?in ", r"born|native|birth|raised|hometown|from"),
    _relation("died in {x}", r"\bdied (?:on [\w ,]+? )?in ", r"die|death|kill|murder|dead"),
    _relation("was married to {x}", r"\bmarried (?:to )?", r"marri|wife|husband|spouse|wed"),
    _relation("founded {x}", r"\bfounded (?:the )?", r"found|establish|start|creat|form|launch"),
    _relation("owns {x}", r"\b(?:owns|acquired|bought) (?:the )?", r"own|acqui|bought|purchas|propert|possess"),
    _relation("worked for {x}", r"\bworked for (?:the )?", r"work|join|employ|staff|hired|serv|play|sign|with"),
    _relation("studied in {x}", r"\bstudied (?:\w+ )?(?:at|in) (?:the )?", r"stud|school|educat|graduat|univers"),
    _relation("moved to {x}", r"\bmoved to ", r"mov|emigrat|went|settl|relocat|live|came|return|transfer"),
    _relation("wrote {x}", r"\bwrote \"?(?:the )?", r"writ|wrote|author|book|novel|pen"),
)


_YEAR = re.compile(r"\b(?:in|since|from|until|by|,) (?P<year>(?:1[5-9]|20)\d\d)\b")
_DATED = {
    True: (("was born in {y}", r"born|birth|\d{4} –"), ("died in {y}", r"die|death|kill|murder|\d{4}\)"),
           ("married in {y}", r"marri|wife|husband|wed"), ("retired in {y}", r"retir|last|end|until|left|final")),
    False: (("was founded in {y}", r"found|establish|form|creat|start|open|beg[au]n|launch|built|incorporat"),
            ("closed in {y}", r"clos|shut|end|dissol|defunct|demolish|until|last"),
            ("was built in {y}", r"buil|construct|complet|erect|open|found|establish|made")),
}  # fmt: skip
"""Claims that date something about a person, or about anything else, and what hints at them."""


class Article(NamedTuple):
    """An article: its title, its sentences, and the country and work that its first sentence gives, if it does."""

    title: str
    sentences: Sequence[str]
    country: str
    work: str
    person: bool

    @property
    def name(self) -> str:
        return _DISAMBIGUATION.sub("", self.title)

    def shown(self, *sentences: str) -> tuple[str, ...]:
        return (f"{self.title}: {' '.join(sentences)}",)


def article(title: str, text: str) -> Article:
    """Cut an article into sentences, and read its first."""
    sentences = [s.strip() for s in _SENTENCE.split(text) if 20 < len(s) < 260]
    introduced = _INTRODUCED.search(text[:_OPENING])
    country, work = (introduced["country"], introduced["work"]) if introduced else ("", "")
    person = bool(_PERSONAL.search(text) and _BORN.search(text[:_OPENING]))
    return Article(title, sentences, country, work, person)


class Maker:
    """Makes examples from articles; what one article says serves as a claim about another."""

    def __init__(self, articles: Sequence[Mapping[str, str]], chance: random.Random) -> None:
        self._chance = chance
        self._articles = [made for a in articles if len((made := article(a["title"], a["text"])).sentences) > 1]
        self._countries = [a.country for a in self._articles if a.country and a.person]
        self._predicates = [
            found["said"] for a in self._articles if a.person for s in a.sentences if (found := _PREDICATE.match(s))
        ]

    def make(self, count: int) -> list[Example]:
        """Make so many examples, or somewhat fewer; two of three are undecided."""
        ways = (
            self._of_another,
            self._introduced_elsewhere,
            self._trait,
            self._related,
            self._dated,
            self._introduced,
            self._stated,
        )
        chosen = self._chance.choices(ways, (18, 16, 8, 14, 14, 16, 14), k=count)
        # Few articles have what a way needs.
        tried = [map(way, self._chance.choices(self._articles, k=_TRIES)) for way in chosen]
        return [example for each in tried if (example := next(filter(None, each), None))]

    def _of_another(self, about: Article) -> Example | None:
        said = self._chance.choice(self._predicates)
        if not about.person or any(said in sentence for sentence in about.sentences):
            return None
        some = self._chance.sample(about.sentences, min(len(about.sentences), self._chance.choice((1, 1, 2, 3))))
        return _undecided(f"{about.name} {said}", about, *some)

    def _introduced_elsewhere(self, about: Article) -> Example | None:
        """Claim what the first sentence says, or could say, beside a later one that does not speak of it."""
        if not about.country:
            return None
        words = "|".join(map(re.escape, (about.country, *about.work.split())))
        later = [s for s in about.sentences[1:] if not re.search(rf"\b(?:{words})", s, re.IGNORECASE)]
        country = self._chance.choice((about.country, self._chance.choice(self._countries)))
        claim = self._chance.choice((f"was {country}", f"was {_a(country)} {country} {about.work}"))
        return _undecided(f"{about.name} {claim}.", about, self._chance.choice(later)) if later else None

    def _trait(self, about: Article) -> Example | None:
        plain = [s for s in about.sentences if not _OF_LIFE.search(s)]
        if not about.person or not plain:
            return None
        return _undecided(f"{about.name} {self._chance.choice(_TRAITS)}.", about, self._chance.choice(plain))

    def _related(self, about: Article) -> Example | None:
        """Claim a relation to a name that the sentence mentions, where nothing in it hints at that relation."""
        relation = self._chance.choice(RELATIONS)
        places = [s for s in about.sentences if not relation.hinted.search(s)]
        if not about.person or not places:
            return None
        sentence = self._chance.choice(places)
        names = [found["name"] for found in _NAME.finditer(sentence) if found["name"] not in about.title]
        if not names:
            return None
        return _undecided(f"{about.name} {relation.claim.format(x=self._chance.choice(names))}.", about, sentence)

    def _dated(self, about: Article) -> Example | None:
        """Claim that something happened in a year that the sentence gives for something else."""
        claim, hinted = self._chance.choice(_DATED[about.person])
        plain = [s for s in about.sentences if _YEAR.search(s) and not re.search(hinted, s, re.IGNORECASE)]
        if not plain:
            return None
        sentence = self._chance.choice(plain)
        year = self._chance.choice(_YEAR.findall(sentence))
        return _undecided(f"{about.name} {claim.format(y=year)}.", about, sentence)

    def _introduced(self, about: Article) -> Example | None:
        """Claim what the first sentence says, or another country than it gives."""
        if not about.country or about.country not in about.sentences[0]:
            return None
        other = self._chance.choice(self._countries)
        right = self._chance.random() < 0.5 or other in about.sentences[0] or not about.person
        country = about.country if right else other
        claim = self._chance.choice((f"was {country}", f"was {_a(country)} {country} {about.work}"))
        verdict = Verdict.SUPPORTED if right else Verdict.CONTRADICTED
        return Example(f"{about.name} {claim}.", about.shown(about.sentences[0]), verdict)

    def _stated(self, about: Article) -> Example | None:
        """Claim a relation that a sentence states."""
        found = [(r, m["x"], s) for r in RELATIONS for s in about.sentences if (m := r.stated.search(s))]
        if not about.person or not found:
            return None
        relation, name, sentence = self._chance.choice(found)
        return Example(f"{about.name} {relation.claim.format(x=name)}.", about.shown(sentence), Verdict.SUPPORTED)


def _undecided(claim: str, about: Article, *sentences: str) -> Example:
    return Example(claim, about.shown(*sentences), Verdict.NEITHER)


def _a(word: str) -> str:
    return "an" if word[0] in "AEIOU" else "a"
