"""The options for a language model, over HTTP as users have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from multihop.testing import sample_questions
from multihop.testing.lm import Faults, ScriptedLM

from ..lm.able import able, server
from .command import failure, forked, run, run_json

QUESTION = sample_questions()[0].text


def test_ask_uses_the_model_and_shows_what_it_cost(index: Path) -> None:
    with server(ScriptedLM(able)) as (url, requests):
        done = run("ask", QUESTION, "--index", index, "-k", "3", "--strategy", "gap", "--lm", "openai/scripted",
                   "--lm-base", url, "--explain")  # fmt: skip
    assert done.exit_code == 0
    assert "language model: claim_decomposition: ok, 70 + 30 tokens" in done.stdout
    assert "language model openai/scripted" in done.stdout
    assert len(requests) == 7
    assert done.stderr == ""


def test_auto_makes_three_calls_and_json_tells_of_them(index: Path) -> None:
    with server(ScriptedLM(able)) as (url, _):
        result = run_json("ask", QUESTION, "--index", index, "-k", "3", "--lm", "openai/scripted", "--lm-base", url)
    assert [c["step"] for c in result["trace"]["lm_calls"]] == [
        "claim_decomposition",
        "follow_up_queries",
        "document_reranker",
    ]


def test_a_model_that_fails_is_a_warning(index: Path) -> None:
    with server(ScriptedLM(able, Faults(("empty",)))) as (url, _):
        done = run("ask", QUESTION, "--index", index, "-k", "3", "--lm", "openai/scripted", "--lm-base", url)
    assert done.exit_code == 0
    assert (
        done.stderr
        == "warning: the language model failed in 3 of 3 calls; rules were used instead: its answer was empty\n"
    )


def test_limits_and_cache_are_obeyed(index: Path, tmp_path: Path) -> None:
    options = ("--lm", "openai/scripted", "--lm-calls", "2", "--lm-cache", str(tmp_path / "answers.db"))
    with server(ScriptedLM(able)) as (url, requests):
        for _ in range(2):
            run("ask", QUESTION, "--index", index, "--strategy", "gap", *options, "--lm-base", url)
    assert len(requests) == 2


def test_verdict_quotes_its_sentences(index: Path) -> None:
    with server(ScriptedLM(able)) as (url, _):
        options = ("--index", index, "-k", "3", "--lm", "openai/scripted", "--lm-base", url)
        shown = run("verdict", "Colin Archer drew the Fram.", *options).stdout
        plain = run_json("verdict", "Colin Archer drew the Fram.", *options)
    assert shown.splitlines()[0] == f"supported  confidence {plain['confidence']:.2f}"
    assert shown.splitlines()[1] == plain["reasoning"]
    assert plain["label"] == "supported"
    assert len(plain["sentences"]) == 2


def test_verdict_works_without_a_language_model(index: Path) -> None:
    claim = "Colin Archer came into the world in Larvik in 1832."
    shown = run("verdict", claim, "--index", index).stdout
    assert shown.splitlines()[0].startswith("supported  confidence 0.")
    assert "Colin Archer came into the world in Larvik in 1832, the son of Scottish emigrants." in shown
    fast = run("verdict", claim, "--index", index, "--fast").stdout
    assert fast.splitlines()[:2] == ["undecided  confidence 0.00", "The closest sentence is:"]
    assert "no verifier checked this" in fast


def test_verdict_of_a_model_that_fails_is_an_error_with_the_evidence(index: Path) -> None:
    with server(ScriptedLM(able, Faults(("malformed",)))) as (url, _):
        options = ("--index", index, "--lm", "openai/scripted", "--lm-base", url)
        done = run("verdict", "Colin Archer drew the Fram.", *options)
    assert done.exit_code == 1
    said = "error: the language model openai/scripted gave no verdict: its answer could not be read"
    assert done.stderr.startswith(said)
    assert "fram-ship#0" in done.stdout


def test_an_answer_of_a_model_shows_what_its_statements_cite(index: Path) -> None:
    script = {
        "cited_answer": {"answer": "Colin Archer", "statements": ["Colin Archer drew the Fram. [1, 2, 3, 4, 5, 6]"]}
    }
    with server(ScriptedLM(script)) as (url, _):
        options = ("--index", index, "-k", "3", "--strategy", "bm25", "--lm", "openai/scripted", "--lm-base", url)
        shown = run("answer", "Who drew the Fram?", *options).stdout
    assert shown.splitlines()[0].startswith("Colin Archer  ")
    assert "Colin Archer drew the Fram.  [" in shown


@pytest.mark.parametrize("option", [("--lm-base", "http://localhost"), ("--lm-calls", "3"), ("--lm-cache", "file")])
def test_options_without_the_model_itself_are_refused(option: tuple[str, str], index: Path) -> None:
    assert "need --lm" in failure("ask", "x", "--index", index, *option, status=2)


@pytest.mark.parametrize(("name", "said"), [("gpt-4.1-mini", "provider/model"), ("", "provider/model")])
def test_a_wrong_name_is_one_line(name: str, said: str, index: Path) -> None:
    assert said in failure("ask", "x", "--index", index, "--lm", name)


def test_eval_counts_calls_and_tokens(tmp_path: Path) -> None:
    folder = _beir(tmp_path)
    with server(ScriptedLM(able)) as (url, requests):
        options = (
            "--strategies",
            "gap,bm25",
            "-k",
            "3",
            "--out",
            tmp_path / "run",
            "--lm",
            "openai/scripted",
            "--lm-base",
            url,
        )
        summary = run_json("eval", folder, *options)
    by_name = {s["name"]: s for s in summary["systems"]}
    assert by_name["gap"]["lm_calls"] == len(requests) / 2
    assert by_name["gap"]["lm_tokens"] == 100 * by_name["gap"]["lm_calls"]
    assert by_name["bm25"]["lm_calls"] == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["lm"]["model"] == "openai/scripted"


def test_the_key_is_never_shown(index: Path) -> None:
    with server(ScriptedLM(able, Faults(("malformed",)))) as (url, requests):
        done = forked("ask", QUESTION, "--index", index, "--lm", "openai/scripted", "--lm-base", url, "--explain",
                      "--json", OPENAI_API_KEY="sk-secret-of-mine")  # fmt: skip
    assert requests[0]["key"] == "Bearer sk-secret-of-mine"
    assert "sk-secret-of-mine" not in done.stdout + done.stderr


def _beir(folder: Path) -> Path:
    set_ = folder / "set"
    (set_ / "qrels").mkdir(parents=True)
    documents = [{"_id": f"d{i}", "title": f"Ship {i}", "text": f"The ship {i} of Amundsen."} for i in range(5)]
    queries = [{"_id": f"q{i}", "text": f"Which ship {i} did Amundsen sail?"} for i in range(2)]
    (set_ / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (set_ / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    rows = "".join(f"q{i}\td{i}\t1\n" for i in range(2))
    for split in ("dev", "test"):
        (set_ / "qrels" / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    return set_


def test_a_strategy_that_asks_no_model_says_so(index: Path) -> None:
    with server(ScriptedLM(able)) as (url, requests):
        options = ("--index", index, "-k", "2", "--strategy", "replace", "--lm", "openai/scripted", "--lm-base", url)
        done = run("ask", "What is the Fram?", *options)
    assert requests == []
    assert "warning: the strategy 'replace' asks no language model" in done.stderr
