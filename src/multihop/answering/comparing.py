"""Which of two: the value of each side is read by a question of its own, and the values are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from multihop import text
from multihop.answering.contexts import ROOM
from multihop.answering.kinds import Expected, expected
from multihop.answering.spans import Candidate, read_answers
from multihop.answering.values import Value, amount_of, date_of
from multihop.parts.selectors.reading import ReadPassage, weigh_words
from multihop.protocols import Index, Reader
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
"""A larger budget: it is not the side that is large."""
_GOT = re.compile(r"\b(\w{2,}ed|got|made|sold|won|built|spent|paid|took|gave|lost)\s+$", re.IGNORECASE)
_UNCOUNTED = frozenset("money time power fuel oil water income revenue profit land space".split())
_COUNTED = re.compile(r"\b(?:more|most|fewer|fewest|less|least)\s+([a-z]{3,})", re.IGNORECASE)
_EXPENSIVE = re.compile(r"\bexpensive|\bpopul", re.IGNORECASE)


class ComparisonAnswer(NamedTuple):
    """The side that is asked for, how sure that is, and the sentences with the values of both."""

    text: str
    confidence: float
    sentences: tuple[AnswerSentence, ...]


def compare_options(
    index: Index, asked: str, wanted: Expected, readings: Sequence[ReadPassage], reader: Reader
) -> ComparisonAnswer | None:
    """Answer a question that offers alternatives and compares them; None where it does not, or a value is missing."""
    smaller, larger = _SMALLER.search(asked), _LARGER.search(asked)
    # With neither of these words, or both, it is not said which end is asked for.
    if (smaller is None) == (larger is None):
        return None
    template = sub_question(asked)
    if not template:
        return None
    sides = [_side(index, template.format(option), option, readings, reader) for option in wanted.options]
    known = [side for side in sides if side is not None]
    if len(known) < len(wanted.options):
        return None
    order = sorted(range(len(known)), key=lambda i: known[i][1])
    # Values that are the same, as far as the shorter is given, say nothing of the order.
    if _alike(known[order[0]][1], known[order[-1]][1]):
        return None
    chosen = order[0 if smaller else -1]
    sure = 1.0
    for candidate, _ in known:
        sure *= candidate.confidence
    # Both values must be right; as they are read alike, they are wrong together more often than by chance.
    sure = round(sure**0.5, 4)
    ordered = [chosen, *(i for i in range(len(known)) if i != chosen)]
    return ComparisonAnswer(wanted.options[chosen], sure, tuple(known[i][0].sentence(sure) for i in ordered))


def sub_question(asked: str) -> str:
    """Write the question for the value of one side, with {} for its name; empty where none fits."""
    if _OF_TIME.search(asked):
        done = _DONE.search(asked)
        # "Who is older" asks for births, "which magazine is older" for what began it.
        if _BORN.search(asked) and not done and not re.match(r"\W*which\b", asked, re.IGNORECASE):
            return "When was {} born?"
        if re.search(r"\bborn\b", asked, re.IGNORECASE):
            return "When was {} born?"
        if done and done.group().lower() == "died":
            return "When did {} die?"
        if done:
            return f"When was {{}} {done.group().lower()}?"
        came = re.search(r"\b(came out|come out|premiere|release)", asked, re.IGNORECASE)
        return "When was {} released?" if came else "When was {} founded?"
    if special := _EXPENSIVE.search(asked):
        return _MEASURED[special.group().lower()]
    if counted := _COUNTED.search(asked):
        noun = counted.group(1).lower()
        many = f"How {'much' if noun in _UNCOUNTED else 'many'} {noun}"
        verb = _GOT.search(asked, 0, counted.start())
        return f"{many} has {{}} {verb.group(1).lower()}?" if verb else f"{many} does {{}} have?"
    if (compared := _COMPARED.search(asked)) and compared.group(1).lower() not in text.STOPWORDS:
        return f"What is the {compared.group(1).lower()} of {{}}?"
    word = (_SMALLER.search(asked) or _LARGER.search(asked) or [""])[0].lower()
    return next((template for stem, template in _MEASURED.items() if word.startswith(stem)), "")


def _side(
    index: Index, asked: str, option: str, readings: Sequence[ReadPassage], reader: Reader
) -> tuple[Candidate, Value] | None:
    """Read the value of one side in the passages that speak of it; None where none has a value of this kind."""
    own = weigh_words(asked, index)
    about = [r for r in readings if _is_about(r, option)] or [r for r in readings if r.naming(option.lower())]
    again = [ReadPassage(r.passage, own, score=r.score, whole_title=True) for r in about[:3]]
    if not again:
        return None
    wanted = expected(asked)
    timed = wanted.kind == "date"
    for candidate in read_answers(own, wanted, again, Chain(), reader, room=ROOM // 2).candidates[:5]:
        if value := date_of(candidate.text) if timed else amount_of(candidate.text):
            return candidate, value
    return None


def _is_about(reading: ReadPassage, option: str) -> bool:
    # A question may use the last name alone, or a longer form than the title.
    title, name = text.words(reading.name), text.words(option)
    return bool(name and title) and (text.contains(title, name) or text.contains(name, title))


def _alike(one: Value, other: Value) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))
