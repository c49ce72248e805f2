"""Arrays in memory while they are small, in a temporary file beyond that.

Of what is in the file only the block that is looked at is mapped into memory, so that memory does not grow with it.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from multihop.errors import StoreError, cause
from multihop.profiles.signals import arrays

HELD = 4 * 2**20
"""Bytes held in memory."""
_LARGE = "/var/tmp"  # noqa: S108  # only names the folder; the file in it has no name
"""Where large temporary files belong: the usual folder is often in memory itself."""


@dataclass(frozen=True, eq=False, slots=True)
class Stored:
    """Named arrays that were put aside."""

    spool: Spool
    data: bytes | None
    at: int = 0
    size: int = 0

    def read(self) -> dict[str, Any]:
        """Return the arrays; they are mapped for as long as one of them is in use."""
        return arrays.unpack(self.spool.map(self.at, self.size) if self.data is None else self.data)


class Spool:
    """Stores arrays block by block; the file is deleted with this object."""

    def __init__(self) -> None:
        self._held = 0
        self._end = 0
        self._file: IO[bytes] | None = None

    def put(self, values: Mapping[str, Any]) -> Stored:
        size = sum(v.nbytes for v in values.values())
        if self._held + size <= HELD:
            self._held += size
            return Stored(self, arrays.pack(values))
        try:
            return self._write(values)
        except OSError as error:
            raise StoreError(
                f"cannot write {size / 2**20:,.0f} MB to a temporary file in {folder()!r}: {cause(error)}; "
                "make room there, or name another folder in TMPDIR"
            ) from error

    def _write(self, values: Mapping[str, Any]) -> Stored:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=folder())  # noqa: SIM115  # open as long as this object is in use
            weakref.finalize(self, self._file.close)
        # A file can be mapped only from such places on.
        at = self._end + -self._end % mmap.ALLOCATIONGRANULARITY
        self._file.seek(at)
        self._file.writelines(arrays.pieces(values))
        self._file.flush()
        self._end = self._file.tell()
        return Stored(self, None, at, self._end - at)

    def map(self, at: int, size: int) -> mmap.mmap:
        assert self._file is not None  # noqa: S101  # only what was written is asked for
        if sys.platform == "linux":
            # In one go, which is faster than page by page.
            flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
            return mmap.mmap(self._file.fileno(), size, flags=flags, prot=mmap.PROT_READ, offset=at)
        return mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_READ, offset=at)


def folder() -> str:
    """Return the folder for temporary files: that of the environment, or one with room for large files."""
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return _LARGE if not named and os.access(_LARGE, os.W_OK) and Path(_LARGE).is_dir() else tempfile.gettempdir()
