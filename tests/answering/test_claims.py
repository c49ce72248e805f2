"""Verdicts on claims by a verifier, which is scripted here."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.claims import NO_VERIFIER, UNDECIDED, claim_parts, label_of, whole_part
from multihop.answering.confidence import CONTRADICTS
from multihop.answering.conflicts import UNSETTLED
from multihop.answering.values import weekdays_in
from multihop.testing.lm import ScriptedLM
from multihop.types import Judgement

from .scripted import Failing, ScriptedVerifier

CLAIM = "Colin Archer was born in Larvik in 1832, and wrote seventeen operas about penguins."
SUPPORTED, CONTRADICTED, NEITHER = Judgement(0.97, 0.01, 0.02), Judgement(0.01, 0.97, 0.02), Judgement(0.02, 0.02, 0.96)


def by_year(claim: str, evidence: str) -> Judgement:
    """Know only when Colin Archer was born."""
    if "operas" in claim or "1832" not in evidence or not any(letter.isdigit() for letter in claim):
        return NEITHER
    return SUPPORTED if "1832" in claim else CONTRADICTED


@pytest.fixture
def checking(sample: Engine) -> Engine:
    return Engine(sample.store, verifier=ScriptedVerifier(by_year))


def said(claim: str) -> list[str]:
    return [claim[start:end] for start, end in claim_parts(claim)]


def test_a_claim_is_cut_into_clauses() -> None:
    assert said("Colin Archer drew the lines of the Fram, and was born in Larvik in 1832.") == [
        "Colin Archer drew the lines of the Fram",
        "was born in Larvik in 1832",
    ]
    assert said("The author of Lion of Ireland was born before Robert Jordan.") == [
        "The author of Lion of Ireland was born before Robert Jordan"
    ]


def test_names_with_and_stay_whole() -> None:
    assert said("Davy Crockett and the River Pirates was made by Disney.") == [
        "Davy Crockett and the River Pirates was made by Disney"
    ]


def test_a_part_gets_its_subject() -> None:
    claim = "The Fram was drawn by Colin Archer, who was born in Larvik in 1832."
    assert [whole_part(claim, *place) for place in claim_parts(claim)] == [
        "The Fram was drawn by Colin Archer",
        "Colin Archer was born in Larvik in 1832",
    ]


@pytest.mark.parametrize(("year", "label"), [("1832", "supported"), ("1851", "contradicted")])
def test_a_claim_is_decided_by_a_sentence_that_is_quoted(checking: Engine, year: str, label: str) -> None:
    found = checking.verdict(f"Colin Archer came into the world in Larvik in {year}.")
    assert (found.label, found.source, found.notes) == (label, "sentences", ())
    assert found.sentences[0].quote.text.startswith("Colin Archer came into the world in Larvik in 1832")
    assert found.confidence == found.sentences[0].confidence > 0.5
    answer = checking.answer(f"Colin Archer came into the world in Larvik in {year}.")
    assert (answer.text, answer.kind, answer.confidence) == (label, "claim", found.confidence)
    assert (answer.sentences, answer.answered) == (found.sentences, True)


@pytest.mark.parametrize(
    ("supported", "contradicted", "said", "label"),
    [(3.0, -3.0, 1.0, "supported"), (-3.0, 3.0, 1.0, "contradicted"), (-3.0, -3.0, 0.5, "undecided"),
     (0.5, -0.5, 0.3, "undecided"), (1.0, -1.0, 0.5, "supported"), (-1.0, 1.5, 0.4, "undecided")],
)  # fmt: skip
def test_a_contradiction_that_is_hardly_likelier_than_another_label_is_not_given(
    supported: float, contradicted: float, said: float, label: str
) -> None:
    found, sure = label_of({"supported": supported, "contradicted": contradicted, "said": said})
    assert found == label
    assert sure >= CONTRADICTS or label != "contradicted"


@pytest.mark.parametrize(
    ("supported", "contradicted", "label"),
    [(2.8, 5.5, "contradicted"), (4.5, 5.5, "supported"), (1.0, 2.4, "supported")],
)
def test_a_contradiction_that_is_much_surer_than_the_support_counts(
    supported: float, contradicted: float, label: str
) -> None:
    found, sure = label_of({"supported": supported, "contradicted": contradicted, "said": 1.0})
    assert (found, sure == UNSETTLED) == (label, label == "contradicted")


def test_each_part_has_its_finding(checking: Engine) -> None:
    found = checking.verdict(CLAIM)
    assert [(part.text, part.finding) for part in found.parts] == [
        ("Colin Archer was born in Larvik in 1832", "supported"),
        ("wrote seventeen operas about penguins", "undecided"),
    ]
    assert found.parts[0].sentence is not None
    assert "1832" in found.parts[0].sentence.quote.text
    assert [CLAIM[p.start : p.end] for p in found.parts] == [p.text for p in found.parts]


def test_an_undecided_claim_shows_the_closest_sentence(checking: Engine) -> None:
    found = checking.verdict("Colin Archer drew the Titanic.")
    assert (found.label, found.notes) == ("undecided", (UNDECIDED,))
    assert "Colin Archer" in f"{found.sentences[0].title} {found.sentences[0].quote.text}"
    assert not checking.answer("Colin Archer drew the Titanic.").answered


def test_without_models_nothing_is_decided_and_the_note_says_why(checking: Engine) -> None:
    found = checking.verdict(CLAIM, models=False)
    assert (found.label, found.confidence, found.notes) == ("undecided", 0.0, (NO_VERIFIER,))
    assert "1832" in found.sentences[0].quote.text


def test_a_verifier_that_fails_is_noted(sample: Engine) -> None:
    found = Engine(sample.store, verifier=Failing()).verdict(CLAIM)
    assert found.label == "undecided"
    assert [note.code for note in found.notes] == ["verifier-failed"]


def test_a_sentence_about_another_supports_less(tmp_path: Path) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        # It knows the leaders better than their projects.
        return Judgement(0.7, 0.02, 0.28) if "Amund" in evidence else Judgement(0.01, 0.97, 0.02)

    with Engine.open(tmp_path / "p.mh", create=True, verifier=ScriptedVerifier(judge)) as engine:
        engine.add(
            [
                Document("vega", "The leader of the project is Amund Brekke.", "Winch for Vega"),
                Document("hornelen", "The leader of the project is Liv Moe.", "Ramp for MF Hornelen"),
            ]
        )
        found = engine.verdict("Amund Brekke is the leader of the project for MF Hornelen.")
    assert (found.label, found.sentences[0].quote.passage_id) == ("contradicted", "hornelen#0")


@pytest.mark.parametrize(
    ("audit", "label"),
    [
        ("Vestnes Hoses was visited by two auditors in May.", "undecided"),
        ("Vestnes Hoses belongs to Rauma Industries.", "supported"),
    ],
)
def test_passages_that_nothing_connects_do_not_support_a_claim_together(tmp_path: Path, audit: str, label: str) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        return SUPPORTED if "Vestnes" in evidence and "ISO 14001" in evidence else NEITHER

    news = "In May the auditors praised Rauma Industries. Its certificate under ISO 14001 was renewed."
    with Engine.open(tmp_path / "p.mh", create=True, verifier=ScriptedVerifier(judge)) as engine:
        engine.add([Document("news", news, "News"), Document("audit", audit, "Visit")])
        assert engine.verdict("Vestnes Hoses is certified under ISO 14001.").label == label
        assert engine.verdict("Vestnes Hoses and ISO 14001 occur.").label == "supported"


def test_several_units_are_read_together(sample: Engine) -> None:
    verifier = ScriptedVerifier()
    Engine(sample.store, verifier=verifier).verdict("Colin Archer drew the ship that Roald Amundsen borrowed.")
    _, evidence = verifier.shown[0]
    joined = [text for text in evidence if "Colin Archer: " in text and "Roald Amundsen: " in text]
    assert joined
    assert all(len(text) <= 1_500 for text in evidence)


def test_only_sentences_that_add_something_are_quoted_from_joined_evidence(sample: Engine) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        return SUPPORTED if "Colin Archer: " in evidence and "Roald Amundsen: " in evidence else NEITHER

    claim = "The ship that Roald Amundsen borrowed was designed by Colin Archer of Larvik."
    found = Engine(sample.store, verifier=ScriptedVerifier(judge)).verdict(claim)
    assert found.label == "supported"
    quoted = [sentence.quote.text for sentence in found.sentences]
    assert 1 < len(quoted) <= 4
    assert any("Larvik" in text for text in quoted)


def test_a_question_in_a_chat_supports_nothing(tmp_path: Path) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        return SUPPORTED if evidence.endswith("?") else CONTRADICTED if "does not" in evidence else NEITHER

    chat = "Jonas: Does the crash happen with SQLite?\n\nSvein: No, with SQLite the crash does not happen."
    with Engine.open(tmp_path / "chat.mh", create=True, verifier=ScriptedVerifier(judge)) as engine:
        engine.add([Document("chat", chat, "Crash of the daemon")])
        found = engine.verdict("The crash happens with SQLite.")
    assert (found.label, found.sentences[0].quote.text[:5]) == ("contradicted", "Svein")


def test_a_document_that_says_the_opposite_is_named(tmp_path: Path) -> None:
    def judge(claim: str, evidence: str) -> Judgement:
        return CONTRADICTED if "not" in evidence else SUPPORTED

    documents = [
        Document("fram", "Colin Archer drew the Fram.", "Fram (ship)"),
        Document("hostile", "Colin Archer did not draw the Fram.", "Fram\nof Oslo"),
    ]
    with Engine.open(tmp_path / "f.mh", create=True, verifier=ScriptedVerifier(judge)) as engine:
        engine.add(documents)
        found = engine.verdict("Colin Archer drew the Fram.")
        engine.delete(["hostile"])
        alone = engine.verdict("Colin Archer drew the Fram.")
    assert (found.label, alone.label) == ("supported", "supported")
    assert [(note.code, note.data) for note in found.notes] == [
        ("sources-disagree", {"document": "hostile", "sentence": "Colin Archer did not draw the Fram."})
    ]
    assert str(found.notes[0]) == "Fram of Oslo may say the opposite: “Colin Archer did not draw the Fram.”"
    assert not alone.notes


@pytest.mark.parametrize(
    ("judgement", "codes"), [(SUPPORTED, ["one-source"]), (NEITHER, ["verdict-doubtful", "one-source"])]
)
def test_what_a_language_model_decides_is_checked(sample: Engine, judgement: Judgement, codes: list[str]) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}})
    engine = Engine(sample.store, verifier=ScriptedVerifier(lambda claim, text: judgement))
    found = engine.verdict("Colin Archer drew the Fram.", k=3, strategy="bm25", lm=lm)
    assert (found.label, found.source) == ("supported", "language model")
    assert [note.code for note in found.notes] == codes
    assert found.confidence == judgement.supported


def test_a_verdict_that_its_sentences_do_not_bear_out_gives_way_to_the_opposite(sample: Engine) -> None:
    """As where a document tells the model what to say, and the model obeys."""
    lm = ScriptedLM({"claim_verdict": {"verdict": "refuted", "deciding": [1]}})
    engine = Engine(sample.store, verifier=ScriptedVerifier(lambda claim, text: SUPPORTED))
    found = engine.verdict("Colin Archer drew the Fram.", k=3, strategy="bm25", lm=lm)
    assert (found.label, found.source) == ("supported", "sentences")
    assert "verdict-overruled" in [note.code for note in found.notes]
    assert [call.step for call in found.result.trace.lm_calls] == ["claim_verdict"]


def test_a_statement_that_its_citations_do_not_entail_is_marked(sample: Engine) -> None:
    statements = ["Colin Archer came into the world in Larvik in 1832.", "Colin Archer never was in Larvik in 1832."]
    lm = ScriptedLM({"cited_answer": {"answer": "1832", "statements": statements}})
    verifier = ScriptedVerifier(lambda claim, text: CONTRADICTED if "never" in claim else SUPPORTED)
    found = Engine(sample.store, verifier=verifier).answer("When was Colin Archer born?", k=3, strategy="bm25", lm=lm)
    assert [statement.supported for statement in found.statements] == [True, False]
    assert found.confidence == 0.5


HOURS = Document(
    "hours", "The museum is open from Tuesday to Thursday. It is closed on Mondays and holidays.", "Visiting"
)
MINUTES = Document("minutes", "Present: Pål Berg and Åse Lie. \nApologies: Marta Vik.", "Board meeting in March")
STAFF = Document(
    "staff",
    "Name: Ingunn Aas · Role: conservator · Department: Conservation\n"
    "Name: Tomas Lie · Role: head of conservation · Department: Conservation\n",
    "Staff",
)


WORKSHOP = Document(
    "workshop", "The conservator, Siri Dahl, restores paintings. Liv Moe (cook) is on leave.", "Workshop"
)
LOAN = Document("loan", "The crate weighs 25 kg.", "Loan of the crate")
KILN = Document("kiln", "The small kiln must not run overnight.", "Pottery")
DOOR = Document("door", "Guests must not use the side door after ten.", "House rules")
BOATS = Document("boats", "The Tern was painted in May, all others were tarred.", "Boats")
SETTINGS = Document("s", "Setting: node_timeout · Type: seconds · Default: 45", "Settings")


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The museum is open on Tuesdays.", "supported"),
        ("The museum is open on Fridays.", "contradicted"),
        ("The museum is open on Mondays.", "contradicted"),
        ("The museum is closed on Mondays.", "supported"),
        ("Tomas Lie is the head of conservation.", "supported"),
        ("Ingunn Aas is the head of conservation.", "contradicted"),
        ("Ingunn Aas is a conservator.", "supported"),
        ("Marta Vik was at the board meeting in March.", "contradicted"),
        ("Pål Berg was at the board meeting in March.", "supported"),
        ("Siri Dahl is the head of the workshop.", "contradicted"),
        ("Siri Dahl is the conservator of the workshop.", "supported"),
        ("Siri Dahl is a painter in the workshop.", "supported"),
        ("Liv Moe is the director of the workshop.", "contradicted"),
        ("The crate weighs 25 tonnes.", "contradicted"),
        ("The crate weighs 25 kilograms.", "supported"),
        ("The default of node_timeout is 45 minutes.", "contradicted"),
        ("The default of node_timeout is 45 seconds.", "supported"),
        ("The kiln may run overnight.", "contradicted"),
        ("The kiln must not run overnight.", "supported"),
        ("Guests may use the side door.", "supported"),
        ("All boats were tarred.", "contradicted"),
        ("Most boats were tarred.", "supported"),
    ],
)
def test_a_verifier_that_agrees_is_corrected_about_days_units_roles_bans_and_exceptions(
    tmp_path: Path, claim: str, label: str
) -> None:
    with Engine.open(tmp_path / "m.mh", create=True, verifier=ScriptedVerifier(lambda *_: SUPPORTED)) as engine:
        engine.add([HOURS, STAFF, MINUTES, WORKSHOP, LOAN, SETTINGS, KILN, DOOR, BOATS])
        assert engine.verdict(claim).label == label


def test_a_verifier_reads_every_day_of_a_range(tmp_path: Path) -> None:
    verifier = ScriptedVerifier()
    with Engine.open(tmp_path / "m.mh", create=True, verifier=verifier) as engine:
        engine.add([HOURS])
        engine.verdict("The museum is open on Wednesdays.")
    [(_, shown), *_] = verifier.shown
    assert any("open from Tuesday, Wednesday, Thursday." in text for text in shown)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("Tuesday to Sunday", {1, 2, 3, 4, 5, 6}),
        ("Saturday–Monday, and on Wednesdays", {5, 6, 0, 2}),
        ("closed on Mondays", {0}),
        ("We sat in the sun.", set()),
    ],
)
def test_days_of_the_week_are_found_with_those_between(said: str, days: set[int]) -> None:
    assert weekdays_in(said) == days
