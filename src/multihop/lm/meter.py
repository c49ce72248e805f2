"""Metering of language model calls: cache, retries on rate limits, token counts, error messages.

A DSPy model is copied and its class extended by one method, so that every call passes through the meter while DSPy's
adapters, callbacks and capability checks see no difference.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import anyio
import dspy

from multihop.lm.cache import CachedAnswer, ResponseCache, key_of
from multihop.lm.cleaning import describe_unreadable
from multihop.lm.limits import Usage

_MAX_RETRIES = 4
_RETRYABLE = (429, 500, 502, 503, 504, 529)
_NO_STREAMING = (400, 405, 415, 422, 501)
"""Statuses of servers that do not support streaming."""


class LimitReached(Exception):
    """A call would exceed the limits of the question."""


@dataclass
class Meter:
    """The cost of one step, filled in by the thread that runs it."""

    usage: Usage
    cache: ResponseCache | None
    until: float
    """Deadline of the question for language model calls."""
    sleep: Callable[[float], None] = time.sleep
    on_text: Callable[[str], None] | None = None
    """Called with the text of a streamed answer so far."""
    tokens_in: int = 0
    tokens_out: int = 0
    attempts: int = 0
    calls: int = 0
    cached: int = 0
    fresh: dict[str, CachedAnswer] = field(default_factory=dict)

    def call(self, inner: Callable[..., Any], lm: Any, prompt: Any, messages: Any, extra: Mapping[str, Any]) -> Any:
        """Answer a call from the cache, or make it."""
        self.calls += 1
        # The first call of a step was admitted before its thread started; only further calls are new.
        if self.calls > 1 and (problem := self.usage.admit_retry()):
            raise LimitReached(problem)
        parameters = {**getattr(lm, "kwargs", {}), **extra}
        key = key_of(str(lm.model), messages if messages is not None else str(prompt), parameters) if self.cache else ""
        known = self.cache.get(key) if self.cache else None
        if known is not None:
            self.cached += 1
            self._count(known.tokens_in, known.tokens_out)
            return known.outputs
        outputs, spent_in, spent_out = self._call_with_retries(inner, prompt, messages, extra)
        self._count(spent_in, spent_out)
        if self.cache:
            # Not cached yet: whether the answer parses is known only when the step has ended.
            self.fresh[key] = CachedAnswer(outputs, spent_in, spent_out)
        return outputs

    def store(self) -> None:
        """Cache the responses of a successful step."""
        if self.cache:
            for key, answer in self.fresh.items():
                self.cache.put(key, answer)

    def _count(self, spent_in: int, spent_out: int) -> None:
        self.tokens_in += spent_in
        self.tokens_out += spent_out

    def _call_with_retries(
        self, inner: Callable[..., Any], prompt: Any, messages: Any, extra: Mapping[str, Any]
    ) -> Any:
        call = partial(inner, prompt, messages=messages, **extra)
        for attempt in range(_MAX_RETRIES + 1):
            self.attempts += 1
            try:
                # A call returns text only; DSPy tracks the usage separately.
                with dspy.track_usage() as tracker:
                    outputs = call() if self.on_text is None else _call_streaming(call, self.on_text)
                return (outputs, *_tokens(tracker.get_total_tokens(), prompt or messages, outputs))
            except Exception as error:
                if self.on_text is not None and _find_attribute(error, "status", "status_code") in _NO_STREAMING:
                    self.on_text = None
                    continue
                # Waiting past the deadline would only delay the fallback to the rule.
                wait = retry_delay(error, attempt)
                if wait is None or attempt == _MAX_RETRIES or self.usage.now() + wait >= self.until:
                    raise
                self.sleep(wait)
        raise AssertionError("unreachable")


class _StreamListener:
    """Receives the chunks of a streamed answer from DSPy."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._text = ""

    async def send(self, piece: Any) -> None:
        # DSPy sends other messages on the same stream, such as status updates.
        for choice in getattr(piece, "choices", ())[:1]:
            if said := choice.delta.content:
                self._text += said
                self._on_text(self._text)


def _call_streaming(call: Callable[[], Any], on_text: Callable[[str], None]) -> Any:
    """Make a streaming call; DSPy passes the chunks from a thread to an event loop."""
    with dspy.context(send_stream=_StreamListener(on_text)):
        return anyio.run(anyio.to_thread.run_sync, call)


def attach_meter(lm: Any, meter: Meter) -> Any:
    """Return a copy of a DSPy model whose calls pass through the meter."""
    copied = copy.copy(lm)
    copied.__class__ = _metered_class(type(lm))  # type: ignore[arg-type]  # a class is hashable
    # Otherwise the copy would append to the history of the user's model.
    copied.history = []
    copied.meter = meter
    return copied


@lru_cache(maxsize=64)
def _metered_class(kind: type) -> type:
    made: Any

    def call(self: Any, prompt: Any = None, *, messages: Any = None, **extra: Any) -> Any:
        return self.meter.call(super(made, self).__call__, self, prompt, messages, extra)

    made = type(f"Metered{kind.__name__}", (kind,), {"__call__": call})
    return made  # type: ignore[no-any-return]  # made above


def retry_delay(error: BaseException, attempt: int) -> float | None:
    """Return the seconds to wait before a retry; None if retrying would not help."""
    if any("Connection" in names for names in _class_names(error)):
        return None  # some clients report an unreachable server as a server error
    status = _find_attribute(error, "status", "status_code")
    # Some clients raise a rate limit error without a status.
    limited = status == 429 or "RateLimit" in type(error).__name__
    if not limited and status not in _RETRYABLE:
        return None
    asked = _retry_after(error)
    return asked if asked is not None else min(30.0, 0.5 * 2**attempt)


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(_find_attribute(error, "response"), "headers", None) or _find_attribute(
        error, "litellm_response_headers", "headers"
    )
    said = _find_attribute(error, "retry_after")
    if said is None and isinstance(headers, Mapping):
        said = next((v for k, v in headers.items() if str(k).lower() == "retry-after"), None)
    try:
        seconds = float(said)
    except (TypeError, ValueError):
        return None  # missing, or a date instead of seconds: use the default backoff
    return seconds if 0.0 <= seconds < float("inf") else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Iterate over an error and its causes: DSPy and LiteLLM wrap provider errors."""
    for _ in range(4):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__


def _find_attribute(error: BaseException, *names: str) -> Any:
    """Find an attribute on an error or its causes."""
    values = (getattr(each, name, None) for each in _chain(error) for name in names)
    return next((value for value in values if value is not None), None)


def _class_names(error: BaseException) -> list[str]:
    """Return the class names of an error and its causes, with their base classes."""
    return [" ".join(kind.__name__ for kind in type(each).__mro__) for each in _chain(error)]


def _tokens(usage: Mapping[str, Mapping[str, Any]], asked: Any, outputs: Any) -> tuple[int, int]:
    """Return the tokens of a call; without provider data, estimate four characters per token."""
    spent_in = sum(int(u.get("prompt_tokens") or u.get("input_tokens") or 0) for u in usage.values())
    spent_out = sum(int(u.get("completion_tokens") or u.get("output_tokens") or 0) for u in usage.values())
    if spent_in or spent_out:
        return spent_in, spent_out
    return len(str(asked)) // 4, len(str(outputs)) // 4


def refusal_status(error: BaseException) -> object:
    """Return the status of a refused request; None if it was only too long."""
    return None if _too_long(error) else _find_attribute(error, "status", "status_code")


def _too_long(error: BaseException) -> bool:
    return any(mark in str(each).lower() for each in _chain(error) for mark in _TOO_LONG)


def problem_of(error: BaseException) -> str:
    """Describe briefly why a step failed, without the error's own text, which may contain secrets."""
    if isinstance(error, LimitReached):
        return str(error)
    kinds = _class_names(error)
    status = _find_attribute(error, "status", "status_code")
    if "AdapterParseError" in kinds[0]:
        return describe_unreadable(getattr(error, "lm_response", None))
    if _too_long(error):
        return "the prompt is too long for it"
    # The order matters: a timeout is also a connection error, and a prompt that is too long a bad request.
    for mark, said in _PROBLEMS:
        # Often only a cause tells: a timeout arrives as a transport error.
        if any(mark in names for names in kinds):
            return said
    return f"it failed ({type(error).__name__}{f', status {status}' if isinstance(status, int) else ''})"


_TOO_LONG = ("context size", "context length", "context window", "exceed_context")
"""Phrases of servers without a specific error class for prompts that are too long."""
_PROBLEMS = (
    ("ContextWindow", "the prompt is too long for it"),
    ("RateLimit", "it is rate limited"),
    ("Auth", "it refused the API key"),
    ("NotConfigured", "its API key is missing"),
    ("Billing", "its provider asks for payment"),
    ("UnsupportedModel", "the provider does not know this model"),
    ("NotFound", "the provider does not know this model"),
    ("Timeout", "it did not answer in time"),
    ("Connection", "it could not be reached"),
    ("Transport", "it could not be reached"),
    ("ServiceUnavailable", "it could not be reached"),
    ("InvalidRequest", "it refused the request; is the name of the model right?"),
    ("BadRequest", "it refused the request; is the name of the model right?"),
    ("ValidationError", "its answer could not be read"),
)
