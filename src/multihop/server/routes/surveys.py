"""Surveys over HTTP: the profiles there are, and their questions asked of every group of documents, as a job."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request, Response

from multihop import profiles
from multihop.errors import InvalidInput, UnknownName
from multihop.server import surveys
from multihop.server.indexes import ServedIndex
from multihop.server.jobs import Job, write_request
from multihop.server.problems import RETRY, Problem
from multihop.server.router import router
from multihop.server.routes.jobs import accepted_response, accepted_responses
from multihop.server.schemas import IndexName, JobOut, ProfilesOut, SurveyBody
from multihop.server.service import Service, served_index, service_of
from multihop.survey.groups import chosen_groups, chosen_questions
from multihop.survey.labels import labels_known

_MAX_WAITING = 16
"""Surveys that may wait for their turn."""

reading = router("read", prefix="/v1", tags=["surveys"])
# It changes no document, but takes the server long and leaves files on it: not for everybody who may ask.
writing = router("survey", prefix="/v1", tags=["surveys"])


@reading.get("/profiles", response_model=ProfilesOut, summary="List the profiles")
async def known_profiles(request: Request) -> dict[str, Any]:
    """List the domain profiles that a survey may name, with their questions."""
    return {"profiles": await service_of(request).look_up(_list_profiles)}


@writing.post(
    "/indexes/{index}/surveys",
    status_code=202,
    response_model=JobOut,
    responses=accepted_responses("the job tells how far it is, and its result is the survey."),
    summary="Run a survey",
)
async def run(index: IndexName, body: SurveyBody, request: Request) -> Response:
    """Ask the questions of a profile of every group of documents (every country, say), as a job.

    The result of the job holds for every group and question the value, with its sentence, and the passages that answer
    it, with their scores. With a token that may write, documents first get the labels that they lack (a country, a
    date) from their names and front pages.
    """
    service, each = service_of(request), served_index(request, index)
    label = each.writable and request.state.token.allows("write")
    return accepted_response(await service.look_up(lambda: _submit(service, each, body, label=label)))


def _submit(service: Service, each: ServedIndex, body: SurveyBody, *, label: bool) -> Job:
    """Refuse what cannot be asked before a job is made of it."""
    profile = surveys.profile_named(body.profile)
    chosen_questions(profile, body.questions)
    try:
        chosen_groups(each.engine, profile, body.groups)
    except UnknownName:
        raise
    except InvalidInput as error:
        # The group may be found in names and front pages; where it is not, the job says so.
        if not label or labels_known(each.engine, profile):
            hint = "; a token that may write lets a survey look for it in names and front pages" if not label else ""
            raise Problem(422, f"{error}{hint if profile.labels else ''}") from None
    if body.lm and each.engine.lm is None:
        raise Problem(422, "this server has no language model; leave out lm, and values are found by rules")
    most = service.settings.limits.k
    if (body.top_k or profile.scoring.top_k) > most:
        raise Problem(422, f"top_k is {body.top_k or profile.scoring.top_k}; at most {most} passages are allowed")
    if service.jobs.waiting(surveys.KIND) >= _MAX_WAITING:
        raise Problem(429, f"{_MAX_WAITING} surveys are waiting already; try again later", RETRY)
    return service.jobs.submit(
        surveys.KIND, each.name, partial(write_request, asked=body.model_dump() | {"label": label})
    )


def _list_profiles() -> list[dict[str, Any]]:
    known = [profiles.load(name) for name in profiles.names()]
    return [
        {
            "name": p.name, "description": p.description, "group": p.group,
            "questions": [{"number": q.number, "text": q.text, "label": q.label} for q in p.questions],
        }
        for p in known
    ]  # fmt: skip
