"""Conversations: resolves follow-up questions against the earlier turns, by a language model or by rules.

"And when was she born?" refers to the last person in the chain of the last answer; "What about Scott?" repeats the last
question with another name. If a model fails, or rewrites the question into a different one, the rules decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from multihop import text
from multihop.lm.steps import failed_step
from multihop.parts.planners.rules import RulePlanner
from multihop.protocols import Context, Index, LanguageModel, Step
from multihop.types import LONGEST_QUESTION, Answer, LmCall, Note, Passage, Request, plain

REMEMBERED = 20
"""Turns that a follow-up question may refer to."""
_TURNS_SHOWN = 5
"""Turns that a language model gets, and passages of each."""
_SHOWN = 8
"""Supporting passages of a turn that are kept in addition to its chain."""
_AND = re.compile(r"^\s*(?:and|but|so|ok(?:ay)?|then)\b[\s,]*", re.I)
_ABOUT = re.compile(r"^\s*(?:(?:and|but)\s+)?(?:(?:what|how)\s+about|and)\s+(?P<rest>.+?)\s*\??\s*$", re.I)
_ASKS = re.compile(
    r"(?:(?:in|on|at|since|until|from|to|by|for|with|of)\s+)?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b",
    re.I,
)
_NUMBER = re.compile(r"\d[\d,.]*")
_PRONOUNS = {
    "he": ("he", "him", "his", "himself"), "she": ("she", "her", "hers", "herself"), "it": ("it", "its", "itself"),
    "they": ("they", "them", "their", "theirs"), "there": ("there",),
}  # fmt: skip
_REFERENCES = re.compile(
    rf"\b(?:{'|'.join(word for words in _PRONOUNS.values() for word in words)}|"
    r"(?:this|that|the same|these|those)(?= (?P<noun>[a-z]{3,})\b))\b",
    re.I,
)
_POSSESSIVE = frozenset(("his", "its", "their"))
_VERBS = frozenset("is was are were be been do does did has had have can could will would should may might".split())
_AFTER_OBJECT = text.STOPWORDS | _VERBS
"""Words after "her" that make it an object rather than a possessive."""
_MASCULINE = re.compile(r"\b(?:he|him|his|himself)\b", re.I)
_FEMININE = re.compile(r"\b(?:she|her|hers|herself)\b", re.I)
_BORN = re.compile(r"\b(?:was born|née)\b|\(\d{4}–\d{4}\)")
_OPENING = 200
_SHORT = 3
"""A question with this many content words or fewer needs its context."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, its resolved form, its answer, and the passages of its chain."""

    question: str
    resolved: str
    answer: str = ""
    kind: str = ""
    """The expected kind of answer, such as a person."""
    passages: tuple[str, ...] = ()
    """Passage ids: first that of the answer, then the chain from its end, then supporting passages."""

    @classmethod
    def of(cls, question: str, answer: Answer) -> Turn:
        """Build the turn of a question, as it was typed, and its answer."""
        said = [sentence.quote.passage_id for sentence in answer.sentences[:1]]
        chain = answer.chain if answer.chain.passages else answer.result.chain
        passages = dict.fromkeys((*said, *reversed(chain.passages), *chain.supporting[:_SHOWN]))
        return cls(question, answer.question, answer.text, answer.kind, tuple(passages))

    def to_dict(self) -> dict[str, Any]:
        """Convert it to plain values."""
        return plain(self)  # type: ignore[no-any-return]  # a dataclass always becomes a dict


class ResolvedQuestion(NamedTuple):
    """A resolved question, and the calls of the language model that resolved it."""

    question: str
    calls: tuple[LmCall, ...] = ()
    notes: tuple[Note, ...] = ()

    def record(self, answer: Answer) -> Answer:
        """Add the calls to the trace of the answer."""
        trace = answer.result.trace
        trace = replace(trace, lm_calls=(*self.calls, *trace.lm_calls), notes=(*self.notes, *trace.notes))
        return replace(answer, result=replace(answer.result, trace=trace)) if self.calls else answer


@dataclass(frozen=True, slots=True)
class Conversation:
    """An immutable conversation: `ask` returns the conversation with the next turn."""

    answer_one: Callable[..., Answer]
    index: Callable[[], Index]
    turns: tuple[Turn, ...] = ()
    answer: Answer | None = None
    """The answer to the last question."""
    model: Callable[[Any], LanguageModel | None] = lambda _: None
    """Returns the language model for the option `lm` of a question."""

    def resolve(self, question: str, lm: Any = None) -> str:
        """Resolve a question against the earlier turns; `lm` as for `Engine.answer`."""
        return self.understand(question, lm).question

    def understand(self, question: str, lm: Any = None) -> ResolvedQuestion:
        """Resolve a question as `resolve` does, and return the calls of the language model as well."""
        Request(question)  # it raises for an invalid question
        model = self.model(lm) if self.turns else None
        if model is None:
            return ResolvedQuestion(resolve(question, self.turns, self.index()))
        return _understand_by_model(question, self.turns, self.index(), model)

    def ask(self, question: str, **options: Any) -> Conversation:
        """Answer a question that may refer to earlier turns; options as for `Engine.answer`."""
        resolved = self.understand(question, options.get("lm"))
        answer = resolved.record(self.answer_one(resolved.question, **options))
        return replace(self, turns=(*self.turns, Turn.of(question, answer)), answer=answer)


def _understand_by_model(question: str, turns: Sequence[Turn], index: Index, model: LanguageModel) -> ResolvedQuestion:
    by_rule = resolve(question, turns, index)
    session = model.session()
    shown = [_describe_turn(turn, index) for turn in turns[-_TURNS_SHOWN:]]
    step = Step("standalone_question", {"conversation": shown, "follow_up": question})
    [said] = session.ask([step], 0)
    calls = tuple(session.calls)
    if said.values is None:
        return ResolvedQuestion(by_rule, calls, (failed_step(step.prompt, 0, said.problem),))
    written = " ".join(str(said.values["question"] or "").split())
    # A rewritten question must share a word with the original, or with the version of the rules.
    is_related = not set(text.terms(written)).isdisjoint((*text.terms(question), *text.terms(by_rule)))
    if written and len(written) <= LONGEST_QUESTION and is_related:
        return ResolvedQuestion(written, calls)
    problem = "the rewritten question is a different one"
    return ResolvedQuestion(by_rule, calls, (failed_step(step.prompt, 0, problem),))


def _describe_turn(turn: Turn, index: Index) -> str:
    loaded = index.passages.passages(turn.passages[:_TURNS_SHOWN])
    titles = dict.fromkeys(loaded[id].title for id in turn.passages[:_TURNS_SHOWN] if id in loaded and loaded[id].title)
    return f"{turn.resolved} Answer: {turn.answer or 'unknown'}. Sources: {'; '.join(titles) or 'none'}"


@dataclass(frozen=True, slots=True)
class _Topic:
    """Something that an earlier turn mentions, and its gender if it is a person."""

    name: str
    gender: str = ""
    """Its pronoun: he, she, they for a person of unknown gender, or empty for a thing."""
    place: bool = False

    def is_meant(self, group: str) -> bool:
        if group == "they":
            return True
        if group == "there":
            return self.place or not self.gender
        if group == "it":
            return not self.gender
        return self.gender in (group, "they")


def resolve(question: str, turns: Sequence[Turn], index: Index) -> str:
    """Resolve a follow-up question against the earlier turns.

    A question that is complete, or would become too long, is returned unchanged.
    """
    resolved = _resolve_question(question, turns, index)
    return resolved if len(resolved) <= LONGEST_QUESTION else question


def _resolve_question(question: str, turns: Sequence[Turn], index: Index) -> str:
    recent = tuple(reversed(turns[-REMEMBERED:]))
    if not recent:
        return question
    asked = _AND.sub("", question, count=1).strip() or question
    topics = [topic for turn in recent for topic in _topics(turn, index)]
    resolved = _replace_pronouns(asked, topics)
    if resolved != asked:
        return _capitalize(resolved)
    named = _names(asked, index)
    about = _ABOUT.match(question)
    # "And what is the fine?" is a question of its own.
    if about and not _ASKS.match(about["rest"]) and len(text.words(about["rest"])) <= 2 * _SHORT:
        return _again(recent[0].resolved, about["rest"], index)
    content = [w for w in text.words(asked) if w not in text.STOPWORDS and w not in text.ASKING]
    if topics and not named and len(content) <= _SHORT - bool(_ASKS.match(asked)) and not _REFERENCES.search(asked):
        return _capitalize(f"{asked.rstrip(' ?')}: {topics[0].name}?")
    return _capitalize(asked) if asked != question and named else question


def _topics(turn: Turn, index: Index) -> Iterator[_Topic]:
    """Yield the topics of a turn: its answer, then the titles of its passages, from the end of the chain."""
    loaded = index.passages.passages(turn.passages)
    passages = [loaded[id] for id in turn.passages if id in loaded]
    by_title = {_bare(p.title): p for p in reversed(passages) if p.title}
    if turn.answer and turn.kind in ("person", "place", "name", "text", "one of several"):
        own = by_title.get(_bare(turn.answer))
        gender = _gender(own) if own else ""
        person = turn.kind == "person"
        yield _Topic(turn.answer, gender or ("they" if person else ""), turn.kind == "place")
    for passage in passages:
        if passage.title:
            yield _Topic(_bare(passage.title, fold=False), _gender(passage))


def _bare(title: str, *, fold: bool = True) -> str:
    bare = text.without_parentheses(title) or title
    return text.fold(bare) if fold else bare


def _gender(passage: Passage) -> str:
    """Guess from its pronouns whether a passage is about a man, a woman or a thing."""
    # Ships are "she" too, but texts about them begin with an article.
    if passage.text.casefold().startswith("the "):
        return ""
    he, she = len(_MASCULINE.findall(passage.text)), len(_FEMININE.findall(passage.text))
    if not he and not she:
        return "they" if _BORN.search(passage.text[:_OPENING]) else ""
    return "he" if he >= she else "she"


def _replace_pronouns(asked: str, topics: Sequence[_Topic]) -> str:
    """Replace pronouns by names."""

    def name(match: re.Match[str]) -> str:
        word = match[0].casefold()
        if noun := match["noun"]:
            # The noun is kept beside the name.
            meant = next((t for t in topics if not t.gender), None)
            return match[0] if meant is None or noun in text.STOPWORDS else f"{meant.name}, the"
        group = next(group for group, words in _PRONOUNS.items() if word in words)
        meant = next((t for t in topics if t.is_meant(group)), None)
        if meant is None:
            return match[0]
        rest = asked[match.end() :].strip(" ?.!,")
        following = rest.split(maxsplit=1)[0].casefold() if rest else ""
        owns = word in _POSSESSIVE or (word == "her" and following and following not in _AFTER_OBJECT)
        place = "in " if group == "there" else ""
        possessive = ("’" if meant.name.endswith("s") else "’s") if owns else ""
        return f"{place}{meant.name}{possessive}"

    return _REFERENCES.sub(name, asked)


def _names(asked: str, index: Index) -> list[str]:
    return [e.text for e in RulePlanner().plan(asked, Context(index)).entities]


def _again(before: str, rest: str, index: Index) -> str:
    """Repeat the previous question with another name or number."""
    rest = re.sub(r"^(?:in|on|for|with|at|of|by)\s+", "", rest.strip(), flags=re.I)
    if _NUMBER.fullmatch(rest) and (number := _NUMBER.search(before)):
        return before[: number.start()] + rest + before[number.end() :]
    named = [name for name in _names(before, index) if name in before and not _NUMBER.fullmatch(name)]
    if not named:
        return f"{before.rstrip(' ?')}, {rest}?"
    last = max(named, key=before.rfind)
    at = before.rfind(last)
    return before[:at] + rest + before[at + len(last) :]


def _capitalize(question: str) -> str:
    return question[:1].upper() + question[1:]
