"""Browsing, adding and deleting documents on the page, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from multihop import Engine
from multihop.server.settings import Location, Settings
from tests.server.page.driving import Page
from tests.server.page.site import Site

pytestmark = pytest.mark.browser


def test_documents_have_pages_by_number(page: Page) -> None:
    page.open("documents", index="sample")
    page.see(".documents li", "Ada Lovelace")
    first = page.texts(".documents div > a")
    assert len(first) == 50
    assert page.texts(".pages > *") == ["1", "2", "3", "4", "Next"]
    page.click(".pages a", "3")
    page.see(".answer p", "page 3 of 4")
    assert not set(first) & set(page.texts(".documents div > a"))
    page.driver.back()
    page.see(".documents li", "Ada Lovelace")


def test_documents_are_found_by_their_texts_and_by_how_they_start(page: Page) -> None:
    page.open("documents", index="sample")
    page.write("#search", "round-hulled schooner")
    page.click(".find button")
    page.see(".snippet", "round-hulled wooden schooner")
    assert page.texts(".documents div > a")[0] == "Fram (ship)"
    assert page.texts(".snippet mark")[:3] == ["round", "hulled", "schooner"]
    page.open("documents", index="sample", search="fram-s")
    page.wait(lambda _: page.texts(".documents div > a")[:1] == ["Fram (ship)"], "by its id")
    page.open("documents", index="sample", search="zzz")
    page.see(".answer", "No documents for “zzz”.")


def test_documents_are_narrowed_by_their_values_and_sorted(page: Page) -> None:
    page.open("documents", index="sample")
    page.click(".facets a", "Norway")
    page.see(".answer p", 'with country="Norway"')
    found = len(page.all(".documents li"))
    assert 0 < found < 50
    assert all("country Norway" in text for text in page.texts(".documents li"))
    page.click(".facets a[aria-current]", "Norway")
    page.see(".pages")
    page.run("const s = document.getElementById('sort'); s.value = '-year'; s.dispatchEvent(new Event('change'))")
    page.wait(lambda _: "sort=-year" in page.hash and page.all(".documents li"), "sorted")
    page.see(".pages")
    years = [int(t.split("year ")[1].split()[0]) for t in page.texts(".documents li") if "year " in t]
    assert years == sorted(years, reverse=True)


def test_the_size_of_the_index_is_told_on_demand(page: Page) -> None:
    page.open("documents", index="sample")
    page.click(".statistics summary", "182 documents")
    page.see(".statistics .facts", "mentions in passages")
    page.see(".statistics .facts", "with country")


def test_an_upload_goes_on_after_a_refused_file_and_names_it(page: Page, tmp_path: Path) -> None:
    (tmp_path / "photo.exe").write_bytes(b"\x00")
    for name in ("first", "last"):
        (tmp_path / f"{name}.md").write_text(f"# The {name} skerry\n\nA rock.\n", encoding="utf-8")
    page.open("documents", index="sample")
    page.click(".upload summary")
    files = [str(tmp_path / name) for name in ("first.md", "photo.exe", "last.md")]
    page.see("#files").send_keys("\n".join(files))
    page.write("#file-metadata", "country=Norway")
    page.click(".upload button", "Upload")
    page.see(".upload-state .yes", "2 documents added.")
    refused = page.see(".upload-state .no", "files such as 'photo.exe' cannot be read").text
    assert refused.count("photo.exe") == 1
    assert all("415" in said for said in page.complaints())
    for name in ("first", "last"):
        page.open("document", index="sample", id=f"{name}.md")
        page.see(".metadata", "country Norway")
        _delete(page, f"{name}.md")


def test_an_upload_says_which_columns_to_read_and_their_encoding(page: Page, tmp_path: Path) -> None:
    (tmp_path / "rocks.csv").write_bytes("Code,Name,Description\nr7,Skjær,Ei båke står her.\n".encode("cp1252"))
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.see("#files").send_keys(str(tmp_path / "rocks.csv"))
    page.click(".upload .reading summary")
    given = {"text_field": "Description", "title_field": "Name", "id_field": "Code", "encoding": "cp1252"}
    for name, value in given.items():
        page.write(f"#file-{name}", value)
    page.click(".upload button", "Upload")
    page.see(".upload-state .yes", "1 document added.")
    page.open("document", index="sample", id="r7")
    page.see("h1", "Skjær")
    page.see(".text", "Ei båke står her.")
    _delete(page, "r7")


def test_links_lead_from_document_to_document(page: Page) -> None:
    page.open("document", index="sample", id="fram-ship")
    page.see("h1", "Fram (ship)")
    page.click(".text a.leads", "Colin Archer")
    page.see("h1", "Colin Archer")
    page.click(".side-column .links a", "Fram (ship)")
    page.see("#passage", "round-hulled wooden schooner")
    page.click("#passage a", "its document")
    page.see("h1", "Fram (ship)")
    assert not page.all("#passage[open]")


def test_an_uploaded_file_can_be_asked_about(page: Page, tmp_path: Path) -> None:
    rows = [
        {"id": "skerry-light", "title": "Skerry Light", "text": "Skerry Light was drawn by Ingrid Tangvald."},
        {"id": "ingrid-tangvald", "title": "Ingrid Tangvald", "text": "Ingrid Tangvald was born in Vardal in 1861."},
    ]
    file = tmp_path / "lights.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.see("#files").send_keys(str(file))
    assert page.see("#replace").rect["width"] < 30
    page.click(".upload button", "Upload")
    page.see(".upload-state .yes", "2 documents added.")
    page.wait(lambda _: "184" in page.see(".topbar #index option:checked, .topbar .index").text, "the new size")
    page.click(".upload-state a", "Ask a question")
    page.write("#question", "Where was the designer of Skerry Light born?")
    page.click("button.primary")
    page.see(".card", "born in Vardal")
    for row in rows:
        _delete(page, row["id"])


def _delete(page: Page, id: str) -> None:
    page.open("document", index="sample", id=id)
    page.click("button", "Delete this document")
    page.click("button", "Delete permanently")
    page.see("h1", "Documents")


def test_a_file_that_cannot_be_read_is_refused_with_a_reason(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "photo.exe"
    file.write_bytes(b"\x00\x01")
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.see("#files").send_keys(str(file))
    page.click(".upload button", "Upload")
    page.see(".upload-state .problem", "'photo.exe' cannot be read")
    assert all("415" in said for said in page.complaints())


def test_a_text_does_not_take_the_place_of_another(page: Page) -> None:
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.write("#new-title", "Fram: ship!")
    page.write("#new-text", "Another ship.")
    page.click(".upload button", "Add")
    page.see(".upload-state .yes", "“Fram: ship!” was added as fram-ship-2, because fram-ship exists.")
    assert all("412" in said for said in page.complaints())
    page.open("document", index="sample", id="fram-ship")
    page.see("h1", "Fram (ship)")
    _delete(page, "fram-ship-2")


def test_a_file_replaces_only_where_that_is_wanted(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    rows = [{"id": "fram-ship", "text": "Another."}, {"id": "skerry", "text": "A rock."}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.see("#files").send_keys(str(file))
    page.click(".upload button", "Upload")
    page.see(".upload-state .yes", "1 document added.")
    page.see(".upload-state .no", "the index has a document 'fram-ship' already")
    _delete(page, "skerry")


def test_a_text_is_added_and_deleted_again(page: Page) -> None:
    page.open("documents", index="sample")
    page.click(".upload summary")
    page.write("#new-title", "Søndre Båke")
    page.write("#new-text", "Søndre Båke is a beacon on the skerries.")
    page.click(".upload button", "Add")
    page.see(".upload-state .yes", "“Søndre Båke” was added.")
    page.open("document", index="sample", id="søndre-bake")
    page.see("h1", "Søndre Båke")
    page.click("button", "Delete this document")
    page.click("button", "Cancel")
    page.see("button", "Delete this document")
    _delete(page, "søndre-bake")
    page.see(".index, #index option:checked", "182")


def test_paths_and_times_of_files_are_shown_shortly_and_not_offered_as_filters(page: Page, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for name in ("oslo", "bergen"):
        text = f"---\ncountry: Norway\nseen: 2024-04-02T18:20:00\n---\n# {name.title()}\n\nA town by the sea."
        (tmp_path / "files" / f"{name}.md").write_text(text, encoding="utf-8")
    with Engine.open(tmp_path / "towns.mh", create=True) as engine:
        engine.sync(tmp_path / "files")
    towns = Site(Settings((Location("towns", str(tmp_path / "towns.mh")),), tmp_path / "state"))
    try:
        page.fresh(towns.address)
        page.open("documents")
        page.see(".documents li", "Oslo")
        assert page.texts(".facets summary") == ["country", "seen"]
        assert page.texts(".facets li a") == ["Norway", "2024-04-02 18:20"]
        assert all(re.search(r"file\.modified \d{4}-\d\d-\d\d \d\d:\d\d$", said) for said in page.texts(".metadata"))
        page.open("ask")
        page.click(".more-options summary")
        page.see(".values", "Norway")
        assert page.texts(".values b") == ["country", "seen"]
        page.click(".values .chip", "2024-04-02 18:20")
        assert page.see("#where").get_attribute("value") == 'seen="2024-04-02T18:20:00"'
    finally:
        towns.stop()
