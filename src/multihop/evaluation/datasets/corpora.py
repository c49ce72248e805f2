"""Corpora that lie in a file of their own: which file, and its documents."""

from __future__ import annotations

import bz2
import json
import re
import sqlite3
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from multihop.errors import InvalidInput, InvalidRecord, UnknownName, suggestion
from multihop.evaluation.datasets.gold import Draft
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.paragraphs import join_sentences
from multihop.evaluation.datasets.rows import rows
from multihop.evaluation.datasets.titles import fever_title
from multihop.index.readers import read
from multihop.index.readers.decoding import source_of
from multihop.index.readers.record import to_document
from multihop.types import Document

_CORPUS = re.compile(r"corpus(?:[_-](\w+))?\.jsonl?|wiki_wo_links\.db|enwiki-20171001.*abstracts\.tar\.bz2")
_PAGES = re.compile(r"wiki-\d+\.jsonl")
_DATABASE = (".db", ".sqlite")


def corpus_files(folder: Path) -> dict[str, Path]:
    """Find corpus.jsonl ("" in the answer), corpus_lite.jsonl ("lite") or a published Wikipedia in a folder."""
    files: dict[str, Path] = {}
    for path, match in files_in(folder, _CORPUS):
        files.setdefault(match[1] or "", path)
    if not files and (pages := fever_pages(folder)):
        files[""] = pages
    return files


def fever_pages(folder: Path) -> Path | None:
    """Find the folder with FEVER's Wikipedia, wiki-001.jsonl and so on: its own, or where it was unpacked."""
    return next((place for place in (folder / "wiki-pages", folder) if any(files_in(place, _PAGES))), None)


def chosen_corpus(folders: list[Path], corpus: str | None) -> Path | None:
    """Find the corpus file asked for: a path, the variant of a name such as "lite", or the plain one."""
    if corpus is not None and Path(corpus).is_file():
        return Path(corpus)
    variants = next((variant for folder in folders if (variant := corpus_files(folder))), {})
    if (corpus or "") in variants:
        return variants[corpus or ""]
    # Of several corpora none is guessed: the figures would be those of another task.
    if corpus is None:
        return next(iter(variants.values())) if len(variants) == 1 else None
    known = [name for name in variants if name]
    raise UnknownName(f"there is no corpus {corpus!r}, neither a file nor a variant; {suggestion(corpus, known)}")


@dataclass(frozen=True, slots=True)
class OverCorpus:
    """A layout of files that hold questions alone: the corpus lies in a file beside them, or another one is given."""

    name: str
    files: re.Pattern[str]
    """The names of the files; the first group is the split."""
    drafts: Callable[[Path], Iterator[Draft]]
    whole: bool = True
    only_named: bool = False
    """True where the names of the files could be anybody's."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name != self.name and (place.name or self.only_named):
            return {}
        return {match[1]: path for path, match in files_in(place.folder, self.files)}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        return over_corpus(self.drafts, path, [place.folder], place.corpus, whole=self.whole)


def over_corpus(
    drafts: Callable[[Path], Iterator[Draft]], path: Path, folders: list[Path], given: str | None, *, whole: bool = True
) -> DatasetParts:
    """Open a file of questions over the corpus that lies in one of the folders, or over a given one."""
    corpus = chosen_corpus(folders, given)
    if corpus is None:
        looked = " or ".join(map(source_of, folders))
        what = "put corpus.jsonl (title and text in every row)"
        raise InvalidInput(f"{source_of(path)} needs a corpus: {what} into {looked}, or pass corpus=PATH")
    return DatasetParts(lambda: drafts(path), lambda: corpus_documents(corpus), (path, corpus), whole=whole)


def corpus_documents(path: Path) -> Iterator[Document]:
    """Stream the documents of a corpus file; the first row that cannot be used raises, naming the file and the line."""
    if path.suffix.lower() in _DATABASE:
        return _database(path)
    if path.name.endswith(".tar.bz2"):
        return _abstracts(path)
    return _fever_pages(path) if path.is_dir() else _documents(path)


def _documents(path: Path) -> Iterator[Document]:
    for document in read(path):
        if isinstance(document, InvalidRecord):
            raise document
        yield document


def _database(path: Path) -> Iterator[Document]:
    # The Wikipedia that HoVer publishes: a table documents(id, text, …) whose ids are the titles.
    source = source_of(path)
    # Read only: the file must stay as it was downloaded, or its hash would not fit any more.
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            for line, (title, text) in enumerate(database.execute("SELECT id, text FROM documents ORDER BY id"), 1):
                if str(text or "").strip():
                    yield to_document({"id": title, "title": title, "text": text}, source, line, str)
    except sqlite3.Error as error:
        raise InvalidInput(f"{source}: cannot be read as HoVer's database of Wikipedia: {error}") from error


def _fever_pages(folder: Path) -> Iterator[Document]:
    # The Wikipedia of FEVER: wiki-001.jsonl and so on, one article in each line, some of them empty.
    for path, _ in files_in(folder, _PAGES):
        for row in rows(path):
            if text := row.text("text", needed=False):
                title = fever_title(row.text("id"))
                yield to_document({"id": title, "title": title, "text": text}, row.source, row.line, str)


def _abstracts(path: Path) -> Iterator[Document]:
    # The Wikipedia of HotpotQA: an archive of bz2 files, one article in each line, its text a list of sentences.
    source = source_of(path)
    try:
        # As a stream ("|"): the archive is compressed twice, and going back in it would mean reading it again.
        with tarfile.open(path, "r|bz2") as archive:
            for member in archive:
                if member.name.endswith(".bz2") and (file := archive.extractfile(member)):
                    yield from _articles(file, f"{source}/{member.name}")
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{source}: cannot be read as HotpotQA's abstracts of Wikipedia: {error}") from error


def _articles(file: IO[bytes], source: str) -> Iterator[Document]:
    with bz2.open(file) as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            if (text := join_sentences(record["text"])).strip():
                fields = {"id": record["id"], "title": record["title"], "text": text}
                yield to_document(fields, source, number, str)
