"""Draws the structure of the package from its imports: rooms from the top down, and which rooms each one imports.

python release/rooms.py            every room with the rooms that it imports
python release/rooms.py --imports  and, for arrows that stand for one import, that import: the easiest to remove

A room is a folder or a file directly in src/multihop. An arrow leads from a room to one that it imports, also where
only type checkers see the import. A room stands above all that it imports, so an arrow upwards would be a cycle.
"""

import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

import grimp

MOST_ARROWS = 180
Arrows = dict[str, dict[str, list[str]]]


def read_arrows() -> Arrows:
    """Return for each room the rooms that it imports, with the imports that do so."""
    graph = grimp.build_graph("multihop")
    arrows: Arrows = defaultdict(dict)
    for module in sorted(graph.modules):
        arrows.setdefault(_room_of(module), {})
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if (room := _room_of(imported)) != _room_of(module):
                arrows[_room_of(module)].setdefault(room, []).append(f"{module} -> {imported}")
    return arrows


def _room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def find_floors(arrows: Arrows) -> dict[str, int]:
    """Return the floor of each room: 1 for those that import no other, and one above all that it imports for the rest.

    Raises CycleError where an arrow leads upwards.
    """
    floors: dict[str, int] = {}
    for room in TopologicalSorter(arrows).static_order():
        floors[room] = 1 + max((floors[below] for below in arrows[room]), default=0)
    return floors


def _print_rooms(arrows: Arrows, *, imports: bool) -> None:
    floors = find_floors(arrows)
    for room in sorted(arrows, key=lambda room: (-floors[room], room)):
        below = sorted(arrows[room], key=lambda other: (-floors[other], other))
        names = ", ".join(other.removeprefix("multihop.") for other in below)
        print(f"{floors[room]:3} {room}{f' -> {names}' if names else ''}")  # noqa: T201
        for other in below if imports else ():
            if len(arrows[room][other]) == 1:
                print(f"      {arrows[room][other][0]}")  # noqa: T201


if __name__ == "__main__":
    drawn = read_arrows()
    count = sum(map(len, drawn.values()))
    try:
        _print_rooms(drawn, imports="--imports" in sys.argv)
    except CycleError as error:
        sys.exit(f"an arrow leads upwards: {' -> '.join(error.args[1])}")
    print(f"{len(drawn)} rooms, {count} arrows, none upwards")  # noqa: T201
    sys.exit(0 if count <= MOST_ARROWS else f"at most {MOST_ARROWS} arrows are allowed")
