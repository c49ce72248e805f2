"""A language model that answers by script, and fails on demand: every LM step can be tested without one.

Importing this needs the extra `multihop[lm]`; nothing is sent anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from multihop.errors import MissingExtra, UnknownName, suggestion

try:
    import dspy

    from multihop.lm import prompts
except ImportError as error:
    raise MissingExtra("The scripted language model", "lm") from error

Fault = Literal["malformed", "empty", "truncated", "refusal", "slow", "unreachable", "rate limit", "broken"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
Script = Mapping[str, Any] | Callable[[str, Mapping[str, str]], Any]
"""Answers by step: the output fields of its signature, a raw text, or a function of the inputs that gives either."""

_STEPS = {name: prompts.signature(name) for name in prompts.NAMES}
# DSPy shows a model only fields, not the name of a step; no two steps have the same inputs and outputs.
_BY_FIELDS = {(frozenset(x.input_fields), frozenset(x.output_fields)): name for name, x in _STEPS.items()}
_FIELD = re.compile(r"^\[\[ ## (\w+) ## \]\]$", re.M)
_WANTED = re.compile(r"`(?:\[\[ ## )?(\w+)(?: ## \]\])?`")
_JSON = "\n\nRespond with a JSON object"


class Asked(NamedTuple):
    """One call the model got: the step, and its inputs as they stood in the prompt."""

    step: str
    inputs: Mapping[str, str]


class RateLimited(Exception):
    """What a provider raises when it is asked too often."""

    status = 429

    def __init__(self, retry_after: float | None) -> None:
        self.retry_after = retry_after
        super().__init__("too many requests")


@dataclass(frozen=True, slots=True)
class Faults:
    """Which calls fail, and how. The same prompt under the same seed always meets the same fate."""

    kinds: Sequence[Fault] = FAULTS
    rate: float = 1.0
    seed: int = 0
    times: int | None = None
    """How often each prompt fails before it is answered; None for always."""
    retry_after: float | None = None
    slow: float = 30.0

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in FAULTS:
                raise UnknownName(f"there is no fault {kind!r}: {suggestion(kind, FAULTS)}")

    def of(self, prompt: str) -> Fault | None:
        """Return how a prompt fails, or that it does not."""
        # Drawn from the prompt, not in turn: calls come from several threads in any order.
        drawn = hashlib.blake2b(f"{self.seed}\0{prompt}".encode("utf-8", "replace"), digest_size=8).digest()
        share = int.from_bytes(drawn[:4], "big") / 2**32
        return self.kinds[drawn[4] % len(self.kinds)] if self.kinds and share < self.rate else None


class ScriptedLM(dspy.BaseLM):  # type: ignore[misc]  # dspy has no types
    """A DSPy model that answers by script, in the form that DSPy asks for, chat or JSON; without one nothing."""

    def __init__(self, script: Script, faults: Faults | None = None, tokens: tuple[int, int] = (100, 20)) -> None:
        super().__init__("scripted/model", cache=False)
        self.tokens = tokens
        self.script = script
        self.faults = faults
        self.asked: list[Asked] = []
        self._failed: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, prompt: Any = None, *, messages: Any = None, **parameters: Any) -> list[str]:
        last = str(messages[-1]["content"]) if messages else str(prompt)
        asked = _read_prompt(last)
        with self._lock:
            self.asked.append(asked)
        fault = self._fault(last)
        said = self._reply(asked, as_json=_JSON in last) if fault in (None, "truncated", "slow") else ""
        answer = self._failing(fault, said) if fault else said
        # As a real client does; otherwise the budget of tokens would never be tested.
        if dspy.settings.usage_tracker:
            usage = dict(zip(("prompt_tokens", "completion_tokens"), self.tokens, strict=True))
            dspy.settings.usage_tracker.add_usage(self.model, usage)
        return [answer]

    def _fault(self, prompt: str) -> Fault | None:
        if self.faults is None:
            return None
        with self._lock:
            failed = self._failed.get(prompt, 0)
            if self.faults.times is not None and failed >= self.faults.times:
                return None
            # Counted for each prompt, so that a retry is what gets through.
            self._failed[prompt] = failed + 1
        return self.faults.of(prompt)

    def _failing(self, fault: Fault, said: str) -> str:
        faults = self.faults or Faults()
        if fault == "unreachable":
            raise ConnectionError("no route to host")
        if fault == "rate limit":
            raise RateLimited(faults.retry_after)
        if fault == "broken":
            raise ZeroDivisionError("an error of the client itself")
        if fault == "slow":
            time.sleep(faults.slow)
        answers = {"malformed": '{"answer": [1, 2', "refusal": "I'm sorry, but I cannot help with that."}
        return {**answers, "truncated": said[: len(said) // 3], "slow": said}.get(fault, "")

    def _reply(self, asked: Asked, *, as_json: bool) -> str:
        given = self.script(asked.step, asked.inputs) if callable(self.script) else self.script.get(asked.step)
        if callable(given):
            given = given(asked.inputs)
        if isinstance(given, Mapping):
            # DSPy asks these steps to think first and refuses an answer without it.
            fields = {"reasoning": "…", **given} if _reasons(asked.step) else given
            if as_json:
                return json.dumps(fields)
            parts = [f"[[ ## {k} ## ]]\n{v if isinstance(v, str) else json.dumps(v)}" for k, v in fields.items()]
            return "\n\n".join((*parts, "[[ ## completed ## ]]"))
        return "" if given is None else str(given)


def _reasons(step: str) -> bool:
    return step in _STEPS and isinstance(prompts.module(step), dspy.ChainOfThought)


def _read_prompt(message: str) -> Asked:
    """Read the inputs out of a prompt, and find the step by its fields."""
    places = list(_FIELD.finditer(message))
    body, _, wanted = message.rpartition("\n\nRespond with ")
    ends = [*(m.start() for m in places[1:]), len(body)]
    inputs = {m.group(1): body[m.end() : end].strip() for m, end in zip(places, ends, strict=True)} if places else {}
    # Both stand in every prompt of their kind and belong to DSPy, not to the step.
    outputs = frozenset(_WANTED.findall(wanted)) - {"reasoning", "completed"}
    return Asked(_BY_FIELDS.get((frozenset(inputs), outputs), "unknown"), inputs)
