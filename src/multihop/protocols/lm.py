"""The language model, as the parts of a strategy see it: asked for one step at a time, and always able to fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from multihop.types import LmCall


class Step(NamedTuple):
    """One thing to ask a language model: the prompt by its name, such as "claim_decomposition", and its inputs."""

    prompt: str
    inputs: Mapping[str, Any]
    on_text: Callable[[str], None] | None = None
    """Gets the text of the answer as far as it is written, from another thread, where the model can stream."""


class LmAnswer(NamedTuple):
    """What a language model answered, cleaned and typed; without values, the reason why there are none."""

    values: Mapping[str, Any] | None
    problem: str = ""


class Asker(Protocol):
    """A language model during one question: it counts calls, keeps to the limits, and may always fail to answer."""

    @property
    def calls(self) -> Sequence[LmCall]: ...

    def ask(self, steps: Sequence[Step], hop: int) -> Sequence[LmAnswer]:
        """Ask several things at once, one answer for each. Never raises for what a model does."""


@runtime_checkable
class Prompts(Protocol):
    """Prompts of its own for the steps of one strategy."""

    @property
    def strategy(self) -> str:
        """The name of the strategy they were made for."""

    @property
    def program(self) -> Any:
        """What holds them, in a form that the language model knows."""


@runtime_checkable
class LanguageModel(Protocol):
    """A language model ready for any number of questions."""

    @property
    def name(self) -> str: ...

    def session(self, prompts: Prompts | None = None) -> Asker:
        """Begin a question, with calls counted anew; `prompts` replace those it would use otherwise."""
