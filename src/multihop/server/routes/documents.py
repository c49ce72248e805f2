"""Documents over HTTP: list, look at, add, replace, delete. What takes long becomes a job."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import File, Form, Header, Query, Request, Response, UploadFile
from fastapi.responses import JSONResponse
from pydantic.json_schema import SkipJsonSchema

from multihop.index.readers import checked_id
from multihop.index.readers.options import ReadOptions
from multihop.server import catalog, document_details, syncs, uploads
from multihop.server.jobs import write_request
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.routes.jobs import accepted_response, accepted_responses
from multihop.server.schemas import (
    AddedOut,
    CatalogBody,
    CatalogOut,
    DocumentBody,
    DocumentId,
    DocumentOut,
    DocumentsOut,
    Error,
    IndexName,
    JobOut,
    NewDocuments,
    PassageId,
    PassageWithLinks,
    SyncBody,
)
from multihop.server.service import served_index, service_of
from multihop.types import Changed, Document, plain

_MAX_LISTED = 500

reading = router("read", prefix="/v1/indexes/{index}", tags=["documents"])
writing = router("write", prefix="/v1/indexes/{index}", tags=["documents"])
uploading = router("write", upload=True, prefix="/v1/indexes/{index}", tags=["documents"])

_ACCEPTED_RESPONSES = accepted_responses("the job tells how far it is.")
_EXISTS_RESPONSE: dict[int | str, dict[str, Any]] = {
    412: {"model": Error, "description": "there is one of this id already"}
}
_UNSUPPORTED_RESPONSE: dict[int | str, dict[str, Any]] = {
    415: {"model": Error, "description": "no reader knows such files"}
}


@reading.get("/documents", response_model=DocumentsOut, summary="List documents")
async def documents(
    index: IndexName,
    request: Request,
    after: Annotated[str, Query(max_length=600, description="Begin behind this id.")] = "",
    starts: Annotated[str, Query(max_length=200, description="Only those whose id or title starts so.")] = "",
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED, description="How many.")] = 50,
) -> dict[str, Any]:
    """List documents by id, a part at a time; give `next` as `after` for the following part."""
    engine = served_index(request, index).engine
    # One more than is shown says whether there is a next part.
    found = await service_of(request).look_up(lambda: engine.store.documents(after, starts, limit + 1))
    listed = [{"id": d.id, "title": d.title, "metadata": plain(d.metadata)} for d in found[:limit]]
    return {"documents": listed, "next": found[limit - 1].id if len(found) > limit else None}


@reading.post("/catalog", response_model=CatalogOut, summary="Search and sort documents")
async def listed(index: IndexName, body: CatalogBody, request: Request) -> dict[str, Any]:
    """Give one page of the documents that have the words of a search and meet a filter, sorted, with their facets."""
    each = served_index(request, index)
    where = body.model_dump(exclude_none=True, by_alias=True).get("where")
    asked = catalog.CatalogQuery(body.search, where, body.sort, body.descending)
    return await service_of(request).look_up(lambda: catalog.page(each, asked, body.page, body.limit))


@reading.get("/documents/{id:path}", response_model=DocumentOut, summary="Look at a document")
async def document(index: IndexName, id: DocumentId, request: Request) -> dict[str, Any]:
    """Give a document with its passages, the documents they name, and the passages elsewhere that name it."""
    engine = served_index(request, index).engine
    found = await service_of(request).look_up(lambda: document_details.document_details(engine, id))
    if found is None:
        raise _unknown("document", id)
    return found


@reading.get("/passages/{id:path}", response_model=PassageWithLinks, summary="Look at a passage")
async def passage(index: IndexName, id: PassageId, request: Request) -> dict[str, Any]:
    """Give a passage, the documents it names, and the passages that name its document."""
    engine = served_index(request, index).engine
    found = await service_of(request).look_up(lambda: document_details.passage_details(engine, id))
    if found is None:
        raise _unknown("passage", id)
    return found


@writing.put(
    "/documents/{id:path}", response_model=AddedOut, responses=_EXISTS_RESPONSE, summary="Add or replace a document"
)
async def put(
    index: IndexName,
    id: DocumentId,
    body: DocumentBody,
    request: Request,
    if_none_match: Annotated[
        Literal["*"] | SkipJsonSchema[None], Header(description="With *, replace nothing.")
    ] = None,
) -> dict[str, Any]:
    """Add a document, or replace the one of this id; the answer comes when it is safely on disk."""
    new = body.document(checked_id(id))
    return plain(await _add(request, index, [new], replace=if_none_match is None))  # type: ignore[no-any-return]


@writing.delete("/documents/{id:path}", response_model=AddedOut, summary="Delete a document")
async def delete(index: IndexName, id: DocumentId, request: Request) -> dict[str, Any]:
    """Delete a document with its passages and links."""
    service, each = service_of(request), served_index(request, index)

    def work() -> Changed:
        with each.writing(service.settings.limits.write_wait) as engine:
            return engine.delete(id)

    deleted = await service.write(work)
    if not deleted.documents:
        raise _unknown("document", id)
    return plain(deleted)  # type: ignore[no-any-return]  # a dataclass always becomes a dict


@writing.post("/documents", response_model=AddedOut, responses=_ACCEPTED_RESPONSES, summary="Add or replace documents")
async def add(index: IndexName, body: NewDocuments, request: Request) -> Response:
    """Add documents, or replace those whose id is known: few of them at once, many as a job."""
    service, each = service_of(request), served_index(request, index)
    # Said now, and not by a job that fails later.
    each.check_writable()
    documents = [new.document(checked_id(new.id)) for new in body.documents]
    if len(documents) <= service.settings.limits.at_once:
        return JSONResponse(plain(await _add(request, index, documents)))

    def fill(place: Path) -> None:
        with (place / "documents.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(new.model_dump()) + "\n" for new in body.documents)

    return accepted_response(await service.look_up(lambda: service.jobs.submit(uploads.KIND, each.name, fill)))


@uploading.post(
    "/uploads",
    status_code=202,
    response_model=JobOut,
    responses=_ACCEPTED_RESPONSES | _UNSUPPORTED_RESPONSE,
    summary="Add the documents of a file",
)
async def upload(
    index: IndexName,
    request: Request,
    file: Annotated[UploadFile, File(description="Any file that `multihop index` reads, by its suffix.")],
    format: Annotated[str | None, Form(max_length=20, description="What to read it as, whatever its name.")] = None,
    metadata: Annotated[
        str | None, Form(max_length=20_000, description="A JSON object: metadata for documents without those fields.")
    ] = None,
    text_field: Annotated[str | None, Form(max_length=500, description="Field or column of the text.")] = None,
    title_field: Annotated[str | None, Form(max_length=500, description="Field or column of the title.")] = None,
    id_field: Annotated[str | None, Form(max_length=500, description="Field or column of the id.")] = None,
    encoding: Annotated[str | None, Form(max_length=60, description="Of a text file; UTF-8 by default.")] = None,
    replace: Annotated[bool, Form(description="Replace documents whose id is known, or pass over those new.")] = True,
) -> Response:
    """Take in a file and add its documents as a job; what is passed over is named in its result."""
    service, each = service_of(request), served_index(request, index)
    each.check_writable()
    # While jobs cannot be begun, as with a full disk, no file is taken in.
    service.jobs.check_working()
    name = uploads.safe_name(file.filename or "")
    uploads.check_format(name, format)
    given = uploads.parse_metadata(metadata) if metadata else {}
    options = ReadOptions(text_field=text_field, title_field=title_field, id_field=id_field, encoding=encoding)

    def fill(place: Path) -> None:
        uploads.write_notes(place, format, options, given, replace)
        with (place / name).open("wb") as out:
            shutil.copyfileobj(file.file, out)

    return accepted_response(await service.look_up(lambda: service.jobs.submit(uploads.KIND, each.name, fill)))


@writing.post(
    "/sync", status_code=202, response_model=JobOut, responses=_ACCEPTED_RESPONSES, summary="Sync with a folder"
)
async def sync(index: IndexName, body: SyncBody, request: Request) -> Response:
    """Bring the index in step with a folder that the server was given, as a job.

    What is new in the folder is added, what changed is replaced, what is gone is removed. The result names the files.
    """
    service, each = service_of(request), served_index(request, index)
    each.check_writable()
    syncs.folder_named(service.settings.folders, body.folder)
    fill = partial(write_request, asked=body.model_dump())
    return accepted_response(await service.look_up(lambda: service.jobs.submit(syncs.KIND, each.name, fill)))


async def _add(request: Request, index: str, documents: list[Document], *, replace: bool = True) -> Changed:
    service, each = service_of(request), served_index(request, index)

    def work() -> Changed:
        with each.writing(service.settings.limits.write_wait) as engine:
            # What is wrong with a document is said first: it will not do under another id either.
            known = [] if replace else [d.id for d in documents if d.text.strip() and engine.document(d.id)]
            if known:
                raise Problem(412, f"the index has a document {known[0][:80]!r} already")
            return engine.add(documents)

    return await service.write(work)


def _unknown(what: str, id: str) -> Problem:
    return Problem(404, f"there is no {what} {id[:80]!r} in this index")
