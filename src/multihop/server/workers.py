"""Supervises the worker processes of a server: starts, restarts and stops them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from prometheus_client.multiprocess import mark_process_dead

from multihop.errors import MultihopError
from multihop.server.metrics import MULTIPROCESS_DIR
from multihop.server.problems import log

Serve = Callable[[socket.socket], None]

_POLL_SECONDS = 0.5
_MIN_UPTIME = 5.0
"""A process that ends within this many seconds after its start is not restarted."""


def supervise(serve: Serve, listeners: Sequence[socket.socket], state: Path) -> None:
    """Run `serve` in one process per listener until a signal arrives."""
    ending = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ending.set())
    _share_metrics(state)
    workers = [_Worker(serve, listener) for listener in listeners]
    try:
        while not ending.is_set():
            # With a timeout, because Python resumes the wait after a signal handler.
            wait([worker.process.sentinel for worker in workers], _POLL_SECONDS)
            # During shutdown all processes end, and none is restarted.
            workers = [w if w.process.is_alive() or ending.is_set() else w.restart() for w in workers]
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()


class _Worker:
    """A process and its listening socket, where connections wait during a restart."""

    def __init__(self, serve: Serve, listener: socket.socket) -> None:
        self._serve = serve
        self._listener = listener
        self._started = time.monotonic()
        self.process: SpawnProcess = multiprocessing.get_context("spawn").Process(
            target=_work, args=(serve, listener), daemon=True
        )
        self.process.start()

    def restart(self) -> _Worker:
        """Start a replacement process."""
        # Drop the live gauges of the dead process.
        mark_process_dead(self.process.pid)  # type: ignore[no-untyped-call]  # it has no types
        if time.monotonic() - self._started < _MIN_UPTIME:
            raise MultihopError("a worker process exited right after its start; see its message above")
        log.warning("worker process %s exited with %s; restarting it", self.process.pid, self.process.exitcode)
        return _Worker(self._serve, self._listener)


def _work(serve: Serve, listener: socket.socket) -> None:
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    serve(listener)


def _exit_with_parent() -> None:
    """Shut down when the supervising process is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def _share_metrics(state: Path) -> None:
    """Set up the shared metrics folder for worker processes, starting at zero."""
    folder = state / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    os.environ[MULTIPROCESS_DIR] = str(folder)
