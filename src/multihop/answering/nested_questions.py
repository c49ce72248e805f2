"""Nested questions: "Where was the architect of the Fram born?" contains "Who was the architect of the Fram?"

The inner question is answered from the same evidence and replaced by its answer; the outer one is then read in the
documents that mention this answer. A reader of everything at once picks the row or sentence of somebody else nearby.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate
from multihop.answering.confidence import confidence, log_odds
from multihop.answering.contexts import cell_values, names_of, types_of
from multihop.answering.kinds import PEOPLE, expected, is_asked
from multihop.answering.plausible import UNSAID
from multihop.answering.spans import AnswerSources
from multihop.answering.tables import cells_of
from multihop.parts.selectors.reading import ReadPassage
from multihop.text.units import SEPARATOR

SUREST = 0.9
"""Answers with a higher confidence are not checked by nesting; also the maximum for a nested answer."""
_NAMED = 0.5
"""Minimum score of a document that mentions the inner answer."""
_KNOWN, _KNOWN_ROW = 0.5, 0.2
"""Confidence in the inner answer from which prose, and rows, that do not mention it are about something else."""
_LISTED = {"bias": 1.0, "odds": 1.0}
"""Bonus in log-odds for an answer that a table lists in the column asked for."""
DEEPEST, _FEWEST = 2, 2
"""Maximum depth of nesting, and minimum content words of a clause without a name."""
NESTED = re.compile(
    r"the (?P<noun>(?:[a-z][a-z-]+ ){0,2}?[a-z][a-z-]+) "
    r"(?P<link>of|that|who|where|responsible for|\w{2,}ed (?:at|in|on|for|by|from|to|with)|"
    r"(?:(?:at|in|on|for|by|from|to|with) )?which) (?P<rest>.+)"
)
REDUCED = re.compile(r"\w{2,}ed \w+")
"""A clause without pronoun and verb: "the component concerned by the advisory"."""
_AGENT = re.compile(r"(?:er|or|ist|ian|ant|head|chair|chief)$")
"""Nouns before "of" that have names, unlike the gear of a winch or the end of a year."""
_THINGS = frozenset(
    """border centre center chapter character colour color corner counter cover door error factor floor letter motor
    number order paper plant power quarter river sector summer tower water winter""".split()
)
_ROLE = re.compile(r"(?!(?:the|an?|this|that|its|his|her|their|our|all|any|each|every)\b)[a-z-]{3,}(?: [a-z-]{3,})?")
"""Roles such as head of sales or director of human resources; the founder of a company can be anybody."""
_ASKING = re.compile(
    r"(?:(?:in|on|at|of|from|by|for|to|with) )?(who|whom|whose|what|which|when|where|how)\b", re.IGNORECASE
)
# "Where was … born?", "When did … die?": the subject is between the two words.
_TO_BE = re.compile(r"\b(?:is|are|was|were) $")
_TO_DO = re.compile(r"\b(?:did|does|do) (?:.* of )?$")
_PARTICIPLE = re.compile(r" (?:born|buried|based|located|made|held|built|\w{2,}ed)$")
_INFINITIVE = re.compile(
    r" (?:come|live|work|die|study|start|begin|end|cost|open|join|sit|belong)(?: (?:to|from|in|at|on|for|with))?$"
)
_TITLES = re.compile(r"^(?:(?:the|an?|mrs?|ms|dr|prof|professor|sir)\b\.? ?)+", re.IGNORECASE)


class NestedQuestion(NamedTuple):
    """An inner question, and the words of the outer question before and after it."""

    inner: str
    before: str
    after: str

    def about(self, name: str) -> str:
        """Return the outer question about a name."""
        return f"{self.before}{name}{self.after}?"


class NestedAnswer(NamedTuple):
    """The answers to the inner questions and to the outer one, if there are any, and their joint confidence."""

    inner: tuple[Candidate, ...]
    best: Candidate | None = None
    confidence: float = 0.0

    def is_inner(self, said: str) -> bool:
        """Return whether an answer is one to an inner question, and so not to the whole."""
        return text.surface_key(said) in {text.surface_key(each.text) for each in self.inner}

    def allows(self, candidate: Candidate, asked: str) -> bool:
        """Return whether an answer can be about the inner answer, as far as that is known.

        Every row of a table has a value, but only the row about the inner answer has the right one.
        """
        own, is_row = candidate.passage, SEPARATOR in candidate.unit.text
        if not self.inner:
            # The row is unknown, so any row with a word or name of the question may be the right one.
            said = set(text.terms(cell_values(candidate.unit.text)))
            return not is_row or bool(names_of(asked)) or not said.isdisjoint(text.terms(asked))
        if self.inner[-1].confidence < (_KNOWN_ROW if is_row else _KNOWN):
            return True
        around = " ".join(unit.lower for unit in own.sentences if not is_row or SEPARATOR not in unit.text)
        passage = f"{own.name} {own.passage.heading} {candidate.unit.text} {around}".lower()
        return text.find_name(passage, name_of(self.inner[-1]).lower()) >= 0

    def may_replace(self, direct: Candidate, asked: str, sure: float) -> bool:
        """Return whether an outer answer of at most this confidence would be preferred to the direct answer."""
        least = direct.confidence if self.allows(direct, asked) else UNSAID * direct.confidence
        return self.is_inner(direct.text) or sure > least


def nested_question(asked: str) -> NestedQuestion | None:
    """Find the innermost question within a question; None if it is a simple one."""
    asked = asked.rstrip(" ?")
    first = _ASKING.match(asked)
    if first is None:
        return None
    for article in reversed(list(re.finditer(r"\bthe ", asked))):
        nested = NESTED.fullmatch(asked, article.start())
        before = asked[: article.start()]
        if nested is None or not before or not text.STOPWORDS.isdisjoint(nested["noun"].split()):
            continue
        noun, link, rest = nested["noun"], nested["link"], nested["rest"]
        if link == "of" and not is_person(noun):
            continue
        # In "When was the ship launched in Bergen?" the participle is the verb.
        if REDUCED.fullmatch(link) and _TO_BE.search(before):
            continue
        if link != "of" and _TO_DO.search(before) and " " in noun:
            # In "What does the hose cost that is laid there?" the clause follows the verb.
            noun, _, verb = noun.rpartition(" ")
            tail = f" {verb}"
        elif link != "of" and _TO_BE.search(before) and (participle := _PARTICIPLE.search(noun)):
            # "Where was the man born who drew the Fram?"
            noun, tail = noun[: participle.start()], participle.group()
        elif (
            verb := _final_verb(before, rest, of=link == "of", asks_for_name=first[1].lower() in ("who", "what"))
        ) is None:
            continue
        else:
            rest, tail = rest[: len(rest) - len(verb)], verb
        # Too few words cannot be looked up.
        said = _ROLE.fullmatch(rest) if link == "of" else len(set(text.terms(rest))) >= _FEWEST
        if said or any(letter.isupper() for letter in rest):
            return NestedQuestion(inner_question(noun, link, rest), before, tail)
    return None


def is_person(noun: str) -> bool:
    """Return whether the last word of a noun phrase is a person: the leader or the chief engineer of a project."""
    last = noun.split()[-1]
    return last in PEOPLE or (bool(_AGENT.search(last)) and last not in _THINGS)


def _final_verb(before: str, rest: str, *, of: bool, asks_for_name: bool) -> str | None:
    """Return the final verb of the question that belongs to its beginning; None if that is unclear."""
    # "the name of the man who", "in which the leader"
    clause = re.search(r"\b(?:which|that|who|where) $", before) and len(text.words(before)) > 2
    if clause or before.endswith(" name of "):
        return None
    if _TO_DO.search(before):
        verb = _INFINITIVE.search(rest)
        return verb.group() if verb else None
    if not _TO_BE.search(before):
        return ""
    if of and (verb := _PARTICIPLE.search(rest)):
        return verb.group()
    # "Who is the head of the office?" is a simple question.
    return None if asks_for_name else ""


def inner_question(noun: str, link: str, rest: str) -> str:
    who = "Who" if noun.split()[-1] in PEOPLE else f"Which {noun}"
    if link == "responsible for":
        return f"{who} is responsible for {rest}?"
    if link == "of":
        return f"Who is the {noun} of {rest}?"
    if REDUCED.fullmatch(link):
        return f"{who} is {link} {rest}?"
    if link == "where" or " " in link:
        return f"Which {noun} is it {link} {rest}?"
    # "that pays for the study", "that Amundsen borrowed"
    subject = rest[0].isupper() or rest.startswith(("the ", "a ", "an ", "everyone "))
    return f"Which {noun} is it that {rest}?" if subject else f"{who} {rest}?"


def read_nested(asked: str, sources: AnswerSources, direct: Sequence[Candidate]) -> NestedAnswer | None:
    """Answer the inner question, then the outer one with its answer; None without an inner question or its answer.

    `direct` are the candidates for the whole question.
    """
    whole, sure, least, inner = asked, 1.0, 0.0, list[Candidate]()
    for _ in range(DEEPEST):
        nested = nested_question(asked)
        if nested is None:
            break
        answers = sources.read(nested.inner, least)
        name = name_of(answers[0]) if answers else ""
        if not name:
            return NestedAnswer(()) if not inner else None
        # Other wordings of the answer count too, and so does the same answer to the whole question.
        alike = [answer.confidence for answer in answers if name_of(answer).lower() == name.lower()]
        again = [answer.confidence for answer in direct[:1] if name_of(answer).lower() == name.lower()]
        best = replace(answers[0], confidence=min(1.0, max([sum(alike), *again])))
        if SEPARATOR not in best.unit.text and _is_listed(name, expected(nested.inner).noun, sources.readings):
            best = replace(best, confidence=confidence({"odds": log_odds(best.confidence)}, _LISTED))
        inner.append(best)
        sure *= best.confidence
        name = as_listed(name, sources.readings)
        asked = nested.about(name)
        # The scores are for the whole question, which does not contain the name.
        sources, least = replace(sources, readings=_passages_naming(sources.readings, name.lower())), _NAMED
    if not inner:
        return None
    found = NestedAnswer(tuple(inner))
    if direct and not found.may_replace(direct[0], whole, sure):
        return found
    answers = sources.read(asked, least) if sources.readings else ()
    # A name in the question, or the inner answer, does not answer the outer question.
    if not answers or is_asked(answers[0].text, f"{whole} {asked}"):
        return found
    return NestedAnswer(found.inner, answers[0], min(SUREST, sure * answers[0].confidence))


def read_whole(asked: str, sources: AnswerSources) -> Sequence[Candidate]:
    """Read the passages for a different question than they were retrieved for, both directly and nested."""
    answers = sources.read(asked)
    nested = read_nested(asked, sources, answers)
    if nested and nested.best and (not answers or nested.confidence > answers[0].confidence):
        return [replace(nested.best, confidence=nested.confidence)]
    if answers and nested and not nested.allows(answers[0], asked):
        return [replace(each, confidence=UNSAID * each.confidence) for each in answers]
    return answers


def _is_listed(name: str, noun: str, readings: Sequence[ReadPassage]) -> bool:
    """Return whether a table lists a name in the column of a noun."""
    column = set(text.stems([noun])) if noun else set[str]()
    return any(
        cell.value.lower() == name.lower() and column == set(text.stems(text.words(cell.column)))
        for reading in readings
        for unit in reading.sentences
        if column and SEPARATOR in unit.text
        for cell in cells_of(unit.text)
    )


def as_listed(name: str, readings: Sequence[ReadPassage]) -> str:
    """Return a name as tables spell it: its last word, if a cell has only that and none the whole name."""
    whole, last = name.lower(), name.lower().rpartition(" ")[2]
    cells = {
        cell.value.lower()
        for reading in readings
        for unit in reading.sentences
        if SEPARATOR in unit.text and last in unit.lower
        for cell in cells_of(unit.text)
    }
    return name.rpartition(" ")[2] if last in cells and not any(whole in cell for cell in cells) else name


def _passages_naming(readings: Sequence[ReadPassage], name: str) -> list[ReadPassage]:
    """Return the passages of documents that mention a name (in lower case) anywhere: a contract names a party once."""
    naming = {r.passage.document_id for r in readings if r.naming(name) or text.find_name(r.name, name) >= 0}
    return [reading for reading in readings if reading.passage.document_id in naming]


def name_of(candidate: Candidate) -> str:
    """Return the name in an answer, without titles: Edvard Holm for "the shipowner Edvard Holm"."""
    if SEPARATOR in candidate.unit.text:
        return candidate.text
    names = types_of(candidate.text) or [name for name, _, _ in text.capitalized_spans(candidate.text)]
    return _TITLES.sub("", max(names, key=len)) if names else ""
