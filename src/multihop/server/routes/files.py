"""Routes for the files that documents were read from: download, and pages of PDF files as images."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote as percent_encoded

from fastapi import Query, Request, Response

from multihop.server import original_files
from multihop.server.original_files import OriginalFile
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import DocumentId, Error, IndexName
from multihop.server.service import served_index, service_of
from multihop.server.tokens import token_of

routes = router("read", prefix="/v1/indexes/{index}", tags=["documents"])
_MISSING: dict[int | str, dict[str, Any]] = {501: {"model": Error, "description": "an extra is not installed"}}


def _binary(type: str, said: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {type: {"schema": {"type": "string", "format": "binary"}}}, "description": said}}


@routes.get(
    "/files/{id:path}",
    response_class=Response,
    responses=_binary("application/octet-stream", "The file."),
    summary="Download the file of a document",
)
async def file(index: IndexName, id: DocumentId, request: Request) -> Response:
    """Return the file that a document was read from, if it holds no other documents and has not changed since."""
    file = await _file_of(request, index, id)
    body = await service_of(request).look_up(lambda: original_files.read_original(file))
    # Never shown by the browser itself: the content of a document must not run here.
    name = f"attachment; filename*=UTF-8''{percent_encoded(file.place.name)}"
    return Response(body, headers={"Content-Disposition": name}, media_type="application/octet-stream")


@routes.get(
    "/pages/{id:path}",
    response_class=Response,
    responses=_binary("image/png", "The page; `Page-Number` is its number, `Quote-Marked` is yes or no.") | _MISSING,
    summary="Show a page of a PDF file",
)
async def page(
    index: IndexName,
    id: DocumentId,
    request: Request,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="The number of the page, from 1.")] = 1,
    quote: Annotated[
        str, Query(max_length=original_files.MOST_QUOTED, description="A quote to mark, on this or the next pages.")
    ] = "",
) -> Response:
    """Return a page of the PDF file of a document as an image, with a quote marked."""
    file = await _file_of(request, index, id)
    image = await service_of(request).look_up(lambda: original_files.page_image(file, page, quote))
    headers = {"Page-Number": str(image.page), "Quote-Marked": "yes" if image.marked else "no"}
    return Response(image.png, headers=headers, media_type="image/png")


async def with_file(request: Request, index: str, details: dict[str, Any]) -> dict[str, Any]:
    """Add to the details of a document or passage what is known of its file."""
    original = await _original(request, index, details["metadata"])
    return details | {"file": original.describe() if original else None}


async def _file_of(request: Request, index: str, id: str) -> OriginalFile:
    engine = served_index(request, index).engine
    document = await service_of(request).look_up(lambda: engine.document(id))
    if document is None:
        raise unknown("document", id)
    original = await _original(request, index, document.metadata)
    if original is None:
        raise Problem(404, f"the file of the document {id[:80]!r} is not on this server, or holds other documents too")
    return original


async def _original(request: Request, index: str, metadata: Any) -> OriginalFile | None:
    """Find the file of a document that the asker may see; only the whole index knows its folders."""
    service = service_of(request)
    store = service.indexes.origin(index, metadata, token_of(request)).engine.store
    return await service.look_up(lambda: original_files.original_file(store, metadata))


def unknown(what: str, id: str) -> Problem:
    return Problem(404, f"there is no {what} {id[:80]!r} in this index")
