"""LangProBe: the HoVer programs as its benchmark runs them, its metric, and a retriever for programs of its own."""

from __future__ import annotations

from typing import Any

from multihop.engine import Engine
from multihop.errors import InvalidInput, needs_extra
from multihop.lm import Limits, disable_price_list_download
from multihop.loop import Strategy
from multihop.types import LmCall, Result

with needs_extra("The LangProBe adapter", "lm"):
    import dspy

from multihop.programs.forms import form as form_named
from multihop.programs.metric import MOST_DOCUMENTS, SEPARATOR, discrete_retrieval_eval

__all__ = ["HoverMultiHopPipeline", "LangProBeRM", "discrete_retrieval_eval"]

_LIMITS = Limits()


class HoverMultiHopPipeline(dspy.Module):  # type: ignore[misc]  # dspy has no types
    """Retrieve the documents that decide a claim: the program that its documentation describes, in the form you choose.

    `form` is the name of a strategy. "gap-documented" and "listwise-documented" do what the documentation of the two
    programs says; "gap" and "listwise" are our forms of them, which search for the whole claim too, follow links and
    weigh what they find. Ours find more: on the claims of HoVer over 72,000 articles, without a language model, all
    gold documents are among the 21 for 93 % of the claims with "gap" and for 73 % with "gap-documented".

    Passages come from `retriever`: an Engine, or a callable (query, k) that gives documents; without one from the
    `rm` that DSPy is configured with. `colbert_url` is the address of a ColBERTv2 server to use instead. Exactly `k`
    come back whenever the retriever has that many.
    """

    def __init__(
        self,
        retriever: Any = None,
        *,
        form: str = "gap-documented",
        k: int = MOST_DOCUMENTS,
        limits: Limits = _LIMITS,
        colbert_url: str | None = None,
    ) -> None:
        super().__init__()
        disable_price_list_download()
        kind, documented = form_named(form)
        if retriever is not None and colbert_url is not None:
            raise InvalidInput("retriever and colbert_url both say where passages come from; give one of them")
        configured = dspy.ColBERTv2(url=colbert_url) if colbert_url else _ask_configured
        given = configured if retriever is None else retriever
        self.lm: Any = None
        self.program = kind(given, k=k, documented=documented, limits=limits)
        # LangProBe takes file names apart at underscores.
        self._name = f"HoverMultiHopPipeline-{self.program.form.name}"

    def setup_lm(self, lm: Any, api_key: str | None = None, api_base: str | None = None) -> None:
        """Use a language model, by its LiteLLM name or as a DSPy model, in place of the one DSPy is configured with."""
        self.set_lm(dspy.LM(lm, api_key=api_key, api_base=api_base) if isinstance(lm, str) else lm)

    def set_lm(self, lm: Any) -> None:
        """Use a DSPy model, or with None the one DSPy is configured with.

        It is kept by the program rather than by its predictors, so that limits and books hold for every call.
        """
        self.lm = lm

    def get_lm(self) -> Any:
        """Return the model that `setup_lm` or `set_lm` set."""
        return self.lm

    def forward(self, claim: str) -> Any:
        """Retrieve for a claim; `retrieved_docs` holds "Title | text"."""
        lm = self.lm or dspy.settings.lm
        with dspy.context(lm=lm):
            result = self.program.result(claim)
        _enter(lm, result.trace.lm_calls)
        docs = [f"{p.label}{SEPARATOR}{p.text}" for p in self.program.fill_up(result)]
        return dspy.Prediction(retrieved_docs=docs)


class LangProBeRM:
    """Search an index for programs that retrieve by themselves: for `dspy.configure(rm=…)` and `dspy.Retrieve`.

    A call gives documents with `long_text`, "Title | text". The default is one lexical search, as such programs expect;
    with another strategy each call is a whole retrieval over several hops.
    """

    def __init__(self, engine: Engine, *, k: int = 7, strategy: str | Strategy = "bm25") -> None:
        if not isinstance(engine, Engine):
            raise InvalidInput(f"an index is a multihop.Engine, got {type(engine).__name__}")
        self._engine = engine
        self._k = k
        self._strategy = strategy

    def __call__(self, query: str, k: int | None = None) -> list[Any]:
        """Find the k best documents for a query."""
        return _documents(self._engine.retrieve(query, k=self._k if k is None else k, strategy=self._strategy))

    def __deepcopy__(self, memo: dict[int, Any]) -> LangProBeRM:
        # Optimizers copy programs; the index they ask stays one.
        return self


def _ask_configured(query: str, k: int) -> Any:
    """Ask the retriever that DSPy is configured with."""
    if dspy.settings.rm is None:
        raise InvalidInput("no retriever: give the program an Engine, or DSPy one with dspy.configure(rm=…)")
    return dspy.settings.rm(query, k=k)


def _documents(result: Result) -> list[Any]:
    return [
        dspy.Prediction(
            long_text=f"{e.passage.label}{SEPARATOR}{e.passage.text}", text=e.passage.text, pid=e.passage.id,
            rank=e.rank, score=e.score,
        )
        for e in result
    ]  # fmt: skip


def _enter(lm: Any, calls: tuple[LmCall, ...]) -> None:
    """Enter the tokens of a question into the model's history, where LangProBe adds them up."""
    history = getattr(lm, "history", None)
    for call in calls if history is not None else ():
        usage = {"prompt_tokens": call.tokens_in, "completion_tokens": call.tokens_out}
        history.append({"usage": usage, "cost": None, "step": call.step})  # type: ignore[union-attr]  # not None here
