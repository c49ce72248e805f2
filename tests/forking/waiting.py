"""A process that waits, with modules imported, and forks for every program it is asked to start.

`python -W error waiting.py SOCKET`: a request has its length, as a header that carries four descriptors (the streams of
the program, and one on which its number and, when it has ended, its status are written), and is an object of JSON.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

LENGTH = 4
"""Bytes of the header."""


def main(control: socket.socket) -> None:
    while (received := socket.recv_fds(control, LENGTH, 4))[0]:
        header, descriptors, *_ = received
        with control.makefile("rb", buffering=0) as stream:
            request = json.loads(_exactly(stream, int.from_bytes(header, "big")))
        for module in request["imports"]:
            import_module(module)
        assert threading.active_count() == 1, "a fork has none of the other threads"
        gc.freeze()  # a collection would write into all memory that is shared
        if not os.fork():
            control.close()
            become(request, descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        _forget_ended()
    _forget_ended()


def _forget_ended() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _exactly(stream: Any, length: int) -> bytes:
    read = b""
    while len(read) < length:
        read += stream.read(length - len(read))
    return read


def become(request: dict[str, Any], descriptors: list[int]) -> None:
    """Fork once more: this process waits for the other, which runs the program."""
    *streams, status = descriptors
    if child := os.fork():
        os.write(status, f"{child}\n".encode())
        for stream in streams:
            os.close(stream)
        os.write(status, f"{os.waitpid(child, 0)[1]}\n".encode())
        os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for descriptor in descriptors:
        os.close(descriptor)
    # Python asks its streams once whether they are files.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None
    # The interpreter comes first; warnings are errors here in any case.
    program = request["arguments"][1:]
    if program[:2] == ["-W", "error"]:
        program = program[2:]
    if program[0] == "-m":
        sys.argv = program[1:]
        sys.path[0] = request["folder"]
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    elif program[0] == "-c":
        sys.argv = ["-c", *program[2:]]
        exec(program[1], {"__name__": "__main__"})
    else:
        sys.argv = program
        sys.path[0] = str(Path(program[0]).parent)
        runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as control:
        main(control)
