"""A server for the page: real, in a thread of its own, whose streams can be held back hop by hop."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import uvicorn
from anyio import to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from multihop import Document, Engine
from multihop.server.app import application
from multihop.server.launch import listening_socket
from multihop.server.settings import Location, Settings
from multihop.testing import sample_documents


class Held:
    """Holds back the events of a stream after its first hop, or from a given event on, while it is told to."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._open = threading.Event()
        self._open.set()
        self._event = b""

    def hold(self, event: str = "") -> None:
        self._event = f"event: {event}\n".encode() if event else b""
        self._open.clear()

    def let_go(self) -> None:
        self._open.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/stream"):
            await self.app(scope, receive, send)
            return
        sent = 0
        if self._event:
            # Uncompressed, so that the names of events can be read.
            scope = {**scope, "headers": [each for each in scope["headers"] if each[0] != b"accept-encoding"]}

        async def slowly(message: Message) -> None:
            nonlocal sent
            # The first hop is told by two events: the chain so far, and the hop.
            held = self._event in message.get("body", b"") if self._event else sent >= 2
            if message["type"] == "http.response.body" and held:
                await to_thread.run_sync(self._open.wait)
            sent += message["type"] == "http.response.body"
            await send(message)

        await self.app(scope, receive, slowly)


class Site:
    """A running server and where it is."""

    def __init__(self, settings: Settings) -> None:
        self.held = Held(application(settings))
        listener = listening_socket("127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        self._server = uvicorn.Server(uvicorn.Config(self.held, log_level="error", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            self._thread.join(0.01)

    def stop(self) -> None:
        self.held.let_go()
        self._server.should_exit = True
        self._thread.join()


def sample_site(folder: Path, *, hostile: bool = False, **changes: object) -> Site:
    """Serve the sample documents, and with `hostile` an index of documents that try to become markup."""
    places = [Location("sample", str(folder / "sample.mh"))]
    with Engine.open(folder / "sample.mh", create=True) as engine:
        engine.add(sample_documents())
    if hostile:
        with Engine.open(folder / "hostile.mh", create=True) as engine:
            engine.add(hostile_documents())
        places.append(Location("hostile", str(folder / "hostile.mh")))
    settings = Settings(tuple(places), folder / "state")
    return Site(replace(settings, **changes))  # type: ignore[arg-type]  # the fields of the settings, by name


EVIL = "<img src=x onerror=window.evil=1><script>window.evil=1</script>"


def hostile_documents() -> list[Document]:
    """Documents whose every text would do harm if it were taken for markup; they name each other."""
    bridge = f"The Gjallarbrú is a bridge. {EVIL} It leads to Helheim. </p><a href='javascript:window.evil=1'>x</a>"
    land = f"Helheim is where the Gjallarbrú ends. {EVIL}"
    return [
        Document("evil-1", bridge, f"Gjallarbrú {EVIL}", {"kind": EVIL, EVIL: "field"}, ("Gjallarbrú",)),
        Document('"><svg onload=window.evil=1>', land, "Helheim", {"kind": "place"}),
    ]
