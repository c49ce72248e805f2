"""Numbers with their units of measure: "45 minutes" and "45 seconds" differ, and no cost is measured in days."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from multihop import text
from multihop.answering.kinds import spans
from multihop.answering.values import amount_of
from multihop.text.units import SEPARATOR

Dimension = Literal["time", "length", "mass", "volume", "money"]

# Aliases of a unit are separated by slashes.
_UNITS: dict[Dimension, str] = {
    "time": "seconds/second/sec minutes/minute/min hours/hour/hrs days/day weeks/week months/month years/year",
    "length": "mm/millimeters/millimetres cm/centimeters/centimetres m/meters/metres/meter/metre "
    "km/kilometers/kilometres/kilometer/kilometre inches/inch feet/foot/ft yards/yard miles/mile",
    "mass": "mg/milligrams g/grams/gram kg/kilograms/kilogram/kilos/kilo tonnes/tonne/tons/ton/t",
    "volume": "ml/milliliters/millilitres l/liters/litres/liter/litre",
    # Not pounds, which also weigh, nor crowns, which are those of several countries.
    "money": "euros/euro/eur/€ gbp/£ dollars/dollar/usd/$ nok sek dkk chf yen/jpy",
}
_KNOWN: dict[str, tuple[str, Dimension]] = {
    alias: (unit.partition("/")[0], dimension)
    for dimension, units in _UNITS.items()
    for unit in units.split()
    for alias in unit.split("/")
}
_MEASURE = re.compile(
    r"(?P<before>[€£$]|\b(?:NOK|SEK|DKK|EUR|USD|GBP|CHF|JPY)) ?(?P<amount>\d[\d.,]*)"
    r"|(?<![\w.,])(?P<number>\d[\d.,]*)[ \u00a0-]?(?P<after>[€£$]|[a-z]+)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?(?![\d,])")
_WORD = re.compile(r"[^\W\d_]+")
_CURRENCY = re.compile(r"[€£$]")
_ASKED: tuple[tuple[str, tuple[Dimension, ...]], ...] = (
    (
        r"\b(?:what|which)(?: (?:is|was|are|were)(?: the)?)? (?:price|cost|fee|fare|rent|salary|wage|deposit|toll)\b",
        ("money",),
    ),
    (r"\bhow much\b.*\b(?:cost|pay|paid|earn|charged?)\b", ("money",)),
    (r"\bwhat (?:does|did|do|will|would)\b.*\bcost\b", ("money",)),
    (r"\bhow much (?:a|an|per|every|each) (?:week|month|year|night)\b", ("money",)),
    (r"\bhow much\b(?! time\b| \w+er\b)", ("money", "mass", "volume", "length")),
    (r"\bhow old\b", ("time",)),
    (r"\bhow long\b", ("time", "length")),
    (r"\bhow (?:far|tall|high|wide|deep)\b", ("length", "time")),
    (r"\bhow (?:heavy\b|much\b.*\bweigh)", ("mass",)),
)
"""What questions ask for."""
_HOW_MANY = re.compile(r"\bhow many((?: [a-z]+){1,3})", re.IGNORECASE)
_NEVER_COUNTED = frozenset(("length", "mass", "volume", "money"))
_PRICES = frozenset("price cost fee fare rent salary wage toll".split())
_PERIODS = {
    "hour": "hour hourly", "day": "day daily", "night": "night nightly", "week": "week weekly",
    "month": "month monthly", "year": "year yearly annual annually annum",
}  # fmt: skip
_SHORT = frozenset(("hour", "night"))
_PERIOD_OF = {word: period for period, words in _PERIODS.items() for word in words.split()}
_EACH = re.compile(rf"\b(?:(?:an?|per|each|every)[ -](?:{'|'.join(_PERIODS)}|annum)|\w+ly|annual)\b", re.IGNORECASE)


class Measure(NamedTuple):
    """A number with its unit, in one spelling, and what it measures."""

    number: float
    unit: str
    dimension: Dimension


def measures_in(said: str) -> list[Measure]:
    """Find the numbers with a unit of measure, written in digits."""
    return [
        Measure(value[0], *_KNOWN[unit])
        for match in _MEASURE.finditer(said)
        for unit in ((match["before"] or match["after"]).lower(),)
        if unit in _KNOWN and (value := amount_of(match["amount"] or match["number"]))
    ]


def unit_name(said: str) -> str:
    """Return a unit in one spelling: "euros" for "€", and "gbp" for "pounds" as for "£"."""
    if said.lower() in ("pound", "pounds"):
        return "gbp"
    return _KNOWN[said.lower()][0] if said.lower() in _KNOWN else text.singular(said.lower())


def is_of_money(column: str) -> bool:
    """Return whether the name of a column says that its values are money: "Offer (£)", "eur_per_year"."""
    words = {*_CURRENCY.findall(column), *_WORD.findall(column.lower())}
    return not words.isdisjoint(_PRICES) or any(word in _KNOWN and _KNOWN[word][1] == "money" for word in words)


def dimensions_asked(asked: str) -> tuple[Dimension, ...]:
    """Return what a question may ask for: money, time, length, mass or volume; empty if it is unclear."""
    return next((dimensions for pattern, dimensions in _ASKED if re.search(pattern, asked, re.IGNORECASE)), ())


def fits(said: str, asked: str) -> bool:
    """Return whether an answer measures what a question asks for, as far as both are known: no cost is in days."""
    wanted, counted = dimensions_asked(asked), _HOW_MANY.search(asked)
    number = next(iter(spans(said, "number")), None)
    if not (wanted or counted) or number is None:
        return True
    # "500 crowns a year" is no time.
    beside = (
        *said[: number.start].split()[-1:],
        *_CURRENCY.findall(number.text),
        *_WORD.findall(said[number.end :])[:1],
    )
    found = {_KNOWN[word.lower()][1] for word in beside if word.lower() in _KNOWN}
    if counted:
        # Slices are not counted in centimetres.
        units = {_KNOWN[word][1] for word in counted[1].lower().split() if word in _KNOWN}
        return bool(units & found) or found.isdisjoint(_NEVER_COUNTED)
    return not found or not found.isdisjoint(wanted)


def is_for_other_period(asked: str, said: str, answer: str) -> bool:
    """Return whether a sentence gives an amount per night, if the question asks for one per month.

    What something costs per hour or night is not given by a sentence without such a word.
    """
    wanted = {period for match in _EACH.finditer(asked) if (period := _PERIOD_OF.get((match[0].split()[-1]).lower()))}
    place = said.find(answer)
    after = _EACH.match(said[place + len(answer) :].lstrip()) or _EACH.search(answer)
    given = _PERIOD_OF.get(after[0].split()[-1].lower()) if place >= 0 and after else None
    if given is None and wanted & _SHORT and any(map(str.isdigit, answer)):
        return not re.search(rf"\b(?:{'|'.join(wanted & _SHORT)})", said, re.IGNORECASE)
    return bool(wanted and given) and given not in wanted


def is_in_other_unit(claim: str, said: str) -> bool:
    """Return whether a text gives a number of the claim in another unit of the same dimension only.

    In a row, the unit may be in another cell: "Type: seconds · Default: 45" contradicts "45 minutes".
    """
    found = {(each.number, each.dimension): each.unit for each in measures_in(said)}
    cells = said if SEPARATOR in said else ""
    numbers = {float(number) for number in _NUMBER.findall(cells)}
    units = {_KNOWN[word] for word in map(str.lower, _WORD.findall(cells)) if word in _KNOWN and len(word) > 1}
    for measure in measures_in(claim):
        others = {unit for unit, dimension in units if dimension == measure.dimension}
        if (unit := found.get((measure.number, measure.dimension))) is not None:
            others.add(unit)
        elif measure.number not in numbers:
            continue
        if others and measure.unit not in others:
            return True
    return False
