"""The engine: an index, opened, with everything one does with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from multihop import loop
from multihop.errors import InvalidBudget, InvalidFilter, InvalidQuestion, InvalidRecord, UnknownName
from multihop.links.mentions import MentionLinker
from multihop.loop import Strategy
from multihop.protocols import Divided, Embedder, Progress, Store
from multihop.readers import checked_id, split
from multihop.stores import open_store
from multihop.strategies import strategy as strategy_named
from multihop.types import Added, Check, Document, Hop, Piece, Result, Scalar, Stats, Where

MOST_PASSAGES = 1000
LONGEST_QUESTION = 20_000


class Engine:
    """Finds evidence in one index. Safe to share between threads; use it as a context manager or call close()."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        embedder: Embedder | None = None,
        wait: float = 0.0,
        distribute: bool = False,
    ) -> Engine:
        """Open the index in a folder or on a server (`postgresql://…`), or make it with `create`.

        The embedder must be the one the index was made with; without one the vectors stay unused. `wait` is how many
        seconds a write waits for another process that is writing. `distribute` spreads an index on a server over the
        nodes of its Citus cluster.
        """
        store = open_store(path, MentionLinker(), create=create, embedder=embedder, wait=wait, distribute=distribute)
        return cls(store)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder the index was opened with."""
        return self.store.embedder

    @property
    def recorded_embedder(self) -> str | None:
        """The identity of the embedder whose vectors the index holds, opened with it or not."""
        return self.store.recorded_embedder

    # --- documents ---

    def add(
        self, documents: Iterable[Document] | Document, *, whole: bool = False, progress: Progress | None = None
    ) -> Added:
        """Add documents, or replace those whose id is known; returns when they are safely on disk.

        The documents are taken one by one, so a generator of any length is fine. Long streams are stored in several
        transactions; each document is wholly there or not at all. With `whole` every document stays one passage, for
        corpora that are cut into passages already.
        """
        stream = (documents,) if isinstance(documents, Document) else documents
        return self.store.add(_divided(stream, whole), progress)

    def delete(self, ids: Iterable[str] | str) -> Added:
        """Delete documents by id; unknown ids are passed over, the result says how many were there."""
        return self.store.delete((ids,) if isinstance(ids, str) else ids)

    def document(self, id: str) -> Document | None:
        """Give back a document as it was added, or None."""
        return self.store.document(id)

    # --- questions ---

    def retrieve(
        self,
        question: str,
        *,
        k: int = 21,
        strategy: str | Strategy = "auto",
        where: Where | None = None,
        on_hop: Callable[[Hop], None] | None = None,
    ) -> Result:
        """Find at most k passages that together answer the question or decide the claim, and say why.

        `where` keeps to documents whose metadata match: {"country": "Japan"}, {"country": ["Japan", "Brazil"]},
        {"year": {"gte": 1990, "lt": 2000}}. `on_hop` is called after every hop.
        """
        if not isinstance(strategy, str | Strategy):
            raise UnknownName(f"a strategy is a name or a multihop.Strategy, got {strategy!r:.80}")
        chosen = strategy_named(strategy) if isinstance(strategy, str) else strategy
        _check_question(question)
        _check_budget(k)
        if where is not None and not hasattr(where, "items"):
            raise InvalidFilter(f"a filter is a mapping from field to condition, not {where!r}")
        return loop.run(chosen, question, k, self.store.view(where), where=where, on_hop=on_hop)

    # --- the index itself ---

    def refresh(self) -> int:
        """Look at the newest state of the index and return its generation; `retrieve` does so by itself."""
        return self.store.refresh()

    def stats(self) -> Stats:
        """Count what is in the index."""
        return self.store.stats()

    def verify(self, *, repair: bool = True) -> list[Check]:
        """Check the search caches against the documents and rebuild what differs."""
        return self.store.verify(repair)

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _divided(documents: Iterable[Document], whole: bool) -> Iterator[Divided]:
    for document in documents:
        _check_document(document)
        yield document, [Piece("", document.text.strip())] if whole else split(document)


def _check_document(document: Document) -> None:
    if not isinstance(document, Document):
        raise InvalidRecord(f"expected a multihop.Document, got {type(document).__name__}")
    if not isinstance(document.id, str):
        raise InvalidRecord(f"a document id is a text, got {document.id!r:.80}")
    checked_id(document.id)
    if not isinstance(document.text, str) or not document.text.strip():
        raise InvalidRecord(f"document {document.id!r} has no text")
    if not isinstance(document.title, str):
        raise InvalidRecord(f"document {document.id!r} has the title {document.title!r:.80}; a title is a text")
    if not isinstance(document.aliases, tuple | list) or not all(isinstance(a, str) for a in document.aliases):
        raise InvalidRecord(f"document {document.id!r} has the aliases {document.aliases!r:.80}; give a list of texts")
    if not isinstance(document.metadata, Mapping):
        raise InvalidRecord(f"document {document.id!r} has the metadata {document.metadata!r:.80}; give a mapping")
    for field, value in document.metadata.items():
        for each in value if isinstance(value, tuple | list) else (value,):
            _check_value(document.id, field, each)


def _check_value(id: str, field: Any, value: Any) -> None:
    if (
        not isinstance(field, str)
        or not isinstance(value, Scalar)
        or (isinstance(value, float) and not math.isfinite(value))
    ):
        raise InvalidRecord(
            f"document {id!r} has metadata {field!r}: {value!r}; "
            "allowed are texts, finite numbers, booleans, and lists of them"
        )


def _check_question(question: str) -> None:
    if not isinstance(question, str) or not question.strip():
        raise InvalidQuestion("the question is empty; give a claim or a question")
    if len(question) > LONGEST_QUESTION:
        raise InvalidQuestion(f"the question has {len(question)} characters; at most {LONGEST_QUESTION} are allowed")


def _check_budget(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_PASSAGES:
        raise InvalidBudget(f"k is the number of passages wanted, a whole number from 1 to {MOST_PASSAGES}; got {k!r}")
