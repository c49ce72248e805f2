"""Relations by rule: cue phrases, order and dates, likeness, and statements that do not go together.

Nothing here searches for pairs: the caller supplies them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from multihop import text
from multihop.index.links.analysis import AnalyzedSentence, PassageAnalysis
from multihop.index.links.rules import RULES, Cues, RelationRule, check_rules
from multihop.rendering.phrases import shorten
from multihop.types import Passage, PassagePair, Relation, RelationKind

ALIKE = 0.3
"""From this similarity on, two passages may be related by a cue without a name, and if one names the other by date."""
SAME_MATTER = 0.45
"""From this similarity on, one passage supports the other without any cue."""
_SAME_STATEMENT = 0.6
_STATED = 4
REACH = 6
"""How many words may stand between a cue and the name it is about."""
_SHARED = 2
_NEXT = 0.7
_DATED = 0.4
_DISAGREE = 0.6
_EVIDENCE = 160
_CACHED = 2_000


@dataclass(frozen=True)
class RuleJudge:
    """Finds relations between two passages by rule, deterministically."""

    rules: tuple[RelationRule, ...] = RULES
    _read: dict[str, PassageAnalysis] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _cues(self) -> Cues:
        return Cues(check_rules(self.rules))

    def judge(self, pairs: Sequence[PassagePair]) -> Sequence[Sequence[Relation]]:
        return [strongest(self._between(pair)) for pair in pairs]

    def analyze(self, passage: Passage) -> PassageAnalysis:
        """Read a passage, once for many pairs."""
        known = self._read.pop(passage.id, None)
        if known is None or known.passage.text != passage.text:
            known = PassageAnalysis(passage, self._cues)
        # What was used last goes to the end, and what was not used for longest goes first.
        self._read[passage.id] = known
        if len(self._read) > _CACHED:
            del self._read[next(iter(self._read))]
        return known

    def _between(self, pair: PassagePair) -> Iterator[Relation]:
        first, second = self.analyze(pair.first), self.analyze(pair.second)
        yield from _next_to(first, second)
        for source, target in ((first, second), (second, first)):
            names = {name for id, name in pair.names if id == source.passage.id}
            # Where the index says who names whom, that is not looked for once more.
            if names or not pair.names or pair.similarity >= ALIKE:
                # Its title as well, but not where both have the same: that says nothing of the other one.
                yield from _by_cue(source, target, names | {target.name} - {"", source.name}, pair.similarity)
        if pair.similarity >= (ALIKE if pair.names else SAME_MATTER):
            yield from _by_date(first, second)
        if pair.similarity >= ALIKE:
            yield from _contradictions(first, second)
        if pair.similarity >= SAME_MATTER:
            yield _alike(first, second, pair.similarity)


def _next_to(first: PassageAnalysis, second: PassageAnalysis) -> Iterator[Relation]:
    """Relate neighboring passages of one document."""
    earlier, later = sorted((first, second), key=lambda read: read.passage.position)
    if earlier.passage.document_id != later.passage.document_id:
        return
    if earlier.passage.position + 1 != later.passage.position:
        return
    yield _relation(later, earlier, "FOLLOWS", _NEXT, "the next passage of the same document", "order")
    opening = later.sentences[0]
    for rule, cue, start, _ in opening.cues:
        # A cue that opens a passage speaks of the passage before it.
        if start == 1:
            source, target = (earlier, later) if rule.reverse else (later, earlier)
            yield _relation(source, target, rule.kind, rule.confidence, _quote_cue(cue, opening), "rules")


def _by_cue(source: PassageAnalysis, target: PassageAnalysis, names: set[str], similarity: float) -> Iterator[Relation]:
    # Most pairs end here, before a passage is cut into sentences.
    if not (source.cue_ends if similarity >= ALIKE else source.cue_precedes(names, REACH)):
        return
    for sentence in source.sentences:
        for rule, cue, _, end in sentence.cues:
            if rule.opens:
                continue
            strength = _closeness(sentence, end, names)
            if not strength and similarity >= ALIKE and _speaks_of(sentence, end, target):
                strength = similarity
            if strength:
                ends = (target, source) if rule.reverse else (source, target)
                yield _relation(*ends, rule.kind, rule.confidence * strength, _quote_cue(cue, sentence), "rules")


def strongest(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Keep the strongest of the relations with the same ends and kind."""
    best: dict[tuple[str, str, str], Relation] = {}
    for relation in relations:
        key = (*relation.ends, relation.kind)
        if key not in best or relation.confidence > best[key].confidence:
            best[key] = relation
    return tuple(best.values())


def _closeness(sentence: AnalyzedSentence, cue_end: int, names: set[str]) -> float:
    """Return how closely a cue is followed by one of the names: 1 right after it, less with every word between."""
    rest = sentence.padded[cue_end:]
    places = [rest.find(f" {name} ") for name in names if name]
    between = min((rest.count(" ", 0, place) for place in places if place >= 0), default=REACH + 1)
    return 1.0 - 0.05 * between if between <= REACH else 0.0


def _speaks_of(sentence: AnalyzedSentence, cue_end: int, target: PassageAnalysis) -> bool:
    """Return whether the words after a cue are largely those of the other passage."""
    after = [w for w in sentence.padded[cue_end:].split()[:REACH] if w not in text.STOPWORDS]
    shared = target.terms.intersection(text.stems(after))
    return len(shared) >= _SHARED and 2 * len(shared) >= len(after)


def _by_date(first: PassageAnalysis, second: PassageAnalysis) -> Iterator[Relation]:
    if not (first.years and second.years) or first.years[0] == second.years[0]:
        return
    later, earlier = (first, second) if first.years[0] > second.years[0] else (second, first)
    evidence = f"{later.years[0]} after {earlier.years[0]}"
    yield _relation(later, earlier, "TEMPORAL_FOLLOWS", _DATED, evidence, "dates")


def _contradictions(first: PassageAnalysis, second: PassageAnalysis) -> Iterator[Relation]:
    # Only amounts and negations can disagree, and most pairs have neither in common.
    if first.counted_units.isdisjoint(second.counted_units) and not (first.has_negation or second.has_negation):
        return
    same_document = first.passage.document_id == second.passage.document_id
    for one, other in product(first.sentences, second.sentences):
        if len(one.terms & other.terms) >= _STATED and (why := _conflict(one, other, same_document)):
            yield _relation(first, second, "CONTRADICTS", _DISAGREE, why, "statements")
            return


def _conflict(one: AnalyzedSentence, other: AnalyzedSentence, same_document: bool) -> str:
    """Return how two sentences about the same thing contradict each other; empty if they do not."""
    both = len(one.plain & other.plain)
    if both < _STATED or both < _SAME_STATEMENT * (len(one.plain) + len(other.plain) - both):
        return ""
    # Sentences of two documents must name what they speak of: "It has 12 members" may be said of anything.
    if one.names != other.names or not (
        same_document or (one.names and one.names_its_subject and other.names_its_subject)
    ):
        return ""
    amounts, opposite = one.amounts, other.amounts
    for unit in sorted(amounts.keys() & opposite.keys()):
        if amounts[unit].isdisjoint(opposite[unit]):
            here, there = (", ".join(sorted(side[unit])) for side in (amounts, opposite))
            return f"{here} against {there} {unit}: “{_short(one.text)}”"
    if one.has_negation != other.has_negation:
        return f"one denies what the other says: “{_short(one.text)}”"
    return ""


def _alike(first: PassageAnalysis, second: PassageAnalysis, similarity: float) -> Relation:
    """The passage whose words are more fully contained in the other supports it."""
    shared = first.terms & second.terms
    source, target = sorted((first, second), key=lambda r: (len(r.terms), r.passage.id))
    written = source.padded_words.split()
    said = {term: word for term, word in zip(text.stems(written), written, strict=True) if term in shared}
    words = ", ".join(sorted(said.values(), key=lambda w: (-len(w), w))[:4])
    return _relation(
        source, target, "SUPPORTS", similarity, f"both say {words}" if words else "near in meaning", "similarity"
    )


def _relation(
    source: PassageAnalysis, target: PassageAnalysis, kind: RelationKind, confidence: float, evidence: str, method: str
) -> Relation:
    ends = source.passage.id, target.passage.id
    return Relation(*ends, kind, round(min(1.0, confidence), 3), evidence, method)


def _quote_cue(cue: str, sentence: AnalyzedSentence) -> str:
    return f"“{cue}” in “{_short(sentence.text)}”"


def _short(sentence: str) -> str:
    return shorten(" ".join(sentence.split()), _EVIDENCE)
