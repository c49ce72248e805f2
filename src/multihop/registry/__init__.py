"""What packages register by name: stores, embedders, rerankers, readers of files, datasets and strategies.

A package registers with entry points in its metadata, and multihop does the same. Built-in names are nevertheless read
from a table in the package (`built_in.toml`), from which the metadata is made when the package is built:
the metadata of a checkout is as old as its installation, and a frozen program may have none, so names would vanish.

Metadata is read when a name is first looked up, and a package is imported only when something of it is used.
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import metadata
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from multihop.errors import MultihopError, PluginError

V = TypeVar("V")

_OWN = "multihop"
BUILT_IN: Mapping[str, Mapping[str, str]] = tomllib.loads((files(__package__) / "built_in.toml").read_text("utf-8"))
# What the code of a module may raise while it is imported.
_FAILURES = (
    ArithmeticError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip


class RegistryEntry(NamedTuple):
    """Where something registered is defined, as `module:attribute`, and the package that says so."""

    package: str
    value: str


class Registry(Mapping[str, V], Generic[V]):
    """Everything registered in a group of entry points, by name: what is built in first, then the rest by name.

    What is registered as anything but a `kind` raises a `PluginError`; so does a name of two packages, and what fails
    to import.
    """

    def __init__(self, group: str, kind: Any) -> None:
        self.group = group
        self._kind = kind

    def __getitem__(self, name: str) -> V:
        entries = self._entries()[name]
        if len(entries) > 1:
            packages = " and ".join(entry.package for entry in entries)
            raise PluginError(f"{name!r} is registered in {self.group} by {packages}; uninstall one of them")
        [entry] = entries
        loaded = _load(entry, f"{name!r} in {self.group}")
        if not isinstance(loaded, self._kind):
            raise PluginError(
                f"the package {entry.package} registers {entry.value} as {name!r} in {self.group}, which is a "
                f"{type(loaded).__name__} and not a {self._kind.__name__}; upgrade or uninstall the package"
            )
        value: V = loaded
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._entries()

    def __iter__(self) -> Iterator[str]:
        return iter((*self.built_in, *self.others))

    def __len__(self) -> int:
        return len(self._entries())

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names that multihop registers itself."""
        return tuple(BUILT_IN[self.group])

    @property
    def others(self) -> tuple[str, ...]:
        """The names that other packages register beside those."""
        return tuple(sorted(self._entries().keys() - BUILT_IN[self.group].keys()))

    def _entries(self) -> Mapping[str, tuple[RegistryEntry, ...]]:
        return _read_registered(tuple(sys.path))[self.group]


@lru_cache(maxsize=4)
def _read_registered(_path: tuple[str, ...]) -> Mapping[str, Mapping[str, tuple[RegistryEntry, ...]]]:
    """Read what is registered in every group; packages are found on the path, so another path is read anew."""
    entries = {
        group: {name: (RegistryEntry(_OWN, value),) for name, value in names.items()}
        for group, names in BUILT_IN.items()
    }
    seen = {_OWN}
    for distribution in metadata.distributions():
        written = distribution.read_text("entry_points.txt") or ""
        # Most packages register nothing here, and parsing what they do register takes longest.
        if "[multihop." not in written or (package := distribution.metadata["Name"]).lower() in seen:
            continue
        # A package that lies in two folders of the path is the one of the first.
        seen.add(package.lower())
        for point in distribution.entry_points:
            if point.group in entries:
                others = entries[point.group].get(point.name, ())
                entries[point.group][point.name] = (*others, RegistryEntry(package, point.value))
    return entries


def _load(entry: RegistryEntry, what: str) -> object:
    module, _, attribute = entry.value.partition(":")
    if entry.package == _OWN:
        return getattr(importlib.import_module(module), attribute)
    try:
        return getattr(importlib.import_module(module.strip()), attribute.strip())
    except MultihopError:
        raise
    except _FAILURES as error:
        raise PluginError(
            f"the package {entry.package}, which registers {what}, cannot be imported: "
            f"{type(error).__name__}: {error}; upgrade or uninstall the package"
        ) from error
