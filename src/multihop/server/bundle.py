"""One file of the page's modules, so that a first visit asks for one and not for fifty.

The modules stay separate files, written by the rules that this file checks: imports stand on one line each and name
other modules of the page, exports stand where things are declared, and modules do not import each other in a circle.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

_IMPORT = re.compile(
    r'^import (?:\{ (?P<names>[\w, $]+) \}|\* as (?P<whole>\w+)) from "(?P<path>\.[^"]+)";$', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_NEITHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*\n|/\*\*.*?\*/[ \t]*\n)", re.MULTILINE | re.DOTALL)


def bundled(start: str, read: Callable[[str], str]) -> str:
    """Join a module and everything it imports into one script; `read` gives the text of a module by its path."""
    names: dict[str, str] = {}
    parts: list[str] = []

    def add(path: str, above: tuple[str, ...]) -> str:
        if path in above:
            raise ValueError(f"modules of the page import each other in a circle: {' → '.join((*above, path))}")
        if path not in names:
            text, exported = _EXPORT.sub("", source := _COMMENT.sub("", read(path))), _EXPORT.findall(source)

            def taken(found: re.Match[str]) -> str:
                other = add(normpath(join(dirname(path), found["path"])), (*above, path))
                return f"const {found['whole'] or '{ ' + found['names'] + ' }'} = {other};"

            text = _IMPORT.sub(taken, text)
            if odd := _NEITHER.search(text):
                raise ValueError(
                    f"{path}: {odd.group()!r} cannot be bundled; write imports and exports as other modules do"
                )
            names[path] = f"$m{len(names)}"
            parts.append(f"const {names[path]} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();\n")
        return names[path]

    add(start, ())
    return "".join(parts)
