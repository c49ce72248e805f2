"""Packing of texts, postings and term vectors into columns.

A posting is one number of 28 bits: which passage of its part (12), how often it uses the term (8), how long it is (8).
The length is rounded as Lucene and tantivy round it, to one of 256 values, so that both stores score alike.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multihop import text

PART = 4096
"""Passages, by number, in a part: the unit in which postings are packed and tables are distributed."""
NAME_PARTS = 1024
"""Parts that names are divided into, by their number; each is stored with the part of passages of the same number."""
_MOST = 255
_LONGEST_TERM = 100
_ESCAPE = "\ue000"
_ARRAY_HEADER = struct.Struct(">iiiii")
_ROW = struct.Struct(">hiii")
_LENGTH = struct.Struct(">i")
_BOUNDS = struct.Struct(">ihih")
_INT4_OID = 23
INT4_ARRAY_OID = 1007
_ITEM = np.dtype([("length", ">i4"), ("value", ">i4")])

# Stopwords that share a stem with words people do ask for: "willing", "others", "having", "owned".
_ASKED_FOR = frozenset({"have", "do", "other", "own", "will", "can", "out", "over"})
LEFT_OUT = text.STOPWORDS - _ASKED_FOR


def part_of(row: int) -> int:
    return row // PART


class Parts(list[int]):
    """Parts of the index, as a value of a statement: while nodes are away, it is cut down to those that are there."""


def parts(numbers: Iterable[int]) -> Parts:
    """The parts that passages lie in: what lets a distributed server ask only the nodes that hold them."""
    return Parts(sorted({n // PART for n in numbers}))


def name_part(name: int) -> int:
    return name % NAME_PARTS


def name_parts(names: Iterable[int]) -> Parts:
    """The parts that names lie in."""
    return Parts(sorted({n % NAME_PARTS for n in names}))


# --- texts ----------------------------------------------------------------------------------------


def escape_nul(value: str) -> str:
    """Escape NUL characters, which PostgreSQL cannot store."""
    if "\0" not in value and _ESCAPE not in value:
        return value
    # The escape itself first, or those that NUL is written with would be escaped again.
    return value.replace(_ESCAPE, _ESCAPE + "1").replace("\0", _ESCAPE + "0")


def unescape_nul(value: str) -> str:
    """Undo `escape_nul`."""
    if _ESCAPE not in value:
        return value
    return value.replace(_ESCAPE + "0", "\0").replace(_ESCAPE + "1", _ESCAPE)


# --- lengths --------------------------------------------------------------------------------------


def _length(code: int) -> int:
    """Return the length that a code stands for: exact up to 40, then three binary digits."""
    if code < 24:
        return code
    bits, shift = (code - 24) & 7, ((code - 24) >> 3) - 1
    return 24 + (bits if shift < 0 else (bits | 8) << shift)


LENGTHS = np.array([_length(code) for code in range(256)], dtype=np.float64)


def length_code(length: int) -> int:
    return int(np.searchsorted(LENGTHS, length, side="right")) - 1


# --- postings -------------------------------------------------------------------------------------


def count_terms(words: Sequence[str]) -> Counter[str]:
    """Count the terms of a passage that are worth a posting."""
    return Counter(map(term, text.stems([w for w in words if w not in LEFT_OUT])))


def term(stem: str) -> str:
    """Shorten what no index entry could hold; different words stay different."""
    if len(stem) <= _LONGEST_TERM:
        return stem
    return stem[:40] + hashlib.blake2b(stem.encode(), digest_size=16).hexdigest()


def postings(number: int, counts: Mapping[str, int], code: int) -> Iterator[tuple[str, int]]:
    """Yield the posting of each term of a passage."""
    place = (number % PART) << 16 | code
    for name, count in counts.items():
        yield name, place | (count if count < _MOST else _MOST) << 8


def copy_row(part: int, name: str, codes: Iterable[int]) -> bytes:
    """Write one row of the postings in the binary format of COPY; with a loop over every number it takes ten times."""
    values = np.fromiter(codes, dtype=">i4")
    most, least = bounds(values)
    items = np.empty(len(values), dtype=_ITEM)
    items["length"], items["value"] = 4, values
    array = _ARRAY_HEADER.pack(1, 0, _INT4_OID, len(values), 1) + items.tobytes()
    key = name.encode()
    row = _ROW.pack(5, 4, part, len(key)), key, _LENGTH.pack(len(array)), array, _BOUNDS.pack(2, most, 2, least)
    return b"".join(row)


def bounds(codes: Sequence[int] | NDArray[Any]) -> tuple[int, int]:
    """Return how often a passage of these postings uses the term at most, and the code of the shortest one's length."""
    values = np.asarray(codes)
    return int(((values >> 8) & 255).max()), int((values & 255).min())


def unpack_codes(array: bytes) -> NDArray[np.int32]:
    """Read an integer[] as it comes over the wire."""
    # An empty one has no dimensions, and a shorter header.
    if len(array) <= _ARRAY_HEADER.size:
        return np.empty(0, dtype=np.int32)
    return np.frombuffer(array, dtype=_ITEM, offset=_ARRAY_HEADER.size)["value"].astype(np.int32)


MENTION = np.dtype(
    [("columns", ">i2"), ("a", ">i4"), ("part", ">i4"), ("b", ">i4"), ("number", ">i8"), ("c", ">i4"),
     ("surface", ">i8")]
)  # fmt: skip


def copy_mentions(mentions: Sequence[tuple[int, int]]) -> bytes:
    """Write mentions (passage and name) in the binary format of COPY."""
    pairs = np.array(mentions, dtype=np.int64)
    rows = np.empty(len(pairs), dtype=MENTION)
    rows["columns"], rows["a"], rows["b"], rows["c"] = 3, 4, 8, 8
    rows["number"], rows["surface"] = pairs[:, 0], pairs[:, 1]
    rows["part"] = pairs[:, 0] // PART
    return rows.tobytes()


# --- term vectors ---------------------------------------------------------------------------------

_TERM = np.dtype([("term", "<i8"), ("count", "u1")])


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little", signed=True)


number = text.WordCache(_number).__getitem__
"""Give a term a number of 64 bits, the same everywhere."""


def pack_terms(counts: Mapping[str, int]) -> bytes:
    """Write the terms of one passage down, so that it can be scored without reading postings."""
    packed = np.empty(len(counts), dtype=_TERM)
    packed["term"] = list(map(number, counts))
    packed["count"] = np.minimum(np.fromiter(counts.values(), dtype=np.int64), _MOST)
    return packed.tobytes()


def unpack_terms(packed: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    terms = np.frombuffer(packed, dtype=_TERM)
    return terms["term"].astype(np.int64), terms["count"]
