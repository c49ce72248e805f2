"""HTTP schemas: validated request bodies and documented responses; results use the types of the engine."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, UploadFile
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
    StrictStr,
    create_model,
    model_validator,
    with_config,
)
from pydantic.config import JsonDict
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from typing_extensions import TypedDict  # pydantic takes that of typing from Python 3.12 on

from multihop.errors import suggestion
from multihop.index.readers.record import MAX_ID
from multihop.server.problems import UNKNOWN_FIELD
from multihop.survey.columns import KINDS, list_names
from multihop.types import LONGEST_QUESTION, MOST_PASSAGES, OPTIONS, Document, Metadata, Option, Request, Result

IndexName = Annotated[str, Path(description="An index, by its name in GET /v1/indexes.", examples=["sample"])]
_NOT_IN_ID = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_ID: JsonDict = {"pattern": rf"^[^{_NOT_IN_ID}]*[^\s{_NOT_IN_ID}][^{_NOT_IN_ID}]*$"}
"""Valid ids, for the API description only; the engine validates them with readable messages."""
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
# Strict, so that true is not a number; finite, because Python's JSON parser accepts NaN and Infinity.
Value = StrictStr | StrictBool | StrictInt | FiniteFloat
_QUESTION = "Who drew the ship that Amundsen borrowed?"


def example_config(example: JsonDict) -> ConfigDict:
    """Return the configuration of a model with an example."""
    # Pydantic merges this with the parent's configuration, so bodies stay as strict as `RequestBody`.
    return ConfigDict(json_schema_extra={"examples": [example]})


class RequestBody(BaseModel):
    """A request body; unknown fields are rejected, so that a misspelled one is noticed."""

    model_config = ConfigDict(extra="forbid", model_title_generator=lambda model: model.__qualname__)

    @model_validator(mode="before")
    @classmethod
    def _reject_unknown(cls, given: Any) -> Any:
        # First of all: a required field that is missing is often there under a wrong name.
        names = given if isinstance(given, dict) else {}
        if unknown := next((name for name in names if name not in cls.model_fields), ""):
            said = f"there is no field {unknown[:80]!r}: {suggestion(unknown[:80], cls.model_fields)}"
            raise PydanticCustomError(UNKNOWN_FIELD, "{said}", {"said": said})
        return given


Values = Annotated[list[Value], Field(min_length=1, max_length=1000)]


_Text = Annotated[str, Field(min_length=1)]
_Bounds = TypedDict(
    "_Bounds",
    {
        "gt": Value,
        "gte": Value,
        "lt": Value,
        "lte": Value,
        "not": Value | Values,
        "contains": Annotated[
            _Text | Annotated[list[_Text], Field(min_length=1)], Field(description="A substring, case-insensitive.")
        ],
        "exists": StrictBool,
    },
    total=False,
)


@with_config(ConfigDict(extra="forbid", title="Bounds", json_schema_extra={"minProperties": 1}))
class Bounds(_Bounds):
    """Conditions on a field, all of which must hold: a range, excluded values, a substring, or any value."""


def _at_least_one(bounds: Bounds) -> Bounds:
    if not bounds:
        raise ValueError("give at least one bound")
    return bounds


Condition = Value | Values | Annotated[Bounds, AfterValidator(_at_least_one)]


def _wrap_not(where: Any) -> Any:
    """Rewrite {"$not": filter} as {"$not": [filter]}, so that the type of other conditions stays strict."""
    if isinstance(where, dict) and isinstance(where.get("$not"), dict):
        return {**where, "$not": [where["$not"]]}
    return where


def _check_combined(where: dict[str, Any]) -> dict[str, Any]:
    for name, condition in where.items():
        filters = isinstance(condition, list) and isinstance(condition[0], dict)
        if filters != (name in ("$or", "$and", "$not")):
            raise ValueError("`$or`, `$and` and `$not` hold filters, other fields do not")
    return where


class _Combined:
    """Describes lists of filters where they are allowed: under `$or`, `$and` and `$not`, not as values of a field."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        *conditions, filters = schema["additionalProperties"]["anyOf"]
        either = {"anyOf": [filters["items"], filters]}
        return schema | {
            "additionalProperties": {"anyOf": conditions},
            "properties": {"$or": filters, "$and": filters, "$not": either},
        }


_Filters = Annotated[
    list[Annotated[dict[str, Any], Field(min_length=1)]],
    Field(min_length=1, max_length=1000),
]
Filter = Annotated[
    dict[str, Condition | _Filters],
    Field(
        description="Only documents whose metadata matches: a value, a list of alternatives, or bounds. `$or` and "
        "`$and` hold lists of filters, `$not` holds one.",
        examples=[{"topic": "polar"}],
        max_length=100,
    ),
    BeforeValidator(_wrap_not),
    AfterValidator(_check_combined),
    _Combined,
]


def _to_int(value: Any) -> Any:
    """Accept 5.0 as 5, as JSON does not distinguish them; "5" and true are not numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# After the bounds of a number: pydantic describes those that it meets later by names of its own.
AsInt = BeforeValidator(_to_int)
PageNumber = Annotated[StrictInt, Field(ge=1, le=1_000_000), AsInt]
Budget = Annotated[StrictInt, Field(ge=1, le=MOST_PASSAGES, description="Maximum number of passages."), AsInt]
QuestionText = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_QUESTION, description="A question, or a claim to decide.",
        json_schema_extra=_NOT_BLANK,
    ),
]  # fmt: skip


Ids = list[Annotated[str, Field(max_length=1000)]]
_KINDS: dict[str, Any] = {"count": Budget, "text": str, "filter": Filter, "limits": dict[str, Budget], "ids": Ids}
_DAY = r"^(today|any|[12]\d{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?)$"
Day = Annotated[str, Field(max_length=40, pattern=_DAY, description=OPTIONS["as_of"].help)]
_DESCRIPTIONS = {"strategy": "A name of GET /v1/strategies.", "where": ""}
"""Server-specific descriptions of options; a filter has its own."""


def field_of(name: str, option: Option) -> Any:
    """Return the type and default of the body field for an option of a request."""
    kind: Any = _KINDS[option.kind] if option.default is not None else _KINDS[option.kind] | None
    bounds: dict[str, Any] = {} if option.kind == "count" or option.most is None else {"max_length": option.most}
    if name == "as_of":
        bounds["pattern"] = _DAY
    description = _DESCRIPTIONS.get(name, option.help)
    return (Annotated[kind, Field(description=description, **bounds)] if description else kind), option.default


class RequestOptions(RequestBody):
    """How to find evidence: the options of a request."""

    lm: Annotated[StrictBool, Field(description="If false, the language model of the server is not asked.")] = True

    def request(self, question: str) -> Request:
        """Return the request for the engine."""
        given: dict[str, Any] = {} if self.lm else {"lm": False}
        given |= self.model_dump(include=set(OPTIONS), exclude_none=True)
        # An empty filter is no filter.
        return Request(question, **{name: value for name, value in given.items() if value != {}})


_Options = create_model(
    "_Options", __base__=RequestOptions, **{name: field_of(name, each) for name, each in OPTIONS.items()}
)


class QuestionBody(_Options):  # type: ignore[valid-type,misc]  # its fields are made of those of Request
    """A question and how to answer it."""

    __qualname__ = "Question"  # its name in the API
    model_config = example_config({"question": _QUESTION, "k": 5})
    question: QuestionText


class Batch(_Options):  # type: ignore[valid-type,misc]  # as above
    """Several questions with the same options."""

    model_config = example_config({"questions": [_QUESTION], "k": 5})
    # Each is answered separately: an empty one is an error among the results.
    questions: Annotated[list[Annotated[str, Field(max_length=LONGEST_QUESTION)]], Field(min_length=1, max_length=1000)]


class ColumnBody(RequestBody):
    """A column of a survey in plain words, with what it holds."""

    model_config = example_config({"question": "Revenue in 2023", "type": "money", "unit": "EUR million"})
    question: Annotated[str, Field(min_length=1, max_length=300, json_schema_extra=_NOT_BLANK)]
    type: Annotated[
        str, Field(max_length=20, description="Guessed if empty.", json_schema_extra={"enum": ["", *KINDS]})
    ] = ""
    unit: Annotated[str, Field(max_length=40)] = ""
    also: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=50)] = Field(default_factory=list)


_OF_A_PROFILE: JsonDict = {
    "required": ["profile"],
    "properties": {"profile": {"type": "string"}, "ask": {"maxItems": 0}, "question_list": {"type": "null"}},
}
_IN_PLAIN_WORDS: JsonDict = {
    "properties": {"profile": {"type": "null"}, "hop": {"const": False}, "lm": {"const": False}},
    "anyOf": [
        {"required": ["ask"], "properties": {"ask": {"minItems": 1}}},
        {"required": ["question_list"], "properties": {"question_list": {"type": "string"}}},
    ],
}
"""What a survey of one kind has and the other has not; `routes/surveys.py` refuses the rest with a message."""


class SurveyBody(RequestBody):
    """A survey: questions in plain words, a built-in list of them, or, instead of both, a built-in profile."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"profile": "climate", "questions": [1, 2], "groups": ["Norway"]},
                {"ask": ["Revenue in 2023", {"question": "Who audits it?", "type": "organization"}]},
            ],
            "oneOf": [_OF_A_PROFILE, _IN_PLAIN_WORDS],
        }
    )
    profile: Annotated[str, Field(max_length=100, description="A profile of GET /v1/profiles.")] | None = None
    ask: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=300, json_schema_extra=_NOT_BLANK)] | ColumnBody],
        Field(max_length=50, description="Columns in plain words: headings or questions."),
    ] = Field(default_factory=list)
    question_list: (
        Annotated[
            str,
            Field(
                max_length=100, description="A list of GET /v1/profiles.", json_schema_extra={"enum": [*list_names()]}
            ),
        ]
        | None
    ) = None
    by: (
        Annotated[
            str, Field(min_length=1, max_length=200, description="Rows: file, title, folder or a metadata field.")
        ]
        | None
    ) = None
    questions: Annotated[list[Annotated[StrictInt, AsInt]], Field(min_length=1, max_length=1000)] | None = None
    groups: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(min_length=1, max_length=1000)]
        | None
    ) = None
    as_of: Day | None = None
    hop: Annotated[StrictBool, Field(description="Also answer the questions of a profile by graph traversal.")] = False
    top_k: Budget | None = None
    lm: Annotated[StrictBool, Field(description="Also ask the language model of the server for values.")] = False


class SyncBody(RequestBody):
    """A configured folder to sync an index with."""

    model_config = example_config({"folder": "reports"})
    folder: Annotated[str, Field(max_length=100, description="The name of a folder given to this index with --folder.")]
    dry_run: Annotated[StrictBool, Field(description="Report the changes without making them.")] = False
    keep_versions: Annotated[
        StrictBool | None,
        Field(description="Keep old versions of documents that change or go; by default as the last time."),
    ] = None


class DocumentBody(RequestBody):
    """A document without its id. Metadata values are strings, numbers, booleans, or lists of them."""

    model_config = example_config({"title": "Gjøa", "text": "A sloop.", "metadata": {"year": 1872}})
    text: Annotated[
        str,
        Field(min_length=1, description="The full text; Markdown headings split it.", json_schema_extra=_NOT_BLANK),
    ]
    title: Annotated[str, Field(max_length=2000)] = ""
    metadata: dict[str, Value | list[Value]] = Field(default_factory=dict)
    aliases: Annotated[list[str], Field(description="Other names it goes by.")] = Field(default_factory=list)

    def document(self, id: str) -> Document:
        metadata: Metadata = {k: tuple(v) if isinstance(v, list) else v for k, v in self.metadata.items()}
        return Document(id, self.text, self.title, metadata, tuple(self.aliases))


class NewDocument(DocumentBody):
    """A document with its id; an existing one is replaced."""

    model_config = example_config({"id": "gjoa", "title": "Gjøa", "text": "A sloop."})
    id: Annotated[str, Field(min_length=1, max_length=MAX_ID, json_schema_extra=_ID)]


class NewDocuments(RequestBody):
    """Documents to add, or to replace if the id exists."""

    model_config = example_config({"documents": [{"id": "gjoa", "title": "Gjøa", "text": "A sloop."}]})
    documents: Annotated[list[NewDocument], Field(min_length=1)]


class UploadBody(RequestBody):
    """A file to add, and how to read it."""

    __qualname__ = "Upload"  # its name in the API
    file: Annotated[UploadFile, Field(description="Any file that `multihop index` reads, by its suffix.")]
    # As in a form: an empty field is one that was not filled in.
    format: Annotated[str, Field(max_length=20, description="The format, regardless of the file name.")] = ""
    metadata: Annotated[
        str, Field(max_length=20_000, description="A JSON object: metadata for documents that lack these fields.")
    ] = ""
    text_field: Annotated[str, Field(max_length=500, description="Text field or column.")] = ""
    title_field: Annotated[str, Field(max_length=500, description="Title field or column.")] = ""
    id_field: Annotated[str, Field(max_length=500, description="Id field or column.")] = ""
    encoding: Annotated[str, Field(max_length=60, description="Encoding of a text file that is not UTF-8.")] = ""
    replace: Annotated[
        bool, Field(description="Replace documents with an existing id; if false, skip the new ones.")
    ] = True


# --- answers --------------------------------------------------------------------------------------


class ErrorDetail(BaseModel):
    """The HTTP status and one sentence."""

    status: int
    message: str


class Error(BaseModel):
    """The body of every error response."""

    model_config = example_config(
        {"error": {"status": 404, "message": "there is no index 'wikki': did you mean 'wiki'?"}}
    )
    error: ErrorDetail


class IndexOut(BaseModel):
    """An index: its size, its metadata fields with their number of values, and whether it is writable."""

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
    """The indexes of this server."""

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
    """A named strategy; `install` is the command that it still needs on the server, if any."""

    model_config = example_config(
        {
            "name": "bm25",
            "description": "one lexical search with the question as it is",
            "needs_vectors": False,
            "install": None,
        }
    )
    name: str
    description: str
    needs_vectors: bool
    install: str | None


class StrategiesOut(BaseModel):
    """All strategies, and the default."""

    strategies: list[StrategyOut]
    default: str
    language_model: Annotated[str | None, Field(description="The language model in use, or null.")]


class BatchOut(BaseModel):
    """One result or error per question, in order."""

    results: list[Result | Error]


class LinkOut(BaseModel):
    """One end of a link: a document or passage with its title, the name used, and how many documents share it."""

    model_config = example_config(
        {"id": "colin-archer", "title": "Colin Archer", "name": "colin archer", "ambiguity": 1}
    )
    id: str
    title: str
    name: str
    ambiguity: int


Page = Annotated[int | None, Field(description="The page of the document on which it starts, if there are pages.")]


class PassageOut(BaseModel):
    """A passage and the documents it mentions."""

    id: str
    heading: str
    page: Page = None
    text: str
    links: list[LinkOut]


class FileOut(BaseModel):
    """The file of a document: GET …/files/{id} downloads it, GET …/pages/{id} shows its pages if it `has_pages`."""

    name: str
    bytes: int
    has_pages: bool


class DocumentOut(BaseModel):
    """A document with its passages, and the passages that mention it."""

    id: str
    title: str
    text: str
    metadata: dict[str, Any]
    aliases: list[str]
    passages: list[PassageOut]
    passages_total: int
    links_to: list[LinkOut]
    file: FileOut | None = None


class ListedDocument(BaseModel):
    """A document in a list."""

    model_config = example_config({"id": "fram-ship", "title": "Fram (ship)", "metadata": {"year": 1892}})
    id: str
    title: str
    metadata: dict[str, Any]


class CatalogBody(RequestBody):
    """Which documents to list: all, or those that match a search and a filter."""

    model_config = example_config({"search": "polar ship", "where": {"country": "Norway"}, "sort": "year"})
    search: Annotated[str, Field(max_length=1000, description="Words in the text, or the start of an id or title.")] = (
        ""
    )
    where: Filter | None = None
    sort: Annotated[
        str, Field(max_length=200, description="`id`, `title`, `relevance` (with a search) or a metadata field.")
    ] = ""
    descending: StrictBool = False
    page: Annotated[StrictInt, Field(ge=1, le=100_000, description="Numbered from 1."), AsInt] = 1
    limit: Annotated[StrictInt, Field(ge=1, le=500, description="Documents per page."), AsInt] = 50


class PassageOfSearch(BaseModel):
    """The best-matching passage of a document."""

    id: str
    text: str


class CatalogDocument(ListedDocument):
    """A document in the catalog."""

    passage: PassageOfSearch | None


class FacetValue(BaseModel):
    """A value of a field, and the number of listed documents with it."""

    value: Value
    documents: int


class FacetOut(BaseModel):
    """The most frequent values of a field; `others` counts the rest."""

    field: str
    values: list[FacetValue]
    others: int


class CatalogOut(BaseModel):
    """One page of documents with facets; `capped` if there are more than were scanned."""

    documents: list[CatalogDocument]
    total: int
    page: int
    pages: int
    capped: bool
    facets: list[FacetOut]


class DocumentsOut(BaseModel):
    """One page of documents; pass `next` as `after` for the next page."""

    documents: list[ListedDocument]
    next: str | None


class PassageWithLinks(BaseModel):
    """A passage, the documents it mentions, and the passages that mention its document."""

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
    file: FileOut | None = None


class AddedOut(BaseModel):
    """The counts of a change."""

    model_config = example_config({"documents": 1, "replaced": 0, "passages": 1, "generation": 2})
    documents: int
    replaced: int
    passages: int
    generation: int


class JobOut(BaseModel):
    """A job: its kind, progress and result."""

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
    """A domain profile: its description, the metadata field that groups documents, and its questions."""

    name: str
    description: str
    group: str
    questions: list[ProfileQuestionOut]


class ColumnOut(BaseModel):
    """A column of a list of questions: its heading, and what it holds."""

    question: str
    type: str


class QuestionListOut(BaseModel):
    """A list of questions in plain words."""

    name: str
    columns: list[ColumnOut]


class ProfilesOut(BaseModel):
    """The built-in profiles and lists of questions; `install` is the command that a profile still needs, if any."""

    profiles: list[ProfileOut]
    lists: list[QuestionListOut]
    install: str | None


class ReportOut(BaseModel):
    """An evaluation or survey report."""

    name: str
    title: Annotated[str, Field(description="The title of the report; may be empty.")]
    address: str
    bytes: int
    modified: str


class ReportsOut(BaseModel):
    """The reports, newest first."""

    reports: list[ReportOut]


class StateOut(BaseModel):
    """The state of the server."""

    status: str
