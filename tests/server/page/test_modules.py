"""The parts of the page that only compute, called in the browser that will run them."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.testing import sample_documents, sample_questions
from tests.filters import ACCEPTED, REFUSED
from tests.server.page.driving import FIRST, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def modules(page: Page) -> Page:
    page.open()
    page.see("h1")
    return page


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with Engine.open(tmp_path_factory.mktemp("index") / "i.mh", create=True) as engine:
        engine.add(sample_documents())
        return engine.retrieve(FIRST, k=5).to_dict()


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every question of the sample, by strategies whose reasons name passages in different ways."""
    with Engine.open(tmp_path_factory.mktemp("index") / "i.mh", create=True) as engine:
        engine.add(sample_documents())
        engine.relate()
        questions = [q.text for q in sample_questions()]
        return [engine.retrieve(q, k=8, strategy=s).to_dict() for s in ("auto", "replace", "graph") for q in questions]


def test_filters_mean_what_they_mean_on_the_command_line(modules: Page) -> None:
    for conditions, where in ACCEPTED:
        written = modules.module("filters.js", "m.jsonOf(m.parseFilter(a[0]))", "; ".join(conditions))
        assert json.loads(written) == where, conditions


def test_what_is_no_filter_there_is_none_here(modules: Page) -> None:
    for conditions, _ in REFUSED:
        # An empty condition is refused as an option of the command line; in the field of the page it means none.
        if conditions != ("",):
            said = modules.module("filters.js", "m.parseFilter(a[0])", "; ".join(conditions))
            assert str(said).startswith("threw: "), conditions


def test_names_are_marked_whole_whatever_their_case(modules: Page) -> None:
    terms = [{"text": t} for t in ("Fram", "Fram Strait", "c++ (language)", "Gjøa", "role-playing/[a]{2}^$|.?*\\")]
    text = "FRAM left the Fram  Strait; Framework, gjøa and C++ (language)."
    found = modules.module("parts/highlight.js", "m.pieces(a[0], m.finder(a[1]))", text, terms)
    assert "".join(p["text"] for p in found) == text
    assert [p["text"] for p in found if "term" in p] == ["FRAM", "Fram  Strait", "gjøa", "C++ (language)"]
    assert modules.module("parts/highlight.js", "m.pieces(a[0], m.finder([]))", text) == [{"text": text}]


def test_events_are_read_however_they_are_cut(modules: Page) -> None:
    stream = 'event: hop\r\ndata: {"n": 1}\r\n\r\n: still here\n\nevent: result\ndata: one\ndata: two ö\n\nevent: cut'
    for size in (1, 2, 7, 1000):
        script = """(async () => { const bytes = new TextEncoder().encode(a[0]), found = [];
          const cut = new ReadableStream({ start(c) {
            for (let i = 0; i < bytes.length; i += a[1]) c.enqueue(bytes.slice(i, i + a[1]));
            c.close(); } });
          for await (const e of m.events(cut)) found.push([e.event, e.data]); return found; })()"""
        found = modules.module("sse.js", script, stream, size)
        assert found == [["hop", '{"n": 1}'], ["result", "one\ntwo ö"]], size


def test_the_graph_is_made_of_the_trace_and_the_links(modules: Page, result: dict[str, Any]) -> None:
    links = [{"source": "fram-ship#0", "target": "fridtjof-nansen", "name": "nansen"}]
    graph = _graph(modules, result, links)
    nodes = {n["id"]: n for n in graph["nodes"]}
    assert {n["hop"] for n in nodes.values()} == {1, 2}
    assert (nodes["colin-archer#0"]["hop"], nodes["colin-archer#0"]["rank"]) == (2, 3)
    assert (nodes["ernest-shackleton#0"]["label"], nodes["ernest-shackleton#0"]["left"]) == ("ernest-shackleton#0", 2)
    assert nodes["colin-archer#0"]["parent"] == "fram-ship#0"
    edges = {(e["from"], e["to"]): e for e in graph["edges"]}
    assert edges["fram-ship#0", "colin-archer#0"]["kind"] == "chain"
    named = edges["fram-ship#0", "fridtjof-nansen#0"]
    assert (named["kind"], named["said"]) == ("link", "Fram (ship) names Fridtjof Nansen, as “nansen”")


def _graph(
    modules: Page, result: dict[str, Any], links: list[dict[str, str]], met: list[dict[str, str]] | None = None
) -> Any:
    titles = {e["passage"]["id"]: e["passage"]["title"] for e in result["evidence"]}
    return modules.module(
        "parts/graph-model.js", "m.graphOf(a[0], a[1], (id) => a[2][id] ?? id, a[3])", result, links, titles, met or []
    )


def test_a_source_that_is_not_in_the_evidence_is_drawn_too(modules: Page, result: dict[str, Any]) -> None:
    told = json.loads(json.dumps(result))
    told["evidence"][4]["because"] = [{"text": "linked from “Weddell Sea”", "channel": "link", "via": "weddell-sea#0"}]
    graph = _graph(modules, told, [], met=[{"id": "weddell-sea#0", "title": "Weddell Sea"}])
    [ghost] = [n for n in graph["nodes"] if n.get("ghost")]
    assert (ghost["label"], ghost["hop"]) == ("Weddell Sea", 1)
    named = f"Weddell Sea names {told['evidence'][4]['passage']['title']}"
    assert [e["said"] for e in graph["edges"] if e["from"] == ghost["id"]] == [named]


def test_every_link_that_a_reason_or_the_chain_names_is_drawn(modules: Page, answers: list[dict[str, Any]]) -> None:
    assert _drawn(modules, answers) > 400


def test_every_link_of_a_hundred_questions_of_hotpotqa_is_drawn(modules: Page) -> None:
    """The answers were kept by `benchmarks/page.py --links … --keep`, which counts the same for the index as it is."""
    answers = json.loads(gzip.decompress(Path(__file__).with_name("hotpotqa.json.gz").read_bytes()))
    assert len(answers) == 100
    assert _drawn(modules, answers) > 400


def _drawn(modules: Page, answers: list[dict[str, Any]]) -> int:
    """Count the links that reasons name; each of them, and each of the chain, must be a line of the graph."""
    named = drawn = 0
    for result in answers:
        titles = {e["passage"]["id"]: e["passage"]["title"] for e in result["evidence"]}
        graph, sources = modules.module(
            "parts/graph-model.js",
            "[m.graphOf(a[0], [], (id) => a[1][id] ?? id), a[0].evidence.map(m.sourcesOf)]",
            result,
            titles,
        )
        lines = {(e["from"], e["to"]) for e in graph["edges"] if e["kind"] in ("chain", "link")}
        told = [(s["via"], e["passage"]["id"]) for e, of in zip(result["evidence"], sources, strict=True) for s in of]
        named += len(told)
        drawn += sum(each in lines for each in told)
        pairs = {frozenset((e["from"], e["to"])) for e in graph["edges"] if e["kind"] == "chain"}
        links = result["chain"]["links"]
        assert pairs == {frozenset((link["source"], link["target"])) for link in links if link["source"]}
    assert named == drawn
    return named


def test_the_chain_is_read_in_rows(modules: Page) -> None:
    links = [("", "a"), ("a", "b"), ("", "c"), ("a", "d"), ("b", "e")]
    rows = modules.module(
        "parts/order.js", "m.rowsOf(a[0])", [{"source": source, "target": target} for source, target in links]
    )
    assert [[link["target"] for link in row] for row in rows] == [["a", "b", "e"], ["c"], ["d"]]


def test_words_are_shared_whatever_their_ending(modules: Page, result: dict[str, Any]) -> None:
    passage = {"title": "", "text": "Ships were borrowed on voyages. South of the Pole nobody was born."}
    shared = modules.module("parts/question-match.js", "m.matchedWords(a[0], a[1])", result, passage)
    assert shared["said"] == ["born", "ship", "borrowed", "voyage", "South", "Pole"]
    assert shared["forms"] == ["Ships", "borrowed", "voyages", "South", "Pole", "born"]
    asked = result | {"question": "Which man was it?"}
    unlike = modules.module(
        "parts/question-match.js", "m.matchedWords(a[0], a[1])", asked, {"title": "", "text": "Many did."}
    )
    assert unlike == {"said": [], "forms": []}
    part = modules.module("parts/question-match.js", "m.partFor(a[0], a[1])", result, passage)
    assert part.startswith("drew the ship")
    assert modules.module("parts/question-match.js", "[...m.questionWords('東京の塔はどこ').values()]")[0] == "東京"


def test_a_question_in_another_language_than_the_passages_is_noticed(modules: Page) -> None:
    english = "The Fram is a schooner, and Colin Archer drew her lines for Nansen. She was built in 1892."
    said = {
        "Who drew the lines of the Fram?": None,
        "Fram": None,
        "Wer hat die Fram gezeichnet, und in welcher Stadt wurde der Mann geboren?": "German, the documents in English",
        "Qui a dessiné le Fram et dans quelle ville est né cet homme ?": "French, the documents in English",
        "Кто построил корабль?": "another script (Cyrillic) than the documents (Latin)",
    }
    for question, notice in said.items():
        found = modules.module(
            "parts/language.js",
            "m.languageNotice({question: a[0], evidence: [{passage: {text: a[1]}}]})?.textContent ?? null",
            question,
            english,
        )
        assert (found is None) if notice is None else (notice in found), question


def test_names_without_spaces_between_words_are_marked(modules: Page) -> None:
    found = modules.module("parts/highlight.js", "m.pieces(a[0], m.finder(a[1]))", "昔東京塔は", [{"text": "東京塔"}])
    assert [p["text"] for p in found if "term" in p] == ["東京塔"]


@pytest.mark.parametrize("width", [240, 360, 520, 900])
def test_nodes_of_the_graph_do_not_lie_on_each_other(modules: Page, result: dict[str, Any], width: int) -> None:
    graph = modules.module("parts/graph-model.js", "m.graphOf(a[0], [], (id) => id)", result)
    drawn = modules.module("parts/graph-layout.js", "m.layout(a[0], a[1])", graph, width)
    places = list(drawn["places"].values())
    assert len(places) == len(graph["nodes"])
    for i, p in enumerate(places):
        assert p["x"] >= 0 and p["x"] + p["w"] <= width and p["y"] + p["h"] <= drawn["height"] + 1
        for q in places[:i]:
            apart = abs(p["y"] - q["y"]) >= p["h"] or p["x"] + p["w"] <= q["x"] or q["x"] + q["w"] <= p["x"]
            assert apart


def test_passages_of_one_title_are_told_apart_by_their_place(modules: Page) -> None:
    passages: list[dict[str, Any]] = [
        {"id": "a#0", "document_id": "a", "title": "Report"},
        {"id": "a#12", "document_id": "a", "title": "Report"},
        {"id": "b#0", "document_id": "b", "title": ""},
    ]
    labels = modules.module("parts/labels.js", "Object.fromEntries(m.labelsOf(a[0]))", passages)
    assert labels == {"a#0": "#0 Report", "a#12": "#12 Report", "b#0": "b"}
    passages[0] |= {"heading": "Costs", "page": 3}
    labels = modules.module("parts/labels.js", "Object.fromEntries(m.labelsOf(a[0]))", passages)
    assert labels == {"a#0": "Report › Costs, p. 3", "a#12": "#12 Report", "b#0": "b"}


def test_markdown_quotes_what_could_be_markup(modules: Page, result: dict[str, Any]) -> None:
    told = json.loads(json.dumps(result))
    told["evidence"][0]["passage"]["text"] = "# not a heading\n<b>not bold</b> [x](javascript:1)"
    written = str(modules.module("parts/markdown.js", "m.markdown(a[0])", told))
    assert "   > \\# not a heading\n   > \\<b\\>not bold\\</b\\> \\[x\\](javascript:1)" in written
    assert "3. **Colin Archer** (`colin-archer#0`, hop 2, score 0." in written
    assert "- [x] Roald Amundsen: `roald-amundsen#0`" in written
    assert "- decision: stop, everything the question names is covered" in written
    assert "- Fram (ship) → Colin Archer: “Colin Archer drew her lines for Fridtjof Nansen" in written
    assert "   - country: Norway" in written


@pytest.mark.parametrize(
    ("kind", "text", "confidence", "said"),
    [
        ("place", "Larvik", 0.9, "## Answer\n\n**Larvik** (90 % likely)\n\n> In Larvik. (`a#0`)"),
        ("place", "Larvik", 0.5, "## Answer\n\n**Possibly Larvik** (50 % likely)"),
        ("place", "", 0.1, "## Answer\n\nNot sure. The closest sentence is:\n\n> In Larvik. (`a#0`)"),
        ("claim", "undecided", 0.4, "## Claim\n\nNot decided. The closest sentence is:\n\n> In Larvik."),
        ("claim", "supported", 0.5, "## Claim\n\n**Possibly supported** (50 % likely)"),
    ],
)
def test_markdown_is_as_sure_as_the_page(
    modules: Page, result: dict[str, Any], kind: str, text: str, confidence: float, said: str
) -> None:
    sentence = {"quote": {"passage_id": "a#0", "text": "In Larvik.", "start": 0, "end": 10}, "confidence": 0.5}
    answer = {"kind": kind, "text": text, "confidence": confidence, "sentences": [sentence], "statements": []}
    assert said in modules.module("parts/markdown.js", "m.markdown(a[0])", result | {"answer": answer})


def test_the_evidence_is_a_table_for_a_spreadsheet(modules: Page, result: dict[str, Any]) -> None:
    told = json.loads(json.dumps(result))
    told["evidence"][0]["passage"]["text"] = '=1+1, "so"'
    rows = list(csv.DictReader(str(modules.module("parts/evidence-csv.js", "m.evidenceCsv(a[0])", told)).splitlines()))
    chain = told["chain"]
    for part, passages in (("supporting", chain["supporting"]), ("filling", chain["filling"])):
        assert sorted(row["passage"] for row in rows if row["part"] == part) == sorted(passages)
    assert {row["part"] for row in rows if row["passage"] in ("fram-ship#0", "colin-archer#0")} == {"chain"}
    assert (rows[0]["text"], rows[0]["country"], rows[0]["rank"]) == ('\'=1+1, "so"', "Norway", "1")


def test_the_documents_are_references_for_latex_and_for_programs(modules: Page, result: dict[str, Any]) -> None:
    told = json.loads(json.dumps(result))
    first, second, third, *_ = (evidence["passage"] for evidence in told["evidence"])
    first |= {"title": "Fram (ship)", "document_id": "fram-ship"}
    first["metadata"] = {"Author": ["R. Huntford", "A & B {x}"], "date": "1979-03-01"}
    first["metadata"]["url"] = "https://a.example/x%20{y}"
    second |= {"title": first["title"], "metadata": {"year": 1979, "journal": "Polar 100% \\ Record"}}
    third |= {"document_id": first["document_id"]}
    items = modules.module("parts/references.js", "m.references(a[0], '2026-11-16')", told)
    assert [each["id"] for each in items[:2]] == ["fram1979", "fram1979-2"]
    assert len(items) == len(told["evidence"]) - 1
    assert items[0] == {
        "id": "fram1979", "type": "webpage", "title": "Fram (ship)", "URL": "https://a.example/x%20{y}",
        "author": [{"literal": "R. Huntford"}, {"literal": "A & B {x}"}], "issued": {"date-parts": [[1979, 3, 1]]},
        "accessed": {"date-parts": [[2026, 11, 16]]}, "note": "document fram-ship",
    }  # fmt: skip
    assert (items[1]["type"], items[1]["issued"]) == ("article", {"date-parts": [[1979]]})
    written = str(modules.module("parts/references.js", "m.bibtex(a[0])", items))
    assert "  author = {{R. Huntford} and {A \\& B \\{x\\}}}" in written
    assert "  url = {https://a.example/x%20%7By%7D}" in written
    assert "  howpublished = {Polar 100\\% \\textbackslash{} Record}" in written
    assert "  urldate = {2026-11-16}" in written
    assert written.count("@misc{") == len(items)


def test_the_trace_says_what_a_model_did_and_what_it_cost(modules: Page, result: dict[str, Any]) -> None:
    told = json.loads(json.dumps(result))
    told["trace"]["plan"]["facts"] = ["who drew the Fram"]
    told["trace"]["lm_calls"] = [
        {"step": "plan", "hop": 0, "tokens_in": 1200, "tokens_out": 80, "problem": "", "cached": False},
        {"step": "queries", "hop": 1, "tokens_in": 0, "tokens_out": 0, "problem": "no answer in time", "cached": False},
        {"step": "queries", "hop": 2, "tokens_in": 9, "tokens_out": 9, "problem": "", "cached": True},
    ]
    said = modules.module("parts/trace.js", "m.timeline(a[0], (id) => id).textContent", told)
    assert "to verifywho drew the Fram" in said
    assert "plan 1,200 + 80 tokens" in said
    assert "queries 0 + 0 tokens rule used instead: no answer in time" in said
    assert "queries from the cache" in said
    assert modules.module("parts/model-calls.js", "m.tokensOf(a[0])", told["trace"]) == "3 model calls, 1,298 tokens"
    assert modules.module("parts/model-calls.js", "m.tokensOf(a[0])", result["trace"]) == ""


def test_downloads_are_named_for_the_question(modules: Page) -> None:
    names = modules.module("parts/download.js", "[m.fileName('Who drew the “Fram”?', 'md'), m.fileName('???', 'json')]")
    assert names == ["who-drew-the-fram.md", "answer.json"]


def test_a_survey_becomes_a_table_of_groups_and_questions(modules: Page) -> None:
    def chunk(id: str, content: str, score: float) -> dict[str, Any]:
        return {
            "id": id,
            "content": content,
            "combined_score": score,
            "heading": "",
            "reason": "",
            "title": "",
            "rank": 1,
        }

    def row(group: str, *chunks: dict[str, Any]) -> dict[str, Any]:
        answer = {
            "question_number": 1,
            "question": "What is promised?",
            "label": "promise",
            "top_k_chunks": list(chunks),
            "findings": [],
        }
        return {
            "metadata": {"country": group, "retrieval_method": "vector_similarity"},
            "questions": {"question_1": answer},
        }

    first_row = row("Japan", chunk("jp#1", "Japan will halve it. <b>", 0.87), chunk("jp#2", "More", 0.4))
    survey = {
        "profile": "climate", "group": "country", "questions": {"1": "promise"}, "notes": ["one note"],
        "results": [first_row, row("Chad")],
    }  # fmt: skip
    modules.module(
        "parts/survey-table.js",
        "void document.getElementById('main').replaceChildren("
        "...m.surveyTables(a[0], {passageHref: (id) => '#/ask?passage=' + id}).flat(Infinity).filter(Boolean))",
        survey,
    )  # fmt: skip
    assert modules.texts(".heat thead th") == ["country", "1. promise"]
    assert modules.texts(".heat tbody th") == ["Japan", "Chad"]
    assert modules.texts(".heat td") == ["not found", "not found"]
    modules.click(".heat td summary")
    panel = modules.see(".heat-panel").text
    assert "Not found. The closest passage says:" in panel and "Japan will halve it. <b>" in panel
    assert "2 passages" in panel
    question = first_row["questions"]["question_1"]
    finding = {"text": "50% by 2030", "number": 50, "unit": "%", "sentence": '=1+1, "so"', "page": 3, "url": None}
    question |= {"question": "What?", "value": "50% by 2030", "findings": [finding]}
    written = modules.module("parts/survey-csv.js", "m.surveyCsv(a[0])", survey)
    header, line = written.splitlines()[:2]
    assert header.startswith("group,question,label,text,value,number,unit,confidence,sentence")
    cells = next(csv.reader([line]))
    assert cells[:5] == ["Japan", "1", "promise", "What?", "50% by 2030"]
    assert cells[5:] == ["50", "%", "", '\'=1+1, "so"', "", "", "", "3", "", "", "0.87", "vector_similarity"]
    said = modules.module(
        "parts/survey-table.js",
        "m.surveyTables(a[0], {}).flat(Infinity).filter(Boolean)[0].querySelector('td summary').textContent",
        survey,
    )
    assert said == "50% by 2030"
    asked = modules.module("views/survey.js", "m.requestFor('climate', '1, 3', ' Japan , Chad', true)")
    assert asked == {"profile": "climate", "questions": [1, 3], "groups": ["Japan", "Chad"], "hop": True}


def test_a_survey_cell_marks_what_speaks_for_the_answer(modules: Page) -> None:
    said = modules.module(
        "parts/survey-table.js",
        "((p) => (p.append(...m.highlight(a[0]).flat(2)), p.innerHTML))(document.createElement('p'))",
        {"text": "𝒜 cut of 30% <b> by 2030", "marks": [[2, 12], [17, 24]]},
    )
    assert said == "𝒜 <mark>cut of 30%</mark> &lt;b&gt; <mark>by 2030</mark>"


def test_links_in_reports_lead_to_reports_or_to_other_sites(modules: Page) -> None:
    reports = [{"name": "may/a & b.html"}, {"name": "top.html"}]
    leads = {
        "../top.html#q%201": {"report": "top.html", "part": "q 1"},
        "a%20%26%20b.html": {"report": "may/a & b.html", "part": ""},
        "/../../top.html": {"report": "top.html", "part": ""},
        "https://else.example/x": {"elsewhere": "https://else.example/x"},
        "secret.html": {}, "javascript:alert(1)": {}, "data:text/html,x": {}, "http://[": {},
    }  # fmt: skip
    for href, expected in leads.items():
        found = modules.module("views/report.js", "m.targetOf(a[0], 'may/index.html', a[1])", href, reports)
        assert found == expected, href


def test_pages_of_a_folder_belong_to_its_overview(modules: Page) -> None:
    names = ["run.html", "s/index.html", "s/b.html", "s/a.html", "t/x.html"]
    found = modules.module("views/reports.js", "m.grouped(a[0])", [{"name": name} for name in names])
    assert [(g["report"]["name"], [p["name"] for p in g["pages"]]) for g in found] == [
        ("run.html", []), ("s/index.html", ["s/a.html", "s/b.html"]), ("t/x.html", []),
    ]  # fmt: skip
