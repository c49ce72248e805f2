"""Retrievers of every library, runs of others and changed strategies are measured like what is ours."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import dspy
import haystack
import pytest
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as LangChainDocument
from langchain_core.retrievers import BaseRetriever as LangChainRetriever
from llama_index.core.retrievers import BaseRetriever as LlamaRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from multihop import Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.evaluation import tables
from multihop.evaluation.comparison import compare
from multihop.evaluation.datasets import Dataset
from multihop.evaluation.known_documents import KnownDocuments
from multihop.evaluation.other_systems import Retriever, RetrieverSystem, TrecRun, run_at, system_at
from multihop.evaluation.report import html
from multihop.evaluation.retrievers import Returned, parse_returned
from multihop.evaluation.runs import execute
from multihop.evaluation.summary import summarize
from multihop.evaluation.system_answers import SystemAnswer
from multihop.evaluation.systems import name_systems
from multihop.evaluation.trec import read_run, read_scores, write_run
from multihop.parts.stop import FixedHops
from multihop.strategies import AUTO, BM25
from multihop.testing import sample_documents


@pytest.fixture(scope="module")
def engine(index: Path) -> Any:
    with Engine.open(index) as opened:
        yield opened


class LangChain(LangChainRetriever):
    engine: Any

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[LangChainDocument]:
        found = self.engine.retrieve(query, k=kwargs["k"], strategy="bm25")
        return [
            LangChainDocument(page_content=e.passage.text, metadata={"doc_id": e.passage.document_id}) for e in found
        ]


class Llama(LlamaRetriever):
    def __init__(self, engine: Engine, k: int) -> None:
        super().__init__()
        self._asked, self._k = engine, k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._asked.retrieve(query_bundle.query_str, k=self._k, strategy="bm25")
        # Nodes have ids of their own; the text says which document it is.
        return [NodeWithScore(node=TextNode(text=e.passage.text), score=e.score) for e in found]


class Dspy(dspy.Module):  # type: ignore[misc]  # dspy has no types
    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.asked = [engine]
        # A program is not the retriever that it holds.
        self.retrieve = lambda query, k: ["nothing of interest"]

    def forward(self, claim: str, k: int = 3) -> Any:
        found = self.asked[0].retrieve(claim, k=k, strategy="bm25")
        return dspy.Prediction(retrieved_docs=[f"{e.passage.title} | {e.passage.text}" for e in found])


FORMS: dict[str, Callable[[Engine], Any]] = {
    "function": lambda engine: lambda question, k: engine.retrieve(question, k=k, strategy="bm25"),
    "ids": lambda engine: lambda q, k: [e.passage.document_id for e in engine.retrieve(q, k=k, strategy="bm25")],
    "scores": lambda engine: (
        lambda question, *, top_k: {
            e.passage.document_id: e.score for e in engine.retrieve(question, k=top_k, strategy="bm25")
        }
    ),
    "langchain": lambda engine: LangChain(engine=engine),
    "llamaindex": lambda engine: Llama(engine, 5),
    "dspy": Dspy,
}


@pytest.mark.parametrize("form", FORMS)
def test_retrievers_of_every_form_give_the_ranking_they_have(
    form: str, engine: Engine, dataset: Dataset, index: Path, tmp_path: Path
) -> None:
    run = execute(dataset, index, ["bm25", Retriever("theirs", FORMS[form](engine))], 5, tmp_path / "run")
    assert run.rankings("theirs") == run.rankings("bm25")
    assert run.answers["theirs"][dataset.questions[0].id].seconds > 0


def test_a_haystack_retriever_is_asked_by_run(dataset: Dataset, tmp_path: Path) -> None:
    store = InMemoryDocumentStore()
    store.write_documents([haystack.Document(content=d.text, meta={"title": d.title}) for d in sample_documents()])
    run = execute(dataset, None, [Retriever("haystack", InMemoryBM25Retriever(store))], 5, tmp_path / "run")
    summary = summarize(run)
    assert summary.passages == 182
    assert summary.systems[0].measures["recall@5"].mean > 0.5
    assert all(len(a.documents) == 5 for a in run.answers["haystack"].values())


def test_a_run_of_others_is_measured_like_ours(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    first = execute(dataset, index, ["auto", "bm25"], 10, tmp_path / "first")
    theirs = TrecRun("theirs", first.folder / "auto.run")
    run = execute(dataset, index, ["bm25", theirs], 5, tmp_path / "second")
    assert run.rankings("theirs") == {q: found[:5] for q, found in first.rankings("auto").items()}
    summary = summarize(run)
    assert "| theirs |" in tables.markdown(summary)
    assert "| – | – |" in next(row for row in tables.markdown(summary).splitlines() if "theirs" in row)
    ranks = [loss.rank for a in run.answers["theirs"].values() for loss in a.losses]
    assert all(rank is None or rank > 5 for rank in ranks)
    page = html(run, summary)
    assert f"--run theirs={theirs.file}" in page
    assert "nan ms" not in page
    assert compare(run, run, "bm25", "theirs").questions == 20


def test_a_run_that_lacks_questions_says_so(dataset: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "short.trec"
    file.write_text(f"{dataset.questions[0].id} Q0 fram-ship 1 2.5 x\nother Q0 fram-ship 1 2.5 x\n")
    with pytest.warns(UserWarning, match=r"short failed on 19 questions, scored as not found; on 'q02': .* no answer"):
        run = execute(dataset, None, [TrecRun("short", file)], 5, tmp_path / "run")
    assert summarize(run).systems[0].failed == 19
    assert "has no answer to the question 'q02'" in run.answers["short"]["q02"].error
    file.write_text("other Q0 fram-ship 1 2.5 x\n")
    with pytest.raises(InvalidInput, match=r"'short' failed on the first 3 questions; on 'q01': .* has no answer"):
        execute(dataset, None, [TrecRun("short", file)], 5, tmp_path / "again")


def test_ids_in_runs_of_others_mean_themselves(dataset: Dataset, tmp_path: Path) -> None:
    odd = replace(dataset, questions=(replace(dataset.questions[0], id="a+b", gold=("fram-ship",)),))
    file = tmp_path / "odd.trec"
    file.write_text("a+b Q0 fram-ship 1 0.5 x\n")
    assert execute(odd, None, [TrecRun("odd", file)], 5, tmp_path / "run").rankings("odd") == {"a+b": ("fram-ship",)}


def test_changed_strategies_are_systems_in_every_number_of_workers(
    dataset: Dataset, index: Path, tmp_path: Path
) -> None:
    short = replace(AUTO, name="one-hop", stop=FixedHops(1))
    dataset = replace(dataset, questions=dataset.questions[:6])
    one = execute(dataset, index, ["auto", short], 5, tmp_path / "one")
    two = execute(dataset, index, [short], 5, tmp_path / "two", workers=2)
    assert one.rankings("one-hop") == two.rankings("one-hop")
    assert {len(a.coverage) for a in one.answers["one-hop"].values()} == {1}
    assert one.manifest["systems"]["one-hop"]["stop"] == {"FixedHops": {"hops": 1}}
    with pytest.raises(InvalidInput, match="two systems are called 'auto'"):
        execute(dataset, index, ["auto", replace(AUTO, stop=FixedHops(1))], 5, tmp_path / "three")
    with pytest.raises(InvalidInput, match="contains answers of 'auto' with other settings"):
        execute(dataset, index, [replace(AUTO, stop=FixedHops(1))], 5, tmp_path / "one")


def test_changed_code_is_another_system(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "mine_21.py"
    file.write_text("def search(question, k):\n    return ['fram-ship']\n")
    system = system_at("mine=mine_21:search")
    assert isinstance(system, Retriever)
    assert (system.name, system.place) == ("mine", "mine_21:search")
    with pytest.warns(UserWarning, match="mine returned at most 1 documents a question, and k is 5"):
        execute(dataset, None, [system], 5, tmp_path / "run")
    file.write_text("def search(question, k):\n    return ['colin-archer']\n")
    with pytest.raises(InvalidInput, match=r"contains answers of 'mine' with other settings; .* --fresh"):
        execute(dataset, None, [system], 5, tmp_path / "run")


def test_what_would_only_give_zeros_is_refused_before_the_run(dataset: Dataset, index: Path, tmp_path: Path) -> None:
    def strange(question: str, k: int) -> list[str]:
        return [f"doc-{i}" for i in range(k)]

    def broken(question: str, k: int) -> list[str]:
        raise RuntimeError("no connection")

    folder = tmp_path / "run"
    with pytest.raises(InvalidInput, match=r"'strange' returns documents that are not in the corpus, such as 'doc-0'"):
        execute(dataset, index, ["bm25", strange], 5, folder)
    with pytest.raises(InvalidInput, match=r"'broken' failed on the first 3 questions; .* no connection"):
        execute(dataset, index, ["bm25", broken], 5, folder)
    with pytest.raises(InvalidInput, match=r"'dense' cannot run on this index: this strategy needs vectors"):
        execute(dataset, index, ["bm25", "dense"], 5, folder)
    with pytest.raises(InvalidInput, match="a strategy needs an index"):
        execute(dataset, None, ["bm25"], 5, folder)
    with pytest.raises(InvalidInput, match="nothing to measure"):
        execute(dataset, None, [], 5, folder)
    with Engine.open(tmp_path / "other.mh", create=True) as other:
        other.add([d for d in sample_documents() if d.id != "colin-archer"], whole=True)
    with pytest.raises(InvalidInput, match=r"does not hold 1 of the \d+ gold documents of sample, such as 'colin-arch"):
        execute(dataset, tmp_path / "other.mh", ["bm25"], 5, folder)
    assert not folder.exists()


def test_problems_of_a_system_are_counted_and_named(dataset: Dataset, tmp_path: Path) -> None:
    known = ["fram-ship", "colin-archer", "mount-erebus", "hms-erebus"]
    special = {
        dataset.questions[4].text: None,
        dataset.questions[5].text: [],
        dataset.questions[6].text: ["doc-7", *known],
        dataset.questions[7].text: [*known, "doc-8", "doc-9"],
    }
    warned: list[str] = []
    run = execute(
        dataset, None, [Retriever("theirs", lambda q, k: special.get(q, [*known, "roald-amundsen"]))], 5,
        tmp_path / "run", warn=warned.append,
    )  # fmt: skip
    assert warned == [
        "theirs failed on 1 question, scored as not found; on 'q05': InvalidInput: the retriever returned None; return "
        "a list of documents, which may be empty",
        "theirs returned no documents for 1 question, such as 'q06'",
        "theirs returned 2 documents not in the corpus, for 2 questions, such as 'doc-7' for 'q07'",
    ]
    page = unescape(html(run, summarize(run)))
    assert all(message in page for message in warned)
    file = tmp_path / "theirs.trec"
    file.write_text("".join(f"{q.id} Q0 {d} 1 2.5 x\n" for q in dataset.questions for d in ("fram-ship", "doc-1")))
    with pytest.warns(UserWarning, match="trec returned 20 documents not in the corpus, for 20 questions, such as 'do"):
        execute(dataset, None, [TrecRun("trec", file)], 5, tmp_path / "trec")
    with pytest.raises(InvalidInput, match=r"'none' failed on the first 3 questions; .* the retriever returned None"):
        execute(dataset, None, [Retriever("none", lambda q, k: None)], 5, tmp_path / "none")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "a retriever is a function"),
        (LangChain, "LangChain is a class; give an instance"),
        (lambda q, k: [], "'<lambda>' cannot be the name of a system"),
        (Retriever("../x", len), "'../x' cannot be the name of a system"),
    ],
)
def test_what_cannot_be_measured_is_explained(given: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        name_systems([given])


def test_names_of_ours_are_not_taken_unasked() -> None:
    def bm25(question: str, k: int) -> list[str]:
        return []

    with pytest.raises(InvalidInput, match="'bm25' is a strategy of ours"):
        name_systems([bm25])
    with pytest.raises(UnknownName, match="did you mean 'auto'"):
        name_systems(["atuo"])
    assert list(name_systems([BM25, "auto"])) == ["bm25", "auto"]


def test_a_strategy_may_be_imported_and_named() -> None:
    assert system_at("multihop.strategies:BM25") == BM25
    assert system_at("plain=multihop.strategies:BM25") == replace(BM25, name="plain")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nothing", "does not name a system; write MODULE:NAME"),
        ("no_such_module_21:x", "the module 'no_such_module_21' of .* cannot be imported"),
        ("multihop.strategies:nope", "has no 'nope'; it has"),
    ],
)
def test_places_that_lead_nowhere_are_explained(spec: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(InvalidInput, match=message):
        system_at(spec)


def test_runs_are_called_after_their_files(tmp_path: Path) -> None:
    assert run_at("a/theirs.v2.trec") == TrecRun("theirs", Path("a/theirs.v2.trec"))
    assert run_at("best=a/theirs.trec") == TrecRun("best", Path("a/theirs.trec"))
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        run_at(str(tmp_path / "none.trec")).describe()


def test_documents_in_every_form_are_read() -> None:
    node = NodeWithScore(node=TextNode(text="Body", id_="n1", metadata={"doc_id": "d1", "title": "T"}), score=0.5)
    assert parse_returned([node])[0] == Returned(("d1", "n1"), "T", "Body", 0.5)
    assert parse_returned({"documents": [("x", 2)]}) == [Returned(("x",), "x", "x", 2.0)]
    assert [r.ids for r in parse_returned({"b": 1.0, "a": 3.0, "c": 1.0})] == [("a",), ("b",), ("c",)]
    assert parse_returned([{"title": "T", "text": "B", "score": float("nan")}]) == [Returned((), "T", "B", None)]
    assert parse_returned([7]) == [Returned(("7",))]
    with pytest.raises(InvalidInput, match="the retriever returned None; return a list of documents, which may be em"):
        parse_returned(None)
    with pytest.raises(InvalidInput, match="needs an id, a title or a text"):
        parse_returned([{"vector": [1.0]}])
    with pytest.raises(InvalidInput, match="returns a list of documents"):
        parse_returned("one text")


def test_titles_that_several_documents_bear_tell_none_of_them(dataset: Dataset) -> None:
    twice = [replace(d, title="Twin") if d.id in ("fram-ship", "roald-amundsen") else d for d in sample_documents()]
    known = KnownDocuments(replace(dataset, corpus=replace(dataset.corpus, read=lambda: iter(twice))))
    assert known.find((), "Twin") is None
    assert known.find((), "Colin Archer") == "colin-archer"
    assert known.find(("fram-ship#0",)) == "fram-ship"
    system = RetrieverSystem(Retriever("x", lambda q, k: [{"title": "Twin"}, {"title": "Colin Archer"}]), known)
    assert system.answer(dataset.questions[0], 5).documents == ("Twin", "colin-archer")


def test_runs_carry_scores_that_keep_the_order(tmp_path: Path) -> None:
    file = tmp_path / "x.run"
    answer = SystemAnswer("q", ("a", "b", "c", "d"), ("a#0", "b#1", "a#2", "c#0", "d#0"), (30.5, 7.25, 7.0, 7.25, 9.0))
    write_run(file, "x", [answer])
    scores = [score for _, score in read_scores(file)["q"]]
    assert scores[:2] == [30.5, 7.25]
    assert scores == sorted(set(scores), reverse=True)
    assert scores[3] == pytest.approx(7.25, abs=1e-5)
    assert read_run(file) == {"q": ("a", "b", "c", "d")}
