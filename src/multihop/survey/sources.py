"""Opens the source of a survey: an engine, an index, or a folder of files, which is indexed temporarily."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from multihop.engine import Engine
from multihop.errors import IndexLocked, IndexReadOnly, InvalidInput, InvalidRecord
from multihop.index.locations import Location, looks_like_address
from multihop.index.stores import index_exists
from multihop.index.streams import ignore
from multihop.profiles.values import Profile
from multihop.protocols import Progress
from multihop.survey.groups import chosen_groups
from multihop.survey.labels import label_index, labels_known, labels_of

Source = Engine | Location
"""An open engine, the location of an index, or a file or folder of documents."""
_TRIED = 50
"""Number of documents to check before an index counts as one without groups."""


@contextmanager
def open_source(
    source: Source,
    *,
    progress: Progress | None = None,
    on_problem: Callable[[InvalidRecord], object] = ignore,
) -> Iterator[Engine]:
    """Open a source; an engine that the caller opened stays open."""
    if isinstance(source, Engine):
        yield source
    elif looks_like_address(source) or index_exists(source):
        with Engine.open(source) as engine:
            yield engine
    elif not Path(source).exists():
        raise InvalidInput(f"there is no index, folder or file {str(source)!r}")
    else:
        with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "files.mh", create=True) as engine:
            engine.sync(source, progress=progress, on_problem=on_problem)
            if not engine.stats().documents:
                raise InvalidInput(f"{str(source)!r} contains no readable documents")
            yield engine


def label_if_needed(
    engine: Engine, profile: Profile, say: Callable[[str], object] = ignore, progress: Progress | None = None
) -> None:
    """Add missing labels to the documents, or raise if the index does not fit the profile."""
    if labels_known(engine, profile):
        return
    if dict(profile.labels).get(profile.group, "file") != "file" and not engine.values(profile.group, limit=1):
        wanted = [(field, kind) for field, kind in profile.labels if field == profile.group]
        first = filter(None, map(engine.document, (d.id for d in islice(engine.documents(), _TRIED))))
        if not any(labels_of(document, wanted)[profile.group] for document in first):
            chosen_groups(engine, profile, None)  # raises with what is missing
    try:
        label_index(engine, profile, say, progress)
    except (IndexLocked, IndexReadOnly) as error:
        say(f"documents keep the metadata they have: {error}")


def label_without_groups(engine: Engine, profile: Profile) -> None:
    """Label an index without groups for the profile.

    An index with groups is left alone: changed documents lose their relations until `relate` runs again.
    """
    if not engine.values(profile.group, limit=1):
        label_if_needed(engine, profile)
