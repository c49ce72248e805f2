"""What was said in conversations: passages given are not given again, and questions may refer to earlier ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from multihop.answering.conversation import Turn

_MOST_CONVERSATIONS = 1000
_MOST_PASSAGES = 1000
_MOST_TURNS = 20


class Conversations:
    """The passages and turns of each conversation, per index; the least recently used conversations are dropped."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], dict[str, None]] = OrderedDict()
        self._turns: OrderedDict[tuple[str, str], tuple[Turn, ...]] = OrderedDict()
        # Tools run in threads.
        self._lock = threading.Lock()

    def list_seen(self, index: str, name: str | None) -> list[str]:
        """Return the ids of the passages that a conversation has seen; none without a name."""
        with self._lock:
            return list(self._seen.get((index, name), ())) if name is not None else []

    def add(self, index: str, name: str | None, passages: Iterable[str]) -> None:
        """Note that a conversation has seen passages."""
        if name is None:
            return
        with self._lock:
            seen = self._seen.setdefault((index, name), {})
            seen.update(dict.fromkeys(passages))
            for old in list(seen)[:-_MOST_PASSAGES]:
                del seen[old]
            self._seen.move_to_end((index, name))
            if len(self._seen) > _MOST_CONVERSATIONS:
                self._seen.popitem(last=False)

    def turns(self, index: str, name: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation."""
        with self._lock:
            return self._turns.get((index, name), ())

    def set_turns(self, index: str, name: str, turns: tuple[Turn, ...]) -> None:
        """Replace the turns of a conversation."""
        with self._lock:
            self._turns[index, name] = turns[-_MOST_TURNS:]
            self._turns.move_to_end((index, name))
            if len(self._turns) > _MOST_CONVERSATIONS:
                self._turns.popitem(last=False)
