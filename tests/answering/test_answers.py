"""What rules make of what a reader finds; the reader is scripted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.answers import NO_READER, NOT_SURE, NOTHING
from multihop.answering.candidates import Candidate
from multihop.answering.confidence import THRESHOLD
from multihop.answering.plausible import passages_before
from multihop.answering.spans import weigh_passages
from multihop.answering.statements import statement_of
from multihop.parts.selectors.reading import QuestionWords, ReadPassage
from multihop.testing import sample_questions
from multihop.types import Answer, Chain, ChainLink, Judgement, Passage, Quote, Reading

from .scripted import Failing, ScriptedReader, ScriptedVerifier

QUESTION = "Who drew the ship that Amundsen borrowed?"
BORN = "When was Colin Archer born?"


def reading(sample: Engine, script: Mapping[str, Mapping[str, float]]) -> Engine:
    return Engine(sample.store, reader=ScriptedReader(script), verifier=ScriptedVerifier())


def answered(sample: Engine, question: str, **said: float) -> Answer:
    return reading(sample, {"": {words.replace("_", " "): chance for words, chance in said.items()}}).answer(question)


def quoted_rightly(found: Answer) -> bool:
    texts = {e.passage.id: e.passage.text for e in found.result.evidence}
    quotes = [q for s in found.sentences for q in (s.quote, s.answer) if q]
    return all(texts[q.passage_id][q.start : q.end] == q.text for q in quotes)


def test_an_answer_has_its_sentence_its_confidence_and_its_chain(sample: Engine) -> None:
    found = reading(sample, {"": {"1832": 0.9}}).answer(BORN)
    assert (found.text, found.kind, found.answered, found.notes) == ("1832", "date", True, ())
    assert found.sentences[0].quote.text.startswith("Colin Archer came into the world in Larvik")
    assert found.sentences[0].answer is not None
    assert found.sentences[0].answer.text == "1832"
    assert found.confidence == found.sentences[0].confidence >= THRESHOLD
    assert found.chain.passages[-1] == found.sentences[0].quote.passage_id
    assert quoted_rightly(found)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was the Skua Line founded?", "16 September 1987"),
        ("When did the Skua Line open?", "March 1991"),
        ("In what year was the Skua Line founded?", "1987"),
    ],
)
def test_a_year_is_completed_to_its_date_unless_the_year_is_asked_for(tmp_path: Path, question: str, said: str) -> None:
    with Engine.open(
        tmp_path / "line.mh", create=True, reader=ScriptedReader({"": {said[-4:]: 0.9}}), verifier=ScriptedVerifier()
    ) as engine:
        text = "The Skua Line was founded on 16 September 1987. The Skua Line opened in March 1991."
        engine.add([Document("line", text, "Skua Line")])
        found = engine.answer(question)
    assert (best(found), quoted_rightly(found)) == (said, True)


def test_the_price_of_a_year_is_that_of_the_sentence_with_this_year(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"48 euros": 0.6, "52 euros": 0.3}})
    with Engine.open(tmp_path / "p.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document("now", "The annual pass costs 48 euros.", "Tickets"),
                Document("next", "The price of the annual pass goes up to 52 euros on 1 January 2026.", "Minutes"),
            ]
        )
        years = [best(engine.answer(f"What does the annual pass cost{when}?")) for when in ("", " in 2026")]
    assert years == ["48 euros", "52 euros"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does the annual pass cost now?", "52 euros"),
        ("What does the annual pass cost?", "48 euros"),
        ("What did the annual pass cost before, and what does it cost now?", "48 euros"),
    ],
)
def test_what_holds_now_is_said_by_the_newest_source(tmp_path: Path, question: str, said: str) -> None:
    reader = ScriptedReader({"": {"48 euros": 0.5, "52 euros": 0.4, "60 euros": 0.05}})
    with Engine.open(tmp_path / "p.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document("old", "For the annual pass we ask 48 euros.", "Prices", {"date": "2021-03-01"}),
                Document("new", "Who wants the annual pass pays 52 euros.", "Letter", {"date": "2024-03-01"}),
                Document("guess", "An annual pass, 60 euros? I doubt it.", "Forum", {"date": "2025-03-01"}),
            ]
        )
        assert best(engine.answer(question)) == said


def test_messages_in_a_chat_have_days_of_their_own(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"26 August": 0.5, "28 August": 0.4}})
    with Engine.open(tmp_path / "c.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        chat = "[21/07/2023 08:50] Ada: moving day is 26 August\n[19/08/2023 10:12] Ada: moving day is 28 August, sorry"
        engine.add([Document("chat", chat, "Chat")])
        assert best(engine.answer("When is moving day now?")) == "28 August"


def answer_in(folder: Path, text: str, question: str, said: dict[str, float], title: str = "Notes") -> str:
    """Ask about one text, with a reader that finds the given spans; returns the best of them."""
    return best(found_in(folder, text, question, said, title))


def found_in(folder: Path, text: str, question: str, said: dict[str, float], title: str = "Notes") -> Answer:
    """Ask about one text, with a reader that finds the given spans."""
    reader = ScriptedReader({"": said})
    with Engine.open(folder / "a.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("a", text, title)])
        found = engine.answer(question)
    assert quoted_rightly(found)
    return found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When does the show open?", "17 May"),
        ("When did the show open originally?", "3 May"),
        ("When does the show open in 2024?", "3 May"),
    ],
)
def test_a_newer_source_that_contradicts_an_answer_replaces_it(tmp_path: Path, question: str, said: str) -> None:
    reader = ScriptedReader({"": {"3 May": 0.9, "17 May": 0.6}})
    verifier = ScriptedVerifier(lambda claim, evidence: Judgement(0.02, 0.95 if "Sorry" in evidence else 0.02, 0.03))
    with Engine.open(tmp_path / "c.mh", create=True, reader=reader, verifier=verifier) as engine:
        chat = (
            "[11.01.24, 08:50:01] Ada: the show opens on 3 May\n[02.04.25, 10:12:13] Bo: Sorry, we open on 17 May\n"
            "[03.04.25, 10:12:14] Bo: Sorry, does it open on 18 May?"
        )
        engine.add([Document("chat", chat, "Chat")])
        found = engine.answer(question)
    assert best(found) == said
    assert quoted_rightly(found)
    if said == "17 May":
        assert "3 May" in found.sentences[1].quote.text
        assert found.sentences[1].confidence < found.confidence


@pytest.mark.parametrize(
    ("title", "day", "said"),
    [
        ("Correction: the bridge", "2024-04-09", "1907"),
        ("Letters", "2024-04-09", "1911"),
        ("Two corrections to our report", "2024-04-09", "1907"),
        # Names and topics.
        ("Department of Corrections", "2024-04-09", "1911"),
        ("Error correction", "2024-04-09", "1911"),
        # Older than what it would correct.
        ("Correction: the bridge", "2024-03-09", "1911"),
        # A year may be that of what the document is about.
        ("Correction: the bridge", "2025", "1911"),
    ],
)
def test_a_newer_correction_replaces_an_answer_that_no_verifier_sees_contradicted(
    tmp_path: Path, title: str, day: str, said: str
) -> None:
    reader = ScriptedReader({"": {"1911": 0.9, "1907": 0.6}})
    with Engine.open(tmp_path / "c.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document("a", "Hobbs Bridge was built in 1911.", "Hobbs Bridge", {"date": "2024-04-02"}),
                Document("b", "Hobbs Bridge dates from 1907.", title, {"date": day}),
            ]
        )
        assert best(engine.answer("In what year was Hobbs Bridge built?")) == said


LISTS = """# Safety

Before a dinghy leaves the slip, check:

- bailer
- tow line, 20 m
- whistle.

A turn has three phases:

1. Gather: take oil.
2. Sail: move your boat.
3. Light: pay oil to light a house. It stays lit.

The following are checked by two nurses:

heparin

insulin

Members bring one of these:

- a cake
- a long story about the time when the ferry did not come and everybody had to sleep in the hall"""


@pytest.mark.parametrize(
    ("question", "read", "said"),
    [
        ("Which things are to check before a dinghy leaves the slip?", "whistle", "bailer; tow line, 20 m; whistle"),
        ("Which thing is to check before a dinghy leaves the slip?", "whistle", "whistle"),
        ("What are the three phases of a turn?", "take oil", "Gather, Sail, Light"),
        ("What are the two phases of a turn?", "take oil", "take oil"),
        ("Which phases of a turn cost oil?", "pay oil", "Gather, Light"),
        ("Which medicines are checked by two nurses?", "insulin", "heparin, insulin"),
        ("Which things do members bring?", "a cake", "a cake"),
        ("Which ferries carry whistles to Larvik on Sundays?", "bailer", ""),
    ],
)
def test_a_question_for_several_things_gets_the_whole_list(tmp_path: Path, question: str, read: str, said: str) -> None:
    assert found_in(tmp_path, LISTS, question, {read: 0.99}, "Club").text == said


CORRECTED = """Bridge. On 9 March we wrote that the old mill bridge was built in 1871. The foundation stone says 1817.

Cricket. We said that Ada Holm took three wickets against Larvik. She took four. We apologize for both mistakes.

Roof. The work was done by Ada Moe. Bo Lie, whom we named, only made a bid."""


@pytest.mark.parametrize(
    ("question", "read", "said"),
    [
        ("In what year was the old mill bridge built?", "1871", "1817"),
        ("How many wickets did Ada Holm take against Larvik?", "three", "four"),
        ("Who did the roof?", "Bo Lie", "Ada Moe"),
    ],
)
def test_a_correction_gives_what_is_right(tmp_path: Path, question: str, read: str, said: str) -> None:
    assert answer_in(tmp_path, CORRECTED, question, {read: 0.9}, "Corrections") == said


def test_a_correction_of_something_else_corrects_nothing(tmp_path: Path) -> None:
    documents = [
        Document("show", "The Lund Cup for the best rose went to Ada Holm.", "Results of the flower show"),
        Document("news", "We wrote that Ada Holm won the race to Larvik. In fact it was Bo Lie. Sorry!", "Newsletter"),
    ]
    reader = ScriptedReader({"": {"Ada Holm": 0.9}})
    with Engine.open(tmp_path / "n.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(documents)
        assert engine.answer("Who got the Lund Cup for the best rose?").text == "Ada Holm"
        assert engine.answer("Who won the race to Larvik?").text == "Bo Lie"


def test_what_was_said_before_stands_where_nothing_corrects_it(tmp_path: Path) -> None:
    text = "On 9 March we wrote that the old mill bridge was built in 1871. It was painted in 1990."
    assert answer_in(tmp_path, text, "In what year was the old mill bridge built?", {"1871": 0.9}) == "1871"


@pytest.mark.parametrize(
    ("text", "question", "read", "said"),
    [
        ("The race of the club is on 22 June, and not 29 June.", "When is the race of the club?", "29 June", "22 June"),
        ("Used paint goes into the drum, never down the sink.", "Where does used paint go?", "sink", "drum"),
        ("Used paint goes into the drum, never down the sink.", "Where must used paint not go?", "sink", "sink"),
        ("The fair was not later than 4 May or 5 May.", "When was the fair?", "4 May", "4 May"),
    ],
)
def test_what_a_sentence_denies_gives_way(tmp_path: Path, text: str, question: str, read: str, said: str) -> None:
    other = "5 May" if "May" in text else "22 June" if "June" in text else "drum"
    assert answer_in(tmp_path, text, question, {read: 0.5, other: 0.4}) == said


def test_any_of_them_is_no_answer(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"any color": 0.9}})
    with Engine.open(tmp_path / "a.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("a", "The railing of the bridge can be painted in any color.", "Bridge")])
        assert engine.answer("In which color will the railing of the bridge be painted?").text == ""


def test_some_before_a_number_is_no_doubt(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"some 4,200": 0.9}})
    with Engine.open(tmp_path / "a.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("a", "The bridge carries some 4,200 cars a day.", "Bridge")])
        assert engine.answer("How many cars does the bridge carry?").text == "some 4,200"


def test_the_number_of_a_section_is_no_answer(tmp_path: Path) -> None:
    text = "8. Work days.\n\nEvery member of the garden club works on 3 days a year."
    question = "On how many days does a member of the garden club work?"
    assert answer_in(tmp_path, text, question, {"8": 0.6, "3": 0.3}) == "3"


def test_the_number_of_an_item_is_an_answer_if_it_is_asked_for(tmp_path: Path) -> None:
    text = "8. Work days.\n\nEvery member of the garden club works on 3 days a year."
    question = "Which section of the rules of the garden club is on work days?"
    assert answer_in(tmp_path, text, question, {"8": 0.6, "3": 0.3}) == "8"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many recipes does the memory of the mixer hold?", "200"),
        ("How many recipes did the memory of the mixer hold before?", "60 to 200"),
    ],
)
def test_of_two_amounts_the_newer_is_given(tmp_path: Path, question: str, said: str) -> None:
    text = "The memory of the mixer was enlarged from 60 to 200 recipes."
    assert answer_in(tmp_path, text, question, {"60 to 200": 0.9}) == said


def test_a_message_without_a_date_happened_on_its_day(tmp_path: Path) -> None:
    text = "16/08/2022, 07:48 - Ada: Biscuit the cat died in the night\n17/08/2022, 09:10 - Pia: I am so sorry"
    assert answer_in(tmp_path, text, "When did Biscuit the cat die?", {"in the night": 0.9}, "Chat") == "16/08/2022"


def test_a_price_is_taken_from_the_row_that_was_found(tmp_path: Path) -> None:
    text = "Part: 8800 · Name: Print head 300 dpi · Price EUR: 945.00 · In stock: 1"
    question = "What does the print head cost?"
    assert answer_in(tmp_path, text, question, {"Print head 300 dpi": 0.9}, "Parts") == "945.00"


def test_a_word_of_the_question_is_no_answer_in_the_singular(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"arm": 0.9}})
    with Engine.open(tmp_path / "a.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("a", "Pip has broken her arm. It is the left one.", "Letter")])
        assert engine.answer("Which of her arms did Pip break?").text == ""
        assert engine.answer("What did Pip break?").text == "arm"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was the revenue of Stadhav in 2025?", "19.8"),
        ("What was the revenue of Stadhav in 2024?", "14.2"),
        ("What is the speed of the Stadhav test today?", "2 mm"),
        ("What was the speed of the Stadhav test before?", "1 mm"),
    ],
)
def test_the_year_or_time_above_a_column_is_that_of_its_values(tmp_path: Path, question: str, said: str) -> None:
    reader = ScriptedReader({"": {"14.2": 0.4, "19.8": 0.4, "1 mm": 0.4, "2 mm": 0.35, said: 0.38}})
    with Engine.open(tmp_path / "t.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        table = "Name: Stadhav · Revenue 2024: 14.2 · Revenue 2025: 19.8"
        speed = "Name: Speed of the Stadhav test · Until now: 1 mm · From now on: 2 mm"
        engine.add([Document("t", speed if "speed" in question else table, "Tables")])
        assert best(engine.answer(question)) == said


def test_words_of_the_question_are_no_answer_in_another_order(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"left wrist seal": 0.9}})
    with Engine.open(tmp_path / "s.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("seal", "The glue of the left wrist seal may come off in cold water.", "Notice")])
        found = engine.answer("Which glue is used for the wrist seals?")
    assert (found.text, found.notes) == ("", (NOT_SURE,))


def test_a_text_that_answers_alone_counts_where_others_distract(tmp_path: Path) -> None:
    """The reader is less sure that nothing answers when it sees one text only."""

    class Distracted(ScriptedReader):
        def read(self, question: str, contexts: Sequence[str]) -> Reading:
            several = len(contexts) > 1
            return replace(super().read(question, contexts), none=0.9 if several else 0.1)

    confidences = list[float]()
    for reader in (Distracted({"": {"tin": 0.1}}), ScriptedReader({"": {"tin": 0.1, "none": 0.9}})):
        with Engine.open(tmp_path / f"{len(confidences)}.mh", create=True, reader=reader) as engine:
            engine.add([Document("a", "The key is in the tin.", "Key"), Document("b", "The key is old.", "Age")])
            confidences.append(engine.answer("Where is the key?").confidence)
    assert confidences[0] > confidences[1]


def test_a_company_keeps_its_legal_form(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Fjordbygg": 0.9}})
    with Engine.open(tmp_path / "c.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("roof", "The roof of the hall was repaired by Fjordbygg AS in May.", "Minutes")])
        assert best(engine.answer("Who repaired the roof of the hall?")) == "Fjordbygg AS"


def test_the_chain_ends_in_the_passage_of_the_answer(sample: Engine) -> None:
    found = answered(sample, QUESTION, Colin_Archer=0.8)
    assert found.text == "Colin Archer"
    assert found.chain.passages[-1] == found.sentences[0].quote.passage_id
    assert len(found.chain.passages) > 1
    every = [*found.chain.passages, *found.chain.supporting, *found.chain.filling]
    assert sorted(every) == sorted(e.passage.id for e in found.result.evidence)


@pytest.mark.parametrize("question", [q.text for q in sample_questions()])
def test_every_quote_is_what_stands_at_its_place(sample: Engine, question: str) -> None:
    assert quoted_rightly(reading(sample, {"": {"was": 0.3, "the": 0.2}}).answer(question, k=5, models=True))


def best(found: Answer) -> str:
    """Give the likeliest answer, whether or not it is sure enough to be shown."""
    answer = found.sentences[0].answer
    return answer.text if answer else ""


def test_what_is_not_sure_shows_the_closest_sentence(sample: Engine) -> None:
    found = reading(sample, {"": {"1832": 0.01, "none": 0.95}}).answer(BORN)
    assert (found.text, found.answered, found.notes) == ("", False, (NOT_SURE,))
    assert "1832" in found.sentences[0].quote.text
    assert found.confidence == found.sentences[0].confidence < THRESHOLD


@pytest.mark.parametrize("nonsense", ["xqzzyv wplk", "What is the wplk of xqzzyv?", "Who xqzzyvs the wplk of brzzt?"])
def test_nonsense_gets_no_answer(sample: Engine, nonsense: str) -> None:
    found = answered(sample, nonsense, the=0.9)
    assert (found.text, found.sentences, found.answered, found.notes) == ("", (), False, (NOTHING,))


def test_without_models_the_closest_sentence_is_shown_and_nothing_is_guessed(sample: Engine) -> None:
    found = reading(sample, {"": {"1832": 0.9}}).answer(BORN, models=False)
    assert (found.text, found.confidence, found.notes) == ("", 0.0, (NO_READER,))
    assert "1832" in found.sentences[0].quote.text


def test_a_reader_that_fails_is_noted(sample: Engine) -> None:
    found = Engine(sample.store, reader=Failing(), verifier=Failing()).answer(BORN)
    assert found.text == ""
    assert [note.code for note in found.notes] == ["reader-failed"]
    assert "1832" in found.sentences[0].quote.text


def test_what_is_of_another_kind_gives_way(sample: Engine) -> None:
    assert best(answered(sample, BORN, **{"Larvik": 0.5, "1832": 0.45})) == "1832"
    assert best(answered(sample, "Where was Colin Archer born?", **{"Larvik": 0.45, "1832": 0.5})) == "Larvik"


def test_a_name_that_the_question_gives_is_no_answer_to_it(sample: Engine) -> None:
    [answer, *_] = answered(sample, QUESTION, Roald_Amundsen=0.5, Colin_Archer=0.45).sentences
    assert answer.answer is not None
    assert answer.answer.text == "Colin Archer"


def test_common_words_of_the_question_are_no_answer_to_it(sample: Engine) -> None:
    given, other = (answered(sample, "Which ship did Amundsen borrow?", **{words: 0.9}) for words in ("ship", "Fram"))
    assert given.confidence < THRESHOLD < other.confidence
    assert given.text == ""


def test_names_that_no_passage_of_the_chain_mentions_lower_the_confidence(sample: Engine) -> None:
    known = answered(sample, "When was Colin Archer born in Larvik?", **{"1832": 0.5})
    other = answered(sample, "When was Colin Archer born in Zimbabwe?", **{"1832": 0.5})
    assert other.confidence < known.confidence - 0.02


@pytest.mark.parametrize(("year", "sure"), [("2022", True), ("2021", False)])
def test_what_holds_for_another_year_is_no_answer(year: str, sure: bool, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "index.mh", create=True) as engine:
        engine.add([Document("report", "In 2022 the Skua Line made a profit of 3.1 million.", "Results")])
        found = answered(engine, f"What profit did the Skua Line make in {year}?", **{"3.1_million": 0.9})
    assert found.answered is sure


def test_confidence_grows_with_the_probability_of_the_reader(sample: Engine) -> None:
    sure = [
        answered(sample, BORN, **{"1832": chance, "none": 1 - chance}).confidence for chance in (0.1, 0.4, 0.7, 0.95)
    ]
    assert sure == sorted(sure)
    assert sure[-1] - sure[0] > 0.3


def test_equal_questions_have_equal_answers(sample: Engine) -> None:
    engine = reading(sample, {"": {"Colin Archer": 0.5}})
    assert engine.answer(QUESTION).to_json(timing=False) == engine.answer(QUESTION).to_json(timing=False)


def test_a_reader_is_shown_linking_sentences_and_no_more_than_it_takes_in(sample: Engine) -> None:
    reader = ScriptedReader({"": {"Colin Archer": 0.5}})
    Engine(sample.store, reader=reader).answer(QUESTION)
    # Then the question in it is asked.
    (asked, contexts), *alone = reader.shown[:3]
    # The best passages are also read alone, where there is more room for each.
    assert [len(texts) for _, texts in alone] == [1, 1]
    assert all(question == QUESTION for question, _ in alone)
    assert asked == QUESTION
    assert sum(map(len, contexts)) <= 1_900
    assert contexts[0].startswith("Roald Amundsen: ")
    assert any("He sailed south in the Fram" in context for context in contexts)


DOCUMENTS = [
    Document("a", "Ada Holm was born in 1901. She was a film director and painter.", "Ada Holm"),
    Document("b", "Bo Lind, born on 3 May 1899, is a Swedish film director.", "Bo Lind"),
    Document("c", "Kestrel 30 weighs 1 200 kg.", "Kestrel 30"),
    Document("d", "Kestrel 40 weighs 980 kg.", "Kestrel 40"),
    Document("e", "Only Pia Holm, Jan Moe and Eva Lie may drive the crane.", "Crane"),
    Document("f", "Name: Ida · Office: Florø\nName: Per · Office: Florø\nName: Liv · Office: Bergen", "Apprentices"),
    Document(
        "g",
        "\n".join(
            f"Report: R-{number} · Day: 2024-03-0{number} · Office: {office} · Kind: {kind} · Device: {device}"
            for number, (office, kind, device) in enumerate(
                (
                    ("Florø", "leak", "pump"),
                    ("Florø", "fire", "motor"),
                    ("Bergen", "leak", "winch"),
                    ("Florø", "leak", "crane"),
                    ("Bergen", "fire", "truck"),
                ),
                1,
            )
        ),
        "Reports",
    ),
    Document("h", "Bo Lind leads the yard. The yard is called Nordvik. Nordvik is run by Eva Moe.", "The yard"),
]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine.open(tmp_path_factory.mktemp("people") / "people.mh", create=True)
    engine.add(DOCUMENTS)
    return engine


SIDES = {
    "When was Ada Holm born?": {"1901": 0.9},
    "When was Bo Lind born?": {"3 May 1899": 0.9},
    "What is the weight of Kestrel 30?": {"1 200 kg": 0.9},
    "What is the weight of Kestrel 40?": {"980 kg": 0.9},
}


@pytest.mark.parametrize(
    ("question", "answer", "first"),
    [
        ("Who was born first, Ada Holm or Bo Lind?", "Bo Lind", "b#0"),
        ("Who is younger, Ada Holm or Bo Lind?", "Ada Holm", "a#0"),
        ("Which is heavier, the Kestrel 30 or the Kestrel 40?", "Kestrel 30", "c#0"),
        ("Which is lighter, the Kestrel 30 or the Kestrel 40?", "Kestrel 40", "d#0"),
    ],
)
def test_which_of_two_is_told_by_the_values_of_both(people: Engine, question: str, answer: str, first: str) -> None:
    found = reading(people, SIDES).answer(question, k=6)
    assert (found.text, found.kind, found.answered) == (answer, "one of several", True)
    assert len(found.sentences) == 2
    assert found.sentences[0].quote.passage_id == first
    assert found.chain.passages[-1] == first


def test_without_both_values_the_reader_chooses_one_of_the_two(people: Engine) -> None:
    question = "Who was born first, Ada Holm or Bo Lind?"
    found = reading(people, {question: {"painter": 0.1, "Ada": 0.85}}).answer(question, k=6)
    assert found.text == "Ada Holm"


def test_a_question_for_several_gets_a_list(people: Engine) -> None:
    said = {"": {"Pia Holm, Jan Moe and Eva Lie": 0.95}}
    assert reading(people, said).answer("Which three people may drive the crane?").text == "Pia Holm, Jan Moe, Eva Lie"
    apart = {"": {"Pia Holm": 0.3, "Jan Moe": 0.3, "Eva Lie": 0.2}}
    assert reading(people, apart).answer("Which three people may drive the crane?").text == "Pia Holm, Jan Moe, Eva Lie"


def test_rows_are_counted_where_no_text_has_the_number(people: Engine) -> None:
    found = reading(people, {"": {"none": 0.9}}).answer("How many apprentices are there in Florø?")
    assert (found.text, len(found.sentences)) == ("2", 2)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many leaks were reported in Florø?", "2"),
        ("How many reports are there of Florø?", "3"),
        ("How many fires were reported in Florø?", "1"),
        ("Which devices had a leak in Florø?", "pump, crane"),
        ("Which reports came on 2 March 2024 from Bergen?", ""),
        ("Which devices had a leak in Oslo?", ""),
    ],
)
def test_rows_that_meet_every_condition_are_counted_and_listed(people: Engine, question: str, answer: str) -> None:
    found = reading(people, {"": {"none": 0.9}}).answer(question)
    assert found.text == answer
    assert all("Florø" in sentence.quote.text for sentence in found.sentences if answer)
    assert quoted_rightly(found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many cores come from the Inner Wash?", "3"),
        ("How many entries are from the Inner Wash?", "3"),
        ("How many cores did the council turn down from the Inner Wash?", ""),
        ("Name everybody who took cores in 2024.", ""),
        ("Which cores come from the Inner Wash?", "IW-1, IW-2, IW-3"),
    ],
)
def test_rows_that_leave_cells_out_belong_to_the_table(tmp_path: Path, question: str, answer: str) -> None:
    rows = [
        ("IW-1", "Inner Wash", "short"),
        ("IW-2", "Inner Wash", ""),
        ("GC-1", "Gannet Creek", ""),
        ("IW-3", "Inner Wash", ""),
    ]
    table = "\n".join(
        f"Core: {name} · Kind: mud core · Site: {site}" + (f" · Remark: {remark}" if remark else "")
        for name, site, remark in rows
    )
    assert found_in(tmp_path, table, question, {"none": 0.9}, "Samples").text == answer


def test_everybody_is_a_list_of_names(tmp_path: Path) -> None:
    rows = (("Ada Holm", "2023-03-31", "own firm"), ("Bo Moe", "2023-08-15", ""), ("Liv Lie", "2022-01-31", ""))
    table = "\n".join(
        f"Name: {name} · Left on: {day}" + (f" · Remark: {remark}" if remark else "") for name, day, remark in rows
    )
    found = found_in(tmp_path, table, "Name everybody who left in 2023.", {"none": 0.9}, "Leavers")
    assert found.text == "Ada Holm, Bo Moe"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many nurses are there on the ward?", "2"),
        ("How many cooks are there on the ward?", "1"),
        ("How many Porters does the house have?", "2"),
        ("How many nurses with extension 12 are there?", "1"),
    ],
)
def test_what_a_row_says_counts_and_not_where_it_is(tmp_path: Path, question: str, answer: str) -> None:
    staff = (
        ("Ada", "nurse", 11),
        ("Bo", "nurse", 12),
        ("Eva", "ward manager", 13),
        ("Jan", "cook", 14),
        ("Pia", "porter", 15),
        ("Liv", "porter", 16),
    )
    table = "\n".join(f"Name: {name} · Role: {role} · Extension: {extension}" for name, role, extension in staff)
    # A number in one of the rows is no count, however sure the reader is.
    assert found_in(tmp_path, table, question, {"11": 0.9, "15": 0.8}, "Staff").text == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which ship has the most cabins?", "Bera"),
        ("Which ship of Oslo has the most cabins?", "Cata"),
        ("Which ship is the longest?", "Asta"),
        ("What is the oldest ship?", "Dagny"),
        ("Which ship was the most expensive?", "Cata"),
        ("Which ship has the fewest masts?", ""),
        ("Which yard has the most cabins in Narvik?", ""),
    ],
)
def test_the_row_with_the_most_is_found(question: str, answer: str, tmp_path: Path) -> None:
    rows = (
        ("Asta", "Oslo", 148, 20, 2005, 9),
        ("Bera", "Bergen", 121, 44, 2018, 7),
        ("Cata", "Oslo", 90, 31, 2010, 12),
        ("Dagny", "Oslo", 130, 12, 1998, 8),
    )
    columns = ("Ship", "Port", "Length (m)", "Cabins", "Built", "Price")
    table = "\n".join(" · ".join(f"{c}: {v}" for c, v in zip(columns, row, strict=True)) for row in rows)
    reader = ScriptedReader({"": {"none": 0.9}})
    with Engine.open(tmp_path / "f.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("f", table, "Fleet")])
        found = engine.answer(question)
    assert found.text == answer
    assert quoted_rightly(found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which card costs more, the Smuggler or the Night Heron?", "Smuggler"),
        ("Which card is cheaper, the Smuggler or the Night Heron?", "Night Heron"),
        ("Were there more copies in 2019 or in 2021?", "2021"),
        ("Which card is heavier, the Smuggler or the Night Heron?", "Ada"),
    ],
)
def test_rows_of_one_table_are_compared_by_the_column_asked_for(tmp_path: Path, question: str, answer: str) -> None:
    rows = (("Smuggler", 5, 2019, 12), ("Night Heron", 3, 2021, 30), ("Old Chart", 2, 2020, 4))
    table = "\n".join(f"Card: {c} · Cost: {cost} · Year: {year} · Copies: {n} · By: Ada" for c, cost, year, n in rows)
    assert found_in(tmp_path, table, question, {"Ada": 0.4}, "Cards").text == answer


def test_a_list_is_as_sure_as_the_reader_who_found_one_of_it(people: Engine) -> None:
    question = "Which devices had a leak in Florø?"
    alone = reading(people, {"": {"none": 0.9}}).answer(question)
    found = reading(people, {"": {"crane": 0.95}}).answer(question)
    assert found.text == alone.text == "pump, crane"
    assert found.confidence > alone.confidence
    # The reader is surer of something else.
    assert reading(people, {"": {"R-4": 0.98}}).answer(question).text == "R-4"


def test_an_answer_of_another_kind_than_how_many_asks_for_is_hardly_one(people: Engine) -> None:
    question = "How many sisters does Ada Holm have?"
    assert reading(people, {"": {"painter": 0.95}}).answer(question).text == ""


def test_a_number_in_the_column_that_is_asked_for_is_an_answer(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"5540": 0.4, "Narvik": 0.5}})
    with Engine.open(tmp_path / "o.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("o", "Office: Narvik · Code: 5540 · Staff: 9", "Offices")])
        assert engine.answer("Which code does the office in Narvik have?").text == "5540"


@pytest.mark.parametrize(
    ("question", "read", "said"),
    [
        ("How much did the vet cost?", {"ten days": 0.6, "180 euros": 0.4}, "180 euros"),
        ("How long did Biscuit wear the cone?", {"180 euros": 0.6, "ten days": 0.4}, "ten days"),
        ("How old is Biscuit?", {"180 euros": 0.9}, ""),
    ],
)
def test_an_answer_measures_what_is_asked_for(
    question: str, read: Mapping[str, float], said: str, tmp_path: Path
) -> None:
    reader = ScriptedReader({"": read})
    with Engine.open(tmp_path / "v.mh", create=True, reader=reader) as engine:
        engine.add([Document("v", "Biscuit saw the vet. He wore the cone for ten days. It cost 180 euros.", "Biscuit")])
        assert engine.answer(question).text == said


def test_an_amount_is_no_difference(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"£8,650": 0.9, "£250": 0.05}})
    with Engine.open(tmp_path / "r.mh", create=True, reader=reader) as engine:
        engine.add([Document("r", "The roof cost £8,650, more than the quote.", "Roof")])
        assert engine.answer("How much did the roof cost?").text == "£8,650"
        assert engine.answer("How much more did the roof cost than the quote?").text == ""
        engine.add([Document("s", "The roof cost £250 more than the quote.", "Roof")])
        engine = Engine(engine.store, reader=ScriptedReader({"": {"£250": 0.9}}))
        assert engine.answer("How much more did the roof cost than the quote?").text == "£250"


def test_a_name_is_given_with_what_it_is_part_of(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Phycology": 0.9}})
    with Engine.open(tmp_path / "j.mh", create=True, reader=reader) as engine:
        engine.add([Document("j", "Her paper was rejected by the Journal of Phycology in May.", "Meeting")])
        assert engine.answer("Which journal rejected her paper?").text == "Journal of Phycology"
        assert engine.answer("Which field does the journal cover that rejected her paper?").text == "Phycology"


def test_a_person_of_the_question_is_no_answer_to_it(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Isabel Novak": 0.95}})
    with Engine.open(tmp_path / "w.mh", create=True, reader=reader) as engine:
        engine.add([Document("w", "The consultant of the ward is Dr Isabel Novak.", "Ward 7")])
        assert engine.answer("Who is the consultant of the ward?").text == "Isabel Novak"
        assert engine.answer("Who was the consultant of the ward before Dr Novak?").text == ""


def test_the_title_of_a_table_is_hardly_an_answer(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Visiting Oslo": 0.95}})
    with Engine.open(tmp_path / "v.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("v", "Place: Chapel · Floor: 2 · Room: 2.114", "Visiting Oslo")])
        assert engine.answer("Where is the chapel?").text == ""


def test_the_row_of_another_than_the_inner_question_asks_for_is_no_answer(tmp_path: Path) -> None:
    question = "Who manages the office that gets the second bench?"
    script = {
        question: {"Torunn Eik": 0.95},
        "Which office gets the second bench?": {"Harstad": 0.9},
        "Who manages Harstad?": {"Oddgeir Moen": 0.9},
    }
    table = "Office: Sandnes · Manager: Torunn Eik · Staff: 64\nOffice: Harstad · Manager: Oddgeir Moen · Staff: 11"
    for reader, said in ((script, "Oddgeir Moen"), (script | {"Who manages Harstad?": {"none": 0.9}}, "")):
        path = tmp_path / f"b{len(said)}.mh"
        with Engine.open(path, create=True, reader=ScriptedReader(reader), verifier=ScriptedVerifier()) as engine:
            engine.add(
                [
                    Document("o", table, "Offices"),
                    Document("v", "The board approved a second bench. It will stand in Harstad.", "Vote"),
                ]
            )
            assert engine.answer(question).text == said


@pytest.mark.parametrize(
    ("question", "said"),
    [("What did the pump in Oslo cost?", ""), ("What did the pump in Bergen cost?", "NOK 2.3 million")],
)
def test_what_is_said_of_a_neighbor_in_a_table_is_hardly_an_answer(question: str, said: str, tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"2.3": 0.9}})
    with Engine.open(tmp_path / "n.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document("e", "Bergen is heated with sea water. The pump there cost NOK 2.3 million.", "Energy"),
                Document("o", "Office: Oslo · Staff: 9\nOffice: Bergen · Staff: 12", "Offices"),
            ]
        )
        assert engine.answer(question).text == said


def found_for(tmp_path: Path, text: str, question: str, **said: float) -> str:
    reader = ScriptedReader({"": {words.replace("_", " "): chance for words, chance in said.items()}})
    with Engine.open(tmp_path / "f.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("d", text, "Report")])
        return engine.answer(question).text


def test_the_whole_of_which_a_part_is_named_is_an_answer(tmp_path: Path) -> None:
    text = "About 140 litres of oil escaped; the tray caught 85 of them."
    assert found_for(tmp_path, text, "How much oil escaped in total?", **{"140 litres": 0.95}) == "140 litres"


def test_the_day_of_an_entry_is_no_number(tmp_path: Path) -> None:
    said = {"24": 0.6, "LU-4425": 0.4}
    text = "24 Apr   New lamp in. Its order number is LU-4425."
    assert found_for(tmp_path, text, "What is the order number of the new lamp?", **said) == "LU-4425"


@pytest.mark.parametrize(("read", "said"), [("318", "6,318"), ("29 February 6,318 euros", "6,318 euros")])
def test_an_amount_is_whole_and_has_no_day_before_it(read: str, said: str, tmp_path: Path) -> None:
    text = "Treasurer: balance on 29 February 6,318 euros."
    assert found_in(tmp_path, text, "How many euros was the balance?", {read: 0.9}).text == said


def test_how_often_is_no_duration(tmp_path: Path) -> None:
    text = "Oil samples are taken every two months."
    assert found_for(tmp_path, text, "For how many months are the oil samples kept?", two=0.9) == ""


def test_votes_are_no_price(tmp_path: Path) -> None:
    text = "Subject: Sale of the Tollhouse · For: 7 · Against: 4\nSubject: Sale of the Mill · For: 9 · Against: 2"
    assert found_for(tmp_path, text, "What price was paid for the Tollhouse?", **{"7": 0.9}) == ""


def test_what_is_said_of_another_version_is_no_answer(tmp_path: Path) -> None:
    text = "Version 4.1.1 came out on 3 May 2023."
    assert found_for(tmp_path, text, "When did version 4.1.1 come out?", **{"3 May 2023": 0.9}) == "3 May 2023"
    assert found_for(tmp_path, text, "When did version 4.1.2 come out?", **{"3 May 2023": 0.9}) == ""


def test_a_date_in_words_is_completed(tmp_path: Path) -> None:
    text = "The mill burnt down in the night of that Sunday, the fourteenth of August, and nobody was hurt."
    said = {"Sunday": 0.5, "August": 0.3}
    assert (
        found_for(tmp_path, text, "On what day did the mill burn down?", **said) == "Sunday, the fourteenth of August"
    )


def test_the_year_of_the_situation_is_not_that_of_the_answer(tmp_path: Path) -> None:
    text = "Object: Picture · Paid from: Lockhart Fund · Year: 2024\nObject: Clock · Paid from: Grant · Year: 2024"
    question = "In 2023 we agreed to buy a picture. From which fund was the picture paid?"
    assert found_for(tmp_path, text, question, **{"Lockhart Fund": 0.9}) == "Lockhart Fund"


def test_a_part_is_no_answer_where_the_whole_is_asked_for(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"12": 0.9}})
    with Engine.open(tmp_path / "w.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add([Document("d", "Delivery by Tind takes 12 weeks, and customs take 7.", "Delivery")])
        assert engine.answer("How many weeks does Tind need?").text == "12"
        assert engine.answer("How many weeks does Tind need in all?").text == ""


def test_what_is_said_of_the_year_is_no_answer_for_a_quarter_of_it(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"20.8 million": 0.6, "2.2": 0.3}})
    with Engine.open(tmp_path / "q.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document("a", "The operating profit of 2025 was 20.8 million.", "Report 2025"),
                Document("r", "Quarter: Q3 2025 · Operating profit: 2.2 · Revenue: 58.9", "Results 2025"),
            ]
        )
        assert engine.answer("What was the operating profit in the third quarter of 2025?").text == "2.2"
        assert engine.answer("What was the operating profit in 2025?").text == "20.8 million"


def test_a_row_that_nothing_in_the_question_leads_to_is_hardly_an_answer(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"2025-09-30": 0.95}})
    with Engine.open(tmp_path / "s.mh", create=True, reader=reader, verifier=ScriptedVerifier()) as engine:
        engine.add(
            [
                Document(
                    "s", "Supplier: Helios · Contract ends: 2025-09-30\nSupplier: Arne · Contract ends: 2026", "S"
                ),
                Document("d", "Drug: Apixin · Maker: Lund · Price: 5\nDrug: Ramin · Maker: Helios · Price: 6", "Drugs"),
            ]
        )
        assert engine.answer("When does the contract with Lund end?").text == ""
        assert engine.answer("When does the contract with Helios end?").text == "2025-09-30"
        assert engine.answer("When does the contract with the company behind Ramin end?").text == "2025-09-30"


def test_a_question_in_a_question_is_answered_first(people: Engine) -> None:
    question = "In which year was the leader of the yard called Nordvik born?"
    inner = "Who is the leader of the yard called Nordvik?"
    script = {
        question: {"1901": 0.5},
        inner: {"Bo Lind": 0.95},
        "In which year was Bo Lind born?": {"1899": 0.95},
    }
    found = reading(people, script).answer(question)
    assert found.text == "1899"
    assert [sentence.answer.text for sentence in found.sentences if sentence.answer] == ["1899", "Bo Lind"]
    # An answer in other words speaks for the same name.
    twice = reading(people, {**script, inner: {"Bo Lind leads": 0.4, "Bo Lind": 0.4}}).answer(question)
    once = reading(people, {**script, inner: {"Bo Lind": 0.4}}).answer(question)
    assert twice.confidence > once.confidence
    # What answers the inner question does not answer the whole.
    assert reading(people, {**script, question: {"Bo Lind": 0.95}}).answer(question).text == "1899"
    # Where the outer question finds nothing, what was read at once stands.
    found = reading(people, {**script, "In which year was Bo Lind born?": {"none": 1.0}}).answer(question)
    assert best(found) == "1901"


@pytest.mark.parametrize("read", ["Roar", "Fagerli · City: Lesja", "Contact", "tact: Roar"])
def test_a_part_of_a_cell_becomes_the_whole_cell(read: str, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "pumps.mh", create=True, reader=ScriptedReader({"": {read: 0.8}})) as engine:
        engine.add([Document("s", "Supplier: Dalen · Contact: Roar Fagerli · City: Lesja", "Suppliers")])
        assert engine.answer("Who is the contact at Dalen?").text == "Roar Fagerli"


def test_a_name_in_the_head_of_a_mail_is_given_without_its_address(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Roar Fagerli <roar@dalen.example>": 0.8}})
    with Engine.open(tmp_path / "mail.mh", create=True, reader=reader) as engine:
        engine.add([Document("m", "From: Roar Fagerli <roar@dalen.example>\n\nThe pump is late.", "The pump")])
        found = engine.answer("Who says that the pump is late?")
    assert found.text == "Roar Fagerli"
    answer = found.sentences[0].answer
    assert answer is not None
    assert answer.text == "Roar Fagerli"


def test_yes_or_no_by_reader_and_verifier(people: Engine) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        assert claim == "Ada Holm was a painter."
        return Judgement(0.9, 0.05, 0.05) if "painter" in evidence else Judgement(0.05, 0.05, 0.9)

    verifier = ScriptedVerifier(judge)
    engine = Engine(people.store, reader=ScriptedReader({"": {"yes": 0.6, "no": 0.2}}), verifier=verifier)
    found = engine.answer("Was Ada Holm a painter?")
    assert (found.text, found.kind) == ("yes", "yes or no")
    assert "painter" in found.sentences[0].quote.text
    alone = Engine(people.store, reader=ScriptedReader({"": {"no": 0.8}}), verifier=ScriptedVerifier())
    other = alone.answer("Are Ada Holm and Bo Lind of the same nationality?")
    assert other.text == "no"
    # A verifier takes much for contradicted that is only not said.
    assert other.confidence == 0.7


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Were Ada Holm and Bo Lind both painters?", "no"),
        ("Were both Ada Holm and Bo Lind born in Bergen?", "yes"),
        ("Were Holm and Lind both born in Bergen?", "yes"),
        ("were holm and lind both born in bergen?", "yes"),
        ("Were Ada Holm and Bo Lind both married?", ""),
    ],
)
def test_whether_two_are_both_something_is_asked_of_each(people: Engine, question: str, answer: str) -> None:
    asked: list[str] = []

    def judge(claim: str, evidence: str) -> Judgement:
        asked.append(claim)
        assert claim.startswith(evidence.partition(":")[0])
        if "bergen" in claim.lower() or claim == "Ada Holm was painters.":
            return Judgement(0.9, 0.05, 0.05)
        return Judgement(0.05, 0.85, 0.1) if "painters" in claim else Judgement(0.05, 0.15, 0.8)

    reader = ScriptedReader({"": {"yes": 0.5, "no": 0.5}})
    found = Engine(people.store, reader=reader, verifier=ScriptedVerifier(judge)).answer(question)
    assert found.text == answer
    assert found.notes == (() if answer else (NOT_SURE,))
    assert {claim.partition(" was ")[0] for claim in asked} == {"Ada Holm", "Bo Lind"}
    assert found.sentences[0].title == ("Bo Lind" if answer == "no" else "Ada Holm")


def test_the_day_of_something_else_is_not_shown_as_a_birthday(sample: Engine) -> None:
    found = answered(sample, "When was Roald Amundsen born?", **{"14_December_1911": 0.9})
    assert (found.text, found.notes) == ("", (NOT_SURE,))


def test_a_year_is_answered_by_a_year(sample: Engine) -> None:
    found = answered(
        sample, "In which year did the party of Roald Amundsen reach the Pole?", **{"14_December_1911": 0.9}
    )
    assert found.text == "1911"
    assert quoted_rightly(found)


def test_what_is_said_of_something_else_is_hardly_an_answer() -> None:
    """A passage that is hardly evidence answers only where the reader sees little in better ones."""
    one, other = (about("ab"[place], score) for place, score in enumerate((0.95, 0.0)))
    quote = Quote("a#0", "Text.", 0, 5)
    shared = weigh_passages([Candidate("x", one, quote, None, 0.2), Candidate("y", other, quote, None, 0.6)])
    assert shared[0].probability > 0.4 > shared[1].probability > 0.3
    assert sum(candidate.probability for candidate in shared) == pytest.approx(0.8)


def test_only_passages_on_the_way_to_an_answer_lead_to_it() -> None:
    passages = [about(id) for id in "abcd"]
    quote = Quote("c#0", "Text.", 0, 5)
    links = [ChainLink(source, target, "mentions", "", quote) for source, target in ROUTES]
    candidate = Candidate("x", passages[2], quote, None, 0.5)
    assert list(passages_before(candidate, Chain(tuple(links)), passages)) == ["b#0", "a#0"]


ROUTES = (("", "a#0"), ("a#0", "b#0"), ("b#0", "c#0"), ("a#0", "d#0"))


def about(id: str, score: float = 1.0) -> ReadPassage:
    return ReadPassage(Passage(f"{id}#0", id, 0, id, "Text."), QuestionWords("Who is it?", {}, 2), score=score)


OFFICE = (
    Document("travel", "Employees may book trains in first class; flights need a reason.", "Travel policy"),
    Document(
        "staff", "name: Olav Krogh · role: office manager · office: Molde\n\n"
        "name: Sissel Aas · role: personnel officer · office: Bergen", "Staff"
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does Olav Krogh work in Molde?", "yes"),
        ("Does Sissel Aas work in Molde?", "no"),
        ("Do flights need a reason?", "yes"),
        ("May staff fly business class?", ""),
        ("Can I bring my dog to the office?", ""),
    ],
)
def test_yes_and_no_take_a_sentence_that_speaks_of_what_is_asked(tmp_path: Path, question: str, said: str) -> None:
    with Engine.open(tmp_path / "office.mh", create=True) as engine:
        engine.add(OFFICE)
        assert engine.answer(question).text == said


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Was the winch K40-0173 approved?", "The winch K40-0173 was approved."),
        ("Did the company Equinor drill here?", "The company Equinor drilled here."),
        ("Were Ada and Bob Lund both sailors?", "Ada and Bob Lund were both sailors."),
        ("Did Ada Moe not sell it?", "Ada Moe did not sell it."),
        ("Is wine on a business trip reimbursed?", "Wine on a business trip is reimbursed."),
        ("Is Bergen in Norway?", "Bergen is in Norway."),
        ("Is the capital Oslo?", ""),
        ("Does the plum cake have to rest overnight?", "The plum cake has to rest overnight."),
        ("Do gardeners over 75 have to help?", "Gardeners over 75 have to help."),
        ("May the small oven be left on?", "The small oven may be left on."),
        ("Does the work plan cover the roof?", "The work plan covers the roof."),
        ("Was the old mill bridge built in 1817?", "The old mill bridge was built in 1817."),
        ("Is the guest flat still in Oak Street?", "The guest flat is still in Oak Street."),
        ("Under the new rules, can a guest stay the night?", "Under the new rules, a guest can stay the night."),
        ("Can he extend his stay?", "He can extend his stay."),
        ("Has a plan to sell it in May been dropped?", "A plan to sell it in May has been dropped."),
        ("Was the motion to sell the boat carried?", "The motion to sell the boat was carried."),
        ("Is gastric cancer different in Korea?", "Gastric cancer is different in Korea."),
        ("Does the forklift that Harstad takes over need oil?", ""),
    ],
)
def test_questions_as_statements(question: str, statement: str) -> None:
    assert statement_of(question) == statement


HOUSE = (
    Document("vote", "The board voted for the new roof; Jonas Eide voted against the new roof.", "Minutes"),
    Document("flats", "flat: B-203 · floor: 2 · owner: Eide\n\nflat: A-301 · floor: 3 · owner: Solberg", "Flats"),
)


def test_a_question_in_a_chat_answers_nothing(tmp_path: Path) -> None:
    reader = ScriptedReader({"": {"Kristin": 0.6, "Svein Moen": 0.3}})
    with Engine.open(tmp_path / "chat.mh", create=True, reader=reader) as engine:
        engine.add([Document("c", "Kristin: Who has the key?\n\nJonas: Svein Moen has the key.", "Chat")])
        assert engine.answer("Who has the key?").text == "Svein Moen"
        assert engine.answer("Who asks for the key?").text == "Kristin"


def test_a_table_may_list_people_by_their_last_name(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "house.mh", create=True) as engine:
        engine.add(HOUSE)
        found = engine.answer("Which flat belongs to the person who voted against the new roof?")
    assert (found.text, found.sentences[0].quote.passage_id) == ("B-203", "flats#0")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who was Ada Holm?", "a Norwegian painter"),
        ("Who is Bo Lind?", "Bo Lind was born in Molde, the son of Swedish bakers."),
        ("What is a davit?", "a small crane"),
        ("Who was Kai B. Moe?", "a U.S. senator from Ohio"),
        ("What is the price?", "40 kroner"),
    ],
)
def test_who_or_what_something_is(tmp_path: Path, question: str, said: str) -> None:
    reader = ScriptedReader({"": {"Swedish bakers": 0.9, "Molde": 0.8, "40 kroner": 0.8}})
    with Engine.open(tmp_path / "x.mh", create=True, reader=reader) as engine:
        engine.add([
            Document("ada", "Ada Holm (1851–1920) was a Norwegian painter, whose father was a baker.", "Ada Holm"),
            Document("kai", "Kai B. Moe was a U.S. senator from Ohio.", "Kai B. Moe"),
            Document("bo", "Bo Lind was born in Molde, the son of Swedish bakers. He moved early.", "Bo Lind"),
            Document("davit", "Boats hang from it. A davit is a small crane that lowers boats.", "Davit"),
            Document("price", "The price is 40 kroner.", "Price"),
        ])  # fmt: skip
        assert engine.answer(question).text == said


def test_two_documents_of_one_name_are_not_sure_what_it_is(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add([
            Document("a", "Ada Holm was a Norwegian painter.", "Ada Holm"),
            Document("b", "Ada Holm was a Swedish forger.", "Ada Holm"),
        ])  # fmt: skip
        assert engine.answer("Who was Ada Holm?").confidence <= 0.5


@pytest.mark.parametrize(("question", "said"), [("the Svanen", "Anders Moe"), ("the Titanic", "")])
def test_the_captain_of_another_ship_is_no_answer(tmp_path: Path, question: str, said: str) -> None:
    ship = "The brig Svanen carried timber to Hull. Her captain, Anders Moe, became harbor master of Arendal."
    with Engine.open(tmp_path / "ships.mh", create=True) as engine:
        engine.add([Document("svanen", ship, "The brig Svanen")])
        assert engine.answer(f"Who was the captain of {question}?").text == said
