"""How the files of a source are read. An index stores it for each source, to read it the same way the next time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from multihop.errors import InvalidInput
from multihop.index.readers.record import NOBODY, checked_metadata, parse_cell
from multihop.types import ALLOW, Metadata, Scalar

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices that hold for every file of a source."""

    format: str | None = None
    """The format of every file, whatever its name says."""
    whole: bool = False
    """Keep every document as one passage."""
    metadata: Metadata = field(default_factory=dict)
    """What every document is given, unless it has the field itself."""
    metadata_from_path: str | None = None
    """Which metadata the path of a file in its folder tells: "{country}/{year}"."""
    text_field: str | None = None
    """The field of a record, or column of a table, that holds its text; by default the usual ones are looked for."""
    title_field: str | None = None
    id_field: str | None = None
    keep_versions: bool = False
    """Keep old versions of documents that change or go."""
    encoding: str | None = None
    """The encoding of text files that are neither UTF-8 nor begin with a byte order mark."""

    def __post_init__(self) -> None:
        if self.encoding is not None:
            try:
                # Tried, not looked up: Python knows "zip" and "hex" as codecs, too, but they are not of text.
                "".encode(self.encoding)
            except (LookupError, ValueError, UnicodeError):
                raise InvalidInput(
                    f"unknown encoding {self.encoding!r:.60}; give one such as utf-8, latin-1, cp1252 or shift_jis"
                ) from None
        if self.metadata_from_path is not None:
            path_pattern(self.metadata_from_path)
        object.__setattr__(self, "metadata", checked_metadata(self.metadata))
        if self.metadata.get(ALLOW) in ((), []):
            raise InvalidInput(NOBODY)

    @classmethod
    def of(cls, recorded: Mapping[str, Any], **given: Any) -> ReadOptions:
        """Combine what is recorded of a source with what is given now; None stands for what was not given."""
        # An index may have been written by a later version with options that this one does not know.
        known = {f.name for f in fields(cls)}
        chosen = {name: freeze(value) for name, value in recorded.items() if name in known}
        return cls(**{**chosen, **{name: value for name, value in given.items() if value is not None}})

    def to_json(self) -> dict[str, Any]:
        """Write the choices that differ from the usual ones as values of JSON."""
        usual = ReadOptions()
        changed = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != getattr(usual, f.name)}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in changed.items()}

    def recipe(self) -> str:
        """Return a short text that is the same for the same choices."""
        # Whether old versions are kept does not change how a file is read.
        read = {name: value for name, value in self.to_json().items() if name != "keep_versions"}
        return blake2b(json.dumps(read, sort_keys=True).encode(), digest_size=8).hexdigest()


@lru_cache(maxsize=64)
def path_pattern(pattern: str) -> re.Pattern[str]:
    """Turn "{country}/{year}" into what matches the beginning of a path: whole names of folders, or of a file.

    A star stands for any name that is of no interest.
    """
    names = _PLACEHOLDER.findall(pattern)
    rest = _PLACEHOLDER.sub("", pattern)
    wrong = "{" in rest or "}" in rest or not names or "" in map(str.strip, names) or len(set(names)) < len(names)
    if wrong:
        raise InvalidInput(
            f"{pattern!r} names no metadata field, or one twice; write each field in braces, once, such as "
            "'{country}/{year}'"
        )
    # Every second part is the name of a field; what stands between them is matched as it is written.
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in _PLACEHOLDER.split(pattern.strip("/"))[::2])
    return re.compile("([^/]+?)".join(parts) + r"(?:/.*|\.[^/]*)?", re.DOTALL)


def path_metadata(pattern: str, path: str) -> dict[str, Scalar]:
    """Read metadata off the path of a file in its folder; nothing where the path is not of the pattern."""
    match = path_pattern(pattern).fullmatch(path)
    names = (name.strip() for name in _PLACEHOLDER.findall(pattern))
    return {name: parse_cell(value.strip()) for name, value in zip(names, match.groups(), strict=True)} if match else {}


def freeze(value: Any) -> Any:
    """Return a value of JSON with tuples for its lists, as metadata hold them."""
    if isinstance(value, Mapping):
        return {name: freeze(each) for name, each in value.items()}
    return tuple(value) if isinstance(value, list) else value
