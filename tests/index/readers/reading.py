"""What tests of readers do: write a file, and read the documents or the problems of it."""

from __future__ import annotations

from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.index.readers import read
from multihop.types import Document


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(path: Path) -> list[str]:
    return [str(found).removeprefix(str(path)) for found in read(path) if isinstance(found, InvalidRecord)]


def documents(path: Path) -> list[Document]:
    return [found for found in read(path) if isinstance(found, Document)]
