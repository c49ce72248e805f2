"""Another index is renamed into place while an engine has the old one open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import FormatError


def make(place: Path, *documents: Document) -> Path:
    with Engine.open(place, create=True) as engine:
        engine.add(documents)
    return place


def swap(place: Path, other: Path) -> None:
    place.rename(place.with_suffix(".old"))
    other.rename(place)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make(tmp_path / "i.mh", Document("rome", "Rome lies on the Tiber.", "Rome"))


def test_an_index_that_takes_the_place_of_another_is_read_and_written(place: Path, tmp_path: Path) -> None:
    cities = [Document(f"city {n}", f"City {n} lies on a river.", f"Ostburg {n}") for n in range(20)]
    other = make(tmp_path / "other.mh", *cities)
    with Engine.open(place) as engine:
        assert engine.retrieve("Tiber", k=1, strategy="bm25").evidence
        swap(place, other)
        assert not engine.retrieve("Tiber", k=1, strategy="bm25").evidence
        assert engine.document("city 3") is not None
        added = engine.add(Document(f"visit {n}", f"She went to Ostburg {n} by train.") for n in range(20))
        links = engine.store.view().links_from([f"visit {n}#0" for n in range(20)])
        assert added.documents == 20
        assert len(links) == 20
        assert all(check.ok for check in engine.check())
        assert engine.stats().documents == 40


def test_the_first_call_after_it_may_be_a_write(place: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "other.mh", Document("oslo", "Oslo lies on a fjord.", "Oslo"))
    with Engine.open(place) as engine:
        swap(place, other)
        engine.add([Document("trip", "A trip from Rome to Oslo.")])
        assert {link.target for link in engine.store.view().links_from(["trip#0"])} == {"oslo"}


def test_what_is_no_index_is_refused_and_the_old_one_comes_back_with_it(place: Path, tmp_path: Path) -> None:
    kept = shutil.copytree(place, tmp_path / "kept.mh")
    broken = tmp_path / "broken.mh"
    broken.mkdir()
    (broken / "documents.sqlite").write_bytes(b"not a database" * 100)
    with Engine.open(place) as engine:
        swap(place, broken)
        for _ in range(2):
            with pytest.raises(FormatError, match="damaged or not an index"):
                engine.retrieve("Tiber", k=1)
        shutil.rmtree(place)
        kept.rename(place)
        assert engine.retrieve("Tiber", k=1, strategy="bm25").evidence
