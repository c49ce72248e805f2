"""Route for the graph neighborhood of a passage or document."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import BaseModel

from multihop.engine import Engine
from multihop.index.graph import MOST_STEPS, Neighborhood, around, starts_of
from multihop.rendering.phrases import one_line
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import IndexName
from multihop.server.service import served_index, service_of
from multihop.types import plain

_MAX_PASSAGES = 100
_OPENING = 120
"""Characters of a passage shown to recognize it."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["documents"])


class NeighborOut(BaseModel):
    """A passage with its opening words, its distance and strength, and the passage it was reached from."""

    id: str
    document_id: str
    title: str
    heading: str
    opening: str
    distance: int
    strength: float
    via: str


class JoinOut(BaseModel):
    """A connection of two passages: a typed relation, or MENTIONS if one mentions the document of the other."""

    source: str
    target: str
    kind: str
    confidence: float
    evidence: str
    method: str


class NeighborhoodOut(BaseModel):
    """The passages around a start (distance 0), their connections, and the number of further passages reached."""

    passages: list[NeighborOut]
    edges: list[JoinOut]
    left_out: int


@routes.get(
    "/neighborhood/{id:path}", response_model=NeighborhoodOut, summary="Get the neighborhood of a passage or document"
)
async def neighborhood(
    index: IndexName,
    id: Annotated[str, Path(description="The id of a passage or a document, percent-encoded.", examples=["fram-ship"])],
    request: Request,
    steps: Annotated[int, Query(ge=1, le=MOST_STEPS, description="Traversal depth.")] = 1,
    most: Annotated[
        int, Query(ge=1, le=_MAX_PASSAGES, description="Maximum number of passages, the most certain first.")
    ] = 24,
) -> dict[str, Any]:
    """Traverse relations and mentions from a passage, or from the best-connected passages of a document."""
    engine = served_index(request, index).engine
    return await service_of(request).look_up(lambda: _to_dict(_find(engine, id, steps, most)))


def _find(engine: Engine, id: str, steps: int, most: int) -> Neighborhood:
    view = engine.store.view()
    starts = [id] if view.passages([id]) else starts_of(view, id)
    if not starts:
        raise Problem(404, f"passage or document {id[:80]!r} not found in this index")
    return around(view, starts, steps=steps, most=most)


def _to_dict(found: Neighborhood) -> dict[str, Any]:
    return {
        "passages": [
            {
                "id": n.id, "document_id": n.passage.document_id, "title": n.passage.label,
                # Cut roughly first: normalizing the whitespace of a long text is expensive.
                "heading": n.passage.heading, "opening": one_line(n.passage.text[: 4 * _OPENING], _OPENING),
                "distance": n.distance, "strength": n.strength, "via": n.via,
            }
            for n in found.nodes
        ],
        "edges": plain(found.edges),
        "left_out": found.left_out,
    }  # fmt: skip
