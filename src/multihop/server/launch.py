"""Server startup, with checks of the settings, and graceful shutdown."""

from __future__ import annotations

import logging
import math
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial

import uvicorn

from multihop.errors import InvalidInput, cause
from multihop.models import load_for_questions
from multihop.server import tokens
from multihop.server.app import application
from multihop.server.connections import limited_protocol
from multihop.server.indexes import Indexes
from multihop.server.jobs import prepare
from multihop.server.service import provider_of
from multihop.server.settings import Settings
from multihop.server.spans import Spans
from multihop.server.workers import supervise

_GRACE = 5
_BACKLOG = 2048


def check_settings(settings: Settings) -> None:
    """Raise errors the user can fix (a missing index, a broken token file) before any process starts."""
    if settings.lm:
        settings.lm.open()
    Indexes(settings.indexes, together=settings.together).close()
    prepare(settings.state)
    if settings.tokens:
        tokens.load(settings.tokens)
    if provider := provider_of(settings):
        provider.check()
    if settings.reports and not settings.reports.is_dir():
        raise InvalidInput(f"the folder of reports {str(settings.reports)!r} does not exist")
    if settings.spans:
        Spans()


def run(
    settings: Settings, host: str, port: int, *, workers: int = 1, on_ready: Callable[[int], None] = lambda _: None
) -> None:
    """Serve until a signal arrives; running work is finished or requeued. `on_ready` gets the port."""
    check_settings(settings)
    listeners = _listeners(host, port, workers)
    try:
        on_ready(listeners[0].getsockname()[1])
        if workers == 1:
            serve(settings, listeners[0])
        else:
            supervise(partial(serve, settings), [listeners[n % len(listeners)] for n in range(workers)], settings.state)
    finally:
        for listener in listeners:
            listener.close()


def serve(settings: Settings, listener: socket.socket) -> None:
    """Run the server, or one worker process of it, until a signal arrives."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z")
    server = uvicorn.Server(uvicorn_config(settings))

    def end(*_: object) -> None:
        server.should_exit = True

    for each in (signal.SIGINT, signal.SIGTERM):
        # A signal may arrive before uvicorn handles signals; and uvicorn re-raises it after shutdown, where it must not
        # interrupt the cleanup.
        signal.signal(each, end)
    threading.Thread(target=load_for_questions).start()
    server.run([listener])


def uvicorn_config(settings: Settings) -> uvicorn.Config:
    """Return the uvicorn configuration for the application."""
    return uvicorn.Config(
        # A factory, because settings can be sent to another process and an application cannot. `serve` configures the
        # log, and requests are counted by the middleware instead of being logged.
        partial(application, settings), factory=True, http=limited_protocol(settings.limits), ws="none",
        log_config=None, log_level="warning", access_log=False, server_header=False,
        timeout_keep_alive=math.ceil(settings.limits.keep_alive),
        # A question that has just arrived may use its full time limit, and its answer must still be sent.
        timeout_graceful_shutdown=int(settings.limits.seconds) + _GRACE,
    )  # fmt: skip


def _listeners(host: str, port: int, workers: int) -> list[socket.socket]:
    """Open the listening sockets: one per process if the system supports SO_REUSEPORT, else one.

    With a shared socket, most connections would go to whichever process is idle at the moment.
    """
    reuse_port = workers > 1 and hasattr(socket, "SO_REUSEPORT")
    first = listening_socket(host, port, reuse_port=reuse_port)
    others = workers - 1 if reuse_port else 0
    chosen = first.getsockname()[1]
    return [first, *(listening_socket(host, chosen, reuse_port=reuse_port) for _ in range(others))]


def listening_socket(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """Open a socket that listens; port 0 picks any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG, reuse_port=reuse_port)
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"cannot listen on {host}:{port}: {cause(error)}; give another --port or --host") from error
    # Inherited by connections; without it the second packet of a response waits for the ACK of the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
