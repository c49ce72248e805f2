"""Checks the price of a claim for a group: "The course costs 95 euros. Students pay 60."."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from multihop import text
from multihop.answering.measures import Measure, measures_in

_FOR_GROUP = re.compile(r"\bfor (?:[a-z]+ )?(?P<group>[a-z]{3,}s|children|women|men)\W*$")


def is_price_for_group(claim: str, passages: Iterable[Sequence[str]]) -> bool | None:
    """Return whether a group pays the price that a claim gives at its end: "95 euros for students".

    A passage says so if a unit with the group has this price alone. It says the opposite if such units have other
    prices only, and another unit this one. None if no passage says either, or if the claim gives no such price.
    """
    group, prices = _FOR_GROUP.search(claim), _prices(claim)
    if group is None or len(prices) != 1:
        return None
    stem = text.stems([group["group"]])[0]
    found = None
    for units in passages:
        own = [_prices(unit) for unit in units if stem in text.stems(text.words(unit))]
        if prices in own:
            return True
        # One unit may have the prices of several groups.
        if any(own) and not any(each & prices for each in own) and any(_prices(unit) & prices for unit in units):
            found = False
    return found


def _prices(said: str) -> set[Measure]:
    return {measure for measure in measures_in(said) if measure.dimension == "money"}
