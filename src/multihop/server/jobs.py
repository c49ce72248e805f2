"""Jobs: long-running work that outlives its request, survives restarts, and is run by one server process at a time.

A job has a kind, an index and a folder with its inputs; a kind is a function. Jobs are rows of an SQLite file that all
processes of a server share. The process that holds the lock of the folder runs them, in a few threads per kind, and at
most one job of a kind per index. When that process ends or is killed, another one takes the lock and restarts running
jobs, which must therefore be idempotent. A task queue would do the same but needs a broker.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from multihop.errors import IndexLocked, InvalidInput, StoreError, cause
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
"""Columns for lists, without long results."""
_POLL_SECONDS = 1.0
"""Seconds between polls for jobs accepted by other processes."""
_PROGRESS_SECONDS = 0.25
"""Seconds between progress updates."""
_MAX_STARTS = 3
"""How often a job is started if it kills the process each time."""
_NEXT_JOB = f"""SELECT {_COLUMNS} FROM job WHERE state = 'waiting' AND kind = :kind
    AND place NOT IN (SELECT place FROM job WHERE state = 'running' AND kind = :kind) ORDER BY number LIMIT 1"""
_LANES = 4
"""Concurrent jobs of one kind, each on a different index."""
_MAX_ENDED = 1000
"""Number of ended jobs to keep."""
MAX_REPORTED = 1000
"""Maximum files and problems listed in the result of a job; the rest are counted."""
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
    """The job was asked to stop, or the server is shutting down; raised inside the work, which must roll back."""


Work = Callable[[Job, Path, Progress], Mapping[str, Any]]
"""Runs a job: takes the job, its folder and a progress callback, which may raise Stopped; returns the result."""


def prepare(folder: Path) -> None:
    """Create the state folder of a server; raises InvalidInput if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _close_to_others(folder)
        with _connect(folder) as rows:
            rows.execute(_TABLE)
    except (OSError, sqlite3.Error) as error:
        raise InvalidInput(
            f"the server cannot store its state in {str(folder)!r}: {cause(error)}; give another folder with --state"
        ) from error


def _close_to_others(folder: Path) -> None:
    """Leave what jobs are about to the owner of the server: uploads, questions and errors of all tenants."""
    (folder / "jobs").mkdir(exist_ok=True, mode=0o700)
    # SQLite creates it for everybody, and its journals like it.
    (folder / _FILE).touch(mode=0o600)
    ours = [folder / "jobs", *folder.glob(f"{_FILE}*")]
    # A folder that holds other things, such as /tmp, has a mode for a reason.
    if {each.name for each in folder.iterdir()} <= {*(each.name for each in ours), "metrics"}:
        ours.append(folder)
    for each in ours:
        # Another user may have created it, or another process just have removed its journal.
        with suppress(PermissionError, FileNotFoundError):
            each.chmod(0o700 if each.is_dir() else 0o600)


@contextmanager
def _connect(folder: Path) -> Iterator[sqlite3.Connection]:
    # A connection's own context manager ends the transaction but does not close it.
    with closing(sqlite3.connect(folder / _FILE, timeout=30.0)) as connection, connection:
        yield connection


def write_request(place: Path, asked: Mapping[str, Any], name: str = _REQUEST_FILE) -> None:
    """Store the request of a job in its folder."""
    (place / name).write_text(json.dumps(asked), encoding="utf-8")


def read_request(place: Path, name: str = _REQUEST_FILE) -> dict[str, Any]:
    """Read what `write_request` stored; empty if there is none."""
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

    # --- called by routes ---

    def submit(self, kind: str, index: str, fill: Callable[[Path], object]) -> Job:
        """Accept a job; `fill` writes its inputs into its folder. If that fails, the folder is removed."""
        id = secrets.token_hex(8)
        place = self._job_folder(id)
        try:
            place.mkdir(parents=True, mode=0o700)
            fill(place)
            # The row comes last, so that a claimed job has its inputs.
            return self._insert(id, kind, index)
        except (OSError, sqlite3.Error) as error:
            shutil.rmtree(place, ignore_errors=True)
            log.warning("an upload could not be stored: %s", error)
            raise Problem(507, "the upload could not be stored on this server; see its log") from error
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
        """Find a job; one of an index that the token does not cover is reported as not found."""
        rows = self._run(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (id,))
        if not rows or not token.covers_jobs((job := _job(rows[0])).index):
            raise Problem(404, f"there is no job {id[:80]!r}")
        return job

    def all(self, limit: int, token: Token = EVERYBODY) -> list[Job]:
        """List the jobs of the indexes that a token covers, newest first."""
        if token.rights is not None:
            return []
        only = "" if token.indexes is None else "WHERE place IN (SELECT value FROM json_each(:names))"
        asked = f"SELECT {_LIST_COLUMNS} FROM job {only} ORDER BY number DESC LIMIT :limit"
        return [_job(row) for row in self._run(asked, {"limit": limit, "names": json.dumps(token.indexes)})]

    def waiting(self, kind: str) -> int:
        """Count the queued jobs of a kind."""
        [[count]] = self._run("SELECT count(*) FROM job WHERE state = 'waiting' AND kind = ?", (kind,))
        return int(count)

    def counts(self) -> dict[tuple[str, str], int]:
        """Count the jobs by index and state."""
        counts = self._run("SELECT place, state, count(*) FROM job GROUP BY place, state")
        return {(index, state): count for index, state, count in counts}

    def stop(self, id: str, token: Token = EVERYBODY) -> Job:
        """Stop a job: at once if it is queued, at its next progress update if it is running."""
        job = self.get(id, token)
        if job.state in ENDED:
            raise Problem(409, f"the job is already {job.state}")
        with _connect(self._folder) as rows:
            # In one transaction: a job that starts right now sees the flag at its next progress update.
            rows.execute("UPDATE job SET stop = 1 WHERE id = ?", (id,))
            rows.execute(
                "UPDATE job SET state = 'stopped', message = 'stopped', updated = ? WHERE id = ? AND state = 'waiting'",
                (_now(), id),
            )
        self._wake.set()
        return self.get(id)

    def check_working(self) -> None:
        """Raise a problem while this process cannot start jobs, so that it is not reported as ready."""
        if self._problem:
            raise Problem(503, "jobs cannot be started at the moment; see the log of the server", RETRY)

    def close(self) -> None:
        """Requeue running jobs for the next start, and shut down."""
        self._ending.set()
        self._wake.set()
        self._supervisor.join()

    # --- in the process that holds the lock ---

    def _supervise(self) -> None:
        """Wait for the lock of the folder, then run jobs until the server shuts down."""
        while not self._ending.is_set():
            try:
                # Without blocking: another process may hold it for days, and this one must notice its own shutdown.
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
                # Another process runs the jobs; this one can still serve requests.
                self._problem = ""
                self._ending.wait(_POLL_SECONDS)
            except (StoreError, OSError, sqlite3.Error) as error:
                # The disk may be full for a while; jobs start when there is space again.
                self._problem = str(error) or type(error).__name__
                log.warning("jobs cannot be started: %s", self._problem)
                self._ending.wait(_POLL_SECONDS)

    def _requeue_interrupted(self) -> None:
        """Requeue jobs interrupted by the end of a process, and delete folders that no job needs."""
        with _connect(self._folder) as rows:
            rows.execute(
                "UPDATE job SET state = 'failed', message = 'the server ended each time this was started'"
                " WHERE state = 'running' AND begun >= ?", (_MAX_STARTS,),
            )  # fmt: skip
            rows.execute("UPDATE job SET state = 'waiting', done = 0, message = 'restarted' WHERE state = 'running'")
            needed = {row[0] for row in rows.execute(f"SELECT id FROM job WHERE state NOT IN {ENDED}")}
        for folder in (self._folder / "jobs").glob("*"):
            # A newer folder may belong to a job that is being accepted.
            if folder.name not in needed and time.time() - folder.stat().st_mtime > 3600:
                shutil.rmtree(folder, ignore_errors=True)

    def _run_lane(self, kind: str) -> None:
        while not self._ending.is_set():
            # Cleared before looking, so that a job accepted meanwhile wakes this lane.
            self._wake.clear()
            try:
                job = self._claim(kind)
                if job is None:
                    self._wake.wait(_POLL_SECONDS)
                else:
                    self._execute(job)
            except sqlite3.Error:
                # The disk may be full for a while; the jobs are still there afterwards.
                log.exception("the state of the jobs cannot be read or written")
                self._ending.wait(_POLL_SECONDS)

    def _claim(self, kind: str) -> Job | None:
        """Start the oldest queued job whose index has no running job of the same kind."""
        # One lane at a time: otherwise two could find the same index free.
        with self._claim_lock, _connect(self._folder) as rows:
            row = rows.execute(_NEXT_JOB, {"kind": kind}).fetchone()
            if row is None:
                return None
            job = _job(row)
            taken = rows.execute(
                "UPDATE job SET state = 'running', begun = begun + 1, updated = ? WHERE id = ? AND state = 'waiting'",
                (_now(), job.id),
            )
            # It may have been stopped in the meantime.
            return job if taken.rowcount else None

    def _execute(self, job: Job) -> None:
        place = self._job_folder(job.id)
        try:
            self._finish(job.id, "done", "done", self._work(job, place))
        except Stopped:
            if self._asked_to_stop(job.id):
                self._finish(job.id, "stopped", "stopped; nothing was changed")
            else:
                # Keep the folder; a regular shutdown does not count as a failed attempt.
                self._run(
                    "UPDATE job SET state = 'waiting', begun = begun - 1, updated = ?,"
                    " message = 'waiting for the server to start again' WHERE id = ?", (_now(), job.id),
                )  # fmt: skip
                return
        except Exception as error:  # noqa: BLE001  # the job fails, the server goes on
            problem = problem_of(error)
            # Below 500 the file or the request is at fault, and the job's message tells its sender.
            if problem.status_code >= 500:
                log.exception("job %s failed", job.id)
            self._finish(job.id, "failed", body_of(problem)["error"]["message"])
        shutil.rmtree(place, ignore_errors=True)

    def _work(self, job: Job, place: Path) -> Mapping[str, Any]:
        """Run the work of a job; progress is reported far more often than it is stored."""
        last: tuple[str, int, int | None] = ("", 0, None)
        written = 0.0

        def progress(stage: str, done: int, total: int | None) -> None:
            nonlocal last
            last = (stage, done, total)
            if time.monotonic() - written > _PROGRESS_SECONDS:
                # Only as often as progress is stored, because this queries the database too.
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
        """Run one statement in its own transaction and return its rows."""
        with _connect(self._folder) as rows:
            return rows.execute(statement, values).fetchall()


def _job(row: tuple[Any, ...]) -> Job:
    id, kind, index, state, done, total, message, result, created, updated = row
    return Job(id, kind, index, state, done, total, message, json.loads(result) if result else None, created, updated)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
