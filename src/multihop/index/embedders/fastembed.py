"""Transformer models on the CPU through `fastembed` (ONNX, no torch). Downloads only when asked to."""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.errors import EmbeddingError, UnknownName, needs_extra, suggestion
from multihop.index.embedders.unit_rows import unit_rows
from multihop.models.onnx import say_nothing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multihop.protocols import Vectors

# Held while a model is loaded or run: some of fastembed's models keep the task of a call on themselves.
_running = threading.Lock()


@dataclass(frozen=True, slots=True)
class FastEmbedEmbedder:
    """Embed with a model of fastembed's list, from its cache; `download` allows it to fetch what is missing.

    The cache is where FASTEMBED_CACHE_PATH points, by default a temporary folder.
    """

    model: str
    download: bool = False

    @property
    def identity(self) -> str:
        return f"fastembed:{self.model}"

    @property
    def dimension(self) -> int:
        return _dimension(self.model)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return unit_rows(texts, self.dimension, f"The embedder {self.identity}", lambda said: self._run(said, query))

    def _run(self, texts: list[str], query: bool) -> list[NDArray[Any]]:
        with _running:
            model = _load(self.model, self.download)
            side = model.query_embed if query else model.passage_embed
            try:
                # One text at a time: batches moved the vectors of an fp16 model by 3e-4 and of an int8 model by 3e-3,
                # padded or not (a BERT of random weights, two cores), and were slower for texts of mixed length.
                return list(side(texts, batch_size=1))
            except _failures() as error:
                raise EmbeddingError(f"The embedder {self.identity} failed: {error}") from error


def _library() -> Any:
    with needs_extra("The fastembed embedder", "fastembed"):
        say_nothing()
        import fastembed
    return fastembed.TextEmbedding


@functools.lru_cache
def _dimension(model: str) -> int:
    known = {str(entry["model"]): int(entry["dim"]) for entry in _library().list_supported_models()}
    for name, dimension in known.items():
        if name.casefold() == model.casefold():
            return dimension
    raise UnknownName(f"fastembed has no model {model!r}; {suggestion(model, known)}")


@functools.lru_cache(maxsize=2)
def _load(model: str, download: bool) -> Any:
    library = _library()
    with nullcontext() if download else _silent_log():
        try:
            return library(model, local_files_only=not download)
        except _failures() as error:
            raise EmbeddingError(f"fastembed cannot load {model!r} {_advice(model, download, error)}") from error


def _advice(model: str, download: bool, error: Exception) -> str:
    if download:
        return f"or download it ({error}) Is the model hub within reach?"
    fetch = f'python -c "from fastembed import TextEmbedding; TextEmbedding({model!r})"'
    return (
        f"from this machine ({error}) Nothing is downloaded unless you ask for it: pass download=True, or fetch it "
        f"once with {fetch} (set FASTEMBED_CACHE_PATH to keep it, for both)."
    )


def _failures() -> tuple[type[Exception], ...]:
    """List the exceptions of fastembed and of its runtime, which share no base class."""
    runtime = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "RuntimeException")
    return (OSError, ValueError, RuntimeError, *(getattr(runtime, name) for name in names))


@contextmanager
def _silent_log() -> Iterator[None]:
    """Silence the log of fastembed: its errors are raised."""
    logger = importlib.import_module("loguru").logger
    logger.disable("fastembed")
    try:
        yield
    finally:
        logger.enable("fastembed")
