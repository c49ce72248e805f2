"""Where an index is: a folder, or a server's address such as `postgresql://user@host/database?index=name`."""

from __future__ import annotations

import re
from pathlib import Path

Place = str | Path

SCHEMES = ("postgresql://", "postgres://")
_SECRET = re.compile(r"(://[^/?#]*?:)[^/]*(@)|((?:password|sslpassword)=)[^&\s]*")


def is_server(place: object) -> bool:
    """Tell the address of a server from a folder."""
    return isinstance(place, str) and place.startswith(SCHEMES)


def is_address(place: object) -> bool:
    """Tell what is written like an address, of whatever kind, from a folder."""
    return isinstance(place, str) and "://" in place


def place_of(text: str) -> Place:
    """Read what a user gave."""
    return text if is_address(text) else Path(text)


def has_secret(place: Place) -> bool:
    """Tell whether a place holds a password."""
    return shown(place) != str(place)


def shown(place: Place) -> str:
    """Write a place as messages may print it: without its password, even when it cannot be read as an address."""
    return _SECRET.sub(lambda m: f"{m[1]}***{m[2]}" if m[2] else f"{m[3]}***", str(place))
