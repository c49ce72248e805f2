"""The page is self-contained, well formed, escapes all it is given, and shows the numbers of the summary."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pypdf import PdfReader

from multihop.evaluation.comparison import beside, compare
from multihop.evaluation.datasets import Question
from multihop.evaluation.measures import holm
from multihop.evaluation.page.axes import share_axis
from multihop.evaluation.page.cases import Case, choose_cases, find_cases
from multihop.evaluation.page.numbers import NONE, chance, format_difference, milliseconds, share
from multihop.evaluation.paper import write_paper
from multihop.evaluation.report import html
from multihop.evaluation.runs import Run
from multihop.evaluation.summary import summarize
from multihop.evaluation.system_answers import BELOW, NEVER_REACHED, Loss, SystemAnswer

from ..reliability.soak import examples

_VOID = {"br", "input", "link", "meta"}
_HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\x00\ud800"


def _trace(documents: tuple[str, ...], query: str = "who wrote it") -> dict[str, Any]:
    return {
        "entities": [["Ada", "title"]],
        "hops": [
            {"queries": [[query, "a clause of the question", 9, 7]], "entered": [f"{d}#0" for d in documents],
             "left": ["old#0"], "pool": 9, "decision": "nothing new was found"},
        ],
        "notes": [{"code": "embedder-missing", "data": {}, "text": "no embedder"}],
        "evidence": [[f"{d}#0", f"the {d}", 1, "shares words with the question"] for d in documents],
        "covered": [["Ada", f"{documents[0]}#0" if documents else None]],
    }  # fmt: skip


def _answer(question: str, *documents: str, **more: Any) -> SystemAnswer:
    made = SystemAnswer(
        question, documents, tuple(f"{d}#0" for d in documents), seconds=0.004, stages={"search": 0.003, "plan": 0.001},
        coverage=(0.5, 1.0), trace=_trace(documents),
    )  # fmt: skip
    return replace(made, **more)


def _run(answers: dict[str, dict[str, SystemAnswer]], questions: tuple[Question, ...], **manifest: Any) -> Run:
    known: dict[str, Any] = {
        "dataset": {"name": "wonders", "split": "dev", "source": "wonders.jsonl", "notes": ["a note"],
                    "questions": len(questions), "questions_hash": "abc", "corpus_hash": "fedcba"},
        "index": {"passages": 1234, "documents": 1000, "generation": 1},
        "systems": {name: {"name": name, "description": f"what {name} does"} for name in answers},
        "k": 6, "embedder": None, "lm": None, "prompts": None, "seed": 0, "versions": {"python": "3.12.1"},
    }  # fmt: skip
    return Run(Path("run"), {**known, **manifest}, questions, answers)


_QUESTIONS = (
    Question("q1", "Is Ada older than Bob?", ("Ada", "Bob"), hops=2, label="SUPPORTED"),
    Question("q2", "Who taught Cid?", ("Cid", "Dan"), hops=2, label="REFUTED"),
    Question("q3", "Where was Eve born?", ("Eve", "Fay", "Gus"), hops=3, label="REFUTED"),
)
_FIRST = {
    "q1": _answer("q1", "Ada", "x", "Bob"),
    "q2": _answer("q2", "Cid", "x", losses=(Loss("Dan", BELOW, 9, 1),)),
    "q3": _answer("q3", "Eve", losses=(Loss("Fay", NEVER_REACHED), Loss("Gus", NEVER_REACHED))),
}
_SECOND = {
    "q1": _answer("q1", "Bob", "Ada", seconds=0.4),
    "q2": _answer("q2", "Cid", "Dan", seconds=0.4),
    "q3": _answer("q3", "Eve", "y", losses=(Loss("Fay", BELOW, 8, 1), Loss("Gus", NEVER_REACHED)), seconds=0.4),
}
_UNTRACED = {q: SystemAnswer(q, ("Ada", "Bob"), seconds=0.0002) for q in ("q1", "q2", "q3")}


def _page(
    answers: dict[str, dict[str, SystemAnswer]], questions: tuple[Question, ...] = _QUESTIONS, **manifest: Any
) -> str:
    run = _run(answers, questions, **manifest)
    return html(run, summarize(run))


class _Checker(HTMLParser):
    """Keeps the open elements, every attribute, every text outside of style and script, and every id."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words.append(data)

    @property
    def ids(self) -> list[str]:
        return [value for name, value in self.attributes if name == "id"]


def _check(page: str) -> _Checker:
    """Assert what holds of every page."""
    found = _Checker(page)
    assert not found.open
    assert found.tags.count("script") == 1
    assert len(found.ids) == len(set(found.ids))
    assert not {"img", "iframe", "object", "embed", "base"} & set(found.tags)
    for name, value in found.attributes:
        assert not name.startswith("on")
        if name in {"src", "href", "action", "srcset", "xlink:href"}:
            assert value == "data:," or value.removeprefix("#") in found.ids
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style and "@import" not in style
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    return found


def test_page_is_well_formed_and_fetches_nothing() -> None:
    page = _page({"plain": _FIRST, "auto": _SECOND})
    _check(page)
    assert "http" not in page.replace("http-equiv", "")
    assert page.startswith("<!doctype html>")


def test_every_chart_says_what_it_is_to_those_who_do_not_see_it() -> None:
    page = _page({"plain": _FIRST, "auto": _SECOND})
    charts = [ElementTree.fromstring(s) for s in re.findall(r"<svg[^>]*>(?:(?!</svg>).)*</svg>", page, re.DOTALL)]
    pictures = [c for c in charts if c.get("role") == "img"]
    # Two curves, hops, types, latency, stages, coverage, losses.
    assert len(pictures) == 8
    for picture in pictures:
        title, about = picture.find("title"), picture.find("desc")
        assert title is not None and title.text and about is not None and about.text
        assert picture.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"
    assert all(c.get("aria-hidden") == "true" for c in charts if c not in pictures)


def test_says_what_was_measured_and_names_every_system() -> None:
    words = " ".join(_check(_page({"plain": _FIRST, "auto": _SECOND, "bm25s": _UNTRACED})).words)
    for said in ("wonders dev", "3 questions", "1,234 passages of 1,000 documents", "a note", "fedcba", "3.12.1"):
        assert said in words
    for name in ("plain", "auto", "bm25s"):
        assert f"what {name} does" in words
    assert "multihop eval wonders --split dev --strategies auto,bm25s -k 6 --report report.html" in words


def test_numbers_are_those_of_the_summary() -> None:
    run = _run({"plain": _FIRST, "auto": _SECOND}, _QUESTIONS)
    summary = summarize(run)
    words = _check(html(run, summary)).words
    for system in summary.systems:
        for estimate in system.measures.values():
            assert share(estimate.mean) in words
            assert f"{share(estimate.low)}–{share(estimate.high)}" in words
        assert milliseconds(system.p50_ms) in words and milliseconds(system.p95_ms) in words
        for fate, n in system.lost.counts.items():
            assert f"{n} ({n / 7:.1%})" in words, fate
        for group in (*system.by_hops.values(), *system.by_type.values()):
            assert share(group.mean) in words
        for _, whole, recall in system.curve:
            assert share(whole) in words and share(recall) in words
    compared = summary.systems[1].against_first
    assert compared is not None
    assert format_difference(compared.mean) in words and chance(compared.corrected) in words
    assert f"{compared.wins} won, {compared.losses} lost" in words


def test_the_best_of_a_column_stands_out() -> None:
    page = _page({"plain": _FIRST, "auto": _SECOND})
    assert re.search(r'class="n best">0\.667<', page)
    assert not re.search(r'class="n best">0\.333<', page)
    assert 'class="n best"' not in _page({"plain": _FIRST})


def test_language_model_columns_only_where_one_was_used() -> None:
    assert "LM calls" not in _page({"plain": _FIRST})
    asked = {q: replace(a, lm_calls=2, lm_tokens=1500) for q, a in _SECOND.items()}
    words = _check(_page({"plain": _FIRST, "lm": asked})).words
    assert {"LM calls", "LM tokens", "2.0", "1,500"} <= set(words)


def test_system_without_a_trace_shows_what_is_not_known_as_such() -> None:
    page = _page({"bm25s": _UNTRACED})
    assert NONE in _check(page).words
    assert "nan" not in " ".join(_check(page).words).split()
    assert "no trace" in page
    assert 'id="coverage"' not in page


def test_disagreement_shows_gold_evidence_and_hops_side_by_side() -> None:
    page = _page({"plain": _FIRST, "auto": _SECOND})
    words = "".join(
        _Checker(page[page.index('<section><h2 id="cases"') : page.index('<section><h2 id="reproduce"')]).words
    )
    assert "In 1 of 3 questions" in words
    assert "in 1 no system has" in words
    assert "Who taught Cid?" in words and "Where was Eve born?" in words
    assert f"{BELOW}, at rank 9, met in hop 1" in words
    assert "a clause of the question: “who wrote it”" in words
    for said in (
        "9 found; 7 new",
        "nothing new was found",
        "hop 1 · shares words with the question",
        "left: old",
        "the Cid",
    ):
        assert said in words
    assert 'data-who="1"' in page


def test_nearest_miss_links_to_its_question_where_that_is_shown() -> None:
    page = _page({"plain": _FIRST, "auto": _SECOND})
    assert '<a href="#q1">Who taught Cid?</a>' in page
    assert '<a href="#q2">Where was Eve born?</a>' in page


def test_one_system_lists_what_it_missed() -> None:
    page = _page({"plain": _FIRST})
    words = " ".join(_check(page).words)
    assert "plain misses gold in 2 of 3 questions" in words
    assert "difference" not in words


def test_failed_and_missing_answers_are_said() -> None:
    broken = {"q1": SystemAnswer("q1", error="Timeout: <b>no</b> answer"), "q2": _SECOND["q2"]}
    words = " ".join(_check(_page({"plain": _FIRST, "broken": broken})).words)
    assert "broken failed on 1 question, scored as not found; on" in words
    assert "broken answered only 2 of 3 questions" in words
    assert "failed: Timeout: <b>no</b> answer" in words
    assert "1 answer failed" in words


def test_run_in_which_everything_failed() -> None:
    _check(_page({"broken": {q: SystemAnswer(q, error="boom") for q in ("q1", "q2", "q3")}}))


def test_run_without_answers() -> None:
    assert "No system has answered" in _page({})


def test_budget_of_one() -> None:
    _check(_page({"plain": _FIRST}, k=1))


def test_hostile_texts_are_shown_not_run() -> None:
    page = _hostile(_HOSTILE)
    assert "<script>alert" not in page and "<img" not in page
    assert escape("<script>alert(1)</script>") in page
    assert "\x00" not in page
    page.encode()


def _hostile(evil: str) -> str:
    question = Question(f"id{evil}", f"text{evil}", (f"gold{evil}", f"more{evil}"), 2, f"type{evil}", f"answer{evil}")
    other = Question("q2", evil, (f"more{evil}",), 3, f"label{evil}")
    answer = SystemAnswer(
        question.id, (f"gold{evil}",), (f"gold{evil}#0",), seconds=0.1, stages={f"stage{evil}": 0.1}, coverage=(0.5,),
        losses=(Loss(f"more{evil}", BELOW, 22, 1),), trace=_trace((f"gold{evil}",), evil),
    )  # fmt: skip
    named = f"name{evil}"
    answers = {
        named: {question.id: answer, "q2": SystemAnswer("q2", error=evil)},
        "b": {question.id: _answer(question.id, f"gold{evil}", f"more{evil}"), "q2": _answer("q2", f"more{evil}")},
    }
    dataset = {"name": evil, "split": evil, "source": evil, "notes": [evil]}
    systems = {named: {"name": named, "description": evil, evil: [evil]}, "b": {"name": "b"}}
    run = _run(answers, (question, other), dataset=dataset, systems=systems, versions={evil: evil})
    return html(run, summarize(run))


@examples(40)
@given(st.text(st.sampled_from("<>\"'&/=#;%${}-! \n\x00\x1b\x85\u202e\ufffe\ud800aA1é漢"), min_size=1, max_size=30))
def test_no_text_breaks_the_page(evil: str) -> None:
    page = _hostile(evil)
    _check(page)
    page.encode()


def test_page_of_a_huge_run_stays_small() -> None:
    long = "word " * 400
    questions = tuple(
        Question(f"q{i}", f"{i} {long}", tuple(f"gold {j} {long}" for j in range(30))) for i in range(300)
    )
    documents = tuple(f"{i} {long}" for i in range(60))
    missed = {q.id: _answer(q.id, *documents) for q in questions}
    found = {q.id: _answer(q.id, *q.gold) for q in questions}
    answers = {"found": found, **{f"missed-{i}": missed for i in range(9)}}
    page = _page(answers, questions, k=60)
    assert len(page.encode()) < 3_000_000
    assert "In 300 of 300 questions" in unescape(page)


def test_rare_patterns_of_winners_are_shown_and_come_first() -> None:
    cases = [Case(Question(f"q{i}", "", ()), (1,) if i == 90 else (0,)) for i in range(100)]
    kept = choose_cases(cases, 10)
    assert len(kept) == 10
    assert kept[0].question.id == "q90"


def test_questions_that_all_miss_are_shown_with_those_on_which_systems_disagree() -> None:
    run = _run({"plain": _FIRST, "auto": _SECOND}, _QUESTIONS)
    assert [(c.question.id, c.winners) for c in find_cases(run, summarize(run))] == [("q2", (1,)), ("q3", ())]
    page = html(run, summarize(run))
    assert "Where was Eve born?" in page[page.index('id="cases"') :]
    assert 'data-who="none"' in page and ">none (1)</option>" in page


def test_axes_of_shares_end_at_one() -> None:
    for values in ((0.2, 0.3), (0.91, 0.99), (0.0, 1.0), (1.0,), ()):
        for whole in (True, False):
            axis = share_axis(values, 262.0, 26.0, "share", whole)
            assert axis.high == axis.ticks[-1] == 1.0
            assert axis.low <= min(values, default=0.0)


def test_every_system_of_a_crowded_chart_is_named() -> None:
    many = {f"system {n}": _FIRST for n in range(14)}
    page = _page(many)
    charts = page[page.index("<figure><figcaption><h3>all-gold@k over the budget") :]
    chart = charts[: charts.index("</figure>")]
    assert all(f"</svg>system {n}</li>" in chart for n in range(14))
    _check(page)


def test_a_system_without_times_is_named_below_the_chart_of_times() -> None:
    untimed = {q: SystemAnswer(q, ("Ada", "Bob")) for q in ("q1", "q2", "q3")}
    assert "Not timed: theirs." in _page({"plain": _FIRST, "theirs": untimed})


def test_two_runs_beside_each_other_show_what_changed() -> None:
    before = _run({"auto": _FIRST}, _QUESTIONS)
    after = _run({"auto": _SECOND}, _QUESTIONS, embedder="encoder:1", k=5)
    found = compare(before, after)
    assert ("embedder", "None", "encoder:1") in found.settings and ("k", "6", "5") in found.settings
    both = beside(before, after)
    page = html(both, summarize(both), found.settings)
    words = " ".join(_check(page).words)
    assert "What changed" in words and "encoder:1" in words and both.k == 5
    assert "Who taught Cid?" in page[page.index('id="cases"') :]


def test_comparisons_made_together_are_corrected() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])
    assert holm([]) == []
    summary = summarize(_run({"plain": _FIRST, "auto": _SECOND, "again": _SECOND}, _QUESTIONS))
    for system in summary.systems[1:]:
        assert system.against_first is not None
        assert system.against_first.corrected == min(1.0, 2 * system.against_first.p)


def _paper(tmp_path: Path) -> Path:
    run = _run({"plain": _FIRST, "50%_off": _SECOND}, _QUESTIONS)
    files = write_paper(summarize(run), tmp_path / "paper")
    assert {f.name for f in files} == {
        "summary.md", "summary.tex", "table.tex",
        *(f"{name}.{kind}" for name in ("budget", "hops", "time") for kind in ("svg", "pdf")),
    }  # fmt: skip
    return tmp_path / "paper"


def test_a_page_for_a_paper_has_tables_in_markdown_and_latex(tmp_path: Path) -> None:
    folder = _paper(tmp_path)
    said = (folder / "summary.md").read_text(encoding="utf-8")
    assert "| 50%\\_off | 0.667 [" in said and "![All-gold over the budget](budget.svg)" in said
    table = (folder / "table.tex").read_text(encoding="utf-8")
    assert r"50\%\_off & \textbf{0.667 [" in table and table.count(r"\\") == 3
    assert r"\input{table.tex}" in (folder / "summary.tex").read_text(encoding="utf-8")


def test_figures_for_a_paper_stand_alone(tmp_path: Path) -> None:
    folder = _paper(tmp_path)
    for name in ("budget", "hops", "time"):
        drawing = ElementTree.fromstring((folder / f"{name}.svg").read_text(encoding="utf-8"))
        words = " ".join("".join(drawing.itertext()).split())
        assert "plain" in words and "50%_off" in words
        assert not any("class" in e.attrib for e in drawing.iter())
        [page] = PdfReader(folder / f"{name}.pdf", strict=True).pages
        assert {"plain", "50%_off"} <= set(page.extract_text().split())


def test_figures_of_one_run_are_the_same_bytes(tmp_path: Path) -> None:
    first, second = _paper(tmp_path / "a"), _paper(tmp_path / "b")
    for file in first.iterdir():
        assert file.read_bytes() == (second / file.name).read_bytes()


def test_names_that_a_crowded_chart_lists_above_it_are_printed_with_it(tmp_path: Path) -> None:
    many = {f"system {n}": _FIRST for n in range(14)}
    write_paper(summarize(_run(many, _QUESTIONS)), tmp_path)
    for name in ("budget", "time"):
        drawing = ElementTree.fromstring((tmp_path / f"{name}.svg").read_text(encoding="utf-8"))
        labels = [e.text for e in drawing.iter() if e.tag.endswith("text")]
        assert {f"system {n}" for n in range(14)} <= set(labels)
        # A pixel is three quarters of a point.
        height = PdfReader(tmp_path / f"{name}.pdf").pages[0].mediabox.height / 0.75
        assert height > 304 and float(drawing.attrib["height"]) == pytest.approx(height)
