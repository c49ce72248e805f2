"""Passages that lost a relation when the passage at its other end was removed.

The change that removes a passage records them, so the next search for relations need not scan the whole index.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

BLOB = "relations lost"
"""Name of the blob in the store."""
_MOST = 1_000_000
"""Only the latest are recorded: each change rewrites the whole blob."""


def unpack(data: bytes) -> dict[str, int]:
    """Read the passages, each with the generation that removed one of its relations, earliest first."""
    return json.loads(zlib.decompress(data)) if data else {}


def pack(lost: Mapping[str, int]) -> bytes:
    latest = sorted(lost.items(), key=lambda loss: loss[1])[-_MOST:]
    return zlib.compress(json.dumps(dict(latest)).encode(), 1)
