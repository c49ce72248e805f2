"""Finds values in a text: percentages, years, amounts, dates and names, normalized and with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from multihop import text
from multihop.profiles.regexes import compile_pattern, compile_timed
from multihop.profiles.values import Named, ValueRule

_NUMBER = r"\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_SIGN = r" ?(?:%|(?:per|pour) ?cent\b|por ?ciento\b)"
_SHARE = r"\d{1,3}(?:[.,]\d{1,4})?"
_PERCENT = re.compile(
    rf"(?<=between )(?P<low2>{_SHARE})(?:{_SIGN})? and (?P<high2>{_SHARE}){_SIGN}"
    rf"|(?<![\w.,])(?P<low>{_SHARE})(?:(?:{_SIGN})?(?: ?[-–—] ?| to )(?P<high>{_SHARE}))?{_SIGN}",
    re.IGNORECASE,
)
# From 1950 on, and not part of a longer number or a decimal.
_YEAR = re.compile(r"(?<![\d.,])(?:19[5-9]\d|20[0-9]\d)(?!\d|[.,]\d)")
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(
    rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH}),? (?P<y>\d{{4}})\b"
    rf"|\b(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})\b"
    r"|\b(?P<y3>\d{4})-(?P<n3>\d\d)-(?P<d3>\d\d)\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"\b(?:excluding|except(?: for)?|with the exception of|not including)\b[^().;:]{0,80}"
    r"|[^,.;:]{0,30}\b(?:is|are|was|were) not (?:selected|included|covered|considered)\b",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<=\d),\s*(?=[^\d\s])")
"""Between a number and its unit."""
_GAP = 90
"""Maximum distance between the names of one list, in characters."""


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value in a text and its position: `value` is normalized, `number` is its number (of a range, the lower)."""

    start: int
    end: int
    value: str
    number: float | None = None
    unit: str = ""
    same: str = ""
    """A key that is equal for the same value in different notations."""


def candidates(rule: ValueRule, line: str) -> Iterator[ValueCandidate]:
    """Find all values of a rule's kind in a text on one line."""
    for candidate in _of_kind(rule, line):
        if candidate.number is None or rule.lowest <= candidate.number <= rule.highest:
            yield candidate


def _of_kind(rule: ValueRule, line: str) -> Iterator[ValueCandidate]:
    match rule.kind:
        case "percent":
            return _percents(line)
        case "year":
            years = _YEAR.finditer(line)
            return (ValueCandidate(m.start(), m.end(), m[0], float(m[0]), "year") for m in years)
        case "amount":
            return _amounts(rule.names, line)
        case "date":
            return _dates(line)
        case "names":
            return _names(rule.names, line)
        case "choice":
            return _choices(rule.names, line)
    return (ValueCandidate(start, end, line[start:end]) for start, end in text.sentence_spans(line))


def number_of(written: str) -> float:
    """Parse 1,234.5, 1 234.5 and 18,94: a comma before three digits separates thousands, except in 0,213."""
    written = written.strip()
    plain = written if written.startswith("0,") else re.sub(r"[ ,](?=\d{3}(?!\d))", "", written)
    return float(plain.replace(",", "."))


def format_number(value: float) -> str:
    """Format a number without trailing zeros: 40, 13.6."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _percents(line: str) -> Iterator[ValueCandidate]:
    for match in _PERCENT.finditer(line):
        low = number_of(match["low"] or match["low2"])
        high = number_of(match["high"] or match["high2"] or format_number(low))
        said = f"{format_number(low)}%" if high == low else f"{format_number(low)}% to {format_number(high)}%"
        yield ValueCandidate(match.start(), match.end(), said, low, "%")


def _amounts(known: Sequence[Named], line: str) -> Iterator[ValueCandidate]:
    """Find numbers and ranges before their unit, or after it (for currencies).

    Years do not count: in a table they are next to the unit of the following column.
    """
    for at, unit in enumerate(known):
        number = rf"(?P<low>{_NUMBER})(?: ?(?:[-–]|to|and) ?(?P<high>{_NUMBER}))?"
        # Profiles mark a unit that precedes its number, such as a currency, with ^.
        unit_first = unit.regex.startswith("^")
        wanted = rf"(?:{unit.regex[1:]}) ?{number}" if unit_first else rf"(?<![\w.,])-?{number},? ?(?:{unit.regex})"
        for match in compile_timed(wanted).finditer(line):
            if any(_same_place(match, other, line) for other in known[:at]) or _YEAR.fullmatch(match["low"]):
                continue
            low = _times(number_of(match["low"]), unit.factor)
            high = _times(number_of(match["high"]), unit.factor) if match["high"] else low
            same = f"{min(low, high):.4g} {max(low, high):.4g}"
            # In "three (3) years" the match begins after the opening parenthesis.
            said = match[0].strip() if match[0].count(")") == match[0].count("(") else match[0].replace(")", "", 1)
            said = _COMMA.sub(" ", said)
            yield ValueCandidate(match.start(), match.end(), said, min(low, high), known[0].name, same)


def _times(number: float, factor: float) -> float:
    """Multiply without binary rounding errors: 25118 Gg are 25.118 Mt."""
    return float(f"{number * factor:.12g}")


def _same_place(match: re.Match[str], unit: Named, line: str) -> bool:
    """Return whether an earlier, more specific unit of the list matches here too."""
    if unit.regex.startswith("^"):
        return False
    # The unit of a range follows its last number.
    last = match["high"] or match["low"]
    end = line.find(last, match.start()) + len(last)
    return compile_timed(f",? ?(?:{unit.regex})").match(line, end) is not None


def _dates(line: str) -> Iterator[ValueCandidate]:
    for match in _DATE.finditer(line):
        year, day = match["y"] or match["y2"] or match["y3"], match["d"] or match["d2"] or match["d3"]
        named = match["m"] or match["m2"]
        month = _MONTHS.index(named.lower()) + 1 if named else int(match["n3"])
        yield ValueCandidate(match.start(), match.end(), f"{year}-{month:02}-{int(day):02}", None, "date")


def _names(known: Sequence[Named], line: str) -> Iterator[ValueCandidate]:
    """Find lists of names: names close to each other are one value."""
    # Replaced by blanks, to keep the offsets.
    line = _LEFT_OUT.sub(lambda match: " " * len(match[0]), line)
    matches = sorted(
        (m.start(), m.end(), name.name) for name in known for m in compile_pattern(name.regex).finditer(line)
    )
    run: list[tuple[int, int, str]] = []
    for each in matches:
        if run and each[0] - max(end for _, end, _ in run) > _GAP:
            yield _list_candidate(run, known)
            run = []
        run.append(each)
    if run:
        yield _list_candidate(run, known)


def _list_candidate(run: Sequence[tuple[int, int, str]], order: Sequence[Named]) -> ValueCandidate:
    held = {name for _, _, name in run}
    said = ", ".join(n.name for n in order if n.name in held)
    return ValueCandidate(run[0][0], max(end for _, end, _ in run), said, float(len(held)), "")


def _choices(known: Sequence[Named], line: str) -> Iterator[ValueCandidate]:
    for name in known:
        for match in compile_pattern(name.regex).finditer(line):
            yield ValueCandidate(match.start(), match.end(), name.name)
