"""The tools of the MCP server: read-only questions to one or several indexes."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from multihop import tools
from multihop.adapters.mcp import responses, schemas
from multihop.adapters.mcp.arguments import (
    LONGEST_QUESTION,
    MOST_PASSAGES,
    Day,
    Ids,
    Passages,
    Question,
    Where,
    takes_request,
)
from multihop.adapters.mcp.conversations import Conversations
from multihop.adapters.mcp.tool_descriptions import slim_all
from multihop.answering.conversation import Turn
from multihop.engine import Engine
from multihop.errors import (
    IndexBehind,
    IndexLocked,
    IndexReadOnly,
    InvalidInput,
    MultihopError,
    StoreError,
    UnknownName,
    suggestion,
)
from multihop.programs.research import ResearchAgent
from multihop.strategies import STRATEGIES, strategy
from multihop.types import Request, Rights

MOST_TOKENS = 20_000
_LONGEST_ID = 1_000
_VALUES = 100
"""Maximum values of a field to list."""

Words = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description="the words to look for")]
IndexName = str | None
Id = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_ID,
        description="id of a document (fram-ship), or of a passage (fram-ship#3) to begin there",
    ),
]

MemoryId = Annotated[
    str, Field(min_length=1, max_length=_LONGEST_ID, description="id of a memory, as remember and recall return it")
]
Tokens = Annotated[int, Field(ge=50, le=MOST_TOKENS, description="tokens of text at most")]
Full = Annotated[bool, Field(description="long texts, scores, reasons and the chain")]
Namespace = Annotated[str, Field(min_length=1, max_length=200, description="whose memories: always the same name")]
ConversationName = Annotated[
    str | None,
    Field(max_length=200, description="any name: its calls return no passage twice"),
]

_EXCLUDED = "the filter matches no document; metadata_values lists the values of a field"
_ALL_SEEN = "nothing is found beside what this conversation was given before"
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class Tools:
    """The tools over these indexes; the docstring of each method is the description of its tool."""

    def __init__(self, indexes: Mapping[str, Engine], whole: Mapping[str, Engine], user: str = "") -> None:
        self._indexes = indexes
        # Memories go into whole indexes, whatever a user may see of these.
        self._whole = whole
        self._user = user
        self._conversations = Conversations()
        self._writing = threading.Lock()

    @takes_request(k=8)
    def retrieve_evidence(
        self,
        question: Request,
        index: IndexName = None,
        tokens: Tokens = 400,
        full: Full = False,
        conversation: ConversationName = None,
    ) -> Annotated[CallToolResult, schemas.EvidenceAnswer]:
        """Find the passages that together answer a question or decide a claim, over several hops.

        Ask the whole question at once: links from passage to passage are followed here.
        """
        return self._evidence(question, index, tokens, full, conversation)

    def _evidence(
        self, question: Request, index: str | None, tokens: int, full: bool, conversation: str | None
    ) -> CallToolResult:
        name, engine = self._index(index)
        seen = self._conversations.list_seen(name, conversation)
        result = engine.retrieve(question, exclude=[*(question.exclude or ()), *seen])
        # A filter with a misspelled value matches nothing; tell the assistant.
        excluded = not result.evidence and any(
            f and not engine.store.view(f).size for f in (question.where, question.keep)
        )
        extra = [_EXCLUDED] if excluded else [_ALL_SEEN] if seen and not result.evidence else []
        response = (
            responses.full_evidence(name, result, extra)
            if full
            else responses.compact_evidence(name, result, tokens, extra)
        )
        self._conversations.add(name, conversation, [item.passage for item in response.evidence])
        return _tool_result(response)

    @takes_request(k=21)
    def answer_question(
        self,
        question: Request,
        index: IndexName = None,
        conversation: Annotated[
            str | None, Field(max_length=200, description="any name: follow-up questions refer to its calls")
        ] = None,
    ) -> Annotated[CallToolResult, schemas.QuestionAnswer]:
        """Answer a question by the sentence that says it, or give the closest sentence.

        A claim is checked: supported, contradicted or undecided, with its parts.
        """
        name, engine = self._index(index)
        if conversation is None:
            answered = engine.answer(question)
        else:
            talk = engine.conversation(self._conversations.turns(name, conversation))
            understood = talk.understand(question.question, question.lm)
            answered = understood.record(engine.answer(replace(question, question=understood.question)))
            turn = Turn.of(question.question, answered)
            self._conversations.set_turns(name, conversation, (*talk.turns, turn))
        return _tool_result(responses.question_answer(name, answered))

    @takes_request(k=21)
    def decide_claim(self, claim: Request, index: IndexName = None) -> Annotated[CallToolResult, schemas.ClaimVerdict]:
        """Let the language model decide a claim: supported, contradicted or undecided, with the deciding sentences."""
        name, engine = self._index(index)
        verdict = engine.verdict(claim)
        return _tool_result(responses.claim_verdict(name, verdict))

    @takes_request(k=8)
    def explain_evidence(
        self,
        question: Request,
        index: IndexName = None,
        passage: Annotated[str | None, Field(max_length=_LONGEST_ID, description="a passage to explain")] = None,
    ) -> Annotated[CallToolResult, schemas.ExplanationAnswer]:
        """Explain how evidence was found: the plan, and the queries and changes of every hop.

        Give the same arguments as to retrieve_evidence; with a passage, it says why that one is in the evidence or not.
        """
        name, engine = self._index(index)
        result = engine.retrieve(question)
        if passage is not None and not engine.store.view().passages([passage]):
            raise _unknown_id(engine, passage, "passage")
        answer = responses.explanation(name, result, passage)
        return _tool_result(answer, responses.explanation_text(result, answer))

    def read(
        self,
        id: Id,
        index: IndexName = None,
        start: Annotated[int | None, Field(ge=0, description="where to begin, in characters")] = None,
        page: Annotated[int | None, Field(ge=1, description="a page, if it has pages")] = None,
        tokens: Tokens = 800,
    ) -> Annotated[CallToolResult, schemas.DocumentAnswer]:
        """Read a document, one of its pages, or the surroundings of a passage; says where to go on."""
        name, engine = self._index(index)
        return _tool_result(
            responses.document_answer(name, tools.read(engine, id, start=start, page=page, tokens=tokens))
        )

    def search(
        self,
        query: Words,
        k: Passages = 10,
        where: Where = None,
        exclude: Ids = None,
        index: IndexName = None,
        tokens: Tokens = 350,
        full: Full = False,
        conversation: ConversationName = None,
    ) -> Annotated[CallToolResult, schemas.EvidenceAnswer]:
        """Search the passages once for the words of a query, without following links."""
        asked = Request(query, k=k, where=where, exclude=exclude, strategy="bm25")
        return self._evidence(asked, index, tokens, full, conversation)

    def grep(
        self,
        pattern: Annotated[
            str, Field(min_length=1, max_length=tools.LONGEST_PATTERN, description="a text, whatever its case")
        ],
        expression: Annotated[bool, Field(description="the pattern is a regular expression")] = False,
        where: Where = None,
        as_of: Day = None,
        index: IndexName = None,
        start: Annotated[int, Field(ge=0, description="next_start of the call before")] = 0,
        tokens: Tokens = 400,
    ) -> Annotated[CallToolResult, schemas.GrepAnswer]:
        """Find every passage that contains a text exactly; counts those that are not shown."""
        name, engine = self._index(index)
        matches = tools.grep(
            engine, pattern, expression=expression, where=where, as_of=as_of, start=start, tokens=tokens,
            limit=MOST_PASSAGES,
        )  # fmt: skip
        return _tool_result(responses.grep_answer(name, matches))

    def missing(
        self,
        question: Question,
        passages: Annotated[list[str], Field(max_length=200, description="ids of the passages you have")],
        index: IndexName = None,
    ) -> Annotated[CallToolResult, schemas.MissingAnswer]:
        """Return what passages do not cover of a question, and which documents they lead to."""
        name, engine = self._index(index)
        missing = tools.missing(engine, question, passages)
        return _tool_result(responses.missing_answer(name, missing), missing.text)

    def research(
        self,
        question: Question,
        index: IndexName = None,
        k: Passages = 12,
        max_hops: Annotated[int, Field(ge=1, le=20, description="how many hops at most")] = 5,
        threshold: Annotated[float | None, Field(ge=0, le=1, description="share to cover; adapted by default")] = None,
        as_of: Day = None,
    ) -> Annotated[CallToolResult, schemas.ResearchAnswer]:
        """Write a cited report on every aspect of a broad question, and what is not covered."""
        name, engine = self._index(index)
        agent = ResearchAgent(
            engine, min_hops=min(2, max_hops), max_hops=max_hops, k=k, threshold=threshold, as_of=as_of
        )
        researched = agent.process(question)
        coverage = researched.metadata["aspect_coverage"]["weighted_coverage"]
        return _tool_result(
            schemas.ResearchAnswer(
                index=name, report=researched.report.to_markdown(), coverage=round(coverage, 4),
                missing=list(researched.report.not_covered),
            ),
            researched.report.to_markdown(),
        )  # fmt: skip

    def remember(
        self,
        text: Annotated[str, Field(min_length=1, max_length=20_000, description="what to remember")],
        namespace: Namespace,
        index: IndexName = None,
        speaker: Annotated[str, Field(max_length=200, description="who said it")] = "",
        time: Annotated[datetime | None, Field(description="when it was said; now by default")] = None,
    ) -> Annotated[CallToolResult, schemas.MemoryAnswer]:
        """Remember a fact or what was said, beyond this conversation; returns its id."""
        return self._memory(index, namespace, lambda memory: memory.remember(text, speaker=speaker, time=time))

    def update(
        self,
        id: MemoryId,
        text: Annotated[str, Field(min_length=1, max_length=20_000, description="the new text")],
        namespace: Namespace,
        index: IndexName = None,
    ) -> Annotated[CallToolResult, schemas.MemoryAnswer]:
        """Replace a memory that has changed; returns the id of the new one."""
        return self._memory(index, namespace, lambda memory: memory.update(id, text))

    def forget(
        self, id: MemoryId, namespace: Namespace, index: IndexName = None
    ) -> Annotated[CallToolResult, schemas.MemoryAnswer]:
        """Forget a memory that is no longer true or wanted."""

        def work(memory: tools.Memory) -> str:
            memory.forget(id)
            return id

        return self._memory(index, namespace, work)

    def recall(
        self,
        question: Question,
        namespace: Namespace,
        index: IndexName = None,
        k: Passages = 8,
        tokens: Tokens = 400,
        as_of: Day = None,
    ) -> Annotated[CallToolResult, schemas.EvidenceAnswer]:
        """Find what is remembered on a question, before asking a user again."""
        name, engine = self._index(index)
        self._check_namespace(namespace)
        result = tools.Memory(engine, namespace).recall(question, k=k, as_of=as_of)
        return _tool_result(responses.compact_evidence(name, result, tokens))

    def _memory(self, index: str | None, namespace: str, work: Callable[[tools.Memory], str]) -> CallToolResult:
        name, _ = self._index(index)
        self._check_namespace(namespace)
        # The store has one writer; tools run in threads.
        with self._writing:
            id = work(tools.Memory(self._whole[name], namespace))
        return _tool_result(schemas.MemoryAnswer(index=name, id=id))

    def _check_namespace(self, namespace: str) -> None:
        if self._user and namespace != self._user:
            raise InvalidInput(f"this server is for the namespace {self._user!r:.80}, not for {namespace!r:.80}")

    def list_indexes(self) -> Annotated[CallToolResult, schemas.IndexesAnswer]:
        """List the indexes with their sizes and the metadata fields that filters may use, and the strategies."""
        facts = [responses.index_facts(name, engine.stats()) for name, engine in self._indexes.items()]
        model = next((e.lm for e in self._indexes.values() if e.lm is not None), None)
        known = {name: strategy(name, lm=model is not None).description for name in STRATEGIES}
        return _tool_result(
            schemas.IndexesAnswer(indexes=facts, strategies=known, language_model=model.name if model else None)
        )

    def metadata_values(
        self,
        field: Annotated[str, Field(max_length=_LONGEST_ID, description="a metadata field that list_indexes names")],
        index: IndexName = None,
    ) -> Annotated[CallToolResult, schemas.ValuesAnswer]:
        """List the values of a metadata field with the number of documents that have each, to write a filter."""
        name, engine = self._index(index)
        # Read one more than listed, to tell whether there are others.
        values = engine.values(field, limit=_VALUES + 1)
        if not values:
            known = suggestion(field, engine.stats().fields)
            raise UnknownName(f"no document has the metadata field {field!r:.80}: {known}")
        counts = [schemas.ValueCount(value=value, documents=count) for value, count in values[:_VALUES]]
        return _tool_result(schemas.ValuesAnswer(index=name, field=field, values=counts, more=len(values) > _VALUES))

    def _index(self, name: str | None) -> tuple[str, Engine]:
        # With a single index, its name is optional.
        if name is None and len(self._indexes) == 1:
            return next(iter(self._indexes.items()))
        if name is None:
            raise InvalidInput(f"there are several indexes; name one of them: {', '.join(self._indexes)}")
        if name not in self._indexes:
            raise UnknownName(f"there is no index {name!r:.80}: {suggestion(name, self._indexes)}")
        return name, self._indexes[name]


class PermittedIndexes(Mapping[str, Engine]):
    """Named indexes as somebody may see them, brought up to date whenever one is looked up."""

    def __init__(self, indexes: Mapping[str, Engine], rights: Rights) -> None:
        self._all = indexes
        self._rights = rights

    def __getitem__(self, name: str) -> Engine:
        return self._all[name].restrict(self._rights)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


class Server(MCPServer[None]):
    """An MCP server whose tools report errors in one sentence."""

    def __init__(self, offered: Tools, indexes: Mapping[str, Engine], version: str, memory: bool) -> None:
        super().__init__(
            "multihop",
            title="multihop",
            version=version,
            instructions=_instructions(indexes, memory),
            log_level="WARNING",
        )
        self._arguments: dict[str, tuple[str, ...]] = {}
        self._indexes = tuple(indexes)
        # Without a language model answer_question says the same of a claim, and every tool costs the assistant tokens.
        deciding = (offered.decide_claim,) if any(engine.lm for engine in indexes.values()) else ()
        for tool in (
            offered.retrieve_evidence, offered.answer_question, offered.explain_evidence, offered.search, offered.grep,
            offered.read, offered.missing, offered.research, offered.list_indexes, offered.metadata_values, *deciding,
        ):  # fmt: skip
            name = tool.__name__
            self._arguments[name] = tuple(inspect.signature(tool).parameters)
            title = name.replace("_", " ").capitalize()
            self.add_tool(tool, title=title, description=inspect.getdoc(tool), annotations=_READ_ONLY)
        for tool in (offered.remember, offered.update, offered.forget, offered.recall) if memory else ():
            self._arguments[tool.__name__] = tuple(inspect.signature(tool).parameters)
            hints = _READ_ONLY if tool == offered.recall else _WRITES
            title = f"{tool.__name__.capitalize()} a memory"
            self.add_tool(tool, title=title, description=inspect.getdoc(tool), annotations=hints)

    async def list_tools(self) -> list[Tool]:
        """List the tools with slimmed-down descriptions."""
        return slim_all(await super().list_tools(), self._indexes)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        self._check(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            sentence = _sentence(error.__cause__)
            if sentence is None:
                raise
            raise ToolError(sentence) from error.__cause__

    def _check(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Raise for unknown tools and arguments, which the protocol would ignore."""
        known = self._arguments.get(name)
        if known is None:
            raise ToolError(f"there is no tool {name!r:.80}: {suggestion(name, self._arguments)}")
        for argument in arguments:
            if argument not in known:
                raise ToolError(f"{name} has no argument {argument!r:.80}: {suggestion(argument, known)}")


def server(
    indexes: Mapping[str, Engine], *, version: str = "", memory: bool = False, rights: Rights | None = None
) -> MCPServer[None]:
    """Create a server over named indexes; the caller must close them. With `memory`, assistants may write memories.

    With `rights`, every tool sees what these permit, and nothing else; memories are those of their user.
    """
    if not indexes:
        raise InvalidInput("the MCP server needs at least one index")
    if memory and rights is not None and not rights.names_one:
        raise InvalidInput("memory with rights needs a user, whose name is the namespace")
    seen = indexes if rights is None else PermittedIndexes(indexes, rights)
    return Server(Tools(seen, indexes, rights.user if rights else ""), seen, version, memory)


def _instructions(indexes: Mapping[str, Engine], memory: bool) -> str:
    held = "; ".join(_index_summary(name, engine) for name, engine in indexes.items())
    several = " Name one of them with every call." if len(indexes) > 1 else ""
    remembered = (
        "Use recall for what was remembered earlier, remember for what should last beyond this conversation. "
        if memory
        else ""
    )
    return (
        "Evidence from indexed documents. Use answer_question for an answer with its sentences, "
        "retrieve_evidence for the passages on a question or claim, search for words, grep for exact text, "
        "missing for what is not covered yet, read to read on, explain_evidence to see how a result came about. Ids in "
        f"brackets, such as [fram-ship#0], can be cited and given to read. {remembered}Indexed: {held}.{several}"
    )


def _index_summary(name: str, engine: Engine) -> str:
    try:
        return str(responses.index_facts(name, engine.stats()))
    # One unreadable index must not prevent serving the others.
    except StoreError:
        return name


def _tool_result(answer: BaseModel, text: str = "") -> CallToolResult:
    content = TextContent(type="text", text=text or str(answer))
    return CallToolResult(content=[content], structured_content=answer.model_dump(mode="json", exclude_defaults=True))


def _unknown_id(engine: Engine, id: str, what: str) -> UnknownName:
    # Among matching passages: comparing with every id of a large index would take too long.
    near = engine.retrieve(id, k=MOST_PASSAGES, strategy="bm25") if id.strip() else ()
    known = {e.passage.id if what == "passage" else e.passage.document_id for e in near}
    hint = suggestion(id, known) if known else "search finds the ids"
    return UnknownName(f"there is no {what} {id!r:.80}: {hint}")


def _sentence(error: BaseException | None) -> str | None:
    """Describe an error in one sentence; None for internal errors."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        given = "" if first["type"] == "missing" else f", got {first['input']!r:.80}"
        return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}{given}"
    # The messages of a store may contain a local path.
    if isinstance(error, IndexLocked):
        return "another process is writing to the index; try again in a moment"
    if isinstance(error, IndexBehind):
        return "the change is stored, but cannot be searched yet; do not repeat it"
    if isinstance(error, IndexReadOnly):
        return "the index cannot be written"
    if isinstance(error, StoreError):
        return "the index cannot be read at the moment"
    return " ".join(str(error).split()) if isinstance(error, MultihopError) else None
