"""Runs: resumable, repeatable, the same whatever the number of workers, and honest about failures."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, InvalidRecord, UnknownName
from multihop.evaluation import tables
from multihop.evaluation.comparison import compare
from multihop.evaluation.datasets import Dataset, Question
from multihop.evaluation.runs import Run, execute, load_run
from multihop.evaluation.summary import summarize
from multihop.evaluation.system_answers import BELOW, NEVER_REACHED, REPLACED, SystemAnswer
from multihop.evaluation.systems import StrategySystem
from multihop.evaluation.trec import read_qrels, read_run, write_qrels
from multihop.lm import Limits, LmSpec, Model
from multihop.strategies import AUTO, BM25, strategy
from multihop.testing.lm import ScriptedLM

from ..lm.able import able, server
from .test_measures import needs_trec_eval


def timeless(file: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in row.items() if k not in ("seconds", "stages")} for row in rows]


@pytest.fixture(scope="module")
def run(dataset: Dataset, index: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return execute(dataset, index, ["auto", "bm25", "bm25s"], 5, tmp_path_factory.mktemp("runs") / "a")


def test_run_holds_everything_to_repeat_it(run: Run, dataset: Dataset) -> None:
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert manifest["dataset"]["corpus_hash"] == dataset.corpus_hash()
    assert manifest["index"]["generation"] == 1
    assert manifest["systems"]["auto"] == json.loads(json.dumps(AUTO.describe()))
    assert {"k", "embedder", "lm", "prompts", "seed", "versions"} <= set(manifest)
    assert load_run(run.folder) == run


@pytest.mark.parametrize("name", ["auto", "replace", "bm25"])
def test_what_is_measured_is_what_the_engine_gives(name: str, dataset: Dataset, index: Path) -> None:
    with Engine.open(index) as engine:
        for question in dataset.questions[:6]:
            measured = StrategySystem(engine, strategy(name)).answer(question, 8)
            given = engine.retrieve(question.text, k=8, strategy=name)
            assert measured.documents == tuple(e.passage.document_id for e in given)


def test_workers_do_not_change_the_answers(run: Run, dataset: Dataset, index: Path, tmp_path: Path) -> None:
    few = replace(dataset, questions=dataset.questions[:6])
    execute(few, index, ["auto"], 5, tmp_path / "b", workers=2)
    assert timeless(tmp_path / "b" / "auto.jsonl") == timeless(run.folder / "auto.jsonl")[:6]
    ranked = (tmp_path / "b" / "auto.run").read_bytes()
    assert ranked.count(b"\n") == 6 * 5
    assert (run.folder / "auto.run").read_bytes().startswith(ranked)


def test_interrupted_run_goes_on_where_it_stopped(run: Run, dataset: Dataset, index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    execute(dataset, index, ["auto"], 5, folder)
    lines = (folder / "auto.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    marked = json.loads(lines[0])
    marked["seconds"] = 123.0
    cut = json.dumps(marked) + "\n" + "".join(lines[1:7]) + lines[7][:40]
    (folder / "auto.jsonl").write_text(cut, encoding="utf-8")
    seen: list[int] = []
    resumed = execute(dataset, index, ["auto"], 5, folder, report=lambda _, done, __: seen.append(done))
    assert seen == list(range(7, 21))
    assert resumed.answers["auto"][dataset.questions[0].id].seconds == 123.0
    assert timeless(folder / "auto.jsonl") == timeless(run.folder / "auto.jsonl")


def test_folder_with_another_run_is_refused_until_fresh(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    execute(dataset, index, ["bm25"], 5, tmp_path / "d")
    with pytest.raises(InvalidInput, match=r"contains a run with a different value of 'k'; .* --fresh"):
        execute(dataset, index, ["bm25"], 6, tmp_path / "d")
    assert execute(dataset, index, ["bm25"], 6, tmp_path / "d", fresh=True).k == 6


def test_systems_can_be_added_to_a_run(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    execute(dataset, index, ["bm25"], 5, tmp_path / "e")
    added = execute(dataset, index, ["auto"], 5, tmp_path / "e")
    assert (list(added.answers), list(added.manifest["systems"]), added.others) == (["auto"], ["auto"], ("bm25",))
    both = load_run(tmp_path / "e")
    assert (set(both.answers), both.others) == ({"bm25", "auto"}, ())


def test_unknown_system_is_named_with_the_nearest(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        execute(dataset, index, ["atuo"], 5, tmp_path / "f")


def test_failing_question_is_recorded_and_the_rest_answered(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    def moody(question: str, k: int) -> list[str]:
        if question == dataset.questions[4].text:
            raise ValueError("not today")
        return ["fram-ship", "colin-archer", "mount-erebus", "hms-erebus", "roald-amundsen"][:k]

    with pytest.warns(UserWarning, match="moody failed on 1 question, scored as not found; on 'q05': ValueError: not"):
        found = execute(dataset, index, [moody, "bm25"], 5, tmp_path / "g")
    failed = {q: a.error for q, a in found.answers["moody"].items() if a.error}
    assert failed == {dataset.questions[4].id: "ValueError: not today"}
    summary = summarize(found)
    assert {s.name: s.failed for s in summary.systems} == {"bm25": 0, "moody": 1}
    assert "failed" in tables.markdown(summary)


def test_missing_gold_has_a_fate(index: Path) -> None:
    with Engine.open(index) as engine:
        question = Question(
            "x", "Which ship did Roald Amundsen borrow?", ("roald-amundsen", "mercury-planet", "nowhere")
        )
        lost = {x.document: x for x in StrategySystem(engine, BM25).answer(question, 1).losses}
        assert lost["nowhere"].fate == NEVER_REACHED
        assert set(lost) <= {"roald-amundsen", "mercury-planet", "nowhere"}
        below = StrategySystem(engine, BM25).answer(
            replace(question, gold=("colin-archer", "fram-ship", "roald-amundsen")), 1
        )
        ranked = [x for x in below.losses if x.fate == BELOW]
        assert ranked
        assert all(x.rank is not None and x.rank > 1 for x in ranked)


def test_gold_that_was_selected_and_replaced_is_told(dataset: Dataset, index: Path) -> None:
    with Engine.open(index) as engine:
        system = StrategySystem(engine, AUTO)
        for question in dataset.questions:
            hops = system.answer(question, 3).trace["hops"]
            left = [id.rpartition("#")[0] for hop in hops for id in hop["left"]]
            if left:
                answer = system.answer(replace(question, gold=(left[0],)), 3)
                if left[0] not in answer.documents:
                    assert [x.fate for x in answer.losses] == [REPLACED]
                    return
    raise AssertionError("no question of the sample replaces a passage at k = 3")


def test_answers_survive_the_round_trip(run: Run) -> None:
    for answer in run.answers["auto"].values():
        assert SystemAnswer.from_json(answer.to_json()) == answer


def test_trec_files_read_back(run: Run) -> None:
    assert read_run(run.folder / "auto.run") == {q: a.documents for q, a in run.answers["auto"].items()}
    assert read_qrels(run.folder / "qrels.txt") == run.qrels


@needs_trec_eval
def test_the_files_of_a_run_give_others_the_same_numbers(run: Run) -> None:
    library: Any = importlib.import_module("ir_measures")  # it has no types
    wanted = {
        "ndcg@5": library.nDCG @ 5,
        "recall@5": library.R @ 5,
        "precision@5": library.P @ 5,
        "mrr@5": library.RR @ 5,
    }
    qrels = list(library.read_trec_qrels(str(run.folder / "qrels.txt")))
    for system in summarize(run).systems:
        ranked = list(library.read_trec_run(str(run.folder / f"{system.name}.run")))
        found = library.calc_aggregate(list(wanted.values()), qrels, ranked)
        for name, measure in wanted.items():
            assert system.measures[name].mean == pytest.approx(found[measure]), (system.name, name)


@pytest.mark.parametrize("id", ["a\u00a0b", "a\u2003b\u3000", "a b+c", "50%C2%A0 %25", "a\u1680", "é%09"])
def test_ids_with_any_white_space_read_back(tmp_path: Path, id: str) -> None:
    write_qrels(tmp_path / "qrels.txt", {id: [id, "other"]})
    assert read_qrels(tmp_path / "qrels.txt") == {id: (id, "other")}
    assert all(len(line.split()) == 4 for line in (tmp_path / "qrels.txt").read_text(encoding="utf-8").splitlines())


def test_ids_that_other_tools_wrote_with_odd_white_space(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q\u00a01 0 a\u00a0b 1\n", encoding="utf-8")
    assert read_qrels(tmp_path / "qrels.txt") == {"q\u00a01": ("a\u00a0b",)}


def test_qrels_naming_unknown_documents_say_file_and_row(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("q1 0 a 1\nq1 0 b 1\n")
    with pytest.raises(InvalidRecord, match=r"qrels.txt:2: the document 'b' is not in the corpus"):
        read_qrels(file, known={"a"})
    file.write_text("q1 0 a\n")
    with pytest.raises(InvalidRecord, match=r"qrels.txt:1: expected 4 columns, found 3"):
        read_qrels(file)


def test_summary_and_tables_agree(run: Run) -> None:
    summary = summarize(run)
    assert [s.name for s in summary.systems] == ["bm25", "auto", "bm25s"]
    auto = summary.systems[1]
    assert auto.measures["all-gold@5"].mean > summary.systems[0].measures["all-gold@5"].mean
    assert auto.curve[-1][1] == pytest.approx(auto.measures["all-gold@5"].mean)
    assert sum(auto.lost.counts.values()) == sum(len(a.losses) for a in run.answers["auto"].values())
    text = tables.markdown(summary)
    assert f"{auto.measures['all-gold@5'].mean:.3f}" in text
    assert "2 hops" in text
    json.loads(tables.as_json(summary))
    assert tables.comma_separated(summary).count("\n") == 1 + 3 * (len(auto.measures) + 2)
    assert "never reached" in tables.losses(run, summary)


def test_comparison_counts_wins_and_losses(run: Run) -> None:
    found = compare(run, run, "bm25", "auto")
    value = found.differences["all-gold@5"]
    assert value.wins - value.losses == pytest.approx(value.mean * found.questions)
    assert len(found.changes) == value.wins + value.losses
    with pytest.raises(InvalidInput, match="name one as"):
        compare(run, run)


def test_comparison_of_different_questions_is_refused(run: Run, dataset: Dataset, index: Path, tmp_path: Path) -> None:
    fewer = replace(dataset, questions=dataset.questions[:10])
    other = execute(fewer, index, ["bm25"], 5, tmp_path / "h")
    with pytest.raises(
        InvalidInput, match=r"different questions: 10 are in one only, such as 'q11' in .*questions.jsonl"
    ):
        compare(run, other, "bm25", "bm25")


def test_a_language_model_is_opened_in_every_worker(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    with server(ScriptedLM(able)) as (url, requests):
        spec = LmSpec("openai/scripted", url, Limits(calls=2))
        few = replace(dataset, questions=dataset.questions[:4])
        run = execute(few, index, ["gap"], 5, tmp_path / "lm", workers=2, lm=spec)
    assert len(requests) == 8
    assert [a.lm_calls for a in run.answers["gap"].values()] == [2] * 4
    assert [a.lm_tokens for a in run.answers["gap"].values()] == [200] * 4
    assert run.manifest["lm"] == spec.describe()


def test_looking_for_what_was_lost_costs_no_call(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    lm = ScriptedLM({})
    with Engine.open(index) as engine:
        question = replace(dataset.questions[0], gold=("nobody", *dataset.questions[0].gold))
        answer = StrategySystem(engine, strategy("listwise"), Model(lm)).answer(question, 1)
    assert answer.losses
    assert len(lm.asked) == answer.lm_calls == 2


def test_another_language_model_is_another_run(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    execute(dataset, index, ["bm25"], 5, tmp_path / "a")
    with pytest.raises(InvalidInput, match="contains a run with a different value of 'lm'"):
        execute(dataset, index, ["bm25"], 5, tmp_path / "a", lm=LmSpec("openai/scripted"))
