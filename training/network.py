"""The models as ONNX graphs, written node by node and read one text at a time: nothing is padded, so nothing is masked.

Weights are quantized to 7 bits with a scale for each output, embeddings to 8 bits with one for the whole table, and
activations to 8 bits when the model runs. Seven bits, because processors without VNNI add pairs of products in 16 bits:
2 × 255 × 63 fits, 2 × 255 × 127 saturates, and the same model would give other scores there. Attention reads its heads
without a transpose (`transBatch`), and query, key and value share one quantization of their input: together a tenth
less time than the graph that a general exporter writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

State = Mapping[str, NDArray[np.float32]]
_OWN = "com.microsoft"
_EPSILON = 1e-12
LARGEST = 63
"""The largest weight: seven bits and a sign."""


class Graph:
    """A graph that grows by nodes; each gives back the name of what it computes."""

    def __init__(self, state: State, heads: int) -> None:
        self.state = state
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        size = state["encoder.embeddings.LayerNorm.weight"].size
        self.by_head = self.constant("by head", np.array([-1, heads, size // heads]))
        self.whole = self.constant("whole", np.array([1, -1, size]))
        self.zero = self.constant("0", np.array([0]))
        self.one = self.constant("1", np.array([1]))
        self.scale = float((size // heads) ** -0.5)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        names = [f"{len(self.nodes)} {kind} {i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def product(self, of: str | Sequence[str], name: str) -> str:
        """Multiply by a layer's weights and add its bias; `of` may be quantized already: values, scale and zero."""
        weights = self.state[f"{name}.weight"].T
        scales = np.maximum(np.abs(weights).max(axis=0), np.float32(1e-8)) / np.float32(LARGEST)
        quantized = np.clip(np.round(weights / scales), -LARGEST, LARGEST).astype(np.int8)
        by = self.constant(f"{name}.weight", quantized)
        scale = self.constant(f"{name}.scale", scales)
        zero = self.constant(f"{name}.zero", np.zeros(len(scales), np.int8))
        bias = self.constant(f"{name}.bias", self.state[f"{name}.bias"])
        if isinstance(of, str):
            return str(self.node("DynamicQuantizeMatMul", of, by, scale, zero, bias, domain=_OWN))
        values, own_scale, own_zero = of
        inputs = (values, by, own_scale, scale, own_zero, zero, bias)
        return str(self.node("MatMulIntegerToFloat", *inputs, domain=_OWN))

    def embedded(self, name: str, ids: str) -> str:
        table = self.state[f"encoder.embeddings.{name}.weight"]
        least, most = min(table.min(), 0), max(table.max(), 0)
        step = (most - least) / np.float32(255)
        zero = np.round(-least / step)
        quantized = np.clip(np.round(table / step) + zero, 0, 255).astype(np.uint8)
        found = self.node("Gather", self.constant(name, quantized), ids)
        scale, zeros = (
            self.constant(f"{name} {what}", np.asarray(value, kind))
            for what, value, kind in (("scale", step, np.float32), ("zero", zero, np.uint8))
        )
        return str(self.node("DequantizeLinear", found, scale, zeros))

    def normalized(self, of: str, name: str) -> str:
        weight, bias = (self.constant(f"{name}.{part}", self.state[f"{name}.{part}"]) for part in ("weight", "bias"))
        return str(self.node("LayerNormalization", of, weight, bias, epsilon=_EPSILON, axis=-1))

    def embeddings(self, types: str) -> str:
        """Embed tokens, their places and which part each belongs to."""
        places = self.constant("places", np.arange(len(self.state["encoder.embeddings.position_embeddings.weight"])))
        length = self.node("Shape", "input_ids", start=1, end=2)
        found = self.node(
            "Add", self.embedded("word_embeddings", "input_ids"), self.embedded("token_type_embeddings", types)
        )
        here = self.embedded("position_embeddings", self.node("Slice", places, self.zero, length))
        return self.normalized(self.node("Add", found, here), "encoder.embeddings.LayerNorm")

    def first(self, hidden: str) -> str:
        """Take the first token alone."""
        return str(self.node("Slice", hidden, self.zero, self.one, self.one))

    def layer(self, number: int, hidden: str, asking: str = "") -> str:
        """Add a layer; with `asking`, what it makes of other tokens than those they ask."""
        name = f"encoder.encoder.layer.{number}"
        apart, asking = bool(asking), asking or hidden
        quantized = self.node("DynamicQuantizeLinear", hidden, outputs=3)
        q, k, v = (
            self.node("Reshape", self.product(of, f"{name}.attention.self.{part}"), self.by_head)
            for part, of in (("query", asking if apart else quantized), ("key", quantized), ("value", quantized))
        )
        near = self.node("FusedMatMul", q, k, domain=_OWN, transB=1, transBatchA=1, transBatchB=1, alpha=self.scale)
        mixed = self.node("FusedMatMul", self.node("Softmax", near, axis=-1), v, domain=_OWN, transBatchB=1)
        attended = self.node("Reshape", self.node("Transpose", mixed, perm=[1, 0, 2]), self.whole)
        attended = self.node("Add", self.product(attended, f"{name}.attention.output.dense"), asking)
        attended = self.normalized(attended, f"{name}.attention.output.LayerNorm")
        output = self.node("Gelu", self.product(attended, f"{name}.intermediate.dense"), domain=_OWN)
        output = self.node("Add", self.product(output, f"{name}.output.dense"), attended)
        return self.normalized(output, f"{name}.output.LayerNorm")

    def model(self, inputs: Sequence[str], outputs: Mapping[str, tuple[str, Sequence[str | int]]]) -> ModelProto:
        """Finish the graph; `outputs` are what each is computed by, and its shape."""
        for name, (computed, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [computed], [name]))
        graph = helper.make_graph(
            self.nodes,
            "multihop",
            [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, (_, shape) in outputs.items()],
            list(self.constants.values()),
        )
        sets = [helper.make_opsetid("", 17), helper.make_opsetid(_OWN, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=8)


def ranker(state: State, layers: int, heads: int) -> ModelProto:
    """Write a cross-encoder, whose head reads the first token alone: the last layer computes no other."""
    graph = Graph(state, heads)
    hidden = graph.embeddings("token_type_ids")
    for number in range(layers - 1):
        hidden = graph.layer(number, hidden)
    hidden = graph.layer(layers - 1, hidden, graph.first(hidden))
    logit = graph.node("Reshape", graph.product(hidden, "head"), graph.constant("-1", np.array([-1])))
    return graph.model(["input_ids", "token_type_ids"], {"output": (logit, [1])})


def reader(state: State, layers: int, heads: int) -> ModelProto:
    """Write a reader and verifier: two logits for each token, and the kind of answer and a verdict for the first."""
    graph = Graph(state, heads)
    hidden = graph.embeddings("token_type_ids")
    for number in range(layers):
        hidden = graph.layer(number, hidden)
    first = graph.first(hidden)
    outputs: dict[str, tuple[str, Sequence[str | int]]] = {
        "span": (graph.product(hidden, "span"), [1, "tokens", 2]),
        "kind": (graph.product(first, "kind"), [1, 1, 4]),
        "verdict": (graph.product(first, "verdict"), [1, 1, 3]),
    }
    return graph.model(["input_ids", "token_type_ids"], outputs)


def encoder(state: State, layers: int, heads: int) -> ModelProto:
    """Write a bi-encoder: the mean of its tokens, at length one."""
    graph = Graph(state, heads)
    hidden = graph.embeddings(graph.zero)
    for number in range(layers):
        hidden = graph.layer(number, hidden)
    mean = graph.node("ReduceMean", hidden, axes=[1], keepdims=0)
    size = state["encoder.embeddings.LayerNorm.weight"].size
    return graph.model(["input_ids"], {"output": (graph.node("LpNormalization", mean, axis=-1, p=2), [1, size])})
