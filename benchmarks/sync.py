"""How long it takes to sync a folder of 10,000 small files: at first, unchanged, and with one file changed.

    python benchmarks/sync.py

Prints seconds by the clock and of the processor, which others on the machine do not lengthen, and the peak of the
memory that Python objects take while an unchanged folder is synced.
"""

from __future__ import annotations

import os
import tempfile
import time
import tracemalloc
from pathlib import Path

from multihop import Engine

FILES = 10_000


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "docs")
        for number in range(FILES):
            write(folder, number, f"Number {number} lies near town {number % 97}.")
        measure("all new", Path(place), folder)
        measure("unchanged", Path(place), folder)
        write(folder, 300, "Something else.")
        measure("one changed", Path(place), folder)
        tracemalloc.start()
        measure("unchanged, traced", Path(place), folder)
        print(f"peak {tracemalloc.get_traced_memory()[1] / 2**20:.1f} MiB")


def write(folder: Path, number: int, text: str) -> None:
    file = folder / f"part{number // 100}" / f"file{number}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"File {number}\n\n{text}")
    then = time.time() - 3600 + (text == "Something else.")
    os.utime(file, (then, then))


def measure(what: str, place: Path, folder: Path) -> None:
    with Engine.open(place / "x.mh", create=True) as engine:
        begun, worked = time.perf_counter(), time.process_time()
        engine.sync(folder)
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
        print(f"{what}: {seconds:.2f} s, {worked:.2f} s of processor", flush=True)


if __name__ == "__main__":
    main()
