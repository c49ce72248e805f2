"""What the programs share: a strategy of the loop, run with the very DSPy modules that the program holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import dspy

from multihop import loop
from multihop.engine import Engine
from multihop.lm import Limits, Model
from multihop.lm.cache import ResponseCache
from multihop.lm.prompts import module
from multihop.loop import Strategy
from multihop.parts.searchers.retriever import Retrieved, callable_of, value_of
from multihop.programs.metric import SEPARATOR
from multihop.protocols import Index, Lookup
from multihop.types import Passage, Request, Result

_LIMITS = Limits()
MOST_PER_CALL = 34
"""Documents of one call of a foreign retriever: the programs are documented to stay under 35."""
_MOST_CALLS = 50
"""Further calls to fill the budget."""
_LONGEST_QUERY = 300


class PassageSource:
    """Where passages come from, and where answers are kept. DSPy copies programs deeply; both stay one."""

    def __init__(self, retriever: Any, cache: ResponseCache | None = None) -> None:
        self.cache = cache
        self.index: Callable[[], Index]
        if isinstance(retriever, Engine):
            self.index = retriever.index
        else:
            retrieve = callable_of(retriever)

            def search_bounded(query: str, k: int) -> Any:
                found = retrieve(query, min(k, MOST_PER_CALL))
                return [_split_title(given) for given in getattr(found, "passages", found) or ()]

            # Anew for each claim: what was retrieved for one is not there for the next.
            self.index = lambda: Retrieved(search_bounded).index()

    def __deepcopy__(self, memo: dict[int, Any]) -> PassageSource:
        return self


def _split_title(given: Any) -> Any:
    """Split "Title | text", the form in which DSPy's retrievers give documents; leave any other form as it is."""
    long_text = given if isinstance(given, str) else value_of(given, "long_text")
    if not isinstance(long_text, str) or (long_text is not given and value_of(given, "title")):
        return given
    title, separator, text = long_text.partition(SEPARATOR)
    return {"title": title, "content": text} if separator else {"content": long_text}


class Pipeline(dspy.Module):  # type: ignore[misc]  # dspy has no types
    """A program over one strategy: the modules of its steps are attributes, named like the steps.

    `retriever` is an Engine, or any callable (query, k) that gives documents, also in DSPy's form "Title | text". The
    language model is the one of `set_lm` or else DSPy's, from `dspy.configure` or `dspy.context`; without one the steps
    are done by rule.
    """

    steps: tuple[str, ...] = ()
    unique_titles = False
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
        """Return the passages of the result; where no search leads to k of them, others follow in their order."""
        index = self.source.index()
        return self.fill_up(self.result(claim, index), index)

    def fill_up(self, result: Result, index: Index | None = None) -> list[Passage]:
        """Return the passages of a result, and behind them as many others of the index as lack to k.

        With `unique_titles` a title comes once while there are others.
        """
        chosen = [e.passage for e in result]
        if len(chosen) == self.k and not self._repeats(chosen):
            return chosen
        # Nothing supports the others; the programs promise a number, and the trace shows where the evidence ends.
        passages = {p.id: p for p in chosen}
        for passage in _further(result, index or self.source.index()):
            if len(passages) >= self.k and not self._repeats(list(passages.values())):
                break
            passages.setdefault(passage.id, passage)
        return self._first_of_each(list(passages.values()))[: self.k]

    def _repeats(self, passages: Sequence[Passage]) -> bool:
        """Return whether a title comes twice among the first k."""
        first = self._first_of_each(passages)[: self.k]
        return self.unique_titles and len({p.label for p in first}) < len(first)

    def _first_of_each(self, passages: Sequence[Passage]) -> list[Passage]:
        if not self.unique_titles:
            return list(passages)
        first = {p.label: p for p in reversed(passages)}
        return [*(p for p in passages if first[p.label] is p), *(p for p in passages if first[p.label] is not p)]

    def set_lm(self, lm: Any) -> None:
        """Use a DSPy model, or with None the one DSPy is configured with.

        The program keeps it, not its predictors: calls that they made by themselves would not be counted.
        """
        self.lm = lm

    def get_lm(self) -> Any:
        """Return the model that `set_lm` set."""
        return self.lm

    def result(self, claim: str, index: Index | None = None) -> Result:
        """Return the whole result, with its trace."""
        asked = Request(claim, self.k)
        lm = self.lm or dspy.settings.lm
        # With itself as the prompts: what an optimizer changes in the program is what the loop asks.
        model = Model(lm, self.limits, self.source.cache, prompts=self, traced=True) if lm is not None else None
        return loop.run(self.form, asked.question, asked.k, index or self.source.index(), lm=model)


def _further(result: Result, index: Index) -> Iterator[Passage]:
    """Yield the passages that were met, then those that parts of the claim find, then those that the passages find."""
    yield from index.passages.scan()
    if index.lexical is None:
        return
    plan = result.trace.plan
    texts = (result.question, *plan.sub_questions, *(e.text for e in plan.entities), *result.question.split())
    met = (text for e in result for text in (e.passage.title, e.passage.text[:_LONGEST_QUERY]))
    for text in islice(filter(str.strip, dict.fromkeys((*texts, *met))), _MOST_CALLS):
        # A foreign retriever knows only what it was asked for.
        index.lexical.lexical([Lookup(text, MOST_PER_CALL)])
        yield from index.passages.scan()
