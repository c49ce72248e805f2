"""What the relations of an index were found from, so that the next call looks only at what is new.

A passage is known by a digest of its text; beside it stands how many relations start from it. Replacing a document
takes its relations away even when its text is the same; then fewer start from it than were noted, and it is looked at
again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from multihop.types import Passage

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Ledger:
    """The passages that were looked at, how many relations start from each, and how many passages use each term."""

    rules: str
    passages: Mapping[int, int] = field(default_factory=dict)
    terms: Counter[str] = field(default_factory=Counter)
    complete: bool = True
    """False while passages are left that nobody has looked at."""

    def to_bytes(self) -> bytes:
        digests = np.array(sorted(self.passages), dtype=np.uint64)
        counts = np.array([self.passages[d] for d in digests.tolist()], dtype=np.uint32)
        written = {
            "format": _FORMAT,
            "rules": self.rules,
            "passages": base64.b64encode(digests.tobytes()).decode(),
            "counts": base64.b64encode(counts.tobytes()).decode(),
            "terms": self.terms,
            "complete": self.complete,
        }
        return zlib.compress(json.dumps(written, ensure_ascii=False, sort_keys=True).encode(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Ledger | None:
        """Read a ledger back; None when it is of another format, which costs no more than looking at everything."""
        try:
            written = json.loads(zlib.decompress(data))
            if written["format"] != _FORMAT:
                return None
            digests = np.frombuffer(base64.b64decode(written["passages"]), dtype=np.uint64).tolist()
            counts = np.frombuffer(base64.b64decode(written["counts"]), dtype=np.uint32).tolist()
            passages = dict(zip(digests, counts, strict=True))
            return cls(written["rules"], passages, Counter(written["terms"]), written["complete"])
        except (zlib.error, ValueError, KeyError, TypeError):
            return None


def digest(passage: Passage) -> int:
    """Tell a passage from every other, and from itself with another text."""
    content = "\x00".join((passage.id, passage.title, passage.heading, passage.text))
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=8).digest(), "big")
