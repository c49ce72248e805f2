"""Bundles the page's modules into few files, so that a first visit makes three requests instead of fifty.

One bundle starts the page; a module that is imported dynamically, such as a view, is a bundle of its own with its
remaining dependencies. The source modules must follow rules that this file checks: one import per line, only of other
modules of the page; exports at the declaration; no import cycles.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath, relpath

_IMPORT = re.compile(
    r'^import (?:\{ (?P<names>[\w, $]+) \}|\* as (?P<whole>\w+)) from "(?P<path>\.[^"]+)";$', re.MULTILINE
)
_DYNAMIC_IMPORT = re.compile(r'\bimport\("(\.[^"]+)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
# Only on separate lines: elsewhere // may be part of a string or a URL.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*\n|/\*\*.*?\*/[ \t]*\n)", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# A module runs once and is then shared by all bundles.
_MODULES = "const $m = (globalThis.$modules ??= {});\n"

Read = Callable[[str], str]
"""Returns the source of a module by its path."""


def bundle(entry: str, read: Read, start: str = "") -> str:
    """Bundle a module with everything it imports, except for modules already in the bundle that starts the page."""
    loaded = _collect_modules(start, read) if start and start != entry else {}
    modules = _collect_modules(entry, read)
    exported = ", ".join(_EXPORT.findall(read(entry)))
    texts = "".join(
        f'$m["{path}"] ??= (() => {{\n{_rewrite_dynamic_imports(text, path, entry)}}})();\n'
        for path, text in modules.items()
        if path not in loaded
    )
    return f"{_MODULES}{texts}" + (f'export const {{ {exported} }} = $m["{entry}"];\n' if exported else "")


def _collect_modules(entry: str, read: Read) -> dict[str, str]:
    """Collect the bodies of a module and its imports by path, dependencies first."""
    modules: dict[str, str] = {}

    def add(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(f"import cycle in the modules of the page: {' → '.join((*above, path))}")
        if path in modules:
            return

        def replace_import(found: re.Match[str]) -> str:
            other = normpath(join(dirname(path), found["path"]))
            add(other, (*above, path))
            return f'const {found["whole"] or "{ " + found["names"] + " }"} = $m["{other}"];'

        source = _COMMENT.sub("", read(path))
        text, exported = _IMPORT.sub(replace_import, _EXPORT.sub("", source)), _EXPORT.findall(source)
        # Any remaining import or export would be a syntax error inside the function that wraps the module.
        if odd := _UNSUPPORTED.search(_DYNAMIC_IMPORT.sub("", text)):
            raise ValueError(
                f"{path}: {odd.group()!r} cannot be bundled; write imports and exports as other modules do"
            )
        modules[path] = f"{_INDENT.sub('', text)}return {{ {', '.join(exported)} }};\n"

    add(entry, ())
    return modules


def _rewrite_dynamic_imports(text: str, path: str, entry: str) -> str:
    """Rewrite the paths of dynamic imports relative to the bundle."""

    def rewrite_path(found: re.Match[str]) -> str:
        other = relpath(normpath(join(dirname(path), found[1])), dirname(entry) or ".")
        return f'import("{other if other.startswith(".") else f"./{other}"}")'

    return _DYNAMIC_IMPORT.sub(rewrite_path, text)
