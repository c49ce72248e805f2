"""The names of files: each file has one id in an index, however it is reached, and no two files have the same.

A file is known by its path below the folder that it was first read with. An index keeps the folders and files that it
was given, so that a file indexed alone after its folder keeps its id, and a second folder does not take the ids of the
first: its ids begin with its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from multihop.errors import InvalidInput, InvalidRecord, cause
from multihop.index.readers.decoding import source_of
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.record import FreshIds
from multihop.index.readers.sources import GivenSource, Reading
from multihop.index.streams import Seen


def existing(path: Path | str) -> Path:
    """Return the path of a file or folder, or raise when there is none."""
    place = Path(path)
    try:
        exists = place.exists()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot look for {source_of(place)!r}: {cause(error)}") from error
    # The empty path would mean the current folder, which nobody asks for by leaving something out.
    if not exists or not str(path):
        raise InvalidInput(f"no such file or folder: {source_of(place) if str(path) else repr('')}")
    return place


@dataclass(frozen=True, slots=True)
class Naming:
    """How the files of one source are named."""

    names: SourceNames
    given: Path
    place: Path
    root: Path
    """The folder up to which a metadata.csv describes the files."""

    @property
    def ids(self) -> FreshIds:
        return self.names.ids

    def name(self, file: Path) -> str:
        return self.names.name(self.place_of(file))

    def is_new(self, file: Path) -> bool:
        """Record a file; False when it was read before, as part of another source."""
        return self.names.files.add(str(self.place_of(file)))

    def place_of(self, file: Path) -> Path:
        """Return where a file lies, however the source was given."""
        return self.place / file.relative_to(self.given)


class SourceNames:
    """Names the files of all sources that are read together, and of those that the index was given before."""

    BLOB: ClassVar = "sources"
    """The name under which an index keeps its sources."""

    def __init__(self, known: Iterable[GivenSource] = ()) -> None:
        self._known = {Path(source.path): source for source in known}
        self._temporary: set[Path] = set()
        self.ids = FreshIds()
        self.files = Seen()
        self.notes: list[str] = []
        """What was named otherwise than by its path alone, and why."""

    @classmethod
    def load(cls, stored: tuple[int, bytes] | None) -> SourceNames:
        """Read them as `get_blob` of a store gives them."""
        return cls(GivenSource(*row) for row in json.loads(stored[1])) if stored else cls()

    def dump(self) -> bytes:
        kept = [source for place, source in self._known.items() if place not in self._temporary]
        # Options are written only where there are any; sorted, so that the same sources give the same bytes.
        rows = ((*source[:3], dict(source.options)) if source.options else source[:3] for source in kept)
        return json.dumps(sorted(rows, key=lambda row: row[:3])).encode()

    def enter(self, path: Path, *, temporary: bool = False) -> Naming:
        """Add a folder or file; one that is not in a known folder gets a unique name.

        A `temporary` one is named for this reading only.
        """
        place = path.resolve()
        if self._nearest(place) is None:
            self._known[place] = self._name(place, path)
            if temporary:
                self._temporary.add(place)
        return Naming(self, path, place, self.read_as(place).root)

    def name(self, place: Path) -> str:
        """Name a file below a source that was taken in."""
        source = self._nearest(place)
        return place.name if source is None else source.name_of(place)

    def unique_name(self, place: Path) -> str:
        """Name a file below a source; raises if a file of another source has that name."""
        name = self.name(place)
        if (other := self.place(name)) != place:
            raise InvalidRecord(
                f"the id {name!r} is already that of {source_of(other or place)!r}; rename one of the two files",
                source=source_of(place),
            )
        return name

    def place(self, name: str) -> Path | None:
        """Return where the file of a name lies, or lay; None for a name that is of no source."""
        fitting = [s for s in self._known.values() if name == s.name or (s.is_folder and name.startswith(s.name))]
        # One source may lie in another, and the longer name belongs to the inner one.
        nearest = max(fitting, key=lambda source: len(source.name), default=None)
        if nearest is None:
            return None
        return Path(nearest.path, name[len(nearest.name) :]) if nearest.is_folder else Path(nearest.path)

    @property
    def sources(self) -> tuple[GivenSource, ...]:
        """The folders and files that were given, by path."""
        return tuple(source for _, source in sorted(self._known.items()))

    def related(self, place: Path) -> tuple[GivenSource, ...]:
        """Return the sources that hold a place and those that lie in it, the outermost first."""
        return tuple(s for s in self.sources if place.is_relative_to(s.path) or Path(s.path).is_relative_to(place))

    def forget(self, place: Path) -> None:
        """Forget a source and those in it."""
        self._known = {known: source for known, source in self._known.items() if not known.is_relative_to(place)}

    def read_as(self, place: Path) -> Reading:
        """Return how a file or folder which was taken in is read."""
        sources = tuple(self._known[p] for p in (*reversed(place.parents), place) if p in self._known)
        if not sources:
            raise InvalidInput(f"{source_of(place)!r} is in no folder that the index was given")
        return Reading(sources)

    def give(self, path: Path | str, *, reset_options: bool = False, **given: Any) -> Path:
        """Add a folder or file, and the options given now to those that it has, or with `reset_options` instead."""
        place = existing(path)
        self.enter(place)
        resolved = place.resolve()
        *around, source = self.read_as(resolved).sources
        if source.path != str(resolved):
            around.append(source)
            name = source.name_of(resolved) + ("/" if place.is_dir() else "")
            source = GivenSource(str(resolved), name, place.is_dir())
        own = {} if reset_options else dict(source.options)
        own |= {name: value for name, value in given.items() if value is not None}
        chosen = ReadOptions.of(own).to_json()
        # Within another source, the usual value may be meant to differ from that one's.
        own = {name: chosen.get(name, value) for name, value in own.items()} if around else chosen
        # A part of a folder is a source of its own only if it is read in another way.
        if own or resolved in self._known:
            self._known[resolved] = source._replace(options=own)
        return place

    def _nearest(self, place: Path) -> GivenSource | None:
        return next((self._known[p] for p in (place, *place.parents) if p in self._known), None)

    def _name(self, place: Path, path: Path) -> GivenSource:
        candidates = (GivenSource(str(place), name, place.is_dir()) for name in _candidates(place))
        usual = next(candidates)
        if not self._clashes(usual):
            return usual
        free = next(source for source in candidates if not self._clashes(source))
        what = f"the ids of its files begin with {free.name!r}" if free.is_folder else f"its id is {free.name!r}"
        self.notes.append(f"{source_of(path)}: {what}, because another source of the index has the shorter ones")
        return free

    def _clashes(self, new: GivenSource) -> bool:
        return any(new.name == old.name or _holds(new, old) or _holds(old, new) for old in self._known.values())


def _holds(folder: GivenSource, other: GivenSource) -> bool:
    """Return whether a folder has a file or folder with the very id, or beginning of ids, of another source."""
    if not folder.is_folder or not other.name.startswith(folder.name) or other.name == folder.name:
        return False
    # Asked of the file system, since the folder may hold files that were never read.
    inner = Path(folder.path, other.name[len(folder.name) :])
    return inner != Path(other.path) and inner.exists()


def _candidates(place: Path) -> Iterator[str]:
    """Yield names for a source: the usual one, the one with its folder, and that with a number, without end."""
    is_folder = place.is_dir()
    yield "" if is_folder else place.name
    folder = (place if is_folder else place.parent).name or "root"
    rest = "" if is_folder else place.name
    yield f"{folder}/{rest}"
    yield from (f"{folder}~{number}/{rest}" for number in count(2))
