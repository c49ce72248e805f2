"""Parses values of a type from text: money, numbers, percentages, dates, durations and names, normalized."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from multihop.survey.vocabulary import VOCABULARY
from multihop.types.dates import DATE, MONTH, iso_day

Kind = Literal[
    "money", "number", "percent", "date", "duration", "person", "organization", "place", "yes/no", "list", "text"
]
NAMES = ("person", "organization", "place")
_ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WORDS: dict[str, float] = {word: float(n) for n, word in enumerate(_ONES)} | VOCABULARY["numbers"]
_CURRENCIES = {word: currency for currency, words in VOCABULARY["currencies"].items() for word in words}
_SCALES = {word: float(scale) for scale, words in VOCABULARY["scales"].items() for word in words}


def _any_of(words: dict[str, str] | dict[str, float]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CURRENCY = rf"(?:[€$£¥]|(?<![A-Za-z])(?:{_any_of(_CURRENCIES)})(?![A-Za-z]))"
_SCALE = rf"(?:(?<![A-Za-z])(?:{_any_of(_SCALES)})(?![A-Za-z]))"
_FIGURE = (
    r"(?:\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+(?:[.,]\d+)?)"
)
_MINUS = r"[-–−(]?\s?"
_MONEY = re.compile(
    rf"(?P<before>{_CURRENCY})?\s?(?P<minus>{_MINUS})(?<![\w.,])(?P<figure>{_FIGURE})(?![\w]*\d|\s?%)\)?"
    rf"(?:\s?(?P<scale>{_SCALE}))?(?:\s?(?P<after>{_CURRENCY}))?",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    rf"(?P<minus>[-–−]?)(?<![\w.,])(?P<low>{_FIGURE})(?:\s?%?\s?(?:[-–]|to)\s?(?P<high>{_FIGURE}))?"
    r"\s?(?P<sign>%|per ?cent\b|percent\b|percentage points?\b)",
    re.IGNORECASE,
)
_SPELLED = "|".join(sorted((re.escape(w) for w in _WORDS), key=len, reverse=True))
_PERIOD = r"(?P<unit>(?:calendar |business |working )?(?:year|month|week|day|hour|minute|quarter)s?|yrs?|mos?)(?![a-z])"
_DURATION = re.compile(
    rf"(?<![\w.,])(?:(?P<figure>{_FIGURE})(?:\s*\))?|(?P<word>{_SPELLED})(?:\s*\(\s*\d+\s*\))?)[\s-]+(?:full\s|consecutive\s)?{_PERIOD}",
    re.IGNORECASE,
)
_SPACED_DATE = DATE.replace(" ", r"\s+")
_NTH_OF = rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:day\s+of|of)\s+{MONTH},?\s+\d{{4}}"
"""A date as in contracts: "the 20th day of March, 2002"."""
_DAY = re.compile(
    rf"(?<!\w)(?P<day>{_SPACED_DATE}|{_NTH_OF})|(?<![\d/.])(?P<d>\d{{1,2}})(?P<by>[./])(?P<m>\d{{1,2}})(?P=by)(?P<y>\d{{4}})(?![\d])"
    rf"|(?<!\w)(?P<month>{MONTH})(?:\s+of)?,?\s+(?P<year>(?:19|20)\d\d)\b|(?<![\d.,/-])(?P<only>(?:19|20)\d\d)(?![\d]|[.,]\d)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?:(?P<figure>{_FIGURE})(?![\w%]|[.,]?\d|\s?%|-\w)(?:\s(?P<scale>thousand|million|billion)\b)?"
    rf"|(?P<word>{'|'.join(_ONES)}|twenty|thirty|forty|fifty|sixty)(?=\s[a-z]))",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    rf"(?:(?P<c6>{_CURRENCY})(?: and shares)?\s+)?\bin\s+(?:(?P<scale>{_SCALE})(?:\s+of)?\s*)?"
    rf"(?P<currency>{_CURRENCY})?(?:\s*(?P<scale2>{_SCALE}))?"
    rf"|[(\[,]\s*(?P<c2>{_CURRENCY})?\s*(?:in\s+)?(?P<s2>{_SCALE})?\s*(?P<c3>{_CURRENCY})?\s*[)\]]"
    rf"|(?<!\w)(?P<c4>{_CURRENCY})\s?(?P<s4>{_SCALE})(?!\w)|(?<!\w)(?P<c5>TEUR|TUSD|TCHF)(?!\w)",
    re.IGNORECASE,
)
_QUALIFIER = re.compile(
    r"\s*(?P<note>\([^()\n]{3,80}\))"
    r"|\s+(?P<said>(?:of (?!(?:the )?(?:year|total)\b)[\w -]{3,40}"
    r"|(?:below|above|over|under|from) (?:the )?(?:19|20)\d\d(?: levels?)?"
    r"|(?:relative|compared) (?:to|with) [\w -]{2,40}|per (?:year|month|annum|share|employee|day|hour)"
    r"|a (?:year|month)|annually|before tax|after tax|excluding [\w -]{3,40}|(?:net )?of VAT)\b)",
    re.IGNORECASE,
)


class Value(NamedTuple):
    """A value in a text: its position, its normalized spelling, and its number and unit if it has them."""

    start: int
    end: int
    text: str
    number: float | None = None
    unit: str = ""
    qualifier: str = ""


class Scale(NamedTuple):
    """The unit of a table from its caption, such as "in EUR thousand"."""

    factor: float = 1.0
    currency: str = ""


def scale_of(said: str) -> Scale:
    """Parse the unit of a table from its caption, a header or a label; (1, "") if there is none."""
    for match in _CAPTION.finditer(said):
        groups = match.groupdict()
        scale = next((groups[g] for g in ("scale", "scale2", "s2", "s4") if groups[g]), "")
        currency = next((groups[g] for g in ("currency", "c2", "c3", "c4", "c5", "c6") if groups[g]), "")
        if currency.lower().startswith("t") and currency.lower() in ("teur", "tusd", "tchf"):
            return Scale(1e3, _CURRENCIES[currency.lower()])
        # "in 5 m" and "(m)" are not units of money.
        if currency or len(scale) > 2:
            return Scale(_SCALES.get(scale.lower(), 1.0), _CURRENCIES.get(currency.lower(), ""))
    return Scale()


def values_in(kind: Kind, said: str, scale: Scale | None = None) -> list[Value]:
    """Find the values of a type in a text; `scale` is the unit of plain figures in a table."""
    given = scale or Scale()
    match kind:
        case "money":
            return list(_money(said, given, alone=scale is not None))
        case "percent":
            return list(_percents(said))
        case "duration":
            return list(_durations(said))
        case "date":
            return list(_dates(said))
        case "number":
            return list(_numbers(said, given))
    return []


def number_of(figure: str) -> float:
    """Parse 1,234.5, 1 234.5, 1.234.567, 1.234,5 and 18,94."""
    plain = re.sub(r"[\u00a0 ]", "", figure)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?", plain):
        return float(plain.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain) and not plain.startswith("0,"):
        return float(plain.replace(",", ""))
    for mark in ",.":
        # Two figures printed side by side, not a decimal.
        plain = plain.replace(mark, "") if plain.count(mark) > 1 else plain
    return float(plain.replace(",", "") if "." in plain else plain.replace(",", "."))


def format_number(number: float) -> str:
    """Format a number with thousands separators and without trailing zeros: 771,700,000 and 13.6."""
    return f"{number:,.4f}".rstrip("0").rstrip(".")


def _qualifier(said: str, end: int) -> tuple[int, str]:
    match = _QUALIFIER.match(said, end)
    if match is None or (match["note"] and not re.search(r"[a-z]{3}", match["note"])):
        return end, ""
    return match.end(), match[0].strip()


def _money(said: str, given: Scale, *, alone: bool) -> Iterator[Value]:
    for match in _MONEY.finditer(said):
        currency = _CURRENCIES.get((match["before"] or match["after"] or "").lower(), "")
        if not currency and not match["scale"] and not alone:
            continue
        figure = match["figure"]
        # A plain year in a table is not an amount.
        is_year = not currency and not match["scale"] and re.fullmatch(r"(?:19|20)\d\d", figure)
        if is_year and said.strip() != figure:
            continue
        # An amount with its own scale ignores that of the table; a plain "$" does not.
        factor = _SCALES[match["scale"].lower()] if match["scale"] else given.factor
        if (match["before"] or "").lower() in ("teur", "tusd", "tchf"):
            factor = 1e3
        # In tables, "($4,935)" and "$(4,935)" are negative.
        bracketed = alone and match[0].endswith(")") and said[: match.start()].rstrip().endswith("(")
        sign = -1.0 if match["minus"].strip() or bracketed else 1.0
        number = float(f"{sign * number_of(figure) * factor:.12g}")
        unit = currency or given.currency
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        end, qualifier = _qualifier(said, match.end())
        yield Value(start, end, f"{unit} {format_number(number)}".strip(), number, unit, qualifier)


def _percents(said: str) -> Iterator[Value]:
    for match in _PERCENT.finditer(said):
        low = number_of(match["low"]) * (-1.0 if match["minus"] and not match["high"] else 1.0)
        shown = f"{format_number(low)}%"
        if match["high"]:
            shown = f"{format_number(low)}% to {format_number(number_of(match['high']))}%"
        end, qualifier = _qualifier(said, match.end())
        yield Value(match.start(), end, shown, low, "%", qualifier)


def _durations(said: str) -> Iterator[Value]:
    for match in _DURATION.finditer(said):
        number = number_of(match["figure"]) if match["figure"] else _WORDS[match["word"].lower()]
        unit = match["unit"].lower().rstrip("s")
        unit = {"yr": "year", "mo": "month"}.get(unit, unit)
        shown = f"{format_number(number)} {unit}{'' if number == 1 else 's'}"
        yield Value(match.start(), match.end(), shown, number, f"{unit}s")


def _dates(said: str) -> Iterator[Value]:
    for match in _DAY.finditer(said):
        if match["day"]:
            day = iso_day(re.sub(r"\b(?:day )?of ", "", " ".join(match["day"].split())))
        elif match["d"]:
            first, second = int(match["d"]), int(match["m"])
            # Day first, unless that is impossible.
            of_month, month = (first, second) if second <= 12 else (second, first)
            day = iso_day(f"{match['y']}-{month:02}-{of_month:02}")
        elif match["month"]:
            whole = iso_day(f"1 {match['month']} {match['year']}")
            day = whole[:7] if whole else None
        else:
            day = match["only"]
        if day:
            yield Value(match.start(), match.end(), day, None, "date")


def _numbers(said: str, given: Scale) -> Iterator[Value]:
    days = [(value.start, value.end) for value in _dates(said)] if len(said.split()) > 1 else []
    for match in _COUNT.finditer(said):
        # The 2 of "2 July 2024" is not a count.
        if any(start <= match.start() < end for start, end in days):
            continue
        figure = match["figure"]
        number = number_of(figure) if figure else _WORDS[match["word"].lower()]
        factor = _SCALES[match["scale"].lower()] if match["scale"] else given.factor
        number = float(f"{number * factor:.12g}")
        # In "1,204 employees of the group" the rest is what is counted, unless it is in parentheses.
        noted = said[match.end() :].lstrip().startswith("(")
        end, qualifier = _qualifier(said, match.end()) if noted else (match.end(), "")
        yield Value(match.start(), end, format_number(number), number, "", qualifier)


def in_unit(value: Value, unit: str) -> Value:
    """Format a value in the requested unit ("EUR million", "months") if it can be converted exactly."""
    if not unit or value.number is None:
        return value
    asked = unit.lower().split()
    factor = next((_SCALES[word] for word in asked if word in _SCALES), 1.0)
    currency = next((_CURRENCIES[word] for word in asked if word in _CURRENCIES), "")
    if (
        value.unit in set(_CURRENCIES.values()) | {""}
        and (currency in ("", value.unit) or not value.unit)
        and (currency or factor != 1.0)
    ):
        number = float(f"{value.number / factor:.12g}")
        return value._replace(text=f"{format_number(number)} {unit}", number=number, unit=unit)
    months = {"years": 12.0, "quarters": 3.0, "months": 1.0}
    days = {"weeks": 7.0, "days": 1.0}
    wanted = unit.lower() if unit.lower().endswith("s") else f"{unit.lower()}s"
    for table in (months, days):
        if wanted in table and value.unit in table:
            number = float(f"{value.number * table[value.unit] / table[wanted]:.12g}")
            name = wanted.rstrip("s") if number == 1 else wanted
            return value._replace(text=f"{format_number(number)} {name}", number=number, unit=wanted)
    return value
