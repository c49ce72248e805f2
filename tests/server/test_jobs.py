from __future__ import annotations

import io
import json
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop.engine import Engine
from multihop.protocols import Progress
from multihop.server.jobs import ENDED, Job, Jobs, Stopped, prepare
from multihop.server.problems import Problem
from multihop.server.settings import ServerLimits, Settings

from ..cli.command import environment
from ..forking import run
from ..patience import patience
from ..reliability.bombs import long_work
from .conftest import Serve

UPLOADS = "/v1/indexes/sample/uploads"


def finished(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    while job["state"] not in ENDED:
        threading.Event().wait(0.05)
        job = client.get(f"/v1/jobs/{job['id']}").json()
    return job


def ended(jobs: Jobs, id: str) -> Job:
    while (job := jobs.get(id)).state not in ENDED:
        threading.Event().wait(0.01)
    return job


def test_a_file_becomes_documents(client: TestClient, tmp_path: Path) -> None:
    lines = b'{"id": "gjoa", "title": "Gj\xc3\xb8a", "text": "A sloop."}\n{broken\n{"id": "empty"}\n'
    taken = client.post(UPLOADS, files={"file": ("../../evil/ships.jsonl", lines)})
    assert taken.status_code == 202
    assert taken.headers["location"] == f"/v1/jobs/{taken.json()['id']}"
    job = finished(client, taken.json())
    assert (job["kind"], job["index"], job["state"]) == ("upload", "sample", "done")
    assert job["result"] == {
        "documents": 1, "replaced": 0, "passages": 1, "generation": 2, "skipped": 2,
        "problems": [
            "ships.jsonl:2: is not valid JSON: Expecting property name enclosed in double quotes at character 2",
            "ships.jsonl:3: there is no text; one of the fields text, contents, body, content, page_content is needed",
        ],
    }  # fmt: skip
    assert client.get("/v1/indexes/sample/documents/gjoa").json()["title"] == "Gjøa"
    assert client.get("/v1/jobs").json()["jobs"] == [job]
    assert list((tmp_path / "state" / "jobs").iterdir()) == []


def test_an_upload_replaces_nothing_where_it_is_told_so(client: TestClient) -> None:
    lines = (
        b'{"id": "fram-ship", "text": "Another."}\n{"id": "gjoa", "text": "A sloop."}\n{"id": "gjoa", "text": "B."}\n'
    )

    def uploaded(**fields: str) -> dict[str, Any]:
        job = client.post(UPLOADS, files={"file": ("ships.jsonl", lines)}, data=fields).json()
        return dict(finished(client, job)["result"])

    first, again, replacing = uploaded(replace="false"), uploaded(replace="false"), uploaded()
    assert (first["documents"], first["replaced"], first["skipped"]) == (1, 0, 2)
    assert first["problems"] == [
        "ships.jsonl: the index has a document 'fram-ship' already; give another id, or ask to replace it",
        "ships.jsonl:3: the id 'gjoa' is that of a document read before; give each its own, or leave the field out to "
        "have one generated",
    ]
    # A document is not in its own way, so that a job can be begun again.
    assert (again["documents"], again["replaced"]) == (1, 1)
    assert (replacing["documents"], replacing["replaced"]) == (2, 2)
    assert client.get("/v1/indexes/sample/documents/fram-ship").json()["text"] == "Another."


@pytest.mark.parametrize(
    ("name", "content", "id"),
    [("notes.md", b"# Fog\n\nIt is grey.", "notes.md"), ("t.csv", b"id,text\nx,Fog is grey.\n", "x")],
)
def test_files_of_several_formats(client: TestClient, name: str, content: bytes, id: str) -> None:
    job = finished(client, client.post(UPLOADS, files={"file": (name, content)}).json())
    assert job["result"]["documents"] == 1
    assert "grey" in client.get(f"/v1/indexes/sample/documents/{id}").json()["text"]


def test_a_format_may_be_named(client: TestClient) -> None:
    sent = client.post(UPLOADS, files={"file": ("data", b'{"id": "x", "text": "Fog."}')}, data={"format": "jsonl"})
    assert finished(client, sent.json())["result"]["documents"] == 1


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"format": "jsno"}, 415, "unknown format 'jsno'; did you mean 'json'?"),
        # Ignored, it would replace documents that were to be kept.
        ({"replaces": "false"}, 422, "there is no field 'replaces': did you mean 'replace'?"),
    ],
)
def test_a_wrong_field_of_an_upload(client: TestClient, fields: dict[str, str], status: int, said: str) -> None:
    answer = client.post(UPLOADS, files={"file": ("a.txt", b"Fog.")}, data=fields)
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, said)


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [("a.exe", 415, "files such as 'a.exe' cannot be read; known are csv, docx"), ("...", 422, "has no name")],
)
def test_a_file_that_nobody_can_read_is_refused(client: TestClient, name: str, status: int, said: str) -> None:
    answer = client.post(UPLOADS, files={"file": (name, b"x")})
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]
    assert client.get("/v1/jobs").json() == {"jobs": []}


def test_a_file_without_a_single_document_fails(client: TestClient, tmp_path: Path) -> None:
    job = finished(client, client.post(UPLOADS, files={"file": ("a.jsonl", b"\xff\xfe{}")}).json())
    assert job["state"] == "failed"
    assert "nothing in the file was added: a.jsonl" in job["message"]
    assert str(tmp_path) not in json.dumps(job)


def test_many_documents_become_a_job(serve: Serve) -> None:
    client = serve(limits=ServerLimits(at_once=10))
    documents = [{"id": f"n{i}", "title": f"Number {i}", "text": f"Text {i}.", "metadata": {"i": i}} for i in range(50)]
    answer = client.post("/v1/indexes/sample/documents", json={"documents": documents})
    assert answer.status_code == 202
    job = finished(client, answer.json())
    assert (job["result"]["documents"], job["done"], job["total"]) == (50, 50, 50)
    assert client.get("/v1/indexes/sample/documents/n7").json()["metadata"] == {"i": 7}


def test_an_upload_that_cannot_be_kept(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "state" / "jobs").rmdir()
    (tmp_path / "state" / "jobs").write_text("in the way")
    answer = client.post(UPLOADS, files={"file": ("a.txt", b"Fog.")})
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        507,
        "the upload could not be stored on this server; see its log",
    )
    assert client.get("/v1/jobs").json() == {"jobs": []}


def test_jobs_that_are_not_there(client: TestClient) -> None:
    for answer in (client.get("/v1/jobs/nope"), client.delete("/v1/jobs/nope")):
        assert (answer.status_code, answer.json()["error"]["message"]) == (404, "there is no job 'nope'")
    done = finished(client, client.post(UPLOADS, files={"file": ("a.txt", b"Fog.")}).json())
    late = client.delete(f"/v1/jobs/{done['id']}")
    assert (late.status_code, late.json()["error"]["message"]) == (409, "the job is already done")


def test_an_upload_waits_for_the_next_start_when_the_server_ends(settings: Settings, serve: Serve) -> None:
    """A writer elsewhere keeps the job from getting anywhere; the server ends, and the next one does it."""
    client = serve()
    served = client.app.app.state.service.indexes.get("sample")  # type: ignore[attr-defined]  # behind the middleware
    with served.writing(1):
        job = client.post(UPLOADS, files={"file": ("a.txt", b"Fog is grey.")}).json()
    client.__exit__(None, None, None)
    second = serve()
    assert finished(second, job)["state"] == "done"
    with Engine.open(settings.indexes[0].place) as engine:
        assert engine.document("a.txt") is not None


def _stuck(client: TestClient) -> dict[str, Any]:
    """Upload what a parser is busy with for long, and wait until it is."""
    job: dict[str, Any] = client.post(UPLOADS, files={"file": ("a.docx", long_work())}).json()
    while job["message"] != "reading":
        assert job["state"] not in ENDED
        threading.Event().wait(0.02)
        job = client.get(f"/v1/jobs/{job['id']}").json()
    return job


def test_an_index_is_written_while_an_upload_to_it_is_read(serve: Serve) -> None:
    client = serve(limits=ServerLimits(write_wait=0.5))
    with patience():
        job = _stuck(client)
        assert client.put("/v1/indexes/sample/documents/b", json={"text": "Fog."}).status_code == 200
        assert client.get(f"/v1/jobs/{job['id']}").json()["message"] == "reading"
        client.delete(f"/v1/jobs/{job['id']}").raise_for_status()
        assert finished(client, job)["state"] == "stopped"


def test_a_job_inside_a_parser_stops_when_it_is_told_to(client: TestClient) -> None:
    with patience():
        job = _stuck(client)
        client.delete(f"/v1/jobs/{job['id']}").raise_for_status()
        assert finished(client, job)["state"] == "stopped"
    assert client.get("/v1/indexes/sample/documents/a.docx").status_code == 404
    # The index is free again.
    assert finished(client, client.post(UPLOADS, files={"file": ("b.txt", b"Fog.")}).json())["state"] == "done"


def test_a_job_inside_a_parser_does_not_keep_a_server_from_ending(settings: Settings, serve: Serve) -> None:
    client = serve()
    with patience():
        job = _stuck(client)
        client.__exit__(None, None, None)
    jobs = Jobs(settings.state, {})
    assert jobs.get(job["id"]).message == "waiting for the server to start again"
    jobs.close()


class _Steps:
    """Work that tells of progress when it is let, and counts how often it was begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.under_way = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, job: Job, place: Path, tell: Progress) -> Mapping[str, Any]:
        self.begun += 1
        self.under_way.set()
        while not self.go_on.wait(0.01):
            tell("stepping", self.begun, 10)
        return {"begun": self.begun, "file": (place / "file").read_text()}


class _NoRoom(Jobs):
    """Jobs on a disk that is full at the start, until there is room."""

    room = threading.Event()

    def _requeue_interrupted(self) -> None:
        if not self.room.is_set():
            raise sqlite3.OperationalError("database or disk is full")
        super()._requeue_interrupted()


def test_a_full_disk_at_the_start_is_said_and_survived(tmp_path: Path) -> None:
    steps = _Steps()
    steps.go_on.set()
    jobs = _NoRoom(tmp_path / "state", {"steps": steps})
    with patience():
        while True:
            try:
                jobs.check_working()
                threading.Event().wait(0.01)
            except Problem as problem:
                assert (problem.status_code, "cannot be started" in str(problem.detail)) == (503, True)
                break
        id = _submit(jobs)
        jobs.room.set()
        assert ended(jobs, id).state == "done"
        jobs.check_working()
    jobs.close()


def _submit(jobs: Jobs) -> str:
    return jobs.submit("steps", "sample", lambda place: (place / "file").write_text("content")).id


def test_a_running_job_is_put_back_at_the_end_and_begun_again(tmp_path: Path) -> None:
    steps = _Steps()
    first = Jobs(tmp_path, {"steps": steps})
    id = _submit(first)
    steps.under_way.wait()
    first.close()
    assert first.get(id).state == "waiting"
    steps.go_on.set()
    second = Jobs(tmp_path, {"steps": steps})
    assert ended(second, id).result == {"begun": 2, "file": "content"}
    second.close()


def test_only_one_process_works_and_another_takes_over(tmp_path: Path) -> None:
    mine, theirs = _Steps(), _Steps()
    first = Jobs(tmp_path, {"steps": mine})
    busy = _submit(first)
    mine.under_way.wait()
    second = Jobs(tmp_path, {"steps": theirs})
    waiting = _submit(second)
    assert (second.get(busy).state, second.get(waiting).state, theirs.begun) == ("running", "waiting", 0)
    first.close()
    theirs.go_on.set()
    assert (ended(second, busy).state, ended(second, waiting).state) == ("done", "done")
    second.close()


def test_a_job_is_stopped_by_another_process(tmp_path: Path) -> None:
    steps = _Steps()
    worker = Jobs(tmp_path, {"steps": steps})
    busy, waiting = _submit(worker), _submit(worker)
    steps.under_way.wait()
    other = Jobs(tmp_path, {"steps": steps})
    assert other.stop(waiting).state == "stopped"
    other.stop(busy)
    assert ended(other, busy).message == "stopped; nothing was changed"
    assert steps.begun == 1
    assert other.counts() == {("sample", "stopped"): 2}
    other.close()
    worker.close()


_DEADLY = """
import os, sys, threading
from pathlib import Path
from multihop.server.jobs import Jobs
jobs = Jobs(Path(sys.argv[1]), {"steps": lambda *_: os._exit(9)})
threading.Event().wait(900)
"""


def test_a_job_that_kills_the_server_is_not_begun_for_ever(tmp_path: Path) -> None:
    steps = _Steps()
    steps.go_on.set()
    first = Jobs(tmp_path, {"other": steps})
    id = _submit(first)
    first.close()
    for _ in range(3):
        line = [sys.executable, "-c", _DEADLY, str(tmp_path)]
        assert run(line, environment(), imports=["multihop.server.jobs"]).returncode == 9
    last = Jobs(tmp_path, {"steps": steps})
    assert ended(last, id).message == "the server ended each time this was started"
    assert steps.begun == 0
    last.close()


def test_a_stopped_upload_leaves_nothing(tmp_path: Path, settings: Settings) -> None:
    from multihop.server.indexes import Indexes
    from multihop.server.uploads import upload_work

    def tell(stage: str, done: int, total: int | None) -> None:
        if done > 20:
            raise Stopped

    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "many.jsonl").write_text("".join(f'{{"id": "n{i}", "text": "Text {i}."}}\n' for i in range(3000)))
    indexes = Indexes(settings.indexes)
    job = Job("1", "upload", "sample", "running", 0, None, "", None, "", "")
    with pytest.raises(Stopped):
        upload_work(indexes)(job, folder, tell)
    assert indexes.get("sample").engine.document("n0") is None
    indexes.close()


def test_work_that_breaks_says_so_without_its_inside(tmp_path: Path) -> None:
    def breaks(job: Job, place: Path, tell: Progress) -> Mapping[str, Any]:
        raise RuntimeError(f"secret {place}")

    jobs = Jobs(tmp_path, {"steps": breaks})
    job = ended(jobs, _submit(jobs))
    assert (job.state, job.message) == ("failed", "internal server error; see the log of the server")
    jobs.close()


def test_a_large_file_is_not_kept_in_memory_or_cut(client: TestClient) -> None:
    content = io.BytesIO(b"".join(b'{"id": "n%d", "text": "Text %d %s"}\n' % (i, i, b"x" * 1000) for i in range(3000)))
    job = finished(client, client.post(UPLOADS, files={"file": ("big.jsonl", content)}).json())
    assert job["result"]["documents"] == 3000


def test_the_state_of_a_server_is_for_its_owner_alone(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    before = os.umask(0)
    try:
        for name in ("new", "empty", "shared"):
            folder = tmp_path / name
            if name != "new":
                folder.mkdir()
            if name == "shared":
                (folder / "other.txt").touch()
            for _ in range(2):
                prepare(folder)
            assert (mode(folder / "jobs.sqlite"), mode(folder / "jobs")) == (0o600, 0o700)
            assert mode(folder) == (0o777 if name == "shared" else 0o700)
    finally:
        os.umask(before)
