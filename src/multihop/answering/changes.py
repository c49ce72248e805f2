"""Reads a change as what holds after it: "raised from 42 to 48 euros" as "raised to 48 euros".

Verifiers often take the former of two values for the present one.
"""

from __future__ import annotations

import re

from multihop import text
from multihop.text.number_words import NUMBER_WORDS
from multihop.types.dates import MONTH

_TIME = (
    rf"(?:(?:\d{{1,2}} )?{MONTH}(?: \d{{1,2}}\b)?(?:,? \d{{4}})?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|\d{1,2}[:.]\d\d)(?<!\.)"
)
_AMOUNT = rf"(?:(?:[$£€] ?|[A-Z]{{3}} )?\d[\d.,]*(?<![.,])|\b(?:{'|'.join(NUMBER_WORDS)})\b)(?: [a-z]+(?= to\b))?"
_VALUE = rf"(?:{_TIME}|{_AMOUNT})"
_MOVED = r"(?:moved?|changed?|postponed?|put off|rescheduled?|shifted|brought forward)"
_CHANGED = (
    rf"(?:{_MOVED}|raised?|increased?|lower(?:ed)?|reduced?|cut|rises?|rose|risen|f[ae]ll(?:s|en)?|dropped|grow[sn]?|grew|"
    r"extended|shortened|(?:go(?:es)?|went) (?:up|down))"
)
_FROM_TO = re.compile(
    rf"\b(?:{_MOVED}\b[^.;:,()]{{0,60}}?(?P<from_day> from (?P<day>{_TIME}))"
    rf"|{_CHANGED}\b[^.;:,()]{{0,60}}?(?P<from_amount> from (?P<amount>{_AMOUNT})))(?= to (?P<now>{_VALUE}))"
)
_INSTEAD = re.compile(
    rf" \({_MOVED} from (?P<old>{_VALUE})\)|,? (?:instead of|rather than) (?:on )?(?P<other>{_VALUE})"
)
_OF_THE_PAST = re.compile(
    r"\b(?:from|until|till|before|formerly|previously|originally|earlier|once|first|used to|old|former|planned|"
    r"promised|instead|rather|was|were|had|did)\b",
    re.IGNORECASE,
)


def without_former_values(said: str, claim: str) -> str:
    """Leave out the former value of a change if a claim gives only the later one, or the former as the present one."""
    known = set(text.words(claim))
    is_past = bool(_OF_THE_PAST.search(claim))

    def is_misleading(former: str, later: str = "") -> bool:
        was, now = set(text.words(former)), set(text.words(later))
        gives_former, gives_later = not known.isdisjoint(was - now), not known.isdisjoint(now - was)
        return gives_later is not gives_former and not (gives_former and is_past)

    def write_change(match: re.Match[str]) -> str:
        kind = "day" if match["day"] else "amount"
        if not is_misleading(match[kind], match["now"]):
            return match[0]
        return match[0][: match.start(f"from_{kind}") - match.start()]

    said = _FROM_TO.sub(write_change, said)
    return _INSTEAD.sub(lambda match: "" if is_misleading(match["old"] or match["other"]) else match[0], said)
