"""Routes for documents: list, read, add, replace, delete. Long-running changes become jobs."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import File, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic.json_schema import SkipJsonSchema

from multihop.index.readers import checked_id
from multihop.index.readers.options import ReadOptions
from multihop.server import catalog, document_details, syncs, uploads
from multihop.server.jobs import write_request
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.routes.files import unknown, with_file
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
    UploadBody,
)
from multihop.server.service import served_index, service_of
from multihop.types import Changed, Document, plain

_MAX_LISTED = 500

reading = router("read", prefix="/v1/indexes/{index}", tags=["documents"])
writing = router("write", prefix="/v1/indexes/{index}", tags=["documents"])
uploading = router("write", upload=True, prefix="/v1/indexes/{index}", tags=["documents"])

_ACCEPTED_RESPONSES = accepted_responses("poll the job for progress.")
_EXISTS_RESPONSE: dict[int | str, dict[str, Any]] = {
    412: {"model": Error, "description": "a document with this id exists"}
}
_UNSUPPORTED_RESPONSE: dict[int | str, dict[str, Any]] = {
    415: {"model": Error, "description": "unsupported file format"}
}


@reading.get("/documents", response_model=DocumentsOut, summary="List documents")
async def documents(
    index: IndexName,
    request: Request,
    after: Annotated[str, Query(max_length=600, description="Start after this id.")] = "",
    starts: Annotated[
        str, Query(max_length=200, description="Only documents whose id or title starts with this.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED, description="Maximum number.")] = 50,
) -> dict[str, Any]:
    """List documents by id, one page at a time; pass `next` as `after` for the next page."""
    engine = served_index(request, index).engine
    # Read one more than shown, to tell whether there is a next page.
    documents = await service_of(request).look_up(lambda: engine.store.documents(after, starts, limit + 1))
    listed = [{"id": d.id, "title": d.title, "metadata": plain(d.metadata)} for d in documents[:limit]]
    return {"documents": listed, "next": documents[limit - 1].id if len(documents) > limit else None}


@reading.post("/catalog", response_model=CatalogOut, summary="Search and sort documents")
async def listed(index: IndexName, body: CatalogBody, request: Request) -> dict[str, Any]:
    """Return one page of the documents that match a search and a filter, sorted, with facets."""
    each = served_index(request, index)
    asked = catalog.CatalogQuery(body.search, body.where, body.sort, body.descending)
    return await service_of(request).look_up(lambda: catalog.page(each, asked, body.page, body.limit))


@reading.get("/documents/{id:path}", response_model=DocumentOut, summary="Get a document")
async def document(index: IndexName, id: DocumentId, request: Request) -> dict[str, Any]:
    """Return a document with its passages, the documents they mention, and the passages that mention it."""
    engine = served_index(request, index).engine
    details = await service_of(request).look_up(lambda: document_details.document_details(engine, id))
    if details is None:
        raise unknown("document", id)
    return await with_file(request, index, details)


@reading.get("/passages/{id:path}", response_model=PassageWithLinks, summary="Get a passage")
async def passage(index: IndexName, id: PassageId, request: Request) -> dict[str, Any]:
    """Return a passage, the documents it mentions, and the passages that mention its document."""
    engine = served_index(request, index).engine
    details = await service_of(request).look_up(lambda: document_details.passage_details(engine, id))
    if details is None:
        raise unknown("passage", id)
    return await with_file(request, index, details)


@writing.put(
    "/documents/{id:path}", response_model=AddedOut, responses=_EXISTS_RESPONSE, summary="Add or replace a document"
)
async def put(
    index: IndexName,
    id: DocumentId,
    body: DocumentBody,
    request: Request,
    if_none_match: Annotated[
        Literal["*"] | SkipJsonSchema[None], Header(description="With *, do not replace an existing document.")
    ] = None,
) -> dict[str, Any]:
    """Add a document, or replace the one with this id; responds once it is safely on disk."""
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
        raise unknown("document", id)
    return plain(deleted)  # type: ignore[no-any-return]  # a dataclass always becomes a dict


@writing.post("/documents", response_model=AddedOut, responses=_ACCEPTED_RESPONSES, summary="Add or replace documents")
async def add(index: IndexName, body: NewDocuments, request: Request) -> Response:
    """Add documents, or replace those with an existing id: a few synchronously, many as a job."""
    service, each = service_of(request), served_index(request, index)
    # Fail now instead of in a job later.
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
async def upload(index: IndexName, request: Request, body: Annotated[UploadBody, File()]) -> Response:
    """Accept a file and add its documents as a job, whose result lists what was skipped."""
    service, each = service_of(request), served_index(request, index)
    each.check_writable()
    # Accept no files while jobs cannot be started, as with a full disk.
    service.jobs.check_working()
    name = uploads.safe_name(body.file.filename or "")
    uploads.check_format(name, body.format or None)
    given = uploads.parse_metadata(body.metadata) if body.metadata else {}
    options = ReadOptions(
        text_field=body.text_field or None,
        title_field=body.title_field or None,
        id_field=body.id_field or None,
        encoding=body.encoding or None,
    )

    def fill(place: Path) -> None:
        uploads.write_notes(place, body.format or None, options, given, body.replace)
        with (place / name).open("wb") as out:
            shutil.copyfileobj(body.file.file, out)

    return accepted_response(await service.look_up(lambda: service.jobs.submit(uploads.KIND, each.name, fill)))


@writing.post(
    "/sync", status_code=202, response_model=JobOut, responses=_ACCEPTED_RESPONSES, summary="Sync with a folder"
)
async def sync(index: IndexName, body: SyncBody, request: Request) -> Response:
    """Sync the index with a configured folder, as a job.

    New files are added, changed files are replaced, deleted files are removed. The result lists the files.
    """
    service, each = service_of(request), served_index(request, index)
    each.check_writable()
    syncs.folder_named(service.settings.folders, each.name, body.folder)
    fill = partial(write_request, asked=body.model_dump())
    return accepted_response(await service.look_up(lambda: service.jobs.submit(syncs.KIND, each.name, fill)))


async def _add(request: Request, index: str, documents: list[Document], *, replace: bool = True) -> Changed:
    service, each = service_of(request), served_index(request, index)

    def work() -> Changed:
        with each.writing(service.settings.limits.write_wait) as engine:
            # An invalid document is reported first, because another id would not help.
            known = [] if replace else [d.id for d in documents if d.text.strip() and engine.document(d.id)]
            if known:
                raise Problem(412, f"the index has a document {known[0][:80]!r} already")
            return engine.add(documents)

    return await service.write(work)
