"""Protocol of dataset formats: which splits a folder has, and how to read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from multihop.evaluation.datasets.gold import Draft
from multihop.index.readers.files import bare_name
from multihop.types import Document


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a folder, the name that was asked for ("" when a folder was) and the choice of a corpus."""

    folder: Path
    name: str = ""
    corpus: str | None = None
    own: bool = True
    """False for a folder that was given for looking below it: only files that carry the dataset's name count there."""


@dataclass(frozen=True, slots=True)
class DatasetParts:
    """What a split holds before gold is looked up; both streams can be read more than once."""

    drafts: Callable[[], Iterator[Draft]]
    documents: Callable[[], Iterator[Document]]
    files: tuple[Path, ...]
    """The files it is read from, the questions first."""
    whole: bool = True
    notes: tuple[str, ...] = ()


class Layout(Protocol):
    """A file format that datasets come in."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        """Name the splits that lie there with the file of each; nothing when the folder has another format."""
        ...

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        """Open one of these splits."""
        ...


def files_in(folder: Path, pattern: re.Pattern[str]) -> Iterator[tuple[Path, re.Match[str]]]:
    """Find the files of a folder whose whole name, without the suffix of a compression, fits a pattern."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_file() and (match := pattern.fullmatch(bare_name(path))):
            yield path, match
