from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def index(sample_index: Path, tmp_path: Path) -> Path:
    """An index of the sample documents, to be changed at will."""
    return Path(shutil.copytree(sample_index, tmp_path / "sample.mh"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A small file of documents; its second and fourth lines are broken."""
    path = tmp_path / "letters.jsonl"
    path.write_text(
        '{"id": "alpha", "title": "Alpha", "text": "Alpha is the first letter.", "year": 1990}\n'
        "{broken\n"
        '{"id": "beta", "title": "Beta", "text": "Beta comes after Alpha.", "year": 2000}\n'
        '{"id": "gamma"}\n'
    )
    return path
