"""Write trained models as ONNX with 8-bit weights, and say how far that takes them from what was trained.

    python training/export.py ranker --base bases/minilm --layers 6 --state .training/ranker/l6.pt
    python training/export.py encoder --base bases/minilm --layers 3 --state .training/encoder/encoder.pt

Needs what training needs, and onnx and onnxruntime: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from encoder import Encoder
from onnxruntime.quantization import QuantType, quantize_dynamic
from ranker import CrossEncoder, Pairs

from multihop.models.encoder import batch as encoder_batch, row
from multihop.models.ranker import batch as ranker_batch

DATA = Path("src/multihop/models/data")
TEXTS = (
    "Who designed the ship that carried Amundsen to the South Pole?",
    "Fram: Fram is a ship that was used in expeditions of the Arctic and Antarctic regions. Colin Archer designed it.",
    "Vienna is the capital of Austria.",
)


class FirstToken(torch.nn.Module):
    """A cross-encoder whose last layer computes the first token alone: the head reads no other."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.bert, self.head = model.encoder, model.head

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        hidden = self.bert.embeddings(input_ids=input_ids, token_type_ids=token_type_ids)
        bias = (1.0 - attention_mask[:, None, None, :].to(hidden.dtype)) * -10000.0
        *before, last = self.bert.encoder.layer
        for layer in before:
            hidden = self._layer(layer, hidden, hidden, bias)
        return self.head(self._layer(last, hidden[:, :1], hidden, bias)[:, 0]).squeeze(-1)

    def _layer(self, layer: Any, asking: Any, hidden: Any, bias: Any) -> Any:
        attention = layer.attention.self
        heads = self.bert.config.num_attention_heads
        q, k, v = (
            part(of).unflatten(-1, (heads, -1)).transpose(1, 2)
            for part, of in ((attention.query, asking), (attention.key, hidden), (attention.value, hidden))
        )
        weights = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + bias, -1)
        mixed = layer.attention.output((weights @ v).transpose(1, 2).flatten(2), asking)
        return layer.output(layer.intermediate(mixed), mixed)


def export(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], names: list[str], out: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = str(Path(folder) / "whole.onnx")
        axes = {name: {0: "texts", 1: "tokens"} for name in names} | {"output": {0: "texts"}}
        torch.onnx.export(
            model,
            inputs,
            whole,
            input_names=names,
            output_names=["output"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(whole, str(out), weight_type=QuantType.QInt8, per_channel=True)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", choices=("ranker", "encoder"))
    parser.add_argument("--base", type=Path, required=True, help="folder of the base that was trained")
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--state", type=Path, required=True, help="what training wrote")
    parser.add_argument("--pairs", type=Path, help="a -pairs.npz file to compare logits on")
    parser.add_argument("--out", type=Path, help=f"default: {DATA}/MODEL.onnx")
    arguments = parser.parse_args()
    out = arguments.out or DATA / f"{arguments.model}.onnx"
    kind = CrossEncoder if arguments.model == "ranker" else Encoder
    model = kind(arguments.base, arguments.layers)
    model.load_state_dict({name: tensor.float() for name, tensor in torch.load(arguments.state).items()})
    model.eval()
    if arguments.model == "ranker":
        rows = [([101, 2040, 102, 2054, 102], 3), ([101, 2040, 102, 2054, 2003, 102], 3)]
        if arguments.pairs is not None:
            pairs = Pairs.load(arguments.pairs)
            rows = [pairs.row(question, place) for question in list(pairs.asked)[:8] for place in range(12)]
        arrays = ranker_batch(rows)
        exported: torch.nn.Module = FirstToken(model).eval()
    else:
        arrays = encoder_batch([row(text) for text in TEXTS])
        exported = model
    inputs = tuple(torch.from_numpy(array) for array in arrays.values())
    with torch.no_grad():
        export(exported, tuple(tensor[:2] for tensor in inputs), list(arrays), out)
        trained = model(*inputs).numpy()
    stored = onnxruntime.InferenceSession(str(out)).run(None, dict(arrays))[0]
    print(f"largest difference from what was trained {np.abs(stored - trained).max():.3f} of {np.ptp(trained):.3f}")


if __name__ == "__main__":
    main()
