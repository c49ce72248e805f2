"""Pages of the web, asked for by their address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import pytest

from multihop.errors import InvalidInput
from multihop.index.readers import web

from ...cli.command import failure, run, run_json
from ...listening import Handler, listening
from ...patience import patience


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
        elif self.path.startswith("/drip"):
            self.send_response(200)
            if self.path == "/drip":
                self.end_headers()
            else:
                self.flush_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.01)
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
    hosts = (
        "[::1]", "169.254.169.254", "10.0.0.1", "localhost", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::808:808]", "[::ffff:0:7f00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "224.0.0.1", "[ff02::1]",
        "[fec0::1]", "0.0.0.0",
    )  # fmt: skip
    for host in hosts:
        with pytest.raises(InvalidInput, match="private network"):
            web.fetch(f"http://{host}/", tmp_path)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "2002:5db8:d822::1"])
def test_public_addresses(address: str) -> None:
    assert web._is_public(ip_address(address))


def test_a_server_that_sends_a_byte_at_a_time_is_given_up(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "TOTAL_SECONDS", 0.5)
    for path in ("/drip", "/drip-headers"):
        with patience(), pytest.raises(InvalidInput, match=r"took more than 0.5 seconds"):
            web.fetch(f"{site}{path}", tmp_path, private=True)


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
