"""Stand-ins for the libraries that need a model hub: their faces as documented, with models that fit on a line."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

DIMENSION = 6


def row(text: str) -> NDArray[np.float32]:
    digest = hashlib.sha256(text.encode()).digest()
    return np.frombuffer(digest[:DIMENSION], dtype=np.uint8).astype(np.float32) + 1


class TextEmbedding:
    """The face of fastembed.TextEmbedding."""

    on_disk: tuple[str, ...] = ("org/cached",)
    loaded: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def list_supported_models(cls) -> list[dict[str, Any]]:
        return [{"model": name, "dim": DIMENSION} for name in ("org/cached", "org/absent", "org/corrupt")]

    def __init__(self, model_name: str, *, local_files_only: bool = False) -> None:
        type(self).loaded += ((model_name, local_files_only),)
        if model_name == "org/corrupt":
            raise RuntimeFailure("Protobuf parsing failed.")
        if local_files_only and model_name not in self.on_disk:
            raise ValueError(f"Could not load model {model_name} from any source.")

    def passage_embed(self, texts: list[str], *, batch_size: int) -> Iterator[NDArray[np.float32]]:
        assert batch_size == 1
        yield from (row(text) for text in texts)

    def query_embed(self, texts: list[str], *, batch_size: int) -> Iterator[NDArray[np.float32]]:
        assert batch_size == 1
        yield from (row("query: " + text) for text in texts)


class RuntimeFailure(Exception):  # like the originals, with no base but Exception
    pass


class Log:
    """The two methods of loguru's logger that are used."""

    def __init__(self) -> None:
        self.silenced: list[str] = []

    def disable(self, name: str) -> None:
        self.silenced.append(name)

    def enable(self, name: str) -> None:
        self.silenced.remove(name)


class SentenceTransformer:
    """The face of sentence_transformers.SentenceTransformer since release 5."""

    loaded: tuple[tuple[str, bool], ...] = ()

    def __init__(self, name: str, *, local_files_only: bool = False) -> None:
        type(self).loaded += ((name, local_files_only),)
        if name == "corrupt":
            raise RuntimeError("size mismatch for embeddings.weight")
        if local_files_only and name != "cached":
            raise OSError("We couldn't connect to 'https://huggingface.co'")
        self.single_precision = False

    def float(self) -> SentenceTransformer:
        self.single_precision = True
        return self

    def get_embedding_dimension(self) -> int | None:
        return DIMENSION if self.single_precision else None

    def encode_query(self, texts: list[str], show_progress_bar: bool) -> NDArray[np.float32]:
        return np.stack([row("query: " + text) for text in texts])

    def encode_document(self, texts: list[str], show_progress_bar: bool) -> NDArray[np.float32]:
        return np.stack([row(text) for text in texts])


def install_fastembed(monkeypatch: pytest.MonkeyPatch) -> Log:
    """Put the stand-ins of fastembed and of its two dependencies in the place of the real ones."""
    log = Log()
    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "RuntimeException")
    _install(monkeypatch, "fastembed", TextEmbedding=TextEmbedding)
    _install(monkeypatch, "loguru", logger=log)
    _install(monkeypatch, "onnxruntime")
    _install(monkeypatch, "onnxruntime.capi")
    _install(monkeypatch, "onnxruntime.capi.onnxruntime_pybind11_state", **dict.fromkeys(names, RuntimeFailure))
    monkeypatch.setattr(TextEmbedding, "loaded", ())
    return log


def install_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, "sentence_transformers", SentenceTransformer=SentenceTransformer)
    monkeypatch.setattr(SentenceTransformer, "loaded", ())


def _install(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: object) -> None:
    module = ModuleType(name)
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, name, module)
