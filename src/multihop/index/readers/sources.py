"""Sources: the folders and files that an index was given, one perhaps within another, and how their files are read.

A file is read with the options of all sources it lies in, and the innermost counts first: what a folder gives its
documents, such as the field `allow`, also holds for a folder in it that has options of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from multihop.index.readers.options import ReadOptions, path_metadata
from multihop.types import Scalar


class GivenSource(NamedTuple):
    """A folder, with what the ids of its files begin with, or a file with its id."""

    path: str
    name: str
    is_folder: bool
    options: Mapping[str, Any] = {}
    """How it is read, but for what the sources around it say."""

    @property
    def is_gone(self) -> bool:
        """Whether it was moved or deleted; one that cannot be reached may still be there."""
        try:
            Path(self.path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def name_of(self, place: Path) -> str:
        """Return the id of a file in the folder, or what the ids of the source begin with."""
        return self.name if str(place) == self.path else self.name + place.relative_to(self.path).as_posix()


@dataclass(frozen=True)
class Reading:
    """How the files of a source are read: by the sources that it lies in, from the outermost, and itself."""

    sources: tuple[GivenSource, ...]

    @property
    def root(self) -> Path:
        """The folder up to which a metadata.csv describes the files."""
        outermost = self.sources[0]
        return Path(outermost.path) if outermost.is_folder else Path(outermost.path).parent

    @cached_property
    def folder(self) -> str:
        """The name under which the index notes the files: that of the source which their ids come from."""
        *around, named = self.sources
        for outer in reversed(around):
            if named.name.removesuffix("/") != outer.name_of(Path(named.path)):
                break
            named = outer
        return named.name

    @cached_property
    def _own(self) -> tuple[ReadOptions, ...]:
        return tuple(ReadOptions.of(source.options) for source in self.sources)

    @cached_property
    def options(self) -> ReadOptions:
        together: dict[str, Any] = {}
        for source in self.sources:
            metadata = {**together.get("metadata", {}), **source.options.get("metadata", {})}
            together |= {**source.options, "metadata": metadata}
        return ReadOptions.of(together)

    @cached_property
    def recipe(self) -> str:
        """A short text that is the same for the same options."""
        # Whether old versions are kept does not change how a file is read.
        own = ({n: value for n, value in s.options.items() if n != "keep_versions"} for s in self.sources)
        given = [options for options in own if options]
        if len(given) < 2:
            return self.options.recipe()
        return blake2b(json.dumps(given, sort_keys=True).encode(), digest_size=8).hexdigest()

    def metadata(self, place: Path) -> dict[str, Scalar | tuple[Scalar, ...]]:
        """Return the metadata that every document of a file is given, unless it has the field itself."""
        given: dict[str, Scalar | tuple[Scalar, ...]] = {}
        for source, options in zip(self.sources, self._own, strict=True):
            given |= options.metadata
            if options.metadata_from_path and source.is_folder:
                given |= path_metadata(options.metadata_from_path, place.relative_to(source.path).as_posix())
        return given
