"""Typed relations between passages, found step by step and without comparing every passage with every other.

For each new passage the indexes name a few others that may have to do with it: its neighbours in the document, the
documents it names and those that name it, and what is nearest by rare words and by vectors. Only these pairs are
judged, so the cost grows with the number of new passages. Typed edges between passages, walked at query time, are the
idea of HopRAG (Liu et al. 2025), whose edges a language model writes; here rules do, and a language model may help.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from multihop import text
from multihop.errors import MultihopError
from multihop.links.judging import ALIKE, RuleJudge
from multihop.links.ledger import Ledger, digest
from multihop.links.rules import KINDS, RULES, checked
from multihop.protocols import Progress, RelationJudge, RelationRule, Store, View
from multihop.types import Pair, Passage, Related, Relation

KEPT = "relations"
"""The name under which the store keeps the ledger."""
_BATCH = 250
_NEAR = 0.25
_STEP = 10_000
"""After so many passages what was found is stored: an interrupted call goes on from there."""


@dataclass(frozen=True, slots=True)
class RelationFinder:
    """Finds the relations of the passages that are new in a store."""

    rules: tuple[RelationRule, ...] = RULES
    judge: RelationJudge | None = None
    """Asked about the most promising pairs beside the rules; a language model, say."""
    neighbours: int = 6
    """How many of the nearest passages are looked at, by words and by vectors each."""
    names: int = 8
    """How many of the names in a passage are followed, the least used first, and how many passages that name it."""
    most: int = 8
    """How many relations a passage brings at most beside its place in the document, the surest first."""
    least: float = 0.2
    """Relations of less confidence are not kept."""
    judged: int = 3
    """How many pairs of a passage the judge is asked about."""
    query_terms: int = 12
    common: int = 1000
    """Words that more passages use than this are not searched for: they tell little and cost much."""

    def relate(self, store: Store, *, rebuild: bool = False, progress: Progress | None = None) -> Related:
        """Find and store the relations of all passages that are new or changed since the last call."""
        known, generation = self._ledger(store)
        if known is not None and known.complete and not rebuild and generation == store.refresh():
            return Related(relations=store.stats().relations)
        anew = rebuild or known is None
        before = Ledger(self._identity()) if known is None or rebuild else known
        view = store.view()
        work = _Work(self, view, before, progress)
        replace = rebuilt = anew and store.stats().relations > 0
        for part in _pieces(work.new, _STEP):
            store.relate(work.relations(part), replace=replace)
            replace = False
            store.keep(KEPT, work.ledger(store.view()).to_bytes())
        if not work.new:
            store.keep(KEPT, work.ledger(store.view()).to_bytes())
        return Related(len(work.new), store.stats().relations, rebuilt, tuple(work.notes))

    def _ledger(self, store: Store) -> tuple[Ledger | None, int]:
        """Give what the last call noted, and of which generation; None when there was none, or it had other rules."""
        generation, data = store.kept(KEPT) or (0, b"")
        found = Ledger.from_bytes(data)
        return found if found is not None and found.rules == self._identity() else None, generation

    def _identity(self) -> str:
        judge = repr(self.judge) if self.judge is not None else ""
        limits = (self.neighbours, self.names, self.most, self.least, self.judged, self.query_terms, self.common)
        written = repr((checked(self.rules), judge, limits))
        return hashlib.sha256(written.encode()).hexdigest()[:16]


@dataclass(slots=True)
class _Candidates:
    """The pairs that a batch of passages is to be judged in, by their ends."""

    similarity: dict[tuple[str, str], float] = field(default_factory=dict)
    names: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    of: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, passage: str, other: str, similarity: float = 0.0, name: tuple[str, str] | None = None) -> None:
        if passage == other:
            return
        ends = (passage, other) if passage < other else (other, passage)
        if ends not in self.similarity:
            self.of[passage].append(ends)
        self.similarity[ends] = max(self.similarity.get(ends, 0.0), similarity)
        if name is not None:
            self.names[ends].add(name)


class _Work:
    """One call of relate: what is new, and what was found out so far."""

    def __init__(self, finder: RelationFinder, view: View, before: Ledger, progress: Progress | None) -> None:
        self._finder = finder
        self._view = view
        self._progress = progress or _silent
        self._rules = RuleJudge(checked(finder.rules))
        self._terms = Counter(before.terms)
        self._noted = Counter(before.terms)
        self._digests: dict[str, int] = {}
        self._totals: dict[str, float] = {}
        self.notes: list[str] = []
        self._first_time = not before.passages
        self._unseen: set[str] = set()
        self.new = self._look(before)
        self._size = max(2, len(self._digests))
        self._done: set[str] = self._digests.keys() - set(self.new)
        self._reported = 0

    def _look(self, before: Ledger) -> list[str]:
        """Find the passages that are new, or that lost relations since they were looked at."""
        new, old = [], {}
        for place, passage in enumerate(self._view.scan()):
            mark = self._digests[passage.id] = digest(passage)
            if mark in before.passages:
                old[passage.id] = before.passages[mark]
            else:
                new.append(passage.id)
                self._unseen.add(passage.id)
                self._terms.update(set(text.terms(_whole(passage))))
            if place % 1000 == 0:
                self._progress("reading", place, None)
        starting = _starting(self._view, old)
        return new + [id for id, count in old.items() if starting[id] < count]

    def relations(self, passages: Sequence[str]) -> Iterator[Relation]:
        for batch in _pieces(passages, _BATCH):
            yield from self._of_batch(batch)
            self._done.update(batch)
            self._reported += len(batch)
            self._progress("relating", self._reported, len(self.new))

    def ledger(self, view: View) -> Ledger:
        """Note what was looked at so far, with the relations that start from each passage now."""
        done = [id for id in self._digests if id in self._done]
        starting = _starting(view, done)
        looked_at = {self._digests[id]: starting[id] for id in done}
        return Ledger(self._finder._identity(), looked_at, self._noted, len(done) == len(self._digests))

    def _of_batch(self, ids: Sequence[str]) -> Iterator[Relation]:
        loaded = self._view.passages(ids)
        for id in self._unseen.intersection(ids):
            self._noted.update(set(text.terms(_whole(loaded[id]))))
        candidates = self._candidates(list(loaded.values()))
        others = {id for ends in candidates.similarity for id in ends} - loaded.keys()
        loaded |= self._view.passages(sorted(others))
        for id in ids:
            pairs = (self._pair(ends, loaded, candidates) for ends in candidates.of[id] if set(ends) <= loaded.keys())
            yield from self._judged([p for p in pairs if p.names or p.similarity >= ALIKE or _together(p)])

    def _pair(self, ends: tuple[str, str], loaded: dict[str, Passage], candidates: _Candidates) -> Pair:
        first, second = loaded[ends[0]], loaded[ends[1]]
        likeness = max(candidates.similarity[ends], self._likeness(first, second))
        return Pair(first, second, round(likeness, 3), tuple(sorted(candidates.names[ends])))

    def _judged(self, pairs: Sequence[Pair]) -> Iterator[Relation]:
        found = [relation for relations in self._rules.judge(pairs) for relation in relations]
        if self._finder.judge is not None:
            found = _merged(found, self._asked(self._finder.judge, pairs))
        sure = [r for r in found if r.confidence >= self._finder.least]
        yield from (r for r in sure if r.method == "order")
        rest = (r for r in sure if r.method != "order")
        yield from sorted(rest, key=lambda r: (-r.confidence, r.source, r.target, r.kind))[: self._finder.most]

    def _asked(self, judge: RelationJudge, pairs: Sequence[Pair]) -> Iterator[Relation]:
        """Ask the judge about the likeliest pairs; whatever it says beyond what it was asked is passed over."""
        likely = sorted(pairs, key=lambda p: (-p.similarity, p.first.id, p.second.id))[: self._finder.judged]
        if not likely:
            return
        try:
            answers = judge.judge(likely)
        except MultihopError as error:
            self._note(f"the judge failed, rules alone were used for some passages: {error}")
            return
        for pair, answer in zip(likely, answers, strict=False):
            for relation in answer:
                offered = {relation.source, relation.target} == {pair.first.id, pair.second.id}
                if offered and relation.kind in KINDS and 0.0 <= relation.confidence <= 1.0:
                    yield relation
                else:
                    self._note("answers of the judge that make no sense were passed over")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    # --- where pairs come from ---

    def _candidates(self, passages: Sequence[Passage]) -> _Candidates:
        found = _Candidates()
        self._in_document(passages, found)
        self._by_name(passages, found)
        self._by_words(passages, found)
        self._by_vector(passages, found)
        return found

    def _in_document(self, passages: Sequence[Passage], found: _Candidates) -> None:
        for p in passages:
            for position in (p.position - 1, p.position + 1):
                if position >= 0:
                    found.add(p.id, f"{p.document_id}#{position}")

    def _by_name(self, passages: Sequence[Passage], found: _Candidates) -> None:
        links = [k for k in self._view.links_from([p.id for p in passages], self._finder.names) if k.ambiguity == 1]
        opening = self._view.passages_of({k.target for k in links}, 1)
        for link in links:
            for target in opening.get(link.target, ()):
                found.add(link.source, target, name=(link.source, link.name))
        if self._first_time:
            # Whoever names one of these is new as well, and brings the pair itself.
            return
        first = {p.document_id: p.id for p in passages if p.position == 0}
        for link in self._view.links_to(sorted(first), self._finder.names):
            if link.ambiguity == 1:
                found.add(first[link.target], link.source, name=(link.source, link.name))

    def _by_words(self, passages: Sequence[Passage], found: _Candidates) -> None:
        queries = [self._query(p) for p in passages]
        ranked = self._view.lexical(queries, self._finder.neighbours + 1, rough=True)
        for passage, hits in zip(passages, ranked, strict=True):
            # A passage finds itself best of all; what comes nowhere near that shares a word or two.
            enough = _NEAR * max((score for _, score in hits), default=0.0)
            for other, score in hits:
                if score >= enough:
                    found.add(passage.id, other)

    def _query(self, passage: Passage) -> str:
        """The rarest words of a passage that others use too."""
        words = [w for w in dict.fromkeys(text.words(_whole(passage))) if w not in text.STOPWORDS]
        known = [(self._terms[term], word) for word, term in zip(words, text.stems(words), strict=True)]
        telling = sorted((count, word) for count, word in known if 1 < count <= self._finder.common)
        return " ".join(word for _, word in telling[: self._finder.query_terms])

    def _by_vector(self, passages: Sequence[Passage], found: _Candidates) -> None:
        vectors = self._view.vectors([p.id for p in passages])
        if not vectors.shape[1]:
            return
        with_one = [(p, v) for p, v in zip(passages, vectors, strict=True) if v.any()]
        if not with_one:
            return
        ranked = self._view.nearest(np.array([v for _, v in with_one]), self._finder.neighbours + 1)
        for (passage, _), hits in zip(with_one, ranked, strict=True):
            for other, cosine in hits:
                # Unrelated passages have a cosine well above zero; half of the scale is no likeness at all.
                if (likeness := 2 * cosine - 1) >= ALIKE:
                    found.add(passage.id, other, likeness)

    def _likeness(self, first: Passage, second: Passage) -> float:
        """How much of what is telling in two passages they share: the cosine of their terms, weighted by rarity."""
        one, other = self._rules.reading(first).terms, self._rules.reading(second).terms
        shared = sum(map(self._rarity, one & other))
        return shared / math.sqrt(self._total(first.id, one) * self._total(second.id, other)) if shared else 0.0

    def _total(self, id: str, terms: Iterable[str]) -> float:
        if id not in self._totals:
            self._totals[id] = sum(map(self._rarity, terms))
        return self._totals[id]

    def _rarity(self, term: str) -> float:
        return math.log(self._size / max(1, self._terms[term]))


def _together(pair: Pair) -> bool:
    return pair.first.document_id == pair.second.document_id


def _merged(found: Sequence[Relation], judged: Iterable[Relation]) -> list[Relation]:
    """Put both together; of two relations with the same ends and kind the surer one stays."""
    best = {(*r.ends, r.kind): r for r in found}
    for relation in judged:
        known = best.get((*relation.ends, relation.kind))
        if known is None or relation.confidence > known.confidence:
            best[*relation.ends, relation.kind] = relation
    return list(best.values())


def _starting(view: View, passages: Iterable[str]) -> Counter[str]:
    """Count the relations that start from each passage."""
    counts: Counter[str] = Counter()
    for part in _pieces(passages, _STEP):
        counts.update(r.source for r in view.relations_from(part))
    return counts


def _whole(passage: Passage) -> str:
    return f"{passage.title}. {passage.heading}. {passage.text}"


def _pieces(values: Iterable[str], size: int) -> Iterator[list[str]]:
    stream = iter(values)
    while piece := list(islice(stream, size)):
        yield piece


def _silent(stage: str, done: int, total: int | None) -> None:
    """Report progress to nobody."""
