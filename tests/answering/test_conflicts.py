"""Sentences that contradict each other, and those that only look like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from multihop import Engine
from multihop.answering.conflicts import CONFLICT, conflicts_of, date_of, disagreements
from multihop.errors import ReadingError
from multihop.models import verifier
from multihop.types import AnswerSentence, Document, Evidence, Judgement, Passage

TRAVEL = (
    Document("t1", "Kittiwake pays travel at 30 euros a day.", "Travel rules", {"date": "2021-03-01"}),
    Document("t2", "Kittiwake pays travel at 45 euros a day.", "New travel rules", {"date": "2024-05-03"}),
)
"""Two documents that disagree, for every way in which that is shown."""
PAY = "How much does Kittiwake pay for travel a day?"


class CountingVerifier:
    """Decides nothing, and counts what it is asked."""

    identity = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def verify(self, claim: str, evidence: Sequence[str]) -> list[Judgement]:
        self.asked += 1
        return [Judgement(0.0, 0.0, 1.0) for _ in evidence]


class FailingVerifier:
    identity = "failing"

    def verify(self, claim: str, evidence: Sequence[str]) -> list[Judgement]:
        raise ReadingError("out of order")


def evidence(*said: tuple[str, str], **metadata: str) -> list[Evidence]:
    passages = [
        Passage(
            f"d{n}#0", f"d{n}", 0, title, text, metadata={field: f"{value}{n}" for field, value in metadata.items()}
        )
        for n, (title, text) in enumerate(said, 1)
    ]
    return [Evidence(rank, passage, 1.0, "", 1) for rank, passage in enumerate(passages, 1)]


def kinds(one: str, other: str, titles: tuple[str, str] = ("Kittiwake", "Kittiwake")) -> list[str]:
    return [c.kind for c in conflicts_of(evidence((titles[0], one), (titles[1], other)))]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Staff get 25 days of leave.", "Staff get 30 days of leave.", "number"),
        ("Staff get twelve weeks of paid leave.", "Staff get eight weeks of paid leave.", "number"),
        ("The fee of Kittiwake is $1,200.", "The fee of Kittiwake is $1,500.", "number"),
        ("Kittiwake was founded on 3 May 1990 in Oslo.", "Kittiwake was founded on 4 May 1990 in Oslo.", "date"),
        ("Kittiwake was founded in 1990.", "Kittiwake was founded in 1991.", "date"),
        ("Kittiwake is led by Pia Holm.", "Kittiwake is led by Jon Berg.", "name"),
        ("Visitors may enter the harbor at night.", "Visitors may not enter the harbor at night.", "polarity"),
    ],
)
def test_conflicts(one: str, other: str, kind: str) -> None:
    assert kinds(one, other) == kinds(other, one) == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Staff get 25 days of leave.", "Staff get 25 days of leave."),
        ("Staff get 25 days of leave.", "Staff get 4 weeks of leave."),
        ("Oslo has 700 boats in summer.", "Bergen has 280 boats in summer."),
        ("In 2019 Kittiwake had 30 ships.", "In 2020 Kittiwake had 40 ships."),
        ("Kittiwake employs Pia Holm.", "Kittiwake employs Jon Berg."),
        ("Kittiwake was founded in 1990.", "Kittiwake was founded on 3 May 1990."),
        ("Dogs are not allowed in the harbor.", "Ships are built in the harbor."),
        ("Contractors get 25 days of notice.", "Managers get 30 days of leave pay."),
    ],
)
def test_no_conflicts(one: str, other: str) -> None:
    assert kinds(one, other) == []


def test_different_things_may_differ() -> None:
    assert kinds("It takes 25 days.", "It takes 30 days.", ("Leave", "Delivery")) == []
    # Sentences that differ in what their titles differ in, or that only say "it".
    teams = ("1983 Kittiwake team", "1985 Kittiwake team")
    assert kinds("The 1983 team of Kittiwake won.", "The 1985 team of Kittiwake won.", teams) == []
    assert kinds("They won 3 games at Kittiwake Park.", "They won 5 games at Kittiwake Park.", teams) == []
    assert kinds("The team won 3 games for Kittiwake.", "The team won 5 games for Kittiwake.", teams) == ["number"]
    malls = ("Molde Mall", "Sandnes Mall")
    assert kinds("Molde Mall of Kittiwake is located in Molde.", "Sandnes Mall of Kittiwake is located in Sandnes.",
                 malls) == []  # fmt: skip
    one, other = evidence(("Leave", "Staff get 25 days of leave."), ("Leave", "Staff get 30 days of leave."))
    same = Evidence(2, Passage("d1#1", "d1", 1, "Leave", other.passage.text), 1.0, "", 1)
    assert conflicts_of([one, same]) == ()


OTHER_WORDS = (
    ("A helmet is required on deck.", "A helmet is optional on deck.", "polarity"),
    ("The harbor is open to visitors on Sundays.", "The harbor is closed to visitors on Sundays.", "polarity"),
    ("The chief executive is Pia Holm.", "The chief executive is Jon Berg.", "name"),
)


@pytest.mark.parametrize(("one", "other", "kind"), OTHER_WORDS)
def test_a_verifier_finds_conflicts_in_other_words(one: str, other: str, kind: str) -> None:
    sides = evidence(("Kittiwake", one), ("Kittiwake", other))
    assert conflicts_of(sides) == ()
    assert [c.kind for c in conflicts_of(sides, verifier())] == [kind]
    # In both directions, so that a sentence that says less is no conflict.
    assert [c.kind for c in conflicts_of(sides[::-1], verifier())] == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A helmet is required on deck.", "A helmet must be worn on deck."),
        ("A helmet is required on deck.", "On deck a helmet is always required for everyone."),
        ("In 2019 Kittiwake had 30 ships.", "In 2020 Kittiwake had 40 ships."),
        ("Kittiwake employs Pia Holm.", "Kittiwake employs Jon Berg."),
        ("Staff get 25 days of leave.", "Staff get 25 days of leave."),
        ("(2A) A helmet means a hard hat of the crew.", "(19) A helmet means a hard hat of the crew."),
    ],
)
def test_a_verifier_finds_no_conflict_where_both_can_be_right(one: str, other: str) -> None:
    assert conflicts_of(evidence(("Kittiwake", one), ("Kittiwake", other)), verifier()) == ()


def test_a_verifier_reads_few_pairs() -> None:
    counting = CountingVerifier()
    said = [("Kittiwake", f"{word} is required on the deck of the ship.") for word in "abcdefghijkl"]
    assert conflicts_of(evidence(*said), counting) == ()
    assert counting.asked == 12


def test_without_its_verifier_conflicts_are_those_of_the_rules(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True, verifier=FailingVerifier()) as engine:
        engine.add([Document(f"h{n}", said, "Kittiwake") for n, said in enumerate(OTHER_WORDS[0][:2])])
        result = engine.retrieve("Is a helmet required on deck?")
    assert result.conflicts == ()
    [note] = [note for note in result.trace.notes if note.code == "verifier-failed"]
    assert note.text == "conflicts were looked for by rules alone: out of order"


def test_a_conflict_says_which_side_is_newer() -> None:
    found = evidence(
        ("Leave", "Staff get 25 days of leave."), ("Leave", "Staff get 30 days of leave."), date="2024-01-0"
    )
    [conflict] = conflicts_of(found)
    assert (conflict.values, conflict.dates, conflict.newer) == (("25", "30"), ("2024-01-01", "2024-01-02"), "d2#0")
    assert conflict.text == (
        "two sources disagree: “Leave” (2024-01-01) says “Staff get 25 days of leave.”, "
        "“Leave” (2024-01-02) says “Staff get 30 days of leave.”; the second is newer"
    )
    [note] = disagreements([conflict], [AnswerSentence.of(conflict.quotes[0], found[0].passage, 0.9)])
    assert (note.code, note.data["newer"], note.data["passages"]) == (CONFLICT, "d2#0", ("d1#0", "d2#0"))
    assert not list(disagreements([conflict], []))


def test_results_and_answers_show_conflicts(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(TRAVEL)
        [conflict] = engine.retrieve(PAY).to_dict()["conflicts"]
        assert (conflict["kind"], conflict["newer"]) == ("number", "t2#0")
        assert CONFLICT in [note.code for note in engine.answer(PAY).notes]
        assert "conflicts" not in engine.retrieve(PAY, models=False).to_dict()


@pytest.mark.parametrize(("old", "new"), [("k1", "k2"), ("k2", "k1")])
def test_the_newer_of_two_sources_answers_and_the_other_is_named(tmp_path: Path, old: str, new: str) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add([
            Document(old, "Kittiwake is led by Pia Holm.", "Kittiwake", {"date": "2021-01-01"}),
            Document(new, "Kittiwake is led by Jon Berg.", "Kittiwake", {"date": "2024-05-03"}),
        ])  # fmt: skip
        answer = engine.answer("Who leads Kittiwake?")
    assert answer.text == "Jon Berg"
    assert answer.sentences[0].quote.passage_id == f"{new}#0"
    [note] = [note for note in answer.notes if note.code == "conflict"]
    assert note.data["newer"] == f"{new}#0"
    assert "Kittiwake is led by Pia Holm." in note.text


ALLOWANCE = (
    Document("policy", "Trains are first class. The daily allowance abroad is 64 euros.", "Travel policy"),
    Document("news", "The daily allowance abroad is 58 euros, says the works council.", "Newsletter"),
)


def test_sources_on_different_subjects_disagree_about_what_is_asked(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add(ALLOWANCE)
        answer = engine.answer("What is the daily allowance abroad?")
        [conflict] = answer.result.conflicts
        assert engine.retrieve("What do trains and the works council have in common?").conflicts == ()
    assert (conflict.kind, set(conflict.values), conflict.newer) == ("number", {"58", "64"}, "")
    assert CONFLICT in [note.code for note in answer.notes]
    assert answer.confidence <= 0.5


@pytest.mark.parametrize(
    ("id", "title", "metadata", "day"),
    [
        ("rules-2016.md", "Rules", {}, "2016-01-01"),
        ("mail/2024-10-18_correction.txt", "Correction", {}, "2024-10-18"),
        ("rules-2016.md", "Rules of May 2024", {}, "2024-05-01"),
        ("rules-2016.md", "Rules", {"date": "2019-02-03"}, "2019-02-03"),
        ("minutes-2023-2024.md", "Minutes", {}, ""),
        ("2016/rules.md", "Rules", {}, ""),
    ],
)
def test_a_document_has_the_date_of_its_metadata_its_title_or_its_file(
    id: str, title: str, metadata: dict[str, str], day: str
) -> None:
    assert date_of(Passage(f"{id}#0", id, 0, title, "Text.", metadata=metadata)) == day


def test_the_date_of_a_title_tells_which_source_is_newer(tmp_path: Path) -> None:
    policy, news = ALLOWANCE
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add(
            [replace(policy, metadata={"valid_from": "2024-07-01"}), replace(news, title="Newsletter, May 2023")]
        )
        answer = engine.answer("What is the daily allowance abroad?")
    assert answer.text == "64 euros"
    [conflict] = answer.result.conflicts
    assert (sorted(conflict.dates), conflict.newer) == (["2023-05-01", "2024-07-01"], "policy#0")


def test_a_verdict_names_the_source_that_disagrees(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add(ALLOWANCE)
        verdict = engine.verdict("The daily allowance abroad is 58 euros.")
        assert engine.verdict("Trains are first class.").confidence > 0.5
    assert (verdict.label, verdict.confidence) == ("supported", 0.5)
    assert CONFLICT in [note.code for note in verdict.notes]


def test_what_replaces_a_document_is_newer_than_it(tmp_path: Path) -> None:
    policy, news = ALLOWANCE
    with Engine.open(tmp_path / "a.mh", create=True) as engine:
        engine.add([policy, replace(news, metadata={"supersedes": "policy"})])
        [conflict] = engine.retrieve("What is the daily allowance abroad?", as_of="any").conflicts
    assert conflict.newer == "news#0"


def test_those_who_met_are_no_conflict() -> None:
    first = "Present: Ida Sol (chair), Per Lie, Eva Nor."
    assert kinds(first, "Present: Ida Sol (chair), Eva Nor, Kai Dal.", ("Minutes, May", "Minutes, June")) == []


def test_a_word_that_begins_like_a_month_is_no_date() -> None:
    found = evidence(
        ("Marketing 2024", "Staff get 25 days of leave."), ("Marketing 2024", "Staff get 30 days of leave.")
    )
    assert [conflict.dates for conflict in conflicts_of(found)] == [("2024-01-01", "2024-01-01")]
