"""Copies an index in small steps and stands still in the third of them, to be killed there: FROM, TO."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from multihop.index.copying import copy
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import open_store
from multihop.index.stores.core import adding
from multihop.protocols import Divided, Progress, Store


def stalling(documents: Iterable[Divided]) -> Iterator[Divided]:
    yield from islice(documents, 5)
    sys.stdout.write("standing still\n")
    sys.stdout.flush()
    time.sleep(600)


def opened(place: str, **options: Any) -> Store:
    store = open_store(place, MentionLinker(), **options)
    add, steps = store.add, iter(range(100))

    def in_steps(documents: Iterable[Divided], progress: Progress | None = None) -> Any:
        return add(stalling(documents) if next(steps) == 2 else documents, progress)

    store.add = in_steps  # type: ignore[method-assign]
    return store


if __name__ == "__main__":
    adding.GROWTH = 1
    copy(partial(open_store, sys.argv[1], MentionLinker()), partial(opened, sys.argv[2]), step=30)
