from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from multihop import Document, Engine, profiles
from multihop.profiles import Profile
from multihop.profiles.signals import Scores, corpus, embed, evaluate, parse_question, patterns, warm
from multihop.profiles.signals.word2vec import TrainingSettings, WordVectors, train
from multihop.protocols import Context
from multihop.types import Passage

CLIMATE = profiles.load("climate")
QUESTION = CLIMATE.questions[0].text
TEXTS = [f"Country {n} will reduce its emissions by {n}% below 1990 levels by 2030." for n in range(40)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document(str(n), text, metadata={"odd": n % 2}) for n, text in enumerate(TEXTS))
        train(engine.store, settings=TrainingSettings(dimension=8, min_count=1, epochs=1))
    return tmp_path / "x.mh"


def scored(engine: Engine, profile: Profile = CLIMATE, where: dict[str, int] | None = None) -> Scores:
    context = Context(engine.index(where))
    return evaluate(parse_question(QUESTION, profile), embed(QUESTION, context), profile, context)


class Worked:
    """Counts the passages that are worked out instead of read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passages: dict[str, list[object]] = {"words": [], "patterns": [], "vectors": []}
        words_of, text_of, embed_words = corpus.words_of, corpus.text_of, WordVectors.embed_words

        def words(passage: Passage) -> list[str]:
            self.passages["words"].append(passage.id)
            return words_of(passage)

        def text(passage: Passage) -> str:
            self.passages["patterns"].append(passage.id)
            return text_of(passage)

        def vectors(model: WordVectors, texts: Iterator[list[str]]) -> object:
            given = list(texts)
            self.passages["vectors"] += given
            return embed_words(model, given)

        monkeypatch.setattr(corpus, "words_of", words)
        monkeypatch.setattr(patterns, "text_of", text)
        monkeypatch.setattr(WordVectors, "embed_words", vectors)

    def counts(self) -> list[int]:
        found = [len(passages) for passages in self.passages.values()]
        for passages in self.passages.values():
            passages.clear()
        return found


def test_what_was_kept_is_read_by_the_next_process(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(path) as engine:
        before, odd = scored(engine), scored(engine, where={"odd": 1})
        assert warm(engine.store, CLIMATE)
    worked = Worked(monkeypatch)
    with Engine.open(path) as engine:
        after, odd_after = scored(engine), scored(engine, where={"odd": 1})
        assert not warm(engine.store, CLIMATE)
    assert worked.counts() == [0, 0, 0]
    for one, other in ((before, after), (odd, odd_after)):
        assert list(one.ids) == list(other.ids)
        assert set(one.signals) == set(other.signals) == {"word2vec", "patterns", "fuzzy"}
        assert all(np.array_equal(one.signals[name], other.signals[name]) for name in one.signals)
        assert np.array_equal(one.combined, other.combined)


def test_only_what_has_come_since_is_worked_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(path) as engine:
        warm(engine.store, CLIMATE)
        engine.add([Document("0", "Something else now."), Document("new", "A new target of 99%.")])
    worked = Worked(monkeypatch)
    with Engine.open(path) as engine:
        scored(engine)
        assert worked.counts() == [2, 2, 2]
        assert warm(engine.store, CLIMATE)
    worked.counts()
    with Engine.open(path) as engine:
        scored(engine)
    assert worked.counts() == [0, 0, 0]


def test_other_patterns_and_another_model_are_not_taken_for_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(path) as engine:
        warm(engine.store, CLIMATE)
        train(engine.store, settings=TrainingSettings(dimension=4, min_count=1, epochs=1))
    changed = profiles.parse('name = "climate"\n[[patterns]]\nname = "x"\nregex = "levels"', name="climate")
    worked = Worked(monkeypatch)
    with Engine.open(path) as engine:
        scored(engine, profiles.with_scoring(CLIMATE, threshold=0.3))
        assert worked.counts() == [0, 0, 40]
        assert patterns.stamp(changed) != patterns.stamp(CLIMATE)


def test_an_empty_index_keeps_nothing(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "empty.mh", create=True) as engine:
        assert not warm(engine.store, CLIMATE)
        assert len(scored(engine).ids) == 0
