"""Any endpoint that speaks OpenAI's `/v1/embeddings`: OpenAI, vLLM, llama.cpp, Ollama, TEI, LiteLLM and others."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from multihop.errors import EmbeddingError, InvalidInput
from multihop.index.embedders.unit_rows import as_matrix, unit_rows
from multihop.index.streams import in_batches
from multihop.lm.endpoint import Endpoint, check_address, check_key
from multihop.protocols import Vectors

_EXPECTED = "expected the address before /embeddings, such as http://localhost:8080/v1."
_NOT_FOUND = "Check the model and base_url: the path before /embeddings, which often ends in /v1."
_KEY_FROM = ", or set OPENAI_API_KEY for the command line"


@dataclass(frozen=True)
class OpenAICompatibleEmbedder:
    """Embed with `model` at `base_url` (the address before /embeddings, such as http://localhost:8080/v1).

    The identity names the model and not the address, so that an index outlives a move of the server. Without
    `dimensions` the endpoint is asked once, with a short text, how long its vectors are.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    batch_size: int = 64
    timeout: float = 30.0
    retries: int = 3
    dimensions: int | None = None
    backoff: float = 0.5
    """Seconds before the second attempt where the endpoint names none; doubled with each one after it."""

    def __post_init__(self) -> None:
        check_address(self.base_url, "base_url", _EXPECTED)
        if not self.model.strip():
            raise InvalidInput("The model of an OpenAI-compatible embedder is empty; name one the endpoint serves.")
        check_key(self.api_key)
        for name, least in (("batch_size", 1), ("retries", 0), ("backoff", 0)):
            if getattr(self, name) < least:
                raise InvalidInput(f"{name} is {getattr(self, name)!r}; it must be at least {least}.")
        if self.timeout <= 0:
            raise InvalidInput(f"timeout is {self.timeout!r}; it must be more than 0 seconds.")
        if self.dimensions is not None and self.dimensions < 1:
            raise InvalidInput(f"dimensions is {self.dimensions!r}; it must be at least 1, or None for all of them.")

    @property
    def identity(self) -> str:
        return f"openai:{self.model}" if self.dimensions is None else f"openai:{self.model}:{self.dimensions}"

    @functools.cached_property
    def dimension(self) -> int:
        if self.dimensions is not None:
            return self.dimensions
        return int(as_matrix(self._ask(["dimension"]), 1, self._name).shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # both sides are alike
        return unit_rows(texts, self.dimension, self._name, self._ask_in_batches)

    @property
    def _name(self) -> str:
        return f"The embedder {self.identity} at {self.base_url}"

    @property
    def _endpoint(self) -> Endpoint:
        url = f"{self.base_url.rstrip('/')}/embeddings"
        return Endpoint(
            url, EmbeddingError, "base_url", _NOT_FOUND, self.api_key, _KEY_FROM,
            self.timeout, self.retries, self.backoff,
        )  # fmt: skip

    def _ask_in_batches(self, texts: list[str]) -> list[Any]:
        return [row for some in in_batches(texts, self.batch_size) for row in self._ask(some)]

    def _ask(self, texts: list[str]) -> list[Any]:
        """Return the vectors of one batch as the endpoint sent them, in the order of the texts."""
        payload: dict[str, object] = {"model": self.model, "input": texts}
        if self.dimensions is not None:
            payload["dimensions"] = self.dimensions
        answer = self._endpoint.post(payload)
        items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
            raise EmbeddingError(f"{self._name} answered without embeddings: {self._endpoint.shorten(answer)}")
        if len(items) != len(texts):
            raise EmbeddingError(f"{self._name} answered {len(items)} vectors for {len(texts)} texts.")
        return self._in_order(items)

    def _in_order(self, items: list[dict[str, Any]]) -> list[Any]:
        # Endpoints that leave out "index" answer in order.
        places = [item.get("index", position) for position, item in enumerate(items)]
        rows = {place: item["embedding"] for place, item in zip(places, items, strict=True) if isinstance(place, int)}
        if rows.keys() != set(range(len(items))):
            shown = self._endpoint.shorten(places)
            raise EmbeddingError(
                f"{self._name} returned {len(items)} vectors with the indexes {shown}; expected each index once."
            )
        return [rows[place] for place in range(len(items))]
