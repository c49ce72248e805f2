"""Route for the links among given passages, for the hop graph of the page."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, Field

from multihop.engine import Engine
from multihop.server.router import router
from multihop.server.schemas import IndexName, RequestBody, example_config
from multihop.server.service import served_index, service_of

_MAX_PASSAGES = 1000

routes = router("read", prefix="/v1/indexes/{index}", tags=["documents"])


class GraphBody(RequestBody):
    """The passages of the graph."""

    model_config = example_config({"passages": ["fram-ship#0", "colin-archer#0"]})
    passages: Annotated[list[str], Field(max_length=_MAX_PASSAGES, description="Ids of passages.")]


class NodeOut(BaseModel):
    """A passage with its title, section and page."""

    id: str
    document_id: str
    title: str
    heading: str
    page: int | None


class EdgeOut(BaseModel):
    """A passage that mentions the document of another, and the name it uses."""

    source: str
    target: str
    name: str


class GraphOut(BaseModel):
    """The passages that exist in the index, and the links from one to the document of another."""

    passages: list[NodeOut]
    links: list[EdgeOut]


@routes.post("/graph", response_model=GraphOut, summary="Get the links among passages")
async def graph(index: IndexName, body: GraphBody, request: Request) -> dict[str, Any]:
    """Return the titles of passages and the links among them; unknown ids are ignored."""
    engine = served_index(request, index).engine
    return await service_of(request).look_up(lambda: _links_among(engine, body.passages))


def _links_among(engine: Engine, ids: list[str]) -> dict[str, Any]:
    view = engine.store.view()
    passages = view.passages(ids)
    documents = {p.document_id for p in passages.values()}
    return {
        "passages": [
            {"id": p.id, "document_id": p.document_id, "title": p.title, "heading": p.heading, "page": p.page}
            for p in passages.values()
        ],
        "links": [
            {"source": link.source, "target": link.target, "name": link.name}
            for link in view.links_from(sorted(passages))
            if link.target in documents and link.target != passages[link.source].document_id
        ],
    }
