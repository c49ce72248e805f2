"""Opens a language model by its LiteLLM name, with the API key from the environment."""

from __future__ import annotations

import importlib
import inspect
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from multihop.errors import InvalidInput, needs_extra
from multihop.lm.cache import ResponseCache
from multihop.lm.limits import Limits
from multihop.lm.session import Model
from multihop.protocols import LanguageModel

_LIMITS = Limits()
_NO_KEY = "none"
"""Placeholder API key for self-hosted servers: clients require one."""


@dataclass(frozen=True, slots=True)
class LmSpec:
    """How to open a language model, as plain values that can be sent to other processes. The API key is not sent."""

    name: str
    base: str | None = None
    limits: Limits = Limits()
    cache: Path | None = None
    prompts: tuple[Path, ...] = ()
    """Files of optimized prompts, each for its own strategy."""

    def open(self, prompts: Any = None) -> Model:
        """Open the model with the API key from the environment."""
        return open_lm(self.name, base=self.base, limits=self.limits, cache=self.cache, prompts=prompts)

    def describe(self) -> dict[str, Any]:
        """Describe the model and limits, to reproduce a run."""
        return {"model": self.name, **asdict(self.limits)}


def open_lm(
    name: str,
    *,
    base: str | None = None,
    key: str | None = None,
    limits: Limits = _LIMITS,
    cache: str | Path | None = None,
    prompts: Any = None,
    timeout: float = 60.0,
    **parameters: Any,
) -> Model:
    """Open a language model: "openai/gpt-4.1-mini", "anthropic/…", "ollama_chat/qwen3" with `base`, any LiteLLM name.

    The API key comes from `key` or the provider's environment variable. `cache` is a file that caches responses; by
    default nothing is cached. Other keywords, such as `temperature` or `max_tokens`, go to `dspy.LM`.
    """
    if not isinstance(name, str) or "/" not in name or not all(part.strip() for part in name.split("/", 1)):
        raise InvalidInput(
            f"a language model is named provider/model, such as openai/gpt-4.1-mini or ollama_chat/qwen3; got {name!r}"
        )
    if base is not None and urlsplit(base).scheme not in ("http", "https"):
        raise InvalidInput("the base URL of a language model must start with http:// or https://")
    disable_price_list_download()
    with needs_extra("A language model", "lm"):
        dspy: Any = importlib.import_module("dspy")
    settings: dict[str, Any] = {"timeout": timeout, **parameters}
    if base is not None:
        # The variable of the provider in the name: never send the key of one provider to another's server.
        settings |= {"api_base": base, "api_key": key or _environment_key(name) or _NO_KEY}
        if not name.startswith("openai/") and "engine" in inspect.signature(dspy.LM.__init__).parameters:
            # The meaning of a base URL is LiteLLM's convention; DSPy's own clients differ.
            settings.setdefault("engine", "litellm")
    elif key is not None:
        settings["api_key"] = key
    try:
        # We do retries and caching ourselves, to respect the limits of a question.
        lm = dspy.LM(name, cache=False, num_retries=0, **settings)
    except (ValueError, TypeError, getattr(dspy, "LMError", ValueError)) as error:
        # Names only: a value may be a secret.
        given = ", ".join(sorted(parameters)) or "none"
        raise InvalidInput(
            f"the language model {name!r} cannot be opened with these parameters: {given} ({type(error).__name__})"
        ) from error
    return Model(lm, limits, ResponseCache(cache) if cache is not None else None, prompts)


@runtime_checkable
class DspyModel(Protocol):
    """A DSPy model, or anything called like one; recognized without importing DSPy."""

    model: str

    def __call__(self, *arguments: Any, **options: Any) -> Any: ...


def model_of(given: Any) -> LanguageModel | None:
    """Convert a user's value to a model: a LiteLLM name, a DSPy model, or the result of `open_lm`."""
    if given is None or isinstance(given, LanguageModel):
        return given
    if isinstance(given, str):
        return open_lm(given)
    if isinstance(given, DspyModel):
        return Model(given)
    raise InvalidInput(
        f"a language model is a LiteLLM name such as 'openai/gpt-4.1-mini', a dspy.LM, or what multihop.lm.open_lm "
        f"gives; got {type(given).__name__}"
    )


def disable_price_list_download() -> None:
    """Make LiteLLM and DSPy use their bundled price list instead of downloading one before the first call."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def _environment_key(name: str) -> str | None:
    return os.environ.get(f"{name.split('/', 1)[0].upper()}_API_KEY")
