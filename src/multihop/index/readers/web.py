"""Pages and files of the web, asked for by their address: within limits, and not from private networks.

Every address that a name stands for is checked, also those that a server redirects to, and the connection is made to
the address that was checked: a name cannot mean another one a moment later.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from multihop.errors import InvalidInput, cause
from multihop.index.readers.formats import format_by_suffix, media_types

MAX_BYTES = 64 * 2**20
SECONDS = 30.0
"""Seconds to wait for the next bytes."""
TOTAL_SECONDS = 120.0
"""Seconds for the whole, with all redirects: a server may send a byte at a time."""
_REDIRECTS = 5
_ENDS_IN_IPV4 = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b::/96", "::ffff:0:0:0/96")))
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_MOVED = (301, 302, 303, 307, 308)


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def fetch(url: str, folder: Path, *, private: bool = False) -> Path:
    """Download a URL into a folder, with the suffix of its format; returns the file."""
    current, until = url, time.monotonic() + TOTAL_SECONDS
    for _ in range(_REDIRECTS + 1):
        status, headers, data = _get(current, private, until)
        if status in _MOVED and headers.get("location"):
            current = urljoin(current, headers["location"])
            if not is_url(current):
                raise InvalidInput(f"{url}: it redirects to {current!r:.80}, which is not a web address")
            continue
        if status != 200:
            raise InvalidInput(f"{url}: the server answered with status {status}")
        file = folder / f"page{_suffix(current, headers.get('content-type', ''))}"
        file.write_bytes(data)
        return file
    raise InvalidInput(f"{url}: redirected more than {_REDIRECTS} times")


def _suffix(url: str, content_type: str) -> str:
    suffix = Path(urlsplit(url).path).suffix.lower()
    named = suffix if format_by_suffix(suffix) else ".html"
    return media_types().get(content_type.partition(";")[0].strip().lower(), named)


def _get(url: str, private: bool, until: float) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        _check_time(url, until)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        plain = _connect(url, host, port, private)
        # Every operation has its own time limit, and there may be any number of them: this ends them all.
        watched = plain.dup()
        timer = threading.Timer(max(0.0, until - time.monotonic()), _end, [watched])
        timer.daemon = True
        timer.start()
        try:
            # Set by hand: the library would look the name up again, and could get another address.
            connection.sock = _secure(plain, host) if parts.scheme == "https" else plain
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers={"User-Agent": "multihop", "Accept-Encoding": "identity"})
            answer = connection.getresponse()
            # The length that a server announces is not to be trusted, so it is counted.
            data = answer.read(MAX_BYTES + 1)
        finally:
            timer.cancel()
            for each in (watched, plain, connection):
                each.close()
        # A body that was cut off may look complete.
        _check_time(url, until)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, InvalidInput):
            raise
        _check_time(url, until)
        raise InvalidInput(f"{url}: cannot be fetched: {cause(error)}") from error
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{url}: is larger than {MAX_BYTES // 2**20} MiB; download it and index the file")
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data


def _check_time(url: str, until: float) -> None:
    if time.monotonic() >= until:
        raise InvalidInput(f"{url}: took more than {TOTAL_SECONDS:g} seconds; download it and index the file")


def _end(watched: socket.socket) -> None:
    # It may have been closed in the meantime.
    with suppress(OSError):
        watched.shutdown(socket.SHUT_RDWR)


def _secure(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _connect(url: str, host: str, port: int, private: bool) -> socket.socket:
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        # Behind "%" stands the network interface of a local address.
        where = ipaddress.ip_address(str(address[0]).partition("%")[0])
        if not (_is_public(where) or private):
            raise InvalidInput(
                f"{url}: {host} is {where}, an address of a private network; allow it with --allow-private if that is "
                "meant"
            )
        return socket.create_connection((str(where), port), timeout=SECONDS)
    raise InvalidInput(f"{url}: {host} has no address")


def _is_public(where: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is public; one that carries another inside, for a gateway to use, only if both are."""
    if not where.is_global or where.is_multicast:
        return False
    if isinstance(where, ipaddress.IPv4Address):
        return True
    inner = _inner(where)
    return not where.is_site_local and where not in _NAT64_LOCAL and (inner is None or _is_public(inner))


def _inner(where: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(where in network for network in _ENDS_IN_IPV4):
        return ipaddress.IPv4Address(int(where) & 0xFFFFFFFF)
    return where.ipv4_mapped or where.sixtofour or (where.teredo[1] if where.teredo else None)
