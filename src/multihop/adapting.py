"""Learning from labeled questions about an index: a linear layer on top of the ranking, kept only where it helps.

Logistic regression with the log-odds of the present ranking as a fixed offset, so that few questions move it little.
The ridge is chosen by cross-validation inside of the one that measures, so that no question is measured by what was
learned from it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multihop import loop
from multihop.errors import InvalidInput, InvalidRecord, ReadingError
from multihop.models.adaptation import NAME, Adaptation, models_digest
from multihop.parts.selectors.ranked import COLUMNS, READINGS, RankedFusion, Readings
from multihop.protocols import Context, Index, Progress, State, Store
from multihop.strategies import AUTO
from multihop.types import Selection

FEWEST = 30
"""Questions under which nothing can be said of what was learned."""
_FIRST = 5
_RIDGES = (3.0, 10.0, 30.0, 100.0, 300.0)
_FOLDS = 5
_RESAMPLES = 2000
_STEPS, _SMALL = 30, 1e-4
_SAME_TITLE = 1000

_RANKING: RankedFusion = AUTO.selector  # type: ignore[assignment]  # a strategy may have any selector

Array = NDArray[np.float64]
Labeled = tuple[str, Sequence[str]]
"""A question, and its gold: ids of documents or passages, or titles."""


@dataclass(frozen=True, slots=True)
class Adapted:
    """What an adaptation did to recall@5, by cross-validation over the questions, and whether it was kept."""

    questions: int
    before: float
    after: float
    low: float
    """With `high` the 95 % interval of the difference, by bootstrap over questions."""
    high: float
    kept: bool

    def __str__(self) -> str:
        change = f"recall@{_FIRST} {self.before:.2f} → {self.after:.2f} ({self.low:+.2f} to {self.high:+.2f})"
        verdict = "kept" if self.kept else "not kept: no reliable gain"
        return f"{change} by cross-validation over {self.questions} questions, {verdict}"


class _Example(NamedTuple):
    """A question: what was read of it, which of that is gold, and how many gold there are."""

    rows: Array
    odds: Array
    found: NDArray[np.bool_]
    """A row for each candidate that was read, a column for each gold."""

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.asarray(self.found.any(axis=1))

    def recall(self, odds: Array) -> float:
        first = np.argsort(-odds, kind="stable")[:_FIRST]
        return float(self.found[first].any(axis=0).mean())


def adapt(
    store: Store, index: Index, questions: Iterable[Labeled | Mapping[str, Any]], progress: Progress | None = None
) -> Adapted:
    """Learn from labeled questions, measure by cross-validation, and store what was learned if recall@5 rises."""
    asked = resolve(store, questions)
    if len(asked) < FEWEST:
        raise InvalidInput(f"learning needs at least {FEWEST} different questions, got {len(asked)}")
    examples = []
    for question, gold in asked.items():
        examples.append(_example(index, question, gold))
        if progress:
            progress("asking", len(examples), len(asked))
    if (read := sum(len(e.rows) > 0 for e in examples)) < FEWEST:
        raise InvalidInput(f"learning needs {FEWEST} questions that find something in the index; {read} of these do")
    before = np.array([e.recall(e.odds) for e in examples])
    after = np.zeros(len(examples))
    for held, rest in _folds(len(examples)):
        learned = _learn([examples[i] for i in rest])
        for i in held:
            after[i] = examples[i].recall(examples[i].odds + learned.correction(examples[i].rows))
    low, high = _interval(after - before)
    done = Adapted(len(examples), float(before.mean()), float(after.mean()), low, high, kept=low > 0)
    if done.kept:
        store.put_blob(NAME, _learn(examples).to_bytes())
    return done


def forget(store: Store) -> bool:
    """Undo an adaptation; returns whether there was one."""
    there = bool((store.get_blob(NAME) or (0, b""))[1])
    if there:
        store.put_blob(NAME, b"")
    return there


# --- questions ------------------------------------------------------------------------------------


def read_questions(path: Path) -> Iterator[Labeled]:
    """Read questions from JSON Lines with `question` (or `text`) and `gold`; raises at the first wrong line."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _read_labeled(line, str(path), number)


def _read_labeled(line: str, source: str, number: int) -> Labeled:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidRecord(f"not JSON: {error}", source=source, line=number) from error
    return _labeled(row if isinstance(row, dict) else {}, source, number)


def _labeled(given: object, source: str, number: int) -> Labeled:
    """Take a pair, or an object as in JSON Lines."""
    text, gold = None, None
    if isinstance(given, Mapping):
        text, gold = given.get("question", given.get("text")), given.get("gold")
    elif isinstance(given, tuple | list) and len(given) == 2:
        text, gold = given
    if not isinstance(text, str) or not text.strip():
        raise InvalidRecord('no question; write {"question": "…", "gold": ["…"]}', source=source, line=number)
    listed = isinstance(gold, Collection) and not isinstance(gold, str | Mapping)
    if not listed or not gold or not all(isinstance(each, str) for each in gold):
        raise InvalidRecord("gold must be a list of document ids, passage ids or titles", source=source, line=number)
    return text, gold


def resolve(store: Store, questions: Iterable[Labeled | Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return the ids of documents and passages that each question wants; raises for what is not in the index."""
    asked: dict[str, set[str]] = {}
    for number, given in enumerate(questions, 1):
        text, gold = _labeled(given, "questions", number)
        asked.setdefault(text, set()).update(gold)
    wanted = sorted(set().union(*asked.values()))
    known = store.get_documents(wanted).keys() | store.view().passages(wanted).keys()
    ids = {name: name if name in known else _by_title(store, name) for name in wanted}
    return {text: {ids[name] for name in gold} for text, gold in asked.items()}


def _by_title(store: Store, title: str) -> str:
    same = [listed.id for listed in store.documents("", title, _SAME_TITLE) if listed.title == title]
    if len(same) > 1:
        raise InvalidInput(f"{len(same)} documents have the title {title!r}; give the id of the one that is meant")
    if not same:
        raise InvalidInput(f"gold {title!r} is not in the index: it is no document id, passage id or title")
    return same[0]


@dataclass(frozen=True, slots=True)
class _Watching:
    """The selector of `auto`, with a record of what it read."""

    inner: RankedFusion
    read: list[Readings] = field(default_factory=list, compare=False)

    def select(self, state: State, context: Context) -> Selection:
        return self.inner.select(state, context)

    def finish(self, state: State, context: Context) -> Selection:
        selection = self.inner.finish(state, context)
        if READINGS not in context.memory:
            raise ReadingError("; ".join(map(str, context.notes)))
        self.read.append(context.memory[READINGS])
        return selection


def _example(index: Index, question: str, gold: set[str]) -> _Example:
    watching = _Watching(_RANKING)
    loop.run(replace(AUTO, selector=watching), question, _FIRST, index)
    passages, rows, odds = watching.read[-1]
    hits = [[name in (p.id, p.document_id) for name in sorted(gold)] for p in passages]
    return _Example(rows, odds, np.array(hits, dtype=bool).reshape(len(passages), len(gold)))


# --- fitting --------------------------------------------------------------------------------------


def _learn(examples: Sequence[_Example]) -> Adaptation:
    """Fit with the ridge that predicts best what it was not fitted on; from a question that found nothing, nothing."""
    examples = [example for example in examples if len(example.rows)]
    loss = dict.fromkeys(_RIDGES, 0.0)
    for held, rest in _folds(len(examples)):
        fitted = None
        for ridge in _RIDGES:
            fitted = _fit([examples[i] for i in rest], ridge, fitted)
            loss[ridge] += sum(_loss(examples[i], fitted) for i in held)
    return _fit(examples, min(_RIDGES, key=loss.__getitem__))


def _fit(examples: Sequence[_Example], ridge: float, start: Adaptation | None = None) -> Adaptation:
    """Fit by Newton's method; every question weighs alike, and the bias is free.

    `start`, fitted to the same examples with another ridge, saves steps.
    """
    rows = np.vstack([e.rows for e in examples])
    weight = np.concatenate([np.full(len(e.rows), 1 / len(e.rows)) for e in examples])
    means = np.average(rows, axis=0, weights=weight)
    scales = np.sqrt(np.average((rows - means) ** 2, axis=0, weights=weight))
    varying = scales >= 1e-9  # the others tell nothing, and get no weight
    scales[~varying] = 1.0
    x = np.column_stack([((rows - means) / scales)[:, varying], np.ones(len(rows))])
    weight *= len(rows) / len(examples)
    y = np.concatenate([e.right for e in examples]).astype(float)
    offset = np.concatenate([e.odds for e in examples])
    penalty = np.diag([ridge] * int(varying.sum()) + [1e-6])
    w = np.array([*np.array(start.weights)[varying], start.bias]) if start else np.zeros(x.shape[1])

    def loss(w: Array) -> float:
        return float(weight @ _losses(offset + x @ w, y > 0) + w @ penalty @ w / 2)

    current = loss(w)
    for _ in range(_STEPS):
        p = _chance(offset + x @ w)
        gradient = x.T @ (weight * (p - y)) + penalty @ w
        curved = x * np.sqrt(weight * p * (1 - p))[:, None]
        step = np.linalg.solve(curved.T @ curved + penalty, gradient)
        # Far from the minimum a whole step leads beyond it.
        while (following := loss(w - step)) > current and np.abs(step).max() > _SMALL:
            step /= 2
        w -= step
        current = following
        if np.abs(step).max() <= _SMALL:
            break
    weights = np.zeros(len(COLUMNS))
    weights[varying] = w[:-1]
    standard = (tuple(means.tolist()), tuple(scales.tolist()))
    identity, digest = _RANKING.reranker.identity, models_digest()
    return Adaptation(identity, len(examples), float(w[-1]), COLUMNS, *standard, tuple(weights.tolist()), digest)


def _loss(example: _Example, adaptation: Adaptation) -> float:
    odds = example.odds + adaptation.correction(example.rows)
    return float(_losses(odds, example.right).mean())


def _losses(odds: Array, right: NDArray[np.bool_]) -> Array:
    losses: Array = np.logaddexp(0, np.where(right, -odds, odds))
    return losses


def _chance(odds: Array) -> Array:
    chance: Array = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return chance


def _folds(count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Split the numbers of questions into folds, the same way every time: those held out, and the rest."""
    fold = np.random.default_rng(0).permutation(count) % _FOLDS
    for held in range(_FOLDS):
        yield np.flatnonzero(fold == held).tolist(), np.flatnonzero(fold != held).tolist()


def _interval(differences: Array) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    means = differences[rng.integers(0, len(differences), (_RESAMPLES, len(differences)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    return low, high
