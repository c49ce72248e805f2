"""Documents over HTTP: list, look at, add, replace, delete. What takes long becomes a job."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request

from multihop.readers import checked_id
from multihop.server import looking
from multihop.server.guard import router
from multihop.server.problems import Problem
from multihop.server.schemas import (
    AddedOut,
    DocumentBody,
    DocumentOut,
    DocumentsOut,
    PassageWithLinks,
)
from multihop.server.service import served, service_of
from multihop.types import Added, Document, plain

_MOST_LISTED = 500

reading = router("read", prefix="/v1/indexes/{index}", tags=["documents"])
writing = router("write", prefix="/v1/indexes/{index}", tags=["documents"])


@reading.get("/documents", response_model=DocumentsOut, summary="List documents")
async def documents(
    index: str,
    request: Request,
    after: Annotated[str, Query(max_length=600, description="Begin behind this id.")] = "",
    starts: Annotated[str, Query(max_length=200, description="Only those whose id or title starts so.")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 50,
) -> dict[str, Any]:
    """List documents by id, a part at a time; give `next` as `after` for the following part."""
    engine = served(request, index).engine
    found = await service_of(request).look_up(lambda: engine.store.view().documents(after, starts, limit + 1))
    listed = [{"id": d.id, "title": d.title, "metadata": plain(d.metadata)} for d in found[:limit]]
    return {"documents": listed, "next": found[limit - 1].id if len(found) > limit else None}


@reading.get("/documents/{id:path}", response_model=DocumentOut, summary="Look at a document")
async def document(index: str, id: str, request: Request) -> dict[str, Any]:
    """Give a document with its passages, the documents they name, and the passages elsewhere that name it."""
    engine = served(request, index).engine
    found = await service_of(request).look_up(lambda: looking.document(engine, id))
    if found is None:
        raise _unknown("document", id)
    return found


@reading.get("/passages/{id:path}", response_model=PassageWithLinks, summary="Look at a passage")
async def passage(index: str, id: str, request: Request) -> dict[str, Any]:
    """Give a passage, the documents it names, and the passages that name its document."""
    engine = served(request, index).engine
    found = await service_of(request).look_up(lambda: looking.passage(engine, id))
    if found is None:
        raise _unknown("passage", id)
    return found


@writing.put("/documents/{id:path}", response_model=AddedOut, summary="Add or replace a document")
async def put(index: str, id: str, body: DocumentBody, request: Request) -> dict[str, Any]:
    """Add a document, or replace the one of this id; the answer comes when it is safely on disk."""
    return plain(await _add(request, index, [body.document(checked_id(id))]))  # type: ignore[no-any-return]


@writing.delete("/documents/{id:path}", response_model=AddedOut, summary="Delete a document")
async def delete(index: str, id: str, request: Request) -> dict[str, Any]:
    """Delete a document with its passages and links."""
    service, each = service_of(request), served(request, index)

    def work() -> Added:
        with each.writing(service.settings.limits.write_wait) as engine:
            return engine.delete(id)

    deleted = await service.write(work)
    if not deleted.documents:
        raise _unknown("document", id)
    return plain(deleted)  # type: ignore[no-any-return]  # a dataclass always becomes a dict


async def _add(request: Request, index: str, documents: list[Document]) -> Added:
    service, each = service_of(request), served(request, index)

    def work() -> Added:
        with each.writing(service.settings.limits.write_wait) as engine:
            return engine.add(documents)

    return await service.write(work)


def _unknown(what: str, id: str) -> Problem:
    return Problem(404, f"there is no {what} {id[:80]!r} in this index")
