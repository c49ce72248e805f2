"""Surveys as jobs: the questions of a built-in profile for every group of an index.

A job stores answers in its folder as they are found, so a restarted job resumes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multihop import profiles
from multihop.errors import suggestion
from multihop.profiles import Profile
from multihop.protocols import Progress
from multihop.server.indexes import Indexes
from multihop.server.jobs import Job, Work, read_request
from multihop.server.problems import Problem
from multihop.survey import Survey, survey
from multihop.survey.excerpts import Signs
from multihop.survey.labels import label_index

KIND = "survey"
_ANSWERS = "answers"
_SENTENCE = 180
"""Maximum characters of an excerpt in a table cell."""


def profile_named(name: str) -> Profile:
    """Load a built-in profile by name; client input is never used as a path."""
    known = profiles.names()
    if name not in known:
        raise Problem(422, f"there is no profile {name[:80]!r}: {suggestion(name[:80], known)}")
    return profiles.load(name)


def survey_work(indexes: Indexes) -> Work:
    """Return the function that runs a survey job."""

    def work(job: Job, place: Path, progress: Progress) -> Mapping[str, Any]:
        asked = read_request(place)
        profile = profile_named(asked.pop("profile"))
        served = indexes.get(job.index)
        said: list[str] = []
        # Checked again: the server may have been restarted read-only since the job was accepted.
        if asked.pop("label", False) and served.writable:
            with served.writing() as engine:
                label_index(engine, profile, said.append, progress)
        model = served.engine.lm if asked.pop("lm", False) else None
        # The rest of the request are keyword options of `survey`.
        found = survey(served.engine, profile, **asked, label=False, out=place / _ANSWERS, progress=progress, lm=model)
        row: dict[str, Any] = without_file_links(found.to_dict())
        return row | {"telling": _excerpts(found, profile), "notes": [*said, *found.notes]}

    return work


def without_file_links(value: Any) -> Any:
    """Empty every `url` that leads into the server's own folders; a client cannot follow it."""
    if isinstance(value, dict):
        return {
            name: "" if name == "url" and str(each).startswith(("../", "./")) else without_file_links(each)
            for name, each in value.items()
        }
    return [without_file_links(each) for each in value] if isinstance(value, list | tuple) else value


def _excerpts(found: Survey, profile: Profile) -> list[dict[str, Any]]:
    """Return, per group and question, an excerpt of the best passage with the spans of its signals."""
    signs = {q.number: Signs.of(profile, q.text) for q in profile.questions}
    return [
        {str(a.number): _sentence(a.chunks[0].content, signs[a.number]) for a in group.answers if a.chunks}
        for group in found.groups
    ]


def _sentence(content: str, signs: Signs) -> dict[str, Any]:
    said = signs.excerpt(content, _SENTENCE)
    return {"text": said, "marks": signs.spans(said)}
