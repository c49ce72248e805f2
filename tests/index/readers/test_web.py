"""Pages of the web, asked for by their address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop.errors import InvalidInput
from multihop.index.readers import web

from ...cli.command import failure, run, run_json
from ...listening import Handler, listening


class _Pages(Handler):
    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/fram")
            self.end_headers()
        elif self.path in ("/away", "/loop"):
            self.send_response(301)
            self.send_header("Location", "ftp://example.org/" if self.path == "/away" else "/loop")
            self.end_headers()
        elif self.path == "/fram":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<title>Fram</title><p>A ship.</p>")
        else:
            self.send_error(404)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with listening(_Pages) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_page_is_known_by_its_address(site: str, tmp_path: Path) -> None:
    assert run("index", f"{site}/moved", "--to", tmp_path / "x.mh", "--allow-private").exit_code == 0
    found = run_json("show", f"{site}/moved", "--index", tmp_path / "x.mh")
    assert (found["title"], found["metadata"], found["passages"][0]["text"]) == (
        "Fram",
        {"url": f"{site}/moved"},
        "A ship.",
    )


def test_private_addresses_are_refused(site: str, tmp_path: Path) -> None:
    said = failure("index", f"{site}/fram", "--to", tmp_path / "x.mh")
    assert "127.0.0.1, an address of a private network; allow it with --allow-private" in said
    for url in ("http://[::1]/", "http://169.254.169.254/latest/", "http://10.0.0.1/", "http://localhost/"):
        with pytest.raises(InvalidInput, match="private network"):
            web.fetch(url, tmp_path)


@pytest.mark.parametrize(
    ("path", "said"),
    [("/gone", "status 404"), ("/away", "not a web address"), ("/loop", "redirected more than 5 times")],
)
def test_what_cannot_be_fetched(site: str, tmp_path: Path, path: str, said: str) -> None:
    assert said in failure("index", f"{site}{path}", "--to", tmp_path / "x.mh", "--allow-private")


def test_a_page_that_is_too_large(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MAX_BYTES", 10)
    with pytest.raises(InvalidInput, match="is larger than"):
        web.fetch(f"{site}/fram", tmp_path, private=True)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be fetched"):
        web.fetch("http://127.0.0.1:1/", tmp_path, private=True)
