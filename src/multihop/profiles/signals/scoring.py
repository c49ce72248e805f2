"""All four signals over all passages of an index, and what they come to together.

What does not depend on the question (words, patterns that match, vectors) is worked out once for a generation and
filter and cached; a question then costs a few operations on arrays. A signal that cannot be had is left out, and the
weights of the others make up for it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.errors import EmbeddingError
from multihop.profiles.signals import arrays, contents, patterns, word2vec
from multihop.profiles.signals.arrays import Rows
from multihop.profiles.signals.corpus import SignalCorpus
from multihop.profiles.signals.fuzzy import FuzzyIndex, Sought, phrases_of, sought
from multihop.profiles.signals.kept import (
    Keeping,
    KeptRows,
    digest_of,
    load_rows,
    load_words,
    put_rows,
    put_words,
    worth_keeping,
)
from multihop.profiles.values import KeywordGroup, Pattern, Phrase, Profile, Scoring
from multihop.protocols import Cache, Context, Passages, required

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multihop.profiles.signals.word2vec import WordVectors

    Signal = NDArray[np.float64]
    Vector = NDArray[np.float32]

PATTERNS, VECTORS, CONTENTS = "signals.patterns", "signals.word2vec", "signals.contents"
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

    ids: Sequence[str]
    signals: Mapping[str, Signal]
    combined: Signal

    def best(self, limit: int, threshold: float) -> list[int]:
        """The rows of the best passages at or above a threshold, best first, ties by id."""
        rows = np.flatnonzero(self.combined >= threshold)
        if len(rows) > limit:
            least = np.partition(self.combined[rows], -limit)[-limit]
            rows = rows[self.combined[rows] >= least]
        return sorted(rows.tolist(), key=lambda row: (-self.combined[row], self.ids[row]))[:limit]


def asked(question: str, profile: Profile | None) -> SignalQuestion:
    """Work out what a question looks for."""
    topics = profile.topics(question) if profile else ()
    if profile is None or not topics:
        return SignalQuestion(question, phrases=tuple(sought(phrases_of(question))))
    groups, rules, phrases = profile.serving(topics)
    known = profile.question(question)
    own = [Phrase(k, KEYWORD_BOOST) for k in known.keywords] if known else phrases_of(question)
    return SignalQuestion(question, groups, rules, tuple(sought([*phrases, *own])))


def embed(question: str, context: Context) -> Embedded:
    """Turn a question into its vectors, and note which kind cannot be had."""
    return Embedded(_transformer(question, context), _word2vec(question, context))


def evaluate(what: SignalQuestion, embedded: Embedded, profile: Profile | None, context: Context) -> Scores:
    """Score every passage of the view."""
    passages, cache = context.index.passages, required(context.index.cache, "a cache for what its signals compute")
    scoring = profile.scoring if profile else Scoring()
    corpus = cache.cached("signals", lambda: SignalCorpus(passages.scan(), load_words(cache)))
    index = cache.cached("signals.fuzzy", lambda: FuzzyIndex(corpus, {}))
    found: dict[str, Signal] = {}
    if embedded.transformer is not None and (dense := context.index.dense) is not None:
        rows = cache.cached(
            "signals.vectors", lambda: arrays.stacked(map(dense.vectors, arrays.in_blocks(corpus.ids)), len(corpus))
        )
        found["transformer"] = similarity(rows, embedded.transformer)
    if embedded.word2vec is not None and (model := _model(cache)) is not None:
        stamp, known = model
        rows = cache.cached(
            f"{VECTORS}.{stamp}", lambda: _word_vectors(known, corpus, load_rows(cache, VECTORS, _half(stamp)))
        )
        found["word2vec"] = similarity(rows, embedded.word2vec)
    found["patterns"] = _patterns(passages, cache, corpus, what, profile)
    if what.phrases:
        found["fuzzy"] = index.score(what.phrases, scoring.fuzzy_threshold)
    else:
        context.note("no phrases to look for: the fuzzy signal is absent, the others share its weight")
    together = combined(found, scoring, len(corpus))
    if profile is not None:
        listing = cache.cached(
            CONTENTS, lambda: _contents(passages, corpus, load_rows(cache, CONTENTS, contents.STAMP))
        )
        together *= contents.worths(listing)
    return Scores(corpus.ids, found, together)


def _word_vectors(model: WordVectors, corpus: SignalCorpus, kept: KeptRows | None) -> Rows:
    """The vector of every passage; only those that are not kept are computed."""
    if kept is not None and (places := kept.places(corpus.digests)) is not None:
        return Rows(kept.rows, places)
    rows = np.zeros((len(corpus), model.dimension), dtype=np.float16)
    new: list[int] = []
    for place, digest in enumerate(corpus.digests.tolist()):
        known = kept.row(digest) if kept else None
        if known is None:
            new.append(place)
        else:
            rows[place] = known
    parts, words = corpus.parts(), corpus.words
    for some in arrays.in_blocks(new):
        rows[some] = model.embed_words([words[token] for token in parts[place].tolist()] for place in some)
    return Rows(rows)


def _half(stamp: str) -> str:
    """Tell vectors of passages in half precision from those that were kept in full before."""
    return f"{stamp}.half"


def _matches(profile: Profile, passages: Passages, corpus: SignalCorpus, kept: KeptRows | None) -> NDArray[np.bool_]:
    """What the patterns of a profile match; passages are read only where something is not kept."""
    every = kept.all(corpus.digests) if kept else None
    return patterns.matches(profile, passages.scan(), kept) if every is None else every.T


def _contents(passages: Passages, corpus: SignalCorpus, kept: KeptRows | None) -> NDArray[np.bool_]:
    every = kept.all(corpus.digests) if kept else None
    return contents.are_contents(passages.scan(), kept) if every is None else every


def warm(store: Keeping, profile: Profile | None = None) -> bool:
    """Keep in a store what the signals work out of its passages; True when something was written.

    From then on a process reads it instead of working it out, and works out only what has come since.
    """
    view = store.view()
    digests = np.array(array("Q", map(digest_of, view.scan())), dtype=np.uint64)
    words = load_words(view)
    made: list[SignalCorpus] = []

    def corpus() -> SignalCorpus:
        """Made when something is to be written, and let go with it: a survey looks at one group after another."""
        if not made:
            made.append(SignalCorpus(view.scan(), words))
        return made[0]

    written = worth_keeping(words, digests)
    if written:
        put_words(store, digests, corpus().parts(), corpus().words)
    rows: list[tuple[str, str, Callable[[KeptRows | None], NDArray[Any]]]] = [
        (CONTENTS, contents.STAMP, lambda kept: _contents(view, corpus(), kept))
    ]
    if profile is not None and profile.patterns:
        known = profile
        name = f"{PATTERNS}.{profile.name}"
        rows.append((name, patterns.stamp(profile), lambda kept: _matches(known, view, corpus(), kept).T))
    if (found := _model(view)) is not None:
        stamp, model = found
        rows.append((VECTORS, _half(stamp), lambda kept: _word_vectors(model, corpus(), kept).all()))
    for name, stamp, work_out in rows:
        if worth_keeping(kept := load_rows(view, name, stamp), digests):
            put_rows(store, name, stamp, digests, work_out(kept))
            written = True
    return written


def combined(signals: Mapping[str, Signal], scoring: Scoring, size: int) -> Signal:
    """Weigh the signals that are there; the weights of those that are not are shared among them."""
    weights = {name: weight for name, weight in scoring.weights.items() if name in signals and weight}
    total = np.zeros(size)
    for name, weight in weights.items():
        total += weight / sum(weights.values()) * signals[name]
    return total


def similarity(rows: Rows, vector: Vector) -> Signal:
    """The cosine of every row with a vector, both of length one; what points away counts as 0."""
    found: Signal = np.zeros(len(rows))
    if rows.values.shape[1] != len(vector):
        return found
    at = 0
    for block in rows.blocks():
        # Unlike a matrix product, this adds up every row in the same order, so that equal rows score alike.
        found[at : at + len(block)] = np.clip(np.einsum("ij,j->i", block, vector), 0.0, 1.0)
        at += len(block)
    return found


def _patterns(
    passages: Passages, cache: Cache, corpus: SignalCorpus, what: SignalQuestion, profile: Profile | None
) -> Signal:
    if profile is None or not (what.groups or what.patterns):
        return patterns.by_question(corpus, what.question)
    name, stamp = f"{PATTERNS}.{profile.name}", patterns.stamp(profile)
    matched = cache.cached(
        f"{PATTERNS}.{stamp}", lambda: _matches(profile, passages, corpus, load_rows(cache, name, stamp))
    )
    return patterns.by_profile(corpus, matched, profile, what.groups, what.patterns)


def _transformer(question: str, context: Context) -> Vector | None:
    embedder = context.index.embedder
    if embedder is None:
        context.note("no embedder: the transformer signal is absent, the others share its weight")
        return None
    try:
        found: Vector = embedder.embed([question], query=True)[0]
    except EmbeddingError as error:
        context.note(f"the embedder failed, the transformer signal is absent: {error}")
        return None
    return found


def _word2vec(question: str, context: Context) -> Vector | None:
    cache = context.index.cache
    model = _model(cache) if cache else None
    if model is None:
        context.note(
            "no word2vec model: its signal is absent, the others share its weight; "
            "train one with engine.train_word2vec() or multihop index --word2vec"
        )
        return None
    found: Vector = model[1].embed([question])[0]
    return found


def _model(cache: Cache) -> tuple[str, WordVectors] | None:
    """The word2vec model of the store, with its stamp."""
    stamp = word2vec.stamp(cache)
    if stamp is None:
        return None
    model = cache.cached(f"signals.model.{stamp[1]}", lambda: word2vec.load(cache), shared=True)
    return (stamp[1], model) if model is not None else None
