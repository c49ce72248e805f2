"""One file over HTTP: resumed where a broken connection left it, and never mistaken for whole when it is not.

Not left to pooch, which begins a broken download of gigabytes again from its first byte.
"""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from multihop.errors import DownloadFailed

TIMEOUT = 60.0
ATTEMPTS = 3
CHUNK = 2**18

_RANGE = re.compile(r"bytes (\d+)-\d*/(\d+|\*)")


def fetch(address: str, to: Path, progress: Callable[[int, int | None], None] | None = None) -> None:
    """Download a file, going on from `to`.part when it is there; `to` appears only when all bytes have arrived."""
    part = to.with_name(to.name + ".part")
    last: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            if _receive(address, part, progress):
                part.replace(to)
                _tag(part).unlink(missing_ok=True)
                return
        except urllib.error.HTTPError as error:
            error.close()
            raise DownloadFailed(f"{address} answered {error.code} {error.reason}") from error
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            # A broken connection is tried again from the bytes there are; an answer such as 404 above is final.
            last = error
    have = part.stat().st_size if part.exists() else 0
    kept = f" after {have} bytes, which are kept in {part}: run it again to go on" if have else ""
    why = getattr(last, "reason", last) or "the connection was closed too early"
    raise DownloadFailed(f"cannot download {address}: {why}{kept}") from last


def _receive(address: str, part: Path, progress: Callable[[int, int | None], None] | None) -> bool:
    """Append what the server has beyond the partial file; return whether it is complete."""
    have = part.stat().st_size if part.exists() else 0
    with _open(address, have, part) as answer:
        start, total = _extent(answer)
        # A server that ignores the range sends the whole file; appending it would glue it to the part.
        if start != have:
            have = 0
        if tag := answer.headers.get("ETag", ""):
            _tag(part).write_text(tag, encoding="utf-8")
        with part.open("ab" if have else "wb") as file:
            while block := answer.read(CHUNK):
                have += file.write(block)
                if progress:
                    progress(have, total)
    return total is None or have == total


def _open(address: str, have: int, part: Path) -> http.client.HTTPResponse:
    if not address.startswith(("http://", "https://")):
        raise DownloadFailed(f"only http and https can be downloaded, not {address!r}")
    headers = {"User-Agent": "multihop"}
    if have:
        headers["Range"] = f"bytes={have}-"
        # A server that has another version of the file by now sends it from the beginning.
        if _tag(part).exists():
            headers["If-Range"] = _tag(part).read_text(encoding="utf-8")
    request = urllib.request.Request(address, headers=headers)  # noqa: S310  # the scheme was checked above
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)  # type: ignore[no-any-return]  # noqa: S310  # as above
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or not have:
            raise
        error.close()
        # There is nothing beyond the part, which may be of another version: it is fetched anew.
        part.unlink()
        return _open(address, 0, part)


def _extent(answer: http.client.HTTPResponse) -> tuple[int, int | None]:
    """Return where the answer begins in the file, and how long the file is where the server says so."""
    if answer.status == http.HTTPStatus.PARTIAL_CONTENT:
        match = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if match:
            return int(match[1]), None if match[2] == "*" else int(match[2])
    # Without a length a cut connection looks like the end; nothing can be checked then.
    length = answer.headers.get("Content-Length")
    return 0, int(length) if length is not None else None


def _tag(part: Path) -> Path:
    return part.with_name(part.name + ".etag")
