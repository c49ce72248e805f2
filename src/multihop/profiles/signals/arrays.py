"""Named arrays as bytes and back: the same values always give the same bytes, and reading them runs no code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def packed(values: Mapping[str, Any]) -> bytes:
    """Write arrays one after another behind a line that says what they are."""
    header = {name: [str(a.dtype), list(a.shape)] for name, a in values.items()}
    return json.dumps(header).encode() + b"\n" + b"".join(np.ascontiguousarray(a).tobytes() for a in values.values())


def unpacked(data: bytes) -> dict[str, Any]:
    """Read what `packed` wrote."""
    end = data.index(b"\n")
    found: dict[str, Any] = {}
    start = end + 1
    for name, (kind, shape) in json.loads(data[:end]).items():
        count = int(np.prod(shape, dtype=np.int64))
        found[name] = np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=start).reshape(shape)
        start += found[name].nbytes
    return found


def of_texts(texts: Iterable[str]) -> Any:
    """Write texts without line breaks as one array of bytes."""
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def texts(array: Any) -> list[str]:
    """Read what `of_texts` wrote."""
    content = array.tobytes().decode()
    return content.split("\n") if content else []
