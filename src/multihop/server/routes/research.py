"""Route for research: a report on every aspect of a question."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, Field, FiniteFloat, StrictBool, StrictInt

from multihop.programs.research import ResearchAgent, aspect_log
from multihop.server.problems import Problem
from multihop.server.question_pool import Deadline
from multihop.server.router import router
from multihop.server.routes.retrieve import TIMEOUT_RESPONSE
from multihop.server.schemas import AsInt, Budget, Day, IndexName, QuestionText, RequestBody, example_config
from multihop.server.service import served_index, service_of
from multihop.types import Hop
from multihop.types.requests import check_day

routes = router("read", asks=True, prefix="/v1/indexes/{index}", tags=["questions"])


class ResearchBody(RequestBody):
    """A question with several aspects, and when to stop."""

    model_config = example_config({"question": "What is penicillin and what are its health risks?", "k": 5})
    question: QuestionText
    k: Budget = 21
    min_hops: (
        Annotated[
            StrictInt,
            Field(ge=0, le=20, description="Hops before it may stop, at most max_hops; null: 3, or max_hops if less."),
            AsInt,
        ]
        | None
    ) = None
    max_hops: Annotated[StrictInt, Field(ge=1, le=20, description="Hops after which it stops."), AsInt] = 10
    threshold: (
        Annotated[
            FiniteFloat, Field(ge=0, le=1, strict=True, description="Weighted coverage to reach; null adapts it.")
        ]
        | None
    ) = 0.7
    as_of: Day | None = None
    lm: Annotated[StrictBool, Field(description="If false, the language model of the server is not asked.")] = True


class ResearchOut(BaseModel):
    """The report as data and as Markdown, the coverage of the aspects, and the log of the hops."""

    report: dict[str, Any]
    markdown: str
    metadata: dict[str, Any]
    log: str


@routes.post("/research", response_model=ResearchOut, responses=TIMEOUT_RESPONSE, summary="Report on a question")
async def research(index: IndexName, body: ResearchBody, request: Request) -> dict[str, Any]:
    """Search until every aspect of a question is covered, and write a report with citations."""
    service, engine = service_of(request), served_index(request, index).engine
    limits = service.settings.limits
    check_day(body.as_of)
    if body.k > limits.k:
        raise Problem(422, f"k is {body.k}; at most {limits.k} passages are allowed")
    if len(body.question) > limits.question:
        raise Problem(422, f"the question has {len(body.question)} characters; at most {limits.question} are allowed")

    def work(deadline: Deadline) -> dict[str, Any]:
        def each_hop(_: Hop) -> None:
            deadline.check()

        least = min(3, body.max_hops) if body.min_hops is None else body.min_hops
        agent = ResearchAgent(
            engine, use_llm=body.lm, min_hops=least, max_hops=body.max_hops, k=body.k, threshold=body.threshold,
            as_of=body.as_of,
        )  # fmt: skip
        result = agent.process(body.question, on_hop=each_hop)
        return {
            "report": result.report.to_dict(), "markdown": result.report.to_markdown(),
            "metadata": dict(result.metadata), "log": aspect_log(result),
        }  # fmt: skip

    return await service.questions.ask(work, request)
