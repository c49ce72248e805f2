"""Memory of agents in an index: append-only, with validity, one namespace per agent or user.

A memory is a document of its own, which, where readers have rights, only the user of that name may see. Updating one
adds a document and ends the old one, forgetting one ends it; what was remembered on an earlier day can still be
recalled as of that day. A conversation is remembered turn by turn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from multihop.engine import Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.types import ALLOW, Document, Metadata, Request, Result, Scalar
from multihop.types.notes import NOT_IN_FORCE, SHORT

NAMESPACE = "memory.namespace"
"""Metadata field of the namespace that a memory belongs to."""
_ENDED = "memory.ended"
_LONGEST_NAMESPACE = 200


class Said(NamedTuple):
    """One turn of a conversation: who said what, and when."""

    speaker: str
    text: str
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """The memories of one namespace in an index."""

    engine: Engine
    namespace: str

    def __post_init__(self) -> None:
        if not self.namespace.strip() or len(self.namespace) > _LONGEST_NAMESPACE or "#" in self.namespace:
            raise InvalidInput(
                f"a namespace is a name of 1 to {_LONGEST_NAMESPACE} characters without #, got {self.namespace!r:.80}"
            )

    def remember(
        self,
        text: str,
        *,
        speaker: str = "",
        time: datetime | None = None,
        metadata: Mapping[str, Scalar] | None = None,
    ) -> str:
        """Remember a text and return its id; `time` is when it was said, now by default."""
        [id] = self.remember_turns([Said(speaker, text, time)], metadata=metadata)
        return id

    def remember_turns(self, turns: Iterable[Said], *, metadata: Mapping[str, Scalar] | None = None) -> list[str]:
        """Remember a conversation, each turn as a memory of its own, and return their ids."""
        documents = [self._document(place, said, metadata or {}) for place, said in enumerate(turns)]
        if not documents:
            raise InvalidInput("there is nothing to remember; give a text")
        self.engine.add(documents)
        return [document.id for document in documents]

    def update(self, id: str, text: str, *, time: datetime | None = None) -> str:
        """Replace what is remembered and return the id of the new memory; the old one ends."""
        old = self._get(id)
        speaker = str(old.metadata.get("speaker", ""))
        kept = {k: v for k, v in old.metadata.items() if k not in _OWN and isinstance(v, str | int | float | bool)}
        new = self._document(0, Said(speaker, text, time), {**kept, "supersedes": id})
        self.engine.add([new, _end(old, new.metadata["valid_from"])])
        return new.id

    def forget(self, id: str) -> None:
        """End a memory: it is no longer recalled, except as of an earlier day."""
        self.engine.add([_end(self._get(id), date.today().isoformat())])

    def recall(self, question: str | Request, **options: Any) -> Result:
        """Find what is remembered on a question, today or `as_of` a day; options as for `Engine.retrieve`."""
        asked = Request.of(question, **options)
        own = {NAMESPACE: self.namespace}
        if NAMESPACE not in self.engine.stats().fields or not self.engine.store.view(own).size:
            raise UnknownName(f"nothing is remembered for {self.namespace!r:.80} yet")
        result = self.engine.retrieve(replace(asked, where={"$and": [own, asked.where]} if asked.where else own))
        # Memories that ended are left out on purpose, and fewer than k are usual.
        notes = tuple(note for note in result.trace.notes if note.code not in (NOT_IN_FORCE, SHORT))
        return replace(result, trace=replace(result.trace, notes=notes))

    def _document(self, place: int, said: Said, metadata: Mapping[str, Scalar]) -> Document:
        if not said.text.strip():
            raise InvalidInput("there is nothing to remember; give a text")
        at = _now(said.time)
        recorded = datetime.now(UTC).isoformat(timespec="microseconds")
        digest = hashlib.sha256(f"{recorded}\0{place}\0{said.speaker}\0{said.text}".encode()).hexdigest()[:10]
        own: dict[str, Any] = {
            NAMESPACE: self.namespace, ALLOW: (self.namespace,), "time": at.isoformat(timespec="seconds"),
            "valid_from": at.astimezone().date().isoformat(),
        }  # fmt: skip
        own |= {"speaker": said.speaker} if said.speaker else {}
        day = f"{at.day} {at:%B %Y}"
        title = f"{said.speaker}, {day}" if said.speaker else day
        text = f"{said.speaker}: {said.text}" if said.speaker else said.text
        return Document(f"{self.namespace}/{at:%Y%m%dT%H%M%S}-{digest}", text, title, {**metadata, **own})

    def _get(self, id: str) -> Document:
        document = self.engine.document(id.partition("#")[0])
        # One of another namespace is as unknown as one that does not exist.
        if document is None or document.metadata.get(NAMESPACE) != self.namespace:
            raise UnknownName(f"memory {id!r:.80} not found in the namespace {self.namespace!r:.80}")
        if _ENDED in document.metadata:
            raise UnknownName(f"memory {id!r:.80} was already replaced or forgotten; recall what is remembered now")
        return document


_OWN = frozenset((NAMESPACE, ALLOW, _ENDED, "time", "speaker", "valid_from", "valid_until", "supersedes"))


def _end(old: Document, since: object) -> Document:
    """Return a memory that holds until the day before."""
    last = date.fromisoformat(str(since)) - timedelta(days=1)
    ended: Metadata = {**old.metadata, "valid_until": last.isoformat(), _ENDED: _now(None).isoformat()}
    return replace(old, metadata=ended)


def _now(given: datetime | None) -> datetime:
    moment = given or datetime.now(UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
