"""The way from questions to models, in small: a base of random weights, a few steps, and the ONNX files in use."""

from __future__ import annotations

import importlib
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from multihop.models.onnx import OnnxModel
from multihop.models.ranker import Ranker
from multihop.models.reader import BuiltInReader, BuiltInVerifier

from .test_training import data, run

__all__ = ["data"]

pytestmark = pytest.mark.training


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of random weights."""
    transformers = importlib.import_module("transformers")
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    folder = tmp_path_factory.mktemp("base")
    transformers.BertModel(transformers.BertConfig(vocab_size=30522, **small)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def pools(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pools")
    run(
        "pools.py", "hotpotqa:40", "--data", data, "--indexes", folder, "--out", folder, "--processes", 1, "--pairs", 24
    )
    return folder


def test_a_ranker_is_trained_exported_and_continued(pools: Path, base: Path, tmp_path: Path) -> None:
    state, exported = tmp_path / "ranker.pt", tmp_path / "ranker.onnx"
    small = ("--pools", pools, "--base", base, "--steps", 4, "--groups", 2, "--workers", 0)
    assert "step 4" in run("ranker.py", *small, "--out", state)
    written = run("export.py", "ranker", "--base", base, "--state", state, "--out", exported)
    assert "output: largest difference from what was trained" in written
    ranker = Ranker(OnnxModel(onnxruntime.InferenceSession(exported)))
    scores = ranker.score("Who designed the Fram?", [("Fram: a ship.", ""), ("Tea: a drink.", "Tea is drunk.")])
    assert np.isfinite(scores).all()
    assert scores[0] != scores[1]
    assert "step 4" in run("ranker.py", *small, "--start", exported, "--out", tmp_path / "again.pt")


def test_a_reader_is_trained_by_a_teacher_and_exported(pools: Path, base: Path, tmp_path: Path) -> None:
    _write_reading_sets(tmp_path / "data")
    examples, out = tmp_path / "reading.pkl", tmp_path / "reader"
    assert "squad: 30 questions" in run("reading_examples.py", "--data", tmp_path / "data", "--out", examples)
    said = run(
        "reader.py", "--examples", examples, "--pools", pools, "--teacher", base, "--student", base, "--out", out,
        "--steps", 2, 3, 2, "--batch", 3, 3, "--workers", 0,
    )  # fmt: skip
    assert "teacher step 2" in said
    assert "reader: verdicts on stances" in said
    again = run(
        "reader.py", "--examples", examples, "--teacher", base, "--taught", out / "teacher.pt", "--student", base,
        "--start", out / "reader.pt", "--out", tmp_path / "again", "--steps", 2, 3, 2, "--batch", 3, 3, "--workers", 0,
    )  # fmt: skip
    assert "teacher step" not in again
    assert again.index("start: verdicts on stances") < again.index("reader: verdicts on stances")
    exported = tmp_path / "reader.onnx"
    written = run("export.py", "reader", "--base", base, "--state", out / "reader.pt", "--out", exported)
    assert {line.split(":")[0] for line in written.splitlines()[1:]} == {"span", "kind", "verdict"}
    model = OnnxModel(onnxruntime.InferenceSession(exported))
    found = BuiltInReader(model).read("Who designed the Fram?", ["Colin Archer designed it."])
    assert found.spans
    assert 0 < sum(s.probability for s in found.spans) + found.yes + found.no + found.none < 1.000001
    [judgement] = BuiltInVerifier(model).verify("Fram is a ship.", ["Fram was a ship."])
    assert judgement.supported + judgement.contradicted + judgement.neither == pytest.approx(1)


def _write_reading_sets(folder: Path) -> None:
    for name in ("reading", "verifying"):
        (folder / name).mkdir(parents=True)
    texts = [f"Colin Archer designed ship number {n}." for n in range(30)]
    asked = [
        {"question": f"Who designed {n}?", "context": t, "answers": [{"text": "Colin Archer", "start": 0}]}
        for n, t in enumerate(texts)
    ]
    _pack(folder / "reading" / "squad11_train44.jsonl.xz", asked)
    judged = [{"claim": f"Ship {n} was designed.", "evidence": [t], "label": "supported"} for n, t in enumerate(texts)]
    _pack(folder / "verifying" / "snli_devtest.jsonl.xz", judged)


def _pack(path: Path, rows: Sequence[object]) -> None:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("scale", [0.02, 1.0, 30.0])
def test_a_quantized_layer_computes_what_the_exported_one_does(scale: float, tmp_path: Path) -> None:
    torch, quantized = importlib.import_module("torch"), importlib.import_module("quantized")
    draw = np.random.default_rng(int(scale * 100))
    inputs = (draw.normal(size=(1, 7, 48)) * scale + scale / 3).astype(np.float32)
    layer = torch.nn.Sequential(torch.nn.Linear(48, 20))
    quantized.make_quantizable(layer)
    state = {name.removeprefix("0."): tensor.numpy() for name, tensor in layer.state_dict().items()}
    exact = layer(torch.tensor(inputs)).detach().numpy()
    quantized.set_rounding(layer, True)
    rounded = layer(torch.tensor(inputs)).detach().numpy()
    by_integers = _integer_product(inputs[0], state["weight"], state["bias"])
    tolerance = 1e-5 * float(np.abs(exact).max())
    np.testing.assert_allclose(rounded[0], by_integers, rtol=1e-5, atol=tolerance)
    np.testing.assert_allclose(rounded, _exported(state, inputs, tmp_path / "layer.onnx"), rtol=1e-5, atol=tolerance)
    assert np.abs(rounded - exact).max() > tolerance


def test_gradients_pass_as_if_nothing_were_rounded() -> None:
    torch, quantized = importlib.import_module("torch"), importlib.import_module("quantized")
    layer = quantized.QuantizedLinear(8, 3)
    quantized.set_rounding(layer, True)
    inputs = torch.randn(2, 4, 8, requires_grad=True)
    layer(inputs).sum().backward()
    rounded = quantized.rounded_weights(layer.weight.detach())
    torch.testing.assert_close(inputs.grad, rounded.sum(0).expand(2, 4, 8))


def _integer_product(
    inputs: NDArray[np.float32], weights: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply as the runtime does: 8-bit activations with a zero, 7-bit weights with a scale for each output."""
    least, greatest = min(inputs.min(), np.float32(0)), max(inputs.max(), np.float32(0))
    step = (greatest - least) / np.float32(255)
    zero = int(np.round(-least / step))
    values = np.clip(np.round(inputs / step).astype(np.int32) + zero, 0, 255)
    scales = np.abs(weights).max(axis=1) / np.float32(63)
    by = np.clip(np.round(weights / scales[:, None]), -63, 63).astype(np.int32)
    product: NDArray[np.float32] = ((values - zero) @ by.T).astype(np.float32) * step * scales + bias
    return product


def _exported(state: dict[str, Any], inputs: NDArray[np.float32], path: Path) -> NDArray[np.float32]:
    """Run one layer as `network.py` writes it."""
    network, onnx = importlib.import_module("network"), importlib.import_module("onnx")
    size = {"encoder.embeddings.LayerNorm.weight": np.ones(inputs.shape[-1], np.float32)}
    graph = network.Graph({**size, **{f"layer.{name}": value for name, value in state.items()}}, 1)
    found = graph.product("inputs", "layer")
    shapes = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in ("inputs", found)]
    written = onnx.helper.make_graph(graph.nodes, "layer", shapes[:1], shapes[1:], list(graph.constants.values()))
    sets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    onnx.save(onnx.helper.make_model(written, opset_imports=sets, ir_version=8), path)
    output: NDArray[np.float32] = onnxruntime.InferenceSession(path).run(None, {"inputs": inputs})[0]
    return output
