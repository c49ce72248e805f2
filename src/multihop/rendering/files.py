"""Writing a file whole or not at all: whoever reads it meanwhile sees the old content or the new, never a part."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from multihop.errors import InvalidInput


def write_atomically(
    path: Path, content: str | bytes | Iterable[str], *, private: bool = False, durable: bool = False
) -> None:
    """Replace a file by one with this content, given whole or in parts; with `private` only its owner may read it.

    With `durable` it is on the disk when this returns; such a file has one writer at a time.
    """
    parts = (content,) if isinstance(content, str | bytes) else content
    # A durable file has one writer, so a fixed name will do, and what a dead writer left is found by it.
    unfinished = path.with_name(f".{path.name}.new" if durable else f".{secrets.token_hex(8)}.part")
    if durable:
        unfinished.unlink(missing_ok=True)  # of a writer that died
    # Opened here, not by Path.write_text, so that a private file is private from its first byte on.
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb") as out:
            for part in parts:
                # Lone surrogates, which a JSON file may bring in, cannot be encoded.
                out.write(part if isinstance(part, bytes) else part.encode("utf-8", "replace"))
            if durable:
                out.flush()
                os.fsync(out.fileno())
        _replace(unfinished, path)
    # For Ctrl-C, too: nothing unfinished stays beside the file.
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _replace(source: Path, target: Path) -> None:
    """Rename; Windows refuses while somebody reads the old file, which is over in a moment."""
    for pause in (0.01, 0.1, 0.5):
        with suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(pause)
    source.replace(target)


def check_writable(path: Path, what: str) -> None:
    """Raise for a file that could not be written, before the work is done whose result it is to hold."""
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; give a file for {what}")
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {what}; create it, or give another file")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{str(path.parent)!r} cannot be written to; give another file for {what}")
