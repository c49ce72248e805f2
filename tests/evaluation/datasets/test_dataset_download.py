"""Downloads from a real server on this machine: whole, cut off, resumed, damaged, offline."""

from __future__ import annotations

import hashlib
import io
import json
import re
import socket
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from multihop.errors import DownloadFailed, InvalidInput, UnknownName
from multihop.evaluation.datasets import DATASETS, download, load
from multihop.evaluation.datasets.catalog import Remote
from multihop.evaluation.datasets.download import download_files

from ...listening import Handler, listening


@dataclass
class Shelf:
    """What the server has, how it misbehaves, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    cut: list[int] = field(default_factory=list)
    """For each of the next answers, after how many bytes the connection is dropped."""
    ranges: bool = True
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def remote(self, name: str, *, md5: str = "", unpack: bool = False) -> Remote:
        return Remote(f"{self.address}/{name}", name, md5, unpack)


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    shelf = Shelf()

    class Files(Handler):
        def do_GET(self) -> None:
            body = shelf.files.get(self.path.lstrip("/"))
            shelf.asked.append(self.headers.get("Range", "all"))
            if body is None:
                self.send_error(404)
                return
            tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
            match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            start = int(match[1]) if match and shelf.ranges and self.headers.get("If-Range", tag) == tag else 0
            if start >= len(body) and start:
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("ETag", tag)
            self.send_header("Content-Length", str(len(body) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            self.end_headers()
            self.wfile.write(body[start : start + shelf.cut.pop(0)] if shelf.cut else body[start:])

    with listening(Files) as port:
        shelf.address = f"http://127.0.0.1:{port}"
        yield shelf


BODY = bytes(range(256)) * 4000


def test_a_whole_file_with_progress_and_receipt(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    seen: list[tuple[str, int, int | None]] = []
    folder = download_files((shelf.remote("a.json"),), tmp_path / "set", progress=lambda *step: seen.append(step))
    assert (folder / "a.json").read_bytes() == BODY
    assert seen[-1] == ("a.json", len(BODY), len(BODY))
    receipt = json.loads((folder / "downloads.json").read_text())["a.json"]
    assert receipt["sha256"] == hashlib.sha256(BODY).hexdigest()
    assert sorted(p.name for p in folder.iterdir()) == ["a.json", "downloads.json"]


def test_what_is_there_is_not_fetched_again(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    for _ in range(2):
        download_files((shelf.remote("a.json"),), tmp_path)
    assert shelf.asked == ["all"]


def test_a_cut_connection_is_resumed_at_once(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    shelf.cut = [300_000, 200_000]
    download_files((shelf.remote("a.json"),), tmp_path)
    assert (tmp_path / "a.json").read_bytes() == BODY
    assert shelf.asked == ["all", "bytes=300000-", "bytes=500000-"]


def test_a_failed_download_keeps_its_part_for_the_next_call(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    shelf.cut = [1000, 1000, 1000]
    with pytest.raises(DownloadFailed, match=r"closed too early after 3000 bytes, which are kept in .*a.json.part"):
        download_files((shelf.remote("a.json"),), tmp_path)
    assert not (tmp_path / "a.json").exists()
    download_files((shelf.remote("a.json"),), tmp_path)
    assert (tmp_path / "a.json").read_bytes() == BODY
    assert shelf.asked[-1] == "bytes=3000-"


def test_a_new_version_is_not_glued_to_the_old_part(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    shelf.cut = [1000, 0, 0]
    with pytest.raises(DownloadFailed, match="closed too early"):
        download_files((shelf.remote("a.json"),), tmp_path)
    shelf.files["a.json"] = BODY[::-1]
    download_files((shelf.remote("a.json"),), tmp_path)
    assert (tmp_path / "a.json").read_bytes() == BODY[::-1]


def test_a_server_without_ranges_begins_again(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    shelf.ranges = False
    shelf.cut = [1000]
    download_files((shelf.remote("a.json"),), tmp_path)
    assert (tmp_path / "a.json").read_bytes() == BODY


def test_a_part_longer_than_the_file_begins_again(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    (tmp_path / "a.json.part").write_bytes(BODY * 2)
    download_files((shelf.remote("a.json"),), tmp_path)
    assert (tmp_path / "a.json").read_bytes() == BODY


def test_a_published_checksum_is_compared(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["a.json"] = BODY
    with pytest.raises(DownloadFailed, match=r"is damaged: its MD5 is [0-9a-f]{32}, the published one 00ff"):
        download_files((shelf.remote("a.json", md5="00ff"),), tmp_path)
    assert not (tmp_path / "a.json").exists()
    download_files((shelf.remote("a.json", md5=hashlib.md5(BODY).hexdigest()),), tmp_path)


def test_missing_on_the_server(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=r"/gone.json answered 404 .*By hand: put gone.json into"):
        download_files((shelf.remote("gone.json"),), tmp_path)


def test_offline_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/a.json"
    with pytest.raises(DownloadFailed) as caught:
        download_files((Remote(address, "a.json"),), tmp_path / "set")
    assert "\n" not in str(caught.value)
    assert re.match(rf"cannot download {address}: .*refused.*By hand: put a.json into .*set", str(caught.value))


def test_only_http(tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match="only http and https"):
        download_files((Remote("file:///etc/passwd", "a"),), tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot make the folder"):
        download_files((), tmp_path / "file/set")


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return buffer.getvalue()


QUESTION = {"_id": "q", "question": "Who?", "supporting_facts": [["A", 0]], "context": [["A", ["Text."]]]}


def test_an_archive_is_unpacked_and_loads(shelf: Shelf, tmp_path: Path) -> None:
    body = json.dumps([QUESTION]).encode()
    shelf.files["data.zip"] = zipped({"data/dev.json": body, "__MACOSX/data/._dev.json": b"x", "data/.DS_Store": b"x"})
    download_files((shelf.remote("data.zip", unpack=True),), tmp_path / "2wiki")
    assert load("2wiki", tmp_path).questions[0].gold == ("A",)


def test_later_loads_notice_a_changed_file(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["dev.json"] = json.dumps([QUESTION]).encode()
    download_files((shelf.remote("dev.json"),), tmp_path / "2wiki")
    file = tmp_path / "2wiki/dev.json"
    file.write_bytes(file.read_bytes().replace(b"Who?", b"Why?"))
    with pytest.raises(InvalidInput, match=r"dev.json is damaged or was changed: its SHA-256 is not the one noted"):
        load("2wiki", tmp_path)
    (tmp_path / "2wiki/downloads.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"downloads.json cannot be read .*; delete it"):
        load("2wiki", tmp_path)


@pytest.mark.parametrize("name", ["../out.json", "/out.json", "a/../../out.json"])
def test_an_archive_cannot_write_elsewhere(shelf: Shelf, tmp_path: Path, name: str) -> None:
    shelf.files["data.zip"] = zipped({name: b"x"})
    with pytest.raises(DownloadFailed, match=r"not a whole zip archive .*leads out of it"):
        download_files((shelf.remote("data.zip", unpack=True),), tmp_path / "set")
    assert not list(tmp_path.glob("**/out.json"))


def test_a_cut_archive(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["data.zip"] = zipped({"dev.json": BODY})[:-30]
    with pytest.raises(DownloadFailed, match="is not a whole zip archive"):
        download_files((shelf.remote("data.zip", unpack=True),), tmp_path)
    assert not (tmp_path / "data.zip").exists()


def test_names_to_download(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no dataset 'hotpot' to download; did you mean 'hotpotqa'"):
        download("hotpot", tmp_path)
    remotes = {name: DATASETS[name].remotes for name in DATASETS.built_in}
    assert all(remotes.values())
    assert all(r.address.startswith("http") for each in remotes.values() for r in each)
