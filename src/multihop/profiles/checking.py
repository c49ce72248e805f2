"""A profile is checked value by value as it is read: a mistake is named with its place and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar, get_args

from multihop.errors import InvalidInput, InvalidProfile, suggestion
from multihop.profiles.regexes import compiled
from multihop.profiles.values import (
    KeywordGroup,
    Pattern,
    Phrase,
    Profile,
    ProfileQuestion,
    RelationRule,
    Scoring,
    Weights,
)
from multihop.types import RelationKind

T = TypeVar("T")
KINDS: tuple[str, ...] = get_args(RelationKind)
MOST_PASSAGES = 1000
_PLACEHOLDERS = ("{number}", "{year}")


class Table:
    """One table of a profile: gives its values checked, and in the end complains of keys that nobody asked for."""

    def __init__(self, values: Any, place: str = "") -> None:
        if not isinstance(values, Mapping):
            raise InvalidProfile(f"{values!r:.60} is not a table of keys and values", place=place)
        self._values = values
        self._place = place
        self._asked: set[str] = set()

    def place(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def fail(self, key: str, problem: str) -> InvalidProfile:
        return InvalidProfile(problem, place=self.place(key))

    def get(self, key: str) -> Any:
        self._asked.add(key)
        return self._values.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.get(key)
        if value is None and default is not None:
            return default
        return _text(value, self.place(key))

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        value = self.get(key)
        if value is None and not required:
            return ()
        if not isinstance(value, list) or (required and not value):
            raise self.fail(key, f"give a list of {'one or more ' if required else ''}texts, not {_shown(value)}")
        found = tuple(_text(v, f"{self.place(key)}[{i}]") for i, v in enumerate(value))
        for i, each in enumerate(found):
            if each in found[:i]:
                raise InvalidProfile(f"{each!r} is there twice", place=f"{self.place(key)}[{i}]")
        return found

    def number(self, key: str, default: float, low: float = 0.0, high: float = 1.0) -> float:
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not _within(value, low, high):
            raise self.fail(key, f"give a number from {low:g} to {high:g}, not {_shown(value)}")
        return float(value)

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fail(key, f"give a whole number from {low} to {high}, not {_shown(value)}")
        return value

    def groups(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        found = self.texts(key)
        for i, name in enumerate(found):
            if name not in known:
                problem = f"there is no keyword group {name!r}: {suggestion(name, known)}"
                raise InvalidProfile(problem, place=f"{self.place(key)}[{i}]")
        return found

    def table(self, key: str) -> Table:
        value = self.get(key)
        return Table({} if value is None else value, self.place(key))

    def named_tables(self) -> Iterator[tuple[str, Table]]:
        for key in self._values:
            yield key, self.table(key)

    def tables(self, key: str, read: Callable[[Table, int], T]) -> tuple[T, ...]:
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.fail(key, f"write it as [[{key}]] tables, not as {_shown(value)}")
        found: list[T] = []
        for i, each in enumerate(value):
            table = Table(each, f"{self.place(key)}[{i}]")
            found.append(read(table, i))
            table.done()
        return tuple(found)

    def done(self) -> None:
        for key in self._values:
            if key not in self._asked:
                raise self.fail(key, f"unknown key; {suggestion(key, self._asked)}")


def profile_of(values: Mapping[str, Any], *, name: str) -> Profile:
    """Read a profile from the values of its TOML; the name of its file serves where it gives none."""
    top = Table(values)
    keywords = tuple(_keywords(top.table("keywords")))
    groups = [g.name for g in keywords]
    patterns = top.tables("patterns", lambda t, _: _pattern(t, groups))
    _distinct(top, "patterns", [p.name for p in patterns])
    phrases = top.tables("phrases", lambda t, _: _phrase(t, groups))
    relations = top.tables("relations", lambda t, _: _relation(t))
    questions = top.tables("questions", lambda t, i: _question(t, i + 1, groups))
    _distinct(top, "questions", [q.text for q in questions])
    found = Profile(
        top.text("name", name), top.text("description", ""), top.text("group", ""), _scoring(top.table("scoring")),
        keywords, patterns, phrases, relations, questions,
    )  # fmt: skip
    top.done()
    return found


def _scoring(table: Table) -> Scoring:
    usual, weights = Scoring(), table.table("weights")
    read = {name: weights.number(name, usual_weight) for name, usual_weight in usual.weights.items()}
    weights.done()
    if not any(read.values()):
        raise table.fail("weights", "every weight is 0; at least one signal must count")
    scoring = Scoring(
        Weights(**read),
        table.number("threshold", usual.threshold),
        table.whole("top_k", usual.top_k, 1, MOST_PASSAGES),
        table.number("fuzzy_threshold", usual.fuzzy_threshold),
    )
    table.done()
    return scoring


def _keywords(table: Table) -> Iterator[KeywordGroup]:
    for name, group in table.named_tables():
        yield KeywordGroup(name, group.texts("words", required=True), group.number("weight", 0.3))
        group.done()


def _pattern(table: Table, groups: Collection[str]) -> Pattern:
    regex = table.text("regex")
    try:
        compiled(regex)
    except InvalidInput as error:
        raise table.fail("regex", f"{regex!r:.80}: {error}") from error
    return Pattern(table.text("name"), regex, table.number("weight", 0.5), table.groups("groups", groups))


def _phrase(table: Table, groups: Collection[str]) -> Phrase:
    phrase = table.text("text")
    for part in phrase.split():
        if ("{" in part or "}" in part) and part not in _PLACEHOLDERS:
            raise table.fail("text", f"{part!r} stands for nothing; allowed are {' and '.join(_PLACEHOLDERS)}")
    return Phrase(phrase, table.number("boost", 0.5), table.groups("groups", groups))


def _relation(table: Table) -> RelationRule:
    kind = table.text("kind")
    if kind not in KINDS:
        raise table.fail("kind", f"there is no relation {kind!r}: {suggestion(kind, KINDS)}")
    return RelationRule(kind, table.texts("cues", required=True), table.number("confidence", 0.5))  # type: ignore[arg-type]  # checked above


def _question(table: Table, number: int, groups: Collection[str]) -> ProfileQuestion:
    return ProfileQuestion(
        number, table.text("text"), table.text("label", ""), table.texts("keywords"), table.groups("groups", groups)
    )


def _distinct(top: Table, key: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InvalidProfile(f"{name!r} is there twice", place=f"{top.place(key)}[{i}]")


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidProfile(f"give a text, not {_shown(value)}", place=place)
    return value.strip()


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"{value!r:.60}"


def _within(value: float, low: float, high: float) -> bool:
    return math.isfinite(value) and low <= value <= high
