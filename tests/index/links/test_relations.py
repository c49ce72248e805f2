from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import EmbeddingError, InvalidInput
from multihop.index.links.ledger import Ledger
from multihop.index.links.relations import LEDGER, RelationFinder
from multihop.index.links.rule_judge import RuleJudge
from multihop.index.links.rules import RULES, Cues, RelationRule, check_rules
from multihop.protocols import RelationJudge
from multihop.testing import sample_documents
from multihop.testing.contracts import HashEmbedder, RelationJudgeContract
from multihop.types import Passage, PassagePair, Related, Relation


class TestRuleJudge(RelationJudgeContract):
    @pytest.fixture
    def judge(self) -> RelationJudge:
        return RuleJudge()


def passage(id: str, text: str, title: str = "", position: int = 0) -> Passage:
    return Passage(f"{id}#{position}", id, position, title or id, text)


def judged(
    first: Passage, second: Passage, similarity: float = 0.0, *names: tuple[str, str]
) -> set[tuple[str, str, str]]:
    (found,) = RuleJudge().judge([PassagePair(first, second, similarity, names)])
    return {(r.source, r.kind, r.target) for r in found}


# --- rules ---


def test_a_cue_before_a_name_relates_the_passage_that_says_it() -> None:
    storm = passage("storm", "The storm led to the Great Flood within a day.", "Storm of 1824")
    flood = passage("flood", "The water rose for a week.", "Great Flood")
    assert judged(flood, storm) == {("storm#0", "CAUSES", "flood#0")}


def test_some_cues_point_backwards() -> None:
    famine = passage("famine", "It broke out because of the Great Flood.", "Famine")
    flood = passage("flood", "The water rose for a week.", "Great Flood")
    assert judged(famine, flood) == {("flood#0", "CAUSES", "famine#0")}
    # The longer cue wins: "followed by" is not "followed".
    king = passage("king", "He was succeeded by Margaret Fiennes.", "King")
    heir = passage("heir", "She ruled well.", "Margaret Fiennes")
    assert judged(heir, king) == {("heir#0", "FOLLOWS", "king#0")}


def test_a_cue_far_from_the_name_says_nothing_about_it() -> None:
    storm = passage(
        "storm", "It led to much grief, to long debates and to a new law that nobody in the Great Flood knew."
    )
    flood = passage("flood", "The water rose for a week.", "Great Flood")
    assert judged(flood, storm) == set()


def test_an_alias_is_a_name_when_the_index_says_so() -> None:
    film = passage("film", "It is a sequel to the old one about Nemo.", "Second film")
    first = passage("first", "A film.", "Twenty Thousand Leagues")
    assert judged(film, first) == set()
    assert judged(film, first, 0.0, ("film#0", "nemo")) == {("film#0", "FOLLOWS", "first#0")}


def test_passages_next_to_each_other_follow_and_openings_say_more() -> None:
    one = passage("law", "The fee was too low.", position=0)
    two = passage("law", "As a result, nobody paid it.", position=1)
    three = passage("law", "However, a few gave more.", position=2)
    assert judged(one, two) == {("law#1", "FOLLOWS", "law#0"), ("law#0", "CAUSES", "law#1")}
    assert judged(two, three) == {("law#2", "FOLLOWS", "law#1"), ("law#2", "CONTRADICTS", "law#1")}
    assert judged(one, three) == set()


def test_dates_put_passages_about_the_same_thing_in_order() -> None:
    old = passage("a", "The first treaty was signed in 1815.")
    new = passage("b", "The second treaty was signed in 1856.")
    assert ("b#0", "TEMPORAL_FOLLOWS", "a#0") in judged(old, new, 0.5)
    assert judged(old, new, 0.1) == set()
    assert judged(old, passage("c", "It has 1,856 seats."), 0.4) == set()
    assert ("b#0", "TEMPORAL_FOLLOWS", "a#0") in judged(old, new, 0.35, ("b#0", "a"))


def test_numbers_of_the_same_thing_contradict_each_other() -> None:
    one = passage("a", "Chad plans to cut emissions by 43 % below the level of 2005 until 2030.")
    other = passage("b", "Chad plans to cut emissions by 30% below the level of 2005 until 2030.")
    assert ("a#0", "CONTRADICTS", "b#0") in judged(one, other, 0.6)
    same = passage("c", "Chad plans to cut its emissions by 43 percent below the level of 2005 until 2030.")
    assert ("a#0", "CONTRADICTS", "c#0") not in judged(one, same, 0.6)


def test_a_denial_contradicts_but_not_what_is_said_of_somebody_else() -> None:
    one = passage("a", "Chad signed the treaty on ozone in the capital.")
    other = passage("b", "Chad never signed the treaty on ozone in the capital.")
    elsewhere = passage("c", "Peru never signed the treaty on ozone in the capital.")
    pronoun = passage("d", "It never signed the treaty on ozone in the capital.")
    assert ("a#0", "CONTRADICTS", "b#0") in judged(one, other, 0.6)
    for different in (elsewhere, pronoun):
        assert "CONTRADICTS" not in {kind for _, kind, _ in judged(one, different, 0.6)}


def test_passages_that_say_the_same_support_each_other() -> None:
    one = passage("a", "Reindeer graze on the tundra.")
    other = passage("b", "Reindeer graze on the tundra and on islands in the north.")
    assert judged(one, other, 0.8) == {("a#0", "SUPPORTS", "b#0")}
    assert judged(one, other, 0.2) == set()


def test_a_judgement_names_its_evidence_and_method() -> None:
    storm = passage("storm", "The storm led to the Great Flood.")
    ((found,),) = RuleJudge().judge([PassagePair(passage("flood", "Water.", "Great Flood"), storm)])
    assert found == Relation(
        "storm#0", "flood#0", "CAUSES", 0.665, "“led to” in “The storm led to the Great Flood.”", "rules"
    )


@dataclass(frozen=True)
class Foreign:
    kind: str
    cues: tuple[str, ...]
    confidence: float


def test_rules_of_others_are_taken_over_and_pointed() -> None:
    assert check_rules([Foreign("CAUSES", ("owing to", "brings"), 0.5)]) == (
        RelationRule("CAUSES", ("owing to",), 0.5, reverse=True),
        RelationRule("CAUSES", ("brings",), 0.5),
    )
    assert check_rules(RULES) == RULES


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Foreign("CAUSE", ("x",), 0.5), "rule 1 has the kind 'CAUSE': did you mean 'CAUSES'"),
        (Foreign("CAUSES", (), 0.5), "rule 1 .CAUSES. needs at least one cue"),
        (Foreign("CAUSES", ("?!",), 0.5), "each with a word in it"),
        (Foreign("CAUSES", ("x",), 0.0), "has the confidence 0.0; a confidence is above 0 and at most 1"),
        (Foreign("CAUSES", ("x",), True), "has the confidence True"),
    ],
)
def test_rules_without_meaning_are_refused(rule: Foreign, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_rules([rule])


def test_no_rules_find_no_cues() -> None:
    assert Cues(()).find(" led to ") == []


# --- building ---

STORY = (
    Document("storm", "The storm of 1824 led to the Great Flood within a day.", "Storm of 1824"),
    Document("flood", "In 1824 the Great Flood drowned the lower town.\n\nTherefore, walls were built.", "Great Flood"),
    Document("famine", "The famine broke out because of the Great Flood.", "Famine"),
    Document("music", "A sonata has three movements.", "Sonata"),
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        yield opened


def relations(engine: Engine) -> set[tuple[str, str, str]]:
    view = engine.store.view()
    return {(r.source, r.kind, r.target) for r in view.relations_from([p.id for p in view.scan()])}


CAUSED = {("storm#0", "CAUSES", "flood#0"), ("flood#0", "CAUSES", "famine#0")}


def test_relations_are_found_and_counted(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    done = engine.relate()
    assert relations(engine) >= CAUSED
    assert (done.passages, done.relations, done.rebuilt) == (4, engine.stats().relations, False)


def test_nothing_new_is_nothing_to_do(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    engine.relate()
    generation = engine.refresh()
    assert engine.relate().passages == 0
    assert engine.refresh() == generation


@pytest.mark.parametrize("last", range(len(STORY)))
def test_new_passages_are_related_both_ways(engine: Engine, last: int) -> None:
    """Whichever document comes last, the relations to and from it are found."""
    engine.add([d for d in STORY if d != STORY[last]], whole=True)
    engine.relate()
    engine.add(STORY[last], whole=True)
    assert engine.relate().passages == 1
    assert relations(engine) >= CAUSED


def test_a_changed_document_gets_its_relations_anew(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    engine.relate()
    engine.add(Document("storm", "The storm spared the coast.", "Storm of 1824"), whole=True)
    # It is new, and the flood has lost what was said of it.
    assert engine.relate().passages == 2
    assert CAUSED & relations(engine) == {("flood#0", "CAUSES", "famine#0")}
    engine.delete("famine")
    engine.relate()
    assert not CAUSED & relations(engine)


def test_documents_added_again_as_they_were_get_their_relations_back(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    engine.relate()
    before = relations(engine)
    engine.add(STORY, whole=True)
    assert engine.stats().relations == 0
    engine.relate()
    assert relations(engine) == before


def test_other_rules_and_rebuild_find_everything_anew(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    engine.relate()
    done = engine.relate(rules=[Foreign("EXPLAINS", ("because of",), 0.9)])
    assert (done.rebuilt, done.passages) == (True, 4)
    assert not CAUSED & relations(engine)
    assert ("famine#0", "EXPLAINS", "flood#0") in relations(engine)
    done = engine.relate(rebuild=True)
    assert done.rebuilt and relations(engine) >= CAUSED


def test_a_ledger_that_cannot_be_read_costs_only_time(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    engine.relate()
    before = relations(engine)
    engine.store.put_blob(LEDGER, b"damaged")
    assert engine.relate().passages == 4
    assert relations(engine) == before
    assert Ledger.from_bytes(b"") is None


def test_an_interrupted_call_goes_on_where_it_stopped(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multihop.index.links.relations._STEP", 2)
    monkeypatch.setattr("multihop.index.links.relations._BATCH", 1)
    engine.add(STORY, whole=True)

    def interrupt(stage: str, done: int, total: int | None) -> None:
        if stage == "relating" and done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.relate(progress=interrupt)
    assert engine.relate().passages == 2
    assert relations(engine) >= CAUSED


def test_progress_ends_with_everything_done(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    seen: list[tuple[str, int, int | None]] = []
    engine.relate(progress=lambda *said: seen.append(said))
    assert seen[-1] == ("relating", 4, 4)


def test_vectors_bring_pairs_that_share_no_rare_word(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True, embedder=HashEmbedder()) as engine:
        text = "reindeer graze on wide cold northern plains"
        engine.add([Document("a", text, "A1"), Document("b", text + " still", "B2")], whole=True)
        engine.relate()
        assert ("a#0", "SUPPORTS", "b#0") in relations(engine)


def test_the_same_index_gives_the_same_relations(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        with Engine.open(tmp_path / name, create=True) as engine:
            engine.add(sample_documents())
            engine.relate()
            view = engine.store.view()
            found.append(view.relations_from([p.id for p in view.scan()]))
    assert found[0] == found[1]
    assert len(found[0]) > 15


def test_only_what_is_new_is_read(engine: Engine) -> None:
    engine.add(sample_documents())
    engine.relate()
    engine.add(STORY, whole=True)
    read: list[int] = []
    done = engine.relate(progress=lambda stage, done, total: read.append(done) if stage == "relating" else None)
    assert done.passages == read[-1] == len(STORY)
    assert relations(engine) >= CAUSED


def test_what_named_a_replaced_document_is_related_to_it_again(engine: Engine) -> None:
    """More passages than are looked at from the side of the replaced document."""
    many = [Document(f"famine{i}", f"Famine {i} broke out because of the Great Flood.") for i in range(20)]
    engine.add([STORY[1], *many], whole=True)
    engine.relate()
    before = relations(engine)
    assert sum(kind == "CAUSES" for _, kind, _ in before) == 20
    engine.add(STORY[1], whole=True)
    engine.relate()
    assert relations(engine) == before
    assert engine.relate().passages == 0


@pytest.mark.parametrize(("setting", "values"), [("relations._STEP", (10_000, 7)), ("similarity._CACHED", (1000, 1))])
def test_steps_and_forgotten_passages_do_not_change_what_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, values: tuple[int, int]
) -> None:
    found = []
    for value in values:
        monkeypatch.setattr(f"multihop.index.links.{setting}", value)
        with Engine.open(tmp_path / str(value), create=True) as engine:
            engine.add(sample_documents())
            engine.relate()
            found.append(relations(engine))
    assert found[0] == found[1]


# --- a judge ---


@dataclass(frozen=True)
class Saying:
    """A judge that says the same of every pair."""

    answer: tuple[Relation, ...]

    def judge(self, pairs: Sequence[PassagePair]) -> Sequence[Sequence[Relation]]:
        return [self.answer for _ in pairs]


@dataclass(frozen=True)
class Failing:
    def judge(self, pairs: Sequence[PassagePair]) -> Sequence[Sequence[Relation]]:
        raise EmbeddingError("no answer")


def test_a_judge_adds_what_it_finds(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    surer = Relation("storm#0", "flood#0", "CAUSES", 0.95, "said so", "lm")
    engine.relate(judge=Saying((surer,)))
    assert surer in engine.store.view().relations_from(["storm#0"])


def test_what_a_judge_was_not_asked_about_is_passed_over(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    wrong = (
        Relation("storm#0", "music#0", "CAUSES", 0.9, method="lm"),
        Relation("storm#0", "nowhere#0", "CAUSES", 0.9, method="lm"),
        Relation("storm#0", "flood#0", "CAUSES", 1.5, method="lm"),
        Relation("storm#0", "flood#0", "LIKES", 0.9, method="lm"),  # type: ignore[arg-type]  # as an LM might
    )
    done = engine.relate(judge=Saying(wrong))
    assert done.notes == ("answers of the judge that make no sense were passed over",)
    view = engine.store.view()
    assert all(r.method != "lm" for r in view.relations_from([p.id for p in view.scan()]))


def test_what_a_judge_found_stays_when_rules_go_on_alone(engine: Engine) -> None:
    judge = Saying((Relation("storm#0", "flood#0", "EXPLAINS", 0.95, "said so", "lm"),))
    engine.add(STORY[:2], whole=True)
    engine.relate(judge=judge)
    assert engine.relate() == Related(relations=engine.stats().relations)
    engine.add(STORY[2:], whole=True)
    done = engine.relate()
    assert (done.passages, done.rebuilt) == (2, False)
    assert done.notes[0].startswith("what Saying judged was kept; new passages were related by rules alone")
    assert relations(engine) >= CAUSED | {("storm#0", "EXPLAINS", "flood#0")}
    # Asked again, the judge looks at what it has not seen yet, and only at that.
    done = engine.relate(judge=judge)
    assert (done.passages, done.rebuilt) == (2, False)
    assert engine.relate(judge=judge).passages == 0
    with pytest.raises(
        InvalidInput, match=r"were judged by Saying;.*relate with that judge as well .--lm., or rebuild"
    ):
        engine.relate(rules=[Foreign("EXPLAINS", ("because of",), 0.9)])
    done = engine.relate(rebuild=True)
    assert done.rebuilt and ("storm#0", "EXPLAINS", "flood#0") not in relations(engine)


def test_a_judge_that_fails_leaves_the_rules(engine: Engine) -> None:
    engine.add(STORY, whole=True)
    done = engine.relate(judge=Failing())
    assert done.notes == ("the judge failed, rules alone were used for some passages: no answer",)
    assert relations(engine) >= CAUSED


def test_a_passage_brings_no_more_than_its_share(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        herd = [Document(f"d{i}", "Reindeer graze on the tundra in winter.") for i in range(20)]
        rest = [Document(f"e{i}", f"Something else, number {i}.") for i in range(60)]
        engine.add(herd + rest, whole=True)
        RelationFinder(most=2).relate(engine.store)
        assert 0 < engine.stats().relations <= 40
