"""What comes in over HTTP, checked, and what goes out, described; results are described by the types of the engine."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictBool,
    StrictInt,
    StrictStr,
    create_model,
)
from pydantic.config import JsonDict

from multihop.index.readers.record import MAX_ID
from multihop.types import LONGEST_QUESTION, MOST_PASSAGES, OPTIONS, Document, Metadata, Option, Request, Result

IndexName = Annotated[str, Path(description="An index, by its name in GET /v1/indexes.", examples=["sample"])]
_NOT_IN_ID = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_ID: JsonDict = {"pattern": rf"^[^{_NOT_IN_ID}]*[^\s{_NOT_IN_ID}][^{_NOT_IN_ID}]*$"}
"""What ids may hold, for those who read the description; the engine says in words what is wrong with one."""
_NOT_BLANK: JsonDict = {"pattern": r"\S"}
DocumentId = Annotated[
    str,
    Path(
        description="The id of a document, percent-encoded.",
        examples=["fram-ship"],
        json_schema_extra={**_ID, "maxLength": MAX_ID},
    ),
]
PassageId = Annotated[str, Path(description="The id of a passage, percent-encoded.", examples=["fram-ship#0"])]
JobId = Annotated[str, Path(description="The id of a job.", examples=["52276bb5a1fd761f"])]
ReportName = Annotated[str, Path(description="The name of a report, as GET /v1/reports lists it.")]
# Strict, so that true is no number; finite, since Python reads NaN and Infinity where JSON has neither.
Value = StrictStr | StrictBool | StrictInt | FiniteFloat
_QUESTION = "Who was the architect of the ship that Amundsen borrowed?"


def example_config(example: JsonDict) -> ConfigDict:
    """Describe a model by an example."""
    # Pydantic adds this to the settings of the parent: bodies stay as strict as `Incoming` is.
    return ConfigDict(json_schema_extra={"examples": [example]})


class RequestBody(BaseModel):
    """A body: fields that mean nothing are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


Values = Annotated[list[Value], Field(min_length=1, max_length=1000)]


class Bounds(RequestBody):
    """What a field must hold, all of it: a range of values, none of some values, a part of a text, anything at all."""

    model_config = ConfigDict(serialize_by_alias=True)
    gt: Value | None = None
    gte: Value | None = None
    lt: Value | None = None
    lte: Value | None = None
    none_of: Annotated[Value | Values | None, Field(alias="not")] = None
    contains: Annotated[str | list[str] | None, Field(description="A text holds this, whatever the case.")] = None
    exists: StrictBool | None = None


Condition = Value | Values | Bounds


def _wrap_not(where: Any) -> Any:
    """Write {"$not": filter} as {"$not": [filter]}, so that no other condition may be any object."""
    if isinstance(where, dict) and isinstance(where.get("$not"), dict):
        return {**where, "$not": [where["$not"]]}
    return where


Filter = Annotated[
    dict[str, Condition | Annotated[list[dict[str, Any]], Field(min_length=1, max_length=1000)]],
    BeforeValidator(_wrap_not),
    Field(
        description="Keeps to documents whose metadata match: a value, a list of alternatives, or bounds. `$or` and "
        "`$and` hold lists of filters, `$not` holds one.",
        examples=[{"topic": "polar"}],
        max_length=100,
    ),
]


def _to_int(value: Any) -> Any:
    """JSON does not distinguish 5 and 5.0, and neither do we; "5" and true are not numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[StrictInt, BeforeValidator(_to_int)]
Budget = Annotated[
    StrictInt, Field(ge=1, le=MOST_PASSAGES, description="Maximum number of passages."), BeforeValidator(_to_int)
]
QuestionText = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_QUESTION, description="A question, or a claim to decide.",
        json_schema_extra=_NOT_BLANK,
    ),
]  # fmt: skip


_KINDS: dict[str, Any] = {"count": Budget, "text": str, "filter": Filter, "limits": dict[str, Budget]}
_DESCRIPTIONS = {"strategy": "A name of GET /v1/strategies.", "where": ""}
"""What this server says of an option in its own words; a filter describes itself."""


def field_of(name: str, option: Option) -> Any:
    """Give the type and default of the field of a body for an option of a request."""
    kind: Any = _KINDS[option.kind] if option.default is not None else _KINDS[option.kind] | None
    bounds: dict[str, Any] = {} if option.kind == "count" or option.most is None else {"max_length": option.most}
    description = _DESCRIPTIONS.get(name, option.help)
    return (Annotated[kind, Field(description=description, **bounds)] if description else kind), option.default


class RequestOptions(RequestBody):
    """How to find evidence: the options of a request."""

    def request(self, question: str) -> Request:
        """Give what is asked as the engine takes it."""
        given = self.model_dump(include=set(OPTIONS), exclude_none=True, by_alias=True)
        # An empty filter is none.
        return Request(question, **{name: value for name, value in given.items() if value != {}})


_Options = create_model(
    "_Options", __base__=RequestOptions, **{name: field_of(name, each) for name, each in OPTIONS.items()}
)


class Question(_Options):  # type: ignore[valid-type,misc]  # its fields are made of those of Request
    """A question and how to answer it."""

    model_config = example_config({"question": _QUESTION, "k": 5})
    question: QuestionText


class Batch(_Options):  # type: ignore[valid-type,misc]  # as above
    """Several questions, answered alike."""

    model_config = example_config({"questions": [_QUESTION], "k": 5})
    # Each is answered on its own: an empty one is one error among the results.
    questions: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]], Field(min_length=1, max_length=1000)
    ]


class SurveyBody(RequestBody):
    """What a survey asks: a profile that ships, and of its questions and of the groups all, or those that are named."""

    model_config = example_config({"profile": "climate", "questions": [1, 2], "groups": ["Norway"]})
    profile: Annotated[str, Field(max_length=100, description="A name of GET /v1/profiles.")]
    questions: Annotated[list[Whole], Field(min_length=1, max_length=1000)] | None = None
    groups: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(min_length=1, max_length=1000)]
        | None
    ) = None
    hop: Annotated[StrictBool, Field(description="Answer every question by traversal of the graph as well.")] = False
    top_k: Budget | None = None
    lm: Annotated[StrictBool, Field(description="Ask the language model of the server for values too.")] = False


class SyncBody(RequestBody):
    """A folder that the server was given, to sync an index with."""

    model_config = example_config({"folder": "reports"})
    folder: Annotated[str, Field(max_length=100, description="A name that the server was given with --folder.")]
    dry_run: Annotated[StrictBool, Field(description="Tell what would be done, and do nothing.")] = False


class DocumentBody(RequestBody):
    """A document without its id. Metadata holds texts, numbers, booleans, and lists of them."""

    model_config = example_config({"title": "Gjøa", "text": "A sloop.", "metadata": {"year": 1872}})
    text: Annotated[
        str,
        Field(min_length=1, description="The whole text; Markdown headings divide it.", json_schema_extra=_NOT_BLANK),
    ]
    title: Annotated[str, Field(max_length=2000)] = ""
    metadata: dict[str, Value | list[Value]] = Field(default_factory=dict)
    aliases: Annotated[list[str], Field(description="Other names it goes by.")] = Field(default_factory=list)

    def document(self, id: str) -> Document:
        metadata: Metadata = {k: tuple(v) if isinstance(v, list) else v for k, v in self.metadata.items()}
        return Document(id, self.text, self.title, metadata, tuple(self.aliases))


class NewDocument(DocumentBody):
    """A document with its id; one of a known id is replaced."""

    model_config = example_config({"id": "gjoa", "title": "Gjøa", "text": "A sloop."})
    id: Annotated[str, Field(min_length=1, max_length=MAX_ID, json_schema_extra=_ID)]


class NewDocuments(RequestBody):
    """Documents to add, or to replace where the id is known."""

    model_config = example_config({"documents": [{"id": "gjoa", "title": "Gjøa", "text": "A sloop."}]})
    documents: Annotated[list[NewDocument], Field(min_length=1)]


# --- answers --------------------------------------------------------------------------------------


class ErrorDetail(BaseModel):
    """The status of the answer again, and one sentence."""

    status: int
    message: str


class Error(BaseModel):
    """What every refusal looks like."""

    model_config = example_config(
        {"error": {"status": 404, "message": "there is no index 'wikki': did you mean 'wiki'?"}}
    )
    error: ErrorDetail


class IndexOut(BaseModel):
    """An index: how much it holds, its metadata fields with their number of values, and whether it may be changed."""

    model_config = example_config(
        {
            "name": "sample", "documents": 182, "passages": 182, "fields": {"country": 35}, "generation": 1,
            "embedder": None, "writable": True,
        }
    )  # fmt: skip
    name: str
    documents: int
    passages: int
    fields: dict[str, int]
    generation: int
    embedder: str | None
    writable: bool


class IndexesOut(BaseModel):
    """All indexes of this server."""

    indexes: list[IndexOut]


class StatsOut(BaseModel):
    """The size of an index."""

    name: str
    documents: int
    passages: int
    names: int
    mentions: int
    vectors: int
    generation: int
    format: int
    embedder: str | None
    bytes: int
    fields: dict[str, int]
    writable: bool


class StrategyOut(BaseModel):
    """A setting of the loop that has a name."""

    model_config = example_config({"name": "bm25", "description": "one lexical search with the question as it is"})
    name: str
    description: str


class StrategiesOut(BaseModel):
    """All strategies, and the one used when none is named."""

    strategies: list[StrategyOut]
    default: str
    language_model: Annotated[str | None, Field(description="The model that helps with questions; null for none.")]


class BatchOut(BaseModel):
    """One result or error for each question, in order."""

    results: list[Result | Error]


class LinkOut(BaseModel):
    """The end of a link: a document or passage with its title, the name used, and how many share that name."""

    model_config = example_config(
        {"id": "colin-archer", "title": "Colin Archer", "name": "colin archer", "ambiguity": 1}
    )
    id: str
    title: str
    name: str
    ambiguity: int


Page = Annotated[int | None, Field(description="The page of its document that it begins on, where that has pages.")]


class PassageOut(BaseModel):
    """A passage and the documents it names."""

    id: str
    heading: str
    page: Page = None
    text: str
    links: list[LinkOut]


class DocumentOut(BaseModel):
    """A document with its passages, and the passages elsewhere that name it."""

    id: str
    title: str
    text: str
    metadata: dict[str, Any]
    aliases: list[str]
    passages: list[PassageOut]
    passages_total: int
    links_to: list[LinkOut]


class ListedDocument(BaseModel):
    """A document in a list."""

    model_config = example_config({"id": "fram-ship", "title": "Fram (ship)", "metadata": {"year": 1892}})
    id: str
    title: str
    metadata: dict[str, Any]


class CatalogBody(RequestBody):
    """Which documents to list: all, or those that have the words of a search and meet a filter."""

    model_config = example_config({"search": "polar ship", "where": {"country": "Norway"}, "sort": "year"})
    search: Annotated[str, Field(max_length=1000, description="Words of the texts, or how id or title start.")] = ""
    where: Filter | None = None
    sort: Annotated[
        str, Field(max_length=200, description="`id`, `title`, `relevance` (with a search) or a metadata field.")
    ] = ""
    descending: StrictBool = False
    page: Annotated[StrictInt, Field(ge=1, le=100_000, description="Counted from 1."), BeforeValidator(_to_int)] = 1
    limit: Annotated[StrictInt, Field(ge=1, le=500, description="Documents on a page."), BeforeValidator(_to_int)] = 50


class PassageOfSearch(BaseModel):
    """The passage of a document that speaks most of what is searched for."""

    id: str
    text: str


class CatalogDocument(ListedDocument):
    """A document in the catalog."""

    passage: PassageOfSearch | None


class FacetValue(BaseModel):
    """A value of a field, and how many of the listed documents have it."""

    value: Value
    documents: int


class FacetOut(BaseModel):
    """The most frequent values of a field; `others` counts those that are left out."""

    field: str
    values: list[FacetValue]
    others: int


class CatalogOut(BaseModel):
    """One page of the documents that were asked for, and the values they have; `capped` when there are more."""

    documents: list[CatalogDocument]
    total: int
    page: int
    pages: int
    capped: bool
    facets: list[FacetOut]


class DocumentsOut(BaseModel):
    """A part of the list of documents; `next` is what to give as `after` for the following part."""

    documents: list[ListedDocument]
    next: str | None


class PassageWithLinks(BaseModel):
    """One passage, the documents it names, and the passages that name its document."""

    id: str
    document_id: str
    position: int
    title: str
    heading: str
    page: Page = None
    text: str
    metadata: dict[str, Any]
    links_from: list[LinkOut]
    links_to: list[LinkOut]


class AddedOut(BaseModel):
    """What a change did."""

    model_config = example_config({"documents": 1, "replaced": 0, "passages": 1, "generation": 2})
    documents: int
    replaced: int
    passages: int
    generation: int


class JobOut(BaseModel):
    """Long work: what it is, how far it is, and what came of it."""

    model_config = example_config(
        {
            "id": "52276bb5a1fd761f", "kind": "upload", "index": "sample", "state": "running", "done": 120,
            "total": None, "message": "reading", "result": None, "created": "2026-05-01T12:00:00.000+00:00",
            "updated": "2026-05-01T12:00:01.250+00:00",
        }
    )  # fmt: skip
    id: str
    kind: str
    index: str
    state: Annotated[str, Field(json_schema_extra={"enum": ["waiting", "running", "done", "failed", "stopped"]})]
    done: int
    total: int | None
    message: str
    result: dict[str, Any] | None
    created: str
    updated: str


class JobsOut(BaseModel):
    """The jobs of this server, newest first."""

    jobs: list[JobOut]


class ProfileQuestionOut(BaseModel):
    """A question of a profile."""

    number: int
    text: str
    label: str


class ProfileOut(BaseModel):
    """A domain profile: what it is for, the metadata field that groups documents, and its questions."""

    name: str
    description: str
    group: str
    questions: list[ProfileQuestionOut]


class ProfilesOut(BaseModel):
    """The profiles that a survey may name."""

    profiles: list[ProfileOut]


class ReportOut(BaseModel):
    """A report of an evaluation or a survey: a page of its own."""

    name: str
    title: Annotated[str, Field(description="What the report calls itself; empty when it does not say.")]
    address: str
    bytes: int
    modified: str


class ReportsOut(BaseModel):
    """The evaluation reports, newest first."""

    reports: list[ReportOut]


class StateOut(BaseModel):
    """Whether the server lives, or takes questions."""

    status: str
