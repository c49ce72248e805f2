from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from multihop.engine import Engine
from multihop.types import Document

from .command import failure, run, run_json

ODD = Document(
    "a/b ü", 'Two\nlines, "quoted" & 東京.', "Title", {"tags": ("x",), "built.year": 1872, "open": True}, ("Alias",)
)


def test_what_is_exported_can_be_indexed_again(index: Path, tmp_path: Path) -> None:
    with Engine.open(index) as engine:
        engine.add(ODD)
    out, copy = tmp_path / "all.jsonl", tmp_path / "copy.mh"
    assert run_json("export", "--index", index, "--out", out) == {"documents": 183, "out": str(out)}
    assert run_json("index", out, "--to", copy)["documents"] == 183
    with Engine.open(index) as before, Engine.open(copy) as after:
        for id in before.store.document_ids():
            given, found = before.document(id), after.document(id)
            assert given is not None and found is not None
            told = {field: value for field, value in found.metadata.items() if not field.startswith("file.")}
            assert replace(found, metadata=told) == given


def test_a_part_goes_to_stdout(index: Path) -> None:
    done = run("export", "--index", index, "--where", "country=Norway", "--search", "fram-ship")
    [line] = done.stdout.splitlines()
    assert json.loads(line)["title"] == "Fram (ship)"
    assert done.stderr == "1 document written\n"


def test_no_file_is_overwritten(index: Path, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("mine")
    assert "exists; choose another file" in failure("export", "--index", index, "--out", tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").read_text() == "mine"
    assert "need --out FILE" in failure("export", "--index", index, "--json", status=2)
