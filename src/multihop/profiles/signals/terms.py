"""Terms of several words, and the acronyms a corpus defines for them.

"Nationally Determined Contribution (NDC)" defines an acronym; from then on both are one term. Other words that stand
together more often than chance are joined too (normalized pointwise mutual information, Bouma 2009).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from multihop import text
from multihop.errors import needs_extra
from multihop.profiles.signals.arrays import WordLists

_DEFINED = re.compile(r"\(([A-Z][A-Za-z]{1,7})\)")
_BEFORE = 120
_LONGEST = 5
_SHARE = 0.6
"""An acronym counts as defined when this share of its definitions agree."""
_TOGETHER = 0.65
_OFTEN = 5
_PAIRS = 1_000_000
"""Words and pairs that are counted at a time; beyond, the rarest are forgotten."""


@dataclass(frozen=True)
class Terms:
    """Phrases (as singular content words) that count as one word, and acronyms that stand for one."""

    phrases: frozenset[tuple[str, ...]] = frozenset()
    acronyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def lines(self) -> dict[str, list[str]]:
        """Write phrases and acronyms as lines of text, the same ones always in the same order."""
        acronyms = [f"{short}\t{' '.join(phrase)}" for short, phrase in sorted(self.acronyms.items())]
        return {"phrases": sorted(" ".join(p) for p in self.phrases), "acronyms": acronyms}

    @classmethod
    def of(cls, phrases: Iterable[str], acronyms: Iterable[str]) -> Terms:
        """Read what `lines` wrote."""
        pairs = (line.split("\t") for line in acronyms)
        return cls(frozenset(tuple(p.split()) for p in phrases), {a: tuple(p.split()) for a, p in pairs})

    @cached_property
    def _starts(self) -> dict[str, list[tuple[str, ...]]]:
        starts: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for phrase in self.phrases | set(self.acronyms.values()):
            starts[phrase[0]].append(phrase)
        # The longest first, so that a term is not cut short by one that it begins with.
        return {first: sorted(these, key=lambda p: (-len(p), p)) for first, these in starts.items()}

    def join(self, words: Sequence[str]) -> list[str]:
        """Write content words in the singular, phrases as one word, and acronyms as what they stand for."""
        bare = text.singulars(words)
        terms: list[str] = []
        at = 0
        while at < len(bare):
            word = bare[at]
            phrase = self.acronyms.get(word)
            if phrase is None:
                begun = self._starts.get(word, ())
                phrase = next((p for p in begun if tuple(bare[at : at + len(p)]) == p), None)
                at += len(phrase) - 1 if phrase else 0
            term = "_".join(phrase) if phrase else word
            # "Nationally Determined Contribution (NDC)" names one thing once.
            if not (phrase and terms and terms[-1] == term):
                terms.append(term)
            at += 1
        return terms


def learn_terms(acronyms: Mapping[str, tuple[str, ...]], texts: Iterable[Sequence[str]]) -> Terms:
    """Find the terms of a corpus, given as the content words of its texts and the acronyms that they define."""
    known = Terms(acronyms=acronyms)
    return Terms(frozenset(_phrases(WordLists(map(known.join, texts)))), acronyms)


class Acronyms:
    """Acronyms that texts define in parentheses behind what they stand for."""

    def __init__(self) -> None:
        self._found: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)

    def count(self, content: str) -> None:
        """Count the definitions in a text."""
        for match in _DEFINED.finditer(content):
            # "(NDCs)" defines the same acronym as "(NDC)".
            short = match[1].removesuffix("s").lower()
            before = text.words(content[max(0, match.start() - _BEFORE) : match.start()])
            if phrase := _expansion(short, before):
                self._found[short][phrase] += 1

    def with_agreement(self) -> dict[str, tuple[str, ...]]:
        """Return the acronyms whose definitions agree."""
        best = {short: counts.most_common(1)[0] for short, counts in sorted(self._found.items())}
        # One definition alone may be chance, or a slip.
        enough = {short: max(2.0, _SHARE * counts.total()) for short, counts in self._found.items()}
        return {short: phrase for short, (phrase, n) in best.items() if n >= enough[short]}


def _expansion(short: str, before: Sequence[str]) -> tuple[str, ...]:
    """Return the words before an acronym that it abbreviates: content words, or all ("business as usual")."""
    content = [w for w in before if w not in text.STOPWORDS]
    for words in (content[-len(short) :], list(before[-len(short) :])):
        if len(words) == len(short) > 1 and all(w[0] == letter for w, letter in zip(words, short, strict=True)):
            kept = tuple(text.singular(w) for w in words if w not in text.STOPWORDS)
            return kept if len(kept) > 1 else ()
    return ()


def _phrases(sentences: WordLists) -> set[tuple[str, ...]]:
    with needs_extra("training word2vec", "hybrid"):
        from gensim.models.phrases import Phrases
    phrases: set[tuple[str, ...]] = set()
    # Neighbors are joined in pairs, so that the second time makes terms of three and four words.
    for _ in range(2):
        counted = Phrases(
            sentences, min_count=_OFTEN, threshold=_TOGETHER, scoring="npmi", delimiter="_", max_vocab_size=_PAIRS
        )  # fmt: skip
        model = counted.freeze()
        del counted
        phrases |= {tuple(p.split("_")) for p in model.phrasegrams}
        sentences = WordLists(model[s] for s in sentences)
    return {p for p in phrases if len(p) <= _LONGEST and not any(w.isdigit() for w in p)}
