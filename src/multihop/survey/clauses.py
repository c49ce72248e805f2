"""Finds values in common clauses of contracts and terms of service: dates, terms, notices, payment, age, and names.

Each clause is recognized by the words around its value: "the laws of the State of Texas" after "governed by", "thirty
(30) days" before "written notice" in a sentence about termination.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from multihop.survey.cells import Line
from multihop.survey.clause_names import Clause, courts, flatten, governing_law, parties, preamble, provider
from multihop.survey.columns import Column
from multihop.survey.quantities import Value, values_in
from multihop.types import Passage

_SURE = 0.85
_OLDEST = 100
_MADE = re.compile(
    r"\b(?:(?:dated|made|entered\s+into|executed|as\s+of|signed|concluded)\b[^.;]{0,60}|this\s+(?:the\s+)?|dated?\W+)$",
    re.IGNORECASE,
)
_WITNESS = re.compile(r"\bin\s+witness\s+w?hereof\b", re.IGNORECASE)
_EFFECTIVE_BEFORE = re.compile(
    r"(?:\b(?:effective|takes?\s+effect|(?:agreement|contract|term|venture)\b[^.;]{0,60}\b(?:commence|begin|start)s?|in\s+force|into\s+force)"
    r"(?:\s+(?:as\s+of|on|from|date))*[^\w.;]{0,6}(?:(?:is|means|shall\s+be|the|as\s+of|on)\s+)*)$",
    re.IGNORECASE,
)
_EFFECTIVE_AFTER = re.compile(r"\s*,?\s*[(\[]?\s*(?:the\s+)?[“\"']+(?:\w+\s+)?(?:effective|commencement)\s+date", re.I)
_LAW = re.compile(
    r"\b(?:Act|Rules?|Regulations?|Directive)\b|\b(?:rules?|regulations?|provision)\b(?:\s+\w+){0,2}\s+(?:is|are|was|were)\b"
)
_OWN = re.compile(r"\b(?:policy|agreement|contract|terms|notice|effective\s+date)\b", re.IGNORECASE)
"""A law takes effect on another day than what cites it."""
_TERM_BEFORE = re.compile(
    r"(?<!during the )\bterm\b(?!\s+of\s+confid)[^.;]{0,130}$"
    r"|\b(?:continue|remain|stay|be|run)s?\b[^.;]{0,25}\b(?:effect|force|effective)\b"
    r"[^.;]{0,25}\bfor\b[^.;]{0,30}$|\b(?:agreement|contract)\b[^.;]{0,120}\bcontinue\b[^.;]{0,40}\bfor\b[^.;]{0,30}$",
    re.IGNORECASE,
)
_TERM_AFTER = re.compile(r"\s+from\s+the\s+(?:effective|commencement|date)\b", re.IGNORECASE)
_NO_TERM = re.compile(
    r"\b(?:renew|exten|successive|confiden|notice|notify|compet|solicit|within|prior|and\s+thereafter|warrant|breach)\w*[^.;]{0,70}$",
    re.IGNORECASE,
)
_NOTICE_AFTER = re.compile(
    r"(?:[’']s?)?\s*\)?\s*(?:(?:prior|advance|written|calendar|business|or|more)\s+){0,4}notice|[^.;]{0,25}\bprior\s+to\b"
    r"|[^.;]{0,25}\bbefore\b|\s+of\s+such\b",
    re.IGNORECASE,
)
_NOTICE_BEFORE = re.compile(
    r"\bnotice(?:\s+period)?\s*(?:of|is|shall\s+be|:)\s*(?:(?:at\s+least|not\s+less\s+than)\s+)?$", re.IGNORECASE
)
_ENDING = re.compile(r"\b(?:end\b|ending|leave\b|termin|renew|cancel|expir|withdraw|extend)", re.IGNORECASE)
_CHANGING = re.compile(r"\b(?:chang|modif|amend|revis|updat|new terms)", re.IGNORECASE)
_EFFECT = re.compile(
    r"\beffect(?:ive)?\b[^.;]{0,20}\b(?:no\s+(?:sooner|earlier)\s+than|after|at\s+least)\s+(?:\w+\s*\(\s*)?$",
    re.IGNORECASE,
)
_CURE = re.compile(
    r"\b(?:breach|default|cure|remed|insolven|violat|bankrupt|fails?\b|failure|rectif|summons|denial)", re.IGNORECASE
)
_PAY = re.compile(r"\b(?:invoices?|payment|payable|paid|pay|remit|billed|net)\b", re.IGNORECASE)
_PAY_BEFORE = re.compile(
    r"\b(?:within|than|net|due|payment\s+(?:term|period)s?\s+(?:is|are|of))\s+(?:\(?\w+\)?\s+)?$|:\s*$", re.IGNORECASE
)
_PAY_AFTER = re.compile(r"[^.;]{0,40}\binvoice|[^.;]{0,30}\b(?:after|of|from|following|net)\b|[\s.]*$", re.IGNORECASE)
_AGE_BEFORE = re.compile(
    r"\b(?:at\s+least|minimum\s+age[^.;]{0,60}|over|age\s+of|be|are|is|under)\s*(?:[a-z]+\s*\(\s*)?$", re.IGNORECASE
)
_AGE_AFTER = re.compile(
    r"\s*(?:\)|\(\d+\))?\s*(?:years?\s+(?:of\s+age|old)|years\s+or\s+(?:older|over)|or\s+older)", re.IGNORECASE
)
_AGE_STATED = re.compile(r"\b(?:over|under|above)\s+the\s+age\s+of\s*$", re.IGNORECASE)
_UPDATED = tuple(
    re.compile(rf"\b(?:{words})\W{{0,8}}(?:(?:on|as\s+of|date)\W{{0,3}}){{0,2}}(?:\d\d:\d\d,?\s*)?$", re.IGNORECASE)
    for words in (
        r"last\s+(?:updated?|modified|revised|revision|changed?)", r"(?:updated?|revised|modified)",
        r"effective|in\s+force|version|valid\s+from",
    )
)  # fmt: skip
Rule = Callable[[Sequence[Passage]], Iterator[Clause]]


def stated_clauses(
    column: Column, passages: Sequence[Passage], lines: Sequence[Line]
) -> list[tuple[Value, Line, float]] | None:
    """Find the values of the clause that a column asks for, with their lines; None if it asks for no clause."""
    rule = next((rule for asks, rule in _RULES if asks(column)), None)
    if rule is None:
        return None
    first = next(rule(passages), None)
    if first is None:
        return []
    around = (line for line in lines if line.passage is first.passage and line.start <= first.start)
    line = next((each for each in around if first.end <= each.end), None)
    if line is None:
        line = Line(first.passage, first.start, first.end, first.passage.text[first.start : first.end], frozenset())
    value = first.value._replace(start=first.start - line.start, end=first.end - line.start)
    return [(value, line, _SURE)]


def _asks(kind: str, words: str, but: str = r"(?!)") -> Callable[[Column], bool]:
    wanted, other = re.compile(rf"\b(?:{words})", re.IGNORECASE), re.compile(but, re.IGNORECASE)
    return lambda column: column.kind == kind and bool(wanted.search(column.label)) and not other.search(column.label)


def _signing_dates(passages: Sequence[Passage]) -> Iterator[Clause]:
    for passage, said in preamble(passages):
        for day in values_in("date", said):
            if len(day.text) == len("2024-01-31") and _MADE.search(said[max(0, day.start - 160) : day.start]):
                yield Clause(passage, day.start, day.end, day)
    for passage in passages:
        said = flatten(passage)
        if witness := _WITNESS.search(said):
            at = witness.start()
            for day in values_in("date", said[at : at + 400]):
                if len(day.text) == len("2024-01-31") and _MADE.search(said[at : at + day.start]):
                    yield Clause(passage, at + day.start, at + day.end, day)
    for passage, said in preamble(passages):
        for day in values_in("date", said):
            around = passage.text[: day.start].rpartition("\n")[2] + passage.text[day.end :].partition("\n")[0]
            if len(day.text) == len("2024-01-31") and not around.strip():
                yield Clause(passage, day.start, day.end, day)


def _start_dates(passages: Sequence[Passage]) -> Iterator[Clause]:
    for passage in passages:
        said = flatten(passage)
        for day in values_in("date", said):
            before = said[max(0, day.start - 120) : day.start]
            if _LAW.search(before) and not _OWN.search(before):
                continue
            if len(day.text) == len("2024-01-31") and (
                _EFFECTIVE_BEFORE.search(before) or _EFFECTIVE_AFTER.match(said, day.end)
            ):
                yield Clause(passage, day.start, day.end, day)


def _update_dates(passages: Sequence[Passage]) -> Iterator[Clause]:
    for words in _UPDATED:
        for passage in passages:
            said = flatten(passage)
            for day in values_in("date", said):
                if len(day.text) > len("2024") and words.search(said[max(0, day.start - 40) : day.start]):
                    yield Clause(passage, day.start, day.end, day)


def _periods(passages: Sequence[Passage], fits: Callable[[str, str], bool]) -> Iterator[Clause]:
    """Yield the durations whose sentence matches before and after them."""
    for passage in passages:
        said = flatten(passage)
        for value in values_in("duration", said):
            before = re.split(r"(?<=[.;])\s+(?=[A-Z(])", said[max(0, value.start - 400) : value.start])[-1]
            after = re.split(r"[.;]\s", said[value.end : value.end + 300], maxsplit=1)[0]
            if fits(before, after):
                yield Clause(passage, value.start, value.end, value)


def _term(passages: Sequence[Passage]) -> Iterator[Clause]:
    def fits(before: str, after: str) -> bool:
        if _NO_TERM.search(before) or re.match(r"[’']?\s*(?:\w+\s+){0,2}notice|\s+thereafter", after):
            return False
        return bool(_TERM_BEFORE.search(before) or _TERM_AFTER.match(after))

    return (clause for clause in _periods(passages, fits) if "day" not in clause.value.text)


def _notice(passages: Sequence[Passage], about: re.Pattern[str] = _ENDING) -> Iterator[Clause]:
    def fits(before: str, after: str) -> bool:
        said = f"{before} {after}"
        noticed = re.search(r"\b(?:notice|notif|advise|inform)", said, re.IGNORECASE)
        if _NOTICE_BEFORE.search(before) and "period" in before[-40:]:
            return True
        if about is _CHANGING and _CHANGING.search(before) and _EFFECT.search(before):
            return True
        if not noticed or not about.search(said) or _CURE.search(before[-110:]) or _CURE.search(after[:60]):
            return False
        return bool(_NOTICE_AFTER.match(after) or _NOTICE_BEFORE.search(before))

    return _periods(passages, fits)


def _payment(passages: Sequence[Passage]) -> Iterator[Clause]:
    def fits(before: str, after: str) -> bool:
        near = before[-80:]
        if _CURE.search(before[-160:]) or re.search(
            r"\b(?:notice|terminat|delay|penalt|late\b|sign)", near + after[:40], re.I
        ):
            return False
        return bool(_PAY.search(before[-200:]) or "invoice" in after[:60]) and bool(
            _PAY_BEFORE.search(before) and _PAY_AFTER.match(after)
        )

    def beside_invoice(clause: Clause) -> bool:
        return "invoice" in flatten(clause.passage)[clause.start - 160 : clause.end + 80]

    return iter(sorted(_periods(passages, fits), key=beside_invoice, reverse=True))


def _age(passages: Sequence[Passage]) -> Iterator[Clause]:
    for passage in passages:
        said = flatten(passage)
        for value in values_in("number", said):
            before = said[max(0, value.start - 80) : value.start]
            stated = _AGE_AFTER.match(said, value.end) and _AGE_BEFORE.search(before)
            if (stated or _AGE_STATED.search(before)) and (value.number or 0) < _OLDEST:
                yield Clause(passage, value.start, value.end, value)


_RULES: tuple[tuple[Callable[[Column], bool], Rule], ...] = (
    (_asks("list", r"(?:contracting )?part(?:y|ies)"), parties),
    (_asks("date", r"sign|dated|date of (?:the )?(?:agreement|contract)|execution|conclu"), _signing_dates),
    (_asks("date", r"effective|takes? effect|commence|into force|start of the (?:agreement|contract)"), _start_dates),
    (_asks("date", r"(?:last )?(?:updated?|modified|revised)\b"), _update_dates),
    (_asks("duration", rf"notice.*{_CHANGING.pattern}|{_CHANGING.pattern}.*notice"), partial(_notice, about=_CHANGING)),
    (_asks("duration", r"notice"), _notice),
    (_asks("duration", r"payment|invoice|pay\b"), _payment),
    (_asks("duration", r"(?:duration|term|length|validity)\b.*|how long", r"payment|notice|report|retention"), _term),
    (_asks("text", r"law\b"), governing_law),
    (_asks("place", r"jurisdiction|courts?|venue|arbitration"), courts),
    (_asks("number", r"(?:minimum )?age\b"), _age),
    (_asks("organization", r"provider|operator|who (?:offers|provides|operates|runs)"), provider),
)
