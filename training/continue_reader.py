"""Continue the training of a reader on two cores: smaller steps, no padding to speak of, the lowest layers as they are.

    python training/continue_reader.py --examples .training/reading.pkl --pools .training --base bases/minilm
        --state .training/reader/reader.pt --out .training/reader/continued.pt --minutes 75

Learns from the labels alone, as `reader.py` does, with examples drawn in the same way; rows of like length are read
together. Embeddings and the first two layers stay as they were, which saves a fifth of the time. The rate falls with
the time that is left, and the last quarter of it is trained with the rounding of the exported model.
"""

from __future__ import annotations

import argparse
import pickle
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bert import Learning, Network, restore, save
from quantized import set_rounding
from ranker import find_pairs
from reader import (
    CLAIMS,
    HEADS,
    KIND_WEIGHT,
    MASKED,
    QUESTIONS,
    VERDICT_WEIGHT,
    Examined,
    measure,
    padded,
    pooled,
    read,
)
from reading_examples import Kind
from rows import Row, Sources, draw_claim, draw_question, part
from torch.nn.functional import cross_entropy, log_softmax

RATE, WARM_UP, LEAST, ROUNDED = 6e-5, 40, 0.02, 0.75
ASKED, CLAIMED, TOKENS = 20, 9, 2300
"""Questions and claims of one step, and how many tokens are read at once."""
STILL = 2
"""So many of the first layers are not trained."""
KEPT = 240
"""Seconds after which weights are stored."""


def alike(rows: Sequence[tuple[Row, Any]]) -> Iterator[list[tuple[Row, Any]]]:
    """Put rows of like length together, as many as are read at once."""
    held: list[tuple[Row, Any]] = []
    for row in sorted(rows, key=lambda row: len(row[0].ids)):
        if held and len(row[0].ids) * (len(held) + 1) > TOKENS:
            yield held
            held = []
        held.append(row)
    if held:
        yield held


def learn_questions(model: Network, asked: Sequence[tuple[Row, Kind]]) -> tuple[float, float]:
    """Add the gradients of questions; give the loss of places and of kinds."""
    answered, places, kinds = max(1, sum(bool(row.spans) for row, _ in asked)), 0.0, 0.0
    for some in alike(asked):
        batch = padded([row for row, _ in some])
        marks = torch.zeros(*batch["input_ids"].shape, 2)
        for number, (row, _) in enumerate(some):
            for first, last in row.spans:
                marks[number, first, 0] = marks[number, last, 1] = 1
        span, kind = read(model, batch)
        marked = torch.logsumexp(log_softmax(span, 1).masked_fill(marks == 0, MASKED), 1).sum(-1)
        place = -(marked * (marks.sum((1, 2)) > 0)).sum() / answered
        right = cross_entropy(kind, torch.tensor([k for _, k in some]), reduction="sum") / len(asked)
        (place + KIND_WEIGHT * right).backward()
        places, kinds = places + place.item(), kinds + right.item()
    return places, kinds


def learn_claims(model: Network, judged: Sequence[tuple[Row, Any]]) -> float:
    """Add the gradients of claims; give their loss."""
    total = 0.0
    for some in alike(judged):
        found = model.first("verdict", model(**padded([row for row, _ in some]))[-1])
        right = torch.tensor([verdict for _, verdict in some])
        loss = cross_entropy(found, right, label_smoothing=0.02, reduction="sum") / len(judged)
        (VERDICT_WEIGHT * loss).backward()
        total += loss.item()
    return total


def train(model: Network, sources: Sources, seconds: float, out: Path) -> None:
    for still in (model.encoder.embeddings, *model.encoder.encoder.layer[:STILL]):
        still.requires_grad_(False)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    learning, chance = Learning(model, RATE, 1, WARM_UP), random.Random(11)
    started = kept = time.perf_counter()
    losses: list[tuple[float, ...]] = []
    while (done := (time.perf_counter() - started) / seconds) < 1:
        set_rounding(model, done >= ROUNDED)
        learning.optimizer.zero_grad()
        asked = learn_questions(model, [draw_question(sources, chance) for _ in range(ASKED)])
        losses.append((*asked, learn_claims(model, [draw_claim(sources, chance) for _ in range(CLAIMED)])))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group, rate in zip(learning.optimizer.param_groups, learning.rates, strict=True):
            group["lr"] = rate * min(1.0, len(losses) / WARM_UP) * max(LEAST, 1 - done)
        learning.optimizer.step()
        if len(losses) % 25 == 0:
            print(f"step {len(losses)}, {done:.0%}, losses {np.mean(losses[-25:], 0).round(3)}", flush=True)
        if time.perf_counter() - kept > KEPT:
            save(model, out)
            kept = time.perf_counter()
    save(model, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--examples", type=Path, default=Path(".training/reading.pkl"))
    parser.add_argument("--pools", type=Path, nargs="+", default=[Path(".training")], help="where pools.py wrote")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base that was trained")
    parser.add_argument("--state", type=Path, required=True, help="what reader.py wrote")
    parser.add_argument("--out", type=Path, default=Path(".training/reader/continued.pt"))
    parser.add_argument("--minutes", type=float, default=75)
    parser.add_argument("--measure", action="store_true", help="print figures for held-out examples and dev splits")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    seen, held = part(pickle.loads(arguments.examples.read_bytes()))
    found = {name: pooled(path) for name, path in find_pairs(arguments.pools).items()}
    asked, claimed = ([p for n in names for p in found.get(f"{n}-train", ())] for names in (QUESTIONS, CLAIMS))
    model = Network(arguments.base, HEADS, quantizable=True)
    restore(model, arguments.state)
    train(model, Sources(seen, [p for p in asked if p.answer], claimed), 60 * arguments.minutes, arguments.out)
    if arguments.measure:
        dev = [{n: found[n] for s in sets if (n := f"{s}-dev") in found} for sets in ((*QUESTIONS, "2wiki"), CLAIMS)]
        measure("continued", model, Examined(held, *dev))


if __name__ == "__main__":
    main()
