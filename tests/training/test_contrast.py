"""Generated claims: each edit changes what a sentence says, and the labels are right."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from contrast import (
    STANCES,
    Verdict,
    base_form,
    change_month,
    change_number,
    change_to_opposite,
    change_unit,
    from_sentences,
    from_stances,
    from_table,
    negate,
    reword,
    swap_name,
)

SEEDS = range(40)
NAMES = ["Roald Amundsen", "Bergen"]


@pytest.mark.parametrize(
    ("operation", "sentence", "possible"),
    [
        (negate, "The ship was built in Larvik.", {"was not", "was never", "wasn't", "didn't build"}),
        (negate, "The ship reached Hobart.", {"did not reach", "didn't reach", "never reached"}),
        (negate, "The board did not sign it.", {"board did sign"}),
        (negate, "He won the cup.", {"did not win", "didn't win", "never won"}),
        (change_month, "It opened in May.", {"January", "December", "June", "August"}),
        (change_to_opposite, "They voted against the loan.", {"voted for the loan"}),
        (change_to_opposite, "Sales increased by a third.", {"decreased"}),
        (change_unit, "It is 12 km long.", {"12 miles"}),
        (change_unit, "It cost 3 million.", {"3 billion", "3 thousand"}),
        (swap_name, "The ship was designed by Colin Archer.", {"Roald Amundsen"}),
    ],
)
def test_an_edit_changes_what_a_sentence_says(
    operation: Callable[..., str | None], sentence: str, possible: set[str]
) -> None:
    found = {operation(sentence, random.Random(seed), NAMES) for seed in SEEDS} - {None}
    assert found
    assert sentence not in found
    assert any(form in (said or "") for said in found for form in possible)


@pytest.mark.parametrize(
    "sentence", ["It was 1998.", "It has 1,200 seats.", "It grew by 0.5 percent.", "Two of ten left."]
)
def test_a_number_becomes_another_number(sentence: str) -> None:
    found = [change_number(sentence, random.Random(seed)) for seed in SEEDS]
    assert all(said is not None and said != sentence for said in found)
    words = [len((said or "").split()) for said in found]
    assert set(words) == {len(sentence.split())}


@pytest.mark.parametrize("operation", [negate, change_number, change_month, change_unit, swap_name])
def test_a_sentence_without_anything_to_change_gives_none(operation: Callable[..., str | None]) -> None:
    assert operation("Quiet seas.", random.Random(1), NAMES) is None


@pytest.mark.parametrize(
    ("past", "base"),
    [("reached", "reach"), ("moved", "move"), ("carried", "carry"), ("planned", "plan"), ("won", "win")],
)
def test_verbs_have_a_base_form(past: str, base: str) -> None:
    assert base_form(past) == base


def test_rewording_keeps_numbers_and_names() -> None:
    sentence = "On 14 December 1911 Amundsen (a Norwegian) reached the pole with 1,200 kg of food."
    for seed in SEEDS:
        said = reword(sentence, random.Random(seed))
        assert "(" not in said
        assert {"14", "December", "1911", "Amundsen"} <= set(said.replace(",", "").split())


def test_an_edit_that_rewording_drops_contradicts_nothing() -> None:
    text = "Fram is a wooden ship that sailed far to the north (in 1893). Nobody slept at all in there that night."
    for seed in range(300):
        for example in from_sentences("", text, random.Random(seed), NAMES):
            if example.verdict is Verdict.CONTRADICTED:
                assert example.claim not in (reword(unit, random.Random(1)) for unit in example.evidence)


def test_sentences_give_each_verdict() -> None:
    text = "Fram was built in Larvik in 1892. Colin Archer designed the ship. It reached Antarctica in January 1911."
    every = [e for seed in range(200) for e in from_sentences("Fram", text, random.Random(seed), NAMES)]
    assert set(Counter(e.verdict for e in every)) == set(Verdict)
    for example in every:
        stated = [unit.removeprefix("Fram: ") for unit in example.evidence]
        if example.verdict is Verdict.SUPPORTED:
            assert example.claim in {reword(s, random.Random(seed)) for s in stated for seed in SEEDS}


@pytest.mark.parametrize(
    ("evidence", "claim", "verdict"),
    [
        ("voted for {o}", "voted in favor of {o}", Verdict.SUPPORTED),
        ("voted for {o}", "did not vote against {o}", Verdict.SUPPORTED),
        ("voted against {o}", "did not vote for {o}", Verdict.SUPPORTED),
        ("voted against {o}", "did not vote against {o}", Verdict.CONTRADICTED),
        ("did not vote against {o}", "voted against {o}", Verdict.CONTRADICTED),
        ("voted for {o}", "voted against {o}", Verdict.CONTRADICTED),
        ("did not vote for {o}", "voted for {o}", Verdict.CONTRADICTED),
        ("did not vote against {o}", "voted for {o}", Verdict.NEITHER),
        ("did not vote for {o}", "did not vote against {o}", Verdict.NEITHER),
    ],
)
def test_a_vote_is_judged_by_what_was_said_of_it(evidence: str, claim: str, verdict: Verdict) -> None:
    votes = STANCES[0]
    fields = {form: number for number, forms in enumerate(votes) for form in forms}
    assert votes.says(fields[evidence], fields[claim]) is verdict


def test_having_voted_against_often_contradicts_not_having_voted_against() -> None:
    chance = random.Random(1)
    every = [from_stances(chance) for _ in range(9000)]
    pairs = []
    for example in every:
        if claim := re.fullmatch(r"(.*) (?:did not|didn't) vote against (.*)", example.claim):
            stated = {f"{claim[1]} {form} {claim[2]}" for form in ("voted against", "cast a vote against")}
            pairs += [example] if stated & set(example.evidence) else []
    assert len(pairs) >= 100
    assert {e.verdict for e in pairs} == {Verdict.CONTRADICTED}
    counts = Counter(e.verdict for e in every)
    assert min(counts.values()) > 1000


def test_claims_about_a_table_agree_with_its_cells() -> None:
    chance = random.Random(2)
    seen = Counter[Verdict]()
    for _ in range(500):
        example = from_table(chance)
        seen[example.verdict] += 1
        named = [row for row in example.evidence if " ".join(row.split()[1:3]).strip(";,") in example.claim]
        if example.verdict is not Verdict.NEITHER and " not " not in example.claim:
            [row] = named
            said = any(cell.split(": ")[1].strip(" ;,|·") in example.claim for cell in _cells(row)[1:])
            assert said is (example.verdict is Verdict.SUPPORTED), example
    assert set(seen) == set(Verdict)


def _cells(row: str) -> list[str]:
    for between in (" · ", " | ", "; "):
        row = row.replace(between, "\n")
    return [cell for part in row.split("\n") for cell in part.split(", ")]
