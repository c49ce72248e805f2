"""The names of files: each file has one id in an index, however it is reached, and no two files have the same.

A file is known by its path below the folder that it was first read with. An index keeps the folders and files that it
was given, so that a file indexed alone after its folder keeps its id, and a second folder does not take the ids of the
first: its ids begin with its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from multihop.errors import InvalidInput, InvalidRecord, cause
from multihop.index.readers.decoding import source_of
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.record import FreshIds
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


class GivenSource(NamedTuple):
    """A folder, with what the ids of its files begin with, or a file with its id."""

    path: str
    name: str
    is_folder: bool
    options: Mapping[str, Any] = {}
    """How it is read, so that it is read the same way the next time."""


@dataclass(frozen=True, slots=True)
class Naming:
    """How the files of one source are named."""

    names: SourceNames
    given: Path
    place: Path

    @property
    def ids(self) -> FreshIds:
        return self.names.ids

    def name(self, file: Path) -> str:
        return self.names.name(self._place(file))

    def is_new(self, file: Path) -> bool:
        """Record a file; False when it was read before, as part of another source."""
        return self.names.files.add(str(self._place(file)))

    def _place(self, file: Path) -> Path:
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
        return Naming(self, path, place)

    def name(self, place: Path) -> str:
        """Name a file below a source that was taken in."""
        source = self._nearest(place)
        if source is None:
            return place.name
        return source.name + place.relative_to(source.path).as_posix() if source.is_folder else source.name

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

    def forget(self, place: Path) -> None:
        """Forget a source and those in it."""
        self._known = {known: source for known, source in self._known.items() if not known.is_relative_to(place)}

    def reset(self, path: Path | str) -> None:
        """Forget how a folder or file is read: the next reading starts from the default options."""
        place = existing(path).resolve()
        if place in self._known:
            self._known[place] = self._known[place]._replace(options={})

    def source_of(self, place: Path) -> GivenSource:
        """Return the source that a file or folder which was taken in belongs to."""
        nearest = self._nearest(place)
        if nearest is None:
            raise InvalidInput(f"{source_of(place)!r} is in no folder that the index was given")
        return nearest

    def reading(self, path: Path | str, **given: Any) -> tuple[Path, ReadOptions]:
        """Add a folder or file and return how it is read: as the last time, except for the options given now."""
        place = existing(path)
        self.enter(place)
        source = self.source_of(place.resolve())
        options = ReadOptions.of(source.options, **given)
        # Options of a single file below a known folder hold for this reading alone: the folder keeps its own.
        if place.resolve() == Path(source.path):
            self._known[Path(source.path)] = source._replace(options=options.to_json())
        return place, options

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
