"""Starts programs from a process that has imported the package already: importing it takes most of their time.

They are processes of their own, with their own arguments, environment, folder and streams, and end as others do. Tests
of the start itself begin with a new interpreter instead, as do one or more of every command.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

import multihop

from ..disturbance import python_path
from . import waiting

PIPE = subprocess.PIPE


class _End(NamedTuple):
    """One stream of a program: what it gets, and what its starter keeps of a pipe."""

    theirs: int
    ours: IO[str] | None

    @classmethod
    def of(cls, given: int | None, number: int) -> _End:
        if given != PIPE:
            return cls(number if given is None else given, None)
        reading, writing = os.pipe()
        if number == 0:
            return cls(reading, os.fdopen(writing, "w", encoding="utf-8", buffering=1))
        return cls(writing, os.fdopen(reading, encoding="utf-8"))


class Started:
    """A program that runs; used like `subprocess.Popen` with texts."""

    def __init__(
        self,
        arguments: Sequence[str],
        env: dict[str, str],
        *,
        imports: Sequence[str] = ("multihop.engine",),
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        """Start it; `imports` are modules that it is going to import, and finds imported."""
        self.arguments = arguments
        streams = [_End.of(given, number) for number, given in enumerate((stdin, stdout, stderr))]
        self.stdin, self.stdout, self.stderr = (end.ours for end in streams)
        reading, writing = os.pipe()
        request = {"arguments": arguments, "environment": env, "folder": str(Path.cwd()), "imports": imports}
        message = json.dumps(request).encode()
        with _ASKING:
            waiting_process = _waiting()
            head = len(message).to_bytes(waiting.LENGTH, "big")
            socket.send_fds(waiting_process, [head], [*(end.theirs for end in streams), writing])
            waiting_process.sendall(message)
        for unused in (writing, *(end.theirs for end in streams if end.ours)):
            os.close(unused)
        self._status = os.fdopen(reading)
        self.pid = int(self._status.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Give the exit status of a program that has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends, and give its exit status."""
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.arguments, timeout or 0)
        return status

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], seconds)[0]:
            self.returncode = os.waitstatus_to_exitcode(int(self._status.readline()))
            self._status.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(9)

    def communicate(self, given: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Give it something to read, and return all that it has not said yet, when it has ended."""
        if self.stdin:
            self.stdin.write(given or "")
            self.stdin.close()
        said = {}
        taking = [threading.Thread(target=lambda f=f: said.update({f: f.read()})) for f in self._outputs()]
        for thread in taking:
            thread.start()
        for thread in taking:
            thread.join()
        self.wait(timeout)
        self._close()
        return tuple(said.get(f, "") if f else "" for f in (self.stdout, self.stderr))  # type: ignore[return-value]  # two

    def _outputs(self) -> list[IO[str]]:
        return [f for f in (self.stdout, self.stderr) if f and not f.closed]

    def _close(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream and not stream.closed:
                stream.close()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for its end, as subprocess does."""
        if self.stdin and not self.stdin.closed:
            self.stdin.close()
        self.wait()
        self._close()


def run(
    arguments: Sequence[str],
    env: dict[str, str],
    *,
    input: str = "",
    imports: Sequence[str] = ("multihop.engine",),
    stderr: int | None = PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and give what it said."""
    started = Started(arguments, env, imports=imports, stdin=PIPE, stdout=PIPE, stderr=stderr)
    said = started.communicate(input)
    return subprocess.CompletedProcess(arguments, started.wait(), *said)


_ASKING = threading.Lock()


@cache
def _waiting() -> socket.socket:
    """Start the process that starts others, and give the connection to it; it ends with this one."""
    ours, theirs = socket.socketpair()
    environment = {**os.environ, "PYTHONPATH": python_path(Path(multihop.__file__).parents[1])}
    started = subprocess.Popen(
        [sys.executable, "-W", "error", waiting.__file__, str(theirs.fileno())],
        env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    theirs.close()

    def end() -> None:
        ours.close()
        started.wait()

    atexit.register(end)
    return ours
