"""The formats of files: which reader each gets, by the suffix of its name or by the name of a format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from multihop.errors import PluginError, UnknownName, suggestion
from multihop.index.readers.decoding import source_of
from multihop.index.readers.files import Format, bare_name
from multihop.index.readers.naming import Naming
from multihop.index.readers.options import ReadOptions
from multihop.protocols import DocumentReader
from multihop.registry import Registry

READERS: Registry[Format] = Registry("multihop.readers", Format)
"""Formats by name; `format` may have any of these names."""


@lru_cache(maxsize=1)
def suffixes() -> Mapping[str, str]:
    """Return the built-in format of each suffix."""
    return dict(sorted((suffix, name) for name in READERS.built_in for suffix in READERS[name].suffixes))


@lru_cache(maxsize=1)
def media_types() -> Mapping[str, str]:
    """Return the suffix for each media type of the built-in formats."""
    return {kind: READERS[name].suffixes[0] for name in READERS.built_in for kind in READERS[name].media_types}


def format_named(name: str) -> str:
    """Check the name of a format; a suffix is understood as well."""
    wanted = name.lower().removeprefix(".")
    known = wanted if wanted in READERS else format_by_suffix(f".{wanted}")
    if known is None:
        raise UnknownName(f"unknown format {name!r}; {suggestion(wanted, READERS)}")
    return known


def format_of(path: Path) -> str:
    """Return the format of a file by its suffix."""
    suffix = Path(bare_name(path)).suffix.lower()
    name = format_by_suffix(suffix)
    if name is None:
        what = f"files of type {suffix!r} cannot be read" if suffix else "the name has no suffix that tells its format"
        raise UnknownName(f"{source_of(path)}: {what}; {suggestion(suffix, suffixes())}")
    return name


def format_by_suffix(suffix: str) -> str | None:
    """Look up a suffix among the built-in formats, and only when none of them has it in those of other packages."""
    if suffix in suffixes():
        return suffixes()[suffix]
    names = [name for name in READERS.others if suffix in READERS[name].suffixes]
    if len(names) > 1:
        raise PluginError(f"the formats {' and '.join(names)} both claim {suffix!r}; choose one with --format")
    return names[0] if names else None


def reader_of(format: str, naming: Naming | None = None, options: ReadOptions | None = None) -> DocumentReader:
    """Make the reader of a format, for files named by `naming`."""
    return READERS[format].make(naming, options or ReadOptions())
