"""Typed relations between passages, found step by step and without comparing every passage with every other.

For each new passage the indexes name a few others that may have to do with it. Of these pairs only the promising ones
are read as a whole and judged, so the cost grows with the number of new passages. Typed edges between passages, walked
at query time, are the idea of HopRAG (Liu et al. 2025), whose edges a language model writes; here rules do, and a
language model may help.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from multihop.errors import InvalidInput, MultihopError
from multihop.index.links.candidates import CandidateFinder, RelationCandidate
from multihop.index.links.ledger import Ledger
from multihop.index.links.rule_judge import ALIKE, REACH, RuleJudge, strongest
from multihop.index.links.rules import KINDS, RULES, check_rules
from multihop.index.links.similarity import TermSimilarity
from multihop.index.streams import ignore_progress, in_batches
from multihop.protocols import CuePhrases, NamedJudge, Progress, RelationJudge, Store, View
from multihop.types import Passage, PassagePair, Related, Relation

LEDGER = "relations"
"""The name of the blob in the store that holds the ledger."""
_BATCH = 250
_MET = 1_000_000
_STEP = 10_000
"""Passages, or half of those done, after which relations are stored: an interrupted call resumes from there."""


@dataclass(frozen=True, slots=True)
class RelationFinder:
    """Finds the relations of the passages that are new in a store."""

    rules: tuple[CuePhrases, ...] = RULES
    judge: RelationJudge | None = None
    """Asked about the most promising pairs beside the rules; a language model, say."""
    neighbors: int = 6
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
        generation, data = store.get_blob(LEDGER) or (-1, b"")
        known = Ledger.from_bytes(data)
        before = None if rebuild or known is None else self._ledger_to_continue(known)
        view = store.view()
        if before is not None and generation == view.generation and not self._owes(before, view):
            return Related(relations=store.stats().relations)
        work = _Work(self, view, before or Ledger(self._identity(), repr(self.judge), self._judge_name()), progress)
        replaces = rebuilt = before is None and store.stats().relations > 0
        done = 0
        while part := work.new[done : done + max(_STEP, done // 2)]:
            # Passages that lost relations come first.
            settles = view.generation if done + len(part) >= work.again else -1
            store.relate(work.relations(part), replace=replaces, settles=settles)
            # Only the first part replaces what was there; the others add to it.
            replaces = False
            done += len(part)
            # After the relations: who dies in between looks at these passages again, and stores the same.
            store.put_blob(LEDGER, work.ledger().to_bytes())
        # Stamped with this generation, so that the next call sees at once that there is nothing to do.
        if not done:
            store.put_blob(LEDGER, work.ledger().to_bytes())
        return Related(done, store.stats().relations, rebuilt, tuple(work.notes))

    def _ledger_to_continue(self, known: Ledger) -> Ledger | None:
        """Return the ledger to continue from; None to start over.

        What a judge has found cost somebody time or money: it stays until it is asked again, or given up by rebuilding.
        """
        same = known.rules == self._identity()
        if self.judge is None and known.judged and not same:
            raise InvalidInput(
                f"the relations of this index were judged by {known.judge_name}; other rules would find them all "
                "again without it: relate with that judge as well (--lm), or rebuild with the rules alone (--rebuild)"
            )
        return known if same and (self.judge is None or known.judge == repr(self.judge)) else None

    def _owes(self, before: Ledger, view: View) -> bool:
        """Return whether passages are left that were not processed, or not with this judge."""
        return next(view.since(before.mark), None) is not None or bool(self.judge and before.unjudged)

    def _judge_name(self) -> str:
        return self.judge.name if isinstance(self.judge, NamedJudge) else type(self.judge).__name__

    def _identity(self) -> str:
        limits = (self.neighbors, self.names, self.most, self.least, self.judged, self.query_terms, self.common)
        written = repr((check_rules(self.rules), limits))
        return hashlib.sha256(written.encode()).hexdigest()[:16]


def ledger_for_copy(data: bytes, source: View, target: View) -> bytes | None:
    """Return the ledger for an exact copy of a store; None if passages are still to be processed."""
    ledger = Ledger.from_bytes(data)
    if ledger is None or next(source.since(ledger.mark), None) is not None or source.lost_relations():
        return None
    last = deque(target.since(-1), maxlen=1)
    return replace(ledger, mark=last[0][0] if last else -1).to_bytes()


class _Work:
    """One call of `relate`: what is new, and the state so far."""

    def __init__(self, finder: RelationFinder, view: View, before: Ledger, progress: Progress | None) -> None:
        self._finder = finder
        self._view = view
        self._before = before
        self._progress = progress or ignore_progress
        self._rules = RuleJudge(check_rules(finder.rules))
        self._similarity = TermSimilarity(before.terms, view.passages)
        self._candidates = CandidateFinder(
            view=view, similarity=self._similarity, neighbors=finder.neighbors, names=finder.names,
            query_terms=finder.query_terms, common=finder.common, everything_new=before.mark < 0,
        )  # fmt: skip
        self._met: set[int] = set()
        self._owed: list[str] = []
        """Passages with pairs that the judge was asked about and gave no answer for."""
        self.notes: list[str] = []
        self._numbers = dict(self._fresh())
        """The passages that came in since the last call, in order, with their numbers."""
        again = self._to_look_at_again()
        self.again = len(again)
        self.new = [*again, *self._numbers]
        # Only now, when all that is new was counted: how rare a word is must not depend on where the reading stands.
        self._similarity.weigh(max(2, view.size))
        self._done = 0
        if before.judged and finder.judge is None and self.new:
            self._note(
                f"what {before.judge_name} judged was kept; new passages were related by rules alone, until it is "
                "asked again (--lm); --rebuild goes by rules alone everywhere"
            )

    def _fresh(self) -> Iterator[tuple[str, int]]:
        for place, (number, passage) in enumerate(self._view.since(self._before.mark)):
            self._similarity.count(passage)
            yield passage.id, number
            if place % 1000 == 0:
                self._progress("reading", place, None)

    def _to_look_at_again(self) -> list[str]:
        """Old passages that lost relations, and those that this judge has not seen."""
        lost = self._view.lost_relations()
        owed = self._before.unjudged if self._finder.judge is not None else ()
        wanted = [id for id in dict.fromkeys((*lost, *owed)) if id not in self._numbers]
        return [id for part in in_batches(wanted, _STEP) for id in self._view.passages(part)]

    def relations(self, passages: Sequence[str]) -> Iterator[Relation]:
        for batch in in_batches(passages, _BATCH):
            yield from self._of_batch(batch)
            self._similarity.note(id for id in batch if id in self._numbers)
            self._done += len(batch)
            self._progress("relating", self._done, len(self.new))

    def ledger(self) -> Ledger:
        """The ledger of what was processed so far."""
        done, left = self.new[: self._done], dict.fromkeys(self.new[self._done :])
        before = self._before
        # Passages that were looked at again are older than the mark and have no number here.
        mark = max((self._numbers.get(id, -1) for id in done[-1:]), default=-1)
        asked = self._finder.judge is not None
        owed = [*(id for id in before.unjudged if id in left), *self._owed]
        unjudged = owed if asked else [*before.unjudged, *done]
        return replace(
            before,
            mark=max(mark, before.mark),
            terms=self._similarity.term_counts(),
            unjudged=tuple(dict.fromkeys(unjudged)) if before.judged else (),
        )

    def _of_batch(self, ids: Sequence[str]) -> Iterator[Relation]:
        loaded = self._view.passages(ids)
        candidates = self._candidates.candidates(list(loaded.values()))
        promising = {
            id: [o for o in candidates.get(id, {}) if self._judge(loaded[id], o, candidates[id][o])] for id in loaded
        }
        loaded |= self._view.passages(sorted({o for others in promising.values() for o in others} - loaded.keys()))
        for id, others in promising.items():
            yield from self._judge_pairs(id, [_pair(loaded[id], loaded[o], candidates[id][o]) for o in others])

    def _judge(self, passage: Passage, other: str, candidate: RelationCandidate) -> bool:
        """Return whether to judge a pair; near passages bring the same pair twice."""
        if not self._promising(passage, other, candidate):
            return False
        # One number for two ids; should two pairs ever share it, one of them is not judged.
        pair = hash((min(passage.id, other), max(passage.id, other)))
        if pair in self._met:
            return False
        # Judging a pair twice costs time and changes nothing, so the set may simply start over.
        if len(self._met) >= _MET:
            self._met.clear()
        self._met.add(pair)
        return True

    def _promising(self, passage: Passage, other: str, candidate: RelationCandidate) -> bool:
        """Return whether a pair may be related, without reading the other passage."""
        if candidate.similarity >= ALIKE or other.rpartition("#")[0] == passage.document_id:
            return True
        if self._finder.judge is not None:
            return bool(candidate.names)
        # Without a judge only a rule can relate the two, and a rule needs a cue just before the name.
        names = [name for id, name in candidate.names if id == passage.id]
        return len(names) < len(candidate.names) or (
            bool(names) and self._rules.analyze(passage).cue_precedes(names, REACH)
        )

    def _judge_pairs(self, passage: str, pairs: Sequence[PassagePair]) -> Iterator[Relation]:
        judged = [relation for relations in self._rules.judge(pairs) for relation in relations]
        if self._finder.judge is not None:
            judged = list(strongest((*judged, *self._ask_judge(self._finder.judge, passage, pairs))))
        sure = [r for r in judged if r.confidence >= self._finder.least]
        yield from (r for r in sure if r.method == "order")
        rest = (r for r in sure if r.method != "order")
        yield from sorted(rest, key=lambda r: (-r.confidence, r.source, r.target, r.kind))[: self._finder.most]

    def _ask_judge(self, judge: RelationJudge, passage: str, pairs: Sequence[PassagePair]) -> Iterator[Relation]:
        """Ask the judge about the likeliest pairs; extra answers are ignored."""
        likely = sorted(pairs, key=lambda p: (-p.similarity, p.first.id, p.second.id))[: self._finder.judged]
        if not likely:
            return
        try:
            answers = judge.judge(likely)
        except MultihopError as error:
            self._note(f"the judge failed, rules alone were used for some passages: {error}")
            self._owed.append(passage)
            return
        if None in answers:
            self._owed.append(passage)
        # Not strict: a judge may be anybody's, and too few answers must not end the work of hours.
        for pair, answer in zip(likely, answers, strict=False):
            for relation in answer or ():
                offered = {relation.source, relation.target} == {pair.first.id, pair.second.id}
                if offered and relation.kind in KINDS and 0.0 <= relation.confidence <= 1.0:
                    yield relation
                else:
                    self._note("answers of the judge that make no sense were passed over")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _pair(passage: Passage, other: Passage, candidate: RelationCandidate) -> PassagePair:
    first, second = sorted((passage, other), key=lambda p: p.id)
    return PassagePair(first, second, round(candidate.similarity, 3), tuple(sorted(candidate.names)))
