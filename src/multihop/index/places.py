"""Where an index is: a folder, or a server's address such as `postgresql://user@host/database?index=name`."""

from __future__ import annotations

import re
from pathlib import Path

Place = str | Path

SCHEMES = ("postgresql://", "postgres://")
# Up to the last @, for a password may hold one that should have been written %40; and parameters that sound like one.
_SECRET = re.compile(
    r"((?:://|^postgres(?:ql)?:/?)[^/?#@\s]*:)[^'\"]*(@)|(\w*(?:pass|pwd|secret|token)\w*=)[^&\s'\"]*", re.I
)
_LIKE_AN_ADDRESS = re.compile(r"postgres(?:ql)?:|(?:.*\s)?(?:host|hostaddr|dbname|user|password)=", re.I)


def is_server(place: object) -> bool:
    """Tell the address of a server from a folder."""
    return isinstance(place, str) and place.startswith(SCHEMES)


def is_address(place: object) -> bool:
    """Tell what is written like an address, of whatever kind, from a folder."""
    return isinstance(place, str) and ("://" in place or _LIKE_AN_ADDRESS.match(place) is not None)


def place_of(text: str) -> Place:
    """Read what a user gave."""
    return text if is_address(text) else Path(text)


def has_secret(place: Place) -> bool:
    """Tell whether a place holds a password."""
    return shown(place) != str(place)


def shown(place: Place) -> str:
    """Write a place as messages may print it: without its password, even when it cannot be read as an address."""
    return _SECRET.sub(lambda m: f"{m[1]}***{m[2]}" if m[2] else f"{m[3]}***", str(place))
