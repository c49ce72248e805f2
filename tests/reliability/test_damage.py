"""Damaged files: caches are noticed and built again, documents are refused with what to do, and can be got out."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import multihop
from multihop import Document, Engine
from multihop.errors import FormatError, IndexNotFound
from multihop.index.stores.core import search
from multihop.index.stores.sqlite import checksums
from multihop.index.stores.sqlite.salvage import salvage
from multihop.testing.contracts import HashEmbedder

from ..cli.command import failure, run
from . import damage
from .soak import rounds

CITY = Document("rome", "Rome lies on the Tiber. " * 3, "Rome", {"country": "Italy"}, ("Roma",))


def damaged(tmp_path: Path, rounds: int) -> dict[str, int]:
    source = Path(multihop.__file__).parents[1]
    paths = [str(source), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, damage.__file__, str(tmp_path), str(rounds), "7"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ended: dict[str, int] = json.loads(done.stdout)
    return ended


def test_damaged_files_are_noticed_wherever_the_damage_is(tmp_path: Path) -> None:
    ended = damaged(tmp_path, times := rounds(10, 600))
    sys.stderr.write(f"{times} damaged copies: {ended}\n")
    assert ended["right"] > 0


@pytest.mark.release  # an index is copied and asked anew for each file
def test_files_that_are_cut_while_they_are_in_use_do_not_end_the_process(tmp_path: Path) -> None:
    """What is mapped into memory and gone from disk is a SIGBUS for whoever reads it."""
    ended = damaged(tmp_path, 0)
    assert ended["refused"] == 2
    assert ended["right"] > 10


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Engine.open(tmp_path / "i.mh", create=True) as engine:
        engine.add([CITY, *(Document(f"n{n}", f"Note {n} on granite.", f"Note {n}") for n in range(30))])
    return tmp_path / "i.mh"


def change(place: Path, *statements: str) -> None:
    with closing(sqlite3.connect(place / "documents.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE passage SET text = CAST(x'ff41fe' AS TEXT)",
        "UPDATE document SET metadata = '{\"country'",
        "UPDATE document SET metadata = '[1]'",
        "UPDATE document SET aliases = 'Roma'",
        "DELETE FROM meta",
        "DROP TABLE passage",
        "DROP TABLE document",
        "ALTER TABLE document DROP COLUMN metadata",
    ],
)
def test_damaged_documents_are_an_error_that_says_what_to_do(place: Path, statement: str) -> None:
    change(place, statement)

    def use() -> None:
        with Engine.open(place) as engine:
            engine.retrieve("Where does Rome lie?", k=3)
            engine.document("rome")

    with pytest.raises(FormatError, match=r"damaged.*multihop salvage"):
        use()


def test_a_vector_of_the_wrong_length_is_damage(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "i.mh", create=True, embedder=HashEmbedder()) as engine:
        engine.add([CITY])
    change(tmp_path / "i.mh", "UPDATE vector SET data = x'0000'")
    with pytest.raises(FormatError, match="does not have 32 numbers"):
        Engine.open(tmp_path / "i.mh", embedder=HashEmbedder())


def test_a_damaged_vector_cache_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "EXACT", 100)
    place = tmp_path / "i.mh"
    damage.make(place)
    expected = damage.answers(place)
    [file] = place.glob("vectors.*.usearch")
    whole = file.read_bytes()
    file.write_bytes(whole[:2000] + bytes(255 - byte for byte in whole[2000:4000]) + whole[4000:])
    assert damage.answers(place) == expected
    with Engine.open(place, embedder=HashEmbedder()) as engine:
        assert all(check.ok for check in engine.check(repair=False))


@pytest.mark.parametrize("with_sums", [True, False])
@pytest.mark.parametrize("kind", ["pos", "idx", "term", "fast", "store", "fieldnorm"])
def test_a_missing_file_of_the_search_cache_is_damage(place: Path, kind: str, with_sums: bool) -> None:
    """Whatever a question refuses is repaired: at opening where the checksums know the file, else by verify."""
    for file in (place / "lexical").glob(f"*.{kind}"):
        file.unlink()
    if not with_sums:
        (place / "lexical" / "sums.json").unlink()
        assert run("verify", "--index", place).exit_code == 0
    with Engine.open(place) as engine:
        assert engine.retrieve("Where does Rome lie?", k=1, strategy="bm25").evidence[0].passage.document_id == "rome"
        assert all(check.ok for check in engine.check(repair=False))


def test_large_files_are_sampled_when_opened_and_read_completely_by_a_check(tmp_path: Path) -> None:
    file, sums = tmp_path / "large", tmp_path / "sums"
    content = bytearray(random.Random(1).randbytes(300 * 64 * 2**10))
    file.write_bytes(content)
    checksums.write(sums, [file])
    known = checksums.read_checksums(sums)
    assert checksums.damaged_files([file], known) == checksums.damaged_files([file], known, completely=True) == []
    content[150 * 64 * 2**10] ^= 1
    file.write_bytes(content)
    assert checksums.damaged_files([file], known, completely=True) == ["large"]
    assert any(checksums.damaged_files([file], known) for _ in range(60))
    file.write_bytes(content[:-1])
    assert checksums.damaged_files([file], known) == ["large"]
    sums.write_text("[")
    assert checksums.read_checksums(sums) == {}


# --- salvage ---


def test_salvage_gives_back_what_is_whole(place: Path) -> None:
    found = salvage(place)
    assert (len(found.documents), found.incomplete, found.lost) == (31, [], 0)
    assert next(d for d in found.documents if d.id == "rome") == CITY


def test_salvage_gets_out_what_can_be_read(place: Path, tmp_path: Path) -> None:
    change(
        place,
        "UPDATE document SET metadata = 'x' WHERE id = 'rome'",
        "DELETE FROM document WHERE id = 'n3'",
        "UPDATE passage SET text = CAST(x'ff41fe' AS TEXT) WHERE id = 'n4#0'",
        "DELETE FROM passage WHERE id = 'n5#0'",
        "DELETE FROM meta",
    )
    out = tmp_path / "saved.jsonl"
    asked = run("salvage", "--index", place, "--out", out, "--json")
    assert asked.exit_code == 1
    done = json.loads(asked.stdout)
    assert (done["documents"], sorted(done["incomplete"]), done["lost"]) == (30, ["n3", "n4", "rome"], 1)
    run("index", out, "--to", tmp_path / "new.mh")
    with Engine.open(tmp_path / "new.mh") as engine:
        assert engine.retrieve("Where does Rome lie?", k=1, strategy="bm25").evidence[0].passage.document_id == "rome"
        assert engine.stats().documents == 30
    assert "exists" in failure("salvage", "--index", place, "--out", out)


def test_salvage_reads_around_broken_pages(tmp_path: Path) -> None:
    place = tmp_path / "i.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(Document(f"n{n}", f"Note {n}. " + "Granite and basalt. " * 60, f"Note {n}") for n in range(2000))
    file = place / "documents.sqlite"
    content = bytearray(file.read_bytes())
    draw = random.Random(3)
    for page in draw.sample(range(20, len(content) // 8192), 12):
        content[page * 8192 : (page + 1) * 8192] = draw.randbytes(8192)
    file.write_bytes(content)
    found = salvage(place)
    assert 1900 < len(found.documents) + found.lost <= 2000
    assert found.incomplete
    assert all(d.text.startswith("Note") for d in found.documents if d.id not in found.incomplete)


def test_what_salvage_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match="there is no index"):
        salvage(tmp_path)
    (tmp_path / "documents.sqlite").write_bytes(b"nothing of the kind" * 500)
    with pytest.raises(FormatError, match="nothing can be read"):
        salvage(tmp_path)
    assert "PostgreSQL has its own tools" in failure("salvage", "--index", "postgresql://h/d", "--out", tmp_path / "o")
