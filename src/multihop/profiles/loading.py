"""Profiles by name or by file: those that ship are found by name, any other is a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from multihop.errors import InvalidProfile, UnknownName, suggestion
from multihop.profiles.checking import profile_of
from multihop.profiles.values import Profile

_SUFFIX = ".toml"


def names() -> tuple[str, ...]:
    """Name the profiles that ship."""
    here = files("multihop.profiles")
    return tuple(sorted(f.name.removesuffix(_SUFFIX) for f in here.iterdir() if f.name.endswith(_SUFFIX)))


def load(profile: str | Path, *, say: Callable[[str], object] | None = None) -> Profile:
    """Read a profile that ships by its name, or any other from its TOML file, and check it.

    Keys that are not known are an error, or with `say` a line each, and left out.
    """
    if isinstance(profile, str) and profile in names():
        return parse(files("multihop.profiles").joinpath(profile + _SUFFIX).read_text("utf-8"), name=profile)
    path = Path(profile)
    if not path.is_file():
        if path.suffix == _SUFFIX or path.is_dir():
            raise UnknownName(f"there is no profile file {str(path)!r}")
        said = suggestion(str(profile), names()).removesuffix("?")
        end = "?" if said.startswith("did you") else "."
        raise UnknownName(
            f"there is no profile {str(profile)!r}: {said}{end} One of your own is given as a file that ends in .toml"
        )
    try:
        content = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidProfile("the file is not UTF-8 text", source=str(path)) from error
    return parse(content, name=path.stem, source=str(path), say=say)


def template() -> str:
    """Return a small profile with every key explained, to begin one's own with."""
    return files("multihop.profiles").joinpath("template.txt").read_text("utf-8")


def parse(content: str, *, name: str, source: str = "", say: Callable[[str], object] | None = None) -> Profile:
    """Read a profile from TOML; raises InvalidProfile with the place of the first wrong value."""
    warn = (lambda problem: say(f"{source or name}: {problem}")) if say else None
    try:
        return profile_of(tomllib.loads(content), name=name, say=warn)
    except InvalidProfile as error:
        raise InvalidProfile(error.problem, source=source or name, place=error.place) from error
    # Not only TOMLDecodeError: a number of more than 4,300 digits is refused by Python itself.
    except ValueError as error:
        raise InvalidProfile(f"not TOML: {error}", source=source or name) from error
    # A few kilobytes of brackets are enough for the parser of TOML.
    except RecursionError as error:
        raise InvalidProfile("lists or tables are nested too deeply", source=source or name) from error
