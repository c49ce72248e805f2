"""Jobs: long work that goes on after its request, survives a restart, and is done by one process of a server at a time.

A job is a kind, an index and a folder with what it needs; a kind is a function. The jobs are rows of an SQLite file
that all processes of a server share. Whichever of them holds the lock of the folder does the work, in a few threads
for each kind, of one index one job of a kind at a time. When it ends, or is killed, the lock is free, the next one
takes it, and what was running begins again. So the work of a job must be such that doing it twice gives what doing it
once gives. A task queue would do this too, and need a broker beside the server.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multihop.errors import IndexLocked, InvalidInput, StoreError
from multihop.index.stores.sqlite import lock
from multihop.protocols import Progress
from multihop.server.problems import RETRY, Problem, body_of, log, problem_of
from multihop.server.tokens import EVERYBODY, Token

_FILE = "jobs.sqlite"
_REQUEST_FILE = "asked.json"
_TABLE = """CREATE TABLE IF NOT EXISTS job (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, place TEXT NOT NULL,
    state TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, total INTEGER, message TEXT NOT NULL DEFAULT '',
    result TEXT, created TEXT NOT NULL, updated TEXT NOT NULL,
    stop INTEGER NOT NULL DEFAULT 0, begun INTEGER NOT NULL DEFAULT 0)"""
_COLUMNS = "id, kind, place, state, done, total, message, result, created, updated"
_LIST_COLUMNS = _COLUMNS.replace("result", "CASE WHEN length(result) <= 100000 THEN result END")
"""In a list, without the results that are long."""
_POLL_SECONDS = 1.0
"""Seconds between looks for jobs that other processes have taken in."""
_PROGRESS_SECONDS = 0.25
"""Seconds between notes of progress."""
_MAX_STARTS = 3
"""How often a job is begun that takes the whole process with it."""
_NEXT_JOB = f"""SELECT {_COLUMNS} FROM job WHERE state = 'waiting' AND kind = :kind
    AND place NOT IN (SELECT place FROM job WHERE state = 'running' AND kind = :kind) ORDER BY number LIMIT 1"""
_LANES = 4
"""Jobs of one kind that are worked on at once, each of another index."""
_MAX_ENDED = 1000
"""Jobs that are remembered after their end."""
MAX_REPORTED = 1000
"""Files and problems that the result of a job names; the others are counted."""
ENDED = ("done", "failed", "stopped")


@dataclass(frozen=True, slots=True)
class Job:
    """The state of one job."""

    id: str
    kind: str
    index: str
    state: str
    done: int
    total: int | None
    message: str
    result: Mapping[str, Any] | None
    created: str
    updated: str


class Stopped(Exception):
    """The job was asked to stop, or the server is ending; raised inside its work, which must undo what is half done."""


Work = Callable[[Job, Path, Progress], Mapping[str, Any]]
"""Does a job: takes it, its folder and a callback for progress, which raises Stopped; returns its result."""


def prepare(folder: Path) -> None:
    """Make the folder for the state of a server, or say why that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _connect(folder) as rows:
            rows.execute(_TABLE)
    except (OSError, sqlite3.Error) as error:
        raise InvalidInput(
            f"the server cannot store its state in {str(folder)!r}: {error}; give another folder with --state"
        ) from error


@contextmanager
def _connect(folder: Path) -> Iterator[sqlite3.Connection]:
    # As a context a connection ends its transaction, and stays open: that is why it is closed as well.
    with closing(sqlite3.connect(folder / _FILE, timeout=30.0)) as connection, connection:
        yield connection


def write_request(place: Path, asked: Mapping[str, Any], name: str = _REQUEST_FILE) -> None:
    """Write down in the folder of a job what it is asked to do."""
    (place / name).write_text(json.dumps(asked), encoding="utf-8")


def read_request(place: Path, name: str = _REQUEST_FILE) -> dict[str, Any]:
    """Read what `write_request` wrote; nothing where it wrote nothing."""
    noted = place / name
    return json.loads(noted.read_text(encoding="utf-8")) if noted.exists() else {}


class Jobs:
    """The jobs of a server, as one of its processes sees them."""

    def __init__(self, folder: Path, kinds: Mapping[str, Work]) -> None:
        self._folder = folder
        self._kinds = kinds
        self._ending = threading.Event()
        self._wake = threading.Event()
        self._problem = ""
        self._claim_lock = threading.Lock()
        prepare(folder)
        self._supervisor = threading.Thread(target=self._supervise, name="jobs", daemon=True)
        self._supervisor.start()

    # --- what routes call ---

    def submit(self, kind: str, index: str, fill: Callable[[Path], object]) -> Job:
        """Accept a job; `fill` puts into its folder what it needs. If that fails, nothing of it is left."""
        id = secrets.token_hex(8)
        place = self._job_folder(id)
        try:
            place.mkdir(parents=True, mode=0o700)
            fill(place)
            # The row comes last: whoever takes a job finds its folder filled.
            return self._insert(id, kind, index)
        except (OSError, sqlite3.Error) as error:
            shutil.rmtree(place, ignore_errors=True)
            log.warning("an upload could not be stored: %s", error)
            raise Problem(507, "this server has no room for the upload; its log says why") from error
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise

    def _insert(self, id: str, kind: str, index: str) -> Job:
        now = _now()
        with _connect(self._folder) as rows:
            rows.execute(
                "INSERT INTO job (id, kind, place, state, created, updated) VALUES (?, ?, ?, 'waiting', ?, ?)",
                (id, kind, index, now, now),
            )
            old = f"state IN {ENDED} AND number <= (SELECT max(number) FROM job) - {_MAX_ENDED}"
            rows.execute(f"DELETE FROM job WHERE {old}")
        self._wake.set()
        return self.get(id)

    def get(self, id: str, token: Token = EVERYBODY) -> Job:
        """Find a job; a job of an index that the token does not cover looks like one that does not exist."""
        found = self._run(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (id,))
        if not found or not token.covers((job := _job(found[0])).index):
            raise Problem(404, f"there is no job {id[:80]!r}")
        return job

    def all(self, limit: int, token: Token = EVERYBODY) -> list[Job]:
        """List the jobs of the indexes that a token is for, newest first."""
        only = "" if token.indexes is None else "WHERE place IN (SELECT value FROM json_each(:names))"
        asked = f"SELECT {_LIST_COLUMNS} FROM job {only} ORDER BY number DESC LIMIT :limit"
        return [_job(row) for row in self._run(asked, {"limit": limit, "names": json.dumps(token.indexes)})]

    def waiting(self, kind: str) -> int:
        """Count the jobs of a kind that have not begun."""
        [[count]] = self._run("SELECT count(*) FROM job WHERE state = 'waiting' AND kind = ?", (kind,))
        return int(count)

    def counts(self) -> dict[tuple[str, str], int]:
        """Count the jobs by index and state."""
        found = self._run("SELECT place, state, count(*) FROM job GROUP BY place, state")
        return {(index, state): count for index, state, count in found}

    def stop(self, id: str, token: Token = EVERYBODY) -> Job:
        """Ask a job to stop. One that waits is stopped at once, one that runs when it next tells of its progress."""
        job = self.get(id, token)
        if job.state in ENDED:
            raise Problem(409, f"the job is {job.state} already")
        with _connect(self._folder) as rows:
            # Both at once: a job that is begun at this moment finds the flag when it next tells of its progress.
            rows.execute("UPDATE job SET stop = 1 WHERE id = ?", (id,))
            rows.execute(
                "UPDATE job SET state = 'stopped', message = 'stopped', updated = ? WHERE id = ? AND state = 'waiting'",
                (_now(), id),
            )
        self._wake.set()
        return self.get(id)

    def check_working(self) -> None:
        """Raise a problem while this process can begin no jobs, so that nobody takes it for ready."""
        if self._problem:
            raise Problem(503, "jobs cannot be started at the moment; the log of the server says why", RETRY)

    def close(self) -> None:
        """Put running jobs back, to be begun again at the next start, and end."""
        self._ending.set()
        self._wake.set()
        self._supervisor.join()

    # --- the process that does the work ---

    def _supervise(self) -> None:
        """Wait for the lock of the folder, then do jobs until the server ends."""
        while not self._ending.is_set():
            try:
                # Without waiting: another process may hold it for days, and this one must notice when it is to end.
                with lock.writing(self._folder, 0.0):
                    self._requeue_interrupted()
                    self._problem = ""
                    kinds = [kind for kind in self._kinds for _ in range(_LANES)]
                    lanes = [threading.Thread(target=self._run_lane, args=(kind,), daemon=True) for kind in kinds]
                    for lane in lanes:
                        lane.start()
                    for lane in lanes:
                        lane.join()
            except IndexLocked:
                # Another process does the work, and this one can answer all the same.
                self._problem = ""
                self._ending.wait(_POLL_SECONDS)
            except (StoreError, OSError, sqlite3.Error) as error:
                # The disk may be full for a while: the jobs are begun when it has room again.
                self._problem = str(error) or type(error).__name__
                log.warning("jobs cannot be started: %s", self._problem)
                self._ending.wait(_POLL_SECONDS)

    def _requeue_interrupted(self) -> None:
        """Queue what was running when a process ended, and clear away what no job needs."""
        with _connect(self._folder) as rows:
            rows.execute(
                "UPDATE job SET state = 'failed', message = 'the server ended each time this was started'"
                " WHERE state = 'running' AND begun >= ?", (_MAX_STARTS,),
            )  # fmt: skip
            rows.execute("UPDATE job SET state = 'waiting', done = 0, message = 'restarted' WHERE state = 'running'")
            needed = {row[0] for row in rows.execute(f"SELECT id FROM job WHERE state NOT IN {ENDED}")}
        for folder in (self._folder / "jobs").glob("*"):
            # Younger ones may be of a job that is just being taken in.
            if folder.name not in needed and time.time() - folder.stat().st_mtime > 3600:
                shutil.rmtree(folder, ignore_errors=True)

    def _run_lane(self, kind: str) -> None:
        while not self._ending.is_set():
            # Before it looks: what comes in while it does then wakes it at once.
            self._wake.clear()
            try:
                job = self._claim(kind)
                if job is None:
                    self._wake.wait(_POLL_SECONDS)
                else:
                    self._execute(job)
            except sqlite3.Error:
                # The disk may be full for a while; the jobs are still there when it has room again.
                log.exception("the state of the jobs cannot be read or written")
                self._ending.wait(_POLL_SECONDS)

    def _claim(self, kind: str) -> Job | None:
        """Begin the job that has waited longest, of an index that no other job of the kind works on."""
        # One lane at a time: two of a kind could otherwise both find the same index free.
        with self._claim_lock, _connect(self._folder) as rows:
            found = rows.execute(_NEXT_JOB, {"kind": kind}).fetchone()
            if found is None:
                return None
            job = _job(found)
            taken = rows.execute(
                "UPDATE job SET state = 'running', begun = begun + 1, updated = ? WHERE id = ? AND state = 'waiting'",
                (_now(), job.id),
            )
            # It may have been stopped since it was found.
            return job if taken.rowcount else None

    def _execute(self, job: Job) -> None:
        place = self._job_folder(job.id)
        try:
            self._finish(job.id, "done", "done", self._work(job, place))
        except Stopped:
            if self._asked_to_stop(job.id):
                self._finish(job.id, "stopped", "stopped; nothing was changed")
            else:
                # Its folder stays, and an orderly end is no failed attempt.
                self._run(
                    "UPDATE job SET state = 'waiting', begun = begun - 1, updated = ?,"
                    " message = 'waiting for the server to start again' WHERE id = ?", (_now(), job.id),
                )  # fmt: skip
                return
        except Exception as error:  # noqa: BLE001  # the job fails, the server goes on
            problem = problem_of(error)
            # Below that it is the file or the request, and who sent it reads in the job what is wrong.
            if problem.status_code >= 500:
                log.exception("job %s failed", job.id)
            self._finish(job.id, "failed", body_of(problem)["error"]["message"])
        shutil.rmtree(place, ignore_errors=True)

    def _work(self, job: Job, place: Path) -> Mapping[str, Any]:
        """Do the work of a job; it tells of its progress far more often than that is written down."""
        last: tuple[str, int, int | None] = ("", 0, None)
        written = 0.0

        def progress(stage: str, done: int, total: int | None) -> None:
            nonlocal last
            last = (stage, done, total)
            if time.monotonic() - written > _PROGRESS_SECONDS:
                # As seldom as the progress is written: this asks the database too.
                if self._ending.is_set() or self._asked_to_stop(job.id):
                    raise Stopped
                write()

        def write() -> None:
            nonlocal written
            noted = "UPDATE job SET message = ?, done = ?, total = ?, updated = ? WHERE id = ?"
            self._run(noted, (*last, _now(), job.id))
            written = time.monotonic()

        result = self._kinds[job.kind](job, place, progress)
        write()
        return result

    def _asked_to_stop(self, id: str) -> bool:
        [[stop]] = self._run("SELECT stop FROM job WHERE id = ?", (id,))
        return bool(stop)

    def _finish(self, id: str, state: str, message: str, result: Mapping[str, Any] | None = None) -> None:
        ended = "UPDATE job SET state = ?, message = ?, result = ?, updated = ? WHERE id = ?"
        self._run(ended, (state, message, None if result is None else json.dumps(result), _now(), id))

    def _job_folder(self, id: str) -> Path:
        return self._folder / "jobs" / id

    def _run(self, statement: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement in a transaction of its own, and give its rows."""
        with _connect(self._folder) as rows:
            return rows.execute(statement, values).fetchall()


def _job(row: tuple[Any, ...]) -> Job:
    id, kind, index, state, done, total, message, result, created, updated = row
    return Job(id, kind, index, state, done, total, message, json.loads(result) if result else None, created, updated)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
