"""Answers comparisons ("Which is older, A or B?", "Is A heavier than B?"): reads each value, then compares the two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

from multihop import text
from multihop.answering.candidates import Candidate, ExtractiveAnswer
from multihop.answering.contexts import ROOM
from multihop.answering.extremes import COUNTED, compared_cells, most_rows
from multihop.answering.kinds import LARGER, SMALLER, Expected, expected
from multihop.answering.nested_questions import read_whole
from multihop.answering.spans import AnswerSources, read_answers
from multihop.answering.statements import question_of
from multihop.answering.values import Value, amount_of, date_of
from multihop.parts.selectors.reading import ReadPassage, weigh_words
from multihop.types import AnswerSentence, Chain, Finding

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
_POLAR = re.compile(r"^\W*(?P<auxiliary>is|are|was|were|do|does|did|has|have|had)\s+(?P<one>.+?)\s*$", re.IGNORECASE)
_VERB = re.compile(
    r"\s+(?:have|has|had|be|been|die|born|come|came|start|open|an?|\w{2,}ed|got|built|made|sold|won|spent|written)$"
)
_ARTICLE = re.compile(r"the\s+", re.IGNORECASE)
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|an?|half|twice"
_THAN = re.compile(rf"\s*(?:(?!than\b)[a-z]+\s+)??than\s+(?P<other>(?!(?:{_NUMBER_WORDS})\b)\S.*?)\s*\?*\s*$")
_BESIDE = re.compile(
    r"(?P<middle>.*?)\s+(?P<where>in|at|on|for|during|under|with|from)\s+(?P<one>(?:(?!\bthan\b).)+?)\s+than\s+"
    r"(?P=where)\s+(?P<other>\S.*?)\s*\?*\s*$",
    re.IGNORECASE,
)
"""After "more": " tickets in May than in June"."""
_PLACES = re.compile(r"\b(?=(?:in|on|at|of|for|from|to|with|by)\s)")
_ORDER = re.compile(r"\b(?:before|after)\s+(?P<other>\S.*?)\s*\?*\s*$")
_ORDERED = re.compile(
    r"(?P<one>(?:[Tt]he |[A-Z])\S*(?: (?!(?:is|are|was|were|has|had|have|did)\b)\S+){0,4}?) "
    r"(?P<did>(?:\w{2,}ed|came|went|won|wrote|drew|built|made|began|left|got|took|sold|bought|met|led|ran|fell|sank|broke|"
    r"became|(?:was|were) \w{3,}(?:ed|en|wn|lt|ld|id))(?: [^,;]+?)??) "
    r"(?P<word>before|after|(?:earlier|later) than) (?P<other>(?:the |[A-Z])[^,;]*?)(?: did| was| were)?"
)
"""A claim about which of two did the same thing first: "Scott reached the South Pole before Amundsen"."""
_SAYS_ORDER = re.compile(
    r"\b(?:before|after\w*|earlier|later|first|last|then|since|until|by the time|prior|previous\w*|subsequent\w*|"
    r"follow\w*|preced\w*|succe\w+|already)\b",
    re.IGNORECASE,
)
_SUCH = re.compile(r"(?:that|those|the one) (of|in|for|at|from) ")
_VALUE = re.compile(r"(?:the|its|their|his|her)\s.*?\b(?:of|for|in|at|on)\s|.*(?:’s|'s) ")
"""Matches a value ("the price of the pump") as opposed to a thing that has one ("the pump")."""
_EXPENSIVE = re.compile(r"\bexpensive|\bpopul", re.IGNORECASE)


class SideQuestions(NamedTuple):
    """The question for each of two values, whether the first is expected to be the smaller, and the comparative."""

    sides: tuple[str, str]
    smaller: bool
    things: tuple[str, str] = ("", "")
    """What the values are of, if the question names it."""
    word: str = ""


def compare_options(asked: str, wanted: Expected, sources: AnswerSources) -> ExtractiveAnswer | None:
    """Answer a question that compares alternatives; None if it does not compare them, or a value is missing."""
    smaller, larger = SMALLER.search(asked), LARGER.search(asked)
    # With neither or both of these words, the direction is unknown.
    if (smaller is None) == (larger is None):
        return None
    word = (smaller or larger or [""])[0].lower()
    if counted := most_rows(asked, wanted.options, fewest=bool(smaller), sources=sources):
        return counted
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
    return _compare(asked, asks, sources) if asks else None


def _compare(asked: str, asks: SideQuestions, sources: AnswerSources) -> ExtractiveAnswer | None:
    known = compared_cells(asked, asks.things, asks.word, sources) or _read_both(asks, sources)
    if not known:
        return None
    (one, first), (other, second) = known
    # A year is neither before nor after a day within it.
    if first != second and _alike(first, second):
        return None
    is_so = first != second and (first < second) is asks.smaller
    sure = round((one.confidence * other.confidence) ** 0.5, 4)
    sentences = tuple(replace(each, confidence=sure) for each in (one, other))
    return ExtractiveAnswer("yes" if is_so else "no", sure, sentences)


def _read_both(asks: SideQuestions, sources: AnswerSources) -> list[tuple[AnswerSentence, Value]] | None:
    """Read both values; None if one is missing, or if they cannot be compared."""
    known = []
    for each in asks.sides:
        answers = read_whole(each, sources)
        timed = expected(each).kind == "date"
        value = next(((c, v) for c in answers[:1] if (v := date_of(c.text) if timed else amount_of(c.text))), None)
        if value is None:
            return None
        known.append(value)
    (one, _), (other, _) = known
    same = one.unit == other.unit and one.text == other.text
    if same or len({unit for unit in (_unit(one.text), _unit(other.text)) if unit}) > 1:
        return None
    return [(candidate.sentence(), value) for candidate, value in known]


def compare_claim(claim: str, sources: AnswerSources) -> tuple[Finding, ExtractiveAnswer] | None:
    """Decide a claim that compares two values, such as "A is older than B", by both; None if a value is missing."""
    if ordered := _ORDERED.fullmatch(claim.strip().rstrip(".")):
        compared = _compare_order(claim, ordered, sources)
    else:
        asked = question_of(claim)
        compared = compare_values(asked, sources) if asked else None
    return ("supported" if compared.text == "yes" else "contradicted", compared) if compared else None


def leaves_order_open(claim: str, said: Iterable[str]) -> bool:
    """Return whether a claim says which of two came first, and none of these sentences says so."""
    return bool(_ORDERED.fullmatch(claim.strip().rstrip("."))) and not any(_SAYS_ORDER.search(each) for each in said)


def _compare_order(claim: str, said: re.Match[str], sources: AnswerSources) -> ExtractiveAnswer | None:
    """Compare the two dates of "Scott reached the Pole before Amundsen", if both sentences have its verb."""
    one, did, word, other = said["one"], said["did"], said["word"], said["other"]
    if date_of(other) or _VERB.search(other):
        return None
    sides = f"{one} {did} when?", f"{other[0].upper()}{other[1:]} {did} when?"
    things = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    compared = _compare(claim, SideQuestions(sides, word in ("before", "earlier than"), things, word), sources)
    verb = did.split()[0 if did.split()[0] not in ("was", "were") else 1]
    return compared if compared and all(verb in each.quote.text for each in compared.sentences) else None


def side_questions(asked: str) -> SideQuestions | None:
    """Return a question for each value that "Is the Kestrel heavier than the Merlin?" compares; None otherwise."""
    smaller, larger, order = SMALLER.search(asked), LARGER.search(asked), _ORDER.search(asked)
    word = order or smaller or larger
    if word is None or (smaller and larger):
        return None
    subject = _POLAR.match(asked[: word.start()])
    if subject and not order and (beside := _BESIDE.match(asked, word.end())):
        sides = _sides_of_one(subject["auxiliary"].lower(), subject["one"], word.group().lower(), beside)
        things = beside["one"], beside["other"]
        return SideQuestions(sides, bool(smaller), things, word.group().lower()) if sides else None
    rest = order or _THAN.match(asked, word.end())
    # "more than fifty" compares no second value, and "before it sank" has no date to look up.
    if subject is None or rest is None or rest["other"][0].isdigit() or (order and _VERB.search(rest["other"])):
        return None
    one, other = subject["one"], rest["other"]
    is_smaller = word.group().lower().startswith("before") if order else bool(smaller)
    if _VALUE.match(one) and not order and not _OF_TIME.search(asked):
        such = _SUCH.match(other)
        head = one.rpartition(f" {such[1]} ")[0] if such else ""
        other = f"{head or one.partition(' of ')[0]} {other[such.start(1) :]}" if such else other
        return SideQuestions((f"What is {one}?", f"What is {other}?"), is_smaller)
    auxiliary, verb, counted = subject["auxiliary"].lower(), one.rpartition(" ")[2], COUNTED.match(asked, word.start())
    amount = (
        _how_many(counted[1].lower()) if counted else "How much" if word.group().lower() in ("more", "less") else ""
    )
    if auxiliary in ("do", "does", "did") and amount and verb.islower() and verb != "have":
        one, template = one.rpartition(" ")[0], f"{amount} {auxiliary} {{}} {verb}?"
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
    things = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    return SideQuestions(sides, is_smaller, things, word.group().lower()) if one and template else None


def _sides_of_one(auxiliary: str, subject: str, word: str, beside: re.Match[str]) -> tuple[str, str] | None:
    """Return the questions for "Did the club sell more tickets in May than in June?"; None if it measures nothing."""
    noun, *rest = _PLACES.split(beside["middle"].strip(), maxsplit=1)
    noun = noun.strip()
    is_adjective = _EXPENSIVE.match(noun)
    if noun and word in ("more", "fewer", "less") and not is_adjective:
        asked = " ".join([_how_many(noun), auxiliary, subject, *rest])
    elif template := "" if noun and not is_adjective else sub_question(f"{word} {noun}"):
        asked = template.replace("{}", subject, 1).rstrip("?")
    else:
        return None
    return f"{asked} {beside['where']} {beside['one']}?", f"{asked} {beside['where']} {beside['other']}?"


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
    if counted := COUNTED.search(asked):
        noun = counted.group(1).lower()
        many = _how_many(noun)
        verb = _GOT.search(asked, 0, counted.start())
        return f"{many} has {{}} {verb.group(1).lower()}?" if verb else f"{many} does {{}} have?"
    if (compared := _COMPARED.search(asked)) and compared.group(1).lower() not in text.STOPWORDS:
        return f"What is the {compared.group(1).lower()} of {{}}?"
    word = (SMALLER.search(asked) or LARGER.search(asked) or [""])[0].lower()
    return next((template for stem, template in _MEASURED.items() if word.startswith(stem)), "")


def _unit(said: str) -> str:
    """Return the word after a number; empty if there is none, as in a cell."""
    unit = re.search(r"\d\s*([^\W\d]+)\W*$", said)
    return text.singular(unit.group(1).lower()) if unit else ""


def _how_many(noun: str) -> str:
    return f"How {'much' if noun.split()[-1] in _UNCOUNTED else 'many'} {noun}"


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
