"""Starting and ending the processes of a server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable
from functools import partial

import uvicorn
from uvicorn.supervisors import Multiprocess

from multihop.errors import InvalidInput
from multihop.server import tokens
from multihop.server.app import application
from multihop.server.indexes import Indexes
from multihop.server.metrics import SHARED
from multihop.server.settings import Settings
from multihop.server.spans import Spans

_GRACE = 5
_BACKLOG = 2048


def check(settings: Settings) -> None:
    """Raise what the user can mend (a missing index, a broken token file) before a process of the server would."""
    Indexes(settings.indexes).close()
    if settings.tokens:
        tokens.load(settings.tokens)
    if settings.reports and not settings.reports.is_dir():
        raise InvalidInput(f"there is no folder {str(settings.reports)!r} to show reports from")
    if settings.spans:
        Spans()


def run(
    settings: Settings, host: str, port: int, *, workers: int = 1, told: Callable[[int], None] = lambda _: None
) -> None:
    """Serve until a signal ends it; what is under way is finished or put back first. `told` hears of the port."""
    check(settings)
    config = uvicorn.Config(
        partial(application, settings), factory=True, workers=workers, log_level="warning", access_log=False,
        server_header=False, timeout_graceful_shutdown=int(settings.limits.seconds) + _GRACE,
    )  # fmt: skip
    with _listening(host, port) as listener:
        told(listener.getsockname()[1])
        if workers == 1:
            _ended_by_signals()
            uvicorn.Server(config).run([listener])
        else:
            _count_together(settings)
            Multiprocess(config, [listener]).run()


def _ended_by_signals() -> None:
    """Let a signal that ends the server do no more: it is raised again when all is closed, and would kill us there."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"cannot listen on {host}:{port}: {reason}; give another --port or --host") from error
    listener.set_inheritable(True)
    return listener


def _count_together(settings: Settings) -> None:
    """Let the processes to come share their metrics, which begin at zero."""
    folder = settings.state / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[SHARED] = str(folder)
