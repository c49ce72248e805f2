from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.comparisons import side_questions, sub_question
from multihop.answering.statements import question_of
from multihop.types import Judgement

from .scripted import ScriptedReader, ScriptedVerifier


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Which study received more money, Asta or Bera?", "How much money has {} received?"),
        ("Which ward has more beds, Asta or Bera?", "How many beds does {} have?"),
        ("Which project has the larger budget, Asta or Bera?", "What is the budget of {}?"),
        ("Which ship is longer, Asta or Bera?", "How long is {}?"),
        ("Which is more expensive, Asta or Bera?", "What does {} cost?"),
        ("Who was born first, Asta or Bera?", "When was {} born?"),
    ],
)
def test_the_question_for_the_value_of_each_side(asked: str, value: str) -> None:
    assert sub_question(asked) == value


@pytest.mark.parametrize(
    ("asked", "one", "other", "smaller"),
    [
        ("Is Asta heavier than Bera?", "What is the weight of Asta?", "What is the weight of Bera?", False),
        ("Was Asta born before Bera?", "When was Asta born?", "When was Bera born?", True),
        ("Was the Asta built after the Bera?", "When was the Asta built?", "When was the Bera built?", False),
        ("Did Asta die later than Bera?", "When did Asta die?", "When did Bera die?", False),
        ("Did Asta join the yard before Bera?", "When did Asta join the yard?", "When did Bera join the yard?", True),
        ("Has Asta more beds than Bera?", "How many beds does Asta have?", "How many beds does Bera have?", False),
        ("Did Asta earn less money than Bera?", "How much money did Asta earn?", "How much money did Bera earn?", True),
        ("Is the fee of May lower than that of June?", "What is the fee of May?", "What is the fee of June?", True),
        ("Is Asta older than Bera?", "When was Asta born?", "When was Bera born?", True),
    ],
)  # fmt: skip
def test_the_questions_for_two_values_that_are_compared(asked: str, one: str, other: str, smaller: bool) -> None:
    found = side_questions(asked)
    assert found is not None
    assert (*found.sides, found.smaller) == (one, other, smaller)


@pytest.mark.parametrize(
    ("asked", "template", "one", "other"),
    [
        ("Does Asta cost more than Bera?", "How much does {} cost?", "Asta", "Bera"),
        ("Does Asta have more beds than Bera?", "How many beds does {} have?", "Asta", "Bera"),
        ("Were there more falls in May than in June?", "How many falls were there in {}?", "May", "June"),
        ("Did we sell more rye rolls in May than in June?", "How many rye rolls did we sell in {}?", "May", "June"),
        ("Were more cups sold to us in May than in June?", None, "", ""),
        ("Is the rent higher in Bergen than in Oslo?", "How high is the rent in {}?", "Bergen", "Oslo"),
        ("Is the fee for men higher than that for women?", "What is the fee for {}?", "men", "women"),
    ],
)
def test_the_question_for_both_values(asked: str, template: str | None, one: str, other: str) -> None:
    found = side_questions(asked)
    if template is None:
        assert found is None
    else:
        assert found is not None
        assert found.sides == (template.format(one), template.format(other))
        assert not found.smaller


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("There were fewer falls in May than in June.", "Were there fewer falls in May than in June?"),
        ("The Asta is much heavier than the Bera.", "Is the Asta much heavier than the Bera?"),
        ("Asta has more beds than Bera", "Does Asta have more beds than Bera?"),
        ("Oslo had more people in 1830 than in 1840.", "Did Oslo have more people in 1830 than in 1840?"),
        ("The ticket costs more than the map.", "Does the ticket cost more than the map?"),
        ("Asta is two years older than Bera.", ""),
        ("Asta has appeared in more than 70 films.", ""),
        ("Asta is a ship.", ""),
    ],
)
def test_claims_that_compare_as_questions(claim: str, asked: str) -> None:
    assert question_of(claim) == asked


def test_braces_of_a_question_are_no_places_for_names() -> None:
    found = side_questions("Did Asta join {the} yard later than Bera?")
    assert found is not None
    assert found.sides == ("When did Asta join {the} yard?", "When did Bera join {the} yard?")
    assert side_questions("Did Asta {x} more money than Bera?") is not None


def test_before_and_after_outweigh_other_words() -> None:
    found = side_questions("Was the older Asta built after the Bera?")
    assert found is not None
    assert not found.smaller


@pytest.mark.parametrize(
    "asked",
    [
        "Is there more than one office?",
        "Did the firm have more than 50 people in 2020?",
        "Was it later known as Bera?",
        "Was the contract signed before the board voted?",
        "Which ship is longer, the Asta or the Bera?",
    ],
)
def test_other_questions_compare_no_two_values(asked: str) -> None:
    assert side_questions(asked) is None


@pytest.fixture(scope="module")
def pumps(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    texts = {
        "asta": "The Asta is a pump for ferries. The Asta weighs 44 kg.",
        "bera": "The Bera is a pump for ramps. The Bera weighs 38 kg.",
        "cora": "The Cora is a pump for docks. The Cora weighs 90 lb.",
    }
    engine = Engine.open(tmp_path_factory.mktemp("pumps") / "pumps.mh", create=True)
    engine.add([Document(id, text, id.title()) for id, text in texts.items()])
    return engine


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Fram left Oslo after the Gjøa.", "supported"),
        ("The Fram left Oslo later than the Gjøa did.", "supported"),
        ("The Fram left Oslo before the Gjøa.", "contradicted"),
        # The date of the Belgica is another one's.
        ("The Belgica left Oslo before the Fram.", "undecided"),
        # A sentence says it.
        ("The Maud left Oslo after the Belgica.", "supported"),
    ],
)
def test_which_came_first_is_decided_by_both_dates_or_by_a_sentence(tmp_path: Path, claim: str, label: str) -> None:
    days = {"Fram": "9 August 1910", "Gjøa": "16 June 1903", "Belgica": "1897"}
    reader = ScriptedReader({f"The {name} left Oslo when?": {day: 0.99} for name, day in days.items()})
    verifier = ScriptedVerifier(
        lambda claim, text: (
            Judgement(0.95, 0.02, 0.03) if "?" in claim or "Belgica" in claim else Judgement(0.02, 0.02, 0.96)
        )
    )
    with Engine.open(tmp_path / "s.mh", create=True, reader=reader, verifier=verifier) as engine:
        texts = {
            "Fram": "The Fram left Oslo on 9 August 1910.",
            "Gjøa": "The Gjøa left Oslo on 16 June 1903.",
            "Belgica": "The Belgica went south in 1897.",
            "Maud": "The Maud left Oslo after the Belgica.",
        }
        engine.add([Document(name, said, name) for name, said in texts.items()])
        assert engine.verdict(claim).label == label


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Is the Asta heavier than the Bera?", "yes"),
        ("Is the Bera heavier than the Asta?", "no"),
        ("Is the Bera lighter than the Asta?", "yes"),
    ],
)
def test_values_of_both_sides_decide(pumps: Engine, asked: str, said: str) -> None:
    script = {
        "What is the weight of the Asta?": {"44 kg": 0.9},
        "What is the weight of the Bera?": {"38 kg": 0.9},
        # What the reader would guess at once is not asked for.
        "": {"yes": 0.5, "no": 0.5},
    }
    answer = Engine(pumps.store, reader=ScriptedReader(script), verifier=ScriptedVerifier()).answer(asked)
    assert answer.text == said
    assert {sentence.quote.text for sentence in answer.sentences} == {
        "The Asta weighs 44 kg.",
        "The Bera weighs 38 kg.",
    }


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Asta is heavier than the Bera.", "supported"),
        ("The Bera is heavier than the Asta.", "contradicted"),
        ("The Bera is heavier than the Cora.", "undecided"),
        ("The Asta is more famous than the Bera.", "undecided"),
    ],
)
def test_values_decide_a_claim_that_compares_them(pumps: Engine, claim: str, label: str) -> None:
    weights = {"Asta": "44 kg", "Bera": "38 kg", "Cora": "90 lb"}
    reader = ScriptedReader({f"What is the weight of the {name}?": {weight: 0.99} for name, weight in weights.items()})
    # Of the claim itself nothing is said, only of each value.
    verifier = ScriptedVerifier(lambda claim, text: Judgement(0.9 if "?" in claim else 0.02, 0.02, 0.08))
    engine = Engine(pumps.store, reader=reader, verifier=verifier)
    found, answer = engine.verdict(claim), engine.answer(claim)
    assert found.label == answer.text == label
    assert found.confidence == answer.confidence
    if label != "undecided":
        assert {each.quote.text for each in found.sentences} == {"The Asta weighs 44 kg.", "The Bera weighs 38 kg."}
        assert not found.notes


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Is the Old Nell longer than the Marlin?", "yes"),
        ("Is the Old Nell younger than the Marlin?", "no"),
        ("Is the Teal longer than the Marlin?", "no"),
    ],
)
def test_cells_of_one_table_are_compared_without_reading(tmp_path: Path, asked: str, said: str) -> None:
    boats = (("Marlin", 7.6, 1968), ("Old Nell", 9.8, 1934), ("Teal", 2.3, 2017))
    text = "\n".join(f"Boat: {name} · Length: {length} · Built: {built}" for name, length, built in boats)
    reader = ScriptedReader({})
    with Engine.open(tmp_path / "b.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("boats", text, "Boats")])
        found = engine.answer(asked)
    assert found.text == said
    assert len(found.sentences) == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Which field gave more wheat in 2023, Hill or Brook?", "Hill"),
        ("Which field gave more wheat in 2024, Hill or Brook?", "Brook"),
        ("Which field gave less wheat in 2024, Hill or Brook?", "Hill"),
    ],
)
def test_cells_are_compared_in_the_column_with_most_words_of_the_question(
    tmp_path: Path, asked: str, said: str
) -> None:
    fields = (("Hill", 31, 22), ("Brook", 28, 35), ("Mill", 12, 14))
    text = "\n".join(f"Field: {name} · Wheat 2023 t: {one} · Wheat 2024 t: {other}" for name, one, other in fields)
    reader = ScriptedReader({})
    with Engine.open(tmp_path / "f.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("fields", text, "Fields")])
        assert engine.answer(asked).text == said


def test_values_in_other_units_are_not_compared_and_nothing_is_guessed(pumps: Engine) -> None:
    script = {
        "What is the weight of the Asta?": {"44 kg": 0.9},
        "What is the weight of the Cora?": {"90 lb": 0.9},
        "": {"no": 0.9},
    }
    reader = ScriptedReader(script)
    answer = Engine(pumps.store, reader=reader, verifier=ScriptedVerifier()).answer(
        "Is the Cora heavier than the Asta?"
    )
    assert "Is the Cora heavier than the Asta?" in [question for question, _ in reader.shown]
    assert answer.text == ""
