"""Answers comparisons ("Which is older, A or B?", "Is A heavier than B?"): reads each value, then compares the two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.contexts import ROOM
from multihop.answering.kinds import Expected, expected
from multihop.answering.nested_questions import read_whole
from multihop.answering.rows import compared_cells
from multihop.answering.spans import AnswerSources, read_answers
from multihop.answering.values import Value, amount_of, date_of
from multihop.parts.selectors.reading import ReadPassage, weigh_words
from multihop.types import AnswerSentence, Chain

_SMALLER = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|before|smaller|smallest|fewer|fewest|less|least|lower|lowest|shorter|"
    r"shortest|lighter|lightest|cheaper|cheapest|nearer|closer|slower)\b",
    re.IGNORECASE,
)
_LARGER = re.compile(
    r"\b(?:later|latest|younger|youngest|newer|newest|recent|recently|last|larger|largest|bigger|biggest|more|most|"
    r"greater|greatest|higher|highest|taller|tallest|longer|longest|heavier|heaviest|deeper|deepest|wider|widest|"
    r"faster|fastest|farther|further)\b",
    re.IGNORECASE,
)
_OF_TIME = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|before|later|latest|younger|youngest|newer|newest|recent|recently|last)\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"\b(?:born|older|oldest|younger|youngest)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(released|published|founded|established|formed|opened|built|created|premiered|launched|started|completed|"
    r"introduced|made|registered|signed|died|delivered|ordered|appointed|elected|hired|aired|written|recorded)\b",
    re.IGNORECASE,
)
_MEASURED = {
    "heav": "What is the weight of {}?", "light": "What is the weight of {}?", "tall": "How tall is {}?",
    "high": "How high is {}?", "low": "How high is {}?", "long": "How long is {}?", "short": "How long is {}?",
    "deep": "How deep is {}?", "wide": "How wide is {}?", "fast": "How fast is {}?", "slow": "How fast is {}?",
    "cheap": "What does {} cost?", "expensive": "What does {} cost?", "popul": "What is the population of {}?",
    "larg": "How large is {}?", "big": "How large is {}?", "small": "How large is {}?",
}  # fmt: skip
_COMPARED = re.compile(
    r"\b(?:larger|bigger|smaller|higher|lower|longer|shorter|greater|largest|biggest|smallest|highest|lowest|longest|"
    r"shortest|greatest)\s+([a-z]{3,})\b",
    re.IGNORECASE,
)
"""In "a larger budget" the budget is compared, not the size of the side."""
_GOT = re.compile(r"\b(\w{2,}ed|got|made|sold|won|built|spent|paid|took|gave|lost)\s+$", re.IGNORECASE)
_UNCOUNTED = frozenset("money time power fuel oil water income revenue profit land space".split())
_COUNTED = re.compile(r"\b(?:more|most|fewer|fewest|less|least)\s+([a-z]{3,})", re.IGNORECASE)
_POLAR = re.compile(r"^\W*(?P<auxiliary>is|are|was|were|do|does|did|has|have|had)\s+(?P<one>.+?)\s*$", re.IGNORECASE)
_VERB = re.compile(
    r"\s+(?:have|has|had|be|been|die|born|come|came|start|open|an?|\w{2,}ed|got|built|made|sold|won|spent|written)$"
)
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|an?|half|twice"
_THAN = re.compile(rf"\s*(?:(?!than\b)[a-z]+\s+)??than\s+(?P<other>(?!(?:{_NUMBER_WORDS})\b)\S.*?)\s*\?*\s*$")
_ORDER = re.compile(r"\b(?:before|after)\s+(?P<other>\S.*?)\s*\?*\s*$")
_SUCH = re.compile(r"(?:that|those|the one) (?=of |in |for |at |from )")
_VALUE = re.compile(r"(?:the|its|their|his|her)\s.*?\b(?:of|for|in|at|on)\s|.*(?:’s|'s) ")
"""Matches a value ("the price of the pump") as opposed to a thing that has one ("the pump")."""
_EXPENSIVE = re.compile(r"\bexpensive|\bpopul", re.IGNORECASE)


class SideQuestions(NamedTuple):
    """The question for each of two values, and whether the first is expected to be the smaller."""

    sides: tuple[str, str]
    smaller: bool


def compare_options(asked: str, wanted: Expected, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Answer a question that compares alternatives; None if it does not compare them, or a value is missing."""
    smaller, larger = _SMALLER.search(asked), _LARGER.search(asked)
    # With neither or both of these words, the direction is unknown.
    if (smaller is None) == (larger is None):
        return None
    word = (smaller or larger or [""])[0].lower()
    known = compared_cells(asked, wanted.options, word, sources) or _read_sides(asked, wanted.options, sources)
    if len(known) < len(wanted.options):
        return None
    order = sorted(range(len(known)), key=lambda i: known[i][1])
    # Values that agree up to the precision of the shorter one cannot be ordered.
    if _alike(known[order[0]][1], known[order[-1]][1]):
        return None
    chosen = order[0 if smaller else -1]
    # Both values must be right. Their errors are correlated, so the plain product would be too low.
    sure = round(prod(said.confidence for said, _ in known) ** 0.5, 4)
    ordered = [chosen, *(i for i in range(len(known)) if i != chosen)]
    sentences = tuple(replace(known[i][0], confidence=sure) for i in ordered)
    return ExtractiveAnswer(wanted.options[chosen], sure, sentences)


def _read_sides(asked: str, options: Sequence[str], sources: AnswerSources) -> list[tuple[AnswerSentence, Value]]:
    """Read the value of each option that has one."""
    if not (template := sub_question(asked)):
        return []
    sides = (_side(template.format(option), option, sources) for option in options)
    return [(candidate.sentence(), value) for candidate, value in filter(None, sides)]


def compare_values(asked: str, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Answer whether one value is more, less, earlier or later than another; None if a value is missing."""
    asks = side_questions(asked)
    if not asks:
        return None
    known = []
    for each in asks.sides:
        answers = read_whole(each, sources)
        timed = expected(each).kind == "date"
        value = next(((c, v) for c in answers[:1] if (v := date_of(c.text) if timed else amount_of(c.text))), None)
        if value is None:
            return None
        known.append(value)
    (one, first), (other, second) = known
    same = one.unit == other.unit and one.text == other.text
    if same or len({unit for unit in (_unit(one.text), _unit(other.text)) if unit}) > 1:
        return None
    # A year is neither before nor after a day within it.
    if first != second and _alike(first, second):
        return None
    is_so = first != second and (first < second) is asks.smaller
    sure = round((one.confidence * other.confidence) ** 0.5, 4)
    return ExtractiveAnswer("yes" if is_so else "no", sure, (one.sentence(sure), other.sentence(sure)))


def side_questions(asked: str) -> SideQuestions | None:
    """Return a question for each value that "Is the Kestrel heavier than the Merlin?" compares; None otherwise."""
    smaller, larger, order = _SMALLER.search(asked), _LARGER.search(asked), _ORDER.search(asked)
    word = order or smaller or larger
    if word is None or (smaller and larger):
        return None
    subject = _POLAR.match(asked[: word.start()])
    rest = order or _THAN.match(asked, word.end())
    # "more than fifty" compares no second value, and "before it sank" has no date to look up.
    if subject is None or rest is None or rest["other"][0].isdigit() or (order and _VERB.search(rest["other"])):
        return None
    one, other = subject["one"], rest["other"]
    is_smaller = word.group().lower().startswith("before") if order else bool(smaller)
    if _VALUE.match(one) and not order and not _OF_TIME.search(asked):
        head = one.partition(" of ")[0]
        return SideQuestions((f"What is {one}?", f"What is {_SUCH.sub(f'{head} ', other)}?"), is_smaller)
    auxiliary, verb, counted = subject["auxiliary"].lower(), one.rpartition(" ")[2], _COUNTED.match(asked, word.start())
    if auxiliary in ("do", "does", "did") and counted and verb.islower() and verb != "have":
        one, template = one.rpartition(" ")[0], f"{_how_many(counted[1].lower())} {auxiliary} {{}} {verb}?"
    elif auxiliary in ("do", "does", "did") and _OF_TIME.search(asked) and (names := text.capitalized_spans(one)):
        # In "Did Ada join the yard later than Bo?" the action follows the first name.
        end = names[0][2]
        one, template = one[:end], f"When {auxiliary} {{}}{one[end:]}?"
    else:
        while ending := _VERB.search(one):
            one = one[: ending.start()]
        template = sub_question(f"{asked} first" if order else asked)
    # The question itself may contain braces, so `format` is not safe.
    sides = template.replace("{}", one, 1), template.replace("{}", other, 1)
    return SideQuestions(sides, is_smaller) if one and template else None


def sub_question(asked: str) -> str:
    """Return the question for the value of one side, with {} for its name; empty if none fits."""
    if _OF_TIME.search(asked):
        done = _DONE.search(asked)
        # "Who is older" asks for births, "which magazine is older" for foundings.
        if _BORN.search(asked) and not done and not re.match(r"\W*which\b", asked, re.IGNORECASE):
            return "When was {} born?"
        if re.search(r"\bborn\b", asked, re.IGNORECASE):
            return "When was {} born?"
        if re.search(r"\bdied?\b", asked, re.IGNORECASE):
            return "When did {} die?"
        if done:
            return f"When was {{}} {done.group().lower()}?"
        came = re.search(r"\b(came out|come out|premiere|release)", asked, re.IGNORECASE)
        return "When was {} released?" if came else "When was {} founded?"
    if special := _EXPENSIVE.search(asked):
        return _MEASURED[special.group().lower()]
    if counted := _COUNTED.search(asked):
        noun = counted.group(1).lower()
        many = _how_many(noun)
        verb = _GOT.search(asked, 0, counted.start())
        return f"{many} has {{}} {verb.group(1).lower()}?" if verb else f"{many} does {{}} have?"
    if (compared := _COMPARED.search(asked)) and compared.group(1).lower() not in text.STOPWORDS:
        return f"What is the {compared.group(1).lower()} of {{}}?"
    word = (_SMALLER.search(asked) or _LARGER.search(asked) or [""])[0].lower()
    return next((template for stem, template in _MEASURED.items() if word.startswith(stem)), "")


def _unit(said: str) -> str:
    """Return the word after a number; empty if there is none, as in a cell."""
    unit = re.search(r"\d\s*([^\W\d]+)\W*$", said)
    return text.singular(unit.group(1).lower()) if unit else ""


def _how_many(noun: str) -> str:
    return f"How {'much' if noun in _UNCOUNTED else 'many'} {noun}"


def _side(asked: str, option: str, sources: AnswerSources) -> tuple[Candidate, Value] | None:
    """Read the value of one side in the passages about it; None if they have no value of this kind."""
    own, readings = weigh_words(asked, sources.index), sources.readings
    about = [r for r in readings if _is_about(r, option)] or [r for r in readings if r.naming(option.lower())]
    again = [ReadPassage(r.passage, own, score=r.score, whole_title=True) for r in about[:3]]
    if not again:
        return None
    wanted = expected(asked)
    timed = wanted.kind == "date"
    for candidate in read_answers(own, wanted, again, Chain(), sources.reader, room=ROOM // 2).candidates[:5]:
        if value := date_of(candidate.text) if timed else amount_of(candidate.text):
            return candidate, value
    return None


def _is_about(reading: ReadPassage, option: str) -> bool:
    # A question may use the last name only, or a longer form than the title.
    title, name = text.words(reading.name), text.words(option)
    return bool(name and title) and (text.contains(title, name) or text.contains(name, title))


def _alike(one: Value, other: Value) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))
