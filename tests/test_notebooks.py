"""The notebooks run from their first cell to their last, and print what they show.

They are plain Python and need no kernel here; `MULTIHOP_NOTEBOOKS=write` writes what they print into them.
"""

from __future__ import annotations

import ast
import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))


def test_they_are_listed() -> None:
    assert len(NOTEBOOKS) == 2
    listed = (NOTEBOOKS[0].parent / "README.md").read_text(encoding="utf-8")
    assert all(f"`{notebook.name}`" in listed for notebook in NOTEBOOKS)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_they_print_what_they_show(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(file.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = [cell["outputs"] for cell in cells]
    found = [_outputs("".join(cell["source"]), names, number) for number, cell in enumerate(cells, 1)]
    assert sum(map(len, found)) >= 4
    if os.environ.get("MULTIHOP_NOTEBOOKS") == "write":
        for number, (cell, outputs) in enumerate(zip(cells, found, strict=True), 1):
            cell |= {"outputs": outputs, "execution_count": number}
        file.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    else:
        assert found == shown


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell as a notebook does: what it prints, then the value of its last line where that is an expression."""
    *before, last = ast.parse(source).body
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module([*before, *([] if isinstance(last, ast.Expr) else [last])], []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found
