"""The structure of the package, drawn from its imports."""

from __future__ import annotations

import runpy
import subprocess
import sys
from graphlib import CycleError
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "release" / "rooms.py"
ROOMS = runpy.run_path(str(SCRIPT))


def test_rooms_import_few_others_and_none_above_them() -> None:
    arrows = ROOMS["read_arrows"]()
    floors = ROOMS["find_floors"](arrows)
    assert {"multihop.errors", "multihop.loop", "multihop.cli"} <= set(arrows)
    assert all(floors[room] > floors[below] for room, others in arrows.items() for below in others)
    assert sum(map(len, arrows.values())) <= ROOMS["MOST_ARROWS"]


def test_an_arrow_upwards_is_found() -> None:
    with pytest.raises(CycleError):
        ROOMS["find_floors"]({"engine": {"loop": []}, "loop": {"engine": []}})


def test_the_drawing_shows_every_room_from_the_top_down() -> None:
    drawn = subprocess.run([sys.executable, SCRIPT], capture_output=True, encoding="utf-8", check=True).stdout
    lines = drawn.splitlines()
    assert "arrows, none upwards" in lines[-1]
    floors = [int(line.split()[0]) for line in lines[:-1]]
    assert floors == sorted(floors, reverse=True)
    assert any(line.startswith(f"{floors[-1]:3} multihop.errors") for line in lines)
