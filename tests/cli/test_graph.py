from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from .command import failure, run, run_json


def test_a_tree_of_what_lies_around_a_document(index: Path) -> None:
    run("relate", "--index", index)
    shown = run("graph", "fram-ship", "--index", index).stdout.splitlines()
    assert shown[0] == "Fram (ship)  fram-ship#0"
    assert shown[1] == "├── Colin Archer  colin-archer#0"
    assert shown[2] == "│   → MENTIONS 0.85  names “colin archer”"
    assert any(
        "TEMPORAL_FOLLOWS 0.40  1877 after 1843" in line
        for line in run("graph", "maria-pia-bridge", "--index", index).stdout.splitlines()
    )
    assert len(run("graph", "fram-ship", "--index", index, "--steps", "1").stdout.splitlines()) < len(shown)


def test_around_a_question(index: Path) -> None:
    found = run_json("graph", "Who drew the ship that Amundsen borrowed?", "--index", index, "--steps", "1")
    assert "fram-ship#0" in [n["id"] for n in found["nodes"] if n["distance"] == 0]


def test_without_relations_it_says_how_to_build_them(index: Path) -> None:
    done = run("graph", "fram-ship#0", "--index", index)
    assert done.exit_code == 0
    assert done.stderr == f"no relations have been built yet, only mention links: multihop relate --index {index}\n"


def test_files(index: Path, tmp_path: Path) -> None:
    for name in ("x.graphml", "x.json", "x.svg", "x.html"):
        done = run("graph", "fram-ship", "--index", index, "--out", tmp_path / name)
        assert done.exit_code == 0
        assert done.stdout.endswith(f"edges written to {tmp_path / name}\n")
    ET.parse(tmp_path / "x.svg")
    ET.parse(tmp_path / "x.graphml")
    assert json.loads((tmp_path / "x.json").read_text())["nodes"][0]["id"] == "fram-ship#0"
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")


def test_the_filter(index: Path) -> None:
    found = run_json("graph", "fram-ship", "--index", index, "--where", "country=Norway")
    assert {"fram-ship", "roald-amundsen"} <= {n["document"] for n in found["nodes"]}
    assert "robert-falcon-scott" not in {n["document"] for n in found["nodes"]}


def test_what_cannot_be_done(index: Path, tmp_path: Path) -> None:
    assert failure("graph", "fram-shp", "--index", index) == (
        "there is no passage or document 'fram-shp': did you mean 'fram-ship'?"
    )
    assert "steps is how far to walk, 1 to 3; got 4" in failure("graph", "fram-ship", "--index", index, "--steps", "4")
    assert "most is how many passages to show, at least 1; got 0" in failure(
        "graph", "fram-ship", "--index", index, "--most", "0"
    )
    out = failure("graph", "fram-ship", "--index", index, "--out", tmp_path / "x.png")
    assert out.endswith("x.png'; use .graphml, .json, .svg or .html")
    assert "a folder that does not exist" in failure(
        "graph", "fram-ship", "--index", index, "--out", tmp_path / "n" / "x.svg"
    )
    assert "nothing in the index answers" in failure("graph", "zzz yyy", "--index", index)


def test_how_far_ask_walks(index: Path) -> None:
    asked = ("ask", "Who drew the ship that Amundsen borrowed?", "--index", index, "-k", "3")
    hops = [len(run_json(*asked, "--strategy", "graph", "--max-hops", n)["trace"]["hops"]) for n in ("1", "3")]
    assert hops[0] == 2 < hops[1]
    assert "got 4" in failure(*asked, "--strategy", "graph", "--max-hops", "4")
    assert failure(*asked, "--max-hops", "1") == (
        "--max-hops is for --strategy graph; 'auto' decides by itself when to stop"
    )
