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
    """Open an index without vectors: enough to look at it and to delete from it."""
    from multihop.engine import Engine

    return Engine.open(path, wait=wait, vectors=False)


def open_to_add(path: Location, embedder: str | None, wait: float, distribute: bool = False) -> Engine:
    """Open an index to add to it, or make it. Raises when its embedder cannot be had: passages would lack vectors."""
    from multihop.engine import Engine

    return Engine.open(path, create=True, embedder=embedder, vectors=True, wait=wait, distribute=distribute)


def open_with_vectors(path: Location, embedder: str | None, lm: Model | None = None) -> Engine:
    """Open an index with its embedder; when that cannot be had, say so and go on without vectors."""
    from multihop.engine import Engine

    return Engine.open(path, embedder=embedder, lm=lm, warn=warn)


def build_sample_index(folder: Path) -> Path:
    """Make an index of the sample corpus in a folder, and say where it is."""
    from multihop.engine import Engine
    from multihop.testing import sample_documents

    place = folder / "sample.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(sample_documents())
    return place
