"""Any model of the `sentence-transformers` library, from the disk or, when asked to, from the model hub."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multihop.errors import EmbeddingError, needs_extra
from multihop.index.embedders.unit_rows import unit_rows
from multihop.protocols import Vectors

_HUB_OWNER = "sentence-transformers/"
# Held while a model is loaded or run: a fast tokenizer that is used by two threads fails with "Already borrowed".
_running = threading.Lock()


@dataclass(frozen=True, slots=True)
class SentenceTransformersEmbedder:
    """Embed with a model by its hub name or its folder; `download` allows the library to fetch it.

    Queries and passages are encoded as the model wants them, with its own prompts.
    """

    model: str
    download: bool = False

    @property
    def identity(self) -> str:
        # The library takes a name without an owner for one of its own models.
        return f"sentence-transformers:{self.model.removeprefix(_HUB_OWNER)}"

    @property
    def dimension(self) -> int:
        with _running:
            return _dimension(self.model, self.download)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return unit_rows(texts, self.dimension, f"The embedder {self.identity}", lambda said: self._run(said, query))

    def _run(self, texts: list[str], query: bool) -> Any:
        with _running:
            model = _load(self.model, self.download)
            try:
                return _encode(model, texts, query)
            except (RuntimeError, ValueError) as error:
                raise EmbeddingError(f"The embedder {self.identity} failed: {error}") from error


def _encode(model: Any, texts: list[str], query: bool) -> Any:
    """Encode one side; releases before 5.0 know the sides only as names of prompts."""
    encode = getattr(model, "encode_query" if query else "encode_document", None)
    if encode is not None:
        return encode(texts, show_progress_bar=False)
    names = ("query",) if query else ("document", "passage", "corpus")
    prompt = next((name for name in names if name in model.prompts), None)
    return model.encode(texts, prompt_name=prompt, show_progress_bar=False)


@functools.lru_cache
def _dimension(name: str, download: bool) -> int:
    model = _load(name, download)
    # The method was renamed in 5.x, and the old name warns there.
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return int(ask() or len(_encode(model, ["dimension"], query=False)[0]))


@functools.lru_cache(maxsize=2)
def _load(name: str, download: bool) -> Any:
    with needs_extra("The sentence-transformers embedder", "sentence-transformers"):
        from sentence_transformers import SentenceTransformer
    try:
        model = SentenceTransformer(name, local_files_only=not download)
    except OSError as error:
        raise EmbeddingError(_not_found(name, download)) from error
    except (ImportError, KeyError, RuntimeError, ValueError) as error:
        raise EmbeddingError(f"sentence-transformers cannot load {name!r}: {error}") from error
    # In half precision a vector depends on the batch it was computed in.
    return model.float()


def _not_found(name: str, download: bool) -> str:
    if download:
        return f"sentence-transformers cannot find or download {name!r}. Is the name right, and the hub within reach?"
    repository = name if "/" in name else _HUB_OWNER + name
    return (
        f"sentence-transformers cannot load {name!r} from this machine. Nothing is downloaded unless you ask for it: "
        f"pass download=True, fetch it once with `hf download {repository}`, or name the folder of a saved model."
    )
