"""Claims that a sentence about their subject says nothing of."""

from __future__ import annotations

import random

import pytest
from contrast import Example, Verdict
from unsaid import Maker, article

ARTICLES = [
    {
        "title": "Ada Holm (painter)",
        "text": "Ada Holm (born 4 May 1901) was a Norwegian painter. She studied in Bergen under her uncle. "
        "She received a medal of the city for her late pictures of harbors. Her letters are kept in Oslo.",
    },
    {
        "title": "Bo Lind",
        "text": "Bo Lind (born 1899) was a Danish sailor who went around the Horn twice. He was born in Aarhus. "
        "He later served on the training ship Georg Stage for nine years. His diary is kept in Copenhagen.",
    },
]


@pytest.fixture(scope="module")
def made() -> list[Example]:
    return Maker(ARTICLES, random.Random(1)).make(300)


def test_an_article_knows_how_its_first_sentence_presents_its_subject() -> None:
    ada = article(**ARTICLES[0])
    assert (ada.name, ada.country, ada.work, ada.person) == ("Ada Holm", "Norwegian", "painter", True)


def test_claims_of_every_verdict_are_about_the_subject_of_their_sentence(made: list[Example]) -> None:
    assert {example.verdict for example in made} == set(Verdict)
    for claim, (evidence,), _ in made:
        assert claim.startswith(("Ada Holm ", "Bo Lind "))
        assert evidence.startswith(claim[:7])


def test_what_a_sentence_says_is_never_taken_for_unsaid(made: list[Example]) -> None:
    undecided = {(claim, evidence) for claim, (evidence,), verdict in made if verdict is Verdict.NEITHER}
    decided = {(claim, evidence) for claim, (evidence,), verdict in made if verdict is not Verdict.NEITHER}
    assert not undecided & decided
    assert not any("Norwegian" in claim and "Norwegian" in said for claim, said in undecided)


def test_another_country_contradicts_and_the_same_supports(made: list[Example]) -> None:
    verdicts = {claim: verdict for claim, (said,), verdict in made if " was a " in said and verdict != Verdict.NEITHER}
    assert verdicts["Ada Holm was Norwegian."] is Verdict.SUPPORTED
    assert verdicts["Ada Holm was Danish."] is Verdict.CONTRADICTED
    assert {claim: v for claim, _, v in made}["Bo Lind was born in Aarhus."] is Verdict.SUPPORTED
