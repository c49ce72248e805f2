"""Values from a language model, which must quote: a value counts only if its quote is in a passage.

The model gives a value and the words that it takes it from. The quote is looked for in the passages that the model was
shown, word by word; the value must stand in the quote, as the rules of the question read it or as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from multihop import text
from multihop.profiles.regexes import searchable
from multihop.profiles.values import ProfileQuestion, ValueRule
from multihop.protocols import LanguageModel, Step
from multihop.survey.candidates import ValueCandidate, candidates
from multihop.survey.findings import NOT_FOUND, Quoted, ValueSource

_PASSAGES = 6
_SHOWN = 1500
"""Characters of a passage that a model is shown."""
_LEAST = 3
"""A quote of fewer words could stand anywhere."""
_CUT = 400
"""What a model says is cut here, maybe within a word."""
_UNKNOWN = re.compile(r"\W*(?:not (?:found|stated|given|said|specified|mentioned)|unknown|none|n/?a)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SIGN = re.compile(" ?%")
_WANTED = {
    "percent": "a percentage", "year": "a year", "amount": "a number with its unit", "date": "a date",
    "names": "every one of these that is named: {}", "choice": "one of: {}", "text": "the sentence itself",
}  # fmt: skip


def ask_for_value(
    lm: LanguageModel, question: ProfileQuestion, sources: Sequence[ValueSource]
) -> tuple[tuple[Quoted, ...], str]:
    """Ask a model for the value that answers a question; returns it where its quote holds, or a note why there is none.

    A model that finds nothing is no problem: the note is empty.
    """
    shown = sources[:_PASSAGES]
    if not shown:
        return (), ""
    passages = [f"[{i}] {s.title}: {searchable(s.content)[:_SHOWN]}" for i, s in enumerate(shown, 1)]
    asked = {"question": question.text, "wanted": _describe_values(question.values), "passages": passages}
    [said] = lm.session().ask([Step("quoted_value", asked)], 1)
    if said.values is None:
        return (), f"the language model {lm.name} gave no value: {said.problem}; values are by rules alone"
    value, quote = (str(said.values[name] or "").strip() for name in ("value", "quote"))
    if not value or _UNKNOWN.match(value):
        return (), ""
    # Only in the passages that the model has seen: elsewhere the words would stand by chance.
    quoted = next(((s, place) for s in shown for place in _places(quote, searchable(s.content))), None)
    if quoted is None:
        return (), f"dropped {value!r} of the language model: its quote stands in no passage"
    source, (start, end) = quoted
    read = tuple(_read_quote(question.values, value, searchable(source.content), start, end))
    if not read:
        return (), f"dropped {value!r} of the language model: it does not stand in its quote"
    return tuple(Quoted(rule, candidate, source) for rule, candidate in read), ""


def _describe_values(rules: Iterable[ValueRule]) -> str:
    kinds = [_WANTED[rule.kind].format(", ".join(n.name for n in rule.names)) for rule in rules]
    return f"{' or '.join(dict.fromkeys(kinds)) or 'a few words'}; {NOT_FOUND!r} where the passages do not say it"


def _places(quote: str, line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a quote in a text, ignoring punctuation and spacing between its words."""
    words = _WORD.findall(quote)
    # The last word of a quote that was cut may be half of one.
    if len(quote) >= _CUT:
        words = words[:-1]
    if len(words) >= _LEAST:
        wanted = r"(?<!\w)" + r"\W{1,9}".join(map(re.escape, words)) + r"(?!\w)"
        yield from (match.span() for match in re.finditer(wanted, line, re.IGNORECASE))


def _read_quote(
    rules: Sequence[ValueRule], value: str, line: str, start: int, end: int
) -> Iterator[tuple[ValueRule, ValueCandidate]]:
    """Yield the value as the rules of its question read it in the quote; where none does, as the model wrote it."""
    # The sign behind a figure belongs to it, though it is no word.
    sign = _SIGN.match(line, end)
    end = sign.end() if sign else end
    read = False
    for rule in rules:
        if rule.kind == "text":
            read = True
            inside = [span for span in text.sentence_spans(line) if span[1] > start and span[0] < end]
            first, last = inside[0][0], inside[-1][1]
            yield rule, ValueCandidate(first, last, line[first:last])
            continue
        for candidate in candidates(rule, line[start:end]):
            place = replace(candidate, start=candidate.start + start, end=candidate.end + start)
            if _is_meant(rule, place, value, line):
                read = True
                yield rule, place
    if read:
        return
    named = [(r, n.name) for r in rules if r.kind == "choice" for n in r.names if n.name.casefold() == value.casefold()]
    if named:
        yield named[0][0], ValueCandidate(start, end, named[0][1])
    elif set(text.terms(value)) <= set(text.terms(line[start:end])) and text.terms(value):
        yield replace(rules[0], show="{value}") if rules else ValueRule("text"), ValueCandidate(start, end, value)


def _is_meant(rule: ValueRule, candidate: ValueCandidate, value: str, line: str) -> bool:
    """Return whether a value in a quote is the one that the model gave; of a list the quote decides."""
    if rule.kind == "names":
        return True
    if rule.kind == "choice":
        return candidate.value.casefold() == value.casefold()
    figures = {w for w in _WORD.findall(line[candidate.start : candidate.end]) if w.isdecimal()}
    return figures <= set(_WORD.findall(value)) or candidate.value.casefold() == value.casefold()
