"""How passages are matched to aspects, and what the parts around that do with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from multihop import Engine
from multihop.errors import EmbeddingError
from multihop.parts.assessors import AspectAssessor
from multihop.parts.assessors.aspects import keyword_score
from multihop.parts.planners.aspects import aspects
from multihop.parts.query_writers import AspectQueries
from multihop.parts.query_writers.aspects import phrasings
from multihop.parts.selectors import Appending, TopScore
from multihop.parts.stop import AspectStop, weighted_coverage
from multihop.protocols import Context, State
from multihop.types import Aspect, Candidate, Choice, Coverage, Passage, Plan, Query, Selection, Target

from ...reliability.soak import examples

if TYPE_CHECKING:
    from multihop.protocols import Vectors

words = st.sampled_from("penicillin mould is a use of because process the and Paris Agreement works by than".split())
relaxed = examples(60)


def definition(name: str) -> Aspect:
    return Aspect(f"Definition/explanation of {name}", "definition", 1.0, (name,))


@given(st.lists(words, max_size=30).map(" ".join), st.lists(words, max_size=5).map(" ".join), st.text(max_size=60))
def test_scores_lie_between_0_and_1(body: str, title: str, question: str) -> None:
    for aspect in (*aspects(question), *aspects("What is penicillin, how does it work and why is it used?")):
        assert 0 <= keyword_score(aspect, title, body) <= 1


@pytest.mark.parametrize(
    ("aspect", "title", "body", "covered"),
    [
        (definition("penicillin"), "Penicillin", "The first antibiotic.", True),
        (definition("penicillin"), "Antibiotics", "Penicillin is an antibiotic.", True),
        (definition("penicillin"), "Howard Florey", "He and his team at Oxford then extracted penicillin.", False),
        (definition("neural networks"), "", "A neural network is a model.", True),
        (aspects("A vs B1")[2], "", "A is older than B1, and unlike B1 it is red.", True),
        (aspects("tea vs coffee")[2], "", "Tea is a hot drink, older than most.", False),
        (aspects("pros and cons of tea")[0], "Tea", "Tea has benefits and one drawback.", True),
        (aspects("pros and cons of tea")[0], "Tea", "Tea grows in Assam.", False),
        (aspects("What is tea used for?")[0], "Tea", "Tea is used for dyeing, for example.", True),
        (aspects("Which drugs treat malaria?")[0], "Artemisinin", "A drug, the usual treatment of malaria.", True),
        (aspects("Which drugs treat malaria?")[0], "Malaria", "Malaria is caused by parasites.", False),
        (definition("penicillin"), "", "", False),
    ],
)  # fmt: skip
def test_what_covers_an_aspect(aspect: Aspect, title: str, body: str, covered: bool) -> None:
    assert (keyword_score(aspect, title, body) >= 0.5) is covered


def state(plan: Plan, *passages: Passage, k: int = 5, hop: int = 1) -> State:
    pool = {p.id: Candidate(p, {"bm25": 1.0}, hop) for p in passages}
    choices = tuple(Choice(p.id, 1.0, "") for p in passages)
    return State("question", k, plan, hop, pool=pool, selection=Selection(choices))


def test_targets_say_what_covers_them_and_since_when(sample: Engine) -> None:
    plan = Plan(aspects=(definition("tea"), replace(definition("coffee"), importance=0.6)))
    context = Context(sample.index())
    first = state(plan, Passage("t", "t", 0, "Tea", "Tea is a drink."))
    coverage = AspectAssessor().assess(first, context)
    assert coverage.targets == (
        Target("Definition/explanation of tea", "aspect:definition", 1.0, 1.0, "t", 1),
        Target("Definition/explanation of coffee", "aspect:definition", 0.0, 0.6, "", 0),
    )
    later = AspectAssessor().assess(replace(first, hop=4, coverage=coverage), context)
    assert later.targets[0].hop == 1


def test_core_and_optional_aspects_have_thresholds_of_their_own(sample: Engine) -> None:
    mentioned = Passage("x", "x", 0, "", "People in many countries of the world drink tea with milk.")
    for importance, covered in ((1.0, False), (0.6, True)):
        plan = Plan(aspects=(replace(definition("tea"), importance=importance),))
        found = AspectAssessor(core=0.5, optional=0.3).assess(state(plan, mentioned), Context(sample.index()))
        assert found.targets[0].covered is covered


def test_a_comparison_is_covered_by_a_passage_for_each_side(sample: Engine) -> None:
    plan = Plan(aspects=aspects("tea vs coffee"))
    sides = (Passage("t", "t", 0, "Tea", "A drink."), Passage("c", "c", 0, "Coffee", "Another."))
    assert AspectAssessor().assess(state(plan, *sides), Context(sample.index())).targets[2].covered_by == "t"
    assert not AspectAssessor().assess(state(plan, sides[0]), Context(sample.index())).targets[2].covered


def test_vectors_only_add(sample: Engine, sample_with_vectors: Engine) -> None:
    plan = Plan(aspects=aspects("Why is mercury dangerous to health, and how is malaria passed on?"))
    ids = ("minamata-disease#0", "ronald-ross#0", "malaria#0")
    passages = sample.store.view().passages(ids).values()
    without = AspectAssessor().assess(state(plan, *passages), Context(sample.index()))
    with_vectors = AspectAssessor().assess(state(plan, *passages), Context(sample_with_vectors.index()))
    pairs = list(zip(without.targets, with_vectors.targets, strict=True))
    assert all(0 <= a.score <= b.score <= 1 for a, b in pairs)
    assert any(a.score < b.score for a, b in pairs)


class Broken:
    identity = "broken:1"
    dimension = 1

    def embed(self, texts: object, *, query: bool = False) -> Vectors:
        raise EmbeddingError("out of order")


def test_a_failing_embedder_leaves_the_keywords(sample: Engine) -> None:
    context = Context(replace(sample.index(), embedder=Broken(), dense=sample.store.view()))
    plan = Plan(aspects=(definition("tea"),))
    assert AspectAssessor().assess(state(plan, Passage("t", "t", 0, "Tea", "A drink.")), context).targets[0].covered
    assert [(n.code, n.data) for n in context.notes] == [("embedder-failed", {"problem": "out of order"})]


# --- queries ---


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is tea?", ["What is tea?"]),
        ("What are black holes and how do they work?", ["What are black holes?", "How do black holes work?"]),
        ("tea vs coffee", ["What is tea?", "What is coffee?", "Difference between tea and coffee"]),
        ("Why is tea healthy?", ["Why is tea healthy?"]),
        ("pros and cons of tea", ["Advantages and disadvantages of tea"]),
        ("an overview of tea and its main health risks", ["What is tea?", "Main health risks of tea"]),
        ("the causes and effects of acid rain", ["Causes of acid rain", "Effects of acid rain"]),
        ("What is tea used for?", ["Uses and examples of tea"]),
    ],
)  # fmt: skip
def test_the_plainest_phrasing_comes_first(question: str, asked: list[str]) -> None:
    assert [phrasings(a)[0] for a in aspects(question)] == asked


def test_the_most_important_uncovered_aspect_is_asked_for_and_nothing_twice(sample: Engine) -> None:
    plan = Plan(aspects=(replace(definition("milk"), importance=0.5), definition("tea"), definition("coffee")))
    context, writer = Context(sample.index()), AspectQueries(whole=False, seeds=0)
    now = State("q", 5, plan)
    asked: list[str] = []
    while queries := writer.write(now, context):
        asked += [q.text for q in queries]
        now = replace(now, hop=now.hop + 1, tried=(*now.tried, *queries))
    assert asked[:3] == ["What is tea?", "What is coffee?", "tea"]
    assert asked[-3:] == ["What is milk?", "milk", "milk meaning"]
    assert len(asked) == len(set(asked))
    covered = Coverage((Target(plan.aspects[1].text, "aspect:definition", 1.0, 1.0, "t"),))
    assert writer.write(State("q", 5, plan, coverage=covered), context)[0].text == "What is coffee?"


# --- budget ---


def choose(now: State, context: Context, margin: float | None = None) -> Selection:
    return Appending(TopScore("bm25"), AspectAssessor(), margin).select(now, context)


def test_a_full_budget_changes_for_what_covers_more(sample: Engine) -> None:
    plan = Plan(aspects=(definition("tea"), definition("coffee")))
    tea, noise = Passage("t", "t", 0, "Tea", "A drink."), Passage("n", "n", 0, "Noise", "Loud.")
    coffee, more = Passage("c", "c", 0, "Coffee", "Another."), Passage("m", "m", 0, "More noise", "Louder.")
    pool = {p.id: Candidate(p, {"bm25": s}, 1) for p, s in ((tea, 1.0), (noise, 5.0), (coffee, 0.5), (more, 9.0))}
    context = Context(sample.index())
    kept = Selection((Choice("n", 5.0, ""), Choice("t", 1.0, "")))
    got = choose(State("q", 2, plan, 2, pool=pool, selection=kept), context)
    assert {c.passage_id for c in got.choices} == {"t", "c"}
    (swap,) = got.replaced
    assert (swap.out, swap.into) == ("n", "c")
    assert swap.reason == "it covers “Definition/explanation of coffee”, the other covers nothing alone"
    # One place only: what covers tea alone stays, whatever else is found.
    alone = choose(State("q", 1, plan, 2, pool=pool, selection=Selection((Choice("t", 1.0, ""),))), context, 0.1)
    assert [c.passage_id for c in alone.choices] == ["t"]


def test_of_two_passages_that_cover_the_same_one_stays(sample: Engine) -> None:
    plan = Plan(aspects=(definition("tea"), definition("coffee"), definition("milk")))
    titles = {"a": "tea", "b": "coffee", "c": "milk", "d": "coffee", "e": "noise", "f": "tea"}
    scores = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0, "e": 1.0, "f": 1.0}
    pool = {i: Candidate(Passage(i, i, 0, t, "Text."), {"bm25": scores[i]}, 1) for i, t in titles.items()}
    kept = Selection(tuple(Choice(i, 0.0, "") for i in "abcd"))
    got = choose(State("q", 4, plan, 2, pool=pool, selection=kept), Context(sample.index()), 0.0)
    assert {titles[c.passage_id] for c in got.choices} >= {"tea", "coffee", "milk"}


@relaxed
@given(data=st.data(), k=st.integers(1, 6), margin=st.sampled_from([None, 0.0, 0.1]))
def test_the_budget_is_filled_kept_and_never_uncovered(
    data: st.DataObject, k: int, margin: float | None, sample: Engine
) -> None:
    things = ["tea", "coffee", "milk"]
    plan = Plan(aspects=tuple(definition(t) for t in things))
    context, now = Context(sample.index()), State("q", k, plan)
    pool: dict[str, Candidate] = {}
    for hop in range(1, 4):
        for id in data.draw(st.lists(st.integers(0, 12), max_size=6)):
            title = things[id % 4] if id % 4 < 3 else "noise"
            passage = Passage(f"p{id}", f"p{id}", 0, title, "Text.")
            pool[passage.id] = Candidate(passage, {"bm25": data.draw(st.floats(0, 9))}, hop)
        now = replace(now, hop=hop, pool=dict(pool))
        selection = choose(now, context, margin)
        ids = [c.passage_id for c in selection.choices]
        assert len(ids) == len(set(ids)) == min(k, len(pool))
        after = replace(now, selection=selection)
        coverage = AspectAssessor().assess(after, context)
        before = {t.name for t in now.coverage.targets if t.covered}
        assert before <= {t.name for t in coverage.targets if t.covered}
        assert selection == choose(now, context, margin)
        now = replace(after, coverage=coverage)


# --- stopping ---


@dataclass(frozen=True)
class Case:
    hop: int
    scores: tuple[float, ...]
    stops: bool
    reason: str
    importance: float = 1.0
    quality: float = 0.0


@pytest.mark.parametrize(
    "case",
    [
        Case(10, (0.0,), True, "reached the limit of 10 hops"),
        Case(2, (1.0, 1.0), False, "below the minimum of 3 hops"),
        Case(3, (0.95, 0.95), True, "all core aspects covered (weighted coverage: 95.0%)"),
        Case(3, (1.0, 0.2), False, "core aspects still uncovered: “1”"),
        Case(3, (0.6, 0.6), False, "weighted coverage 60.0% is below 70%"),
        Case(3, (0.8, 0.2), False, "weighted coverage 50.0% is below 70%", importance=0.5),
        Case(3, (), True, "document quality 0.80 reaches 0.50", quality=0.8),
        Case(3, (), False, "document quality 0.20 is below 0.50", quality=0.2),
    ],
)  # fmt: skip
def test_the_documented_tiers(case: Case) -> None:
    targets = tuple(
        Target(str(i), "aspect:definition", s, case.importance, "p" if s >= 0.5 else "")
        for i, s in enumerate(case.scores)
    )
    choices = Selection((Choice("p", case.quality, ""),))
    now = State("q", 5, Plan(), case.hop, selection=choices, coverage=Coverage(targets))
    decision = AspectStop().decide(now)
    assert (decision.stop, decision.reason) == (case.stops, case.reason)
    assert weighted_coverage(Coverage()) == 0.0


def test_a_query_is_never_blank() -> None:
    for aspect in (Aspect("x", "other"), Aspect("x", "definition"), definition("tea")):
        assert all(Query(p, "").text.strip() for p in phrasings(aspect))
