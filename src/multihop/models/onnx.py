"""Neural models that come with the package, run by onnxruntime on the processor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOT_INSTALLED = "onnxruntime is not installed (pip install onnxruntime)"
_THREADS = min(4, os.cpu_count() or 1)
_SHARED = ("reader",)
"""Models that read one long text after another; threads share each. What they say is the same with any number."""


class OnnxModel:
    """A loaded model. It may be asked by several threads at once."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(
        self, inputs: Iterable[Mapping[str, NDArray[np.int64]]], *outputs: str
    ) -> list[tuple[NDArray[np.float32], ...]]:
        """Return the named outputs for each input, several at a time; the library releases the GIL meanwhile."""
        with ThreadPoolExecutor(_THREADS) as threads:
            return list(threads.map(lambda each: tuple(self._session.run(outputs, dict(each))), inputs))


def say_nothing() -> None:
    """Keep onnxruntime from reporting to its makers and from leaving an identifier on disk; before its first import."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def load(name: str) -> OnnxModel | None:
    """Load a model by name; None where onnxruntime cannot be had."""
    say_nothing()
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of processors that it cannot name
    # Otherwise one thread for each text: a short one gains nothing from being shared.
    options.intra_op_num_threads = _THREADS if name in _SHARED else 1
    # Threads that wait leave the processors to others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Without VNNI the fast kernel adds products in 16 bits and saturates: scores would depend on the processor.
    options.add_session_config_entry("session.x64quantprecision", "1")
    stored = resources.files(__package__).joinpath("data", f"{name}.onnx").read_bytes()
    return OnnxModel(onnxruntime.InferenceSession(stored, options, providers=["CPUExecutionProvider"]))
