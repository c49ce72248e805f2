"""Example questions: those of the sample corpus, or questions generated from the links of an index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from multihop.engine import Engine
from multihop.protocols import View
from multihop.server.router import router
from multihop.server.schemas import IndexName
from multihop.server.service import served_index, service_of
from multihop.testing import sample_questions

_OFFERED = ("q01", "q31", "q43", "q10", "q16", "q50")
"""Two-, three- and four-hop chains, a claim, a comparison, a question with several aspects."""

_MAX_DOCUMENTS = 300
"""Maximum documents whose links are used to generate questions."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


class ExampleOut(BaseModel):
    """A claim or question, its type, and its number of hops."""

    text: str
    kind: str
    type: str
    hops: int


class ExamplesOut(BaseModel):
    """Questions that the index can answer; none if its documents are not linked."""

    examples: list[ExampleOut]


@routes.get("/examples", response_model=ExamplesOut, summary="Get example questions")
async def examples(index: IndexName, request: Request) -> dict[str, Any]:
    """Return questions this index has evidence for: curated for the sample, else generated from its links."""
    engine = served_index(request, index).engine
    return {"examples": await service_of(request).look_up(lambda: _from_sample(engine) or _from_links(engine))}


def _from_sample(engine: Engine) -> list[dict[str, Any]]:
    known = {q.id: q for q in sample_questions()}
    there = engine.store.view().passages_of({d for id in _OFFERED for d in known[id].gold}, 1)
    return [
        {"text": q.text, "kind": q.kind, "type": q.type, "hops": q.hops}
        for q in (known[id] for id in _OFFERED)
        if all(there.get(document) for document in q.gold)
    ]


def _from_links(engine: Engine) -> list[dict[str, Any]]:
    """Generate questions about the connection of two linked documents, through a third if possible."""
    view = engine.store.view()
    titles = {d.id: d.title for d in engine.store.documents("", "", _MAX_DOCUMENTS) if d.title}
    links = _unambiguous_links(view, titles)
    made: list[dict[str, Any]] = []
    for first, second in links.items():
        third = links.get(second, first)
        far = third not in (first, second)
        text = f"What connects {titles[first]} with {titles[third if far else second]}?"
        made.append({"text": text, "kind": "question", "type": "bridge", "hops": 2 + far})
    return sorted(made, key=lambda example: -example["hops"])[: len(_OFFERED)]


def _unambiguous_links(view: View, titles: Mapping[str, str]) -> dict[str, str]:
    """Map each document to one that its first passage mentions by an unambiguous name."""
    source = {ids[0]: document for document, ids in view.passages_of(titles, 1).items() if ids}
    found: dict[str, str] = {}
    for link in view.links_from(sorted(source)):
        document = source[link.source]
        # An ambiguous name would make a question with several answers.
        if link.ambiguity == 1 and link.target in titles and link.target != document:
            found.setdefault(document, link.target)
    return found
