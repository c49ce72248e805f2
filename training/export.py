"""Write trained models as ONNX with 7-bit weights, and say how far that takes them from what was trained.

    python training/export.py ranker --base bases/minilm --state .training/ranker.pt
    python training/export.py reader --base bases/minilm --state .training/reader/reader.pt
    python training/export.py encoder --base bases/minilm --layers 3 --state .training/encoder/encoder.pt

An average of two models that were trained one from the other forgets less of the first (Wortsman et al. 2022).
Ranker and reader were trained with the rounding of the export, so they are compared with it; the encoder without.
Needs what training needs, and onnx and onnxruntime: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import network
import numpy as np
import onnx
import onnxruntime
import ranker
import reader
import torch
from bert import Network, exported_state, restore, tensors
from encoder import Encoder, tensors as encoder_tensors
from quantized import set_rounding

from multihop.models.encoder import row
from multihop.models.ranker import Row, rows

DATA = Path("src/multihop/models/data")
TEXTS = (
    "Who designed the ship that carried Amundsen to the South Pole?",
    "Fram: Fram is a ship that was used in expeditions of the Arctic and Antarctic regions. Colin Archer designed it.",
    "Vienna is the capital of Austria.",
)
HEADS: Mapping[str, Mapping[str, int]] = {"ranker": ranker.HEADS, "reader": reader.HEADS}
EXPORTED: Mapping[str, Callable[[Network, Any], Sequence[Any]]] = {
    "ranker": lambda model, hidden: [model.first("head", hidden)[:, 0]],
    "reader": lambda model, hidden: [
        model.span(hidden), model.first("kind", hidden)[:, None], model.first("verdict", hidden)[:, None]
    ],
}  # fmt: skip
"""The outputs of the exported model, as the trained one computes them from its last layer."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", choices=("ranker", "reader", "encoder"))
    parser.add_argument("--base", type=Path, required=True, help="folder of the base that was trained")
    parser.add_argument("--layers", type=int, help="of the encoder; the others have all layers of their base")
    parser.add_argument("--state", type=Path, required=True, help="what training wrote")
    parser.add_argument("--with", dest="other", type=Path, help="an exported model of the same base to average with")
    parser.add_argument("--share", type=float, default=0.5, help="of the state in that average")
    parser.add_argument("--pairs", type=Path, help="a -pairs.npz file to compare outputs on")
    parser.add_argument("--out", type=Path, help=f"default: {DATA}/MODEL.onnx")
    arguments = parser.parse_args()
    out = arguments.out or DATA / f"{arguments.model}.onnx"
    if arguments.model == "encoder":
        if arguments.layers is None:
            parser.error("give the --layers of the encoder")
        model = Encoder(arguments.base, arguments.layers)
        model.load_state_dict({name: tensor.float() for name, tensor in torch.load(arguments.state).items()})
        inputs: list[Mapping[str, Any]] = [encoder_tensors([row(text)]) for text in TEXTS]
    else:
        model = Network(arguments.base, HEADS[arguments.model], quantizable=True)
        restore(model, arguments.state)
        if arguments.other is not None:
            other, own, share = exported_state(arguments.other), model.state_dict(), arguments.share
            both = {name: share * own[name] + (1 - share) * other[name] for name in own if name in other}
            model.load_state_dict({**own, **both})
        set_rounding(model, True)
        inputs = [tensors([one]) for one in compared(arguments.pairs)]
    model.eval()
    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    config = model.encoder.config
    layers = arguments.layers or config.num_hidden_layers
    onnx.save(getattr(network, arguments.model)(state, layers, config.num_attention_heads), out)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")
    with torch.no_grad():
        if arguments.model == "encoder":
            trained: list[Sequence[Any]] = [[model(**one)] for one in inputs]
        else:
            trained = [EXPORTED[arguments.model](model, model(**one)[-1]) for one in inputs]
    report(onnxruntime.InferenceSession(str(out)), inputs, trained)


def compared(pairs: Path | None) -> list[Row]:
    """Give rows to compare outputs on: some of a file, or a few texts."""
    if pairs is None:
        return rows(TEXTS[0], [(text, "") for text in TEXTS[1:]])
    stored = ranker.Pairs.load(pairs)
    return [stored.row(question, place) for question in list(stored.asked)[:8] for place in range(12)]


def report(stored: Any, inputs: Sequence[Mapping[str, Any]], trained: Sequence[Sequence[Any]]) -> None:
    taken = [each.name for each in stored.get_inputs()]
    for number, output in enumerate(stored.get_outputs()):
        got = [stored.run([output.name], {name: one[name].numpy() for name in taken})[0] for one in inputs]
        exact = [each[number].float().numpy() for each in trained]
        apart = max(float(np.abs(g - e).max()) for g, e in zip(got, exact, strict=True))
        spread = np.ptp(np.concatenate([e.ravel() for e in exact]))
        print(f"{output.name}: largest difference from what was trained {apart:.3f} of {spread:.3f}")


if __name__ == "__main__":
    main()
