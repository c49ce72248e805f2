"""How much more one value is than another: both are read by a question of their own, with the built-in models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.subtractions import _sides
from multihop.types import Judgement

from .scripted import ScriptedReader, ScriptedVerifier

TEXTS = {
    "museum-2022": (
        "Report of the museum for 2022",
        "In 2022 the museum had 18,450 visitors. An adult paid 9 euros.\n"
        "Our savings on 31 December 2022 were 12,300 euros.",
    ),
    "museum-2023": (
        "Report of the museum for 2023",
        "In 2023 the museum had 21,700 visitors (2021: 4,100). An adult paid 11 euros. A third of them were children.\n"
        "Our savings on 31 December 2023 were 15,850 euros.",
    ),
    "boats": (
        "Boats",
        "Boat: Petrel · Length (m): 12.5 · Berths: 6\nBoat: Dunlin · Length (m): 9.75 · Berths: 4",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine.open(tmp_path_factory.mktemp("museum") / "m.mh", create=True)
    engine.add([Document(id, text, title) for id, (title, text) in TEXTS.items()])
    return engine


@pytest.mark.parametrize(
    ("asked", "one", "other", "smaller"),
    [
        ("How many more tickets did Ada sell than Bo in May?", "How many tickets did Ada sell in May?",
         "How many tickets did Bo sell in May?", False),
        ("How many fewer people came in 2023/24 than in the year before?", "How many people came in 2023/24?",
         "How many people came in 2022/23?", True),
        ("How many euros less did we spend in May than in April?", "How many euros did we spend in May?",
         "How many euros did we spend in April?", True),
        ("How many more boats are registered today than ten years ago?", "How many boats are registered today?",
         "How many boats are registered ten years ago?", False),
        ("How much more does the long tour cost than the short tour?", "How much does the long tour cost?",
         "How much does the short tour cost?", False),
        ("How much longer is the Petrel than the Dunlin?", "How long is the Petrel?", "How long is the Dunlin?", False),
        ("How much more expensive was the map in 2022 than in 2021?", "What does the map cost in 2022?",
         "What does the map cost in 2021?", False),
        ("How much cheaper did the map become from 2021 to 2022?", "What does the map cost in 2021?",
         "What does the map cost in 2022?", False),
        ("By how many euros did the debt fall from the end of February to 31 May 2024?",
         "How many euros was the debt on 29 February 2024?", "How many euros was the debt on 31 May 2024?", False),
        ("How much did the rent rise between 2019 and 2021?", "How much was the rent in 2019?",
         "How much was the rent in 2021?", True),
    ],
)  # fmt: skip
def test_the_questions_for_both_values(asked: str, one: str, other: str, smaller: bool) -> None:
    found = _sides(asked)
    assert found is not None
    assert (*found.questions, found.is_smaller) == (one, other, smaller)


@pytest.mark.parametrize(
    "asked",
    [
        "How many more members can be elected?",
        "How many people came in 2023?",
        "How much did the rent rise in April 2024?",
        "How many fewer people came than in the year before?",
        "Which boat is longer, the Petrel or the Dunlin?",
    ],
)
def test_other_questions_ask_for_no_difference(asked: str) -> None:
    assert _sides(asked) is None


@pytest.mark.parametrize(
    ("asked", "said", "quoted"),
    [
        ("How many more visitors did the museum have in 2023 than in the year before?", "3,250", 2),
        ("How many more visitors did the museum have in 2023 than in 2021?", "17,600", 1),
        ("By how many euros did our savings grow from the end of 2022 to the end of 2023?", "3,550 euros", 2),
        ("How much longer is the Petrel than the Dunlin?", "2.75", 2),
        ("How many more berths does the Petrel have than the Dunlin?", "2", 2),
    ],
)  # fmt: skip
def test_a_difference_is_worked_out_from_both_values(museum: Engine, asked: str, said: str, quoted: int) -> None:
    found = museum.answer(asked)
    assert found.text == said
    assert len(found.sentences) == quoted
    assert {each.confidence for each in found.sentences} == {found.confidence}


@pytest.mark.parametrize(
    "asked",
    [
        # The question has it the wrong way round.
        "How many fewer visitors did the museum have in 2023 than in the year before?",
        # One value is missing.
        "How many more visitors did the museum have in 2023 than in 2019?",
        # Nothing speaks of it.
        "How much more did the elephant weigh in 2023 than in 2022?",
    ],
)
def test_a_difference_that_is_unclear_is_not_worked_out(museum: Engine, asked: str) -> None:
    assert museum.answer(asked).text == ""


KILN = (
    "The old kiln holds 600 litres and the new kiln holds 850 litres. Some say about 700 litres. "
    "The glaze needs 40 kg, at £185 a load or £210."
)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ({"old": {"600 litres": 0.9}, "new": {"850 litres": 0.9}}, "250 litres"),
        ({"old": {"£185": 0.9}, "new": {"£210": 0.9}}, "£25"),
        ({"old": {"600 litres": 0.9}, "new": {"40 kg": 0.9}}, ""),
        # Not an exact value.
        ({"old": {"600 litres": 0.9}, "new": {"700 litres": 0.9}}, ""),
        ({"old": {"600 litres": 0.9}, "new": {"£210": 0.9}}, ""),
        ({"old": {"600 litres": 0.9}, "new": {"600 litres": 0.9}}, ""),
        ({"old": {"600 litres": 0.9}, "new": {"none": 0.9}}, ""),
    ],
)
def test_both_values_have_the_same_unit(tmp_path: Path, script: Mapping[str, dict[str, float]], said: str) -> None:
    asks = {f"How much does the {kiln} kiln take?": found for kiln, found in script.items()}
    reader = ScriptedReader({**asks, "": {"none": 0.9}})
    verifier = ScriptedVerifier(lambda claim, text: Judgement(0.9, 0.02, 0.08))
    with Engine.open(tmp_path / "k.mh", create=True, reader=reader, verifier=verifier) as engine:
        engine.add([Document("k", KILN, "Kilns")])
        assert engine.answer("How much more does the new kiln take than the old kiln?").text == said


def test_a_sentence_that_gives_the_difference_itself_is_enough(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"250 litres": 0.95}})
    with Engine.open(tmp_path / "k.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("k", "The new kiln takes 250 litres more than the old kiln.", "Kilns")])
        found = engine.answer("How much more does the new kiln take than the old kiln?")
    assert found.text == "250 litres"
    assert [question for question, _ in reader.shown if "take?" in question] == []
