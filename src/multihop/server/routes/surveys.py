"""Routes for profiles, and for running surveys as jobs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import Request, Response

from multihop import profiles
from multihop.errors import InvalidInput, UnknownName
from multihop.profiles import Profile
from multihop.server import surveys
from multihop.server.indexes import ServedIndex
from multihop.server.jobs import Job, write_request
from multihop.server.problems import RETRY, Problem
from multihop.server.router import router
from multihop.server.routes.jobs import accepted_response, accepted_responses
from multihop.server.schemas import IndexName, JobOut, ProfilesOut, SurveyBody
from multihop.server.service import Service, served_index, service_of
from multihop.survey.columns import list_names, profile_of, read_columns
from multihop.survey.groups import FILE, chosen_groups, chosen_questions
from multihop.survey.labels import labels_known
from multihop.types.requests import check_day

_MAX_WAITING = 16
"""Maximum queued surveys."""

reading = router("read", prefix="/v1", tags=["surveys"])
# A survey changes no documents but is expensive and leaves files, so it has a right of its own.
writing = router("survey", prefix="/v1", tags=["surveys"])


@reading.get("/profiles", response_model=ProfilesOut, summary="List the profiles")
async def known_profiles(request: Request) -> dict[str, Any]:
    """List the built-in domain profiles and the lists of questions in plain words."""
    return await service_of(request).look_up(_describe_offers)


@writing.post(
    "/indexes/{index}/surveys",
    status_code=202,
    response_model=JobOut,
    responses=accepted_responses("poll the job for progress; its result is the survey."),
    summary="Run a survey",
)
async def run(index: IndexName, body: SurveyBody, request: Request) -> Response:
    """Ask every file, or every group of documents (such as countries), the same questions, as a job.

    Give `ask`, columns in plain words, or `question_list`, or `profile`. The result holds, for every row and question,
    the value with its sentence, and the passages with their scores.
    With the right to write, missing labels of documents (country, date) are first extracted from names and front pages.
    """
    service, each = service_of(request), served_index(request, index)
    label = each.writable and request.state.token.allows("write")
    return accepted_response(await service.look_up(lambda: _submit(service, each, body, label=label)))


def _submit(service: Service, each: ServedIndex, body: SurveyBody, *, label: bool) -> Job:
    """Validate a survey and submit its job."""
    profile = _profile(body)
    chosen_questions(profile, body.questions)
    check_day(body.as_of)
    try:
        chosen_groups(each.engine, profile, body.groups, body.as_of)
    except UnknownName:
        raise
    except InvalidInput as error:
        # The group may still be extracted from names and front pages; if not, the job fails.
        if not label or labels_known(each.engine, profile):
            hint = "; with the right to write, a survey can extract it from names and front pages" if not label else ""
            raise Problem(422, f"{error}{hint if profile.labels else ''}") from None
    if body.lm and each.engine.lm is None:
        raise Problem(422, "this server has no language model; omit lm to find values by rules")
    most = service.settings.limits.k
    if body.profile and (body.top_k or profile.scoring.top_k) > most:
        raise Problem(422, f"top_k is {body.top_k or profile.scoring.top_k}; at most {most} passages are allowed")
    if service.jobs.waiting(surveys.KIND) >= _MAX_WAITING:
        raise Problem(429, f"{_MAX_WAITING} surveys are already queued; try again later", RETRY)
    return service.jobs.submit(
        surveys.KIND, each.name, partial(write_request, asked=body.model_dump() | {"label": label})
    )


def _profile(body: SurveyBody) -> Profile:
    """Return what is asked as a profile; raises unless exactly one kind of questions is given."""
    plain = bool(body.ask) or body.question_list is not None
    if plain == (body.profile is not None):
        raise Problem(422, "give one of profile, or ask and question_list: what is to be asked")
    if body.profile is not None:
        known = surveys.profile_named(body.profile)
        if missing := surveys.missing_extra():
            raise Problem(501, f"surveys of a profile need an optional dependency on the server: {missing}")
        return replace(known, group=body.by, digest="") if body.by else known
    if body.hop or body.lm:
        raise Problem(422, "questions in plain words are read, not walked or asked of a model; omit hop and lm")
    asked = [each if isinstance(each, str) else each.model_dump() for each in body.ask]
    return profile_of(surveys.columns_of(asked, body.question_list), body.by or FILE)


def _describe_offers() -> dict[str, Any]:
    lists = [
        {"name": name, "columns": [{"question": c.label, "type": c.kind} for c in read_columns(questions=name)]}
        for name in list_names()
    ]
    return {"profiles": _list_profiles(), "lists": lists, "install": surveys.missing_extra()}


def _list_profiles() -> list[dict[str, Any]]:
    known = [profiles.load(name) for name in profiles.names()]
    return [
        {
            "name": p.name, "description": p.description, "group": p.group,
            "questions": [{"number": q.number, "text": q.text, "label": q.label} for q in p.questions],
        }
        for p in known
    ]  # fmt: skip
