"""A real small model, end to end, through the ordinary options of the command line.

It has 135 million parameters and often answers nonsense. That is the point: whatever it says, every question is
answered within its budget, and the trace tells which steps the model did and which were done by rule.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from multihop.engine import Engine
from multihop.testing import sample_questions
from multihop.types import Document

from ..cli.command import process

pytestmark = pytest.mark.lm

K = 3
QUESTIONS = {q.id: q for q in sample_questions()}
LOADING = 120


@pytest.fixture(scope="module")
def options() -> Iterator[list[str]]:
    """The options for a model that is being served."""
    started = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("serve.py"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert started.stdin is not None
    assert started.stdout is not None
    try:
        address = started.stdout.readline().strip()
        assert address, f"the server ended with status {started.wait()}"
        _wait_for(f"{address}/health")
        yield ["--lm", "openai/smollm2", "--lm-base", f"{address}/v1", "--lm-seconds", "150"]
    finally:
        started.stdin.close()
        started.terminate()
        started.wait()
        started.stdout.close()


def _wait_for(address: str) -> None:
    for _ in range(LOADING):
        try:
            with urlopen(address) as answer:
                if answer.status == 200:
                    return
        except URLError:
            time.sleep(1)
    pytest.fail(f"the model was not ready within {LOADING} seconds")


def asked(*arguments: str | Path) -> Any:
    done = process(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(result: Any) -> list[Any]:
    """Check what must hold whatever a model says; gives the calls."""
    ids = [e["passage"]["id"] for e in result["evidence"]]
    assert len(ids) == len(set(ids)) == K
    assert all(e["reason"] for e in result["evidence"])
    assert result["trace"]["lm"] == "openai/smollm2"
    calls: list[Any] = result["trace"]["lm_calls"]
    assert any(call["tokens_in"] > 0 and call["tokens_out"] > 0 for call in calls), calls
    notes = result["trace"]["notes"]
    for call in calls:
        if call["problem"]:
            told = [(note["data"].get("step"), note["data"].get("problem")) for note in notes]
            assert (call["step"], call["problem"]) in told, "done by rule, and said so"
    return calls


@pytest.mark.parametrize(
    ("strategy", "question", "steps"),
    [
        ("gap", "q01", {"claim_decomposition", "gap_analyzer", "entity_extractor", "bridging_entity_identifier"}),
        ("listwise", "q20", {"entity_query_decomposition", "document_reranker"}),
        ("auto", "q40", {"claim_decomposition", "follow_up_queries", "document_reranker"}),
    ],
)
def test_every_strategy_answers(
    strategy: str, question: str, steps: set[str], sample_index: Path, options: list[str]
) -> None:
    text = QUESTIONS[question].text
    calls = check(asked("ask", text, "--index", sample_index, "-k", str(K), "--strategy", strategy, *options))
    assert steps <= {call["step"] for call in calls}


def test_a_prompt_that_is_too_long_is_done_by_rule(sample_index: Path, options: list[str]) -> None:
    """The reranker is shown some forty passages, more than the context of this server takes."""
    text = QUESTIONS["q01"].text
    calls = check(asked("ask", text, "--index", sample_index, "-k", str(K), "--strategy", "listwise", *options))
    [last] = [call for call in calls if call["step"] == "document_reranker"]
    assert last["problem"] == "the prompt is too long for it"


def test_a_value_of_a_survey_stands_where_it_is_quoted(tmp_path: Path, options: list[str]) -> None:
    said = "Norway commits to reduce its greenhouse gas emissions by 55 per cent by 2030 compared to 1990 levels."
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.add([Document("no", f"{said} Forests cover 38% of the land.", metadata={"country": "Norway"})])
    found = asked("survey", "--profile", "climate", "--question", "1", "--index", tmp_path / "ndc.mh", *options)
    [answer] = found["results"][0]["questions"].values()
    # Whatever the model says, the value of the rules is there, and what it adds stands in the passage.
    assert "55%" in [finding["value"] for finding in answer["findings"]]
    assert all(finding["sentence"] in answer["top_k_chunks"][0]["content"] for finding in answer["findings"])
    quoted = [finding for finding in answer["findings"] if finding["found_by"] != "rules"]
    assert len(quoted) <= 1
    assert not (quoted and any("language model" in note for note in answer["notes"]))


def test_a_verdict_or_an_honest_error(sample_index: Path, options: list[str]) -> None:
    claim = next(q.text for q in sample_questions() if q.kind == "claim")
    done = process("verdict", claim, "--index", sample_index, "-k", str(K), "--strategy", "bm25", "--json", *options)
    if done.returncode:
        (line,) = [said for said in done.stderr.splitlines() if said.startswith("error: ")]
        assert "gave no verdict" in line
        return
    said = json.loads(done.stdout)
    assert said["label"] in ("supported", "contradicted", "undecided")
    texts = {e["passage"]["id"]: e["passage"]["text"] for e in said["result"]["evidence"]}
    assert all(s["quote"]["text"] in texts[s["quote"]["passage_id"]] for s in said["sentences"])
