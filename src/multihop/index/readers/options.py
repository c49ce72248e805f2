"""How the files of a source are read. An index stores it for each source, to read it the same way the next time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from typing import Any

from multihop.types import Metadata


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices that hold for every file of a source."""

    format: str | None = None
    """The format of every file, whatever its name says."""
    whole: bool = False
    """Keep every document as one passage."""
    metadata: Metadata = field(default_factory=dict)
    """What every document is given, unless it has the field itself."""

    @classmethod
    def of(cls, recorded: Mapping[str, Any], **given: Any) -> ReadOptions:
        """Combine what is recorded of a source with what is given now; None stands for what was not given."""
        known = {f.name for f in fields(cls)}
        chosen = {name: _frozen(value) for name, value in recorded.items() if name in known}
        return cls(**{**chosen, **{name: value for name, value in given.items() if value is not None}})

    def recorded(self) -> dict[str, Any]:
        """Write the choices that differ from the usual ones as values of JSON."""
        usual = ReadOptions()
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        found = {name: value for name, value in values.items() if value != getattr(usual, name)}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in found.items()}

    def recipe(self) -> str:
        """Give a short text that is the same for the same choices."""
        return blake2b(json.dumps(self.recorded(), sort_keys=True).encode(), digest_size=8).hexdigest()


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
    return tuple(value) if isinstance(value, list) else value
