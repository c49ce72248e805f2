"""Names of a package that are imported on first use, so that importing the package stays fast."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for the package `module`; `names` maps each module to its names, separated by blanks."""
    homes = {name: home for home, held in names.items() for name in held.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return find
