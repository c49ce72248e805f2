"""Reading files in a process of its own, which is ended when it takes too much time or memory, or on request.

Parsers of PDF and DOCX can be made to work for hours or to fill the memory by files of a few kilobytes, and Python
cannot interrupt them. Another process can be ended at any moment. One process serves many files, since starting it
takes a fifth of a second; when it had to be ended, the next file gets a new one.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from multihop.errors import InvalidRecord, MissingExtra, cause
from multihop.index.readers import ocr
from multihop.index.readers.decoding import source_of
from multihop.index.readers.limits import ReadLimits
from multihop.index.readers.options import ReadOptions, freeze
from multihop.types import Document

_LOOK = 0.25
"""Seconds between two calls of `check` while the process is waited for."""
_AHEAD = 16
"""Records that are read ahead of what the caller has taken."""
_OPTIONS = ("text_field", "title_field", "id_field", "encoding")
_CHILD = "multihop.index.readers.child"


class ReadingProcess:
    """Reads files one after another, each within the limits; `check` is called while waiting and may raise."""

    def __init__(self, limits: ReadLimits | None = None, check: Callable[[], None] = lambda: None) -> None:
        self._limits = limits or ReadLimits()
        self._check = check
        self._running: _Running | None = None

    def __enter__(self) -> ReadingProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._running is not None:
            self._running.end()
            self._running = None

    def read(
        self, path: Path, format: str, name: str | None = None, options: ReadOptions | None = None
    ) -> Iterator[Document | InvalidRecord]:
        """Yield the documents of a file and its problems; one that breaks the limits ends with a problem.

        The file is known by its `name`, by default that of the file alone. Of the options, fields and encoding count.
        """
        source = source_of(path)
        try:
            yield from self._records(path, format, name, options or ReadOptions())
        except _Ended as ended:
            self.close()
            yield InvalidRecord(str(ended), source=source)
        except BaseException:
            # What is left of this file must not be taken for the beginning of the next.
            self.close()
            raise

    def _records(
        self, path: Path, format: str, name: str | None, options: ReadOptions
    ) -> Iterator[Document | InvalidRecord]:
        source = source_of(path)
        self._running = self._running or _Running()
        limits = self._limits
        # Recognizing a page takes a second or more, and its models take room.
        recognizes = format == "pdf" and ocr.available()
        left = limits.time_for(_size(path)) + recognizes * limits.ocr_seconds
        self._running.ask({
            "path": str(path.absolute()), "name": name, "format": format,
            "options": {field: getattr(options, field) for field in _OPTIONS},
            "memory": limits.memory + recognizes * limits.ocr_memory, "seconds": left,
            "characters": limits.characters, "problems": limits.problems,
        })  # fmt: skip
        while True:
            started = time.monotonic()
            answer = self._answer(started + left, left)
            left -= time.monotonic() - started
            match answer:
                case {"document": [id, text, title, metadata, aliases]}:
                    yield Document(id, text, title, freeze(metadata), tuple(aliases))
                case {"problem": problem, "line": line}:
                    yield InvalidRecord(problem, source=source, line=line)
                case {"missing": [what, extra]}:
                    raise MissingExtra(what, extra)
                case _:
                    return

    def _answer(self, until: float, left: float) -> dict[str, Any]:
        running = self._running
        while running is not None:
            self._check()
            if time.monotonic() > until:
                raise _Ended(f"took more time to read than is allowed for a file of its size ({left:.0f} s were left)")
            try:
                line = running.lines.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if line is None:
                raise _Ended(f"crashed the process that reads files ({running.status()}); the file may be damaged")
            answer: dict[str, Any] = json.loads(line)
            return answer
        raise _Ended("was not read: the process was closed")


class _Ended(Exception):
    """The process is gone, or has to go; the message says why, as a problem of the file."""


class _Running:
    """One process, and the thread that takes what it writes: a pipe cannot be waited for on every system."""

    def __init__(self) -> None:
        environment = {
            **os.environ,
            # The other process finds the package where this one did, also in a checkout or a notebook.
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "PYTHONIOENCODING": "utf-8",
        }
        self._process = subprocess.Popen(  # noqa: S603  # our own module, run by our own interpreter
            [sys.executable, "-P", "-m", _CHILD], env=environment, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.lines: queue.Queue[str | None] = queue.Queue(_AHEAD)
        self._taker = threading.Thread(target=self._take, name="reading", daemon=True)
        self._taker.start()
        # Not to be closed by the interpreter's last collection where nobody did: its thread stands still by then.
        atexit.register(self.end)

    def _take(self) -> None:
        if self._process.stdout is not None:
            for line in self._process.stdout:
                self.lines.put(line)
        self.lines.put(None)

    def ask(self, request: dict[str, Any]) -> None:
        if self._process.stdin is not None:
            try:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
            except OSError as error:
                raise _Ended(f"could not be sent to the process that reads files: {cause(error)}") from error

    def status(self) -> str:
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit status {code}"

    def end(self) -> None:
        atexit.unregister(self.end)
        self._process.kill()
        while self._taker.is_alive():  # it may wait for room
            with suppress(queue.Empty):
                self.lines.get(timeout=0.01)
        self._taker.join()
        for pipe in filter(None, (self._process.stdin, self._process.stdout)):
            with suppress(OSError):  # what was not taken any more cannot be delivered
                pipe.close()
        self._process.wait()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
