"""What lies around a passage or a document: the part of the graph that a reader of it would walk to next."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import BaseModel

from multihop.engine import Engine
from multihop.graph import MOST_HOPS, Neighbourhood, around, starts_of
from multihop.server.guard import router
from multihop.server.problems import Problem
from multihop.server.schemas import IndexName
from multihop.server.service import served, service_of

_MOST = 100
_OPENING = 120
"""Characters of a passage that are enough to tell it from others."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["documents"])


class NeighbourOut(BaseModel):
    """A passage and how it opens, how many steps away it is and how surely they lead to it, and from which passage."""

    id: str
    document_id: str
    title: str
    heading: str
    opening: str
    hop: int
    strength: float
    via: str


class JoinOut(BaseModel):
    """What joins two passages: a typed relation, or MENTIONS, where the one names the document of the other."""

    source: str
    target: str
    kind: str
    confidence: float
    evidence: str
    method: str


class NeighbourhoodOut(BaseModel):
    """The passages around a start (hop 0), what joins them, and how many more were reached than there was room for."""

    passages: list[NeighbourOut]
    edges: list[JoinOut]
    left_out: int


@routes.get("/neighbourhood/{id:path}", response_model=NeighbourhoodOut, summary="See what lies around")
async def neighbourhood(
    index: IndexName,
    id: Annotated[str, Path(description="The id of a passage or a document, percent-encoded.", examples=["fram-ship"])],
    request: Request,
    hops: Annotated[int, Query(ge=1, le=MOST_HOPS, description="How many steps to walk.")] = 1,
    most: Annotated[int, Query(ge=1, le=_MOST, description="How many passages at most, the surest first.")] = 24,
) -> dict[str, Any]:
    """Walk from a passage, or from those of a document that most is joined with, along relations and mentions."""
    engine = served(request, index).engine
    return await service_of(request).look_up(lambda: _written(_found(engine, id, hops, most)))


def _found(engine: Engine, id: str, hops: int, most: int) -> Neighbourhood:
    view = engine.store.view()
    starts = [id] if view.passages([id]) else starts_of(view, id)
    if not starts:
        raise Problem(404, f"there is no passage or document {id[:80]!r} in this index")
    return around(view, starts, hops=hops, most=most)


def _opening(text: str) -> str:
    line = " ".join(text[: 4 * _OPENING].split())
    return line if len(line) <= _OPENING else line[: _OPENING - 1].rstrip() + "…"


def _written(found: Neighbourhood) -> dict[str, Any]:
    return {
        "passages": [
            {
                "id": n.id, "document_id": n.passage.document_id, "title": n.passage.label,
                "heading": n.passage.heading, "opening": _opening(n.passage.text),
                "hop": n.hop, "strength": n.strength, "via": n.via,
            }
            for n in found.nodes
        ],
        "edges": [
            {
                "source": e.source, "target": e.target, "kind": e.kind, "confidence": e.confidence,
                "evidence": e.evidence, "method": e.method,
            }
            for e in found.edges
        ],
        "left_out": found.left_out,
    }  # fmt: skip
