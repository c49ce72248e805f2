"""The URL of an index on a server, `postgresql://user@host/database?index=name`, parsed into its parts.

A password is needed to connect and never shown: `shown` is the address as messages may print it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from multihop.errors import InvalidInput
from multihop.index.locations import redact

INDEX = "main"
POOL = 10
SCHEMA = "multihop_"
# What stands unquoted in a statement: those that distribute tables carry the name of the schema as it is.
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class Address:
    """A database, the index within it, how many connections a process may open to it, and whether a part will do."""

    connection: str = field(repr=False)
    shown: str
    index: str = INDEX
    pool: int = POOL
    partial: bool = False
    """Answer from the nodes that are there while others of a cluster are away."""
    direct: bool = False
    """Read the shards of a cluster where they lie, over connections to every node."""

    @property
    def schema(self) -> str:
        """The schema that holds the tables of this index, and of no other."""
        return SCHEMA + self.index


def parse_address(address: str) -> Address:
    """Remove our own parameters from an address; the rest is for libpq."""
    try:
        parts = urlsplit(address)
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError as error:
        raise InvalidInput(f"{redact(address)!r} is not a valid URL: {error}") from None
    if parts.netloc.count("@") > 1:
        raise InvalidInput(f"the user or password in {redact(address)!r} contains an @; write it as %40")
    hosts = parts.netloc.rpartition("@")[2].split(",")
    ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
    if any(port and not port.isdecimal() for port in ports):
        # Without the port: what stands there may be the beginning of a password.
        raise InvalidInput(
            f"the port in {redact(address)!r} is not a number; "
            "characters such as / in a password must be written as %2F"
        )
    for host in hosts:
        _check_host(host, address)
    index = parameters.pop("index", INDEX)
    if not _NAME.fullmatch(index):
        raise InvalidInput(
            f"invalid index name {index!r}; use up to 40 lowercase letters, digits and _, starting with a letter"
        )
    pool = parameters.pop("pool", str(POOL))
    # At least two: while relations are found, one connection reads a view and another one writes.
    if not pool.isdecimal() or not 2 <= int(pool) <= 1000:
        raise InvalidInput(f"pool={pool} must be a whole number from 2 to 1000")
    partial, direct = (_take_choice(parameters, name) for name in ("partial", "direct"))
    if partial and direct:
        raise InvalidInput(
            "partial=yes and direct=yes do not go together: direct=yes needs every node; give one of them"
        )
    # libpq reads %20 as a blank, but + as itself.
    query = urlencode(parameters, quote_via=quote)
    # Beside the scheme, because an address without a host would lose its slashes.
    connection = f"{parts.scheme}://" + urlunsplit(parts._replace(scheme="", query=query)).removeprefix("//")
    return Address(connection, redact(address), index, int(pool), partial, direct)


def beside(address: Address, name: str) -> str:
    """Write the URL of another index in the same database, under the first letters of this one's name."""
    joined = "&" if "?" in address.connection else "?"
    return f"{address.connection}{joined}index={address.index[:16]}_{name[:23]}&pool={min(address.pool, 4)}"


def _take_choice(parameters: dict[str, str], name: str) -> bool:
    value = parameters.pop(name, "no")
    if value not in ("yes", "no"):
        raise InvalidInput(f"{name}={value} must be yes or no")
    return value == "yes"


def _check_host(host: str, address: str) -> None:
    """Refuse a name that no resolver takes; those in brackets or with % are numbers and sockets."""
    name = host.partition(":")[0]
    if not name or name.startswith(("[", "/")) or "%" in name:
        return
    try:
        name.encode("idna")
    except UnicodeError:
        raise InvalidInput(
            f"invalid host name {name[:80]!r} in {redact(address)!r}; the parts between dots have 1 to 63 characters"
        ) from None


def without(text: str, address: Address) -> str:
    """Remove the password of an address from a message of the server or of libpq."""
    # One of a letter or two would take these out of every word.
    password = unquote(urlsplit(address.connection).password or "")
    return redact(text.replace(password, "***") if len(password) > 2 else text)
