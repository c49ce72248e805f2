"""Values from a language model: a value counts only if a passage contains its quote.

The model returns a value and a quote. The quote must occur, word by word, in a passage of the prompt, and the value
must occur in the quote, as parsed by the rules of the question or as written.
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
"""Characters of a passage in the prompt."""
_LEAST = 3
"""Minimum number of words of a quote."""
_CUT = 400
"""Maximum length of a value or quote; longer ones are truncated, maybe within a word."""
_UNKNOWN = re.compile(r"\W*(?:not (?:found|stated|given|said|specified|mentioned)|unknown|none|n/?a)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SIGN = re.compile(" ?%")
_WANTED = {
    "percent": "a percentage", "year": "a year", "amount": "a number with its unit", "date": "a date",
    "names": "all of these that are mentioned: {}", "choice": "one of: {}", "text": "the sentence itself",
}  # fmt: skip


def ask_for_value(
    lm: LanguageModel, question: ProfileQuestion, sources: Sequence[ValueSource]
) -> tuple[tuple[Quoted, ...], str]:
    """Ask a model for the value that answers a question; returns it if its quote is valid, or a note why it is not.

    If the model finds nothing, the note is empty.
    """
    shown = sources[:_PASSAGES]
    if not shown:
        return (), ""
    passages = [f"[{i}] {s.title}: {searchable(s.content)[:_SHOWN]}" for i, s in enumerate(shown, 1)]
    asked = {"question": question.text, "wanted": _describe_values(question.values), "passages": passages}
    [said] = lm.session().ask([Step("quoted_value", asked)], 1)
    if said.values is None:
        return (), f"the language model {lm.name} gave no value: {said.problem}; values are by rules only"
    value, quote = (str(said.values[name] or "").strip() for name in ("value", "quote"))
    if not value or _UNKNOWN.match(value):
        return (), ""
    # Only passages of the prompt count; in others the words would occur by chance.
    quoted = next(((s, place) for s in shown for place in _places(quote, searchable(s.content))), None)
    if quoted is None:
        return (), f"dropped {value!r} of the language model: its quote is in no passage"
    source, (start, end) = quoted
    read = tuple(_read_quote(question.values, value, searchable(source.content), start, end))
    if not read:
        return (), f"dropped {value!r} of the language model: its quote does not contain it"
    return tuple(Quoted(rule, candidate, source) for rule, candidate in read), ""


def _describe_values(rules: Iterable[ValueRule]) -> str:
    kinds = [_WANTED[rule.kind].format(", ".join(n.name for n in rule.names)) for rule in rules]
    return f"{' or '.join(dict.fromkeys(kinds)) or 'a few words'}; {NOT_FOUND!r} if the passages do not say it"


def _places(quote: str, line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a quote in a text, ignoring punctuation and spacing between its words."""
    words = _WORD.findall(quote)
    # The last word of a truncated quote may be incomplete.
    if len(quote) >= _CUT:
        words = words[:-1]
    if len(words) >= _LEAST:
        wanted = r"(?<!\w)" + r"\W{1,9}".join(map(re.escape, words)) + r"(?!\w)"
        yield from (match.span() for match in re.finditer(wanted, line, re.IGNORECASE))


def _read_quote(
    rules: Sequence[ValueRule], value: str, line: str, start: int, end: int
) -> Iterator[tuple[ValueRule, ValueCandidate]]:
    """Yield the value as the rules of its question parse it in the quote; otherwise as the model wrote it."""
    # A sign after a figure belongs to it, although it is not a word.
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
    """Return whether a value in a quote is the one that the model gave; for a list, the quote decides."""
    if rule.kind == "names":
        return True
    if rule.kind == "choice":
        return candidate.value.casefold() == value.casefold()
    figures = {w for w in _WORD.findall(line[candidate.start : candidate.end]) if w.isdecimal()}
    return figures <= set(_WORD.findall(value)) or candidate.value.casefold() == value.casefold()
