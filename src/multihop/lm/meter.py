"""One step at a language model, in a thread of its own: cache, retries on rate limits, tokens, and what went wrong.

Whatever DSPy model is given, it is copied and its class extended by one method, so that every call passes through the
meter while the model stays what it was for DSPy: its adapters, callbacks and capabilities see no difference.
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
"""How servers that cannot stream refuse a request for it."""


class LimitReached(Exception):
    """A call that the limits of the question do not allow."""


@dataclass
class Meter:
    """What one step costs, filled in by the thread that runs it."""

    usage: Usage
    cache: ResponseCache | None
    until: float
    """When the question's time for language models is over."""
    sleep: Callable[[float], None] = time.sleep
    on_text: Callable[[str], None] | None = None
    """Gets the text of an answer as far as it is written."""
    tokens_in: int = 0
    tokens_out: int = 0
    attempts: int = 0
    calls: int = 0
    cached: int = 0
    fresh: dict[str, CachedAnswer] = field(default_factory=dict)

    def call(self, inner: Callable[..., Any], lm: Any, prompt: Any, messages: Any, extra: Mapping[str, Any]) -> Any:
        """Answer one call of the model from the cache, or make it."""
        self.calls += 1
        # The first call of a step was admitted before its thread began; only what an adapter adds is new.
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
            # Not into the cache yet: whether the answer can be read is known only when the step is over.
            self.fresh[key] = CachedAnswer(outputs, spent_in, spent_out)
        return outputs

    def store(self) -> None:
        """Put the answers of a step that could be used into the cache."""
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
                # A call gives texts alone; DSPy counts beside it what they cost.
                with dspy.track_usage() as tracker:
                    outputs = call() if self.on_text is None else _call_streaming(call, self.on_text)
                return (outputs, *_tokens(tracker.get_total_tokens(), prompt or messages, outputs))
            except Exception as error:
                if self.on_text is not None and _find_attribute(error, "status", "status_code") in _NO_STREAMING:
                    self.on_text = None
                    continue
                # A pause beyond the time of the question would only delay the rule that does the step then.
                wait = retry_delay(error, attempt)
                if wait is None or attempt == _MAX_RETRIES or self.usage.now() + wait >= self.until:
                    raise
                self.sleep(wait)
        raise AssertionError("unreachable")


class _StreamListener:
    """Stands where DSPy expects the stream that the pieces of an answer are sent to."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._text = ""

    async def send(self, piece: Any) -> None:
        # DSPy sends other things down the same stream, such as messages on its state.
        for choice in getattr(piece, "choices", ())[:1]:
            if said := choice.delta.content:
                self._text += said
                self._on_text(self._text)


def _call_streaming(call: Callable[[], Any], on_text: Callable[[str], None]) -> Any:
    """Make a call whose answer is heard piece by piece; DSPy hands these from a thread to the event loop around it."""
    with dspy.context(send_stream=_StreamListener(on_text)):
        return anyio.run(anyio.to_thread.run_sync, call)


def attach_meter(lm: Any, meter: Meter) -> Any:
    """Copy a DSPy model so that its calls pass through the meter."""
    copied = copy.copy(lm)
    copied.__class__ = _metered_class(type(lm))  # type: ignore[arg-type]  # a class is hashable
    # A copy shares the list of the user's model, and would write into it.
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
    """Say how long to wait before the same call is tried again; None when that would not help."""
    if any("Connection" in names for names in _class_names(error)):
        return None  # some clients dress up a server that is not there as one that failed
    status = _find_attribute(error, "status", "status_code")
    # Some clients raise an error for the limit without a status.
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
        return None  # nothing, or a date instead of seconds: the usual back-off will do
    return seconds if 0.0 <= seconds < float("inf") else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what caused it: DSPy and LiteLLM wrap the errors of providers."""
    for _ in range(4):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__


def _find_attribute(error: BaseException, *names: str) -> Any:
    """Find an attribute on an error or on what caused it."""
    found = (getattr(each, name, None) for each in _chain(error) for name in names)
    return next((value for value in found if value is not None), None)


def _class_names(error: BaseException) -> list[str]:
    """Name the classes of an error and of its causes."""
    return [" ".join(kind.__name__ for kind in type(each).__mro__) for each in _chain(error)]


def _tokens(usage: Mapping[str, Mapping[str, Any]], asked: Any, outputs: Any) -> tuple[int, int]:
    """Read the tokens of a call; where the provider says nothing, four characters count as one."""
    spent_in = sum(int(u.get("prompt_tokens") or u.get("input_tokens") or 0) for u in usage.values())
    spent_out = sum(int(u.get("completion_tokens") or u.get("output_tokens") or 0) for u in usage.values())
    if spent_in or spent_out:
        return spent_in, spent_out
    return len(str(asked)) // 4, len(str(outputs)) // 4


def refusal_status(error: BaseException) -> object:
    """Give the status with which a request was refused; None where only its length was wrong."""
    return None if _too_long(error) else _find_attribute(error, "status", "status_code")


def _too_long(error: BaseException) -> bool:
    return any(mark in str(each).lower() for each in _chain(error) for mark in _TOO_LONG)


def problem_of(error: BaseException) -> str:
    """Say in a few words why a step failed. The words of the error itself stay out: they may hold what is secret."""
    if isinstance(error, LimitReached):
        return str(error)
    kinds = _class_names(error)
    status = _find_attribute(error, "status", "status_code")
    if "AdapterParseError" in kinds[0]:
        return describe_unreadable(getattr(error, "lm_response", None))
    if _too_long(error):
        return "the prompt is too long for it"
    # In this order: a timeout is an error of the connection too, and a prompt too long a bad request.
    for mark, said in _PROBLEMS:
        # What went wrong is often said by a cause only: a timeout arrives as a failure of the transport.
        if any(mark in names for names in kinds):
            return said
    return f"it failed ({type(error).__name__}{f', status {status}' if isinstance(status, int) else ''})"


_TOO_LONG = ("context size", "context length", "context window", "exceed_context")
"""How servers without an error class of their own for it say that a prompt does not fit."""
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
