"""One HTTP endpoint that takes and gives JSON: asks again where that may help, and says plainly what went wrong."""

from __future__ import annotations

import email.utils
import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from multihop.errors import InvalidInput, MultihopError
from multihop.rendering.phrases import shorten

LONGEST_WAIT = 60.0
"""Seconds between two attempts; an endpoint that asks for more patience than this has failed."""

LARGEST_ANSWER = 64 * 2**20
"""Bytes of an answer; an endpoint that sends more has failed."""
WHOLE_ANSWER = 10
"""An answer that has begun may take this many times the timeout in all."""
_CHUNK = 2**16


class _PassingError(Exception):
    """A failure that another attempt may mend, and how long the endpoint asked to wait for it."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post, with which key, and with how much patience; whatever goes wrong raises a `failure`."""

    url: str
    failure: type[MultihopError]
    address: str
    """What the address is called by whoever configures it, such as "base_url"."""
    hint: str
    """What to check where nothing is found at the address."""
    api_key: str | None = field(default=None, repr=False)
    key_from: str = ""
    """Where else the API key is taken from; empty where it is passed as `api_key` only."""
    timeout: float = 30.0
    retries: int = 3
    backoff: float = 0.5

    def post(self, payload: object) -> object:
        """Post JSON and read the JSON answer; wait and ask again on 408, 429, 5xx, time-outs and lost connections."""
        body = json.dumps(payload).encode()
        attempts = 0
        while True:
            try:
                return self._parse(self._send(body))
            except _PassingError as failure:
                wait = min(self.backoff * 2**attempts, LONGEST_WAIT) if failure.wait is None else failure.wait
                attempts += 1
                if attempts > self.retries or wait > LONGEST_WAIT:
                    # From what the library raised: our own exception in between would tell a reader nothing.
                    raise self.failure(_final(failure, attempts)) from failure.__cause__
            time.sleep(wait)

    def _send(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        request = urllib.request.Request(self.url, body, headers, method="POST")  # noqa: S310  (checked to be http)
        try:
            with _opener().open(request, timeout=self.timeout) as response:
                return self._read(response)
        except urllib.error.HTTPError as error:
            # It is an open response, too; left to the garbage collector, its socket would be closed with a warning.
            with error:
                raise self._refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise self._no_answer(reason) from error

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Read an answer to its end, but not without end: the time-out of a socket begins anew with every byte."""
        last = time.monotonic() + WHOLE_ANSWER * self.timeout
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST_ANSWER:
                raise self.failure(f"{self.url} answered with more than {LARGEST_ANSWER:,} bytes.")
            if time.monotonic() > last:
                raise _PassingError(f"{self.url} did not finish its answer within {WHOLE_ANSWER * self.timeout:g} s")
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return b"".join(parts)

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """Explain a response that reports an error."""
        problem = f"{self.url} answered {error.code}{self._detail(error)}"
        if error.code in (408, 429) or error.code >= 500:
            return _PassingError(problem, _retry_after(error.headers.get("Retry-After", "")))
        return self.failure(problem + self._advice(error))

    def _advice(self, error: urllib.error.HTTPError) -> str:
        if error.code in (401, 403):
            given = "The API key was refused." if self.api_key else "No API key was given."
            return f" {given} Pass api_key{self.key_from}."
        if error.code == 404:
            return f" {self.hint}"
        if 300 <= error.code < 400:
            return f" It redirects to {error.headers.get('Location')}, which is not followed: change {self.address}."
        return ""

    def _no_answer(self, reason: object) -> Exception:
        """Explain why there was no answer at all."""
        # Where nobody listens, or nobody knows the host, another attempt would only delay the message.
        if isinstance(reason, ConnectionRefusedError):
            return self.failure(
                f"Nothing answers at {self.url} (connection refused). Is the server running, and {self.address} right?"
            )
        if isinstance(reason, socket.gaierror):
            return self.failure(f"The host of {self.url} is unknown ({reason.strerror}). Is {self.address} right?")
        if isinstance(reason, TimeoutError):
            return _PassingError(f"{self.url} did not answer within {self.timeout:g} s")
        if isinstance(reason, (ConnectionError, http.client.HTTPException)):
            return _PassingError(f"{self.url} closed the connection unexpectedly")
        return self.failure(f"{self.url} cannot be reached: {reason}")

    def _detail(self, error: urllib.error.HTTPError) -> str:
        try:
            body = error.read(4000).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            # The status is known and says enough; that its explanation broke off is not what the user has to mend.
            return "."
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = body
        return f": {self.shorten(message)}." if (message := _message(answer)) else "."

    def _parse(self, body: bytes) -> object:
        try:
            return json.loads(body)
        # Brackets within brackets, by the thousand, are no answer either.
        except (ValueError, RecursionError) as error:
            start = self.shorten(body[:200].decode("utf-8", "replace"))
            raise self.failure(f"{self.url} did not return JSON but: {start}") from error

    def shorten(self, text: object, width: int = 200) -> str:
        """Shorten what the endpoint said to one line without the API key, for an error message."""
        line = " ".join(str(text).split())
        if self.api_key:
            line = line.replace(self.api_key, "***")
        return shorten(line, width)


def check_address(url: str, name: str, expected: str) -> None:
    """Raise unless this is the address of an endpoint, without secrets or a query; `name` is what it is called."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (reading it checks it)
    except ValueError as error:
        raise InvalidInput(f"{name} is not an address ({error}); {expected}") from error
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(f"{name} contains a user name or password; pass a secret as api_key.")
    if not re.fullmatch("https?://[!-~]+", url) or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput(f"{name} is {url!r}; {expected}")


def check_key(api_key: str | None) -> None:
    """Raise for a key that no header can hold; the HTTP library would put it into its error message."""
    if api_key is not None and not re.fullmatch("[!-~]+", api_key):
        raise InvalidInput("The API key is empty, or contains a space or a non-ASCII character.")


def _opener() -> urllib.request.OpenerDirector:
    """Open http and https, and follow no redirect: that would hand the API key to whoever it points at."""
    opener = urllib.request.OpenerDirector()
    opener.add_handler(urllib.request.ProxyHandler())
    opener.add_handler(urllib.request.HTTPHandler())
    opener.add_handler(urllib.request.HTTPSHandler())
    opener.add_handler(urllib.request.HTTPErrorProcessor())
    opener.add_handler(urllib.request.HTTPDefaultErrorHandler())
    return opener


def _message(answer: object) -> object:
    """Find what the endpoint says went wrong: {"error": {"message": …}}, one of its many variants, or all of it."""
    for key in ("error", "message", "detail"):
        if isinstance(answer, dict) and key in answer:
            answer = answer[key]
    return answer.rstrip(". \n") if isinstance(answer, str) else answer


def _retry_after(value: str) -> float | None:
    # RFC 9110 allows whole seconds or a date; fractions are taken as well.
    if re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        return float(value)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    # The zone -0000 is read as none, and means UTC.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _final(failure: _PassingError, attempts: int) -> str:
    if failure.wait is not None and failure.wait > LONGEST_WAIT:
        return f"{failure} It asks to wait {failure.wait:.0f} s before the next attempt; try again later."
    return f"{str(failure).rstrip('.')} ({attempts} attempts)."
