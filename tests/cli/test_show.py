from __future__ import annotations

from pathlib import Path

from multihop.engine import Engine
from multihop.types import Document

from .command import failure, run, run_json


def test_a_document(index: Path) -> None:
    shown = run("show", "fram-ship", "--index", index).stdout
    lines = shown.splitlines()
    assert lines[0] == "Fram (ship)  fram-ship"
    assert lines[1] == "topic: polar exploration · country: Norway · year: 1892 · kind: work"
    assert "fram-ship#0" in lines
    assert "names 3 documents" in lines
    assert "  “colin archer”      → Colin Archer      colin-archer" in lines
    assert "named by 3 passages" in lines
    assert "  “fram”   in Roald Amundsen    roald-amundsen#0" in lines


def test_a_passage_as_json(index: Path) -> None:
    said = run_json("show", "fram-ship#0", "--index", index)
    assert (said["document"], said["title"], said["passages_total"]) == ("fram-ship", "Fram (ship)", 1)
    assert said["metadata"]["year"] == 1892
    (passage,) = said["passages"]
    assert passage["text"].startswith("The Fram is")
    assert {"name": "colin archer", "id": "colin-archer", "title": "Colin Archer", "ambiguity": 1} in passage[
        "links_out"
    ]
    assert "roald-amundsen#0" in {link["id"] for link in said["links_in"]}


def test_the_first_twenty_passages_of_a_long_document(tmp_path: Path) -> None:
    text = "\n\n".join(f"# Part {n}\n\n" + f"Sentence {n} says a few words more. " * 100 for n in range(30))
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("long", text, "Long", {"tags": ("a", "b")}))
        total = engine.stats().passages
    assert total > 20
    shown = run("show", "long", "--index", tmp_path / "x.mh").stdout
    assert "tags: a, b" in shown
    assert "\nlong#19" in shown
    assert "\nlong#20" not in shown
    assert f"20 of the document's {total} passages" in shown
    assert "named by 0 passages" in shown
    said = run_json("show", "long", "--index", tmp_path / "x.mh")
    assert (len(said["passages"]), said["passages_total"]) == (20, total)
    assert run_json("show", "long#25", "--index", tmp_path / "x.mh")["passages"][0]["id"] == "long#25"


def test_at_most_twenty_links_in(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document(f"d{n}", "It speaks of Omega.") for n in range(30))
        engine.add(Document("omega", "The last letter.", "Omega"))
    assert "named by 20 or more passages" in run("show", "omega", "--index", tmp_path / "x.mh").stdout
    assert len(run_json("show", "omega", "--index", tmp_path / "x.mh")["links_in"]) == 20


def test_unknown_ids_suggest_the_nearest(index: Path) -> None:
    for wrong in ("fram-shp", "fram-ship#7"):
        assert failure("show", wrong, "--index", index) == (
            f"there is no passage or document {wrong!r}: did you mean 'fram-ship'?"
        )
    assert "known: " in failure("show", "???", "--index", index)
