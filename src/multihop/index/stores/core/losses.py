"""Passages that have lost a relation because the passage at its other end went, until relations are looked for again.

Noted by the change that takes the other passage out, so that nobody has to count the relations of a whole index.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

BLOB = "relations lost"
"""The name under which a store keeps them."""
_MOST = 1_000_000
"""Of more passages only the latest are noted: each change writes all of them."""


def read(data: bytes) -> dict[str, int]:
    """Give the passages, each with the generation that took a relation of it away, the earliest first."""
    return json.loads(zlib.decompress(data)) if data else {}


def written(losses: Mapping[str, int]) -> bytes:
    latest = sorted(losses.items(), key=lambda loss: loss[1])[-_MOST:]
    return zlib.compress(json.dumps(dict(latest)).encode(), 1)
