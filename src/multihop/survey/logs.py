"""The log of a survey: one line per operation, with its category, keys and values."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RETRIEVE = "[4_RETRIEVE]"
HOP_RETRIEVE = "[HOP_RETRIEVE]"
VECTOR_SIMILARITY = "[VECTOR_SIMILARITY]"
LOGGER = logging.getLogger("multihop.survey")
_LINE = "%(asctime)s %(levelname)s %(message)s"


def line(category: str, event: str, **values: object) -> str:
    """Format one line: [4_RETRIEVE] answered question=1 country="Japan" chunks=20"""
    said = " ".join(f"{key}={json.dumps(value, ensure_ascii=False, default=str)}" for key, value in values.items())
    return f"{category} {event} {said}".rstrip()


@contextmanager
def log_to(file: Path | None) -> Iterator[None]:
    """Copy the log of surveys to a file while the block runs."""
    if file is None:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_LINE))
    before = LOGGER.level
    LOGGER.addHandler(handler)
    # A logger without a level drops everything below a warning.
    LOGGER.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(before)
        handler.close()
