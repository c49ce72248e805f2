from __future__ import annotations

from pathlib import Path

import pytest

from multihop.engine import Engine
from multihop.rendering.phrases import file_size

from .command import failure, run, run_json


def test_a_table(index: Path) -> None:
    shown = {line[:15].strip(): line[15:].strip() for line in run("stats", "--index", index).stdout.splitlines()}
    assert shown["documents"] == "182"
    assert shown["embedder"] == "none"
    assert shown["metadata fields"].startswith("country (35 values), ")
    assert shown["size on disk"].endswith(" KiB per passage")


def test_json(index: Path) -> None:
    said = run_json("stats", "--index", index)
    assert (said["documents"], said["passages"], said["generation"]) == (182, 182, 1)
    assert said["fields"]["kind"] == 6
    assert said["bytes_per_passage"] == round(said["bytes"] / 182, 1)


def test_an_empty_index(tmp_path: Path) -> None:
    Engine.open(tmp_path / "x.mh", create=True).close()
    assert "metadata fields   none" in run("stats", "--index", tmp_path / "x.mh").stdout
    assert run_json("stats", "--index", tmp_path / "x.mh")["bytes_per_passage"] == 0


def test_no_index(tmp_path: Path) -> None:
    assert "multihop index FILE --to" in failure("stats", "--index", tmp_path / "x.mh")


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (605_083, "590.9 KiB"), (3 * 2**40, "3.0 TiB")],
)
def test_sizes(count: int, said: str) -> None:
    assert file_size(count) == said
