from __future__ import annotations

from multihop.answering.contexts import (
    contexts,
    is_of_another,
    mentions,
    names_of,
    rows_of_others,
    times_in,
    unit_names,
)
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.types import Chain, Passage

ROWS = "Office: Narvik · Phone: 5540\nOffice: Bodø · Phone: 5541"


def reading(asked: str, text: str, title: str = "Offices") -> ReadPassage:
    return ReadPassage(Passage("a#0", "a", 0, title, text), QuestionWords(asked, {}, 10), score=0.9)


def test_names_have_their_numbers_and_years_are_none() -> None:
    assert names_of("How much oil does the gear of the Kestrel 40 need in 2025?") == ["kestrel 40"]
    assert names_of("How many meters of OR-16 are in Bergen?") == ["or-16", "bergen"]
    assert names_of("What 2-year tour was it?") == []


def test_versions_are_names_and_amounts_are_none() -> None:
    assert names_of("When did 4.1.2 come out?") == ["4.1.2"]
    assert names_of("When will 5.0 be there?") == ["5.0"]
    assert names_of("Is a boat of 6.2 metres allowed for £4.50?") == []


def test_two_capitals_begin_a_name_and_the_calendar_has_none() -> None:
    assert names_of("Ada Holm serves fish in Bodø on Tuesdays.") == ["ada holm", "bodø"]
    assert names_of("Fish is served on Tuesdays in May.") == []


def test_names_are_found_as_they_are_written() -> None:
    assert mentions("the office in bodø is closed", "bodø")
    assert mentions("amundsen reached the pole", "roald amundsen", share=0)
    assert not mentions("amundsen reached the pole", "roald amundsen")
    assert not mentions("the kestrel 30 is lighter", "kestrel 40", share=0)
    assert not mentions("the ramp of mf lauvstad", "mf hornelen", share=0)
    assert not mentions("dr novak is on leave", "dr aumann", share=0)
    assert mentions("isabel novak is on leave", "dr novak")
    assert mentions("hallier sold the mill", "halliers")
    assert mentions("the halliers sold the mill", "hallier")
    assert not mentions("the hall is cold", "halliers")


def test_rows_of_other_quarters_are_not_shown() -> None:
    found = reading("", "Quarter: Q2 2025 · Revenue: 61\nQuarter: Q3 2025 · Revenue: 58")
    assert rows_of_others(found, [], times_in("Revenue in the second quarter of 2025 was 58.")) == {1}


def test_rows_of_other_names_are_not_shown() -> None:
    asked = "What is the phone number of the office in Bodø?"
    found = reading(asked, ROWS)
    assert rows_of_others(found, names_of(asked)) == {0}
    [context] = contexts(QuestionWords(asked, {}, 10), [found], Chain())
    assert context.text == "Offices: Office: Bodø · Phone: 5541"
    placed = context.locate(context.text.index("5541"), len(context.text))
    assert placed.answer is not None
    assert (placed.unit.text, placed.answer.text) == ("Office: Bodø · Phone: 5541", "5541")
    # Where no row has the name, none is more likely than another.
    assert rows_of_others(found, ["oslo"]) == set()


def test_a_passage_on_another_type_is_not_shown() -> None:
    asked = "How much oil does the Kestrel 40 need?"
    other = reading(asked, "Gear oil: 7 liters.", "Kestrel 30")
    assert is_of_another(other, names_of(asked))
    assert not is_of_another(
        reading(asked, "Other than the Kestrel 40 it has no brake.", "Kestrel 30"), names_of(asked)
    )
    assert contexts(QuestionWords(asked, {}, 10), [other], Chain()) == []
    both = "Which is heavier, the Kestrel 30 or the Kestrel 40?"
    assert not is_of_another(reading(both, "Gear oil: 7 liters.", "Kestrel 30"), names_of(both))


def test_a_name_of_the_best_unit_leads_to_a_row_elsewhere() -> None:
    asked = QuestionWords("What does a meter of the hose cost that is laid on the pressure side of the ferry?", {}, 10)
    project = "The yard is in Stad. Hoses: OR-25 is laid on the pressure side of the ferry."
    prices = "\n".join(
        f"Type: OR-{size} · Price per meter: NOK {price}" for size, price in ((12, 212), (16, 268), (25, 395))
    )
    passages = [
        ReadPassage(Passage(f"{id}#0", id, 0, id, text), asked, score=score)
        for id, text, score in (("Ferry", project, 0.9), ("Prices", prices, 0.3))
    ]
    shown = contexts(asked, passages, Chain(), room=140)
    assert "Type: OR-25 · Price per meter: NOK 395" in shown[1].text
    assert "OR-12" not in shown[1].text


def test_a_day_is_the_same_however_it_is_written() -> None:
    rows = "\n".join(f"Date: 2024-04-0{day} · On call: {name}" for day, name in ((4, "Ada"), (5, "Bo"), (6, "Eva")))
    asked = "Who is on call on 5 April 2024?"
    [context] = contexts(QuestionWords(asked, {}, 10), [reading(asked, rows, "Rota")], Chain())
    assert context.text == "Rota: Date: 2024-04-05 · On call: Bo"


def test_the_row_with_most_names_of_the_question_is_shown() -> None:
    asked = "How many pumps went from Bodø to Narvik?"
    rows = "From: Bodø · To: Oslo · Pumps: 3\nFrom: Bodø · To: Narvik · Pumps: 5\nFrom: Oslo · To: Narvik · Pumps: 7"
    assert rows_of_others(reading(asked, rows), names_of(asked)) == {0, 2}


def test_names_in_neighboring_cells_stay_apart() -> None:
    assert unit_names("Drug: Ramin · Maker: Helios Med · Price: 6") == ("ramin", "helios med")


def test_rows_that_say_less_of_the_question_than_another_are_not_shown() -> None:
    asked = "Who teaches the forklift course?"
    rows = "Course: Hose assembly · Teacher: Ada\nCourse: Forklift · Teacher: Bo"
    [context] = contexts(QuestionWords(asked, {}, 10), [reading(asked, rows, "Courses")], Chain())
    assert context.text == "Courses: Course: Forklift · Teacher: Bo"
