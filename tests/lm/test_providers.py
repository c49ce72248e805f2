"""Opening a model by name, and asking it over HTTP as users do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, install_command
from multihop.lm import Limits, LmSpec, open_lm
from multihop.protocols import Step
from multihop.testing import sample_questions
from multihop.testing.lm import ScriptedLM

from .able import able, server

QUESTION = sample_questions()[0]
SPLIT = Step("claim_decomposition", {"claim": QUESTION.text})


def test_a_model_behind_a_server_answers(sample: Engine) -> None:
    with server(ScriptedLM(able)) as (url, requests):
        result = sample.retrieve(QUESTION.text, k=5, strategy="gap", lm=open_lm("openai/scripted", base=url))
    assert {c.outcome for c in result.trace.lm_calls} == {"ok"}
    assert [c.tokens_in for c in result.trace.lm_calls] == [70] * len(requests)
    assert result.trace.lm == "openai/scripted"
    assert {r["path"] for r in requests} == {"/v1/chat/completions"}


@pytest.mark.release  # LiteLLM, which asks it, takes seconds to import
def test_ollama_is_asked_where_it_listens() -> None:
    with server(ScriptedLM(able)) as (url, requests):
        session = open_lm("ollama_chat/qwen3", base=url.removesuffix("/v1")).session()
        [answer] = session.ask([SPLIT], hop=0)
    assert answer.values is not None, answer.problem
    assert (requests[0]["path"], requests[0]["model"]) == ("/api/chat", "qwen3")
    assert session.calls[0].tokens_in == 70


def test_a_server_that_asks_to_wait_is_asked_again() -> None:
    slept: list[float] = []
    with server(ScriptedLM(able), refuse=2) as (url, requests):
        model = open_lm("openai/scripted", base=url)
        session = type(model)(model.lm, sleep=slept.append).session()
        [answer] = session.ask([SPLIT], hop=0)
    assert answer.values is not None
    assert (len(requests), slept, session.calls[0].attempts) == (3, [0.0, 0.0], 3)


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine")
    with server(ScriptedLM(able)) as (url, requests):
        spec = LmSpec("openai/scripted", url)
        spec.open().session().ask([SPLIT], hop=0)
    assert requests[0]["key"] == "Bearer sk-secret-of-mine"
    assert "sk-secret-of-mine" not in repr(spec) + str(spec.describe())


def test_a_server_that_is_not_there_costs_only_the_model(sample: Engine) -> None:
    with server(ScriptedLM(able)) as (url, _):
        pass
    result = sample.retrieve(QUESTION.text, k=5, strategy="listwise", lm=open_lm("openai/scripted", base=url))
    assert len(result.evidence) == 5
    assert {c.problem for c in result.trace.lm_calls} == {"it could not be reached"}


def test_answers_are_kept_where_the_user_says(tmp_path: Path) -> None:
    with server(ScriptedLM(able)) as (url, requests):
        for _ in range(2):
            open_lm("openai/scripted", base=url, cache=tmp_path / "answers.db").session().ask([SPLIT], hop=0)
    assert len(requests) == 1


@pytest.mark.parametrize("name", ["gpt-4.1-mini", "", "/", "openai/", "openai/ "])
def test_a_name_has_a_provider_and_a_model(name: str) -> None:
    with pytest.raises(InvalidInput, match="provider/model"):
        open_lm(name)


@pytest.mark.parametrize("base", ["localhost:11434", "file:///etc/passwd", ""])
def test_an_address_is_one_of_the_web(base: str) -> None:
    with pytest.raises(InvalidInput, match="must start with http"):
        open_lm("openai/x", base=base)


def test_limits_travel_with_the_spec() -> None:
    assert LmSpec("openai/x", limits=Limits(calls=3)).open().limits.calls == 3


def test_without_dspy_the_package_works_and_says_what_is_missing() -> None:
    program = (
        "import sys; sys.modules['dspy'] = None\n"
        "import multihop.engine, multihop.strategies, multihop.evaluation.runs\n"
        "from multihop.lm import open_lm\n"
        "try: open_lm('openai/x')\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(install_command("lm"))
