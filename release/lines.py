"""Counts the lines of code below a folder, room by room: without blank lines, comments and docstrings.

python release/lines.py src/multihop
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def count_code(source: str) -> int:
    """Return how many lines hold code; a string that stands alone is a docstring, wherever it stands."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for t in tokens if t.type not in _LAYOUT for line in range(t.start[0], t.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_rooms(root: Path) -> Counter[str]:
    """Return the lines of each folder and module directly below a folder."""
    rooms: Counter[str] = Counter()
    for file in sorted(root.rglob("*.py")):
        rooms[file.relative_to(root).parts[0]] += count_code(file.read_text(encoding="utf-8"))
    return rooms


if __name__ == "__main__":
    counted = count_rooms(Path(sys.argv[1]))
    for room, lines in counted.most_common():
        print(f"{lines:7,} {room}")  # noqa: T201
    print(f"{counted.total():7,} in all")  # noqa: T201
