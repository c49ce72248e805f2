"""Starting and ending the processes of a server."""

from __future__ import annotations

from functools import partial

import uvicorn
from uvicorn.supervisors import Multiprocess

from multihop.server.app import application
from multihop.server.settings import Settings

_GRACE = 5


def run(settings: Settings, host: str, port: int, *, workers: int = 1) -> None:
    """Serve until a signal ends it; questions under way are answered first."""
    config = uvicorn.Config(
        partial(application, settings), factory=True, host=host, port=port, workers=workers, log_level="warning",
        access_log=False, server_header=False, timeout_graceful_shutdown=int(settings.limits.seconds) + _GRACE,
    )  # fmt: skip
    if workers == 1:
        uvicorn.Server(config).run()
    else:
        Multiprocess(config, [config.bind_socket()]).run()
