"""The files of documents over HTTP: download, pages of PDF files as images, and who may see them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from multihop import Engine
from multihop.server.settings import Location

from ..index.readers.test_pdf import pdf
from .conftest import Serve

FILES = "/v1/indexes/papers/files"
PAGES = "/v1/indexes/papers/pages"
QUOTE = "The keel was laid in Larvik."


def fill(folder: Path) -> Path:
    folder.mkdir()
    (folder / "ship.pdf").write_bytes(pdf("A first page.", f"Of the ship.\n{QUOTE}\nIt sailed north."))
    (folder / "notes.md").write_text("# Notes\n\nThe ship was sold.")
    (folder / "rows.jsonl").write_text('{"id": "row", "text": "One of many records."}\n')
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files to be changed at will."""
    return fill(tmp_path / "papers")


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that no test changes, with their index beside them."""
    folder = fill(tmp_path_factory.mktemp("unchanged") / "papers")
    index(folder)
    return folder


def index(folder: Path) -> Path:
    with Engine.open(place := folder.with_suffix(".mh"), create=True) as engine:
        engine.sync(folder)
    return place


@pytest.fixture
def papers(serve: Serve, unchanged: Path) -> TestClient:
    return serve(indexes=(Location("papers", str(unchanged.with_suffix(".mh"))),))


def pixels(png: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Read an image that the server wrote: rows that are differences to the one above."""
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    (size,) = struct.unpack(">I", png[33:37])
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + size]), np.uint8).reshape(height, -1)
    assert set(rows[1:, 0]) == {2}
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def yellow(png: bytes) -> int:
    image = pixels(png).astype(int)
    return int(((image[:, :, 0] > 250) & (image[:, :, 2] < 200)).sum())


def test_details_tell_what_is_known_of_the_file(papers: TestClient) -> None:
    found = papers.get("/v1/indexes/papers/documents/ship.pdf").json()
    assert found["file"] == {"name": "ship.pdf", "bytes": found["file"]["bytes"], "has_pages": True}
    passage = papers.get("/v1/indexes/papers/passages/ship.pdf%230").json()
    assert passage["file"] == found["file"]
    assert papers.get("/v1/indexes/papers/documents/notes.md").json()["file"]["has_pages"] is False


def test_a_page_is_an_image_with_the_quote_marked(papers: TestClient) -> None:
    plain = papers.get(f"{PAGES}/ship.pdf", params={"page": 2})
    assert (plain.status_code, plain.headers["content-type"]) == (200, "image/png")
    assert (plain.headers["page-number"], plain.headers["quote-marked"]) == ("2", "no")
    assert yellow(plain.content) == 0
    # The passage begins on the first page, its quote stands on the second; line breaks differ.
    marked = papers.get(f"{PAGES}/ship.pdf", params={"page": 1, "quote": QUOTE.replace("laid in", "laid\nin")})
    assert (marked.headers["page-number"], marked.headers["quote-marked"]) == ("2", "yes")
    assert yellow(marked.content) > 1000


def test_rows_are_marked_cell_by_cell(papers: TestClient) -> None:
    row = "Event: The keel was laid in Larvik. · Then: It sailed north. · Tonnage: 402"
    found = papers.get(f"{PAGES}/ship.pdf", params={"page": 2, "quote": row})
    assert found.headers["quote-marked"] == "yes"


def test_the_file_is_downloaded_as_it_is(papers: TestClient, unchanged: Path) -> None:
    found = papers.get(f"{FILES}/ship.pdf")
    assert found.content == (unchanged / "ship.pdf").read_bytes()
    assert found.headers["content-disposition"] == "attachment; filename*=UTF-8''ship.pdf"


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        (f"{FILES}/none.pdf", 404, "there is no document"),
        ("/v1/indexes/papers/files/row", 404, "holds other documents too"),
        (f"{PAGES}/ship.pdf?page=9", 422, "the file has no page 9; its pages are 1 to 2"),
        (f"{PAGES}/ship.pdf?page=0", 422, "page: "),
        (f"{PAGES}/notes.md", 422, "was not read from a PDF file"),
    ],
)
def test_what_cannot_be_shown_says_so(papers: TestClient, path: str, status: int, said: str) -> None:
    refused = papers.get(path)
    assert refused.status_code == status
    assert said in refused.json()["error"]["message"]


def test_a_file_that_changed_or_went_is_not_shown(serve: Serve, folder: Path) -> None:
    papers = serve(indexes=(Location("papers", str(index(folder))),))
    file = folder / "ship.pdf"
    content = file.read_bytes()
    file.write_bytes(content.replace(b"north", b"south"))
    refused = papers.get(f"{PAGES}/ship.pdf?page=2")
    assert refused.status_code == 409
    assert "has changed since it was indexed" in refused.json()["error"]["message"]
    assert papers.get(f"{FILES}/ship.pdf").status_code == 409
    file.unlink()
    assert papers.get(f"{FILES}/ship.pdf").status_code == 404
    assert papers.get("/v1/indexes/papers/documents/ship.pdf").json()["file"] is None
    # What lies elsewhere now is not what was read.
    (folder.parent / "secret.pdf").write_bytes(content)
    file.symlink_to(folder.parent / "secret.pdf")
    assert papers.get(f"{FILES}/ship.pdf").status_code == 404


def test_a_damaged_file_is_refused(serve: Serve, folder: Path, tmp_path: Path) -> None:
    whole = (folder / "ship.pdf").read_bytes()
    (folder / "odd.pdf").write_bytes(whole.replace(b"/MediaBox [0 0 612 792]", b"/MediaBox [0 0 0.1 99]  "))
    with Engine.open(tmp_path / "odd.mh", create=True) as engine:
        engine.sync(folder)
    client = serve(indexes=(Location("papers", str(tmp_path / "odd.mh")),))
    answer = client.get(f"{PAGES}/odd.pdf")
    assert answer.status_code in (200, 422)
    assert len(answer.content) < 5_000_000


def test_who_may_not_see_a_document_does_not_see_its_file(serve: Serve, folder: Path, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "papers.mh", create=True) as engine:
        engine.sync(folder, metadata={"allow": "pia"})
    headers = {"user_header": "X-User", "proxies": ("testclient",)}
    client = serve(indexes=(Location("papers", str(tmp_path / "papers.mh")),), **headers)
    for path in (f"{FILES}/ship.pdf", f"{PAGES}/ship.pdf"):
        assert client.get(path, headers={"X-User": "jon"}).status_code == 404
        assert client.get(path, headers={"X-User": "pia"}).status_code == 200
