"""Opening an index for a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multihop.cli.output import warn
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
