"""Train the ranker: a large cross-encoder learns from questions with known evidence, small ones learn from it.

    python training/ranker.py --pools .training --teacher bases/mpnet --student bases/minilm --out .training/ranker

Reads the `-pairs.npz` files of training/pools.py. A step takes groups of one gold passage and fifteen others of the
same question, two in three of them from the first 24; 30 % of the groups are labelled questions, the others written
ones. The state with the best figures on held-out train questions and on MuSiQue, of which nothing is trained on, is
kept. The students have as many layers as --layers says, spread evenly over the base.
Needs a GPU for a full run (about fifteen minutes on one H200), and: pip install --group training-gpu
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, log_softmax, scaled_dot_product_attention, softmax
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoModel
from transformers.models.mpnet.modeling_mpnet import MPNetSelfAttention

from multihop.models.ranker import Row
from multihop.models.wordpiece import END, PADDING, START

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LABELLED = ("hotpotqa", "exfever", "hover")
UNSEEN = "musique"
HELD_OUT = 0.15
LABELLED_SHARE = 0.3
GROUP = 16
NEAR = 24
"""Candidates before this place are near misses: the trees rank them high."""
SOFT = 0.7
"""How much of the student's loss is agreement with the teacher; the rest is the gold."""
WARM_UP = 80
WEIGHTS = (0.5, 1.0, 2.0, 4.0)
"""What the logit may weigh beside the odds of the trees when a state is judged."""

Batch = Mapping[str, torch.Tensor]


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
        starts = {n: _starts(stored[f"{n}_lengths"]) for n in ("question", "passage", "link")}
        return cls(stored, starts, _starts(stored["sizes"]), range(len(stored["sizes"])))

    def only(self, asked: Sequence[int]) -> Pairs:
        return Pairs(self.stored, self.starts, self.first, asked)

    def complete(self) -> Pairs:
        """Keep the questions all of whose gold is among the candidates."""
        return self.only([q for q in self.asked if self.gold(q).sum() == self.stored["wanted"][q]])

    def useful(self) -> Pairs:
        return self.only([q for q in self.asked if self.gold(q).any() and not self.gold(q).all()])

    def gold(self, question: int) -> NDArray[np.bool_]:
        return self.stored["gold"][self.first[question] : self.first[question + 1]]

    def odds(self, question: int) -> NDArray[np.float32]:
        return self.stored["odds"][self.first[question] : self.first[question + 1]]

    def row(self, question: int, place: int) -> tuple[list[int], int]:
        """Give the tokens of a candidate as `multihop.models.ranker.rows` writes them."""
        asked = [START, *self._tokens("question", question), END]
        row = [*asked, *self._tokens("passage", self.first[question] + place), END]
        link = self._tokens("link", self.first[question] + place)
        return ([*row, *link, END] if link else row), len(asked)

    def _tokens(self, name: str, place: int) -> list[int]:
        starts = self.starts[name]
        return self.stored[name][starts[place] : starts[place + 1]].tolist()


def _starts(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


class Groups(IterableDataset[Batch]):
    """Endless groups of one gold passage and others, as batches."""

    def __init__(self, labelled: Sequence[Pairs], written: Pairs | None, groups: int, seed: int) -> None:
        self.labelled, self.written, self.groups, self.seed = labelled, written, groups, seed

    def __iter__(self) -> Iterator[Batch]:
        worker = torch.utils.data.get_worker_info()
        chance = random.Random(self.seed * 1000 + (worker.id if worker else 0))
        shares = [len(pairs.asked) ** 0.5 for pairs in self.labelled]
        while True:
            rows = []
            for _ in range(self.groups):
                written = self.written is not None and chance.random() >= LABELLED_SHARE
                pairs = self.written if written else chance.choices(self.labelled, shares)[0]
                assert pairs is not None
                rows += [pairs.row(*member) for member in _group(pairs, chance)]
            yield tensors(rows)


def _group(pairs: Pairs, chance: random.Random) -> list[tuple[int, int]]:
    question = chance.choice(pairs.asked)
    gold = pairs.gold(question)
    others = np.flatnonzero(~gold).tolist()
    near, far = [o for o in others if o < NEAR], [o for o in others if o >= NEAR]
    chosen = chance.sample(near, min(len(near), (GROUP - 1) * 2 // 3))
    chosen += chance.sample(far, min(len(far), GROUP - 1 - len(chosen)))
    chosen += chance.choices(others, k=GROUP - 1 - len(chosen))
    return [(question, place) for place in (chance.choice(np.flatnonzero(gold).tolist()), *chosen)]


def tensors(rows: Sequence[Row]) -> Batch:
    """Pad rows to the same length."""
    ids = pad_sequence([torch.tensor(row) for row, _ in rows], batch_first=True, padding_value=PADDING)
    mask = (ids != PADDING).long()
    begins = torch.tensor([passage for _, passage in rows])
    types = (torch.arange(ids.shape[1]) >= begins[:, None]).long() * mask
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


class CrossEncoder(torch.nn.Module):
    """A base with one output on its first token. MPNet shares BERT's vocabulary, four numbers further on."""

    def __init__(self, base: Path, layers: int | None = None) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(base, dtype=torch.float32)
        self.is_mpnet = self.encoder.config.model_type == "mpnet"
        if layers is not None:
            every = self.encoder.encoder.layer
            self.encoder.encoder.layer = torch.nn.ModuleList([every[i * len(every) // layers] for i in range(layers)])
            self.encoder.config.num_hidden_layers = layers
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        if self.is_mpnet:
            ids = torch.where(input_ids == 100, 3, input_ids + 4)
            ids = torch.where(input_ids == START, 0, torch.where(input_ids == END, 2, ids))
            ids = torch.where(attention_mask == 0, 1, ids)
            hidden = self.encoder(input_ids=ids, attention_mask=attention_mask).last_hidden_state
        else:
            hidden = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
        return self.head(hidden[:, 0]).squeeze(-1)


def _fused_attention(
    self: Any, hidden_states: Any, attention_mask: Any = None, position_bias: Any = None, **_: Any
) -> Any:
    """Attention of MPNet by PyTorch's own function: what the library does keeps every matrix."""
    shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
    q, k, v = (part(hidden_states).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
    bias = (position_bias + attention_mask).to(q.dtype)
    mixed = scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return (self.o(mixed.transpose(1, 2).flatten(2)),)


MPNetSelfAttention.forward = _fused_attention


def to_device(batch: Batch) -> dict[str, torch.Tensor]:
    return {name: tensor.to(DEVICE, non_blocking=True) for name, tensor in batch.items()}


@torch.no_grad()
def logits(model: CrossEncoder, pairs: Pairs, size: int = 768) -> list[NDArray[np.float32]]:
    """Score every candidate of every question."""
    model.eval()
    jobs = [pairs.row(q, place) for q in pairs.asked for place in range(len(pairs.gold(q)))]
    found = np.zeros(len(jobs), np.float32)
    order = sorted(range(len(jobs)), key=lambda job: len(jobs[job][0]))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        with torch.autocast(DEVICE, torch.bfloat16):
            found[places] = model(**to_device(tensors([jobs[p] for p in places]))).float().cpu().numpy()
    model.train()
    ends = np.cumsum([len(pairs.gold(q)) for q in pairs.asked])[:-1]
    return np.split(found, ends)


def figures(pairs: Pairs, scores: Sequence[NDArray[np.float32]], weight: float) -> tuple[float, float]:
    """Recall at 5 and the share of questions with all their gold among the first 21, trees and logits together."""
    recall, complete = [], []
    for question, logit in zip(pairs.asked, scores, strict=True):
        wanted = pairs.stored["wanted"][question]
        gold = pairs.gold(question)[np.argsort(-(pairs.odds(question) + weight * logit), kind="stable")]
        recall.append(gold[:5].sum() / wanted)
        complete.append(gold[:21].sum() == wanted)
    return float(np.mean(recall)), float(np.mean(complete))


def judge(model: CrossEncoder, sets: Mapping[str, Pairs], label: str) -> float:
    """Print the figures at the best weight, and give one number for them."""
    found = {name: logits(model, pairs) for name, pairs in sets.items()}
    best, line = -1.0, ""
    for weight in WEIGHTS:
        cells = {name: figures(sets[name], scores, weight) for name, scores in found.items()}
        worth = float(np.mean([recall + complete / 2 for recall, complete in cells.values()]))
        if worth > best:
            best = worth
            said = " ".join(f"{name} {recall:.3f}/{complete:.3f}" for name, (recall, complete) in cells.items())
            line = f"{label}: weight {weight} {worth:.4f} {said}"
    print(line, flush=True)
    return best


@dataclass
class Learning:
    """A model in training, with its optimizer and the best state so far."""

    name: str
    model: CrossEncoder
    rate: float
    best: float = -1.0

    def __post_init__(self) -> None:
        self.model.to(DEVICE)
        body = {"params": self.model.encoder.parameters(), "lr": self.rate}
        self.optimizer = torch.optim.AdamW([body, {"params": self.model.head.parameters(), "lr": 10 * self.rate}])
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        self.kept = self.state()

    def state(self) -> dict[str, torch.Tensor]:
        return {name: tensor.detach().half().cpu() for name, tensor in self.model.state_dict().items()}

    def step(self, loss: torch.Tensor, step: int, done: float) -> None:
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / WARM_UP) * max(0.05, 1 - done)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def judged(self, sets: Mapping[str, Pairs], label: str, out: Path) -> None:
        worth = judge(self.model, sets, f"{self.name} {label}")
        if worth > self.best:
            self.best, self.kept = worth, self.state()
            torch.save(self.kept, out / f"{self.name}.pt")

    def finish(self) -> CrossEncoder:
        self.model.load_state_dict({name: tensor.float() for name, tensor in self.kept.items()})
        return self.model


def train(
    learning: Sequence[Learning],
    teacher: CrossEncoder | None,
    data: Groups,
    held_out: Mapping[str, Pairs],
    arguments: argparse.Namespace,
    steps: int,
    limit: float,
) -> None:
    """Train models side by side on the same groups; the rate falls to nothing at the last step or at the time limit."""
    started = time.perf_counter()
    waiting = iter(DataLoader(data, batch_size=None, num_workers=arguments.workers, pin_memory=DEVICE == "cuda"))
    target = torch.zeros(data.groups, dtype=torch.long, device=DEVICE)
    if teacher is not None:
        teacher.eval()
    for step in range(steps):
        done = max(step / steps, (time.perf_counter() - started) / limit)
        inputs = to_device(next(waiting))
        with torch.autocast(DEVICE, torch.bfloat16):
            if teacher is not None:
                with torch.no_grad():
                    soft = softmax(teacher(**inputs).float().view(data.groups, -1), -1)
        for each in learning:
            with torch.autocast(DEVICE, torch.bfloat16):
                found = each.model(**inputs).float().view(data.groups, -1)
            loss = cross_entropy(found, target, label_smoothing=0.05)
            if teacher is not None:
                loss = (1 - SOFT) * loss - SOFT * (soft * log_softmax(found, -1)).sum(-1).mean()
            each.step(loss, step, min(1.0, done))
        last = step + 1 == steps or done >= 1
        if (step + 1) % arguments.every == 0 or last:
            for each in learning:
                each.judged(
                    held_out, f"step {step + 1}, {time.perf_counter() - started:.0f} s, loss {loss:.3f}", arguments.out
                )
        if last:
            break


def split(pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Hold some questions of a set out of the training, the same ones each time."""
    asked = list(pairs.asked)
    random.Random(5).shuffle(asked)
    cut = int(len(asked) * HELD_OUT)
    return pairs.only(asked[cut:]).useful(), pairs.only(asked[:cut])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pools", type=Path, default=Path(".training"), help="where training/pools.py --pairs wrote")
    parser.add_argument(
        "--teacher", type=Path, help="folder of a large base, such as all-mpnet-base-v2; none: gold alone"
    )
    parser.add_argument("--student", type=Path, required=True, help="folder of a small base, such as all-MiniLM-L6-v2")
    parser.add_argument("--layers", type=int, nargs="+", default=[6, 3], help="students by their layers")
    parser.add_argument("--out", type=Path, default=Path(".training/ranker"))
    parser.add_argument("--steps", type=int, nargs=2, default=(900, 1500), help="of the teacher, and of the students")
    parser.add_argument("--seconds", type=float, nargs=2, default=(1e9, 1e9), help="limits for both")
    parser.add_argument("--groups", type=int, default=64, help="in one step")
    parser.add_argument("--every", type=int, default=150, help="steps between two looks at the held-out questions")
    parser.add_argument("--workers", type=int, default=12)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    files = {path.name.removesuffix("-pairs.npz"): path for path in sorted(arguments.pools.glob("*-pairs.npz"))}
    labelled, held_out = [], {}
    for name in LABELLED:
        if f"{name}-train" in files:
            seen, held_out[name] = split(Pairs.load(files[f"{name}-train"]))
            labelled.append(seen)
    if f"{UNSEEN}-train" in files:
        held_out[UNSEEN] = Pairs.load(files[f"{UNSEEN}-train"])
    written = Pairs.load(files["written-train"]).complete().useful() if "written-train" in files else None
    if not labelled:
        parser.error(f"{arguments.pools} holds no pairs of {', '.join(LABELLED)}; run training/pools.py --pairs first")
    print(
        {n: len(p.asked) for n, p in held_out.items()}, [len(p.asked) for p in labelled], written and len(written.asked)
    )
    teacher = None
    if arguments.teacher is not None:
        learning = Learning("teacher", CrossEncoder(arguments.teacher), 4e-5)
        data = Groups(labelled, written, arguments.groups, 1)
        train([learning], None, data, held_out, arguments, arguments.steps[0], arguments.seconds[0])
        teacher = learning.finish()
    students = [Learning(f"l{n}", CrossEncoder(arguments.student, n), 1.5e-4) for n in arguments.layers]
    data = Groups(labelled, written, arguments.groups, 2)
    train(students, teacher, data, held_out, arguments, arguments.steps[1], arguments.seconds[1])
    models = {each.name: each.finish() for each in students} | ({"teacher": teacher} if teacher is not None else {})
    everything = {name: Pairs.load(path) for name, path in files.items() if name != "written-train"}
    for name, model in models.items():
        found: dict[str, Any] = {key: np.concatenate(logits(model, pairs)) for key, pairs in everything.items()}
        np.savez_compressed(arguments.out / f"{name}-logits.npz", **found)
        judge(model, everything, f"{name} on everything")


if __name__ == "__main__":
    main()
