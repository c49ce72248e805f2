"""Parses values of a type from text: money, numbers, percentages, dates, durations and names, normalized."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from multihop.survey.vocabulary import VOCABULARY
from multihop.text.number_words import NUMBER_WORDS
from multihop.types.dates import DATE, MONTH, iso_day

Kind = Literal[
    "money", "number", "percent", "date", "duration", "person", "organization", "place", "yes/no", "list", "text"
]
NAMES = ("person", "organization", "place")
_WORDS: dict[str, float] = {word: float(n) for word, n in NUMBER_WORDS.items()} | VOCABULARY["numbers"]
_CURRENCIES = {word: currency for currency, words in VOCABULARY["currencies"].items() for word in words}
_SCALES = {word: float(scale) for scale, words in VOCABULARY["scales"].items() for word in words}


def _any_of(words: dict[str, str] | dict[str, float]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CODES = VOCABULARY["codes"]["anywhere"].replace(" ", "|")
_BEFORE_CODES = VOCABULARY["codes"]["before a figure"].replace(" ", "|")
_CURRENCY = rf"(?:[€$£¥]|(?<![A-Za-z])(?:{_any_of(_CURRENCIES)}|(?-i:{_CODES}))(?![A-Za-z]))"
_CURRENCIES |= {code.lower(): code for code in f"{_CODES}|{_BEFORE_CODES}".split("|")}
_SCALE = rf"(?:(?<![A-Za-z])(?:{_any_of(_SCALES)})(?![A-Za-z]))"
_FIGURE = (
    r"(?:\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+(?:[.,]\d+)?)"
)
_MINUS = r"[-–−(]?\s?"
_MONEY = re.compile(
    rf"(?P<before>{_CURRENCY}|(?<![A-Za-z])(?-i:{_BEFORE_CODES})(?![A-Za-z]))?\s?(?P<minus>{_MINUS})(?<![\w.,])(?P<figure>{_FIGURE})(?![\w]*\d|\s?%)\)?"
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
    rf"|(?P<word>{'|'.join(NUMBER_WORDS)})(?=\s[a-z]))",
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
_BOUNDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (bound, re.compile(rf"(?:{before})\s*(?:a total of\s+)?$", re.IGNORECASE))
    for bound, before in (
        ("at least", r"\bat least|\b(?:no|not(?: be)?) (?:fewer|less|lower) than|\bminimum of|≥|>="),
        ("up to", r"\bup to|\bat most|\b(?:no|not(?: be)?) (?:more|greater|higher) than|\bnot exceed(?:ing)?"
                  r"|\bmaximum of|≤|<="),
        ("fewer than", r"\bfewer than"),
        ("less than", r"\b(?:less|lower) than|<"),
        ("more than", r"\b(?:more|greater|higher) than|\bexceed(?:s|ing)?|\bover|>"),
    )
)  # fmt: skip
_BOUND_AFTER = re.compile(r"(?P<least>\+(?!\d)|\s+or (?:more|above)\b)|\s+or (?:fewer|less)\b", re.IGNORECASE)
STRICT_BOUNDS = ("fewer than", "less than", "more than")
_REPLACED = re.compile(
    r"[\s”\"'’]*(?:(?:is|are|was|were|be|shall be)\s+)?(?:hereby\s+)?(?:(?:replaced|substituted)\s+(?:by|with)"
    r"|(?:increased|reduced|extended|shortened|raised|lowered|changed|amended)\s+to)\b",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:increased|reduced|extended|shortened|raised|lowered|changed|amended)\s+from\s+[“\"'‘]?$", re.IGNORECASE
)
_TO = re.compile(r"[”\"'’]?\s+to\b", re.IGNORECASE)
_RANGE = re.compile(r"\s+(?:to|and)\s+", re.IGNORECASE)


class Value(NamedTuple):
    """A value in a text: its position, its normalized spelling, and its number and unit if it has them."""

    start: int
    end: int
    text: str
    number: float | None = None
    unit: str = ""
    qualifier: str = ""
    bound: str = ""
    """ "fewer than", "at least" and so on, if the number is only a bound."""


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
    """Find the values of a type in a text; `scale` is the unit of plain figures in a table.

    Values that an amendment replaces are left out: "1 month" in "the period of 1 month is replaced by 2 months".
    """
    found = [_bounded(kind, said, value) for value in _typed_values(kind, said, scale)]
    return [value for value in found if value is found[-1] or not _is_replaced(said, value)]


def _typed_values(kind: Kind, said: str, scale: Scale | None) -> Iterator[Value]:
    given = scale or Scale()
    match kind:
        case "money":
            yield from _money(said, given, alone=scale is not None)
        case "percent":
            yield from _percents(said)
        case "duration":
            yield from _durations(said)
        case "date":
            yield from _dates(said)
        case "number":
            yield from _ranges(said, list(_numbers(said, given)))


def _is_replaced(said: str, value: Value) -> bool:
    if _REPLACED.match(said, value.end):
        return True
    return bool(_FROM.search(said[max(0, value.start - 40) : value.start]) and _TO.match(said, value.end))


def _bounded(kind: Kind, said: str, value: Value) -> Value:
    """Add the bound that precedes or follows a value: "fewer than 5", "1,200 or more"."""
    if value.number is None or kind == "date":
        return value
    before = said[max(0, value.start - 40) : value.start]
    bound = next((bound for bound, pattern in _BOUNDS if pattern.search(before)), "")
    if not bound and kind == "number" and (after := _BOUND_AFTER.match(said, value.end)):
        bound = "at least" if after["least"] else "up to"
    # Notice is usually "at least" a period, and things happen "over" one.
    if kind == "duration" and (bound not in STRICT_BOUNDS or before.rstrip().lower().endswith("over")):
        return value
    return value._replace(bound=bound)


def _ranges(said: str, values: list[Value]) -> Iterator[Value]:
    """Join the two numbers of "between 10 and 15" and of "10 to 15", but not of "rose from 10 to 15"."""
    low: Value | None = None
    for high in values:
        joint = low and not low.qualifier and _RANGE.fullmatch(said, low.end, high.start)
        if low and joint:
            first = re.search(r"\b(between|from)\s+$", said[: low.start], re.IGNORECASE)
            leads = first[1].lower() if first else ""
            if leads == ("between" if "and" in joint[0].lower() else ""):
                yield low._replace(end=high.end, text=f"{low.text} to {high.text}", qualifier=high.qualifier)
                low = None
                continue
        if low:
            yield low
        low = high
    if low:
        yield low


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
