"""Every dependency of multihop and of its extras, with version and license: as a table, or as a bill of materials.

Left out are the extras that `make test` does not install: they bring gigabytes, and their tests use stand-ins.

Exits with 1 when a license is not known to be fit: permissive ones, the MPL, which asks for changes to its own files to
be shared, and for what is optional the LGPL, which asks for those to the library. What is not installed is only named.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
PERMISSIVE = (
    "mit", "bsd", "apache", "isc", "psf", "python software foundation", "0bsd", "zlib", "cc0", "unlicense",
    "public domain", "academic free", "afl", "cnri", "hpnd", "zpl",
)  # fmt: skip
LEFT_OUT = ("fastembed", "sentence-transformers")
EXAMINED = {"docutils": "what is under the GPL is a mode for Emacs, which is not installed with it"}
"""Packages whose license says more than what is used of them."""
BY_FILE = ("mpl", "mozilla")
BY_LIBRARY = ("lgpl", "lesser general")
_HEADING = "License :: OSI Approved"
"""A classifier that some packages give beside the one that names their license."""
_REFUSED = re.compile(r"(?<!l)gpl|(?<!lesser )general public|affero|sspl|commons clause|proprietary", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dependency:
    """A package, what it may be used under, and whether multihop needs it without any extra."""

    name: str
    version: str
    license: str
    core: bool

    @property
    def fit(self) -> bool:
        """Tell whether every part of the license is known, and none of it reaches beyond the package itself."""
        allowed = (*PERMISSIVE, *BY_FILE, *(() if self.core else BY_LIBRARY))
        if self.name in EXAMINED:
            return True
        # "Or later" offers versions of one license, no other one.
        said = self.license.lower().replace("-or-later", "")
        parts = [part for part in re.split(r";|\band\b|\bor\b|\bwith\b|[()]", said) if part.strip()]
        if " or " in said:
            return any(self._known(part, allowed) for part in parts)
        return bool(parts) and all(self._known(part, allowed) or "exception" in part for part in parts)

    @staticmethod
    def _known(part: str, allowed: tuple[str, ...]) -> bool:
        return not _REFUSED.search(part) and any(name in part for name in allowed)


def dependencies(project: Path = PROJECT) -> list[Dependency]:
    """List what the project needs, and what that needs, by name."""
    told = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    core = set(_closure(told["dependencies"]))
    optional = told["optional-dependencies"]
    # Sets of extras name the package itself; what they hold is listed anyway.
    rows = [row for extra in sorted(optional) if extra not in LEFT_OUT for row in optional[extra]]
    extras = [row for row in rows if Requirement(row).name != "multihop"]
    return [Dependency(name, *_about(name), name in core) for name in sorted(core | set(_closure(extras)))]


def _closure(requirements: list[str]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(each), "") for each in requirements]
    while waiting:
        asked, _ = waiting.pop()
        if asked.marker and not asked.marker.evaluate({"extra": ""}):
            continue
        name = re.sub(r"[-_.]+", "-", asked.name).lower()
        for extra in ("", *sorted(asked.extras)):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for row in _requires(name):
                needed = Requirement(row)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    needed.marker = None
                    waiting.append((needed, extra))
        yield name


def _requires(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def _about(name: str) -> tuple[str, str]:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "", "not installed"
    named = [c for c in about.get_all("Classifier") or () if c.startswith("License ::") and c != _HEADING]
    classified = [c.rpartition(" :: ")[2] for c in named]
    written = [(about.get_all(field) or [""])[0] for field in ("License-Expression", "License")]
    return about["Version"], written[0] or "; ".join(classified) or written[1].strip().split("\n")[0] or "unknown"


def bill_of_materials(found: list[Dependency]) -> dict[str, Any]:
    """Write dependencies as a CycloneDX document; it holds no time, so that the same gives the same."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "library", "name": "multihop", "licenses": [{"license": {"id": "Apache-2.0"}}]}
        },
        "components": [
            {
                "type": "library", "name": d.name, "version": d.version, "purl": f"pkg:pypi/{d.name}@{d.version}",
                "scope": "required" if d.core else "optional", "licenses": [{"license": {"name": d.license}}],
            }
            for d in found
            if d.version
        ],
    }  # fmt: skip


def main() -> int:
    """Print the table, or write the bill of materials; 1 when something is not fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bom", type=Path, metavar="FILE", help="write a CycloneDX bill of materials")
    chosen = parser.parse_args()
    found = dependencies()
    if chosen.bom:
        chosen.bom.write_text(json.dumps(bill_of_materials(found), indent=2) + "\n", encoding="utf-8")
    wrong = [d for d in found if d.version and not d.fit]
    absent = [d.name for d in found if not d.version]
    for d in found if not chosen.bom else wrong:
        said = "   ← not known to be fit" if d in wrong else ""
        sys.stdout.write(f"{d.name:42} {d.version:18} {'core' if d.core else '':5} {d.license[:70]}{said}\n")
    core = sum(d.core for d in found)
    sys.stdout.write(f"{len(found)} dependencies, {core} of them without extras, {len(wrong)} not fit\n")
    if absent:
        sys.stdout.write(f"not installed, and so not looked at: {', '.join(absent)}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
