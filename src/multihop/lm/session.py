"""A language model for questions: `Model` is an immutable value, `Session` is one question's use of it."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multihop.lm.cache import ResponseCache
from multihop.lm.cleaning import as_data, clean_fields
from multihop.lm.limits import Limits, Usage
from multihop.protocols import LmAnswer, Prompts, Step
from multihop.types import LmCall


@dataclass(frozen=True)
class Model:
    """A DSPy language model with the limits of a question, a cache, and the prompts to use.

    `prompts` is any object with DSPy modules as attributes named like the steps, such as a compiled program; missing
    ones default to the built-in modules. With `traced`, calls are recorded in DSPy's trace, for optimizers.
    """

    lm: Any
    limits: Limits = Limits()
    cache: ResponseCache | None = field(default=None, compare=False)
    prompts: Any = field(default=None, compare=False)
    traced: bool = False
    sleep: Callable[[float], None] = field(default=time.sleep, compare=False, repr=False)

    @property
    def name(self) -> str:
        return str(getattr(self.lm, "model", type(self.lm).__name__))

    def session(self, prompts: Prompts | None = None) -> Session:
        return Session(self if prompts is None else replace(self, prompts=prompts.program))


class Session:
    """One question asked of a model. The steps of a call run concurrently, each in its own thread."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._usage = Usage(model.limits)

    @property
    def calls(self) -> Sequence[LmCall]:
        return tuple(self._usage.calls)

    def ask(self, steps: Sequence[Step], hop: int) -> list[LmAnswer]:
        """Run the steps and return their answers in order. Steps that miss the deadline fall back to rules."""
        usage = self._usage
        # Admitted and recorded in order, so that thread timing does not matter.
        refused = [usage.admit() for _ in steps]
        started = usage.now()
        # One deadline for all steps of the hop.
        until = started + usage.seconds_left
        tasks = [
            None if no else _Task(self._model, step, usage, until) for step, no in zip(steps, refused, strict=True)
        ]
        threads = [task.thread for task in tasks if task is not None]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - usage.now()))
        usage.add_wait(started)
        return [self._record(step, hop, no, task) for step, no, task in zip(steps, refused, tasks, strict=True)]

    def _record(self, step: Step, hop: int, refused: str, task: _Task | None) -> LmAnswer:
        if task is None:
            self._usage.record(LmCall(step.prompt, hop, attempts=0, problem=refused))
            return LmAnswer(None, refused)
        answer, call = task.outcome(hop)
        self._usage.record(call)
        if self._model.traced:
            task.copy_trace()
        return answer


class _Task:
    """One step in a daemon thread: a model that never answers must not keep the process alive."""

    def __init__(self, model: Model, step: Step, usage: Usage, until: float) -> None:
        from multihop.lm.meter import Meter

        self._model, self._step = model, step
        self._meter = Meter(usage, model.cache, until, model.sleep, self._forward_text if step.on_text else None)
        self._given_up = False
        self._answer: LmAnswer | None = None
        self._seconds = 0.0
        self._trace: list[Any] = []
        # Propagate the caller's DSPy settings to the thread.
        self.thread = threading.Thread(target=contextvars.copy_context().run, args=(self._run,), daemon=True)

    def outcome(self, hop: int) -> tuple[LmAnswer, LmCall]:
        """Return the answer and the record of the call; a thread that is still running counts as no answer."""
        meter, answer = self._meter, self._answer
        if answer is None:
            # The thread runs until its model answers; its late output is discarded.
            self._given_up = True
            late = "it did not answer in time"
            return LmAnswer(None, late), LmCall(self._step.prompt, hop, attempts=1, problem=late)
        # A step with at least one uncached call has a cost.
        cached = meter.calls > 0 and meter.cached == meter.calls
        return answer, LmCall(
            self._step.prompt, hop, meter.tokens_in, meter.tokens_out, max(1, meter.attempts), answer.problem,
            cached=cached, seconds=self._seconds,
        )  # fmt: skip

    def _forward_text(self, text: str) -> None:
        if self._step.on_text is not None and not self._given_up:
            self._step.on_text(text)

    def copy_trace(self) -> None:
        import dspy

        # Recorded in the order of the steps, in the caller's thread: optimizers depend on the order.
        if dspy.settings.trace is not None:
            dspy.settings.trace.extend(self._trace)

    def _run(self) -> None:
        from multihop.lm.meter import problem_of

        started = time.monotonic()
        try:
            values, problem = clean_fields(self._predict())
            if not problem:
                # Only usable answers: a bad one would be returned every time.
                self._meter.store()
            answer = LmAnswer(None, problem) if problem else LmAnswer(values)
        except Exception as error:  # noqa: BLE001  # a model or its provider may raise anything, the question goes on
            answer = LmAnswer(None, problem_of(error))
        self._seconds = time.monotonic() - started
        self._answer = answer

    def _predict(self) -> dict[str, Any]:
        import dspy

        from multihop.lm.formats import adapter_of, refused_schema
        from multihop.lm.meter import attach_meter, refusal_status
        from multihop.lm.prompts import module_of, outputs_of, signature

        name = self._step.prompt
        predict = module_of(self._model.prompts, name)
        inputs = {field: as_data(value) for field, value in self._step.inputs.items()}
        lm = attach_meter(self._model.lm, self._meter)
        # Loops at most twice: a server that refused the schema is not sent one again.
        while True:
            adapter = adapter_of(lm, signature(name))
            try:
                with dspy.context(lm=lm, adapter=adapter, disable_history=True, trace=self._trace):
                    return outputs_of(predict(**inputs), name)
            except Exception as error:
                if not refused_schema(lm, adapter, refusal_status(error)):
                    raise
