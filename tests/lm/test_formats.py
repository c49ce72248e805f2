"""The form that an answer is asked for in: JSON by schema on a server of one's own, DSPy's chat elsewhere."""

from __future__ import annotations

import dspy
import pytest

from multihop.lm import open_lm, prompts
from multihop.lm.formats import adapter_of, schema_of
from multihop.lm.meter import refusal_status
from multihop.protocols import Step
from multihop.testing.lm import ScriptedLM

from .able import able, server

SPLIT = Step("claim_decomposition", {"claim": "The ship of Nansen was designed by Colin Archer."})
SAID = {"claim_decomposition": {"sub_questions": ["Which ship was Nansen's?", "Who designed it?"]}}


def test_a_server_of_ones_own_is_sent_the_schema() -> None:
    with server(ScriptedLM(SAID)) as (url, requests):
        [answer] = open_lm("openai/own", base=url).session().ask([SPLIT], hop=0)
    assert answer.values == {"sub_questions": tuple(SAID["claim_decomposition"]["sub_questions"])}
    sent = requests[0]["response_format"]["json_schema"]["schema"]
    assert sent["required"] == ["sub_questions"]
    assert sent["properties"]["sub_questions"]["maxItems"] == 5


def test_a_server_that_refuses_the_schema_is_asked_in_chat_from_then_on() -> None:
    with server(ScriptedLM(SAID), schemas=False) as (url, requests):
        model = open_lm("openai/own", base=url)
        for _ in range(2):
            [answer] = model.session().ask([SPLIT], hop=0)
            assert answer.values is not None, answer.problem
    assert ["response_format" in r for r in requests] == [True, False, False]


def test_a_prompt_that_is_too_long_is_not_taken_for_a_refused_schema() -> None:
    refusal = type("BadRequest", (Exception,), {"status": 400})
    assert refusal_status(refusal("unknown field")) == 400
    assert refusal_status(refusal("the request exceeds the available context size")) is None


def test_a_provider_by_name_is_asked_in_chat() -> None:
    signature = prompts.signature("claim_decomposition")
    assert type(adapter_of(ScriptedLM(able), signature)) is dspy.ChatAdapter


def test_the_adapter_of_the_user_is_kept() -> None:
    own = dspy.XMLAdapter()
    with dspy.context(adapter=own):
        assert adapter_of(open_lm("openai/own", base="http://127.0.0.1:1/v1").lm, None) is own


@pytest.mark.parametrize("name", prompts.NAMES)
def test_every_list_and_text_of_an_answer_is_bounded(name: str) -> None:
    for part in schema_of(prompts.signature(name))["properties"].values():
        if part.get("type") == "array":
            assert part["maxItems"] <= 45
        if part.get("type") == "string":
            assert "enum" in part or part["maxLength"] <= 600
