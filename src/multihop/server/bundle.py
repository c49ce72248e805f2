"""Few files of the page's modules, so that a first visit asks for three and not for fifty.

One file starts the page; what is imported only when it is needed, such as a view, is a file of its own with all that
it needs beside. The modules stay separate files, written by the rules that this file checks: imports stand on one line
each and name other modules of the page, exports stand where things are declared, and modules do not import each other
in a circle.
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
# Only on lines of their own: elsewhere the two strokes may be part of a text or of an address.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*\n|/\*\*.*?\*/[ \t]*\n)", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
# What has run once, in whichever file it came, is there for all of them.
_MODULES = "const $m = (globalThis.$modules ??= {});\n"

Read = Callable[[str], str]
"""Gives the text of a module by its path."""


def bundle(entry: str, read: Read, start: str = "") -> str:
    """Join a module and everything it imports into one file, less what the file that starts the page has already."""
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
    """The bodies of a module and of all that it imports by path, each after those that it needs."""
    modules: dict[str, str] = {}

    def add(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(f"modules of the page import each other in a circle: {' → '.join((*above, path))}")
        if path in modules:
            return

        def replace_import(found: re.Match[str]) -> str:
            other = normpath(join(dirname(path), found["path"]))
            add(other, (*above, path))
            return f'const {found["whole"] or "{ " + found["names"] + " }"} = $m["{other}"];'

        source = _COMMENT.sub("", read(path))
        text, exported = _IMPORT.sub(replace_import, _EXPORT.sub("", source)), _EXPORT.findall(source)
        # What still begins like one of them would be a syntax error in the function that the module becomes.
        if odd := _UNSUPPORTED.search(_DYNAMIC_IMPORT.sub("", text)):
            raise ValueError(
                f"{path}: {odd.group()!r} cannot be bundled; write imports and exports as other modules do"
            )
        modules[path] = f"{_INDENT.sub('', text)}return {{ {', '.join(exported)} }};\n"

    add(entry, ())
    return modules


def _rewrite_dynamic_imports(text: str, path: str, entry: str) -> str:
    """Let imports that are made later lead to files beside the one that the module came in."""

    def rewrite_path(found: re.Match[str]) -> str:
        other = relpath(normpath(join(dirname(path), found[1])), dirname(entry) or ".")
        return f'import("{other if other.startswith(".") else f"./{other}"}")'

    return _DYNAMIC_IMPORT.sub(rewrite_path, text)
