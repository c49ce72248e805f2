"""Builds the wheel twice, from two copies of the source made at different times, and checks that they are the same."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SOURCE = ("src", "pyproject.toml", "README.md", "LICENSE")
EPOCH = "1577836800"
"""The time that files in the wheel have, unless SOURCE_DATE_EPOCH says another."""


def build(out: Path) -> Path:
    """Build a wheel from a fresh copy of the source."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "source"
        copy.mkdir()
        for name in _SOURCE:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, copy / name, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile
                )
            else:
                shutil.copyfile(source, copy / name)
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
        subprocess.run(  # noqa: S603  # a command of this file
            command, cwd=copy, check=True, env={"SOURCE_DATE_EPOCH": EPOCH, **os.environ}, capture_output=True
        )
    [wheel] = out.glob("*.whl")
    return wheel


def main() -> int:
    """Build, compare and print the checksum; 1 when the two differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to put the wheel")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = build(Path(one))
        time.sleep(2)  # the time of a file counts in steps of two seconds inside a wheel
        second = build(Path(other))
        sums = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)]
        if sums[0] != sums[1]:
            sys.stdout.write(f"two builds of {first.name} differ: {sums[0]}, {sums[1]}\n")
            return 1
        chosen.out.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(first, chosen.out / first.name)
        sys.stdout.write(f"{sums[0]}  {first.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
