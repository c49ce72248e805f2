"""Pages and files of the web, asked for by their address: within limits, and not from private networks.

Every address that a name stands for is checked, also those that a server redirects to, and the connection is made to
the address that was checked: a name cannot mean another one a moment later.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from multihop.errors import InvalidInput
from multihop.index.readers.formats import format_by_suffix, media_types

MAX_BYTES = 64 * 2**20
SECONDS = 30.0
_REDIRECTS = 5
_MOVED = (301, 302, 303, 307, 308)


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def fetch(url: str, folder: Path, *, private: bool = False) -> Path:
    """Download a URL into a folder, with the suffix of its format; returns the file."""
    current = url
    for _ in range(_REDIRECTS + 1):
        status, headers, data = _get(current, private)
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


def _get(url: str, private: bool) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        # Set by hand: the library would look the name up again, and could get another address.
        connection.sock = _connect(url, host, port, private, secure=parts.scheme == "https")
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers={"User-Agent": "multihop", "Accept-Encoding": "identity"})
            answer = connection.getresponse()
            # The length that a server announces is not to be trusted, so it is counted.
            data = answer.read(MAX_BYTES + 1)
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{url}: cannot be fetched: {error}") from error
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{url}: is larger than {MAX_BYTES // 2**20} MiB; download it and index the file")
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, data


def _connect(url: str, host: str, port: int, private: bool, *, secure: bool) -> socket.socket:
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        # Behind "%" stands the network interface of a local address.
        where = ipaddress.ip_address(str(address[0]).partition("%")[0])
        if not (where.is_global or private):
            raise InvalidInput(
                f"{url}: {host} is {where}, an address of a private network; allow it with --allow-private if that is "
                "meant"
            )
        plain = socket.create_connection((str(where), port), timeout=SECONDS)
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host) if secure else plain
    raise InvalidInput(f"{url}: {host} has no address")
