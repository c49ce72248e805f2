"""Continue the ranker on many kinds of text, with the rounding of the exported model in the last part.

    python training/ranker.py --pools .training .training/pools-of-kinds --base bases/minilm
        --start src/multihop/models/data/ranker.onnx --out .training/ranker.pt

Reads the `-pairs.npz` files of training/pools.py. A step takes groups of one gold passage and fifteen others of the
same question, two in three of them from the first 24; how often a set comes up is in `WEIGHTS`. A passage is read in
the short excerpt that the package reads or, more often, in a long one. On sets from Wikipedia the ranker also keeps to
what it thought before (Li and Hoiem 2016), so that other kinds of text do not cost it what only links lead to. Sets
that have no weight are only measured on.
Needs a GPU for a full run (about six minutes on one H200), and: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bert import DEVICE, Batch, Learning, Network, restore, save, tensors, to_device
from numpy.typing import NDArray
from quantized import set_rounding
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, log_softmax, softmax
from torch.utils.data import DataLoader, IterableDataset

from multihop.models.ranker import QUESTION, Row
from multihop.models.wordpiece import END, START

WEIGHTS = {
    "written": 55, "hotpotqa": 32, "exfever": 32, "hover": 14, "musique": 22, "obliqa": 34, "phantom8": 30,
    "headings": 16, "claims": 14, "squad": 12, "newwiki": 12, "reddit": 18, "amazon": 18, "policy": 14, "nq": 12,
    "condqa": 16, "meetings": 16, "series": 16, "chats": 10, "play": 10, "stories": 20, "trivia": 14, "rules": 12,
    "papers": 14, "reports": 12,
}  # fmt: skip
KNOWN = ("written", "hotpotqa", "exfever", "hover", "musique")
"""Sets that the ranker to continue was trained on."""
HEADS = {"head": 1}
GROUP = 16
NEAR = 24
"""Candidates before this place are near misses: the trees or BM25 rank them high."""
LONG_SHARE, LENGTHS = 0.65, (110, 130, 150, 200)
"""How often a group is read in long excerpts, and how many tokens of them."""
MEASURED = (None, 130, 200)
ODDS = (0.0, 0.5, 1.0)
"""What the odds of the trees may weigh beside the logit when figures are printed."""
ROUNDED = 0.7
"""The share of the steps after which weights and activations are rounded."""
RATE, WARM_UP = 1e-4, 80


@dataclass(frozen=True, eq=False)
class Pairs:
    """What a ranker reads of the questions of a set, tokens in one row."""

    stored: Mapping[str, NDArray[Any]]
    starts: Mapping[str, NDArray[np.int64]]
    first: NDArray[np.int64]
    """Where the candidates of a question begin."""
    asked: Sequence[int]
    """Which questions of the file belong to this value."""

    @classmethod
    def load(cls, path: Path) -> Pairs:
        with np.load(path) as file:
            stored = {name: file[name] for name in file.files}
        starts = {n: _starts(stored[f"{n}_lengths"]) for n in ("question", "passage", "long", "whole", "link")}
        return cls(stored, starts, _starts(stored["sizes"]), range(len(stored["sizes"])))

    def useful(self) -> Pairs:
        """Keep the questions that a group can be made of."""
        kept = [q for q in self.asked if self.gold(q).any() and (~self.gold(q)).sum() >= GROUP - 1]
        return Pairs(self.stored, self.starts, self.first, kept)

    def gold(self, question: int) -> NDArray[np.bool_]:
        return self.stored["gold"][self.first[question] : self.first[question + 1]]

    def odds(self, question: int) -> NDArray[np.float32]:
        return self.stored["odds"][self.first[question] : self.first[question + 1]]

    def row(self, question: int, place: int, length: int | None = None) -> Row:
        """Give a candidate as `multihop.models.ranker.rows` does; with a length, so many tokens of a long excerpt."""
        asked = [START, *self.tokens("question", question)[:QUESTION], END]
        at = int(self.first[question]) + place
        row = [*asked, *(self.tokens("passage", at) if length is None else self.tokens("long", at)[:length]), END]
        link = self.tokens("link", at)
        return ([*row, *link, END] if link else row), len(asked)

    def tokens(self, name: str, place: int) -> list[int]:
        starts = self.starts[name]
        found: list[int] = self.stored[name][starts[place] : starts[place + 1]].tolist()
        return found


def _starts(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def find_pairs(folders: Sequence[Path]) -> dict[str, Path]:
    """Find collected pairs by their set and split, such as `hover-train`."""
    return {p.name.removesuffix("-pairs.npz"): p for folder in folders for p in sorted(folder.glob("*-pairs.npz"))}


class Groups(IterableDataset[Batch]):
    """Endless groups of one gold passage and others, as batches."""

    def __init__(self, sets: Mapping[str, Pairs], groups: int) -> None:
        self.sets, self.groups = sets, groups

    def __iter__(self) -> Iterator[Batch]:
        worker = torch.utils.data.get_worker_info()
        chance = random.Random(3 + 101 * (worker.id if worker else 0))
        weights = [WEIGHTS[name] for name in self.sets]
        while True:
            drawn = chance.choices(list(self.sets), weights, k=self.groups)
            batch = tensors([row for name in drawn for row in _group(self.sets[name], chance)])
            yield {**batch, "kept": torch.tensor([float(name in KNOWN) for name in drawn])}


def _group(pairs: Pairs, chance: random.Random) -> list[Row]:
    question = chance.choice(pairs.asked)
    gold = pairs.gold(question)
    others = np.flatnonzero(~gold).tolist()
    near, far = [o for o in others if o < NEAR], [o for o in others if o >= NEAR]
    chosen = chance.sample(near, min(len(near), (GROUP - 1) * 2 // 3))
    chosen += chance.sample(far, min(len(far), GROUP - 1 - len(chosen)))
    chosen += chance.choices(others, k=GROUP - 1 - len(chosen))
    length = chance.choice(LENGTHS) if chance.random() < LONG_SHARE else None
    return [pairs.row(question, p, length) for p in (chance.choice(np.flatnonzero(gold).tolist()), *chosen)]


def loss_of(model: Network, before: Network | None, batch: Batch, groups: int) -> Any:
    """Compare the gold passage of each group with the others, and the whole group with what `before` makes of it."""
    inputs = {name: tensor for name, tensor in batch.items() if name != "kept"}
    first = torch.zeros(groups, dtype=torch.long, device=DEVICE)
    each = torch.zeros(groups, GROUP, device=DEVICE)
    each[:, 0] = 1
    with torch.autocast(DEVICE, torch.bfloat16):
        found = model.first("head", model(**inputs)[-1]).view(groups, GROUP)
    loss = cross_entropy(found, first, label_smoothing=0.03) + 0.3 * binary_cross_entropy_with_logits(found, each)
    if before is not None:
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
            thought = before.first("head", before(**inputs)[-1]).view(groups, GROUP)
        apart = -(softmax(thought, -1) * log_softmax(found, -1)).sum(-1) + 0.1 * (thought - found).square().mean(-1)
        loss = loss + (apart * batch["kept"]).mean()
    return loss


@torch.no_grad()
def logits(model: Network, pairs: Pairs, length: int | None, size: int = 768) -> list[NDArray[np.float32]]:
    """Score every candidate of every question."""
    jobs = [pairs.row(q, place, length) for q in pairs.asked for place in range(len(pairs.gold(q)))]
    found = np.zeros(len(jobs), np.float32)
    order = sorted(range(len(jobs)), key=lambda job: len(jobs[job][0]))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        with torch.autocast(DEVICE, torch.bfloat16):
            hidden = model(**to_device(tensors([jobs[p] for p in places])))[-1]
            found[places] = model.first("head", hidden)[:, 0].cpu().numpy()
    return np.split(found, np.cumsum([len(pairs.gold(q)) for q in pairs.asked])[:-1])


def figures(pairs: Pairs, scores: Sequence[NDArray[np.float32]]) -> str:
    """Recall at 5 and the share of questions with all their gold among the first 21."""
    recall, complete = [], []
    for question, score in zip(pairs.asked, scores, strict=True):
        wanted = pairs.stored["wanted"][question]
        gold = pairs.gold(question)[np.argsort(-score, kind="stable")]
        recall.append(gold[:5].sum() / wanted)
        complete.append(gold[:21].sum() == wanted)
    return f"{np.mean(recall):.3f}/{np.mean(complete):.3f}"


def judge(model: Network, sets: Mapping[str, Pairs]) -> None:
    """Print figures by the trees alone, and by the ranker with some weight of the trees."""
    model.eval()
    set_rounding(model, True)
    for name, pairs in sets.items():
        odds = [pairs.odds(q) for q in pairs.asked]
        cells = [f"trees {figures(pairs, odds)}"]
        for length in MEASURED:
            found = logits(model, pairs, length)
            for weight in ODDS:
                summed = [logit + np.float32(weight) * odd for logit, odd in zip(found, odds, strict=True)]
                cells.append(f"{length or 'short'} + {weight} trees {figures(pairs, summed)}")
        print(f"{name}, {len(pairs.asked)} questions: {', '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pools", type=Path, nargs="+", default=[Path(".training")], help="where pools.py wrote")
    parser.add_argument("--base", type=Path, required=True, help="folder of a small base, such as all-MiniLM-L6-v2")
    parser.add_argument("--start", type=Path, help="ranker to continue: an exported .onnx, or a state; none: the base")
    parser.add_argument("--out", type=Path, default=Path(".training/ranker.pt"))
    parser.add_argument("--steps", type=int, default=765)
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long, if not sooner")
    parser.add_argument("--groups", type=int, default=64, help="in one step")
    parser.add_argument("--without", nargs="*", default=[], help="sets to leave out, to see what they are worth")
    parser.add_argument("--workers", type=int, default=5)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    files = find_pairs(arguments.pools)
    trained = [name for name in WEIGHTS if name not in arguments.without and f"{name}-train" in files]
    sets = {name: pairs for name in trained if (pairs := Pairs.load(files[f"{name}-train"]).useful()).asked}
    if not sets:
        parser.error(f"no pairs to train on in {', '.join(map(str, arguments.pools))}; run training/pools.py --pairs")
    print({name: len(pairs.asked) for name, pairs in sets.items()}, flush=True)
    model = Network(arguments.base, HEADS, quantizable=True)
    before = None
    if arguments.start is not None:
        restore(model, arguments.start)
        before = Network(arguments.base, HEADS, quantizable=True).to(DEVICE).eval()
        restore(before, arguments.start)
    learning, losses = Learning(model, RATE, arguments.steps, WARM_UP, arguments.seconds), []
    data = Groups(sets, arguments.groups)
    waiting = iter(DataLoader(data, batch_size=None, num_workers=arguments.workers, pin_memory=DEVICE == "cuda"))
    while learning.done < 1:
        set_rounding(model, learning.done >= ROUNDED)
        loss = loss_of(model, before, to_device(next(waiting)), arguments.groups)
        learning.step(loss)
        losses.append(loss.detach())
        if learning.taken % 200 == 0 or learning.done == 1:
            mean = torch.stack(losses[-200:]).mean().item()
            print(f"step {learning.taken}, {learning.spent:.0f} s, loss {mean:.3f}", flush=True)
    save(model, arguments.out)
    measured = {name: path for name, path in files.items() if name.removesuffix("-train") not in sets}
    judge(model, {name: Pairs.load(path) for name, path in measured.items()})


if __name__ == "__main__":
    main()
