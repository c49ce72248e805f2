"""Locations of indexes: a folder, or the URL of a server such as `postgresql://user@host/database?index=name`."""

from __future__ import annotations

import re
from pathlib import Path

Location = str | Path

SCHEMES = ("postgresql://", "postgres://")
# Up to the last @: a password may contain one that should have been written %40. Also parameters named like secrets.
_SECRET = re.compile(
    r"((?:://|^postgres(?:ql)?:/?)[^/?#@\s]*:)[^'\"]*(@)|(\w*(?:pass|pwd|secret|token)\w*=)[^&\s'\"]*", re.I
)
_LIKE_AN_ADDRESS = re.compile(r"postgres(?:ql)?:|(?:.*\s)?(?:host|hostaddr|dbname|user|password)=", re.I)


def is_server(location: object) -> bool:
    """Return whether a location is the URL of a server."""
    return isinstance(location, str) and location.startswith(SCHEMES)


def looks_like_address(location: object) -> bool:
    """Return whether a location looks like a URL or connection string, supported or not."""
    return isinstance(location, str) and ("://" in location or _LIKE_AN_ADDRESS.match(location) is not None)


def parse_location(text: str) -> Location:
    """Read a location that a user gave: a path, unless it looks like an address."""
    return text if looks_like_address(text) else Path(text)


def has_password(location: Location) -> bool:
    return redact(location) != str(location)


def redact(location: Location) -> str:
    """Replace the password by *** for messages, even in a location that cannot be parsed."""
    return _SECRET.sub(lambda m: f"{m[1]}***{m[2]}" if m[2] else f"{m[3]}***", str(location))
