"""The word2vec signal: word vectors learned from the user's own corpus (Mikolov et al. 2013), by gensim.

Training is reproducible: one thread, a fixed seed, passages in the order of the index. A passage or a question is the
mean of its words, weighted by how rare they are (Arora et al. 2017), less what all passages have in common. The model
is kept in the store as plain arrays; gensim is needed to train it, not to use it.
"""

from __future__ import annotations

import hashlib
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from multihop import text
from multihop.errors import needs_extra
from multihop.profiles.signals import arrays, block_cache
from multihop.profiles.signals.arrays import Texts, WordLists
from multihop.profiles.signals.corpus import checksums, content_words, digest, words_of
from multihop.profiles.signals.spool import Spool, Stored
from multihop.profiles.signals.terms import Acronyms, Terms, learn_terms
from multihop.protocols import Blobs, Cache, Progress, View, Views
from multihop.types import Passage

Vectors = NDArray[np.float32]
Half = NDArray[np.float16]

NAME = "word2vec"
STAMP = "word2vec.stamp"
BLOCKS = "word2vec.parts"
_WORDS = 16_384
"""Words of a block."""
_QUESTIONS = 512
"""Questions whose vectors are cached."""
_COMMON = 1e-3
"""A word that makes up this share of the corpus counts half as much as a rare one."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a model is trained."""

    dimension: int = 300
    window: int = 5
    min_count: int = 3
    epochs: int = 10
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Trained:
    """What training did."""

    words: int
    phrases: int
    acronyms: int
    passages: int
    new: int


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Word vectors with how often each word was met, the terms of several words, and what was read already."""

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    vectors: Half
    """Half precision costs no measurable similarity."""
    context: Half
    """The other side of the network, from which training goes on; empty where nobody is to train."""
    center: Vectors
    """What all passages have in common."""
    terms: Terms
    seen: NDArray[np.uint64]
    settings: TrainingSettings = TrainingSettings()
    total: int = 0
    """How many words were read, where only some of them are here."""
    place: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.place.update({word: i for i, word in enumerate(self.words)})

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    def vector(self, word: str) -> Vectors | None:
        """The unit vector of a word or a term of several words; None for one it has not met often enough."""
        [row] = self._means([self.terms.join(content_words(word))], centered=False)
        return row if row.any() else None

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two words or terms, 0 where one is unknown."""
        left, right = self.vector(a), self.vector(b)
        return 0.0 if left is None or right is None else float(left @ right)

    def embed(self, texts: Iterable[str]) -> Vectors:
        """Turn each text into a unit vector; a row of zeros where no word is known."""
        return self._means([self.terms.join(content_words(t)) for t in texts])

    def embed_passages(self, passages: Iterable[Passage]) -> Vectors:
        return self.embed_words([words_of(p) for p in passages])

    def embed_words(self, texts: Iterable[Sequence[str]]) -> Vectors:
        """Turn texts that are cut into content words already into unit vectors, in half precision as they are kept."""
        return self._means([self.terms.join(words) for words in texts]).astype(np.float16).astype(np.float32)

    def _means(self, texts: Sequence[Sequence[str]], *, centered: bool = True) -> Vectors:
        weights = _weights(self.counts, self.total)
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, words in enumerate(texts):
            places = [i for w in words if (i := self.place.get(w)) is not None]
            if places:
                mean = weights[places] @ self.vectors[places].astype(np.float32) / weights[places].sum()
                rows[row] = mean - self.center if centered else mean
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows


class Trainable(Views, Blobs, Protocol):
    """A store, as far as training reads and writes it."""


def train(
    store: Trainable, *, settings: TrainingSettings | None = None, fresh: bool = False, progress: Progress | None = None
) -> Trained:
    """Train the model of a store, or go on with the passages that came since; `fresh` begins anew.

    Words of passages that went away stay known until a fresh start.
    """
    view = store.view()
    old = None if fresh else load(view, to_train=True)
    # Vectors of another size cannot be trained further; those of other settings would mix two models.
    if old is not None and settings is not None and old.settings != settings:
        old = None
    chosen = settings or (old.settings if old else TrainingSettings())
    known = old.seen if old is not None else np.zeros(0, dtype=np.uint64)
    digests = array("Q")
    acronyms = Acronyms()

    def new() -> Iterator[list[str]]:
        for passage in view.scan():
            digests.append(_digest(passage))
            if not _among(known, digests[-1]):
                acronyms.count(passage.text)
                yield words_of(passage)

    texts = WordLists(new())
    if old is not None and not len(texts):
        store.put_blob(NAME, _pack(old))
        divide(store)
        return Trained(len(old.words), len(old.terms.phrases), len(old.terms.acronyms), len(digests), 0)
    if old is not None and not old.words:
        # No word was met often enough before: there is nothing to go on with.
        return train(store, settings=chosen, fresh=True, progress=progress)
    terms = old.terms if old is not None else learn_terms(acronyms.with_agreement(), texts)
    read = len(texts)
    sentences = WordLists(map(terms.join, texts))
    del texts  # the words as they are written are not needed any more
    words, counts, vectors, context = _learn(sentences, chosen, old, progress)
    seen = np.unique(np.array(digests, dtype=np.uint64))
    model = WordVectors(words, counts, vectors, context, _center(counts, vectors), terms, seen, chosen)
    _put_model(store, model)
    return Trained(len(words), len(terms.phrases), len(terms.acronyms), len(digests), read)


def put(store: Trainable, words: tuple[str, ...], counts: NDArray[np.int64], vectors: Half) -> None:
    """Give a store word vectors that were learned elsewhere; they are not trained further."""
    nothing = np.zeros(0, dtype=np.uint64)
    _put_model(store, WordVectors(words, counts, vectors, vectors[:0], _center(counts, vectors), Terms(), nothing))


def _put_model(store: Trainable, model: WordVectors) -> None:
    data = _pack(model)
    store.put_blob(NAME, data)
    store.put_blob(STAMP, hashlib.sha256(data).hexdigest()[:16].encode())
    divide(store)


def stamp(cache: Cache | Blobs) -> tuple[int, str] | None:
    """Return which model a store holds, and for which generation it was trained; None when it holds none."""
    blob = cache.get_blob(STAMP)
    return (blob[0], blob[1].decode()) if blob else None


def load(cache: Cache, *, to_train: bool = False) -> WordVectors | None:
    """Load the model of a store; with what only training needs where that is asked for."""
    blob = cache.get_blob(NAME)
    return _unpack(blob[1], to_train) if blob else None


def divide(store: Trainable) -> None:
    """Keep the model of a store in blocks too, from which a question is answered without loading all of it."""
    known = stamp(store)
    if known is None or block_cache.head(store, BLOCKS, known[1]) is not None:
        return
    if (model := load(store.view())) is not None:
        block_cache.put_blocks(store, BLOCKS, known[1], known[0], _blocks(model))


class QuestionVectors:
    """Turns questions into vectors as the whole model would, with only their words of it in memory."""

    def __init__(self, cache: Cache, stamp: str) -> None:
        cached = block_cache.load(cache, BLOCKS, stamp)
        if cached is None and (model := load(cache)) is not None:
            # Trained before models were divided, or copied from another store.
            spool = Spool()
            self._parts: Sequence[Stored] = [spool.put(values) for values in _blocks(model)]
        else:
            self._parts = cached.parts if cached else ()
        self._known: dict[str, Vectors] = {}

    def embed(self, question: str) -> Vectors:
        """Return the vector of a question."""
        if question not in self._known:
            if len(self._known) >= _QUESTIONS:
                self._known.clear()
            self._known[question] = self._load_words(content_words(question)).embed([question])[0]
        return self._known[question]

    def _load_words(self, words: Sequence[str]) -> WordVectors:
        """Read as much of the model as some words need."""
        general, *parts = self._parts
        values = general.read()
        bare = set(text.singulars(words))
        terms = Terms.of(
            (line for line in Texts.of(values, "phrases").all() if line.split(" ", 1)[0] in bare),
            (line for line in Texts.of(values, "acronyms").all() if not bare.isdisjoint(line.split(None, 2)[:2])),
        )
        wanted = set(terms.join(words))
        known: list[str] = []
        counts, vectors = [np.zeros(0, dtype=np.int64)], [values["vectors"]]
        for part in parts:
            block = part.read()
            words_here = Texts.of(block, "words")
            # Few words have the checksum of a wanted one without being it, so that few are read.
            may_be = np.flatnonzero(np.isin(block["sums"], checksums(wanted))).tolist()
            places = [place for place in may_be if words_here[place] in wanted]
            known += [words_here[place] for place in places]
            counts.append(block["counts"][places])
            vectors.append(block["vectors"][places])
        return WordVectors(
            tuple(known), np.concatenate(counts), np.concatenate(vectors), values["vectors"], values["center"].copy(),
            terms, np.zeros(0, dtype=np.uint64), total=int(values["total"][0]),
        )  # fmt: skip


def unread(view: View) -> float:
    """Return which share of the passages the model of a store was not trained on; all of them where it has none."""
    blob = view.get_blob(NAME)
    seen = arrays.unpack(blob[1])["seen"] if blob else np.zeros(0, dtype=np.uint64)
    digests = np.array(array("Q", map(_digest, view.scan())), dtype=np.uint64)
    return float((~np.isin(digests, seen)).mean()) if len(digests) else 0.0


# --- training -------------------------------------------------------------------------------------


def _learn(
    sentences: WordLists, settings: TrainingSettings, old: WordVectors | None, progress: Progress | None
) -> tuple[tuple[str, ...], NDArray[np.int64], Half, Half]:
    with needs_extra("training word2vec", "hybrid"):
        from gensim.models import Word2Vec
    network: Any = Word2Vec(
        vector_size=settings.dimension, window=settings.window, min_count=settings.min_count, sg=1, negative=5,
        seed=settings.seed, workers=1, hashfxn=_hash, sample=1e-3,
    )  # fmt: skip
    report = progress or (lambda *_: None)
    report("learning words", 0, settings.epochs)
    if old is None:
        network.build_vocab(sentences)
    else:
        network.build_vocab_from_freq(dict(zip(old.words, old.counts.tolist(), strict=True)))
        order = [old.place[w] for w in network.wv.index_to_key]
        # gensim orders words by how often they were met; ours come in the order of the old model.
        network.wv.vectors[:] = old.vectors[order]
        network.syn1neg[:] = old.context[order]
        network.build_vocab(sentences, update=True)
    if len(network.wv):
        for epoch in range(settings.epochs):
            # One epoch at a time, so that a person sees it move; the rate falls over all of them as it would in one go.
            high, low = (0.025 - 0.0249 * (epoch + step) / settings.epochs for step in (0, 1))
            network.train(sentences, total_examples=len(sentences), epochs=1, start_alpha=high, end_alpha=low)
            report("learning words", epoch + 1, settings.epochs)
    words = tuple(network.wv.index_to_key)
    counts = np.array([network.wv.get_vecattr(w, "count") for w in words], dtype=np.int64)
    return words, counts, network.wv.vectors.astype(np.float16), network.syn1neg.astype(np.float16)


def _center(counts: NDArray[np.int64], vectors: Half) -> Vectors:
    """The vector of the whole corpus, read as one text."""
    weights = counts * _weights(counts)
    return (weights @ vectors.astype(np.float32) / max(1e-9, float(weights.sum()))).astype(np.float32)


def _weights(counts: NDArray[np.int64], total: int = 0) -> Vectors:
    share = counts / max(1, total or int(counts.sum()))
    return (_COMMON / (_COMMON + share)).astype(np.float32)


def _hash(word: str) -> int:
    # Python's own hash of a text differs from one process to the next, and training would with it.
    return zlib.crc32(word.encode())


def _digest(passage: Passage) -> int:
    return digest(f"{passage.id}\n{passage.title}\n{passage.heading}\n{passage.text}")


def _among(known: NDArray[np.uint64], digest: int) -> bool:
    # In a sorted array, since a set of Python numbers would take many times the memory.
    place = int(np.searchsorted(known, np.uint64(digest)))
    return place < len(known) and int(known[place]) == digest


# --- bytes ----------------------------------------------------------------------------------------


def _pack(model: WordVectors) -> bytes:
    names = [getattr(model.settings, f) for f in TrainingSettings.__slots__]
    return arrays.pack(
        {
            "settings": arrays.of_texts([str(n) for n in names]),
            "words": arrays.of_texts(model.words),
            "counts": model.counts,
            "vectors": model.vectors,
            "context": model.context,
            "centre": model.center,  # the name in stored models
            **{name: arrays.of_texts(lines) for name, lines in model.terms.lines().items()},
            "seen": model.seen,
        }
    )


def _unpack(data: bytes, to_train: bool) -> WordVectors:
    values = arrays.unpack(data)
    return WordVectors(
        tuple(arrays.texts(values["words"])),
        # Copied, so that the bytes of all the rest need not stay.
        values["counts"].copy(),
        values["vectors"].copy(),
        values["context"].copy() if to_train else np.zeros((0, 0), dtype=np.float16),
        values["centre"].copy(),
        Terms.of(arrays.texts(values["phrases"]), arrays.texts(values["acronyms"])),
        values["seen"].copy(),
        TrainingSettings(*map(int, arrays.texts(values["settings"]))),
    )


def _blocks(model: WordVectors) -> Iterator[dict[str, Any]]:
    """Yield first what a question needs of the whole model, then its words."""
    terms = model.terms.lines()
    yield {
        "digests": np.zeros(0, dtype=np.uint64),
        "center": model.center,
        "total": np.array([int(model.counts.sum())], dtype=np.int64),
        "vectors": model.vectors[:0],
        **Texts.arrays("phrases", terms["phrases"]),
        **Texts.arrays("acronyms", terms["acronyms"]),
    }
    for at in range(0, len(model.words), _WORDS):
        words = model.words[at : at + _WORDS]
        yield {
            "digests": np.zeros(0, dtype=np.uint64),
            "counts": model.counts[at : at + _WORDS],
            "vectors": model.vectors[at : at + _WORDS],
            "sums": checksums(words),
            **Texts.arrays("words", words),
        }
