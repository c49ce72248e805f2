"""Measure `auto` on a set without a dev split: each question with trees that never saw it, five folds.

    python training/folds.py --data datasets --pools .training musique

The ranker is the one of the package; it was not trained on MuSiQue. The pools are those that the trees are fitted to.
Needs LightGBM: pip install --group training
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from boost import TREES, collected, folds_of
from pools import build, dataset_of

from multihop import Engine
from multihop.index.embedders import EncoderEmbedder
from multihop.models import boosted_trees
from multihop.parts.selectors import ranked, unread
from multihop.strategies import AUTO, AUTO_FAST

STRATEGIES = {
    "auto-fast": AUTO_FAST,
    "auto without its ranker": replace(AUTO, selector=unread(AUTO.selector)),
    "auto": AUTO,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("set", help="hotpotqa, exfever, hover or musique")
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each set")
    parser.add_argument("--pools", type=Path, default=Path(".training"), help="where training/pools.py wrote them")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--encoder", action="store_true", help="over an index with vectors of the encoder")
    arguments = parser.parse_args()
    sets, written = collected(arguments.pools)
    if arguments.set not in sets:
        parser.error(f"no {arguments.set}-train.npz in {arguments.pools}; training/pools.py writes it")
    dataset, index = dataset_of(arguments.set, arguments.data, "train")
    path = arguments.indexes / f"{index}{'-encoder' if arguments.encoder else ''}.mh"
    build(path, dataset, EncoderEmbedder() if arguments.encoder else None)
    with np.load(arguments.pools / f"{arguments.set}-train.npz") as stored:
        texts = stored["questions"].tolist()
    gold = {question.text: set(question.gold) for question in dataset.questions}
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in STRATEGIES}
    with Engine.open(path) as engine:
        for trees, left_out in folds_of(sets, written, TREES):
            setattr(ranked, boosted_trees.__name__, lambda trees=trees: trees)
            for text in (texts[place] for place in left_out[arguments.set]):
                wanted = gold[text]
                for name, strategy in STRATEGIES.items():
                    got = [e.passage.document_id for e in engine.retrieve(text, k=21, strategy=strategy)]
                    found[name].append((len(wanted & set(got[:5])) / len(wanted), wanted <= set(got)))
    for name, measured in found.items():
        recall, complete = np.mean(measured, axis=0)
        print(f"{arguments.set} train, five folds, {len(measured)} questions, {name}: {recall:.3f} / {complete:.3f}")


if __name__ == "__main__":
    main()
