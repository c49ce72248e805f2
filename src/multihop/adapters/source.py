"""Shared by all adapters: opening an index, asking it, and describing evidence as flat metadata."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import Any, Unpack

from multihop.adapters.translation import to_options
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.index.locations import has_password, redact
from multihop.loop import Strategy
from multihop.rendering.prompt import write_prompt
from multihop.strategies import STRATEGIES
from multihop.types import Answer, Evidence, Request, RequestOptions, Result, plain


class Source:
    """The index of an adapter, and the options of every question; those given for one question override them.

    The index is the caller's engine, or a location that is opened at the first question.

    A location is a folder or a `postgresql://` URL, opened with the embedder the index was built with. An index opened
    here is closed by `close`, or when the source is garbage collected; the caller's engine is never closed.
    Thread-safe.
    """

    def __init__(self, index: Engine | str | Path, **options: Any) -> None:
        if not isinstance(index, Engine | str | Path):
            raise InvalidInput(
                "an index is a multihop.Engine, the path of its folder or a postgresql:// URL, "
                f"got {type(index).__name__}"
            )
        self._given = index
        self.options = to_options(options)
        # Invalid options are refused here rather than at the first question.
        Request.of("?", **self.options)
        # Concurrent first questions must not open the index twice.
        self._opening = threading.Lock()
        self._opened: Engine | None = None
        self._closing: weakref.finalize[[], Source] | None = None

    def engine(self) -> Engine:
        """Return the engine, opening the index if necessary."""
        if isinstance(self._given, Engine):
            return self._given
        with self._opening:
            if self._opened is None:
                # Raises if its embedder is missing: evidence found without vectors would differ.
                self._opened = Engine.open(self._given, vectors=True)
                # Adapters are often dropped without being closed.
                self._closing = weakref.finalize(self, self._opened.close)
            return self._opened

    def ask(self, question: str, **given: Any) -> Result:
        """Retrieve the evidence for a question; an empty filter lifts that of every question."""
        return self.engine().retrieve(question, **{**self.options, **to_options(given)})

    def answer(self, question: str, **given: Any) -> Answer:
        """Answer a question from its evidence."""
        return self.engine().answer(question, **{**self.options, **to_options(given)})

    def close(self) -> None:
        """Close the index if it was opened here; the next question reopens it."""
        with self._opening:
            if self._closing is not None:
                self._closing()
            self._opened = self._closing = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Source:
        # Optimizers copy programs, which must share one index.
        return self

    @property
    def path(self) -> str:
        """The location of the index, for serialization; raises if it contains a password."""
        place = self._given.store.location if isinstance(self._given, Engine) else self._given
        # The location of a store masks its password.
        if has_password(place) or "***" in str(place):
            raise InvalidInput(
                f"{redact(place)!r} contains a password and is not saved; leave it out of the URL and "
                "give it in the environment variable PGPASSWORD, or in ~/.pgpass"
            )
        return str(place)


class IndexAdapter:
    """Base of adapters: one index, with options for every question."""

    def __init__(self, index: Engine | str | Path, **options: Unpack[RequestOptions]) -> None:
        super().__init__()
        self._source = Source(index, **options)

    def close(self) -> None:
        """Close the index if it was opened here."""
        self._source.close()


def strategy_name(strategy: str | Strategy) -> str:
    """Return the name of a strategy for serialization; raises for a strategy that is not built in."""
    if isinstance(strategy, str):
        return strategy
    if STRATEGIES.get(strategy.name) == strategy:
        return strategy.name
    raise InvalidInput(f"the strategy {strategy.name!r} is not built in and cannot be saved; give a name")


def evidence_metadata(evidence: Evidence, result: Result) -> dict[str, Any]:
    """Describe evidence as flat, plain values: the metadata of its document, and its rank, scores and reason.

    A document field that clashes with one of ours becomes "document.NAME".
    """
    passage = evidence.passage
    ours = {
        "document_id": passage.document_id, "passage_id": passage.id, "title": passage.title,
        "heading": passage.heading, "rank": evidence.rank, "hop": evidence.hop, "reason": evidence.reason,
        "score": round(evidence.score, 6), "scores": plain(evidence.scores),
        "page": passage.page, "citation": passage.citation,
        "part": result.chain.part_of(passage.id), "led_by": _leading_sentence(passage.id, result),
    }  # fmt: skip
    theirs = {f"document.{f}" if f in ours else f: plain(v) for f, v in passage.metadata.items()}
    return theirs | ours


def _leading_sentence(passage_id: str, result: Result) -> str:
    """Return the sentence by which the chain leads to a passage; empty for passages not on the chain."""
    return next((link.quote.text for link in result.chain.links if link.target == passage_id), "")


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Describe an answer as plain values; of its evidence, `context` for a prompt."""
    row: dict[str, Any] = plain(answer)
    del row["result"]
    return row | {"answered": answer.answered, "context": write_prompt(answer.result)}
