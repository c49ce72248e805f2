"""Order and hash of a corpus, both derived from its content.

Some corpora are stored in the order of their questions, so that neighboring rows give the answer away. Here rows are
sorted by a hash of their content: the order is the same in every run and on every machine, and tells nothing.
Rows wait in a temporary file meanwhile, so that memory holds a hash and a position for each, not the texts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from multihop.types import Document

_SEED = b"multihop corpus order 1"
_MODULUS = 2**256


def content_key(title: str, text: str) -> bytes:
    """Hash a title and a text; white space does not count, so that differently joined sentences are the same text."""
    joined = " ".join(title.split()) + "\0" + "".join(text.split())
    return blake2b(joined.encode("utf-8", "replace"), digest_size=32).digest()


class ContentHash:
    """A hash of many rows that does not depend on their order: the sum of the hashes of the rows."""

    def __init__(self) -> None:
        self._sum = 0
        self.rows = 0

    def add(self, key: bytes) -> None:
        """Take a row into account, given its `content_key`."""
        # Addition does not care for order, and unlike XOR it does not lose a row that is there twice.
        self._sum = (self._sum + int.from_bytes(key, "big")) % _MODULUS
        self.rows += 1

    def hex(self) -> str:
        """Return the hash of all rows so far."""
        return blake2b(f"{self.rows}:{self._sum}".encode(), digest_size=16).hexdigest()


def shuffle(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents sorted by a hash of their content."""
    order: list[tuple[bytes, int]] = []
    with tempfile.TemporaryFile() as waiting:
        place = 0
        for document in documents:
            content = f"{document.title}\0{document.text}".encode("utf-8", "replace")
            order.append((blake2b(content, digest_size=8, key=_SEED).digest(), place))
            place += waiting.write(_pack(document))
        order.sort()
        for _, place in order:
            waiting.seek(place)
            yield _unpack(waiting.readline())


def _pack(document: Document) -> bytes:
    fields = (document.id, document.text, document.title, document.metadata, document.aliases)
    # Escaped to ASCII: no line break inside a row, and half a surrogate pair survives the file.
    return json.dumps(fields).encode() + b"\n"


def _unpack(row: bytes) -> Document:
    id, text, title, metadata, aliases = json.loads(row)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in metadata.items()}
    return Document(id, text, title, values, tuple(aliases))
