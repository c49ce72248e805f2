"""The ledger of relation finding: which passages were looked at, so that the next call looks only at what is new.

Passages are numbered as they come in, and a replaced one comes in again: everything behind the mark is new. Replacing a
document takes its relations away; passages at their other ends are noted by the store, and are looked at again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Ledger:
    """How far passages were processed, by which rules and judge, and the term counts so far."""

    rules: str
    judge: str = "None"
    """What judged the likeliest pairs beside the rules."""
    judge_name: str = ""
    """The same, as people call it."""
    mark: int = -1
    """The number of the last passage that was looked at."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """How many of these passages use each term."""
    unjudged: tuple[str, ...] = ()
    """Passages that were looked at by the rules alone, or whose pairs were not all judged, although others were."""

    @property
    def judged(self) -> bool:
        return self.judge != "None"

    def to_bytes(self) -> bytes:
        # Not by `asdict`, which copies every value of what may be large.
        written = {"format": _FORMAT, **{f.name: getattr(self, f.name) for f in fields(self)}}
        return zlib.compress(json.dumps(written).encode(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Ledger | None:
        """Read a ledger; None for another format, which only means that everything is processed again."""
        try:
            written = json.loads(zlib.decompress(data))
            if written.pop("format") != _FORMAT:
                return None
            return cls(**{**written, "unjudged": tuple(written["unjudged"])})
        except (zlib.error, ValueError, KeyError, TypeError, AttributeError):
            return None
