"""A domain profile as values: what a domain looks for, how much each sign counts, and what it asks of every group."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from multihop import text
from multihop.types import RelationKind


@dataclass(frozen=True, slots=True)
class KeywordGroup:
    """Words that belong to one topic of the domain; a question is about the topic when it uses one of them."""

    name: str
    words: tuple[str, ...]
    weight: float = 0.3


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression and how much a passage that it matches gains; it serves the topics in `groups`."""

    name: str
    regex: str
    weight: float = 0.5
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase to be found roughly; {number} and {year} in it stand for any number and any year."""

    text: str
    boost: float = 0.5
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileRelation:
    """Cue phrases that indicate a relation between two passages."""

    kind: RelationKind
    cues: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts; only their proportions matter."""

    transformer: float = 0.25
    word2vec: float = 0.20
    patterns: float = 0.30
    fuzzy: float = 0.25

    def items(self) -> tuple[tuple[str, float], ...]:
        return tuple((f.name, getattr(self, f.name)) for f in fields(self))


@dataclass(frozen=True, slots=True)
class Scoring:
    """How signals become a score, which score is enough, and how many passages are wanted."""

    weights: Weights = Weights()
    threshold: float = 0.2
    top_k: int = 20
    fuzzy_threshold: float = 0.6
    max_hops: int = 2
    """How far traversal goes."""


KINDS = ("percent", "year", "amount", "date", "names", "choice", "text")
"""What a value can be: "names" are several of a list, "choice" is one of a list, "text" is the sentence itself."""
VALUE = "{value}"
"""Stands in a cue for the place of the value."""
QUESTION = re.compile(r"\{question (\d+)\}")
"""Stands in a cue for the value that another question was answered with."""
RECOGNIZED = ("country", "language", "date", "version", "file", "folder")
"""What can be found out about a document from its name, its folder and its front page."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A regular expression that stands around right values, or around wrong ones where its weight is negative."""

    regex: str
    weight: float


@dataclass(frozen=True, slots=True)
class Named:
    """A name, a unit or a detail of a value, and the regular expression that finds it in a text."""

    name: str
    regex: str
    factor: float = 1.0
    """What one of a unit comes to in the first unit of its rule."""


@dataclass(frozen=True, slots=True)
class ValueRule:
    """How the value that answers a question is found in a passage, and how it is written."""

    kind: str
    cues: tuple[Cue, ...] = ()
    names: tuple[Named, ...] = ()
    """The units of an amount, or what names and choices can be."""
    details: tuple[Named, ...] = ()
    """A qualifier of a value (a year, a condition): the nearest one in its sentence."""
    show: str = VALUE
    """How a value is written; a part in square brackets is left out where one of its details is missing."""
    least: float = 0.5
    """A value that scores less is not reported."""
    lowest: float = -math.inf
    highest: float = math.inf
    """Numbers beyond these are not taken for a value."""


@dataclass(frozen=True, slots=True)
class ProfileQuestion:
    """A question of the profile's set, the keywords it appends, the topics and the values of an answer."""

    number: int
    text: str
    label: str = ""
    keywords: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    values: tuple[ValueRule, ...] = ()

    @property
    def enhanced(self) -> str:
        """The question with its keywords appended."""
        return " ".join((self.text, *self.keywords))


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything the engine needs to know of a domain."""

    name: str
    description: str = ""
    group: str = ""
    """The metadata field that groups documents, such as "country"."""
    scoring: Scoring = Scoring()
    keywords: tuple[KeywordGroup, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    relations: tuple[ProfileRelation, ...] = ()
    questions: tuple[ProfileQuestion, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    """Metadata fields that documents may lack, each with what it is recognized as (one of RECOGNIZED)."""
    digest: str = field(default="", compare=False)
    """Distinguishes profiles of the same name."""

    def __post_init__(self) -> None:
        if not self.digest:
            parts = [repr(getattr(self, f.name)) for f in fields(self) if f.name != "digest"]
            object.__setattr__(self, "digest", hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16])

    def question(self, asked: str) -> ProfileQuestion | None:
        """Find the question of the set that a text begins with; its keywords may follow."""
        # Word by word, so that case and punctuation do not matter.
        words = text.words(asked)
        for question in self.questions:
            own = text.words(question.text)
            if own == words[: len(own)]:
                return question
        return None

    def enhance(self, asked: str) -> str:
        """Append to a question of the set its keywords; any other question stays as it is."""
        known = self.question(asked)
        return known.enhanced if known else asked

    def topics(self, asked: str) -> tuple[str, ...]:
        """Name the keyword groups that a question is about: those of the set's question, or those whose words it uses.

        For a question that uses none of them this is empty.
        """
        known = self.question(asked)
        if known and known.groups:
            return known.groups
        haystack = text.naming(asked)
        return tuple(g.name for g in self.keywords if text.find_mentioned(g.words, haystack))

    def serving(
        self, topics: Iterable[str]
    ) -> tuple[tuple[KeywordGroup, ...], tuple[Pattern, ...], tuple[Phrase, ...]]:
        """Return the keyword groups, patterns and phrases that serve some topics."""
        wanted = set(topics)
        return (
            tuple(g for g in self.keywords if g.name in wanted),
            tuple(p for p in self.patterns if wanted.intersection(p.groups)),
            tuple(p for p in self.phrases if wanted.intersection(p.groups)),
        )
