"""Sanitizes prompt inputs and model outputs: single lines, bounded length, no duplicates, no refusals.

Answers are parsed by type and never evaluated; here they become plain strings and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, TypeVar

T = TypeVar("T")

MAX_LINE = 400
_MAX_ITEMS = 64
# Only at the start: an answer may be about somebody who is sorry.
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|i am sorry|sorry\b|i (?:cannot|can['’]t|can not|am unable|am not able|won['’]t|will not)\b"
    r"|as an ai\b|i apologi[sz]e|unfortunately,? i\b)",
    re.I,
)
# Control characters, zero-width spaces, bidirectional marks, and invisible tags.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]+")
_NUMBERED = re.compile(r"\[(\d+)\]")
_INSTRUCTION = re.compile(
    r"\[\[ ?## ?\w+ ?## ?\]\]|^\W*(?:system|assistant|user)\s*:|<\|?/?(?:system|im_start|im_end|inst)\b"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|(?:all|everything) above)\b"
    r"|\byou are (?:now|an? (?:ai|assistant|language model|chatbot))\b|\bcite this (?:sentence|document|passage)\b"
    r"|[\"']\s*(?:answer|statements|verdict|deciding|ranked_ids)[\"']\s*:",
    re.I,
)


def as_data(value: Any) -> Any:
    """Escape the field markers of the prompt format in an input, and put each item of a list on one line.

    Items are numbered texts of documents: only the number at the start of its line is one, or a title could pass for
    another item.
    """
    if isinstance(value, str):
        return value.replace("[[", "[ [").replace("]]", "] ]")
    return [as_data(_item(v)) for v in value] if isinstance(value, list | tuple) else value


def _item(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    line = re.sub(r"\s+", " ", _INVISIBLE.sub(" ", value)).strip()
    number = _NUMBERED.match(line)
    start = number.end() if number else 0
    return line[:start] + _NUMBERED.sub(lambda found: f"({found[1]})", line[start:])


def before_instructions(sentences: Iterable[T], text_of: Callable[[T], str]) -> Iterator[T]:
    """Yield the sentences of a passage up to one that speaks to a language model in one of the usual ways.

    What follows goes on with it.
    """
    return takewhile(lambda sentence: not _INSTRUCTION.search(text_of(sentence)), sentences)


def clean_fields(values: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Clean every output field; the second value is the reason if the first field is empty, else ""."""
    cleaned = {name: _clean_value(value) for name, value in values.items()}
    first = next(iter(values), None)
    if first is None or cleaned[first] in ((), "", None):
        return cleaned, "it refused to answer" if first and _is_refusal(values[first]) else "its answer was empty"
    return cleaned, ""


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list | tuple):
        cleaned: list[Any] = []
        # Not a set, because items may be dictionaries; the list is short.
        for item in map(_clean_value, value[:_MAX_ITEMS]):
            if item not in ("", None, (), {}) and item not in cleaned:
                cleaned.append(item)
        return tuple(cleaned)
    if isinstance(value, Mapping):
        return {str(name): _clean_value(v) for name, v in list(value.items())[:_MAX_ITEMS]}
    return value if isinstance(value, bool | int | float) else None


def one_line(text: str) -> str:
    """Put text on one line of at most 400 characters; a refusal becomes empty."""
    line = re.sub(r"\s+", " ", _INVISIBLE.sub(" ", text)).strip().strip("\"'`*").strip()
    # Lone surrogates from broken JSON escapes cannot be encoded as UTF-8.
    return "" if _REFUSAL.match(line) else line[:MAX_LINE].encode("utf-8", "replace").decode()


def describe_unreadable(said: Any) -> str:
    """Describe why an answer could not be parsed."""
    answer = str(said or "").strip()
    # Representations of an empty answer in DSPy's adapters.
    if answer in ("", "None", "[None]", "{'text': None}", "{'text': ''}"):
        return "its answer was empty"
    return "it refused to answer" if _REFUSAL.match(answer) else "its answer could not be read"


def _is_refusal(said: Any) -> bool:
    texts = said if isinstance(said, list | tuple) else [said]
    return any(isinstance(t, str) and _REFUSAL.match(t.strip()) for t in texts)
