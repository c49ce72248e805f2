"""What the programs share: a strategy of the loop, run with the very DSPy modules that the program holds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import dspy

from multihop import loop
from multihop.engine import Engine
from multihop.lm import Limits, Model
from multihop.lm.cache import ResponseCache
from multihop.lm.prompts import module
from multihop.loop import Strategy
from multihop.parts.searchers.retriever import Retrieved, callable_of
from multihop.protocols import Index
from multihop.types import Passage, Request, Result

_LIMITS = Limits()


class PassageSource:
    """Where passages come from, and where answers are kept. DSPy copies programs deeply; both stay one."""

    def __init__(self, retriever: Any, cache: ResponseCache | None = None) -> None:
        self.cache = cache
        self.index: Callable[[], Index]
        if isinstance(retriever, Engine):
            self.index = retriever.index
        else:
            retrieve = callable_of(retriever)
            # Anew for each claim: what was retrieved for one is not there for the next.
            self.index = lambda: Retrieved(retrieve).index()

    def __deepcopy__(self, memo: dict[int, Any]) -> PassageSource:
        return self


class Pipeline(dspy.Module):  # type: ignore[misc]  # dspy has no types
    """A program over one strategy: the modules of its steps are attributes, named like the steps.

    `retriever` is an Engine, or any callable (query, k) that gives documents. The language model is the one of `set_lm`
    or else DSPy's, from `dspy.configure` or `dspy.context`; without one the steps are done by rule.
    """

    steps: tuple[str, ...] = ()
    strategy: Strategy
    documented: Strategy

    def __init__(
        self,
        retriever: Any,
        *,
        k: int = 21,
        documented: bool = True,
        limits: Limits = _LIMITS,
        cache: ResponseCache | None = None,
    ) -> None:
        super().__init__()
        self.source = PassageSource(retriever, cache)
        self.lm: Any = None
        self.k = k
        self.limits = limits
        self.form = type(self).documented if documented else type(self).strategy
        for name in self.steps:
            setattr(self, name, module(name))

    def forward(self, claim: str) -> Any:
        """Retrieve for a claim; `retrieved_docs` holds "Title | text", exactly k of them whenever the index has k."""
        return dspy.Prediction(retrieved_docs=[f"{p.label} | {p.text}" for p in self.passages(claim)])

    def passages(self, claim: str) -> list[Passage]:
        """Give the passages of the result; where no search leads to k of them, others follow in their order."""
        index = self.source.index()
        return self.filled(self.result(claim, index), index)

    def filled(self, result: Result, index: Index | None = None) -> list[Passage]:
        """Give the passages of a result, and behind them as many others of the index as lack to k."""
        found = {e.passage.id: e.passage for e in result}
        if len(found) < self.k:
            # Nothing supports these; the programs promise a number, and the trace shows where the evidence ends.
            rest = (p for p in (index or self.source.index()).passages.scan() if p.id not in found)
            found |= {p.id: p for p in islice(rest, self.k - len(found))}
        return list(found.values())

    def set_lm(self, lm: Any) -> None:
        """Use a DSPy model, or with None the one DSPy is configured with.

        The program keeps it, not its predictors: calls that they made by themselves would not be counted.
        """
        self.lm = lm

    def get_lm(self) -> Any:
        """Give the model that `set_lm` set."""
        return self.lm

    def result(self, claim: str, index: Index | None = None) -> Result:
        """Give the whole result, with its trace."""
        asked = Request(claim, self.k)
        lm = self.lm or dspy.settings.lm
        # With itself as the prompts: what an optimizer changes in the program is what the loop asks.
        model = Model(lm, self.limits, self.source.cache, prompts=self, traced=True) if lm is not None else None
        return loop.run(self.form, asked.question, asked.k, index or self.source.index(), lm=model)
