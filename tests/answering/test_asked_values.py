"""Claims whose value is another than the one the evidence gives when asked for it; reader and verifier are scripted."""

from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.answering.asked_values import questions_for
from multihop.types import Judgement

from .scripted import ScriptedReader, ScriptedVerifier


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("The office in Narvik has 18 employees.", ["The office in Narvik has how many employees?"]),
        ("The quay in Narvik is 62 m long.", ["The quay in Narvik is how many m long?"]),
        ("The pumps cost NOK 118 500 each.", ["The pumps cost how much each?"]),
        ("The pump may be used at 280 bar.", ["The pump may be used at what bar?"]),
        ("The office in Narvik opened in 2004.", ["The office in Narvik opened in what year?"]),
        ("Ordinance 131 takes effect on 1 October 2024.", ["Ordinance 131 takes effect on what date?"]),
        ("The samples of Ada Holm went to freezer F2.", ["The samples of Ada Holm went to freezer what?"]),
        ("It is an offence of penalty class C.", ["It is an offence of penalty class what?"]),
        ("The winch was tested by Ada Holm.", ["The winch was tested by what?"]),
        ("The bus is run by Pell & Sons.", ["The bus is run by what?"]),
        ("The exit is open in the Solo edition.", ["The exit is open in the what edition?"]),
        ("Ada Holm leads the office.", []),
        ("The office is not in Oslo.", []),
        ("The pump costs more than 500 euros.", []),
        ("The fish is served on Tuesdays.", ["The fish is served on what day of the week?"]),
        ("The garden closes at nine in the evening.", ["The garden closes at what time?"]),
        (
            "The party starts at 4 pm on Friday.",
            ["The party starts at what time on Friday?", "The party starts at 4 pm on what day of the week?"],
        ),
        ("The show opens on 3 May.", ["The show opens on what date?"]),
        ("The bees were moved in September.", ["The bees were moved in what month?"]),
        ("The pump runs at 40 bar.", ["The pump runs at what bar?"]),
        ("The tool keeps seven daily copies.", ["The tool keeps how many daily copies?"]),
        ("Up to forty people may use the roof.", ["Up to how many people may use the roof?"]),
        ("The house has at least 12 rooms.", ["The house has at least how many rooms?"]),
        ("The Kestrel 40 is heavy.", []),
        ("The man who tested the winch in 2004 came from Oslo.", []),
        ("Ada Holm signed the lease in 2019, and Bo Moe left the firm in 2021.", []),
    ],
)
def test_a_simple_claim_asks_for_its_last_values(claim: str, asked: list[str]) -> None:
    assert [question.asked for question in questions_for(claim)] == asked


@pytest.mark.parametrize(
    ("claim", "text", "said", "label"),
    [
        ("The garden closes at nine in the evening.", "From May the garden closes at 22:00.", "22:00", "contradicted"),
        ("The garden closes at ten in the evening.", "From May the garden closes at 22:00.", "22:00", "undecided"),
        (
            "The waste is collected on Mondays.",
            "Waste is collected on Fridays, paper on Mondays.",
            "Fridays",
            "contradicted",
        ),
        ("The show opens on 5 May.", "The show opens on 3 May 2024.", "3 May 2024", "contradicted"),
        ("The show opens on May 3.", "The show opens on 3 May 2024.", "3 May 2024", "undecided"),
        ("The bees were moved in June.", "The bees moved on 2024-09-05.", "2024-09-05", "contradicted"),
        ("The bees were moved in September.", "The bees moved on 2024-09-05.", "2024-09-05", "undecided"),
        ("The tool keeps seven daily copies.", "It keeps fourteen daily copies.", "fourteen", "contradicted"),
        ("The tool keeps seven daily copies.", "It keeps 7 daily copies.", "7", "undecided"),
        ("Up to forty people may use the roof.", "No more than 25 people may use the roof.", "25", "contradicted"),
        ("The gate opens at 7 pm.", "The gate opens at 7 am every day.", "7 am", "contradicted"),
        ("The gate opens at 7 am.", "The gate opens at 7:00 every day.", "7:00", "undecided"),
        # Another value of a list, or a range around it.
        ("The market is on Thursdays.", "The market is on Mondays and Thursdays.", "Mondays", "undecided"),
        ("The market is on Fridays.", "The market is on Mondays, Wednesdays and Fridays.", "Mondays", "undecided"),
        ("The market is on Tuesdays.", "The market is on Mondays and Thursdays.", "Mondays", "contradicted"),
        ("The shop is open on Wednesdays.", "The shop is open Monday to Friday.", "Monday", "undecided"),
        ("The ferry leaves at 12:00.", "The ferry leaves at 8:00 and 12:00.", "8:00", "undecided"),
        ("The garden is open in June.", "The garden is open from May to September.", "May", "undecided"),
        ("Ole led the choir in 1995.", "Ole led the choir from 1990 to 1999.", "1990", "undecided"),
        ("The show is on 5 May 2024.", "The show is on from 3 May to 9 May 2024.", "9 May 2024", "undecided"),
        ("The course takes 12 people.", "The course takes 10 to 15 people.", "10", "undecided"),
        # Not a bound.
        ("Up to forty people may use the roof.", "Last night 25 people sat on the roof.", "25", "undecided"),
    ],
)
def test_times_days_words_and_bounds(tmp_path: Path, claim: str, text: str, said: str, label: str) -> None:
    verifier = ScriptedVerifier(lambda claim, text: SUPPORTS if "?" in claim else NEITHER)
    with Engine.open(tmp_path / "d.mh", create=True, reader=ScriptedReader({"": {said: 0.9}}), verifier=verifier) as e:
        e.add(Document("d", text, "House rules"))
        assert e.verdict(claim).label == label


NEITHER, SUPPORTS = Judgement(0.05, 0.05, 0.9), Judgement(0.97, 0.01, 0.02)
OFFICES = [
    Document("o", "Office: Narvik · Opened: 2011 · Staff: 17\nOffice: Bergen · Opened: 2004 · Staff: 40", "Offices"),
    Document("winch", "The winch for Vega was tested in Narvik by Marek Moe. It is 48 m long.", "Winch"),
]  # fmt: skip


def verdict(tmp_path: Path, claim: str, said: dict[str, float], judged: Judgement) -> tuple[str, float, str]:
    # A question with its answer is a claim, too.
    verifier = ScriptedVerifier(lambda claim, text: SUPPORTS if "?" in claim else judged)
    reader = ScriptedReader({"": said})
    with Engine.open(tmp_path / "o.mh", create=True, reader=reader, verifier=verifier) as engine:
        engine.add(OFFICES)
        found = engine.verdict(claim)
        return found.label, found.confidence, found.sentences[0].answer.text if found.sentences[0].answer else ""


@pytest.mark.parametrize(
    ("claim", "said", "other"),
    [
        ("The office in Narvik opened in 2004.", {"2011": 0.95}, "2011"),
        ("The office in Narvik has a staff of 18.", {"17": 0.95}, "17"),
        ("The winch for Vega was tested by Ada Holm.", {"Marek Moe": 0.95}, "Marek Moe"),
        ("The winch for Vega is 62 m long.", {"48 m": 0.95}, "48 m"),
    ],
)
def test_another_value_contradicts_a_claim(tmp_path: Path, claim: str, said: dict[str, float], other: str) -> None:
    label, sure, answer = verdict(tmp_path, claim, said, NEITHER)
    assert (label, answer) == ("contradicted", other)
    assert 0.5 <= sure <= 0.85


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        # The same, a value of another kind, something that the claim says too, and a reader that is not sure.
        ("The office in Narvik opened in 2011.", {"2011": 0.95}),
        ("The winch for Vega was tested by Ada Holm.", {"48": 0.95}),
        ("The winch for Vega was tested by Ada Holm.", {"Vega": 0.95}),
        ("The office in Narvik opened in 2004.", {"2011": 0.2}),
    ],
)
def test_what_need_not_be_another_value_leaves_a_claim_undecided(
    tmp_path: Path, claim: str, said: dict[str, float]
) -> None:
    assert verdict(tmp_path, claim, said, NEITHER)[0] == "undecided"


def test_a_verifier_that_is_surer_is_right(tmp_path: Path) -> None:
    claim = "The office in Narvik opened in 2004."
    assert verdict(tmp_path, claim, {"2011": 0.7, "2004": 0.2}, SUPPORTS)[0] == "supported"
