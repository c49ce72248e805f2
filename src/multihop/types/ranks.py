"""Several orders of the same things merged into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def reciprocal_ranks(
    orders: Iterable[tuple[float, Sequence[str]]], constant: int, last: int | None = None
) -> dict[str, float]:
    """Merge weighted orders by reciprocal rank (Cormack, Clarke & Büttcher 2009): Σ weight / (constant + place).

    Places count from 0. What an order lacks gets nothing from it, or with `last` the score of that place.
    """
    placed = [(weight, {id: place for place, id in enumerate(order)}) for weight, order in orders]
    worth: dict[str, float] = dict.fromkeys((id for _, places in placed for id in places), 0.0)
    for weight, places in placed:
        for id in worth if last is not None else places:
            worth[id] += weight / (constant + places.get(id, last or 0))
    return worth
