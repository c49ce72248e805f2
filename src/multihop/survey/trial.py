"""Tries a profile on an index: what each signal finds for each question, and which entries find nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from multihop.engine import Engine
from multihop.profiles.signals import embed, evaluate, parse_question
from multihop.profiles.signals.blocks import Blocks
from multihop.profiles.signals.fuzzy import FuzzyIndex, compile_phrases
from multihop.profiles.signals.patterns import matches
from multihop.profiles.values import Profile, ProfileQuestion
from multihop.protocols import Context


@dataclass(frozen=True, slots=True)
class SignalTrial:
    """Number of passages that a signal finds for a question, and its best score."""

    passages: int
    best: float


@dataclass(frozen=True, slots=True)
class QuestionTrial:
    """The result of a question: the number of passages above the threshold, and its signals."""

    number: int
    label: str
    passages: int
    signals: dict[str, SignalTrial]


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a profile: its questions, and warnings."""

    passages: int
    questions: tuple[QuestionTrial, ...]
    warnings: tuple[str, ...]


def try_profile(engine: Engine, profile: Profile) -> Trial:
    """Ask the whole index every question of a profile, and search for each of its patterns and phrases."""
    context = Context(engine.index())
    questions = tuple(_try_question(question, profile, context) for question in profile.questions)
    warnings = (*without_signs(profile), *_unused_entries(profile, context), *_silent_signals(questions, profile))
    return Trial(context.index.passages.size, questions, warnings)


def without_signs(profile: Profile) -> Iterator[str]:
    """Warn of questions for which a signal is absent because the profile has nothing for it."""
    for question in profile.questions:
        said = f"question {question.number} ({question.label or question.text})"
        if not parse_question(question.text, profile).phrases:
            yield f"{said} has no keywords, and its topics have no phrases: its fuzzy signal is absent"
        if question.groups and not profile.serving(question.groups)[1]:
            yield f"{said}: its topics have no patterns; its pattern signal counts only their words"


def _try_question(question: ProfileQuestion, profile: Profile, context: Context) -> QuestionTrial:
    scores = evaluate(parse_question(question.text, profile), embed(question.enhanced, context), profile, context)
    signals = {
        name: SignalTrial(int((values > 0).sum()), round(float(values.max(initial=0.0)), 4))
        for name, values in scores.signals.items()
    }
    above = int((scores.combined >= profile.scoring.threshold).sum())
    return QuestionTrial(question.number, question.label or question.text, above, signals)


def _unused_entries(profile: Profile, context: Context) -> Iterator[str]:
    """Search for every pattern and phrase in all passages, block by block."""
    blocks = Blocks.read(context.index.passages, None)
    passages = context.index.passages.scan()
    silent = {pattern.name for pattern in profile.patterns}
    unheard = {phrase: compile_phrases([phrase]) for phrase in profile.phrases}
    for number, (rows, corpus) in enumerate(blocks.corpora()):
        matched = matches(profile, islice(passages, rows.stop - rows.start))
        silent -= {pattern.name for place, pattern in enumerate(profile.patterns) if matched[:, place].any()}
        # Not searched again once found.
        for phrase, words in [*unheard.items()]:
            if FuzzyIndex({}).score(number, corpus, words, profile.scoring.fuzzy_threshold).any():
                del unheard[phrase]
    yield from _summarize([p.name for p in profile.patterns if p.name in silent], "pattern", "matches", "match")
    yield from _summarize([p.text for p in profile.phrases if p in unheard], "phrase", "is found in", "are found in")


def _summarize(names: list[str], kind: str, does: str, do: str) -> Iterator[str]:
    """Summarize unused entries in one line, since a profile for several languages may have many."""
    if len(names) == 1:
        yield f"the {kind} {names[0]!r} {does} no passage"
    elif names:
        yield f"{len(names)} {kind}s {do} no passage: {', '.join(map(repr, names))}"


def _silent_signals(questions: tuple[QuestionTrial, ...], profile: Profile) -> Iterator[str]:
    for question in questions:
        said = f"question {question.number} ({question.label})"
        for name, signal in question.signals.items():
            if not signal.passages:
                yield f"{said}: the signal {name} finds no passage"
        if not question.passages:
            yield f"{said}: no passage reaches the threshold of {profile.scoring.threshold:g}"
