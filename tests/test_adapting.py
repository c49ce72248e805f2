"""Learning from labeled questions: what helps is kept, what does not is refused, and all of it can be undone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine, Result
from multihop.adapting import Adapted, resolve
from multihop.errors import IndexReadOnly, InvalidInput, InvalidRecord
from multihop.index.copying import copy
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import open_store
from multihop.models.adaptation import NAME, Adaptation, models_digest, stored_adaptation
from multihop.parts.selectors.ranked import COLUMNS
from multihop.testing import sample_documents
from multihop.types import Rights

TOPICS = [f"{a}{b}" for a in ("zor", "mal", "ket", "pun", "dri", "vos") for b in ("vel", "gam", "tix", "lob", "nar")]
COLORS = ("red", "green", "blue", "white", "black", "brown", "yellow", "gray", "pink")
FILLER = "The clerk of the day wrote down what the weather was like and who came to the door. " * 5
QUESTION = "Who drew the ship that Amundsen borrowed?"
LONG_FIRST = Adaptation(
    "multihop:ranker", 40, 0.0, COLUMNS, tuple(6.0 * (name == "length") for name in COLUMNS), (1.0,) * len(COLUMNS),
    tuple(5.0 * (name == "length") for name in COLUMNS), models_digest(),
)  # fmt: skip


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many short entries on every topic that repeat its name, and a long one, which is what the questions want."""
    path = tmp_path_factory.mktemp("records") / "records.mh"
    short = [Document(f"{t}-{c}", f"What {t} is: {t} is {c}.", "Records") for t in TOPICS for c in COLORS]
    long = [Document(f"{t}-long", f"{FILLER}Somebody asked for {t}.", f"Day {d}") for d, t in enumerate(TOPICS)]
    with Engine.open(path, create=True) as engine:
        engine.add([*short, *long], whole=True)
    return path


@pytest.fixture
def engine(records: Path, tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(shutil.copytree(records, tmp_path / "records.mh")) as opened:
        yield opened


def asked(gold: Sequence[str]) -> list[tuple[str, list[str]]]:
    return [(f"What is {topic}?", [name]) for topic, name in zip(TOPICS, gold, strict=True)]


def notes(result: Result) -> list[str]:
    return [note.code for note in result.trace.notes if note.code.startswith("adapt")]


def shown(result: Result) -> str:
    return result.to_json(timing=False)


def test_what_the_ranking_gets_wrong_is_learned_and_kept(engine: Engine) -> None:
    seen: list[tuple[str, int, int | None]] = []
    plain = engine.retrieve("What is zorvel?")
    done = engine.adapt(asked([f"{topic}-long" for topic in TOPICS]), progress=lambda *now: seen.append(now))
    assert (done.questions, done.kept) == (30, True)
    assert done.before < 0.3
    assert done.after > 0.9
    assert done.low > 0.5
    assert seen[-1] == ("asking", 30, 30)
    result = engine.retrieve("What is zorvel?")
    assert "zorvel-long" in [e.passage.document_id for e in result][:5]
    [note] = [n for n in result.trace.notes if n.code == "adapted"]
    assert note.data == {"questions": 30}
    assert engine.forget_adaptation()
    assert not engine.forget_adaptation()
    assert shown(engine.retrieve("What is zorvel?")) == shown(plain)


def test_titles_and_passages_are_gold_as_well(engine: Engine) -> None:
    mixed = [(f"Day {place}" if place % 2 else f"{t}-long#0") for place, t in enumerate(TOPICS)]
    assert engine.adapt(asked(mixed)).after > 0.9


def test_objects_as_in_json_lines_are_pairs(engine: Engine) -> None:
    pairs = asked([f"{topic}-long" for topic in TOPICS])
    objects: list[Any] = [{"question": question, "gold": gold} for question, gold in pairs]
    assert resolve(engine.store, objects) == resolve(engine.store, pairs)
    assert engine.adapt(objects).questions == 30


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("What is zorvel?", "questions:2: no question; write {"),
        ("ab", "questions:2: no question; write {"),
        (("What is zorvel?",), "questions:2: no question; write {"),
        (("What is zorvel?", "zorvel-long"), "questions:2: gold must be a list of document ids, passage ids or titles"),
        ({"question": "What is zorvel?", "gold": "zorvel-long"}, "questions:2: gold must be a list"),
        ({"question": "What is zorvel?"}, "questions:2: gold must be a list"),
    ],
)
def test_what_is_no_labeled_question_is_refused(engine: Engine, wrong: Any, message: str) -> None:
    with pytest.raises(InvalidRecord, match=message):
        engine.adapt([("What is zorvel?", ["zorvel-long"]), wrong])


def test_chance_is_refused_and_leaves_what_is_there_alone(engine: Engine) -> None:
    engine.store.put_blob(NAME, LONG_FIRST.to_bytes())
    # Every color as often as any other, so that none of them is worth more.
    done = engine.adapt(asked([f"{topic}-{COLORS[place % len(COLORS)]}" for place, topic in enumerate(TOPICS)]))
    assert not done.kept
    assert stored_adaptation(engine.store) == LONG_FIRST


@pytest.mark.parametrize("where", ["folder", "server"])
def test_every_store_keeps_it_and_forgets_it(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    place = tmp_path / "sample.mh" if where == "folder" else request.getfixturevalue("address")
    with Engine.open(place, create=True) as engine, Engine.open(place) as other:
        engine.add(sample_documents())
        plain = shown(engine.retrieve(QUESTION))
        engine.store.put_blob(NAME, LONG_FIRST.to_bytes())
        adapted = engine.retrieve(QUESTION)
        assert shown(adapted) != plain
        assert notes(adapted) == ["adapted"]
        # Whoever has the index open sees it at once, and no longer when it is undone.
        assert shown(other.retrieve(QUESTION)) == shown(adapted)
        assert engine.forget_adaptation()
        assert shown(other.retrieve(QUESTION)) == plain
        # A strategy that reads nothing has nothing to adapt.
        engine.store.put_blob(NAME, LONG_FIRST.to_bytes())
        assert notes(engine.retrieve(QUESTION, strategy="auto-fast")) == []


def test_a_copy_has_it_and_loses_it_with_the_source(sample_index: Path, tmp_path: Path, address: str) -> None:
    source = shutil.copytree(sample_index, tmp_path / "sample.mh")
    for kept in (LONG_FIRST, None):
        with Engine.open(source) as engine:
            engine.store.put_blob(NAME, kept.to_bytes() if kept else b"")
        copy(partial(open_store, source, MentionLinker()), partial(open_store, address, MentionLinker()))
        with Engine.open(address) as there:
            assert stored_adaptation(there.store) == kept


def test_one_for_another_ranking_is_not_used(sample_index: Path, tmp_path: Path) -> None:
    with Engine.open(shutil.copytree(sample_index, tmp_path / "sample.mh")) as engine:
        plain = engine.retrieve(QUESTION)
        changed = "the built-in models have changed since this index was adapted"
        for old, why in (
            (replace(LONG_FIRST, ranker="old"), "multihop:ranker was not what ranked when this index was adapted"),
            (replace(LONG_FIRST, columns=("trees",)), changed),
            (replace(LONG_FIRST, models="0123456789abcdef"), changed),
        ):
            engine.store.put_blob(NAME, old.to_bytes())
            result = engine.retrieve(QUESTION)
            assert result.evidence == plain.evidence
            [note] = [n for n in result.trace.notes if n.code == "adaptation-not-used"]
            assert note.text == f"{why}; the adaptation is not used, run multihop adapt again"


def test_one_from_before_weights_were_compared_is_not_used(sample_index: Path, tmp_path: Path) -> None:
    stored = {name: value for name, value in json.loads(LONG_FIRST.to_bytes()).items() if name != "models"}
    with Engine.open(shutil.copytree(sample_index, tmp_path / "sample.mh")) as engine:
        engine.store.put_blob(NAME, json.dumps(stored).encode())
        assert notes(engine.retrieve(QUESTION)) == ["adaptation-not-used"]


def test_a_part_of_an_index_is_not_adapted(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "parts.mh", create=True) as engine:
        engine.add([Document("a", "A ship.", metadata={"allow": ("captain",)}), Document("b", "A boat.")])
        with pytest.raises(IndexReadOnly):
            engine.restrict(Rights("crew")).forget_adaptation()


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        (["zorvel-long", "nowhere"], "gold 'nowhere' is not in the index"),
        (["Records"], "270 documents have the title 'Records'"),
    ],
)
def test_gold_must_be_one_thing_in_the_index(engine: Engine, gold: list[str], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        engine.adapt([("What is zorvel?", gold)])


def test_few_questions_say_nothing(engine: Engine) -> None:
    # The same question twice is one.
    with pytest.raises(InvalidInput, match="at least 30 different questions, got 29"):
        engine.adapt([*asked([f"{topic}-long" for topic in TOPICS])[:29], ("What is zorvel?", ["zorvel-red"])])


def test_a_question_that_finds_nothing_counts_as_not_found(engine: Engine) -> None:
    gold = f"{TOPICS[0]}-long"
    right = asked([f"{topic}-long" for topic in TOPICS])
    alone, with_one = (engine.adapt(each) for each in (right, [*right, ("xqzzyv wplk", [gold])]))
    assert with_one.kept
    assert with_one.before == pytest.approx(alone.before * alone.questions / with_one.questions)
    engine.forget_adaptation()
    with pytest.raises(InvalidInput, match="30 questions that find something in the index; 0 of these do"):
        engine.adapt([(f"xqzzyv wplk{number}", [gold]) for number in range(30)])


def test_it_is_told_in_a_line() -> None:
    assert str(Adapted(100, 0.541, 0.658, 0.07, 0.16, True)) == (
        "recall@5 0.54 → 0.66 (+0.07 to +0.16) by cross-validation over 100 questions, kept"
    )
    assert str(Adapted(30, 0.5, 0.5, -0.02, 0.03, False)).endswith("over 30 questions, not kept: no reliable gain")
