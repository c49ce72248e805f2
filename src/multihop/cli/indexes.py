"""Opening an index for a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from multihop.cli.output import open_console, warn
from multihop.cli.progress import progress_bar
from multihop.index.locations import Location

if TYPE_CHECKING:
    from multihop.engine import Engine
    from multihop.lm import Model


# Heavy modules are imported inside functions, here and in every command: --help and completion must answer at once.
def open_index(path: Location, *, wait: float = 0.0) -> Engine:
    """Open an index without vectors, which reading and deleting do not need."""
    from multihop.engine import Engine

    return Engine.open(path, wait=wait, vectors=False)


def open_to_add(path: Location, embedder: str | None, wait: float, distribute: bool = False) -> Engine:
    """Open or create an index to add to. Raises if its embedder is unavailable: passages would lack vectors."""
    from multihop.engine import Engine

    return Engine.open(path, create=True, embedder=embedder, vectors=True, wait=wait, distribute=distribute)


@contextmanager
def open_asked(indexes: Mapping[str, Location], embedder: str | None, lm: Model | None = None) -> Iterator[Engine]:
    """Open the index to ask, or several by name as one that holds the documents of all."""
    from multihop.engine import Engine

    with ExitStack() as stack:
        engines = {n: stack.enter_context(open_with_vectors(place, embedder, lm)) for n, place in indexes.items()}
        if len(engines) == 1:
            yield next(iter(engines.values()))
            return
        if len(made := {engine.recorded_embedder or "none" for engine in engines.values()}) > 1:
            warn(f"vectors are not used, because the indexes have different embedders: {', '.join(sorted(made))}")
        with progress_bar(open_console(stderr=True), wanted=True) as progress:
            together = Engine.combine(engines, progress=progress)
        yield together


def open_with_vectors(path: Location, embedder: str | None, lm: Model | None = None) -> Engine:
    """Open an index with its embedder; if that is unavailable, warn and go on without vectors."""
    from multihop.engine import Engine

    return Engine.open(path, embedder=embedder, lm=lm, warn=warn)


def build_sample_index(folder: Path) -> Path:
    """Build an index of the sample corpus in a folder and return its path."""
    from multihop.engine import Engine
    from multihop.testing import sample_documents

    place = folder / "sample.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(sample_documents())
    return place
