"""A question is any text: no strategy fails on what stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.strategies import STRATEGIES

# What cutters of words disagree about most easily: iteration marks, ideographic zero and numerals, odd apostrophes.
ODD = ("a々b Rome", "x〇y〆z Rome", "a〡b〱c〻d Rome", "o’’s ʼn’ Rome", "\u0301\u0345 Rome", "ﷺ Rome's")
_MORE_THAN_TEXT = {"dense", "hybrid", "hybrid-rrf"}  # they need an embedder or a profile


@pytest.fixture(scope="module")
def rome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place: Path = tmp_path_factory.mktemp("rome") / "rome.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(
            [Document("rome", "Rome is the capital of Italy.", "Rome"), Document("it", "Italy has Rome.", "Italy")]
        )
        yield engine


@pytest.mark.parametrize("question", ODD)
@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - _MORE_THAN_TEXT))
def test_odd_characters_in_a_question(rome: Engine, name: str, question: str) -> None:
    assert "rome" in {each.passage.document_id for each in rome.retrieve(question, k=2, strategy=name).evidence}
