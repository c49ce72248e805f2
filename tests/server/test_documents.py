from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from multihop.engine import Engine
from multihop.errors import IndexReadOnly
from multihop.index.stores.sqlite import stamps
from multihop.index.stores.sqlite.lexical import Writer
from multihop.server.settings import ServerLimits

from .conftest import Serve
from .test_jobs import finished

DOCUMENTS = "/v1/indexes/sample/documents"


def at(id: str) -> str:
    return f"{DOCUMENTS}/{quote(id, safe='')}"


def test_documents_are_listed_in_parts(client: TestClient, sample: Engine) -> None:
    ids: list[str] = []
    after: str | None = ""
    while after is not None:
        part = client.get(DOCUMENTS, params={"after": after, "limit": 50}).json()
        ids += [d["id"] for d in part["documents"]]
        after = part["next"]
    assert ids == list(sample.store.document_ids())
    found = client.get(DOCUMENTS, params={"starts": "FRAM"}).json()
    assert found["documents"][0] == {
        "id": "fram-ship", "title": "Fram (ship)",
        "metadata": {"topic": "polar exploration", "country": "Norway", "year": 1892, "kind": "work"},
    }  # fmt: skip
    assert found["next"] is None


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 100_000}, {"limit": "many"}, {"starts": "x" * 1000}])
def test_a_wrong_part_is_refused(client: TestClient, wrong: dict[str, Any]) -> None:
    answer = client.get(DOCUMENTS, params=wrong)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith(f"{next(iter(wrong))}: ")


def test_a_document_shows_its_passages_and_links(client: TestClient, sample: Engine) -> None:
    shown = client.get(at("fram-ship")).json()
    whole = sample.document("fram-ship")
    assert whole is not None
    assert (shown["title"], shown["text"], shown["aliases"]) == (whole.title, whole.text, list(whole.aliases))
    [passage] = shown["passages"]
    assert {"id": "colin-archer", "title": "Colin Archer", "name": "colin archer", "ambiguity": 1} in passage["links"]
    assert "colin-archer#0" in {link["id"] for link in shown["links_to"]}


def test_a_passage_shows_its_links(client: TestClient) -> None:
    shown = client.get(f"/v1/indexes/sample/passages/{quote('fram-ship#0', safe='')}").json()
    assert (shown["document_id"], shown["position"], shown["title"]) == ("fram-ship", 0, "Fram (ship)")
    assert "colin-archer" in {link["id"] for link in shown["links_from"]}
    assert "colin-archer#0" in {link["id"] for link in shown["links_to"]}
    missing = client.get(f"/v1/indexes/sample/passages/{quote('fram-ship#9', safe='')}")
    assert (missing.status_code, missing.json()["error"]["message"]) == (
        404,
        "there is no passage 'fram-ship#9' in this index",
    )


def test_a_document_comes_changes_and_goes(client: TestClient) -> None:
    body = {"title": "Gjøa", "text": "A sloop of Roald Amundsen.", "metadata": {"year": 1872, "tags": ["a", "b"]}}
    assert client.get(at("gjoa")).status_code == 404
    assert client.put(at("gjoa"), json=body).json() == {"documents": 1, "replaced": 0, "passages": 1, "generation": 2}
    assert client.get(at("gjoa")).json()["metadata"] == body["metadata"]
    assert client.put(at("gjoa"), json=body | {"text": "Sold."}).json()["replaced"] == 1
    assert client.get(at("gjoa")).json()["text"] == "Sold."
    asked = {"question": "Gjøa sold", "k": 1}
    [found] = client.post("/v1/indexes/sample/retrieve", json=asked).json()["evidence"]
    assert found["passage"]["id"] == "gjoa#0"
    assert client.delete(at("gjoa")).json()["documents"] == 1
    gone = client.delete(at("gjoa"))
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "there is no document 'gjoa' in this index")
    assert client.get("/v1/indexes").json()["indexes"][0]["generation"] == 4


@pytest.mark.parametrize("id", ["../../etc/passwd", "/etc/passwd", "a/b/c.md", "C:\\x", "東京", "a b?c#d"])
def test_ids_that_look_like_paths_are_only_ids(client: TestClient, tmp_path: Path, id: str) -> None:
    folders = sorted(f for f in tmp_path.rglob("*") if f.is_dir())
    missing = client.get(at(id))
    assert missing.status_code == 404
    assert missing.json()["error"]["message"] == f"there is no document {id!r} in this index"
    assert client.put(at(id), json={"text": "Some text."}).status_code == 200
    assert client.get(at(id)).json()["id"] == id
    assert client.delete(at(id)).status_code == 200
    assert sorted(f for f in tmp_path.rglob("*") if f.is_dir()) == folders


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "text: field required"),
        ({"text": ""}, "text: string should have at least 1 character"),
        ({"text": "  "}, "document 'x' has no text"),
        ({"text": "a", "metadata": {"a": {"b": 1}}}, "metadata.a: give a string, a number, true or false, or a list"),
        ({"text": "a", "metadata": {"a": None}}, "metadata.a: give a string, a number, true or false, or a list"),
        ({"text": "a", "metadata": "b"}, "metadata: input should be a valid dictionary"),
        ({"text": "a", "metadata": {"a": 2**80}}, "a"),
        ({"text": "a", "aliases": "b"}, "aliases: input should be a valid list"),
        ({"text": "a", "titel": "b"}, "there is no field 'titel': did you mean 'title'?"),
    ],
)
def test_a_document_that_cannot_be_indexed(client: TestClient, body: dict[str, Any], said: str) -> None:
    answer = client.put(at("x"), json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]
    assert client.get(at("x")).status_code == 404


@pytest.mark.parametrize("id", ["a\tb", "x" * 600, "%00"])
def test_an_id_that_cannot_be(client: TestClient, id: str) -> None:
    answer = client.put(f"{DOCUMENTS}/{id if id == '%00' else quote(id)}", json={"text": "a"})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("the id h")


def test_few_documents_are_added_at_once(client: TestClient) -> None:
    documents = [{"id": f"n{i}", "text": f"Number {i}."} for i in range(3)]
    answer = client.post(DOCUMENTS, json={"documents": documents})
    assert answer.json() == {"documents": 3, "replaced": 0, "passages": 3, "generation": 2}
    assert client.get(at("n0")).json()["text"] == "Number 0."


def test_two_documents_of_one_id_are_refused(client: TestClient) -> None:
    answer = client.post(DOCUMENTS, json={"documents": [{"id": "n", "text": "One."}, {"id": "n", "text": "Two."}]})
    said = "two documents of one call have the id 'n'; give each its own"
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, said)
    assert client.get(at("n")).status_code == 404


def test_a_document_is_put_only_where_none_is(client: TestClient) -> None:
    only_new = {"If-None-Match": "*"}
    refused = client.put(at("fram-ship"), json={"text": "Another."}, headers=only_new)
    said = "the index has a document 'fram-ship' already"
    assert (refused.status_code, refused.json()["error"]["message"]) == (412, said)
    assert client.get(at("fram-ship")).json()["title"] == "Fram (ship)"
    assert client.put(at("new"), json={"text": "New."}, headers=only_new).json()["documents"] == 1


def test_nothing_is_added_when_one_document_is_wrong(client: TestClient) -> None:
    documents = [{"id": "n1", "text": "Fine."}, {"id": "n2", "text": " "}]
    answer = client.post(DOCUMENTS, json={"documents": documents})
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, "document 'n2' has no text")
    assert client.get(at("n1")).status_code == 404


def test_an_index_that_is_served_read_only(serve: Serve) -> None:
    client = serve(read_only=True, limits=ServerLimits(at_once=1))
    assert client.get("/v1/indexes").json()["indexes"][0]["writable"] is False
    two = {"documents": [{"id": "a", "text": "A."}, {"id": "b", "text": "B."}]}
    refused = [
        client.put(at("a"), json={"text": "A."}),
        client.delete(at("fram-ship")),
        client.post(DOCUMENTS, json=two),
        client.post("/v1/indexes/sample/uploads", files={"file": ("a.txt", b"A.")}),
    ]
    assert {r.status_code for r in refused} == {409}
    assert {r.json()["error"]["message"] for r in refused} == {"the index 'sample' is served read-only"}
    assert client.get(at("fram-ship")).status_code == 200
    assert client.get("/v1/jobs").json() == {"jobs": []}


def test_a_write_does_not_wait_for_ever(serve: Serve) -> None:
    client = serve(limits=ServerLimits(write_wait=0.05))
    with client.app.app.state.service.indexes.get("sample").writing(1):  # type: ignore[attr-defined]
        answer = client.put(at("x"), json={"text": "X."})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["error"]["message"] == "the index 'sample' is being written by a job; try again later"
    assert client.put(at("x"), json={"text": "X."}).status_code == 200


def test_fields_and_encoding_of_an_upload(client: TestClient) -> None:
    table = "Nr,Nom,Récit\n7,Gjøa,Un sloop norvégien.\n".encode("cp1252")
    given = {"text_field": "Récit", "title_field": "Nom", "id_field": "Nr", "encoding": "cp1252"}
    taken = client.post("/v1/indexes/sample/uploads", files={"file": ("a.csv", table)}, data=given)
    job = finished(client, taken.json())
    assert job["result"]["documents"] == 1
    told = client.get("/v1/indexes/sample/documents/7").json()
    assert (told["title"], told["passages"][0]["text"]) == ("Gjøa", "Un sloop norvégien.")
    refused = client.post("/v1/indexes/sample/uploads", files={"file": ("a.csv", table)}, data={"encoding": "klingon"})
    assert refused.status_code == 422
    assert "unknown encoding 'klingon'; give one such as utf-8" in refused.json()["error"]["message"]


def test_metadata_for_the_documents_of_an_upload(client: TestClient) -> None:
    files = {"file": ("a.md", b"---\nyear: 1999\n---\n# A\n\nWords.")}
    sent = client.post(
        "/v1/indexes/sample/uploads",
        files=files,
        data={"metadata": '{"country": "Chile", "year": 2020, "tags": ["x"]}'},
    )
    assert finished(client, sent.json())["state"] == "done"
    told = client.get("/v1/indexes/sample/documents/a.md").json()["metadata"]
    assert told == {"country": "Chile", "year": 1999, "tags": ["x"]}
    for wrong in ("[]", "nonsense", '{"a": {"b": 1}}'):
        refused = client.post("/v1/indexes/sample/uploads", files=files, data={"metadata": wrong})
        assert (refused.status_code, "JSON object" in refused.json()["error"]["message"]) == (422, True)


def test_a_change_that_is_stored_but_cannot_be_searched_is_not_called_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as short:
        short.setattr(stamps, "announce", full)
        answer = client.put("/v1/indexes/sample/documents/new", json={"text": "Stored and not found."})
    assert answer.status_code == 507
    assert answer.json()["error"]["message"].startswith("the change is stored, but there is no room to search it yet")
    assert client.get("/v1/indexes/sample/documents/new").json()["passages"][0]["text"] == "Stored and not found."


def test_a_change_that_could_not_be_stored_is_refused_and_leaves_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, *_: object) -> None:
        raise IndexReadOnly("no room")

    with monkeypatch.context() as short:
        short.setattr(Writer, "add", full)
        answer = client.put("/v1/indexes/sample/documents/new", json={"text": "Never stored."})
    assert (answer.status_code, "nothing was changed" in answer.text) == (409, True)
    assert client.get("/v1/indexes/sample/documents/new").status_code == 404


CATALOG = "/v1/indexes/sample/catalog"


def test_the_catalog_is_sorted_and_has_pages_by_number(client: TestClient) -> None:
    first = client.post(CATALOG, json={"sort": "title", "limit": 10}).json()
    total = client.get("/v1/indexes/sample/stats").json()["documents"]
    assert (first["total"], first["pages"], first["capped"]) == (total, -(-total // 10), False)
    titles = [d["title"] for d in first["documents"]]
    assert titles == sorted(titles, key=str.casefold)
    second = client.post(CATALOG, json={"sort": "title", "limit": 10, "page": 2}).json()
    assert titles[-1].casefold() < second["documents"][0]["title"].casefold()
    last = client.post(CATALOG, json={"sort": "title", "limit": 10, "descending": True}).json()
    assert (
        last["documents"][0]["title"]
        == client.post(CATALOG, json={"sort": "title", "limit": 10, "page": first["pages"]}).json()["documents"][-1][
            "title"
        ]
    )
    assert client.post(CATALOG, json={"page": 9999}).json()["documents"] == []
    years = [
        d["metadata"].get("year") for d in client.post(CATALOG, json={"sort": "year", "limit": 500}).json()["documents"]
    ]
    told = [year for year in years if year is not None]
    assert told == sorted(told)
    assert years[len(told) :] == [None] * (len(years) - len(told))


def test_the_catalog_is_searched_by_texts_and_by_beginnings(client: TestClient) -> None:
    found = client.post(CATALOG, json={"search": "round-hulled wooden schooner"}).json()["documents"]
    assert (found[0]["id"], found[0]["passage"]["id"]) == ("fram-ship", "fram-ship#0")
    assert "schooner" in found[0]["passage"]["text"]
    assert client.post(CATALOG, json={"search": "Colin A"}).json()["documents"][0]["id"] == "colin-archer"
    assert client.post(CATALOG, json={"search": "xqzzyv"}).json()["total"] == 0
    sorted_by_title = client.post(CATALOG, json={"search": "ship ice", "sort": "title"}).json()["documents"]
    assert [d["title"] for d in sorted_by_title] == sorted((d["title"] for d in sorted_by_title), key=str.casefold)


def test_the_catalog_counts_values_of_what_it_lists(client: TestClient) -> None:
    everything = client.post(CATALOG, json={}).json()
    [country] = [facet for facet in everything["facets"] if facet["field"] == "country"]
    norway = next(value["documents"] for value in country["values"] if value["value"] == "Norway")
    narrowed = client.post(CATALOG, json={"where": {"country": "Norway"}}).json()
    assert narrowed["total"] == norway
    [country] = [facet for facet in narrowed["facets"] if facet["field"] == "country"]
    assert country["values"][0] == {"value": "Norway", "documents": norway}
    searched = client.post(CATALOG, json={"search": "Colin", "where": {"country": "Norway"}}).json()
    assert {d["metadata"]["country"] for d in searched["documents"]} == {"Norway"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"sort": "yeer"}, "documents cannot be sorted by 'yeer': did you mean 'year'?"),
        ({"where": {"contry": "Norway"}}, "did you mean 'country'?"),
        ({"page": 0}, "page"),
    ],
)
def test_what_the_catalog_cannot_do_is_said(client: TestClient, body: dict[str, object], said: str) -> None:
    answer = client.post(CATALOG, json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]


def test_the_catalog_knows_what_was_added_since(client: TestClient) -> None:
    before = client.post(CATALOG, json={}).json()["total"]
    client.put(
        "/v1/indexes/sample/documents/new", json={"title": "New", "text": "A new one.", "metadata": {"tag": ["a", "b"]}}
    )
    after = client.post(CATALOG, json={"sort": "tag"}).json()
    assert (after["total"], after["documents"][0]["id"]) == (before + 1, "new")
    assert {"field": "tag", "values": [{"value": t, "documents": 1} for t in "ab"], "others": 0} in after["facets"]
