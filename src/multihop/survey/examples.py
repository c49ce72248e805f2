"""Learns a profile from examples ("this cell should be 30 days"): words around correct values become its cues.

A cue is a word that occurs near correct values in several files and rarely near other values of the same kind. The
profile is evaluated on the files of the examples, and by leave-one-out cross-validation over the files.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from multihop import text
from multihop.answering.batch_files import csv_records
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.profiles import parse
from multihop.profiles.regexes import compile_cue, searchable
from multihop.profiles.values import VALUE, Named, Profile, ValueRule
from multihop.survey.candidates import ValueCandidate, candidates
from multihop.survey.findings import surroundings
from multihop.survey.groups import FILE, Group, chosen_groups
from multihop.survey.run import survey

_FIELDS = ("file", "question", "value")
_BEFORE, _AFTER = 8, 5
"""Number of words on either side of a value that may become cues."""
_CUES = 6
_PRECISE = 0.5
"""Minimum precision of a cue: its share of correct values among all values near it."""
_SHORTEST = 3
_PASSAGES = 100_000
_NUMBER = r"\d[\d., ]*"


class Example(NamedTuple):
    """The correct value of one cell."""

    file: str
    question: str
    value: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Number of cells that a profile fills in correctly, wrongly and not at all."""

    right: int = 0
    wrong: int = 0
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Learned:
    """A profile as TOML, with its results on the examples and on held-out files."""

    content: str
    again: Outcome
    left_out: Outcome
    without_cues: tuple[str, ...] = ()
    """Questions whose values occur in no file, or share no words around them."""


class _Place(NamedTuple):
    """A value in a file: whether it is correct, its context, and the words around it as cues."""

    file: str
    right: bool
    around: str
    cues: frozenset[str] = frozenset()


def read_examples(path: Path) -> tuple[Example, ...]:
    """Read a CSV file with the columns file, question and value."""
    if not path.is_file():
        raise InvalidInput(f"{str(path)!r} is no file; give a CSV file with the columns {', '.join(_FIELDS)}")
    records = csv_records(path.read_bytes())
    header = [name.strip().lower() for name in next(records, (1, []))[1]]
    if not set(_FIELDS) <= set(header):
        raise InvalidInput(f"{path}: the first row must name the columns {', '.join(_FIELDS)}")
    examples = []
    for _, record in records:
        cells = {name: cell.strip() for name, cell in zip(header, record, strict=False)}
        if all(cells.get(name) for name in _FIELDS):
            examples.append(Example(*(cells[name] for name in _FIELDS)))
    if not examples:
        raise InvalidInput(f"{path}: no row has a file, a question and a value")
    return tuple(examples)


def learn_profile(engine: Engine, examples: Sequence[Example], name: str) -> Learned:
    """Learn a profile from examples and evaluate it on their files."""
    files = _files(engine, examples)
    lines = {file: list(_lines(engine, group)) for file, group in files.items()}
    content, without = _write(examples, lines, name)
    profile = parse(content, name=name)
    again = _evaluate(engine, profile, examples, files)
    left_out: Counter[str] = Counter()
    for file in files:
        others = [example for example in examples if example.file != file]
        own = [example for example in examples if example.file == file]
        known = {example.question for example in others}
        asked = [example for example in own if example.question in known]
        left_out["missed"] += len(own) - len(asked)
        if asked:
            learned = parse(_write(others, lines, name)[0], name=name)
            tried = _evaluate(engine, learned, asked, {file: files[file]})
            left_out.update({"right": tried.right, "wrong": tried.wrong, "missed": tried.missed})
    return Learned(content, again, Outcome(**left_out), without)


def _files(engine: Engine, examples: Sequence[Example]) -> dict[str, Group]:
    """Find the files of the examples by name, or by the end of their path."""
    every, _ = chosen_groups(engine, Profile("examples", group=FILE), None)
    groups: dict[str, Group] = {}
    for file in dict.fromkeys(example.file for example in examples):
        fitting = [name for name in every if name == file or name.endswith(f"/{file}")]
        if len(fitting) != 1:
            said = "several files of the index have" if fitting else "no file of the index has"
            raise InvalidInput(f"{said} the name {file!r}; give the path that multihop list shows")
        groups[file] = every[fitting[0]]
    return groups


def _lines(engine: Engine, group: Group) -> Iterator[str]:
    passages = engine.index().passages
    for document in group.documents:
        held = passages.passages_of([document], _PASSAGES).get(document, [])
        yield from (searchable(passage.text) for passage in passages.passages(held).values())


def _write(examples: Sequence[Example], lines: Mapping[str, Sequence[str]], name: str) -> tuple[str, tuple[str, ...]]:
    parts = [f"name = {json.dumps(name)}", f'description = "Learned from {len(examples)} examples"', 'group = "file"']
    # The cues decide, so no passage is ruled out by its similarity to the question.
    parts += ["[scoring]", "threshold = 0.0"]
    without = []
    for question in dict.fromkeys(example.question for example in examples):
        own = [example for example in examples if example.question == question]
        rule = _rule([example.value for example in own])
        places = [place for example in own for place in _places(rule, example, lines[example.file])]
        cues = _choose(places)
        if not cues:
            without.append(question)
        words = dict.fromkeys(word for cue in cues for word in re.findall(r"\\b(\w+)", cue))
        parts += ["", "[[questions]]", f"text = {json.dumps(question)}", f"label = {json.dumps(question)}"]
        parts += [f"keywords = {json.dumps(list(words), ensure_ascii=False)}"] if words else []
        pairs = ", ".join(f"['{regex}', {weight:g}]" for regex, weight in cues.items())
        parts += ["[[questions.values]]", f'kind = "{rule.kind}"', "least = 0.4", f"for = [{pairs}]"]
        is_amount = rule.kind == "amount"
        if rule.names:
            parts.append(f"[questions.values.{'units' if is_amount else 'names'}]")
        for each in rule.names:
            pattern = f"'{each.regex}'" if is_amount else f"['{each.regex}', {each.factor:g}]"
            parts.append(f"{json.dumps(each.name, ensure_ascii=False)} = {pattern}")
    return "\n".join(parts) + "\n", tuple(without)


def _rule(values: Sequence[str]) -> ValueRule:
    """Infer the kind of values: percentages, dates, years, amounts with units, otherwise a choice from a list."""
    for kind in ("percent", "date", "year"):
        rule = ValueRule(kind)
        if all(_whole(rule, value) for value in values):
            return rule
    units = [_unit(value) for value in values]
    if all(units):
        return ValueRule("amount", names=tuple(dict.fromkeys(unit for unit in units if unit)))
    names = dict.fromkeys(" ".join(value.split()) for value in values)
    return ValueRule("choice", names=tuple(Named(n, rf"\b{_word_pattern(n)}", 0.2) for n in names))


def _whole(rule: ValueRule, value: str) -> ValueCandidate | None:
    candidate = next(iter(candidates(rule, value.strip())), None)
    return candidate if candidate and (candidate.start, candidate.end) == (0, len(value.strip())) else None


def _unit(value: str) -> Named | None:
    if before := re.fullmatch(rf"(?P<unit>[^\d\s]+) ?{_NUMBER}", value.strip()):
        return Named(before["unit"], f"^{_word_pattern(before['unit'])}")
    if after := re.fullmatch(rf"{_NUMBER} (?P<unit>\D+)", value.strip()):
        unit = after["unit"].strip()
        return Named(unit, rf"\)? ?{_word_pattern(unit.removesuffix('s'))}s?")
    return None


def _word_pattern(said: str) -> str:
    """Return a pattern for words that fits a TOML string in single quotes."""
    return re.escape(said).replace(r"\ ", " ").replace("'", ".")


def _places(rule: ValueRule, example: Example, lines: Sequence[str]) -> Iterator[_Place]:
    wanted = _same(next(iter(candidates(rule, example.value)), None))
    for line in lines:
        for candidate in candidates(rule, line):
            right = _same(candidate) == wanted
            cues = frozenset(_nearby_words(rule, line, candidate)) if right else frozenset()
            yield _Place(example.file, right, surroundings(rule, candidate, line), cues)


def _same(candidate: ValueCandidate | None) -> str:
    return (candidate.same or candidate.value.casefold()) if candidate else ""


def _nearby_words(rule: ValueRule, line: str, candidate: ValueCandidate) -> Iterator[str]:
    """Return the words near a value in its sentence as cues."""
    before = re.split(r"[.;] ", line[: candidate.start])[-1]
    after = re.split(r"[.;](?: |$)", line[candidate.end :], maxsplit=1)[0]
    gap = "[^.;]{0,60}"
    for word in text.words(before)[-_BEFORE:]:
        if _is_cue_word(word):
            yield rf"\b{word}\b" if rule.kind == "choice" else rf"\b{word}\b{gap}{VALUE}"
    for word in text.words(after)[:_AFTER]:
        if _is_cue_word(word):
            yield rf"\b{word}\b" if rule.kind == "choice" else rf"{VALUE}{gap}\b{word}\b"


def _is_cue_word(word: str) -> bool:
    return word.isalpha() and len(word) >= _SHORTEST and word not in text.STOPWORDS


def _choose(places: Sequence[_Place]) -> dict[str, float]:
    """Choose the cues that occur near correct values in most files, and rarely near others."""
    files = {place.file for place in places if place.right}
    right: dict[str, set[str]] = {}
    for place in places:
        for cue in place.cues:
            right.setdefault(cue, set()).add(place.file)
    scored = []
    for cue, own in right.items():
        # With several files, one is too little evidence.
        if len(own) < min(2, len(files)):
            continue
        wrong = sum(bool(compile_cue(cue).search(place.around)) for place in places if not place.right)
        precise = len(own) / (len(own) + wrong)
        if precise >= _PRECISE:
            scored.append((precise * len(own) / len(files), precise, cue))
    best = sorted(scored, key=lambda each: (-each[0], each[2]))[:_CUES]
    return {cue: round(0.35 + 0.5 * precise, 2) for _, precise, cue in best}


def _evaluate(engine: Engine, profile: Profile, examples: Sequence[Example], files: Mapping[str, Group]) -> Outcome:
    numbers = {question.text: question.number for question in profile.questions}
    rules = {question.text: question.values[0] for question in profile.questions}
    names = {group.documents[0]: file for file, group in files.items()}
    counts: Counter[str] = Counter()
    for row in survey(engine, profile, groups=list(names), label=False).groups:
        findings = {answer.number: answer.findings for answer in row.answers}
        for example in (each for each in examples if each.file == names[row.group]):
            first = next(iter(findings.get(numbers[example.question], ())), None)
            wanted = _same(next(iter(candidates(rules[example.question], example.value)), None))
            if first is None:
                counts["missed"] += 1
            else:
                shown = next(iter(candidates(rules[example.question], first.words or first.value)), None)
                counts["right" if _same(shown) == wanted else "wrong"] += 1
    return Outcome(**counts)
