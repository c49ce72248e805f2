"""Writing a file whole or not at all: whoever reads it meanwhile sees the old content or the new, never a part."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, content: str, *, private: bool = False) -> None:
    """Replace a file by one with this content; with `private` only its owner may read it."""
    unfinished = path.with_name(f".{secrets.token_hex(8)}.part")
    # Opened here, not by Path.write_text, so that a private file is private from its first byte on.
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as out:
            out.write(content)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
