"""Questions and claims from facts: patterns find what an opening says, and verdicts follow from what was changed."""

from __future__ import annotations

import random

import pytest
import reading_examples
from contrast import Verdict
from facts import Article, Facts, claims, facts_of, made_tables, questions, written_claims
from reading_examples import Examples, Kind, add_facts, add_tables
from rows import decode

FILM = Article("Driftwood (film)", "Driftwood is a 1998 Irish film directed by Mara Quill and written by Jon Ash.")
DIRECTOR = Article("Mara Quill", "Mara Quill (born 4 May 1961) is an Irish film director from Cork.")
OTHER = Article("Tor Lind", "Tor Lind (12 June 1920 – 3 July 1988) was a Norwegian composer.")
TOWN = Article("Sele", "Sele is a village located in Klepp, Norway. It has a population of 4,200.")
ARTICLES = (FILM, DIRECTOR, OTHER, TOWN)
DESCRIBED = (("the woman who made Driftwood", ("Driftwood (film)", "Mara Quill")),)


@pytest.mark.parametrize(
    ("article", "expected"),
    [
        (FILM, {"directed": "Mara Quill", "wrote": "Jon Ash", "film year": "1998"}),
        (DIRECTOR, {"born": "4 May 1961", "birth year": "1961", "nationality": "Irish", "work": "film director"}),
        (OTHER, {"died": "3 July 1988", "nationality": "Norwegian", "work": "composer"}),
        (TOWN, {"located": "Klepp, Norway", "population": "4,200"}),
    ],
)
def test_patterns_find_what_an_opening_says(article: Article, expected: dict[str, str]) -> None:
    assert expected.items() <= {fact.relation: fact.value for fact in facts_of(article)}.items()


def test_a_village_has_no_birthday() -> None:
    assert {"born", "nationality"}.isdisjoint(fact.relation for fact in facts_of(TOWN))


def test_every_answer_stands_in_the_article_that_it_is_said_in() -> None:
    facts = Facts(ARTICLES)
    asked = list(questions(facts, DESCRIBED, 200, random.Random(1)))
    assert all(question.answer in facts.articles[question.titles[question.where]].text for question in asked)
    assert {len(question.titles) for question in asked} == {1, 2}
    assert any("the director of Driftwood" in question.text for question in asked)


def test_a_claim_is_contradicted_only_where_a_value_was_changed() -> None:
    facts = Facts(ARTICLES)
    true = {(fact.article.title, fact.value) for found in facts.of.values() for fact in found}
    seen = set()
    for claim in claims(facts, DESCRIBED, 300, random.Random(1)):
        seen.add(claim.verdict)
        stated = [value for title, value in true if title == claim.titles[-1] and value in claim.text]
        if claim.verdict is Verdict.SUPPORTED:
            assert stated, claim
    assert seen == set(Verdict)


def test_written_claims_keep_their_evidence_unless_it_says_nothing_of_them() -> None:
    rows = [("Mara Quill was born in 1961.", ("Mara Quill",)), ("Sele has 4,200 inhabitants.", ("Sele",))]
    found = [c for seed in range(60) for c in written_claims(rows, ["Ann Bo"], random.Random(seed))]
    assert {c.verdict for c in found} == set(Verdict)
    for claim in found:
        known = claim.text in dict(rows)
        assert known == (claim.verdict is not Verdict.CONTRADICTED)
        assert (claim.verdict is Verdict.NEITHER) == (known and claim.titles != dict(rows)[claim.text])


def test_cells_of_made_tables_are_found_again_as_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_examples, "TABLES", 2000)
    assert all(made.answer in made.texts[made.where] for made in made_tables(200, random.Random(2)))
    examples = Examples()
    add_tables(examples, random.Random(2))
    asked = examples.asked["made"]
    assert {each.kind for each in asked} == {Kind.SPAN, Kind.NONE}
    assert all(bool(each.spans) == (each.kind is Kind.SPAN) for each in asked)


def test_questions_with_the_gold_of_a_dev_question_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_examples, "FACTS", 4000)
    monkeypatch.setattr(reading_examples, "STATED", 4000)
    examples, held = Examples(), {frozenset({"Driftwood (film)", "Mara Quill"})}
    add_facts(examples, Facts(ARTICLES), (), held, random.Random(3))
    titles = {decode(examples.documents[n].tolist())[:4] for each in examples.asked["facts"] for n in each.documents}
    assert all(len(each.documents) == 1 for each in examples.asked["facts"])
    assert titles
