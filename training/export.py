"""Write trained models as ONNX with 8-bit weights, and say how far that takes them from what was trained.

    python training/export.py ranker --base bases/minilm --layers 6 --state .training/ranker/l6.pt
    python training/export.py encoder --base bases/minilm --layers 3 --state .training/encoder/encoder.pt

Needs what training needs, and onnx and onnxruntime: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import network
import numpy as np
import onnx
import onnxruntime
import torch
from encoder import Encoder, tensors as encoder_tensors
from ranker import CrossEncoder, Pairs, tensors as ranker_tensors

from multihop.models.encoder import row

DATA = Path("src/multihop/models/data")
TEXTS = (
    "Who designed the ship that carried Amundsen to the South Pole?",
    "Fram: Fram is a ship that was used in expeditions of the Arctic and Antarctic regions. Colin Archer designed it.",
    "Vienna is the capital of Austria.",
)


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
    kind, write = (CrossEncoder, network.ranker) if arguments.model == "ranker" else (Encoder, network.encoder)
    model = kind(arguments.base, arguments.layers)
    model.load_state_dict({name: tensor.float() for name, tensor in torch.load(arguments.state).items()})
    model.eval()
    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    onnx.save(write(state, arguments.layers, model.encoder.config.num_attention_heads), out)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")
    inputs: list[Mapping[str, torch.Tensor]]
    if arguments.model == "encoder":
        inputs = [encoder_tensors([row(text)]) for text in TEXTS]
    else:
        rows = [([101, 2040, 102, 2054, 102], 3), ([101, 2040, 102, 2054, 2003, 102], 3)]
        if arguments.pairs is not None:
            pairs = Pairs.load(arguments.pairs)
            rows = [pairs.row(question, place) for question in list(pairs.asked)[:8] for place in range(12)]
        inputs = [ranker_tensors([one]) for one in rows]
    stored = onnxruntime.InferenceSession(str(out))
    taken = [each.name for each in stored.get_inputs()]
    with torch.no_grad():
        trained = np.array([model(**one)[0].numpy() for one in inputs])
    got = np.array([stored.run(None, {name: one[name].numpy() for name in taken})[0][0] for one in inputs])
    print(f"largest difference from what was trained {np.abs(got - trained).max():.3f} of {np.ptp(trained):.3f}")


if __name__ == "__main__":
    main()
