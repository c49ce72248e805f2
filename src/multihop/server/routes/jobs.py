"""Routes for jobs: list, poll, stop."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse

from multihop.server import surveys
from multihop.server.jobs import Job
from multihop.server.problems import Problem
from multihop.server.router import router
from multihop.server.schemas import Error, JobId, JobOut, JobsOut
from multihop.server.service import service_of
from multihop.server.tokens import token_of

reading = router("read", prefix="/v1", tags=["jobs"])
writing = router("survey", prefix="/v1", tags=["jobs"])


def accepted_responses(then: str) -> dict[int | str, dict[str, Any]]:
    """Describe the responses of routes that create a job."""
    return {
        202: {"model": JobOut, "description": f"Accepted; {then}"},
        507: {"model": Error, "description": "no space left on the server"},
    }


def accepted_response(job: Job) -> Response:
    """Return the 202 response with the location of the job."""
    return JSONResponse(asdict(job), 202, {"Location": f"/v1/jobs/{job.id}"})


@reading.get("/jobs", response_model=JobsOut, summary="List the jobs")
async def jobs(
    request: Request, limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number.")] = 100
) -> dict[str, Any]:
    """List the jobs of the indexes that the token covers, newest first; long results are omitted."""
    service, token = service_of(request), token_of(request)
    listed = await service.look_up(lambda: service.jobs.all(limit, token))
    return {"jobs": [asdict(job) for job in listed]}


@reading.get("/jobs/{id}", response_model=JobOut, summary="Get a job")
async def job(id: JobId, request: Request) -> dict[str, Any]:
    """Return the progress and the result of a job."""
    service, token = service_of(request), token_of(request)
    return asdict(await service.look_up(lambda: service.jobs.get(id, token)))


@writing.delete("/jobs/{id}", response_model=JobOut, summary="Stop a job")
async def stop(id: JobId, request: Request) -> dict[str, Any]:
    """Stop a job; its changes are rolled back."""
    service, token = service_of(request), token_of(request)

    def work() -> Job:
        if service.jobs.get(id, token).kind != surveys.KIND and not token.allows("write"):
            raise Problem(403, "the token lacks the right 'write'")
        return service.jobs.stop(id, token)

    return asdict(await service.look_up(work))
