"""Counts the lines of code below a folder: without blank lines, comments and docstrings.

python release/lines.py            room by room
python release/lines.py --files    file by file, with what each is for and why it is not smaller (lines.toml)
"""

import ast
import io
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "multihop"
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def count_code(source: str, tree: ast.Module | None = None) -> int:
    """Return how many lines hold code; a string that stands alone is a docstring, wherever it stands."""
    lines = set[int]()
    for kind, _, (first, _), (last, _), _ in tokenize.generate_tokens(io.StringIO(source).readline):
        if kind not in _LAYOUT:
            lines.update(range(first, last + 1))
    for node in _statements(tree or ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    for block in _BLOCKS:
        for node in getattr(tree, block, ()):
            yield node
            yield from _statements(node)


@cache
def count_files(root: Path) -> dict[str, tuple[int, str]]:
    """Return the lines of each file below a folder, and the first line of its docstring."""
    return {file.relative_to(root).as_posix(): _count_file(file) for file in sorted(root.rglob("*.py"))}


def _count_file(file: Path) -> tuple[int, str]:
    text = file.read_text("utf-8")
    tree = ast.parse(text)
    return count_code(text, tree), (ast.get_docstring(tree) or "").partition("\n")[0]


def read_reasons() -> dict[str, str]:
    """Return why files are not smaller, by the patterns of their paths."""
    return tomllib.loads(Path(__file__).with_name("lines.toml").read_text("utf-8"))


def patterns_of(name: str, reasons: dict[str, str]) -> str:
    """Return the first patterns that fit a file, none where there are none."""
    return next((key for key in reasons if any(fnmatchcase(name, pattern) for pattern in key.split())), "")


def _print_files(files: dict[str, tuple[int, str]]) -> None:
    reasons, groups = read_reasons(), defaultdict[str, list[str]](list)
    for name in files:
        groups[patterns_of(name, reasons)].append(name)
    for patterns, names in groups.items():
        print(f"\n{sum(files[n][0] for n in names):7,} {reasons.get(patterns, 'no reason yet')}")  # noqa: T201
        for name in names:
            print(f"{files[name][0]:11,} {name}: {files[name][1]}")  # noqa: T201


def main(arguments: list[str]) -> None:
    """Print the lines of each room, or of each file."""
    folders = [Path(argument) for argument in arguments if argument != "--files"]
    counted = count_files(folders[0] if folders else SOURCE)
    rooms: Counter[str] = Counter()
    for name, (lines, _) in counted.items():
        rooms[name.partition("/")[0]] += lines
    if "--files" in arguments:
        _print_files(counted)
    else:
        for room, lines in rooms.most_common():
            print(f"{lines:7,} {room}")  # noqa: T201
    print(f"{rooms.total():7,} in all")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
