"""Checks a profile while reading it: errors name the place and the allowed values."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from multihop.errors import InvalidInput, InvalidProfile, suggestion
from multihop.profiles.regexes import compile_cue, compile_pattern
from multihop.profiles.values import (
    KINDS,
    QUESTION,
    RECOGNIZED,
    VALUE,
    Cue,
    KeywordGroup,
    Named,
    Pattern,
    Phrase,
    Profile,
    ProfileQuestion,
    ProfileRelation,
    Scoring,
    ValueRule,
    Weights,
)
from multihop.types import RelationKind

T = TypeVar("T")
RELATIONS: tuple[str, ...] = get_args(RelationKind)
MOST_PASSAGES = 1000
_PLACEHOLDERS = ("{number}", "{year}")
# Finite, so that a bound which is left out differs from any that can be written.
_MOST = 1e12


class Table:
    """One table of a profile: returns checked values, and reports unknown keys at the end.

    Such a key is an error, or with `say` a line, and is left out.
    """

    def __init__(self, values: Any, place: str = "", say: Callable[[str], object] | None = None) -> None:
        if not isinstance(values, Mapping):
            raise InvalidProfile(f"{values!r:.60} is not a table of keys and values", place=place)
        self._values = values
        self._place = place
        self._say = say
        # Filled as keys are read, so that the checks below and the list of known keys cannot drift apart.
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
            raise self.fail(key, f"give a list of {'one or more ' if required else ''}texts, not {_describe(value)}")
        texts = tuple(_text(v, f"{self.place(key)}[{i}]") for i, v in enumerate(value))
        _distinct(self, key, texts)
        return texts

    def number(self, key: str, default: float, low: float = 0.0, high: float = 1.0) -> float:
        value = self.get(key)
        if value is None:
            return default
        if not _is_number(value, low, high):
            raise self.fail(key, f"give a number from {low:g} to {high:g}, not {_describe(value)}")
        return float(value)

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fail(key, f"give a whole number from {low} to {high}, not {_describe(value)}")
        return value

    def regex(self, key: str, value: Any, compiler: Callable[[str], object] = compile_pattern) -> str:
        regex = _text(value, self.place(key))
        try:
            compiler(regex)
        except InvalidInput as error:
            raise self.fail(key, f"{regex!r:.80}: {error}") from error
        return regex

    def groups(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        groups = self.texts(key)
        for i, name in enumerate(groups):
            if name not in known:
                problem = f"there is no keyword group {name!r}: {suggestion(name, known)}"
                raise InvalidProfile(problem, place=f"{self.place(key)}[{i}]")
        return groups

    def choice(self, key: str, known: Collection[str]) -> str:
        value = self.text(key)
        if value not in known:
            raise self.fail(key, f"{value!r} is not known: {suggestion(value, known)}; allowed are {', '.join(known)}")
        return value

    def items(self) -> Iterator[tuple[str, Any]]:
        for key in self._values:
            yield key, self.get(key)

    def table(self, key: str) -> Table:
        value = self.get(key)
        return Table({} if value is None else value, self.place(key), self._say)

    def tables(self, key: str, read: Callable[[Table, int], T]) -> tuple[T, ...]:
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.fail(key, f"write it as [[{key}]] tables, not as {_describe(value)}")
        values: list[T] = []
        for i, each in enumerate(value):
            table = Table(each, f"{self.place(key)}[{i}]", self._say)
            values.append(read(table, i))
            table.reject_unknown_keys()
        return tuple(values)

    def reject_unknown_keys(self) -> None:
        for key in self._values:
            # A misspelled key would be ignored otherwise, and its default used without a word.
            if key not in self._asked:
                problem = self.fail(key, f"unknown key; {suggestion(key, self._asked)}")
                if self._say is None:
                    raise problem
                self._say(f"{problem}; it is left out")


def profile_of(values: Mapping[str, Any], *, name: str, say: Callable[[str], object] | None = None) -> Profile:
    """Read a profile from the values of its TOML; the name of its file serves where it gives none."""
    top = Table(values, say=say)
    keywords = tuple(_keywords(top.table("keywords")))
    # Read first: patterns, phrases and questions name topics, and are checked against them.
    groups = [g.name for g in keywords]
    patterns = top.tables("patterns", lambda t, _: _pattern(t, groups))
    _distinct(top, "patterns", [p.name for p in patterns])
    phrases = top.tables("phrases", lambda t, _: _phrase(t, groups))
    relations = top.tables("relations", lambda t, _: _relation(t))
    questions = top.tables("questions", lambda t, i: _question(t, i + 1, groups))
    _distinct(top, "questions", [q.text for q in questions])
    profile = Profile(
        top.text("name", name), top.text("description", ""), top.text("group", ""), _scoring(top.table("scoring")),
        keywords, patterns, phrases, relations, questions, tuple(_labels(top.table("labels"))),
    )  # fmt: skip
    top.reject_unknown_keys()
    return profile


def _scoring(table: Table) -> Scoring:
    usual, weights = Scoring(), table.table("weights")
    read = {name: weights.number(name, usual_weight) for name, usual_weight in usual.weights.items()}
    weights.reject_unknown_keys()
    if not any(read.values()):
        raise table.fail("weights", "every weight is 0; at least one signal must count")
    scoring = Scoring(
        Weights(**read),
        table.number("threshold", usual.threshold),
        table.whole("top_k", usual.top_k, 1, MOST_PASSAGES),
        table.number("fuzzy_threshold", usual.fuzzy_threshold),
        table.whole("max_hops", usual.max_hops, 1, 3),
    )
    table.reject_unknown_keys()
    return scoring


def with_scoring(profile: Profile, **changes: Any) -> Profile:
    """Return a profile with other [scoring] values, checked like those of a file; None leaves a value unchanged.

    `weights` may name some signals; the others keep theirs.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        return profile
    usual = profile.scoring
    weights = {**dict(usual.weights.items()), **given.pop("weights", {})}
    known = {f.name: getattr(usual, f.name) for f in dataclasses.fields(usual) if f.name != "weights"}
    # Through the checks for files, so that an option cannot set what a file may not.
    scoring = _scoring(Table({**known, **given, "weights": weights}, "scoring"))
    # An empty digest is worked out anew, so that answers of other settings are not taken over.
    return dataclasses.replace(profile, scoring=scoring, digest="")


def _keywords(table: Table) -> Iterator[KeywordGroup]:
    for name in dict(table.items()):
        group = table.table(name)
        yield KeywordGroup(name, group.texts("words", required=True), group.number("weight", 0.3))
        group.reject_unknown_keys()


def _pattern(table: Table, groups: Collection[str]) -> Pattern:
    regex = table.regex("regex", table.text("regex"))
    return Pattern(table.text("name"), regex, table.number("weight", 0.5), table.groups("groups", groups))


def _phrase(table: Table, groups: Collection[str]) -> Phrase:
    phrase = table.text("text")
    for part in phrase.split():
        if ("{" in part or "}" in part) and part not in _PLACEHOLDERS:
            raise table.fail("text", f"{part!r} is not a known placeholder; allowed are {' and '.join(_PLACEHOLDERS)}")
    return Phrase(phrase, table.number("boost", 0.5), table.groups("groups", groups))


def _relation(table: Table) -> ProfileRelation:
    kind = table.text("kind")
    if kind not in RELATIONS:
        raise table.fail("kind", f"there is no relation {kind!r}: {suggestion(kind, RELATIONS)}")
    return ProfileRelation(kind, table.texts("cues", required=True), table.number("confidence", 0.5))  # type: ignore[arg-type]  # checked above


def _question(table: Table, number: int, groups: Collection[str]) -> ProfileQuestion:
    return ProfileQuestion(
        number, table.text("text"), table.text("label", ""), table.texts("keywords"), table.groups("groups", groups),
        table.tables("values", lambda t, _: _value_rule(t)),
    )  # fmt: skip


def _value_rule(table: Table) -> ValueRule:
    kind = table.choice("kind", KINDS)
    cues = (*_cues(table, "for", 1.0), *_cues(table, "against", -1.0))
    names = tuple(_read_named(table.table("units" if kind == "amount" else "names")))
    if kind in ("amount", "names", "choice") and not names:
        what = "units" if kind == "amount" else "names"
        raise table.fail(what, f"{kind!r} needs [questions.values.{what}] with one or more regular expressions")
    details = tuple(_read_named(table.table("details")))
    show = table.text("show", VALUE)
    known = {VALUE, *(f"{{{d.name}}}" for d in details)}
    for part in re.findall(r"\{[^{}]*\}", show):
        if part not in known:
            raise table.fail("show", f"{part!r} is not a known placeholder; allowed are {' and '.join(sorted(known))}")
    lowest = table.number("lowest", -math.inf, -_MOST, _MOST)
    highest = table.number("highest", math.inf, -_MOST, _MOST)
    return ValueRule(kind, cues, names, details, show, table.number("least", 0.5), lowest, highest)


def _cues(table: Table, key: str, sign: float) -> Iterator[Cue]:
    given = table.get(key)
    if given is not None and not isinstance(given, list):
        raise table.fail(key, f"give a list of [regex, weight], not {_describe(given)}")
    for i, each in enumerate(given or ()):
        if not isinstance(each, list) or len(each) != 2:
            raise table.fail(f"{key}[{i}]", f"give [regex, weight], not {_describe(each)}")
        # A cue may name the value of another question; for the check any value will do.
        regex, weight = table.regex(f"{key}[{i}]", each[0], lambda r: compile_cue(QUESTION.sub("1", r))), each[1]
        if not _is_number(weight, 0.0, 1.0):
            raise table.fail(f"{key}[{i}]", f"the weight is a number from 0 to 1, not {_describe(weight)}")
        yield Cue(regex, sign * float(weight))


def _read_named(table: Table) -> Iterator[Named]:
    """Read NAME = regex, or NAME = [regex, factor]."""
    for name, given in table.items():
        regex, factor = given if isinstance(given, list) and len(given) == 2 else (given, 1.0)
        if not factor or not _is_number(factor, 0.0, _MOST):
            raise table.fail(name, f"the factor is a number above 0, at most {_MOST:g}, not {_describe(factor)}")
        yield Named(name, table.regex(name, regex), float(factor))


def _labels(table: Table) -> Iterator[tuple[str, str]]:
    for field in dict(table.items()):
        yield field, table.choice(field, RECOGNIZED)


def _distinct(table: Table, key: str, names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InvalidProfile(f"{name!r} is there twice", place=f"{table.place(key)}[{i}]")


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidProfile(f"give a text, not {_describe(value)}", place=place)
    return value.strip()


def _describe(value: Any) -> str:
    return "nothing" if value is None else f"{value!r:.60}"


def _is_number(value: Any, low: float, high: float) -> bool:
    # In Python true is a number; in a profile it is a mistake.
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
