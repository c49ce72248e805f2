"""Atomic file writes: a concurrent reader sees the old content or the new, never a partial file."""

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
    """Replace a file with this content, given whole or in chunks; with `private` only its owner may read it.

    With `durable` the content is on disk when this returns; a durable file must have a single writer.
    """
    chunks = (content,) if isinstance(content, str | bytes) else content
    # A durable file has one writer, so a fixed name works and lets us find what a dead writer left behind.
    unfinished = path.with_name(f".{path.name}.new" if durable else f".{secrets.token_hex(8)}.part")
    if durable:
        unfinished.unlink(missing_ok=True)  # left by a writer that died
    # Opened here, not by Path.write_text, so that a private file is private from its first byte.
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb") as out:
            for chunk in chunks:
                # Lone surrogates, which JSON input may contain, cannot be encoded.
                out.write(chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "replace"))
            if durable:
                out.flush()
                os.fsync(out.fileno())
        _replace(unfinished, path)
    # On Ctrl-C too: leave no unfinished file behind.
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _replace(source: Path, target: Path) -> None:
    """Rename, retrying: Windows refuses while another process is reading the old file."""
    for pause in (0.01, 0.1, 0.5):
        with suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(pause)
    source.replace(target)


def check_writable(path: Path, what: str) -> None:
    """Raise if a file cannot be written, before doing the work whose result it will hold."""
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; give a file for {what}")
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {what}; create it, or give another file")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{str(path.parent)!r} cannot be written to; give another file for {what}")
