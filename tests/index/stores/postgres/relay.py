"""Stands between a client and a server, and cuts a connection off when the client says a certain word."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType


class Relay:
    """A socket in `folder` that leads to that of a server."""

    def __init__(self, folder: Path, server: Path) -> None:
        self._server = str(server)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._word: bytes | None = None
        self._forwarded = self._closed = False
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._answered = threading.Event()
        self.cuts = 0

    def cut(self, word: bytes, *, forwarded: bool, again: bool = False) -> None:
        """Cut the next connection on which a client says `word`, the word sent on or not; `again`: all others, too."""
        self._word, self._forwarded, self._closed = word, forwarded, again

    def __enter__(self) -> Relay:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end([*self._sockets, self._listener])
        for each in (self._listener, *self._sockets):
            each.close()
        for thread in self._threads:
            thread.join()

    @staticmethod
    def _end(sockets: Iterable[socket.socket]) -> None:
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._closed and self.cuts:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._sockets += [client, server]
            for source, target, watched in ((client, server, True), (server, client, False)):
                thread = threading.Thread(target=self._pass_on, args=(source, target, watched))
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, source: socket.socket, target: socket.socket, watched: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if watched and self._word and self._word in data:
                    self._word = None
                    self.cuts += 1
                    if self._closed:
                        # Before the client learns of it: it may ask what became of its word on any other.
                        self._end(each for each in [*self._sockets] if each not in (source, target))
                    self._end([source])
                    if self._forwarded:
                        target.sendall(data)
                        self._answered.wait()
                    break
                if not watched and self.cuts:
                    self._answered.set()  # the server has done what it was told
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
