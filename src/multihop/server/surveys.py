"""Surveys as jobs: questions in plain words, or those of a built-in profile, for every row of an index.

A job stores answers in its folder as they are found, so a restarted job resumes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from multihop import profiles
from multihop.errors import suggestion
from multihop.profiles import Profile
from multihop.protocols import Progress
from multihop.server.indexes import Indexes
from multihop.server.jobs import Job, Work, read_request
from multihop.server.problems import Problem, install_hint
from multihop.strategies import HYBRID
from multihop.survey import Survey, survey
from multihop.survey.columns import Column, list_names, profile_of, read_columns
from multihop.survey.excerpts import Signs
from multihop.survey.groups import FILE
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


def columns_of(ask: Sequence[str | Mapping[str, Any]], question_list: str | None) -> tuple[Column, ...]:
    """Read the columns of a request: headings, questions with their types, and those of a built-in list."""
    if question_list is not None and question_list not in list_names():
        raise Problem(
            422, f"there is no list of questions {question_list[:80]!r}: {suggestion(question_list[:80], list_names())}"
        )
    given = [
        each if isinstance(each, str) else Column.of(each["question"], each["type"], each["unit"], each["also"])
        for each in ask
    ]
    return read_columns(given, question_list)


def missing_extra() -> str | None:
    """Return the command that installs what surveys of a profile need, if it is missing."""
    extra = HYBRID.requirements.missing_extra()
    return install_hint(extra) if extra else None


def survey_work(indexes: Indexes) -> Work:
    """Return the function that runs a survey job."""

    def work(job: Job, place: Path, progress: Progress) -> Mapping[str, Any]:
        asked = read_request(place)
        ask, question_list = asked.pop("ask", []), asked.pop("question_list", None)
        named = asked.pop("profile")
        columns = () if named else columns_of(ask, question_list)
        profile = profile_named(named) if named else profile_of(columns, asked.get("by") or FILE)
        served = indexes.get(job.index)
        said: list[str] = []
        # Checked again: the server may have been restarted read-only since the job was accepted.
        if asked.pop("label", False) and served.writable and named:
            with served.writing() as engine:
                label_index(engine, profile, said.append, progress)
        model = served.engine.lm if asked.pop("lm", False) else None
        # The rest of the request are keyword options of `survey`.
        surveyed = survey(
            served.engine, profile if named else None, ask=columns, **asked, label=False, out=place / _ANSWERS,
            progress=progress, lm=model,
        )  # fmt: skip
        row: dict[str, Any] = without_file_links(surveyed.to_dict())
        return row | {"telling": _excerpts(surveyed, profile), "notes": [*said, *surveyed.notes]}

    return work


def without_file_links(value: Any) -> Any:
    """Empty every `url` that leads into the server's own folders; a client cannot follow it."""
    if isinstance(value, dict):
        return {
            name: "" if name == "url" and str(each).startswith(("../", "./")) else without_file_links(each)
            for name, each in value.items()
        }
    return [without_file_links(each) for each in value] if isinstance(value, list | tuple) else value


def _excerpts(surveyed: Survey, profile: Profile) -> list[dict[str, Any]]:
    """Return, per group and question, an excerpt of the best passage with the spans of its signals."""
    signs = {q.number: Signs.of(profile, q.text) for q in profile.questions}
    return [
        {str(a.number): _sentence(a.chunks[0].content, signs[a.number]) for a in group.answers if a.chunks}
        for group in surveyed.groups
    ]


def _sentence(content: str, signs: Signs) -> dict[str, Any]:
    said = signs.excerpt(content, _SENTENCE)
    return {"text": said, "marks": signs.spans(said)}
