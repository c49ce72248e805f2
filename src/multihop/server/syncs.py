"""Syncing an index with a configured folder, as a job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord, suggestion
from multihop.protocols import Progress
from multihop.server.indexes import Indexes
from multihop.server.jobs import MAX_REPORTED, Job, Work, read_request
from multihop.server.problems import Problem
from multihop.types import FileChange, plain

KIND = "sync"


Folders = Mapping[str, Mapping[str, Path]]
"""The folders of each index, by name."""


def folder_named(folders: Folders, index: str, name: str) -> Path:
    """Find a folder of an index by name; client input is never used as a path."""
    # A folder of another index is unknown here: its files may be another tenant's, and so is its name.
    own = folders.get(index, {})
    if name not in own:
        known = suggestion(name[:80], own) if own else "this index has none configured (multihop serve --folder)"
        raise Problem(404, f"there is no folder {name[:80]!r}: {known}")
    return own[name]


def sync_work(indexes: Indexes, folders: Folders) -> Work:
    """Return the function that runs a sync job."""

    def work(job: Job, place: Path, progress: Progress) -> Mapping[str, Any]:
        asked = read_request(place)
        files: list[FileChange] = []
        problems: list[str] = []

        def add_change(change: FileChange) -> None:
            if len(files) < MAX_REPORTED:
                files.append(change)

        def add_problem(problem: InvalidRecord) -> None:
            if len(problems) < MAX_REPORTED:
                # Do not reveal the location of the folder on the server.
                where = Path(problem.source).name if problem.source else ""
                problems.append(f"{where}: {problem.problem}" if where else problem.problem)

        # `check` is called while files are read, so that the job can be stopped before there is progress to report.
        with indexes.get(job.index).writing() as engine:
            done = engine.sync(
                folder_named(folders, job.index, asked["folder"]), dry_run=asked["dry_run"],
                keep_versions=asked.get("keep_versions"), progress=progress,
                on_problem=add_problem, on_change=add_change, check=lambda: progress("reading", 0, None),
            )  # fmt: skip
        return plain(done) | {"skipped": done.problems, "problems": problems, "files": plain(files)}  # type: ignore[no-any-return]

    return work
