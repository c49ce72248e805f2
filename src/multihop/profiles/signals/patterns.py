"""The pattern signal: how much of the profile, or of the question, a passage contains.

Signs are independent witnesses: a passage gains 1 − Π (1 − weight) over those it shows, so that one strong sign is
worth much and a hundred weak ones are worth at most one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.profiles.literals import Prefilter
from multihop.profiles.regexes import compile_pattern
from multihop.profiles.signals.corpus import SignalCorpus, content_words, text_of
from multihop.profiles.values import KeywordGroup, Pattern, Profile
from multihop.types import Passage

Signal = NDArray[np.float64]

ENOUGH_WORDS = 3
"""Different words of a group that show its topic fully."""


def matches(profile: Profile, passages: Iterable[Passage]) -> NDArray[np.bool_]:
    """Say for every passage (rows) and every pattern of a profile (columns) whether it matches."""
    searches = [compile_pattern(p.regex).search for p in profile.patterns]
    prefilter = Prefilter([p.regex for p in profile.patterns])
    rows, count = bytearray(), 0
    for passage in passages:
        count += 1
        content = text_of(passage)
        row = bytearray(len(searches))
        for place in prefilter.worth_trying(content):
            row[place] = searches[place](content) is not None
        rows += row
    return np.frombuffer(rows, dtype=bool).reshape(count, len(searches))


def stamp(profile: Profile) -> str:
    """Stand for the patterns of a profile: the same for profiles that differ in other things only."""
    return hashlib.sha256(repr(profile.patterns).encode()).hexdigest()[:16]


def by_profile(
    corpus: SignalCorpus,
    matched: NDArray[np.bool_],
    profile: Profile,
    groups: Sequence[KeywordGroup],
    patterns: Sequence[Pattern],
) -> Signal:
    """Score every passage of a block by the signs of some topics that it shows."""
    # Columns are those of all patterns of the profile, since they are kept once for all of its questions.
    place = {p.name: i for i, p in enumerate(profile.patterns)}
    left = np.ones(len(corpus))
    for pattern in patterns:
        left *= 1.0 - pattern.weight * matched[:, place[pattern.name]]
    for group in groups:
        left *= 1.0 - group.weight * _topic(corpus, group)
    return 1.0 - left


def _topic(corpus: SignalCorpus, group: KeywordGroup) -> Signal:
    # "target" and "targets" in one group are one word, and must not count as two.
    different = {tuple(text.singular(w) for w in words): words for k in group.words if (words := content_words(k))}
    count = np.zeros(len(corpus))
    for words in different.values():
        count += corpus.with_phrase(words)
    return np.minimum(count / min(ENOUGH_WORDS, max(1, len(different))), 1.0)


def by_question(corpus: SignalCorpus, question: str) -> Signal:
    """Score every passage of a block by the share of the question's words it uses; numbers and names count double."""
    weights = weighted_stems(question)
    scores = np.zeros(len(corpus))
    for stem, weight in weights.items():
        scores += weight * corpus.with_any(corpus.of_stem(stem))
    return scores / sum(weights.values()) if weights else scores


def weighted_stems(question: str) -> dict[str, float]:
    """The stems of a question's content words, each with how much it counts."""
    names = {w for surface, _, _ in text.capitalized_spans(question) for w in content_words(surface)}
    weights: dict[str, float] = {}
    for word in content_words(question):
        [stem] = text.stems([word])
        weights[stem] = max(weights.get(stem, 0.0), 2.0 if word in names or word.isdigit() else 1.0)
    return weights
