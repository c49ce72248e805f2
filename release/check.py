"""Everything before a release: build twice, look inside, install into empty environments, run the demo.

Wheel and sdist are built twice and must be the same byte for byte; metadata, contents and size are checked; then the
wheel is installed alone into a fresh environment of every Python at hand that it is for, and the demo runs in each.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_SOURCE = ("src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
_EPOCH = "1577836800"
"""The time that files in the archives have, unless SOURCE_DATE_EPOCH says another."""
MEGABYTE = 1_000_000
LARGEST = {"wheel": 60 * MEGABYTE, "sdist": 80 * MEGABYTE}
"""The weights of the models are most of it; a package index takes 100 MB."""
WANTED = ("multihop/py.typed", "multihop/server/page/index.html", "multihop/models/data/", "multihop/profiles/")
UNWANTED = ("__pycache__", ".pyc", ".mh/", "/.venv/", ".DS_Store")


class Failed(Exception):
    """The release is not fit; the message says why."""


def main() -> int:
    """Check everything and leave wheel and sdist in the folder; 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to put wheel and sdist")
    parser.add_argument("--no-install", action="store_true", help="build and look inside only; needs no package index")
    chosen = parser.parse_args()
    try:
        wheel, sdist = built_twice(chosen.out)
        check_wheel(wheel)
        check_sdist(sdist)
        if not chosen.no_install:
            for python in pythons():
                install(wheel, python)
    except Failed as problem:
        sys.stdout.write(f"not fit for release: {problem}\n")
        return 1
    return 0


def built_twice(out: Path) -> tuple[Path, Path]:
    """Build wheel and sdist in two fresh copies, and compare."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = [build_wheel(Path(one)), build_sdist(Path(one))]
        time.sleep(2)  # archives count the times of files in steps of two seconds
        second = [build_wheel(Path(other)), build_sdist(Path(other))]
        out.mkdir(parents=True, exist_ok=True)
        for this, that in zip(first, second, strict=True):
            digests = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (this, that)}
            if len(digests) > 1:
                raise Failed(f"two builds of {this.name} differ")
            shutil.copyfile(this, out / this.name)
            sys.stdout.write(f"{digests.pop()}  {this.name}, {this.stat().st_size / MEGABYTE:.1f} MB\n")
        return out / first[0].name, out / first[1].name


def build_wheel(out: Path) -> Path:
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
        _build("wheel", copy, out)
    [wheel] = out.glob("*.whl")
    return wheel


def build_sdist(out: Path) -> Path:
    """Build the sdist from what git tracks: a checkout may hold anything beside it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    with tempfile.TemporaryDirectory() as folder:
        for name in listed.stdout.decode().split("\0"):
            source = ROOT / name
            if name and source.is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
        _build("sdist", Path(folder), out)
    [sdist] = out.glob("*.tar.gz")
    return sdist


def _build(target: str, source: Path, out: Path) -> None:
    environment = {"SOURCE_DATE_EPOCH": _EPOCH, **os.environ}
    _run([sys.executable, "-m", "hatchling", "build", "--target", target, "-d", str(out)], str(source), environment)


def check_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        [information] = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = message_from_bytes(opened.read(information))
    _check_contents(wheel, names, "wheel")
    missing = [part for part in WANTED if not any(name.startswith(part) for name in names)]
    if missing:
        raise Failed(f"{wheel.name} lacks {', '.join(missing)}")
    if outside := [n for n in names if not n.startswith(("multihop/", information.partition("/")[0]))]:
        raise Failed(f"{wheel.name} would install {outside[0]} beside the package")
    for field in ("Summary", "License-Expression", "Requires-Python", "Description-Content-Type"):
        if not said.get(field):
            raise Failed(f"the metadata have no {field}")
    if f"-{said['Version']}-" not in wheel.name or not str(said.get_payload()).strip():
        raise Failed("the metadata have another version than the file name, or no description")


def check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as opened:
        names = [name.partition("/")[2] for name in opened.getnames()]
    _check_contents(sdist, names, "sdist")
    needed = (
        "pyproject.toml",
        "hatch_build.py",
        "LICENSE",
        "README.md",
        "Makefile",
        "tests/conftest.py",
        "docs/index.md",
        "mkdocs.yml",
    )
    if missing := [name for name in needed if name not in names]:
        raise Failed(f"{sdist.name} lacks {', '.join(missing)}")


def _check_contents(file: Path, names: list[str], kind: str) -> None:
    if wrong := [name for name in names if any(part in f"/{name}" for part in UNWANTED)]:
        raise Failed(f"{file.name} holds {wrong[0]}, which does not belong there")
    if file.stat().st_size > LARGEST[kind]:
        raise Failed(f"{file.name} has {file.stat().st_size} bytes; at most {LARGEST[kind]} are allowed")


def pythons() -> list[Path]:
    """The interpreters at hand, one of each version that the package is for: on the path, or kept by pyenv."""
    found = []
    for version in PYTHONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        path = kept[-1] if kept else shutil.which(f"python{version}")
        if path is None:
            sys.stdout.write(f"Python {version} is not here: not tried\n")
        else:
            found.append(Path(path))
    return found


def install(wheel: Path, python: Path) -> None:
    """Install the wheel alone into an empty environment, and run the demo there."""
    with tempfile.TemporaryDirectory() as folder:
        _run([str(python), "-m", "venv", folder])
        bin = Path(folder, "Scripts" if os.name == "nt" else "bin")
        _run([str(bin / "python"), "-m", "pip", "install", "--quiet", str(wheel.resolve())])
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        version = _run([str(bin / "multihop"), "--version"], folder, environment).strip()
        said = _run([str(bin / "multihop"), "demo"], folder, environment)
        if "found 2 of 2 needed" not in said:
            raise Failed(f"with {python} the demo found nothing")
        sys.stdout.write(f"{python}: {version}, installed and asked\n")


def _run(command: list[str], folder: str | None = None, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(  # noqa: S603  # commands of this file
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
