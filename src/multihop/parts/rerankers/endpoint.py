"""Any endpoint with the common form of `/rerank`: Cohere, Jina, Voyage, vLLM, Text Embeddings Inference and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from multihop.errors import InvalidInput, ReadingError
from multihop.lm.endpoint import Endpoint, check_address, check_key
from multihop.parts.rerankers.asking import join_pair
from multihop.types import Pair

_SCORES = ("relevance_score", "score")
_LISTS = ("results", "data")


@dataclass(frozen=True)
class EndpointReranker:
    """Reads with `model` at `url`, the whole address, such as https://api.cohere.com/v2/rerank.

    It posts {"query", "documents", "model"} and takes back {"index", "relevance_score"} for each document. Text
    Embeddings Inference calls the documents "texts": say so with `documents`. It has one model and needs no name.
    """

    url: str
    model: str = ""
    api_key: str | None = field(default=None, repr=False)
    documents: str = "documents"
    """The name under which the texts are sent."""
    calibrated: bool = False
    """True where the scores are probabilities; those of most services only order."""
    timeout: float = 30.0
    retries: int = 2
    backoff: float = 0.5

    def __post_init__(self) -> None:
        check_address(self.url, "url", "expected the whole address, such as http://localhost:8080/rerank.")
        check_key(self.api_key)
        if self.timeout <= 0:
            raise InvalidInput(f"timeout is {self.timeout!r}; it must be more than 0 seconds.")
        for name in ("retries", "backoff"):
            if getattr(self, name) < 0:
                raise InvalidInput(f"{name} is {getattr(self, name)!r}; it must be at least 0.")

    @property
    def identity(self) -> str:
        return f"endpoint:{self.model or urlsplit(self.url).hostname}"

    def score(self, question: str, pairs: Sequence[Pair]) -> Sequence[float]:
        if not pairs:
            return []
        payload: dict[str, object] = {"query": question, self.documents: [join_pair(pair) for pair in pairs]}
        answer = self._endpoint.post(payload | ({"model": self.model} if self.model else {}))
        scores = dict(map(self._parse_score, self._items(answer)))
        if scores.keys() != set(range(len(pairs))):
            raise ReadingError(
                f"{self.url} scored the documents {self._endpoint.shorten(sorted(scores))}; "
                f"expected each index from 0 to {len(pairs) - 1}"
            )
        return [scores[place] for place in range(len(pairs))]

    @property
    def _endpoint(self) -> Endpoint:
        hint = "Check the model and url, which often ends in /rerank."
        return Endpoint(
            self.url, ReadingError, "url", hint, self.api_key,
            timeout=self.timeout, retries=self.retries, backoff=self.backoff,
        )  # fmt: skip

    def _items(self, answer: object) -> list[Any]:
        """Find the list of scores: the answer itself, or what it holds under one of the usual names."""
        items = answer
        if isinstance(answer, dict):
            items = next((answer[name] for name in _LISTS if name in answer), None)
        if not isinstance(items, list):
            raise ReadingError(f"{self.url} answered without scores: {self._endpoint.shorten(answer)}")
        return items

    def _parse_score(self, item: object) -> tuple[int, float]:
        score = next((item[name] for name in _SCORES if name in item), None) if isinstance(item, dict) else None
        place = item.get("index") if isinstance(item, dict) else None
        if not isinstance(place, int) or not isinstance(score, int | float) or isinstance(score, bool):
            raise ReadingError(f"{self.url} answered without index and score: {self._endpoint.shorten(item)}")
        return place, float(score)
