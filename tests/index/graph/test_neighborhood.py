from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput
from multihop.index.graph import FORMATS, Neighborhood, around, render, starts_of
from multihop.index.graph.layout import HEIGHT, layout
from multihop.types import Relation

TOWNS = (
    Document("a", "Bb2 lies near.", "Aa1", {"country": "Chad"}),
    Document("b", "A mill & a <river>.", "Bb2", {"country": "Chad"}),
    Document("c", "A bridge.", "Cc3", {"country": "Peru"}),
    Document("d", "東京は日本の首都です。" * 10, "", {"country": "Chad"}),
    Document("e", "Nothing leads here.", "Ee5"),
)
RELATIONS = (
    Relation("a#0", "b#0", "CAUSES", 0.8, "“led to” in “x”"),
    Relation("c#0", "b#0", "CONTRADICTS", 0.5, "5 against 6 mills"),
    Relation("d#0", "c#0", "FOLLOWS", 0.9),
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        opened.add(TOWNS, whole=True)
        opened.store.relate(RELATIONS)
        yield opened


@pytest.fixture
def found(engine: Engine) -> Neighborhood:
    return around(engine.store.view(), ["a#0"], steps=3)


def test_a_walk_goes_along_relations_and_mentions(engine: Engine, found: Neighborhood) -> None:
    assert [(n.id, n.distance, n.via) for n in found.nodes] == [
        ("a#0", 0, ""), ("b#0", 1, "a#0"), ("c#0", 2, "b#0"), ("d#0", 3, "c#0"),
    ]  # fmt: skip
    assert [(e.source, e.kind, e.target) for e in found.edges] == [
        ("a#0", "CAUSES", "b#0"), ("a#0", "MENTIONS", "b#0"), ("c#0", "CONTRADICTS", "b#0"), ("d#0", "FOLLOWS", "c#0"),
    ]  # fmt: skip
    assert [e.kind for e in found.between("b#0", "a#0")] == ["MENTIONS", "CAUSES"]
    near = around(engine.store.view(), ["a#0"], steps=1)
    assert [n.id for n in near.nodes] == ["a#0", "b#0"]


def test_the_filter_holds_inside_the_walk(engine: Engine) -> None:
    inside = around(engine.store.view({"country": "Chad"}), ["a#0"], steps=3)
    assert {n.id for n in inside.nodes} == {"a#0", "b#0"}


def test_the_surest_find_a_place(engine: Engine) -> None:
    few = around(engine.store.view(), ["a#0"], steps=3, most=2)
    assert ([n.id for n in few.nodes], few.left_out) == (["a#0", "b#0"], 2)


@pytest.mark.parametrize(("steps", "most"), [(0, 5), (4, 5), (True, 5), (2, 0)])
def test_what_has_no_meaning_is_refused(engine: Engine, steps: int, most: int) -> None:
    with pytest.raises(InvalidInput, match=r"steps is how far|most is how many"):
        around(engine.store.view(), ["a#0"], steps=steps, most=most)


def test_a_walk_around_a_document_begins_where_most_is_joined(engine: Engine) -> None:
    long = "\n\n".join(f"# Part {i}\n\n{'Aa1 and Bb2' if i == 3 else 'Aa1' if i == 1 else 'Nobody'}." for i in range(5))
    engine.add([Document("long", long, "Long")])
    view = engine.store.view()
    assert starts_of(view, "long") == ["long#1", "long#3"]
    assert starts_of(view, "long", most=1) == ["long#3"]
    assert (starts_of(view, "e"), starts_of(view, "nobody")) == (["e#0"], [])


def test_boxes_of_a_column_do_not_overlap(engine: Engine) -> None:
    engine.add((Document(f"n{i}", "It lies near Aa1.") for i in range(12)), whole=True)
    where = layout(around(engine.store.view(), ["a#0"]))
    columns: dict[float, list[float]] = {}
    for x, y in where.places.values():
        columns.setdefault(x, []).append(y)
    for tops in columns.values():
        tops.sort()
        assert all(below - above > HEIGHT for above, below in pairwise(tops))
        assert tops[-1] + HEIGHT <= where.height


def test_json_holds_everything(found: Neighborhood) -> None:
    plain = json.loads(render(found, "json"))
    assert [n["id"] for n in plain["nodes"]] == ["a#0", "b#0", "c#0", "d#0"]
    assert plain["edges"][0] == {
        "source": "a#0", "target": "b#0", "kind": "CAUSES", "confidence": 0.8, "evidence": "“led to” in “x”",
        "method": "rules",
    }  # fmt: skip


def test_graphml_can_be_read_by_a_graph_library(found: Neighborhood, tmp_path: Path) -> None:
    import rustworkx

    file = tmp_path / "x.graphml"
    file.write_text(render(found, "graphml"), encoding="utf-8")
    (graph,) = rustworkx.read_graphml(str(file))
    assert {node["id"] for node in graph.nodes()} == {"a#0", "b#0", "c#0", "d#0"}
    assert {(e["kind"], e["confidence"]) for e in graph.edges()} >= {("CAUSES", 0.8), ("FOLLOWS", 0.9)}
    assert {n["label"] for n in graph.nodes()} == {"Aa1", "Bb2", "Cc3", "d"}


def test_pictures_are_well_formed_and_escaped(found: Neighborhood) -> None:
    drawing = render(found, "svg")
    root = ET.fromstring(drawing)
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"start", "1 step", "3 steps", "Aa1", "A mill & a <river>.", "causes", "mentions"} <= set(texts)
    assert "explains" not in texts
    assert len([p for p in root.iter("{http://www.w3.org/2000/svg}path") if p.get("class") == "edge"]) == 4
    page = render(found, "html")
    assert drawing in page
    assert "&lt;river&gt;" in page and "<river>" not in page


def test_what_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("x", "a bell \x07 rings", "T\x01"), whole=True)
        alone = around(engine.store.view(), ["x#0"])
    for format in ("graphml", "svg"):
        ET.fromstring(render(alone, format))


def test_the_same_neighborhood_looks_the_same(engine: Engine, found: Neighborhood) -> None:
    again = around(engine.store.view(), ["a#0"], steps=3)
    assert all(render(again, format) == render(found, format) for format in FORMATS)
