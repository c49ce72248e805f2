"""Checksums of cache files, by block: who reads them believes every byte, and crashes or lies over wrong ones.

Opening a cache checks all blocks of small files and some of large ones, chosen anew each time, so that it takes no
longer the larger they are; `verify` checks all.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from multihop.rendering.files import write_atomically

_BLOCK = 64 * 2**10
_SAMPLED = 128
"""Blocks of all files together that are looked at when a cache is opened, beside the first and last of each."""

Sums = Mapping[str, list[int]]
"""The size of each file, followed by the checksums of its blocks."""


def write(place: Path, files: Iterable[Path], known: Sums | None = None) -> None:
    """Write down the checksums of files that do not change any more; those that are `known` are not read again."""
    known = known or {}
    sums = {file.name: known.get(file.name) or _sums(file) for file in files}
    write_atomically(place, json.dumps(sums), durable=True)


def read_checksums(place: Path) -> Sums:
    """Read what was written down; nothing where it cannot be read."""
    with suppress(OSError, ValueError):
        sums = json.loads(place.read_bytes())
        if isinstance(sums, dict):
            return sums
    return {}


def damaged_files(files: Iterable[Path], sums: Sums, *, completely: bool = False) -> list[str]:
    """List the files whose checksum differs; files without one are skipped."""
    known = [file for file in files if file.name in sums]
    blocks = [(file, number) for file in known for number in range(len(sums[file.name]) - 1)]
    if not completely and len(blocks) > _SAMPLED:
        ends = {(file, number) for file in known for number in (0, len(sums[file.name]) - 2)}
        # Which ones is not the result of anything: an index gives the same answers whichever were looked at.
        blocks = sorted(ends | set(random.sample(blocks, _SAMPLED)))
    wrong = {file.name for file in known if not _has_size(file, sums[file.name][0])}
    for file, number in blocks:
        if file.name not in wrong and _block(file, number) != sums[file.name][number + 1]:
            wrong.add(file.name)
    return sorted(wrong)


def _has_size(file: Path, size: int) -> bool:
    try:
        return file.stat().st_size == size
    except FileNotFoundError:
        return True  # a writer has just taken it away; whoever needs it will find out
    except OSError:
        return False


def _block(file: Path, number: int) -> int:
    try:
        with file.open("rb") as opened:
            opened.seek(number * _BLOCK)
            return zlib.crc32(opened.read(_BLOCK))
    except OSError:
        return -1


def _sums(file: Path) -> list[int]:
    with file.open("rb") as opened:
        return [file.stat().st_size, *map(zlib.crc32, iter(partial(opened.read, _BLOCK), b""))]
