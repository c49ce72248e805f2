"""What installing costs: the megabytes of each core dependency with what it alone brings, and of each extra.

    python benchmarks/dependencies.py

Counts what is installed in the environment it runs in; an extra of which something is missing is left out and named.
Bytecode that Python writes later is not counted.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

MEGABYTE = 1e6


def required(name: str, extra: str = "") -> list[Requirement]:
    """What a distribution requires on this machine, for itself or for one of its extras."""
    stated = [Requirement(line) for line in metadata.requires(name) or ()]
    always = [each for each in stated if each.marker is None or each.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [each for each in stated if each not in always and each.marker and each.marker.evaluate({"extra": extra})]


def closure(wanted: list[Requirement]) -> set[str]:
    """The distributions that requirements lead to, by their plain names; our own is passed through, not counted."""
    seen: set[tuple[str, str]] = set()
    left = [(each.name, extra) for each in wanted for extra in ("", *each.extras)]
    while left:
        name, extra = left.pop()
        key = (re.sub(r"[-_.]+", "-", name).lower(), extra)
        if key in seen or key == ("multihop", ""):
            continue
        seen.add(key)
        left += [(each.name, more) for each in required(name, extra) for more in ("", *each.extras)]
    return {name for name, _ in seen} - {"multihop"}


def megabytes(names: set[str]) -> float:
    files = (
        Path(file.locate()) for name in names for file in metadata.files(name) or () if "__pycache__" not in str(file)
    )
    return sum(file.stat().st_size for file in files if file.is_file()) / MEGABYTE


def main() -> None:
    core = required("multihop")
    everything = closure(core)
    print("| dependency | MB | of these only for it |\n|---|---|---|")
    for one in sorted(core, key=lambda each: each.name.lower()):
        own = closure([one])
        others = closure([each for each in core if each is not one])
        print(f"| {one.name} | {megabytes(own):.1f} | {megabytes(own - others):.1f} |")
    print(f"| all of the core | {megabytes(everything):.0f} | |")
    print("\n| extra | adds MB |\n|---|---|")
    for extra in sorted(metadata.metadata("multihop").get_all("Provides-Extra") or ()):
        try:
            print(f"| `{extra}` | {megabytes(closure(required('multihop', extra)) - everything):.0f} |")
        except metadata.PackageNotFoundError as missing:
            print(f"| `{extra}` | not installed here: {missing.name} |")


if __name__ == "__main__":
    main()
