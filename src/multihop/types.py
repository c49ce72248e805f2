"""The values of the engine: frozen, comparable, free of I/O. The loop's words, in the order it uses them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

Scalar = str | int | float | bool
"""One metadata value. A document may hold several under one field, as a tuple."""
Metadata = Mapping[str, "Scalar | tuple[Scalar, ...]"]
Where = Mapping[str, Any]
"""A filter: {"country": "Japan"}, {"country": ["Japan", "Brazil"]} or {"year": {"gte": 1990, "lt": 2000}}."""


# --- what is indexed ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """A text to index, known by its `id`; adding the same id again replaces it."""

    id: str
    text: str
    title: str = ""
    metadata: Metadata = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A part of a document's text under one heading, before it becomes a passage of the index."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, the unit of evidence. Its id is the document's id, "#" and its position."""

    id: str
    document_id: str
    position: int
    title: str
    text: str
    heading: str = ""
    metadata: Metadata = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What to call the passage when speaking of it: its title, or its document where that has none."""
        return self.title or self.document_id


class Listed(NamedTuple):
    """A document as a list of many shows it: without its text."""

    id: str
    title: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text that names one or more documents; several when the name is ambiguous.

    `ambiguity` says for each of them how many bear the name with equal right: a document whose whole title it is comes
    before those that share it only without their parentheses.
    """

    surface: str
    documents: tuple[str, ...]
    ambiguity: tuple[int, ...]
    start: int = 0
    end: int = 0


class Link(NamedTuple):
    """The passage `source` names the document `target`.

    `ambiguity` counts the documents that bear the name with equal right, `spread` the passages that use it.
    """

    source: str
    target: str
    name: str
    ambiguity: int = 1
    spread: int = 1


RelationKind = Literal["SUPPORTS", "EXPLAINS", "CONTRADICTS", "FOLLOWS", "TEMPORAL_FOLLOWS", "CAUSES"]


@dataclass(frozen=True, slots=True)
class Relation:
    """The passage `source` stands in a relation to the passage `target`.

    `confidence` lies in [0, 1], `evidence` is what speaks for it (a cue, a shared term), `method` says who found it.
    """

    source: str
    target: str
    kind: RelationKind
    confidence: float
    evidence: str = ""
    method: str = "rules"

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages that may stand in a relation, how alike they are (0 to 1), and by which names one names the other.

    `first` has the smaller id; `names` holds (id of the passage that says it, the name as folded words).
    """

    first: Passage
    second: Passage
    similarity: float = 0.0
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """What one call of relate did: how many passages it looked at, and how many relations the index holds now."""

    passages: int = 0
    relations: int = 0
    rebuilt: bool = False
    """True when all relations were found anew, because that was asked for or because the rules have changed."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Added:
    """What one call of add or delete did."""

    documents: int = 0
    replaced: int = 0
    passages: int = 0
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of an index, as its truth counts it."""

    documents: int
    passages: int
    names: int
    mentions: int
    vectors: int
    generation: int
    format: int
    embedder: str | None
    bytes: int
    fields: Mapping[str, int] = field(default_factory=dict)
    relations: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison made by verify: a cache against the truth, and whether it had to be repaired."""

    name: str
    ok: bool
    detail: str
    repaired: bool = False


# --- the loop -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entity:
    """Something the question names: a title of the corpus, a capitalised span, a quotation, a number.

    A bridge is not named by the question itself but by the documents it names: the likely middle of a chain.
    """

    text: str
    kind: Literal["title", "span", "quote", "number", "bridge"]
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aspect:
    """One facet of what is asked, such as the definition of one thing or the comparison of two."""

    text: str
    type: str
    importance: float = 1.0
    subjects: tuple[str, ...] = ()
    """The things it is about."""
    keywords: tuple[str, ...] = ()
    """What else a passage on it is likely to say."""
    question: str = ""
    """How to ask for it; empty when the usual phrasing of its type will do."""

    @property
    def core(self) -> bool:
        """True when the question is not answered without it."""
        return self.importance >= CORE


CORE = 0.8
"""From this importance on an aspect is a core one; below it is optional."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be found out, before any search."""

    entities: tuple[Entity, ...] = ()
    sub_questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    facts: tuple[str, ...] = ()
    """What must be verified, for strategies that name it before they search."""
    queries: tuple[str, ...] = ()
    """Searches that the plan itself asks for."""


@dataclass(frozen=True, slots=True)
class Query:
    """One search of a hop, and what it is for. With `seeds` it asks for what those passages link to."""

    text: str
    purpose: str
    limit: int = 100
    seeds: tuple[tuple[str, float], ...] = ()
    """Passages whose links to follow, each with the weight that its links inherit."""
    part: bool = False
    """True for a query that asks for a part of the question only."""


class Hit(NamedTuple):
    """A passage that a searcher found for a query, scored on the searcher's own scale."""

    passage_id: str
    score: float
    channel: str
    via: str = ""
    """For a link, the passage it came from; for a name, the name itself."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage met so far, with its best score by channel and how it was first met."""

    passage: Passage
    scores: Mapping[str, float]
    hop: int
    via: Mapping[str, str] = field(default_factory=dict)


class Choice(NamedTuple):
    """A passage that a selector put into the budget, and why."""

    passage_id: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """One passage left the budget and another took its place."""

    out: str
    into: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The state of the budget after a hop, best first."""

    choices: tuple[Choice, ...] = ()
    replaced: tuple[Replacement, ...] = ()
    bench: tuple[Choice, ...] = ()
    """The next best, which found no place: where to look further when the budget is small."""


@dataclass(frozen=True, slots=True)
class Target:
    """One thing the evidence should cover, how well it does, and which passage does it."""

    name: str
    kind: str
    score: float
    importance: float = 1.0
    covered_by: str = ""
    hop: int = 0

    @property
    def covered(self) -> bool:
        return bool(self.covered_by)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the evidence covers what the plan asked for."""

    targets: tuple[Target, ...] = ()

    @property
    def fraction(self) -> float:
        """Share of the targets that are covered, weighted by importance; 1.0 when nothing was asked for."""
        total = sum(t.importance for t in self.targets)
        return sum(t.importance for t in self.targets if t.covered) / total if total else 1.0

    @property
    def missing(self) -> tuple[Target, ...]:
        """The targets that nothing covers yet, most important first."""
        return tuple(sorted((t for t in self.targets if not t.covered), key=lambda t: -t.importance))


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the loop stops after a hop, and why."""

    stop: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """What one query brought: how many passages by channel, and the best of them."""

    query: Query
    counts: Mapping[str, int]
    top: tuple[Hit, ...]
    new: int


@dataclass(frozen=True, slots=True)
class Hop:
    """One turn of the loop, as the trace keeps it."""

    number: int
    found: tuple[Found, ...]
    selected: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    replaced: tuple[Replacement, ...]
    coverage_before: Coverage
    coverage_after: Coverage
    decision: Decision
    pool: int
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LmCall:
    """One step put to a language model: what it was for, what it cost, and why its rule had to do it instead."""

    step: str
    hop: int
    tokens_in: int = 0
    tokens_out: int = 0
    attempts: int = 1
    problem: str = ""
    """Empty when the answer was used."""
    cached: bool = field(default=False, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def outcome(self) -> Literal["ok", "cached", "failed"]:
        return "failed" if self.problem else "cached" if self.cached else "ok"


@dataclass(frozen=True, slots=True)
class Trace:
    """Why the evidence is what it is: the plan, every hop, and what was degraded on the way."""

    strategy: Mapping[str, Any]
    plan: Plan
    hops: tuple[Hop, ...]
    notes: tuple[str, ...] = ()
    generation: int = 0
    seconds: float = field(default=0.0, compare=False)
    lm_calls: tuple[LmCall, ...] = ()
    """Every step put to a language model, in order; hop 0 is the plan."""
    lm: str = ""
    """The language model, where one was configured."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage of the result: its place, its score, the hop that found it and the reason it is there."""

    rank: int
    passage: Passage
    score: float
    reason: str
    hop: int
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of the engine: at most k passages, what they cover, and the trace."""

    question: str
    k: int
    evidence: tuple[Evidence, ...]
    coverage: Coverage
    trace: Trace
    where: Where = field(default_factory=dict)

    @property
    def short(self) -> bool:
        """True when fewer than k passages could be reached."""
        return len(self.evidence) < self.k

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.evidence)

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the result into plain values; without timing, equal results give equal dictionaries."""
        plain = _plain(self, timing)
        plain["short"] = self.short
        plain["coverage"]["fraction"] = round(self.coverage.fraction, 6)
        return plain  # type: ignore[no-any-return]  # a dataclass always becomes a dict

    def to_json(self, *, timing: bool = True, indent: int | None = None) -> str:
        """Serialise the result; without timing, equal results give equal bytes."""
        return json.dumps(self.to_dict(timing=timing), ensure_ascii=False, indent=indent)


@dataclass(frozen=True, slots=True)
class Decisive:
    """A sentence that decides a claim, as it stands in its passage."""

    sentence: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the evidence supports or refutes a claim, by which sentences, and the result they come from."""

    claim: str
    label: Literal["supported", "refuted", "not enough evidence"]
    sentences: tuple[Decisive, ...]
    result: Result
    notes: tuple[str, ...] = ()

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]:
        """Turn the verdict into plain values, the whole result included."""
        said = [{"sentence": s.sentence, "passage": s.passage.id, "title": s.passage.title} for s in self.sentences]
        found = {"claim": self.claim, "label": self.label, "sentences": said, "notes": list(self.notes)}
        return {**found, "result": self.result.to_dict(timing=timing)}


_TIMED = {"seconds", "cached"}
"""What a result cost, not what it says: left out where equal results are to give equal bytes."""
_WHERE_USED = frozenset({"facts", "queries", "lm_calls", "lm"})
"""Fields of plans and traces that only strategies with a language model fill; the others do not show them."""


_AS_IT_IS = frozenset((str, int, bool, type(None)))


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Names of the fields of a value: looked up once, because a result has thousands of values."""
    if dataclasses.is_dataclass(kind):
        return tuple(f.name for f in dataclasses.fields(kind))
    return tuple(getattr(kind, "_fields", ()))


def _plain(value: Any, timing: bool) -> Any:
    kind: Any = type(value)
    if kind in _AS_IT_IS:
        return value
    if isinstance(value, float):
        return round(value, 6)
    if names := _fields(kind):
        spared = _WHERE_USED if kind is Plan or kind is Trace else frozenset[str]()
        named = {n: getattr(value, n) for n in names if timing or n not in _TIMED}
        return {n: _plain(v, timing) for n, v in named.items() if v or n not in spared}
    if isinstance(value, Mapping):
        return {str(k): _plain(v, timing) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    if isinstance(value, tuple | list):
        return [_plain(v, timing) for v in value]
    return value


def plain(value: Any, *, timing: bool = True) -> Any:
    """Turn any value of this module into dictionaries, lists, strings and numbers."""
    return _plain(value, timing)
