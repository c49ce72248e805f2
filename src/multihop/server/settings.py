"""The settings of a server: indexes, access, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from multihop.protocols import LanguageModel
from multihop.types import LONGEST_QUESTION, MOST_PASSAGES

MIB = 2**20
LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits per request and overall. Question counts are per process."""

    body: int = 8 * MIB
    """Bytes of a JSON body."""
    upload: int = 256 * MIB
    """Bytes of an upload, including the multipart envelope."""
    arrival: float = 60.0
    """Seconds for a JSON body to arrive, or between two chunks of an upload."""
    headers: float = 10.0
    """Seconds for request headers to arrive, from the connection or from their first byte."""
    keep_alive: float = 15.0
    """Seconds that a connection may be idle between two requests."""
    stalled: float = 60.0
    """Seconds that a client may stop reading a response."""
    connections: int = 256
    """Connections per client address; an IPv6 /64 network counts as one address."""
    question: int = LONGEST_QUESTION
    """Characters of a question."""
    k: int = MOST_PASSAGES
    """Passages per answer."""
    batch: int = 100
    """Questions per batch."""
    seconds: float = 30.0
    """Time limit of a question in seconds, from its arrival."""
    concurrent: int = 4
    """Concurrent questions: few, because Python runs one thread at a time."""
    queue: int = 64
    """Questions that may queue; further ones are refused."""
    token_questions: int = 16
    """Questions that one token may have running or queued."""
    token_seconds: float = 45.0
    """Seconds of processor time that the questions of one token may take per minute."""
    at_once: int = 100
    """Maximum documents added synchronously; more become a job."""
    write_wait: float = 10.0
    """Seconds that a small write waits for another one."""


@dataclass(frozen=True, slots=True)
class Location:
    """An index: the name it is served under, and its location."""

    name: str
    place: str = field(repr=False)
    """A folder, or a URL that may contain a password."""
    embedder: str | None = None


@dataclass(frozen=True, slots=True)
class Oidc:
    """An OpenID Connect provider whose users may read."""

    issuer: str
    audience: str
    """Whom tokens must be for: the client id of the application."""
    user_claim: str = "sub"
    """The claim that names the user in `allow` lists."""
    groups_claim: str = "groups"
    secret: str = field(default="", repr=False)
    """The secret of the client, with which the server redeems a sign-in on the page; empty for a public client."""


class LmSettings(Protocol):
    """Opens the language model in each process; the API key comes from the environment."""

    def open(self) -> LanguageModel: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a server process; can be sent to another process."""

    indexes: tuple[Location, ...]
    state: Path
    """The folder for jobs and uploaded files."""
    tokens: Path | None = None
    """The token file; without one, and without a provider, the server is open to everybody."""
    oidc: Oidc | None = None
    """The provider whose signed tokens are accepted; requests then see what that user may see."""
    user_header: str = ""
    """The header by which a trusted proxy names the user; requests then see what that user may see."""
    groups_header: str = ""
    """The header by which it lists the groups of the user, separated by commas."""
    proxies: tuple[str, ...] = LOOPBACK
    """Addresses whose headers are believed."""
    hosts: tuple[str, ...] = ()
    """Accepted host names; empty for any."""
    origins: tuple[str, ...] = ()
    """Origins of other web pages that may call this server (CORS)."""
    reports: Path | None = None
    folders: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    """For each index, the folders by name that it may be synced with."""
    together: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Indexes that are also served as one, by the name of the whole."""
    read_only: bool = False
    feedback: bool = False
    """Whether ratings of passages are stored, in the state folder."""
    spans: bool = False
    lm: LmSettings | None = None
    """The language model; without one, rules are used."""
    limits: ServerLimits = field(default_factory=ServerLimits)

    @property
    def needs_token(self) -> bool:
        """True where requests must have a token; otherwise the server is open to everybody."""
        return self.tokens is not None or self.oidc is not None
