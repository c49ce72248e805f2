"""What a dataset is: questions that know their gold documents, and the corpus they are asked of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from multihop.evaluation.datasets.shuffle import ContentHash, content_key, shuffle
from multihop.types import Document

CONVERSATION = "conversation"
"""Metadata field of the conversation that a turn belongs to, in datasets of several."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question or a claim, and the documents that together answer or decide it."""

    id: str
    text: str
    gold: tuple[str, ...]
    """Ids of documents of the corpus; all of them are needed."""
    hops: int | None = None
    type: str = ""
    answer: str = ""
    label: str = ""
    conversation: str = ""
    """The one conversation it is about: only documents with this value of the field `CONVERSATION` are searched."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a dataset, read anew at every call of `read`; its size and hash were taken when loading."""

    read: Callable[[], Iterator[Document]] = field(repr=False, compare=False)
    size: int = 0
    hash: str = ""


@dataclass(frozen=True)
class Dataset:
    """Questions and their corpus, as `load` gives them.

    `source` says where it was read from and `notes` what a report about it must not hide: questions that were kept out,
    a corpus that is smaller than the official one. With `whole` the documents are passages already: pass it
    to `Engine.add`.
    """

    name: str
    split: str
    questions: tuple[Question, ...] = field(repr=False)
    corpus: Corpus
    source: str = ""
    whole: bool = True
    notes: tuple[str, ...] = ()

    def documents(self) -> Iterator[Document]:
        """Stream the corpus in an order that depends on its content only, never on the order of the questions."""
        return shuffle(self.corpus.read())

    def corpus_hash(self) -> str:
        """Return a hash of all titles and texts; it does not depend on the order of the rows."""
        return self.corpus.hash

    def __len__(self) -> int:
        return len(self.questions)


def dataset_of(
    name: str, split: str, questions: Iterable[Question], read: Callable[[], Iterable[Document]], *, whole: bool = True
) -> Dataset:
    """Make a dataset of questions and of documents that `read` gives anew at every call, which it is once here."""
    hash = ContentHash()
    for document in read():
        hash.add(content_key(document.title, document.text))
    return Dataset(name, split, tuple(questions), Corpus(lambda: iter(read()), hash.rows, hash.hex()), name, whole)
