"""Train the encoder: a question lies near its evidence, and a question with a passage near the next one.

    python training/encoder.py --data datasets --pools .training --base bases/minilm --out .training/encoder

Reads the `-pairs.npz` files of training/pools.py for questions, gold and candidates that are not gold, and the corpora
for their texts. A query is a question, or a question followed by one of its gold passages, whose next passage is then
wanted. What is known already is protected: rankings of plain questions stay near those of the base (distillation), and
so do the vectors of passages. Prints, for sets the training does not see, how often a gold passage is among the first
five of a whole corpus, the recall of twenty, and how often the next passage is among the first five.
Needs a GPU for a full run (about four minutes on one H200), and: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from pools import dataset_of
from torch.nn.functional import cross_entropy, log_softmax, normalize, softmax
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoModel

from multihop.models.encoder import follow_up_query, row
from multihop.models.wordpiece import PADDING

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHARES = {"hotpotqa": 0.18, "exfever": 0.18, "hover": 0.04, "written": 0.6}
MEASURED = ("hotpotqa-dev", "musique-train", "2wiki-dev")
TEMPERATURE = 0.05
HARD = 3
"""Candidates of the same question that are not gold, for each gold passage."""
RATE = 1.5e-4
WARM_UP = 80


class Asked(NamedTuple):
    """A question, its gold documents and others that were candidates."""

    question: str
    gold: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Set:
    """The questions of a set and the texts of its corpus, by document."""

    asked: Sequence[Asked]
    texts: Mapping[str, str]


def load(path: Path, texts: Mapping[str, str]) -> Set:
    found = []
    with np.load(path) as stored:
        ends = np.cumsum(stored["sizes"])[:-1]
        ids, golds = np.split(stored["ids"], ends), np.split(stored["gold"], ends)
        for question, documents, near, gold in zip(stored["questions"], stored["documents"], ids, golds, strict=True):
            others = tuple(str(id) for id, is_gold in zip(near, gold, strict=True) if not is_gold and str(id) in texts)
            wanted = tuple(id for id in str(documents).split("\t") if id in texts)
            if wanted and len(others) >= HARD:
                found.append(Asked(str(question), wanted, others))
    return Set(found, texts)


class Batches(IterableDataset[Any]):
    """Endless batches of queries, their passages, and passages that are not theirs."""

    def __init__(self, sets: Mapping[str, Set], size: int) -> None:
        self.sets, self.size = sets, size

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        chance = random.Random(3000 + (worker.id if worker else 0))
        names = list(self.sets)
        while True:
            queries, wanted, others, plain = [], [], [], []
            for name in chance.choices(names, [SHARES[name] for name in names], k=self.size):
                texts = self.sets[name].texts
                asked = chance.choice(self.sets[name].asked)
                passage = chance.choice(asked.gold)
                before = chance.choice([g for g in asked.gold if g != passage] or [""])
                is_plain = not before or chance.random() < 0.5
                queries.append(row(asked.question if is_plain else follow_up_query(asked.question, texts[before])))
                plain.append(is_plain)
                wanted.append(row(texts[passage]))
                others += [row(texts[other]) for other in chance.sample(asked.others, HARD)]
            yield tensors(queries), tensors(wanted + others), torch.tensor(plain)


def tensors(rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
    """Pad rows to the same length."""
    ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=PADDING)
    return {"input_ids": ids, "attention_mask": (ids != PADDING).long()}


class Encoder(torch.nn.Module):
    """A base whose tokens' vectors are averaged and brought to length one."""

    def __init__(self, base: Path, layers: int | None = None) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(base, dtype=torch.float32)
        if layers is not None:
            every = self.encoder.encoder.layer
            self.encoder.encoder.layer = torch.nn.ModuleList([every[i * len(every) // layers] for i in range(layers)])
            self.encoder.config.num_hidden_layers = layers

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state.float()
        mask = attention_mask.unsqueeze(-1).float()
        return normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def to_device(batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: tensor.to(DEVICE, non_blocking=True) for name, tensor in batch.items()}


@torch.no_grad()
def vectors(model: Encoder, texts: Sequence[str], size: int = 1024) -> torch.Tensor:
    model.eval()
    rows = [row(text) for text in texts]
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    found = torch.zeros(len(rows), model.encoder.config.hidden_size, device=DEVICE)
    for start in range(0, len(order), size):
        places = order[start : start + size]
        with torch.autocast(DEVICE, torch.bfloat16):
            found[places] = model(**to_device(tensors([rows[p] for p in places]))).float()
    model.train()
    return found


def measure(model: Encoder, sets: Mapping[str, Set], label: str) -> None:
    cells = []
    for name, measured in sets.items():
        ids = list(measured.texts)
        places = {id: place for place, id in enumerate(ids)}
        matrix = vectors(model, list(measured.texts.values()))
        top = (vectors(model, [a.question for a in measured.asked]) @ matrix.T).topk(20).indices.cpu().numpy()
        first = [any(places[g] in found[:5] for g in a.gold) for a, found in zip(measured.asked, top, strict=True)]
        recall = [np.mean([places[g] in found for g in a.gold]) for a, found in zip(measured.asked, top, strict=True)]
        steps = [(a.question, g, h) for a in measured.asked for g in a.gold for h in a.gold if g != h]
        scores = vectors(model, [follow_up_query(q, measured.texts[g]) for q, g, _ in steps]) @ matrix.T
        scores[range(len(steps)), [places[g] for _, g, _ in steps]] = -1  # the passage itself lies nearest
        nearest = scores.topk(5).indices.cpu().numpy()
        reached = [places[h] in found for (_, _, h), found in zip(steps, nearest, strict=True)]
        cells.append(f"{name} {np.mean(first):.3f} {np.mean(recall):.3f} {np.mean(reached):.3f}")
    print(f"{label}: any@5 recall@20 next@5: {'; '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each set")
    parser.add_argument("--pools", type=Path, default=Path(".training"), help="where training/pools.py --pairs wrote")
    parser.add_argument("--base", type=Path, required=True, help="folder of a small base, such as all-MiniLM-L6-v2")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(".training/encoder"))
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--seconds", type=float, default=1e9, help="a limit")
    parser.add_argument("--size", type=int, default=384, help="queries in one step")
    parser.add_argument("--every", type=int, default=300, help="steps between two measurements")
    parser.add_argument("--workers", type=int, default=12)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    corpora: dict[str, dict[str, str]] = {}
    sets: dict[str, Set] = {}
    for path in sorted(arguments.pools.glob("*-pairs.npz")):
        key = path.name.removesuffix("-pairs.npz")
        name, split = key.rsplit("-", 1)
        if key in MEASURED or (split == "train" and name in SHARES):
            dataset, index = dataset_of(name, arguments.data, split)
            if index not in corpora:
                corpora[index] = {d.id: f"{d.title}: {d.text[:700]}" for d in dataset.documents()}
            sets[key] = load(path, corpora[index])
    trained = {key.removesuffix("-train"): s for key, s in sets.items() if key not in MEASURED}
    measured = {key: Set(s.asked[:300], s.texts) for key, s in sets.items() if key in MEASURED}
    print({key: len(s.asked) for key, s in sets.items()}, flush=True)
    base, model = Encoder(arguments.base).to(DEVICE).eval(), Encoder(arguments.base, arguments.layers).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    measure(base, measured, "base")
    started = time.perf_counter()
    data = DataLoader(Batches(trained, arguments.size), batch_size=None, num_workers=arguments.workers)
    for step, (queries, passages, plain) in enumerate(data):
        done = max(step / arguments.steps, (time.perf_counter() - started) / arguments.seconds)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * max(0.05, 1 - done)
        queries, passages, plain = to_device(queries), to_device(passages), plain.to(DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16):
            asked, found = model(**queries), model(**passages)
            with torch.no_grad():
                known_asked, known = base(**queries), base(**passages)
        near = asked @ found.T / TEMPERATURE
        right = cross_entropy(near, torch.arange(len(asked), device=DEVICE), label_smoothing=0.05)
        taught = softmax(known_asked @ known.T / TEMPERATURE, -1)[plain]
        like_base = -(taught * log_softmax(near[plain], -1)).sum(-1).mean()
        in_place = (1 - (found * known).sum(-1)).mean()
        loss = right + 0.3 * like_base + 0.5 * in_place
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        last = step + 1 >= arguments.steps or done >= 1
        if (step + 1) % arguments.every == 0 or last:
            label = f"step {step + 1}, {time.perf_counter() - started:.0f} s, loss {right:.3f}"
            measure(model, measured, label)
            torch.save(
                {n: t.detach().half().cpu() for n, t in model.state_dict().items()}, arguments.out / "encoder.pt"
            )
        if last:
            break


if __name__ == "__main__":
    main()
