"""The documents of a corpus, to recognize what other systems return: by id, by text, or by title."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from multihop.evaluation.datasets import Dataset


class KnownDocuments:
    """Finds the document that a system returned, by id, text or title; reads the corpus on first use."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._ids: set[str] = set()
        self._titles: dict[str, str | None] = {}
        self._texts: dict[bytes, str | None] = {}

    def __contains__(self, id: str) -> bool:
        self._load()
        return id in self._ids

    @property
    def example(self) -> str:
        """One id, to show what they look like."""
        self._load()
        return min(self._ids, default="")

    def find(self, ids: Iterable[str], title: str = "", text: str = "") -> str | None:
        """Return the id of the document that has one of these ids, else this very text, else this title."""
        self._load()
        for id in ids:
            # Our own passages are called after their documents.
            for name in (id, id.rpartition("#")[0]):
                if name in self._ids:
                    return name
        return (self._texts.get(_digest(text)) if text else None) or (self._titles.get(title) if title else None)

    def _load(self) -> None:
        if self._ids:
            return
        for document in self._dataset.corpus.read():
            self._ids.add(document.id)
            # What several documents share tells none of them.
            for known, key in ((self._titles, document.title), (self._texts, _digest(document.text))):
                known[key] = None if key in known else document.id  # type: ignore[index]  # each has its own keys


def _digest(text: str) -> bytes:
    # Libraries strip and join lines as they like, so white space does not count.
    return hashlib.blake2b("".join(text.split()).encode("utf-8", "replace"), digest_size=12).digest()
