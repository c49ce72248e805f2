"""Runs the built-in neural models with onnxruntime on the CPU."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOT_INSTALLED = "onnxruntime is not installed (pip install onnxruntime)"
_THREADS = min(4, os.cpu_count() or 1)
_SHARED = ("reader",)
"""Models for long texts, each of which all threads share; results do not depend on the number of threads."""
_SEVEN_BITS = ("ranker", "reader")
"""Models whose weights have 7 bits, which no kernel saturates."""


class OnnxModel:
    """A loaded model; thread-safe."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(
        self, inputs: Iterable[Mapping[str, NDArray[np.int64]]], *outputs: str
    ) -> list[tuple[NDArray[np.float32], ...]]:
        """Return the named outputs for each input, computed in parallel; onnxruntime releases the GIL."""
        written = list(inputs)
        if len(written) < 2:
            return [self._run(each, outputs) for each in written]
        with ThreadPoolExecutor(min(_THREADS, len(written))) as threads:
            return list(threads.map(lambda each: self._run(each, outputs), written))

    def _run(self, each: Mapping[str, NDArray[np.int64]], outputs: Sequence[str]) -> tuple[NDArray[np.float32], ...]:
        return tuple(self._session.run(outputs, dict(each)))


def say_nothing() -> None:
    """Disable the telemetry of onnxruntime and its identifier on disk; call it before the first import."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def load(name: str) -> OnnxModel | None:
    """Load a model by name; None if onnxruntime is unavailable."""
    say_nothing()
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns about unknown processors
    # Otherwise one thread per text, since splitting a short one gains nothing.
    options.intra_op_num_threads = _THREADS if name in _SHARED else 1
    # Idle threads must not spin.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if name in _SEVEN_BITS:
        # Their graphs are written as optimized ones: looking for more to do takes most of the time of loading them.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    else:
        # Without VNNI, the fast kernel saturates at 16 bits, and results would depend on the processor. This changes
        # the graph, as an optimization does.
        options.add_session_config_entry("session.x64quantprecision", "1")
    stored = resources.files(__package__).joinpath("data", f"{name}.onnx").read_bytes()
    return OnnxModel(onnxruntime.InferenceSession(stored, options, providers=["CPUExecutionProvider"]))
