"""Keeps what the models of the package say: hundreds of tests let them read the same.

What a model says depends on its weights and on one input alone, as `models/test_readings.py` checks on the models
themselves; running them is most of the time of a question. The workers of a run share what was read, and so does the
next run with the same weights.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from hashlib import md5, sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multihop.models import onnx
from multihop.models.onnx import OnnxModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Said = tuple[NDArray[np.float32], ...]
    Input = Mapping[str, NDArray[np.int64]]


class KeptModel(OnnxModel):
    """A model that is loaded and run only for what has not been read yet."""

    def __init__(self, name: str, shared: Path) -> None:
        self._name = name
        self._shared = shared
        self._known: dict[str, Said] = {}

    @cached_property
    def model(self) -> OnnxModel:
        """The model itself."""
        loaded = onnx.load(self._name)
        assert loaded is not None
        return loaded

    @cached_property
    def _folder(self) -> Path:
        """Where it is kept: apart from all that another version of weights, settings or library said."""
        code = Path(onnx.__file__)
        digest = sha256(code.read_bytes() + version("onnxruntime").encode())
        digest.update((code.parent / "data" / f"{self._name}.onnx").read_bytes())
        folder = self._shared / f"{self._name}-{digest.hexdigest()[:16]}"
        folder.mkdir(exist_ok=True)
        return folder

    def run(self, inputs: Iterable[Input], *outputs: str) -> list[Said]:
        given = list(inputs)
        keys = [_key(each, outputs) for each in given]
        new = {key: each for key, each in zip(keys, given, strict=True) if not self._knows(key)}
        if new:
            for key, said in zip(new, self.model.run(new.values(), *outputs), strict=True):
                self._keep(key, said)
        return [self._known[key] for key in keys]

    def _knows(self, key: str) -> bool:
        if key not in self._known:
            try:
                self._known[key] = pickle.loads((self._folder / key).read_bytes())
            except FileNotFoundError:
                return False
        return True

    def _keep(self, key: str, said: Said) -> None:
        self._known[key] = said
        # Others read it whole or not at all.
        unfinished = self._folder / f"{key}.{os.getpid()}.{threading.get_ident()}"
        unfinished.write_bytes(pickle.dumps(said))
        unfinished.replace(self._folder / key)


def _key(given: Input, outputs: tuple[str, ...]) -> str:
    digest = md5(repr(outputs).encode())
    for name, array in given.items():
        digest.update(f"{name}{array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def _load(shared: Path, name: str) -> OnnxModel | None:
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return None
    return KeptModel(name, shared)


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Let the models of the package read everything once, as long as this lasts; before one of them is loaded."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("encoder", "ranker", "reader"):
            # By its full name: in the package, the function that loads the model has the name of its module.
            patch.setattr(import_module(f"multihop.models.{name}"), "load", partial(_load, folder))
        yield
