"""All four signals over all passages of an index, and what they come to together.

What does not depend on the question (words, patterns that match, vectors) is worked out once for a generation and
filter and put aside in blocks; a question then costs a few operations on the arrays of each block, and memory for one
of them. A signal that cannot be had is left out, and the weights of the others make up for it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop.errors import EmbeddingError
from multihop.profiles.signals import arrays, corpus, patterns, tables_of_contents, word2vec
from multihop.profiles.signals.block_cache import BlockStore, CachedBlocks, head, load, put_blocks, worth_keeping
from multihop.profiles.signals.blocks import Blocks, SignalColumn, Work
from multihop.profiles.signals.corpus import SignalCorpus
from multihop.profiles.signals.fuzzy import FuzzyIndex, Sought, compile_phrases, phrases_of
from multihop.profiles.values import KeywordGroup, Pattern, Phrase, Profile, Scoring
from multihop.protocols import Cache, Context, Dense, Index, View, embed_texts, require
from multihop.types import Note

Signal = NDArray[np.float64]
Vector = NDArray[np.float32]
Scorer = Callable[[int, SignalCorpus], Signal]

WORDS, PATTERNS, WORD_VECTORS, VECTORS = "signals.words", "signals.patterns", "signals.word2vec", "signals.vectors"
KEYWORD_BOOST = 0.4
"""What a keyword that a question of the profile appends is worth as a phrase."""


@dataclass(frozen=True, slots=True)
class SignalQuestion:
    """What a question looks for: the topics of the profile that it is about, or else what it says itself."""

    question: str
    groups: tuple[KeywordGroup, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    phrases: tuple[Sought, ...] = ()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A question as vectors, one for each kind; None where there is no model."""

    transformer: Vector | None = None
    word2vec: Vector | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Every passage of a view with its signals, each in [0, 1], and their weighted mean."""

    ids: Blocks
    signals: Mapping[str, Signal]
    combined: Signal

    def best(self, limit: int, threshold: float) -> list[int]:
        """The rows of the best passages at or above a threshold, best first, ties by id."""
        rows = np.flatnonzero(self.combined >= threshold)
        if len(rows) > limit:
            # All that tie with the last place stay, so that the id decides among them and not their order.
            least = np.partition(self.combined[rows], -limit)[-limit]
            rows = rows[self.combined[rows] >= least]
        return self.rank(rows.tolist())[:limit]

    def rank(self, rows: Collection[int]) -> list[int]:
        """Put rows in order, best first, ties by id."""
        ids = self.ids.ids_of(rows)
        return sorted(rows, key=lambda row: (-self.combined[row], ids[row]))


def parse_question(question: str, profile: Profile | None) -> SignalQuestion:
    """Parse what a question looks for."""
    topics = profile.topics(question) if profile else ()
    if profile is None or not topics:
        return SignalQuestion(question, phrases=tuple(compile_phrases(phrases_of(question))))
    groups, rules, phrases = profile.serving(topics)
    known = profile.question(question)
    own = [Phrase(k, KEYWORD_BOOST) for k in known.keywords] if known else phrases_of(question)
    return SignalQuestion(question, groups, rules, tuple(compile_phrases([*phrases, *own])))


def embed(question: str, context: Context) -> Embedded:
    """Turn a question into its vectors, and note which kind cannot be had."""
    return Embedded(_transformer(question, context), _word2vec(question, context))


def evaluate(what: SignalQuestion, embedded: Embedded, profile: Profile | None, context: Context) -> Scores:
    """Score every passage of the view, one block of them after another."""
    worked = _PassageValues(context.index)
    scorers = dict(_scorers(what, embedded, profile, worked))
    if "fuzzy" not in scorers:
        text = "no phrases to look for: the fuzzy signal is absent, the others share its weight"
        context.note(Note("signal-absent", {"signal": "fuzzy"}, text))
    blocks = worked.blocks
    signals = {name: np.zeros(len(blocks)) for name in scorers}
    listed = worked.column(*CONTENTS) if profile is not None else None
    worth = np.ones(len(blocks))
    for number, (rows, block) in enumerate(blocks.corpora()):
        for name, score in scorers.items():
            signals[name][rows] = score(number, block)
        if listed is not None:
            worth[rows] = tables_of_contents.worths(listed.rows(number))
    return Scores(blocks, signals, combine(signals, profile.scoring if profile else Scoring(), len(blocks)) * worth)


def _scorers(
    what: SignalQuestion, embedded: Embedded, profile: Profile | None, worked: _PassageValues
) -> Iterator[tuple[str, Scorer]]:
    """Yield each signal that can be had, and how it scores a block."""
    if (vector := embedded.transformer) is not None and worked.index.dense is not None:
        yield "transformer", _near(worked.vectors(worked.index.dense), vector)
    if (vector := embedded.word2vec) is not None and (known := word2vec.stamp(worked.cache)) is not None:
        yield "word2vec", _near(worked.column(*_word_vectors(worked.cache, known[1])), vector)
    if profile is not None and (what.groups or what.patterns):
        matched, signs = worked.column(*_matches(profile)), (profile, what.groups, what.patterns)
        yield "patterns", lambda number, block: patterns.by_profile(block, matched.rows(number), *signs)
    else:
        yield "patterns", lambda _, block: patterns.by_question(block, what.question)
    if what.phrases:
        index = worked.cache.get_or_make("signals.fuzzy", lambda: FuzzyIndex({}))
        threshold = (profile.scoring if profile else Scoring()).fuzzy_threshold
        yield "fuzzy", lambda number, block: index.score(number, block, what.phrases, threshold)


def _near(column: SignalColumn, vector: Vector) -> Scorer:
    return lambda number, _: similarity(column.rows(number), vector)


class _PassageValues:
    """What the signals need of the passages of a view, cached or computed once."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.cache = require(index.cache, "a cache for what its signals compute")

    @property
    def blocks(self) -> Blocks:
        return self.cache.get_or_make("signals", lambda: _blocks(self.index, self._load_cached(WORDS, corpus.STAMP)))

    def _load_cached(self, name: str, stamp: str) -> CachedBlocks | None:
        """Return what the index has cached, read once for all filters."""
        prepare = corpus.add_inverted if name == WORDS else dict
        return self.cache.get_or_make(
            f"{name}.{stamp}.kept", lambda: load(self.cache, name, stamp, prepare), shared=True
        )

    def column(self, name: str, stamp: str, work: Work, *, kept: bool = True) -> SignalColumn:
        """Return a row for every passage."""
        return self.cache.get_or_make(
            f"{name}.{stamp}",
            lambda: SignalColumn.of(
                self.blocks, self.index.passages, self._load_cached(name, stamp) if kept else None, work
            ),
        )

    def vectors(self, dense: Dense) -> SignalColumn:
        """The vectors of the embedder: of a few passages from where they are stored, of many in blocks.

        Those of given passages may be more precise than those that an index keeps.
        """
        many = len(self.blocks) > arrays.BLOCK
        return self.column(*_vectors(self.index, dense), kept=many and _same(dense, self.cache))


def _vectors(index: Index, dense: Dense) -> tuple[str, str, Work]:
    def work(block: SignalCorpus, rows: Sequence[int], _: object) -> NDArray[Any]:
        ids = [block.ids[row] for row in rows]
        return arrays.to_half(np.concatenate([dense.vectors(some) for some in arrays.in_blocks(ids)]))

    embedder = index.embedder.identity if index.embedder else ""
    # A vector may come later than its passage, which the content of the passage does not tell.
    return VECTORS, f"{index.generation} {embedder}", work


def _word_vectors(store: Cache, stamp: str) -> tuple[str, str, Work]:
    load_once = cache(partial(word2vec.load, store))

    def work(block: SignalCorpus, rows: Sequence[int], _: object) -> NDArray[Any]:
        model = load_once()
        made = [model.embed_words(block.sentences(some)) for some in arrays.in_blocks(rows)] if model else []
        return np.concatenate(made).astype(np.float16)

    return WORD_VECTORS, stamp, work


def _matches(profile: Profile) -> tuple[str, str, Work]:
    name, stamp = f"{PATTERNS}.{profile.name}", patterns.stamp(profile)
    return name, stamp, lambda _, __, passages: patterns.matches(profile, passages)


CONTENTS: tuple[str, str, Work] = (
    "signals.contents", tables_of_contents.STAMP, lambda _, __, passages: tables_of_contents.are_contents(passages),
)  # fmt: skip


def warm(store: BlockStore, profile: Profile | None = None) -> bool:
    """Cache in a store what the signals compute; True if something was written.

    From then on a process reads it instead of working it out, and works out only what has come since.
    """
    word2vec.divide(store)
    view = store.view()
    index = Index.of(view)
    columns = [CONTENTS]
    if profile is not None and profile.patterns:
        columns.append(_matches(profile))
    if (known := word2vec.stamp(view)) is not None:
        columns.append(_word_vectors(view, known[1]))
    if index.dense is not None:
        columns.append(_vectors(index, index.dense))
    # What was written of this very generation need not be looked at.
    stale = [each for each in columns if not _current(view, *each[:2])]
    if not stale and _current(view, WORDS, corpus.STAMP):
        return False
    digests = np.array(array("Q", map(corpus.digest_of, view.scan())), dtype=np.uint64)
    words = load(view, WORDS, corpus.STAMP, corpus.add_inverted)
    blocks = cache(partial(_blocks, index, words))
    written = worth_keeping(words, digests)
    if written:
        put_blocks(store, WORDS, corpus.STAMP, view.generation, (corpus.bare(part.read()) for part in blocks().parts))
    for name, stamp, work in stale:
        if worth_keeping(kept := load(view, name, stamp), digests):
            column = SignalColumn.of(blocks(), view, kept, work)
            put_blocks(store, name, stamp, view.generation, (part.read() for part in column.parts))
            written = True
    return written


def _current(view: View, name: str, stamp: str) -> bool:
    cached = head(view, name, stamp)
    return cached is not None and cached.generation == view.generation


def _blocks(index: Index, kept: CachedBlocks | None) -> Blocks:
    """Return the passages of an index in blocks: as they are kept, where nothing has changed since."""
    # Given passages that only borrow the cache of an index are not those that it keeps.
    if kept is not None and _same(index.passages, index.cache):
        of = kept.head
        if (of.generation, sum(of.sizes)) == (index.generation, index.passages.size):
            return Blocks(kept.parts, of.sizes)
    return Blocks.read(index.passages, kept)


def _same(capability: object, cache: Cache | None) -> bool:
    """Return whether a capability belongs to the index and filter of a cache."""
    return capability is cache


def combine(signals: Mapping[str, Signal], scoring: Scoring, size: int) -> Signal:
    """Return the weighted mean of the available signals."""
    weights = {name: weight for name, weight in scoring.weights.items() if name in signals and weight}
    total = np.zeros(size)
    for name, weight in weights.items():
        total += weight / sum(weights.values()) * signals[name]
    return total


def similarity(rows: NDArray[np.floating[Any]], vector: Vector) -> Signal:
    """The cosine of every row with a vector, both of length one; what points away counts as 0."""
    cosines: Signal = np.zeros(len(rows))
    # Vectors of another model say nothing about this one's.
    if rows.shape[1] != len(vector):
        return cosines
    # Room that is used again and again stays in the processor's cache.
    room = np.empty((min(arrays.BLOCK, len(rows)), len(vector)), dtype=np.float32)
    for at in range(0, len(rows), arrays.BLOCK):
        some = rows[at : at + arrays.BLOCK]
        full = room[: len(some)]
        full[:] = some
        # Unlike a matrix product, this adds up every row in the same order, so that equal rows score alike.
        cosines[at : at + len(some)] = np.clip(np.einsum("ij,j->i", full, vector), 0.0, 1.0)
    return cosines


def _transformer(question: str, context: Context) -> Vector | None:
    embedder = context.index.embedder
    if embedder is None:
        text = "no embedder: the transformer signal is absent, the others share its weight"
        context.note(Note("signal-absent", {"signal": "transformer"}, text))
        return None
    try:
        vector: Vector = embed_texts(embedder, [question], query=True)[0]
    except EmbeddingError as error:
        text = f"the embedder failed, the transformer signal is absent: {error}"
        context.note(Note("signal-absent", {"signal": "transformer", "problem": str(error)}, text))
        return None
    return vector


def _word2vec(question: str, context: Context) -> Vector | None:
    cache = context.index.cache
    known = word2vec.stamp(cache) if cache else None
    if cache is None or known is None:
        text = (
            "no word2vec model: its signal is absent, the others share its weight; "
            "train one with engine.train_word2vec() or multihop index --word2vec"
        )
        context.note(Note("signal-absent", {"signal": "word2vec"}, text))
        return None
    stamp = known[1]
    model = cache.get_or_make(f"signals.model.{stamp}", lambda: word2vec.QuestionVectors(cache, stamp), shared=True)
    return model.embed(question)
