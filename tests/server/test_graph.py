"""What the page asks beside questions and documents: links among passages, examples, views."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from multihop import Document, Engine
from multihop.server.settings import Location

from .conftest import Serve

GRAPH = "/v1/indexes/sample/graph"


def test_the_graph_of_passages_holds_their_titles_and_the_links_among_them(client: TestClient) -> None:
    asked = ["fram-ship#0", "colin-archer#0", "ada-lovelace#0", "nothing#0"]
    graph = client.post(GRAPH, json={"passages": asked}).json()
    assert {p["id"]: p["title"] for p in graph["passages"]} == {
        "fram-ship#0": "Fram (ship)", "colin-archer#0": "Colin Archer", "ada-lovelace#0": "Ada Lovelace",
    }  # fmt: skip
    assert graph["links"] == [
        {"source": "colin-archer#0", "target": "fram-ship", "name": "fram"},
        {"source": "fram-ship#0", "target": "colin-archer", "name": "colin archer"},
    ]


def test_a_passage_does_not_link_to_its_own_document(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add(Document("hvaler", "Hvaler is a group of islands. Whoever says Hvaler means the sea.", "Hvaler"))
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    graph = client.post("/v1/indexes/own/graph", json={"passages": ["hvaler#0"]}).json()
    assert (len(graph["passages"]), graph["links"]) == (1, [])


def test_a_graph_of_nothing_is_empty_and_one_of_too_much_is_refused(client: TestClient) -> None:
    assert client.post(GRAPH, json={"passages": []}).json() == {"passages": [], "links": []}
    refused = client.post(GRAPH, json={"passages": ["x#0"] * 1001})
    assert (refused.status_code, "passages" in refused.json()["error"]["message"]) == (422, True)


def test_examples_are_questions_that_the_index_can_answer(client: TestClient) -> None:
    examples = client.get("/v1/indexes/sample/examples").json()["examples"]
    assert {e["hops"] for e in examples} == {2, 3, 4}
    assert {e["kind"] for e in examples} == {"question", "claim"}
    assert client.delete("/v1/indexes/sample/documents/colin-archer").status_code == 200
    fewer = client.get("/v1/indexes/sample/examples").json()["examples"]
    assert [e for e in examples if e not in fewer] == [e for e in examples if "Amundsen borrowed" in e["text"]]


def test_an_index_of_other_documents_has_examples_of_its_links(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add([
            Document("a", "The Skua was built at Larkfield.", "Skua"),
            Document("b", "Larkfield lies on the Ouse Water.", "Larkfield"),
            Document("c", "Ouse Water is a river.", "Ouse Water"),
        ])  # fmt: skip
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    examples = client.get("/v1/indexes/own/examples").json()["examples"]
    assert [(e["text"], e["hops"]) for e in examples] == [
        ("What connects Skua with Ouse Water?", 3), ("What connects Larkfield with Ouse Water?", 2),
    ]  # fmt: skip


def test_examples_ask_about_rows_and_events(serve: Serve, tmp_path: Path) -> None:
    table = "Name: Tomas Lie · Role: head of the workshop · Phone: 322\nName: Ada Moe · Role: guide · Phone: 301"
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add([
            Document("a", f"The people of the museum:\n\n{table}", "Staff"),
            Document("b", "The Svanen was built in 1862 in Grimstad. She was lost in 1881.", "A brig"),
            Document("c", "It was founded in the year 1901, as was the rest of the town.", "The society"),
        ])  # fmt: skip
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    examples = client.get("/v1/indexes/own/examples").json()["examples"]
    assert [(e["text"], e["type"]) for e in examples][:2] == [
        ("What is the role of Tomas Lie?", "table"), ("When was the Svanen built?", "date"),
    ]  # fmt: skip
    with Engine.open(tmp_path / "own.mh") as engine:
        assert [engine.answer(e["text"]).text for e in examples][:2] == ["head of the workshop", "1862"]


def test_examples_ask_about_sections_and_years_too_and_never_about_two_names_of_one_thing(
    serve: Serve, tmp_path: Path
) -> None:
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add([
            Document("a", "122nd Division (Imperial Army) was a unit of the army.", "122nd Division (Imperial Army)"),
            Document("b", "The 122nd Division (Imperial Army) is meant by the name.", "122nd Division"),
            Document("c", "# 2.1 Parental leave\n\nThe leave of parents is twelve weeks.", "Staff handbook"),
            Document("d", "The mill of the town was closed in 1952.", "Town chronicle"),
            Document("e", "The draft was written in 1999.", "draft_v2.docx"),
            Document("f", "# Water\n\n## How hard is it?\n\nThe water of the town is hard.", "Questions and answers"),
        ])  # fmt: skip
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    examples = client.get("/v1/indexes/own/examples").json()["examples"]
    assert [e["text"] for e in examples] == [
        "What does “Staff handbook” say about Parental leave?",
        "How hard is it?",
        "What happened in 1952, according to “Town chronicle”?",
    ]


def test_examples_are_sentences_whatever_titles_and_columns_say(serve: Serve, tmp_path: Path) -> None:
    actions = "Action: Draft of a policy · Who: Ada Moe · Until: 1 May"
    towers = "Tower: Larkfield · Built: 1931 · Height (metres): 24"
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add([
            Document("a", f"What is to be done after the meeting:\n\n{actions}", "The minutes"),
            Document("b", f"The towers of the town:\n\n{towers}", "Towers"),
            Document("c", "The people of the depot are on the list.", "people of the depot"),
            Document("d", "Skua is one of the people of the depot.", "Skua"),
        ])  # fmt: skip
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    examples = client.get("/v1/indexes/own/examples").json()["examples"]
    assert [e["text"] for e in examples] == ["What is the height of Larkfield?"]


def test_an_index_in_another_language_has_no_english_examples(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add([
            Document("a", "Die Skua wurde 1902 in Lerchenfeld gebaut.", "Skua"),
            Document("b", "Lerchenfeld liegt an der Ouse.", "Lerchenfeld"),
        ])  # fmt: skip
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    assert client.get("/v1/indexes/own/examples").json() == {"examples": []}


def test_an_index_without_links_has_no_examples(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "own.mh", create=True) as engine:
        engine.add(Document("a", "A text."))
    client = serve(indexes=(Location("own", str(tmp_path / "own.mh")),))
    assert client.get("/v1/indexes/own/examples").json() == {"examples": []}


@pytest.mark.parametrize("path", ["examples", "graph"])
def test_an_unknown_index_has_neither(client: TestClient, path: str) -> None:
    address = f"/v1/indexes/smaple/{path}"
    answer = client.get(address) if path == "examples" else client.post(address, json={"passages": []})
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        404, "there is no index 'smaple': did you mean 'sample'?",
    )  # fmt: skip


def test_the_views_of_the_page_are_those_that_have_something_to_ask(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    known = {"reports": "/v1/reports", "survey": "/v1/profiles"}
    assert client.get("/v1/views").json()["views"] == [view for view, path in known.items() if path in paths]
