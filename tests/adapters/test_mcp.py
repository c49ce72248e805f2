"""The tools of the MCP server, asked by the SDK's own client inside this process."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from multihop import Document, Engine
from multihop.adapters.mcp import serve_http, server
from multihop.adapters.mcp.transport import _listen
from multihop.errors import InvalidInput
from multihop.index.stores.sqlite import schema
from multihop.rendering.tokens import estimate_tokens
from multihop.testing.lm import ScriptedLM
from multihop.types import Rights

from ..answering.test_conflicts import PAY, TRAVEL
from ..index.test_validity import LEADERS
from .conftest import EXPECTED, QUESTION

LINKED = "linked from “Fram (ship)”; speaks of what “Fram (ship)” mentions"
TOOLS = [
    "retrieve_evidence", "answer_question", "explain_evidence", "search", "grep", "read", "missing", "research",
    "list_indexes", "metadata_values",
]  # fmt: skip


_SERVERS: dict[str, tuple[Mapping[str, Engine], MCPServer[None]]] = {}
"""Servers by the indexes they were made for, which are kept beside them so that no other object gets their identity."""


def shared(indexes: Mapping[str, Engine], rights: Rights | None) -> MCPServer[None]:
    """Give one server to all who ask the same indexes: describing its tools takes longer than most calls."""
    key = repr(([(name, id(engine)) for name, engine in indexes.items()], rights))
    if key not in _SERVERS:
        _SERVERS[key] = indexes, server(indexes, rights=rights)
    return _SERVERS[key][1]


def call(indexes: Mapping[str, Engine], tool: str, *, rights: Rights | None = None, **arguments: Any) -> CallToolResult:
    async def ask() -> CallToolResult:
        async with Client(shared(indexes, rights)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(ask())


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def answer(indexes: Mapping[str, Engine], tool: str, **arguments: Any) -> Any:
    result = call(indexes, tool, **arguments)
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return result.structured_content


def mistake(indexes: Mapping[str, Engine], tool: str, **arguments: Any) -> str:
    """Call a tool in a way that must fail, with one line; give the line."""
    result = call(indexes, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    (line,) = text(result).splitlines()
    return line


@pytest.fixture(scope="session")
def tools(sample: Engine) -> dict[str, Tool]:
    async def ask() -> list[Tool]:
        async with Client(server({"sample": sample})) as client:
            return (await client.list_tools()).tools

    return {tool.name: tool for tool in asyncio.run(ask())}


@pytest.fixture
def two(sample: Engine, tmp_path: Path) -> Any:
    with Engine.open(tmp_path / "letters.mh", create=True) as letters:
        letters.add(Document("alpha", "Alpha is the first letter. " * 2000, "Alpha", {"year": 1990}))
        yield {"sample": sample, "letters": letters}


def test_every_tool_is_described_and_only_reads(tools: dict[str, Tool]) -> None:
    assert list(tools) == TOOLS
    for tool in tools.values():
        assert tool.title
        assert tool.description
        assert "\n  " not in tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        for argument in tool.input_schema.get("properties", {}).values():
            assert argument.get("description")


def test_bounds_are_in_the_schema(tools: dict[str, Tool]) -> None:
    k = tools["retrieve_evidence"].input_schema["properties"]["k"]
    assert (k["minimum"], k["maximum"]) == (1, 50)
    assert tools["retrieve_evidence"].input_schema["required"] == ["question"]


def test_schemas_hold_nothing_that_only_costs_tokens(tools: dict[str, Tool], two: dict[str, Engine]) -> None:
    async def several() -> list[Tool]:
        async with Client(server(two)) as client:
            return (await client.list_tools()).tools

    for tool in tools.values():
        assert "index" not in tool.input_schema["properties"]
        assert "index" not in tool.input_schema.get("required", ())
        assert not any("title" in said for said in tool.input_schema["properties"].values())
    output = tools["search"].output_schema
    assert output is not None
    assert "title" in output["$defs"]["EvidenceItem"]["properties"]
    assert len(str([tool.model_dump() for tool in tools.values()])) < 20_000
    for tool in asyncio.run(several()):
        if tool.name != "list_indexes":
            assert tool.input_schema["properties"]["index"]["description"] == "one of: sample, letters"
            assert "index" in tool.input_schema["required"]


def test_an_assistant_is_told_what_is_indexed(sample: Engine) -> None:
    async def ask() -> str:
        async with Client(server({"sample": sample})) as client:
            return client.instructions or ""

    told = asyncio.run(ask())
    assert "sample: 182 documents, 182 passages, no vectors; fields: country (35 values)" in told
    assert "recall" not in told


def test_evidence_with_reasons(sample: Engine, tools: dict[str, Tool]) -> None:
    result = call({"sample": sample}, "retrieve_evidence", question=QUESTION, k=3, full=True)
    found = result.structured_content
    assert found is not None
    schema = tools["retrieve_evidence"].output_schema
    assert schema is not None
    jsonschema.validate(found, schema)
    assert [e["passage"] for e in found["evidence"]] == EXPECTED
    archer = found["evidence"][2]
    assert (archer["document"], archer["hop"], archer["reason"]) == ("colin-archer", 2, LINKED)
    assert archer["cut"] is False
    assert (found["index"], found["strategy"], found["covered"]) == ("sample", "auto", ["Amundsen"])
    assert f"[colin-archer#0] Colin Archer:\n{LINKED}\nColin Archer came into" in text(result)


def test_filter_strategy_and_budget_are_passed_on(sample: Engine) -> None:
    where = {"country": ["Norway", "Italy"], "year": {"gte": 1860}}
    found = answer(
        {"sample": sample}, "retrieve_evidence", question=QUESTION, k=4, strategy="replace", where=where, full=True
    )
    expected = sample.retrieve(QUESTION, k=4, strategy="replace", where=where)
    assert [e["passage"] for e in found["evidence"]] == [e.passage.id for e in expected]
    assert found["strategy"] == "replace"


def test_a_filter_for_what_is_returned_lets_hops_lead_over_others(sample: Engine) -> None:
    keep = {"kind": "person"}
    found = answer({"sample": sample}, "retrieve_evidence", question=QUESTION, k=2, keep=keep, full=True)
    expected = sample.retrieve(QUESTION, k=2, keep=keep)
    assert [e["passage"] for e in found["evidence"]] == [e.passage.id for e in expected]
    assert {e.passage.metadata["kind"] for e in expected} == {"person"}
    result = call({"sample": sample}, "retrieve_evidence", question=QUESTION, k=2, keep={"country": "Norwegen"})
    assert "Note: the filter matches no document" in text(result)


def test_no_value_of_a_field_fills_the_evidence(sample: Engine) -> None:
    asked = {"question": QUESTION, "k": 4, "at_most": {"kind": 1}}
    found = answer({"sample": sample}, "retrieve_evidence", **asked, full=True)
    kinds = [sample.store.view().passages([e["passage"]])[e["passage"]].metadata["kind"] for e in found["evidence"]]
    assert len(kinds) == len({*kinds}) > 1
    assert answer({"sample": sample}, "explain_evidence", **asked)["evidence"] == [
        e["passage"] for e in found["evidence"]
    ]
    refused = call({"sample": sample}, "answer_question", question=QUESTION, at_most={"kind": 0})
    assert text(refused) == "at_most of 'kind' is a number of passages from 1 on, not 0"


def test_a_filter_that_matches_nothing_is_said(sample: Engine) -> None:
    result = call({"sample": sample}, "retrieve_evidence", question=QUESTION, k=2, where={"country": "Norwegen"})
    [nothing, missing, excluded, meant] = text(result).splitlines()
    assert (nothing, missing) == ("No passage was found.", "Not covered: Amundsen")
    assert excluded == "Note: the filter matches no document; metadata_values lists the values of a field"
    assert meant.startswith("Note: no document has country = 'Norwegen'")


def test_an_answer_does_not_repeat_what_is_always_so(sample: Engine) -> None:
    assert "notes" not in answer({"sample": sample}, "retrieve_evidence", question=QUESTION, k=2)
    assert "no vectors" in text(call({"sample": sample}, "list_indexes"))
    told = text(call({"sample": sample}, "explain_evidence", question=QUESTION, k=2))
    assert "asked the question for the question as it is" in told
    assert QUESTION not in told


def test_what_is_missing_is_said(sample: Engine) -> None:
    result = call({"sample": sample}, "retrieve_evidence", question="Did Roald Amundsen meet Zyxwvut Qponmlk?", k=2)
    assert result.structured_content is not None
    assert result.structured_content["missing"] == ["Zyxwvut Qponmlk"]
    assert "Not covered: Zyxwvut Qponmlk" in text(result)


def test_an_explanation_tells_every_hop(sample: Engine) -> None:
    result = call({"sample": sample}, "explain_evidence", question=QUESTION, k=3)
    told = result.structured_content
    assert told is not None
    trace = sample.retrieve(QUESTION, k=3).trace
    assert told["evidence"] == EXPECTED
    assert [h["entered"] for h in told["hops"]] == [list(h.entered) for h in trace.hops]
    assert told["hops"][1]["left"] == ["marie-tharp#0"]
    assert told["hops"][-1]["decision"] == "stopped: everything the question names is covered"
    assert told["passage"] is None
    assert "hop 2\n" in text(result)


@pytest.mark.parametrize(
    ("passage", "rank", "reason"),
    [
        ("colin-archer#0", 3, LINKED),
        ("marie-tharp#0", None, "better ones came at hop 2"),
        ("rosetta-stone#0", None, "no query brought it near the top"),
    ],
)
def test_an_explanation_tells_of_one_passage(sample: Engine, passage: str, rank: int | None, reason: str) -> None:
    told = answer({"sample": sample}, "explain_evidence", question=QUESTION, k=3, passage=passage)["passage"]
    assert (told["id"], told["rank"], told["reason"]) == (passage, rank, reason)


def test_a_passage_that_was_near_is_told(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=1, strategy="bm25")
    near = result.trace.hops[0].found[0].top[1].passage_id
    told = answer({"sample": sample}, "explain_evidence", question=QUESTION, k=1, strategy="bm25", passage=near)
    assert told["passage"]["reason"] == "it was found, and others were better"


def test_a_replaced_passage_is_told(sample: Engine) -> None:
    question = "Did Colin Archer, Roald Amundsen and Umberto Nobile ever meet in the Netherlands?"
    swaps = [r for h in sample.retrieve(question, k=2, strategy="replace").trace.hops for r in h.replaced]
    assert swaps, "the question is chosen so that something is replaced"
    told = answer(
        {"sample": sample}, "explain_evidence", question=question, k=2, strategy="replace", passage=swaps[-1].out
    )
    assert "replaced" in told["passage"]["reason"]


def test_search_finds_words_and_follows_nothing(sample: Engine) -> None:
    found = answer({"sample": sample}, "search", query="double-ended rescue cutters", k=5, full=True)
    expected = sample.retrieve("double-ended rescue cutters", k=5, strategy="bm25")
    assert [hit["passage"] for hit in found["evidence"]] == [e.passage.id for e in expected]
    assert found["evidence"][0]["document"] == "colin-archer"


def test_a_compact_text_has_the_sentences_that_match(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        said = "Sand and water. " * 60 + "Then a lighthouse stood there. " + "Wind and rain. " * 60
        engine.add(Document("a", said), whole=True)
        engine.add(Document("b", "A lighthouse."))
        hits = answer({"x": engine}, "search", query="lighthouse", tokens=60)["evidence"]
    texts = {hit["passage"]: hit["text"] for hit in hits}
    assert texts["b#0"] == "A lighthouse."
    assert "Then a lighthouse stood there." in texts["a#0"]
    assert estimate_tokens(str(texts)) < 80


def test_a_document_by_its_id_or_by_that_of_a_passage(sample: Engine) -> None:
    document = sample.document("fram-ship")
    assert document is not None
    for id in ("fram-ship", "fram-ship#0"):
        found = answer({"sample": sample}, "read", id=id)
        assert (found["id"], found["title"], found["text"]) == ("fram-ship", "Fram (ship)", document.text)
        assert found["metadata"] == document.metadata
        assert (found["start"], found["next_start"]) == (0, None)


def test_the_id_of_a_passage_begins_there(tmp_path: Path) -> None:
    text = "\n\n".join(f"# Part {i}\n\n" + f"This is said in part {i}. " * 40 for i in range(6))
    with Engine.open(tmp_path / "parts.mh", create=True) as engine:
        engine.add(Document("long", text, "Long"))
        passage = engine.store.view().passages(["long#4"])["long#4"]
        found = answer({"parts": engine}, "read", id="long#4", tokens=50)
        assert (found["id"], found["start"]) == ("long", text.index(passage.text))
        assert passage.text.startswith(found["text"].rstrip())
        around = answer({"parts": engine}, "read", id="long#4", tokens=estimate_tokens(passage.text) + 100)
        assert passage.text in around["text"]
        assert around["start"] < text.index(passage.text) < around["next_start"] - len(passage.text)
        again = answer({"parts": engine}, "read", id="long#4", start=0, tokens=20_000)
        assert (again["start"], again["text"]) == (0, text)


def test_a_long_document_is_read_in_parts(two: dict[str, Engine]) -> None:
    whole, start = "", 0
    while start is not None:
        part = answer(two, "read", id="alpha", index="letters", start=start, tokens=5_000)
        assert estimate_tokens(part["text"]) <= 5_000
        whole, start = whole + part["text"], part["next_start"]
    document = two["letters"].document("alpha")
    assert document is not None
    assert whole == document.text
    assert part["length"] == len(whole)


def test_long_passages_are_cut_and_say_so(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "long.mh", create=True) as engine:
        engine.add((Document(f"d{i}", f"Alpha {i} " * 2000, f"Alpha {i} " * 200) for i in range(50)), whole=True)
        result = call({"long": engine}, "retrieve_evidence", question="Alpha", k=50, full=True)
    assert result.structured_content is not None
    items = result.structured_content["evidence"]
    assert len(items) == 50
    assert all(item["cut"] and item["text"].endswith("…") and len(item["title"]) <= 301 for item in items)
    assert len(text(result)) < 100_000
    assert text(result).count("(cut here; read d") == 50


def test_several_indexes_as_one(tmp_path: Path) -> None:
    with (
        Engine.open(tmp_path / "ships.mh", create=True) as ships,
        Engine.open(tmp_path / "people.mh", create=True) as people,
    ):
        ships.add(Document("k", "Kittiwake is a ship. Its engineer is Pia Holm.", "Kittiwake"))
        people.add(Document("p", "Pia Holm was born in Sandnes.", "Pia Holm", {"allow": "jon"}))
        served = {"ships": ships, "people": people, "all": Engine.combine({"ships": ships, "people": people})}
        asked = {"question": "Where was the engineer of Kittiwake born?", "index": "all"}
        found = answer(served, "retrieve_evidence", **asked)
        assert [each["passage"] for each in found["evidence"]] == ["ships/k#0", "people/p#0"]
        eva = answer(served, "retrieve_evidence", rights=Rights("eva"), **asked)
        assert [each["passage"] for each in eva["evidence"]] == ["ships/k#0"]


def test_several_indexes(two: dict[str, Engine]) -> None:
    assert answer(two, "search", query="letter", index="letters")["evidence"][0]["passage"].startswith("alpha#")
    assert mistake(two, "search", query="letter") == "there are several indexes; name one of them: sample, letters"
    assert mistake(two, "search", query="x", index="leters") == "there is no index 'leters': did you mean 'letters'?"
    listed = answer(two, "list_indexes")
    assert [(i["name"], i["documents"]) for i in listed["indexes"]] == [("sample", 182), ("letters", 1)]
    assert listed["indexes"][1]["fields"] == {"year": 1}
    assert "auto" in listed["strategies"]
    assert listed["language_model"] is None


def test_a_language_model_helps_where_there_is_one(sample: Engine) -> None:
    lm = ScriptedLM({"claim_decomposition": {"sub_questions": ["Who drew the lines of the Fram?"]}})
    helped = {"sample": Engine(sample.store, lm)}
    assert answer(helped, "list_indexes")["language_model"] == "scripted/model"
    assert "by a language model" in answer(helped, "list_indexes")["strategies"]["auto"]
    explained = answer(helped, "explain_evidence", question=QUESTION, k=3)
    assert "Who drew the lines of the Fram?" in explained["sub_questions"]
    assert any("language model, hop 2, follow_up_queries" in note for note in explained["notes"])
    asked = len(lm.asked)
    answer(helped, "search", query="Fram")
    assert len(lm.asked) == asked


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("retrieve_evidence", {}, "question: field required"),
        ("retrieve_evidence", {"question": ""}, "question: string should have at least 1 character, got ''"),
        ("retrieve_evidence", {"question": "  "}, "the question is empty; give a claim or a question"),
        (
            "retrieve_evidence",
            {"question": "x" * 5000},
            "question: string should have at most 4000 characters, got 'xxx",
        ),
        ("retrieve_evidence", {"question": "x", "k": 0}, "k: input should be greater than or equal to 1, got 0"),
        ("retrieve_evidence", {"question": "x", "k": 51}, "k: input should be less than or equal to 50, got 51"),
        ("retrieve_evidence", {"question": "x", "k": "many"}, "k: input should be a valid integer"),
        (
            "retrieve_evidence",
            {"question": "x", "strategy": "autp"},
            "there is no strategy 'autp': did you mean 'auto'?",
        ),
        ("retrieve_evidence", {"question": "x", "strategy": "dense"}, "this strategy needs vectors"),
        ("retrieve_evidence", {"question": "x", "where": {"contry": "y"}}, "did you mean 'country'?"),
        ("retrieve_evidence", {"question": "x", "where": {"year": {"gte": [1]}}}, "year"),
        ("retrieve_evidence", {"question": "x", "where": "Norway"}, "where: input should be a valid dictionary"),
        (
            "retrieve_evidence",
            {"question": "x", "limit": 3},
            "retrieve_evidence has no argument 'limit': known: as_of, at_most, conversation, exclude, full, index, k",
        ),
        ("retrieve_evidence", {"question": "x", "indx": "y"}, "has no argument 'indx': did you mean 'index'?"),
        ("explain_evidence", {"question": "x", "passage": "fram-shp#0"}, "did you mean 'fram-ship#0'?"),
        ("read", {"id": "fram-shp"}, "document or passage 'fram-shp' not found: did you mean 'fram-ship'?"),
        ("read", {"id": "../../etc/passwd"}, "document or passage '../../etc/passwd' not found: search finds the ids"),
        ("read", {"id": " "}, "document or passage ' ' not found: search finds the ids"),
        (
            "read",
            {"id": "fram-ship", "start": 5000},
            "the document has 390 characters; start=5000 is beyond its end",
        ),
        ("read", {"id": "fram-ship", "tokens": 10**6}, "tokens: input should be less than or equal to 20000"),
        ("retrieve_evidenc", {}, "there is no tool 'retrieve_evidenc': did you mean 'retrieve_evidence'?"),
    ],
)
def test_mistakes_are_one_sentence(sample: Engine, tool: str, arguments: dict[str, Any], message: str) -> None:
    assert message in mistake({"sample": sample}, tool, **arguments)


def test_a_broken_index_tells_no_paths(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("a", "Alpha."))
        shutil.rmtree(tmp_path / "x.mh" / "lexical")
        (tmp_path / "x.mh" / schema.FILE).write_bytes(b"no database" * 1000)
        said = mistake({"x": engine}, "retrieve_evidence", question="Alpha")
    assert said == "the index cannot be read at the moment"


def test_a_server_needs_an_index() -> None:
    with pytest.raises(InvalidInput, match="at least one index"):
        server({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": "0.0.0.0"}, r"the host '0\.0\.0\.0' is open to other machines and needs a token"),
        ({"token": "short"}, "the token has 5 characters; at least 16 are needed"),
    ],
)
def test_other_machines_are_not_served_without_a_good_token(
    sample: Engine, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        serve_http(server({"sample": sample}), port=0, **options)  # type: ignore[arg-type]  # mypy sees one dict type


def test_no_part_of_a_response_waits_for_another() -> None:
    with _listen("127.0.0.1", 0) as listening:
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_values_of_a_field(sample: Engine) -> None:
    found = answer({"sample": sample}, "metadata_values", field="kind")
    assert (found["values"][0], found["more"]) == ({"value": "person", "documents": 77}, False)
    assert text(call({"sample": sample}, "metadata_values", field="kind")).startswith("kind:\nperson (77)\n")
    assert "did you mean 'kind'" in text(call({"sample": sample}, "metadata_values", field="kinds"))


def test_an_answer_comes_with_its_sentences_and_chain(sample: Engine) -> None:
    said = call({"sample": sample}, "answer_question", question="When was Colin Archer born?")
    found = said.structured_content
    assert found is not None
    first = found["sentences"][0]
    assert text(said).startswith(
        f"1832 (confidence {found['confidence']:.2f})\n{first['sentence']} ({first['passage']}"
    )
    assert found["chain"][0].startswith("question – “")
    nothing = call({"sample": sample}, "answer_question", question="xqzzyv wplk").structured_content
    assert nothing is not None
    assert (nothing["answer"], nothing["sentences"], nothing["notes"][0]) == ("", [], "no sentence answers this")


def test_an_answer_that_is_not_sure_begins_so_and_remarks_on_no_budget(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("a", "Pia Holm keeps bees on the roof of the town hall.", "Pia Holm"))
        said = call({"x": engine}, "answer_question", question="In which year was Pia Holm born?")
        undecided = call({"x": engine}, "answer_question", question="Pia Holm was born in Sandnes.")
    assert said.structured_content is not None
    assert (said.structured_content["answer"], said.structured_content["notes"]) == ("", [])
    assert text(said).startswith("Not sure. The closest sentence is:\nPia Holm keeps bees")
    assert text(undecided).startswith("undecided (confidence ")
    assert "Note" not in text(undecided)


def test_a_claim_is_decided_without_a_language_model(sample: Engine) -> None:
    said = call({"sample": sample}, "answer_question", question="Colin Archer came into the world in Larvik in 1832.")
    assert said.structured_content is not None
    assert said.structured_content["answer"] == "supported"
    assert "1832" in said.structured_content["sentences"][0]["sentence"]


def test_a_claim_is_decided_by_a_language_model(sample: Engine) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}})
    with_model = Engine(sample.store, lm=lm)
    said = call({"sample": with_model}, "decide_claim", claim="Colin Archer drew the Fram.", strategy="bm25")
    assert said.structured_content is not None
    assert said.structured_content["verdict"] == "supported"
    assert len(said.structured_content["sentences"]) == 1


def test_evidence_is_compact_unless_asked_otherwise(sample: Engine) -> None:
    """Half of the tokens of the long form or less, with every passage that the chain goes through."""
    short = call({"sample": sample}, "retrieve_evidence", question=QUESTION)
    full = call({"sample": sample}, "retrieve_evidence", question=QUESTION, full=True)
    assert short.structured_content is not None
    assert full.structured_content is not None
    assert 2 * estimate_tokens(text(short)) <= estimate_tokens(text(full))
    assert 2 * estimate_tokens(str(short.structured_content)) <= estimate_tokens(str(full.structured_content))
    assert {e["passage"] for e in short.structured_content["evidence"]} >= set(EXPECTED)
    assert {key for e in short.structured_content["evidence"] for key in e} == {"passage", "title", "text"}
    assert "borrowed her for his voyage" in text(short)
    assert "Colin Archer drew her lines" in text(short)


def test_what_does_not_fit_is_counted(sample: Engine) -> None:
    found = answer({"sample": sample}, "retrieve_evidence", question=QUESTION, k=20, tokens=100)
    assert found["left_out"] == 20 - len(found["evidence"]) > 0
    assert estimate_tokens(" ".join(e["text"] for e in found["evidence"])) <= 100


def test_what_an_agent_has_is_excluded_by_id_or_by_conversation(sample: Engine) -> None:
    async def ask() -> list[list[str]]:
        async with Client(server({"sample": sample})) as client:
            given = []
            named: dict[str, Any] = {"conversation": "one"}
            for options in ({"exclude": EXPECTED[:1]}, {"exclude": ["fram-ship"]}, named, named):
                asked = {"question": QUESTION, "k": 3, **options}
                found = (await client.call_tool("retrieve_evidence", asked)).structured_content
                assert found is not None
                given.append([item["passage"] for item in found["evidence"]])
            return given

    by_passage, by_document, first, second = asyncio.run(ask())
    assert by_passage == by_document
    assert "fram-ship#0" not in by_passage
    assert set(first) == set(EXPECTED)
    assert len(second) == 3
    assert not set(first) & set(second)


def test_a_conversation_that_was_given_everything_is_told(sample: Engine) -> None:
    async def ask() -> list[Any]:
        async with Client(server({"sample": sample})) as client:
            named = {"query": "Fram", "k": 10, "conversation": "c"}
            return [await client.call_tool("search", named) for _ in range(2)]

    first, second = asyncio.run(ask())
    assert first.structured_content["evidence"]
    assert second.structured_content["evidence"] == []
    assert "nothing is found beside what this conversation was given before" in text(second)


def test_grep_shows_and_counts(sample: Engine) -> None:
    found = answer({"sample": sample}, "grep", pattern="terra nova")
    assert found["complete"]
    assert all("terra nova" in each["text"].lower() for each in found["matches"])
    few = call({"sample": sample}, "grep", pattern="the", tokens=60)
    assert few.structured_content is not None
    rest = few.structured_content
    assert f"({rest['left']} more; go on with start={rest['next_start']})" in text(few)
    assert "not a regular expression" in mistake({"sample": sample}, "grep", pattern="(", expression=True)


def test_missing_names_the_next_step(sample: Engine) -> None:
    said = call({"sample": sample}, "missing", question=QUESTION, passages=["roald-amundsen#0"])
    assert said.structured_content is not None
    assert said.structured_content["words"] == ["drew", "ship", "borrowed"]
    assert said.structured_content["leads"][0] == "fram-ship"
    assert text(said).startswith("words not found: drew, ship, borrowed; leads: Fram (ship) (fram-ship)")
    assert estimate_tokens(text(said)) <= 100


def test_follow_up_questions_of_a_conversation(sample: Engine) -> None:
    async def ask() -> list[Any]:
        async with Client(server({"sample": sample})) as client:
            asked = ("When was Colin Archer born?", "And what did he build?")
            named = {"conversation": "c", "k": 5}
            calls = [await client.call_tool("answer_question", {"question": q, **named}) for q in asked]
            return [each.structured_content for each in calls]

    first, second = asyncio.run(ask())
    assert first["answer"] == "1832"
    assert second["question"] == "What did Colin Archer build?"


def test_a_report_on_every_aspect(sample: Engine) -> None:
    question = "How did the Difference Engine differ from the Analytical Engine?"
    said = call({"sample": sample}, "research", question=question, max_hops=3)
    assert text(said).startswith(f"# {question}\n\n## ")
    assert said.structured_content is not None
    assert 0 < said.structured_content["coverage"] <= 1


def test_memories_are_written_where_that_is_allowed(tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        with Engine.open(tmp_path / "memory.mh", create=True) as engine:
            async with Client(server({"memory": engine}, memory=True)) as client:
                assert "Use recall for what was remembered earlier" in (client.instructions or "")
                tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
                described = [tools[tool]["id"]["description"] for tool in ("update", "forget")]
                assert described == ["id of a memory, as remember and recall return it", "as for update"]

                async def call(tool: str, **arguments: Any) -> Any:
                    given = await client.call_tool(tool, {"namespace": "ann", **arguments})
                    assert not given.is_error, given.content
                    return given.structured_content

                first = await call("remember", text="Caroline lives in Lisbon.", time="2023-05-08T13:56:00Z")
                second = await call("update", id=first["id"], text="Caroline lives in Oslo.")
                found = await call("recall", question="Where does Caroline live?")
                before = await call("recall", question="Where does Caroline live?", as_of="2023-06-01")
                await call("forget", id=second["id"])
                return [found, before, await call("recall", question="Where does Caroline live?")]

    found, before, nothing = asyncio.run(ask())
    assert [e["text"] for e in found["evidence"]] == ["Caroline lives in Oslo."]
    assert [(e["title"], e["text"]) for e in before["evidence"]] == [("8 May 2023", "Caroline lives in Lisbon.")]
    assert nothing["evidence"] == []


def test_a_memory_that_cannot_be_written_now_says_why(tmp_path: Path) -> None:
    path = tmp_path / "memory.mh"
    said = []

    async def remember(engine: Engine) -> str:
        async with Client(server({"memory": engine}, memory=True)) as client:
            return text(await client.call_tool("remember", {"namespace": "ann", "text": "Caroline lives in Oslo."}))

    def slowly(other: Engine) -> Iterator[Document]:
        yield Document("a", "Alpha.")
        said.append(asyncio.run(remember(other)))

    with Engine.open(path, create=True) as engine, Engine.open(path) as other:
        engine.add(slowly(other))
    assert said == ["another process is writing to the index; try again in a moment"]


def test_nothing_is_written_unless_allowed(sample: Engine) -> None:
    assert "there is no tool 'remember'" in mistake({"sample": sample}, "remember", text="x", namespace="ann")


def test_days_and_sources_that_disagree(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add((*TRAVEL, *LEADERS))
        for tool in ("retrieve_evidence", "answer_question"):
            [said] = [n for n in answer({"x": engine}, tool, question=PAY)["notes"] if "disagree" in n]
            assert "“Travel rules” (2021-03-01) says “Kittiwake pays travel at 30 euros a day.”" in said
            assert "“New travel rules” (2024-05-03) says “Kittiwake pays travel at 45 euros a day.”" in said
        found = {
            day: answer({"x": engine}, "answer_question", question="Who leads Kittiwake?", as_of=day)
            for day in ("2024-05-02", "2024-05-03")
        }
        for day, leader in (("2024-05-02", "Pia Holm"), ("2024-05-03", "Jon Berg")):
            [match] = answer({"x": engine}, "grep", pattern="led by", as_of=day)["matches"]
            assert match["text"] == f"Kittiwake is led by {leader}."
            report = answer({"x": engine}, "research", question="By whom is Kittiwake led?", as_of=day)["report"]
            assert [name for name in ("Pia Holm", "Jon Berg") if f"led by {name}" in report] == [leader]
    assert [each["answer"] for each in found.values()] == ["Pia Holm", "Jon Berg"]
    assert any("“Kittiwake (2024)” valid from 3 May 2024" in note for note in found["2024-05-02"]["notes"])


def test_every_tool_sees_what_the_rights_permit(tmp_path: Path) -> None:
    public = Document("pia", "Pia Holm leads Kittiwake, see Pay.", "Pia Holm")
    secret = Document("pay", "Pia Holm earns 90,000 crowns.", "Pay", {"allow": ("group:hr",)})
    asked: dict[str, dict[str, Any]] = {
        "retrieve_evidence": {"question": "What does Pia Holm earn?"},
        "answer_question": {"question": "What does Pia Holm earn?"},
        "search": {"query": "Pia Holm"},
        "grep": {"pattern": "crowns"},
        "read": {"id": "pay"},
        "list_indexes": {},
        "metadata_values": {"field": "allow"},
    }
    with Engine.open(tmp_path / "all.mh", create=True) as whole, Engine.open(tmp_path / "p.mh", create=True) as part:
        part.add(public)
        whole.add([public, secret])
        for tool, arguments in asked.items():
            under_rights = text(call({"i": whole}, tool, rights=Rights("jon"), **arguments))
            assert under_rights == text(call({"i": part}, tool, **arguments)), tool
        found = text(call({"i": whole}, "search", rights=Rights("jon", ("hr",)), query="crowns"))
        assert "90,000" in found
        # What is added later is seen at the next call.
        whole.add(Document("new", "Kittiwake is a ferry.", "Kittiwake"))
        assert "ferry" in text(call({"i": whole}, "search", rights=Rights("jon"), query="Kittiwake ferry"))
    with pytest.raises(InvalidInput, match="needs a user, whose name is the namespace"):
        server({"i": whole}, memory=True, rights=Rights(groups=("hr",)))


def test_memories_of_a_user_are_for_that_user(tmp_path: Path) -> None:
    async def ask(engine: Engine, user: str, *calls: tuple[str, dict[str, Any]]) -> list[str]:
        async with Client(server({"m": engine}, memory=True, rights=Rights(user))) as client:
            return [text(await client.call_tool(tool, {"namespace": user, **given})) for tool, given in calls]

    with Engine.open(tmp_path / "m.mh", create=True) as engine:
        engine.add(Document("town", "Lisbon is a town.", "Lisbon"))
        told = {"text": "Caroline lives in Lisbon."}
        asked = {"question": "Where does Caroline live?"}
        [_, found] = asyncio.run(ask(engine, "ann", ("remember", told), ("recall", asked)))
        assert "Caroline lives in Lisbon." in found
        [other, nothing] = asyncio.run(ask(engine, "bob", ("recall", {**asked, "namespace": "ann"}), ("recall", asked)))
        assert other == "this server is for the namespace 'bob', not for 'ann'"
        assert "Caroline" not in nothing

        async def search(user: str) -> str:
            async with Client(server({"m": engine}, memory=True, rights=Rights(user))) as client:
                return text(await client.call_tool("search", {"query": "Lisbon"}))

        assert "Caroline" in asyncio.run(search("ann"))
        assert "Caroline" not in asyncio.run(search("bob"))
