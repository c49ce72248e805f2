"""Corpora that lie in a file of their own: which file, and its documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord, UnknownName, suggestion
from multihop.readers import read
from multihop.readers.files import bare_name
from multihop.readers.opening import source_of
from multihop.readers.record import to_document
from multihop.types import Document

_SUFFIXES = (".jsonl", ".json")
_DATABASE = (".db", ".sqlite")


def corpus_files(folder: Path) -> dict[str, Path]:
    """Find corpus.jsonl ("" in the answer), corpus_lite.jsonl ("lite") … in a folder, compressed or not."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        name = Path(bare_name(path))
        if name.suffix in _SUFFIXES and (name.stem == "corpus" or name.stem.startswith(("corpus_", "corpus-"))):
            found.setdefault(name.stem[len("corpus_") :], path)
    return found


def chosen_corpus(folders: list[Path], corpus: str | None) -> Path | None:
    """Find the corpus file asked for: a path, the variant of a name such as "lite", or the plain one."""
    if corpus is not None and Path(corpus).is_file():
        return Path(corpus)
    variants: dict[str, Path] = {}
    for folder in folders:
        variants = corpus_files(folder)
        if variants:
            break
    if not corpus and len(variants) == 1:
        return next(iter(variants.values()))
    if (corpus or "") in variants:
        return variants[corpus or ""]
    if corpus is None:
        return None
    known = [name for name in variants if name]
    raise UnknownName(f"there is no corpus {corpus!r}: neither a file nor a variant; {suggestion(corpus, known)}")


def corpus_documents(path: Path) -> Iterator[Document]:
    """Stream the documents of a corpus file; the first row that cannot be used raises, naming the file and the line."""
    if path.suffix.lower() in _DATABASE:
        yield from _database(path)
        return
    for document in read(path):
        if isinstance(document, InvalidRecord):
            raise document
        yield document


def _database(path: Path) -> Iterator[Document]:
    # The Wikipedia that HoVer publishes: a table documents(id, text, …) whose ids are the titles.
    source = source_of(path)
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            for line, (title, text) in enumerate(database.execute("SELECT id, text FROM documents ORDER BY id"), 1):
                if str(text or "").strip():
                    yield to_document({"id": title, "title": title, "text": text}, source, line, str)
    except sqlite3.Error as error:
        raise InvalidInput(f"{source}: cannot be read as HoVer's database of Wikipedia: {error}") from error
