"""Checksums of downloads, kept beside them: few publishers give any, so the first download sets them.

The file downloads.json in a dataset's folder holds the SHA-256, the size and the address of each file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from multihop.errors import InvalidInput
from multihop.index.readers.decoding import source_of
from multihop.rendering.files import write_atomically

RECEIPTS = "downloads.json"


def write_receipt(file: Path, folder: Path, address: str) -> None:
    """Record the hash of a file below `folder`, so that later loads detect changes."""
    known = _receipts(folder)
    known[file.relative_to(folder).as_posix()] = {
        "address": address,
        "bytes": file.stat().st_size,
        "sha256": digest(file, "sha256"),
    }
    write_atomically(folder / RECEIPTS, json.dumps(known, indent=2, sort_keys=True) + "\n")


def check(file: Path) -> None:
    """Raise when a downloaded file is no longer what was downloaded; a file without a receipt is trusted."""
    # The files of BRIGHT lie one folder below the one that has the receipts.
    for folder in file.parents[:2]:
        receipt = _receipts(folder).get(file.relative_to(folder).as_posix())
        if receipt is None:
            continue
        size = file.stat().st_size
        if size != receipt["bytes"] or digest(file, "sha256") != receipt["sha256"]:
            raise InvalidInput(
                f"{source_of(file)} is damaged or was changed: its SHA-256 is not the one noted when it was downloaded "
                f"({size} bytes, then {receipt['bytes']}); delete it and download it again from {receipt['address']}"
            )
        return


def is_there(file: Path, folder: Path) -> bool:
    """Return whether a file was downloaded before and still has its size."""
    receipt = _receipts(folder).get(file.relative_to(folder).as_posix())
    # The size alone: hashing gigabytes here would be done once more when they are loaded.
    return receipt is not None and file.is_file() and file.stat().st_size == receipt["bytes"]


def digest(file: Path, algorithm: str) -> str:
    """Hash the bytes of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, algorithm).hexdigest()


def _receipts(folder: Path) -> dict[str, Any]:
    file = folder / RECEIPTS
    if not file.is_file():
        return {}
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
        if not all({"address", "bytes", "sha256"} <= entry.keys() for entry in known.values()):
            raise ValueError("an entry lacks its address, bytes or sha256")
    except (ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{source_of(file)} cannot be read ({error}); delete it to accept the files as they are"
        ) from error
    return dict(known)
