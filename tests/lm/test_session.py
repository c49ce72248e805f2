"""A model during one question: faults of every kind, retries, limits, the cache, and order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Event, active_count
from typing import Any

import dspy
import pytest

from multihop.errors import InvalidInput
from multihop.lm import Limits, Model, language_model, model_of
from multihop.lm.cache import ResponseCache
from multihop.protocols import LanguageModel, Step
from multihop.testing.contracts import LanguageModelContract
from multihop.testing.lm import FAULTS, Fault, Faults, ScriptedLM

from ..patience import ENOUGH

SPLIT = Step("claim_decomposition", {"claim": "A claim."})
GAP = Step("gap_analyzer", {"claim": "A claim."})
SCRIPT: dict[str, Any] = {
    "claim_decomposition": {"sub_questions": ["One?", "Two?"]},
    "gap_analyzer": {"missing_facts": ["A fact."], "query": "the fact"},
    "document_reranker": {"ranked_ids": [2, 1]},
}
EXPECTED = {
    "malformed": "its answer could not be read",
    "empty": "its answer was empty",
    "truncated": "its answer could not be read",
    "refusal": "it refused to answer",
    "slow": "it did not answer in time",
    "unreachable": "it could not be reached",
    "rate limit": "it is rate limited",
    "broken": "it failed (ZeroDivisionError)",
}


class TestModel(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return Model(ScriptedLM(SCRIPT))

    @pytest.fixture
    def step(self) -> Step:
        return SPLIT


class TestClient(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel | None:
        return language_model(lambda prompt: '[{"aspect": "Tea", "type": "definition"}]')

    @pytest.fixture
    def step(self) -> Step:
        return Step("query_aspects", {"question": "What is tea?"})


def test_answers_are_plain_typed_values() -> None:
    session = Model(ScriptedLM(SCRIPT)).session()
    split, gap = session.ask([SPLIT, GAP], hop=0)
    assert split.values == {"sub_questions": ("One?", "Two?")}
    assert gap.values == {"missing_facts": ("A fact.",), "query": "the fact"}
    assert [(c.step, c.outcome, c.tokens_in, c.tokens_out) for c in session.calls] == [
        ("claim_decomposition", "ok", 100, 20),
        ("gap_analyzer", "ok", 100, 20),
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_becomes_a_reason(fault: Fault) -> None:
    lm = ScriptedLM(SCRIPT, Faults((fault,), slow=1.0))
    session = Model(lm, Limits(seconds=0.2 if fault == "slow" else 60.0), sleep=lambda seconds: None).session()
    [answer] = session.ask([GAP], hop=0)
    assert answer.values is None
    assert answer.problem == EXPECTED[fault]
    [call] = session.calls
    assert (call.outcome, call.problem) == ("failed", EXPECTED[fault])


def test_a_rate_limit_is_waited_out_as_long_as_the_provider_says() -> None:
    slept: list[float] = []
    lm = ScriptedLM(SCRIPT, Faults(("rate limit",), times=2, retry_after=7.0))
    session = Model(lm, sleep=slept.append).session()
    [answer] = session.ask([SPLIT], hop=0)
    assert answer.values is not None
    assert slept == [7.0, 7.0]
    assert session.calls[0].attempts == 3


def test_without_a_hint_the_pauses_grow() -> None:
    slept: list[float] = []
    Model(ScriptedLM(SCRIPT, Faults(("rate limit",))), sleep=slept.append).session().ask([SPLIT], hop=0)
    assert slept == [0.5, 1.0, 2.0, 4.0]


def test_no_pause_is_longer_than_the_time_left() -> None:
    slept: list[float] = []
    lm = ScriptedLM(SCRIPT, Faults(("rate limit",), retry_after=500.0))
    [answer] = Model(lm, Limits(seconds=100), sleep=slept.append).session().ask([SPLIT], hop=0)
    assert (answer.problem, slept) == ("it is rate limited", [])


def test_an_unreachable_model_is_not_asked_again() -> None:
    lm = ScriptedLM(SCRIPT, Faults(("unreachable",)))
    Model(lm).session().ask([SPLIT], hop=0)
    assert len(lm.asked) == 1


def test_steps_beyond_the_limit_are_refused_in_order() -> None:
    lm = ScriptedLM(SCRIPT)
    session = Model(lm, Limits(calls=1)).session()
    first, second = session.ask([SPLIT, GAP], hop=0)
    assert first.values is not None
    assert second.problem == "the limit of 1 calls is reached"
    assert [c.attempts for c in session.calls] == [1, 0]
    assert [a.step for a in lm.asked] == ["claim_decomposition"]


def test_each_question_has_its_own_books() -> None:
    model = Model(ScriptedLM(SCRIPT), Limits(calls=1))
    assert all(model.session().ask([SPLIT], hop=0)[0].values for _ in range(3))


def test_steps_of_a_hop_run_at_the_same_time() -> None:
    met = [Event(), Event()]

    def script(step: str, inputs: Mapping[str, str]) -> Any:
        mine, other = met if step == "claim_decomposition" else reversed(met)
        mine.set()
        assert other.wait(ENOUGH), "the other step never began"
        return SCRIPT[step]

    assert all(answer.values for answer in Model(ScriptedLM(script)).session().ask([SPLIT, GAP], hop=0))


def test_answers_come_in_the_order_asked_whoever_is_first() -> None:
    second = Event()

    def script(step: str, inputs: Mapping[str, str]) -> Any:
        if step == "claim_decomposition":
            assert second.wait(ENOUGH)
        else:
            second.set()
        return SCRIPT[step]

    session = Model(ScriptedLM(script)).session()
    split, gap = session.ask([SPLIT, GAP], hop=0)
    assert split.values is not None and "sub_questions" in split.values
    assert gap.values is not None and "query" in gap.values
    assert [c.step for c in session.calls] == ["claim_decomposition", "gap_analyzer"]


def test_a_late_answer_changes_nothing() -> None:
    free, done = Event(), Event()

    def script(step: str, inputs: Mapping[str, str]) -> Any:
        free.wait(ENOUGH)
        done.set()
        return SCRIPT[step]

    session = Model(ScriptedLM(script), Limits(seconds=0.05)).session()
    [answer] = session.ask([SPLIT], hop=0)
    before = session.calls
    free.set()
    assert done.wait(ENOUGH)
    assert answer.values is None
    assert session.calls == before
    assert session.ask([GAP], hop=1)[0].problem == "the limit of 0.05 seconds is reached"


def test_threads_do_not_pile_up() -> None:
    session = Model(ScriptedLM(SCRIPT), Limits(calls=100)).session()
    before = active_count()
    for _ in range(20):
        session.ask([SPLIT, GAP], hop=0)
    assert active_count() <= before


def test_the_cache_answers_the_second_time(tmp_path: Path) -> None:
    lm = ScriptedLM(SCRIPT)
    model = Model(lm, cache=ResponseCache(tmp_path / "answers.db"))
    first, second = (model.session() for _ in range(2))
    assert first.ask([SPLIT], hop=0) == second.ask([SPLIT], hop=0)
    assert len(lm.asked) == 1
    assert [s.calls[0].outcome for s in (first, second)] == ["ok", "cached"]
    assert first.calls == second.calls, "what an answer cost is no part of the result"


def test_answers_that_could_not_be_used_are_not_cached(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.db")
    bad = Model(ScriptedLM(SCRIPT, Faults(("malformed",))), cache=cache)
    assert bad.session().ask([SPLIT], hop=0)[0].values is None
    good = Model(ScriptedLM(SCRIPT), cache=cache).session()
    assert good.ask([SPLIT], hop=0)[0].values is not None
    assert good.calls[0].outcome == "ok"


def test_the_modules_of_a_program_are_used_where_it_has_them() -> None:
    class Mine(dspy.Module):  # type: ignore[misc]  # dspy has no types
        def __init__(self) -> None:
            super().__init__()
            self.claim_decomposition = dspy.Predict("claim -> sub_questions: list[str]")

    seen: list[str] = []

    class Listening(ScriptedLM):
        def __call__(self, prompt: Any = None, *, messages: Any = None, **parameters: Any) -> list[str]:
            seen.append(messages[0]["content"])
            return super().__call__(prompt, messages=messages, **parameters)

    mine = Mine()
    mine.claim_decomposition.signature = mine.claim_decomposition.signature.with_instructions("MINE")
    answers = Model(Listening(SCRIPT), prompts=mine).session().ask([SPLIT, GAP], hop=0)
    assert all(a.values for a in answers)
    assert sorted("MINE" in prompt for prompt in seen) == [False, True]


def test_settings_of_the_caller_hold_in_the_threads() -> None:
    with dspy.context(adapter=dspy.JSONAdapter()):
        said = ScriptedLM(lambda step, inputs: '{"sub_questions": ["One?"]}')
        [answer] = Model(said).session().ask([SPLIT], hop=0)
    assert answer.values == {"sub_questions": ("One?",)}


def test_the_history_of_the_model_stays_empty() -> None:
    lm = ScriptedLM(SCRIPT)
    Model(lm).session().ask([SPLIT], hop=0)
    assert lm.history == []


def test_a_model_may_be_given_in_several_forms() -> None:
    lm = ScriptedLM(SCRIPT)
    made = model_of(lm)
    assert made is not None and made.name == "scripted/model"
    assert model_of(made) is made
    assert model_of(None) is None
    with pytest.raises(InvalidInput, match="a language model is a LiteLLM name"):
        model_of(42)


@pytest.mark.parametrize(
    ("declared", "said", "kept"),
    [
        ("sub_questions: str", "Only one?", ("Only one?",)),
        ("sub_questions: list[int]", "[1, 2]", None),
        ("answer: str", "x", None),
    ],
)
def test_a_program_with_other_types_is_kept_to_those_of_the_step(declared: str, said: str, kept: Any) -> None:
    class Mine:
        claim_decomposition = dspy.Predict(f"claim -> {declared}")

    field = declared.partition(":")[0]
    lm = ScriptedLM(lambda step, inputs: f"[[ ## {field} ## ]]\n{said}\n[[ ## completed ## ]]")
    [answer] = Model(lm, prompts=Mine()).session().ask([SPLIT], hop=0)
    assert (answer.values and answer.values["sub_questions"]) == kept
    assert bool(answer.problem) == (kept is None)
