"""Names that are not where they seem: modules that moved, attributes that were renamed, or are loaded on first use.

What moved or was renamed still works, with a warning that names the new one and says when the old one goes.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

REMOVAL = "0.3.0, not before 2027-03-01"
"""The release in which old paths and names go: those who upgrade at leisure have three months."""

# The row of a folder holds for all modules in it; those whose own name changed have rows of their own.
MOVED = {
    "multihop.assessors": "multihop.parts.assessors",
    "multihop.batch": "multihop.answering.batch",
    "multihop.copying": "multihop.index.copying",
    "multihop.embedders": "multihop.index.embedders",
    "multihop.evaluation.answers": "multihop.evaluation.system_answers",
    "multihop.evaluation.datasets.catalogue": "multihop.evaluation.datasets.catalog",
    "multihop.evaluation.datasets.values": "multihop.evaluation.datasets.dataset",
    "multihop.graph.values": "multihop.graph.neighborhood",
    "multihop.graph.walking": "multihop.graph.walk",
    "multihop.links": "multihop.index.links",
    "multihop.links.judging": "multihop.index.links.rule_judge",
    "multihop.links.likeness": "multihop.index.links.similarity",
    "multihop.links.pairing": "multihop.index.links.candidates",
    "multihop.links.reading": "multihop.index.links.analysis",
    "multihop.lm.asking": "multihop.lm.steps",
    "multihop.lm.opening": "multihop.lm.providers",
    "multihop.lm.saved": "multihop.lm.saved_prompts",
    "multihop.neighbourhood": "multihop.graph",
    "multihop.neighbourhood.values": "multihop.graph.neighborhood",
    "multihop.neighbourhood.walking": "multihop.graph.walk",
    "multihop.optimisation": "multihop.programs.optimization",
    "multihop.optimisation.running": "multihop.programs.optimization.procedure",
    "multihop.optimisation.teaching": "multihop.programs.optimization.optimizers",
    "multihop.places": "multihop.index.locations",
    "multihop.planners": "multihop.parts.planners",
    "multihop.programs.optimization.running": "multihop.programs.optimization.procedure",
    "multihop.programs.optimization.teaching": "multihop.programs.optimization.optimizers",
    "multihop.programs.running": "multihop.programs.pipeline",
    "multihop.query_writers": "multihop.parts.query_writers",
    "multihop.readers": "multihop.index.readers",
    "multihop.readers.opening": "multihop.index.readers.decoding",
    "multihop.research_report": "multihop.research.report",
    "multihop.searchers": "multihop.parts.searchers",
    "multihop.selectors": "multihop.parts.selectors",
    "multihop.server.running": "multihop.server.launch",
    "multihop.signals": "multihop.profiles.signals",
    "multihop.stop": "multihop.parts.stop",
    "multihop.stores": "multihop.index.stores",
    "multihop.stores.embedded": "multihop.index.stores.sqlite.store",
    "multihop.stores.filters": "multihop.index.stores.sqlite.filters",
    "multihop.stores.lexical": "multihop.index.stores.sqlite.lexical",
    "multihop.stores.lock": "multihop.index.stores.sqlite.lock",
    "multihop.stores.schema": "multihop.index.stores.sqlite.schema",
    "multihop.stores.vectors": "multihop.index.stores.sqlite.vectors",
    "multihop.survey.running": "multihop.survey.run",
    "multihop.survey.telling": "multihop.survey.excerpts",
    "multihop.survey.values": "multihop.survey.answers",
}


def new_path(old: str) -> str | None:
    """Give the path that a module has now, by the longest part of its old one that is in the table."""
    prefix, rest = old, ""
    while prefix:
        if prefix in MOVED:
            return MOVED[prefix] + rest
        prefix, dot, last = prefix.rpartition(".")
        rest = dot + last + rest
    return None


class Moved:
    """Finds modules by their old paths and gives the very modules of the new ones."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # Asked at every import of the process, so the cheap test comes first.
        if not fullname.startswith("multihop.") or new_path(fullname) is None:
            return None
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]  # it has the two methods that are called

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make a module; it is replaced at once."""

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__
        new = str(new_path(old))
        # Frames of Python's own import machinery do not count, so level 2 is the line that imports.
        warnings.warn(
            f"{old} is now {new}; the old path will be removed in {REMOVAL}", DeprecationWarning, stacklevel=2
        )
        # Python gives what stands here after loading, so that both paths lead to the same objects.
        sys.modules[old] = importlib.import_module(new)


def install() -> None:
    """Let Python ask here first: the package of a moved module is a real one, in which it would find a second copy."""
    sys.meta_path.insert(0, Moved())


def lazy(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Give the `__getattr__` of a package that imports names when they are first used: by module, blanks between."""
    homes = {name: home for home, held in names.items() for name in held.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return find


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Give the `__getattr__` of a module in which names changed: an old one gives the new one, and warns."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_renamed(f"{module}.{name}", f"{module}.{names[name]}")
        return getattr(sys.modules[module], names[name])

    return find


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn the caller of the caller that a name has changed."""
    warnings.warn(f"{old} is now {new}; the old name will be removed in {REMOVAL}", DeprecationWarning, stacklevel)
