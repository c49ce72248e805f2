"""The settings of a server: the indexes it serves, who may ask, and how much at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from multihop.protocols import LanguageModel
from multihop.types import LONGEST_QUESTION, MOST_PASSAGES

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request, and all of them together, may cost. Counts of questions are per process."""

    body: int = 8 * MIB
    """Bytes of a JSON body."""
    upload: int = 256 * MIB
    """Bytes of an uploaded file with its envelope."""
    arrival: float = 60.0
    """Seconds for a JSON body to arrive, and between two parts of a file."""
    headers: float = 10.0
    """Seconds for the headers of a request to arrive, counted from the connection or from their first byte."""
    keep_alive: float = 15.0
    """Seconds that a connection may be idle between two requests."""
    stalled: float = 60.0
    """Seconds that a client may take nothing of an answer that waits for it."""
    connections: int = 256
    """Connections of one address; of IPv6 one network of 64 bits counts as an address."""
    question: int = LONGEST_QUESTION
    """Characters of a question."""
    k: int = MOST_PASSAGES
    """Passages of one answer."""
    batch: int = 100
    """Questions of one batch."""
    seconds: float = 30.0
    """Time for a question, counted from its arrival."""
    concurrent: int = 4
    """Questions worked on at once: few, because Python runs one thread at a time."""
    queue: int = 64
    """Questions that may wait for their turn; one more is turned away."""
    at_once: int = 100
    """Documents that are added while the client waits; more become a job."""
    write_wait: float = 10.0
    """Seconds that a small write waits for another one."""


@dataclass(frozen=True, slots=True)
class Location:
    """An index by the name it is served under, and where it is."""

    name: str
    place: str = field(repr=False)
    """A folder, or an address that may hold a password."""
    embedder: str | None = None


class LmSettings(Protocol):
    """How each process opens the language model; the key of its provider comes from the environment."""

    def open(self) -> LanguageModel: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a process of the server needs to know; it can be sent to another process."""

    indexes: tuple[Location, ...]
    state: Path
    """The folder for jobs and uploaded files."""
    tokens: Path | None = None
    """The file of tokens; without one everybody may do everything."""
    hosts: tuple[str, ...] = ()
    """The names under which this server may be addressed; empty for any."""
    origins: tuple[str, ...] = ()
    """Web pages elsewhere that may call this server."""
    reports: Path | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Folders, by name, that an index may be synced with."""
    read_only: bool = False
    spans: bool = False
    lm: LmSettings | None = None
    """The language model that helps with questions; without one they are answered by rule."""
    limits: Limits = field(default_factory=Limits)
