"""What a trace or an answer adds about itself: what was degraded, left out or not found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Plain = str | int | float | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Note:
    """A remark for people that programs can tell apart: they go by `code` and `data`, never by the wording."""

    code: str
    """A short stable identifier, such as "reranker-failed"."""
    data: Mapping[str, Plain] = field(hash=False)
    """What the note is about, as plain values."""
    text: str
    """The sentence that is shown."""

    def __str__(self) -> str:
        return self.text
