"""Notes in traces and answers: what was degraded, left out or not found; and the codes that programs act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SHORT = "fewer-than-k"
"""Fewer passages than asked for could be reached."""
NO_EMBEDDER = "embedder-missing"
"""The index was opened without an embedder, so nothing was searched by meaning."""
LM_NOT_USED = "lm-not-used"
"""A language model was given for the question, and the strategy asks none."""
VALUE_UNKNOWN = "value-unknown"
"""No document has a value that the filter names."""
ID_UNKNOWN = "id-unknown"
"""No passage and no document has an id that is to be excluded."""
NOT_IN_FORCE = "not-in-force"
"""Documents were left out because they are not valid on the requested day."""
NOT_SURE = "not-sure"
UNDECIDED = "undecided"
"""Nothing answers the question, or decides the claim; the closest sentence is shown instead."""
UNCHECKED = "unchecked"
"""A draft of an answer that is still being checked."""

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
