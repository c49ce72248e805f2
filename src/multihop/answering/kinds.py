"""Classifies questions by the kind of answer they expect, and finds spans of a kind in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import Literal, NamedTuple

from multihop import text

Kind = Literal["person", "place", "date", "number", "yes or no", "one of several", "name", "text"]


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected answer: its kind, the noun of the question ("city"), and the alternatives it offers."""

    kind: Kind
    noun: str = ""
    options: tuple[str, ...] = ()
    counted: bool = False
    """Whether the question is "how many"."""
    several: int = 0
    """The number of answers it asks for; 0 if not stated."""
    plural: bool = False
    """Whether its noun is plural: it asks how many, or which ones."""


class Span(NamedTuple):
    """A possible answer within a sentence."""

    text: str
    start: int
    end: int


PEOPLE = frozenset(
    """actor actress architect artist astronaut athlete author band boxer brother businessman businesswoman captain
    cartoonist chef coach comedian commander composer conductor cousin cricketer daughter designer director drummer
    emperor engineer explorer father filmmaker footballer general golfer governor guitarist heir host husband inventor
    journalist judge king lawyer leader leaders manager mathematician mayor minister model monarch mother musician
    novelist painter people person philosopher photographer physicist pilot player playwright poet politician pope
    president prince princess producer prophet queen quarterback rapper ruler scientist screenwriter sculptor senator
    singer sister skater soldier son songwriter spouse star swimmer violinist wife woman man wrestler writer
    presenter boxer philanthropist missionary mathematician economist historian founder creator winner champion
    lyricist pianist bassist vocalist screenwriter entertainer activist editor critic""".split()
)
_PLACES = frozenset(
    """airport area avenue bay borough building canal capital castle city coast commune continent country counties
    county district hometown island islands lake location municipality mountain nation neighborhood neighbourhood ocean
    park place prefecture province region resort river road sea settlement site state states street suburb territory
    town township university venue village water""".split()
)
_TIMES = frozenset("year years date day month decade century time season era".split())
_AMOUNTS = frozenset(
    """age amount area budget capacity cost count depth distance elevation extension fee height length number pager
    percentage phone population pressure price rank salary score size speed temperature total weight width""".split()
)
SURE_AMOUNTS = frozenset(
    """allowance budget cost deposit discount fare fee income premium price profit rent revenue salary toll turnover
    wage big deep fast heavy high large tall wide""".split()
)
"""Nouns and adjectives that always ask for an amount, never for a name."""
_NOUNS: dict[Kind, frozenset[str]] = {
    "date": _TIMES,
    "person": PEOPLE,
    "place": _PLACES,
    "number": _AMOUNTS | SURE_AMOUNTS,
}
_BEFORE_NOUN = frozenset("is are was were the a an of other name kind type".split())
_QUESTION_WORD = re.compile(r"\b(who|whom|whose|what|which|when|where|why|how|name)\b", re.IGNORECASE)
AUXILIARIES = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must"
"""Verbs that begin a question for yes or no, as alternatives of a pattern."""
_POLAR = re.compile(rf"^\W*(?:{AUXILIARIES})\b", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"^\W*(?:according to|in|on|at|under|after|before|by|for|with|without|since|during|if|from)\s"
    rf"(?![^,?]*\b(?:who|whose|what|which|how)\b)[^,?]{{2,80}},\s+(?=(?:{AUXILIARIES})\b)",
    re.IGNORECASE,
)
"""What stands before a question for yes or no: "Under the new plan, are hand pumps preferred?"."""
_SITUATION = re.compile(rf"^[^?]*[.!:;]\s+(?=(?:{AUXILIARIES.title()})\b[^?]*\?\W*$)")
"""Sentences before it: "The wind blows at 13 m/s. May we climb?"."""
_HOW_MUCH = re.compile(r"\bhow\s+(?:many|much|old|long|tall|high|far|large|big|deep|wide|fast|often)\b", re.IGNORECASE)
_COST = re.compile(
    r"what (?:does|did|do|will|would|must|has|have|had) [^?]*\b"
    r"(?:cost|weigh|earn|charge(?=\W*$| (?:for|per|each|an?)\b)|pay(?! (?:attention|tribute|homage|off|back)\b))\b"
    r"(?! for\W*$)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"what (?:name\b|(?:is|was|are|were|did|do|does)\b[^?]*\b(?:called|named)\W*$)", re.IGNORECASE)
# A question may begin with a preposition, as in "In which town".
_BEFORE_QUESTION = re.compile(r"^\W*(?:(?:in|on|at|of|from|by|for|to|with|during|under|about|after|before)\s+)?$", re.I)
_OR = re.compile(r"\s+or\s+", re.IGNORECASE)
_CHOICE = re.compile(r"[,:]\s+(?:the\s+)?([^,:?]{2,60}?)\s+or\s+(?:the\s+)?([^,:?]{2,60}?)\s*\?*\s*$")
"""Alternatives at the end of a question: ", the old pool or the renewal of Nord Bridge?"."""
_YEARS = re.compile(r"\b((?:1\d|20)\d\d)\s+or\s+(?:in\s+)?((?:1\d|20)\d\d)\s*\?*\s*$", re.IGNORECASE)
SMALLER = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|before|smaller|smallest|fewer|fewest|less|least|lower|lowest|shorter|"
    r"shortest|lighter|lightest|cheaper|cheapest|nearer|closer|slower)\b",
    re.IGNORECASE,
)
LARGER = re.compile(
    r"\b(?:later|latest|younger|youngest|newer|newest|recent|recently|last|larger|largest|bigger|biggest|more|most|"
    r"greater|greatest|higher|highest|taller|tallest|longer|longest|heavier|heaviest|deeper|deepest|wider|widest|"
    r"faster|fastest|farther|further)\b",
    re.IGNORECASE,
)
"""Words of a question that compares."""
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Aug|Sept|"
    "Sep|Oct|Nov|Dec"
)
# Days, months, centuries, and years from 1000 on; earlier years only with their era, to tell them from numbers.
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})\.?(?:,?\s+\d{{3,4}})?"
    rf"|(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{3,4}})?|(?:{_MONTHS})\.?,?\s+\d{{4}}"
    r"|\d{1,2}(?:st|nd|rd|th)[ -]century|(?:1\d|20)\d\ds?(?:\s?[–-]\s?(?:\d{4}|\d\d))?|\d{3,4}\s+(?:BC|BCE|AD|CE))\b"
)
_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    "nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|one|once|twice|"
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|double|triple|dozen|several"
)
_NUMBER = re.compile(
    rf"(?:[$£€]\s?)?\b\d[\d,.]*(?:\s?(?:%|percent|million|billion|thousand))?|\b(?:{_NUMBER_WORDS})\b", re.I
)
_COUNTS = {name: number for number, name in enumerate("two three four five six seven eight nine ten".split(), 2)}
_SEVERAL = re.compile(rf"\s+(?:(?:are|were) (?:the )?)?({'|'.join(_COUNTS)})\s+(?!of\b)([a-z]+)", re.IGNORECASE)
_WHAT_TIME = re.compile(r" time (?!of\b)", re.IGNORECASE)
_WHO_ARE = re.compile(r"\s+(?:are|were)\s+(?:(?:all|both)\s+)?(?:the|our|its|their|his|her)\s+\w+s\b", re.IGNORECASE)
EVERYBODY = frozenset(("everybody", "everyone"))
_EVERYBODY = re.compile(rf"\s+({'|'.join(sorted(EVERYBODY))})\b", re.IGNORECASE)
_NUMBERED = re.compile(r"[ -]\d[\w/-]*")
_ARTICLE_NUMBER = re.compile(r"\b[A-Z]\w*-\d[\w-]*")
"""OR-25 is a name, not an amount."""
_WHEN = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|yesterday|noon|midnight|dawn|dusk|spring|summer|"
    r"autumn|winter|mornings?|evenings?|christmas|easter|new year|o['’]clock|(?:twenty|thirty)-(?:fir|seco|thi)\w+|"
    rf"\w*(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|teen|tie)th|(?-i:{_MONTHS}))\b",
    re.IGNORECASE,
)
_OF_THE = re.compile(r"^\s*of (?:(?:all )?(?:the|our|these|those|its|his|her|their) )?", re.IGNORECASE)
_PERIOD = re.compile(
    rf"\b(?:\d+|an?|{_NUMBER_WORDS}) (?:\w+ )?(?:minute|hour|day|week|fortnight|month|year)s?\b", re.IGNORECASE
)
"""Also an answer to "by when": "within ten working days"."""
_CLOCK = "time"
_TIME_OF_DAY = re.compile(
    r"\b\d{1,2}[:.h]\d\d\b|\b\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.)|o['’]clock"
    r"|\b(?:noon|midday|midnight|dawn|dusk|sunrise|sunset|half past|quarter|morning|afternoon|evening|night)\b"
    rf"|\b(?:minutes|hours|at (?:\d{{1,2}}|{_NUMBER_WORDS}))\b"
    rf"|^(?:\d{{1,2}}|{_NUMBER_WORDS})$",
    re.IGNORECASE,
)
_DAY_OF_MESSAGE = re.compile(r"\W*\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\b")
_OWNER = re.compile(r"^\s+of (?:the )?(?:\w+ )?\w+['’]s?(?=\s)", re.IGNORECASE)
_SMALL = re.compile(r"\d{1,3}")
"""Not a date by itself."""
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|did|does|will|can|\w{3,}ed)\b", re.IGNORECASE)
_ASKED_BIRTH = re.compile(
    r"^\W*(?:when|where|(?:in |on |at )?(?:which|what)(?: \w+){1,2}) (?:was|were) .*"
    r"\bborn\b(?=\s*(?:[?,]|$|who|whose|whom|that|which|after|and))",
    re.IGNORECASE,
)
_KIN = (
    "mother|father|parent|wife|husband|spouse|son|daughter|child|children|sister|brother|sibling|aunt|uncle|niece|nephew|"
    "cousin|grand\\w+"
)
_ASKED_RELATIVE = re.compile(
    rf"^\W*(?i:who (?:is|was|were|are)|what (?:is|was) the name of) (?:(?!of\b)[\w’'-]+ ){{0,4}}?(?:{_KIN})s?\b"
)
_SAID_RELATIVE = re.compile(
    rf"\b(?:(?:half-|step)?(?:{_KIN})s?|mum|dad|m[ou]mmy|famil\w+|marr\w+|wed\w*|born to|née|widow\w*|twin\w*|heirs?|"
    r"raised|adopt\w+|engaged|divorc\w+|relative\w*|related)\b|\bin-law",
    re.IGNORECASE,
)
_ASKED_DEATH = re.compile(
    r"^\W*(?:when|where|(?:in |on |at )?(?:which|what)(?: \w+){1,2}) did .*\bdie\b", re.IGNORECASE
)
_DATES = r"|\([^()]*\b\d{4}\b"
"""Years in parentheses after a name are those of birth and death."""
_SAID_BIRTH = re.compile(r"\bborn\b|\bbirth|came into the world|\bnative\b" + _DATES, re.IGNORECASE)
_SAID_DEATH = re.compile(
    r"\bdie[ds]?\b|\bdead\b|\bdeath|\bkilled|\bperished|\bdrowned|\bpassed away|\bmurdered|\bexecuted|\bassassinated|"
    r"\bdisappeared|\blost (?:his|her|their) li[fv]e" + _DATES,
    re.IGNORECASE,
)
_SENT = re.compile(r"(?:(?:Date|Sent): [^·]*\d|(?:From|To|Cc|Bcc|Reply-To): )[^·]*$")
_ASKED_SENT = re.compile(
    r"\b(?:sen[dt]|wr[io]te|written|e-?mail|message|letter|sa(?:y|id)|told|tell|ask|repl|report|inform|announce|complain|"
    r"mail|thank|invit|apologi|forward|promis|warn|request)",
    re.IGNORECASE,
)
_ASKED_DIFFERENCE = re.compile(
    r"\bhow (?:much|many)(?: \w+)? (?:more|less|fewer)\b.*\b(?:than|from|between)\b"
    r"|\bby how (?:much|many)\b|\bwhat is the difference\b"
    r"|\bhow (?:much|many \w+) (?!other|rather|number)\w+er\b.*\b(?:than\b|(?:become|get)\b.*\b(?:from|between)\b)"
    r"|\bhow much (?:did|has|have)\b.*\b(?:grow|rise|increase|climb|fall|drop|decrease|shrink|decline|sink)\w* "
    r"(?:from|between)\b",
    re.IGNORECASE,
)
_BEFORE_DIFFERENCE = re.compile(r"\b(?:by|difference|another|extra|additional)\b[^,;]{0,30}$", re.IGNORECASE)
_AFTER_DIFFERENCE = re.compile(
    r"[^,;.]{0,20}?\b(?:more|less|fewer|extra|above|below|over|under|\w{2,}er)\b", re.IGNORECASE
)
_ROLE = re.compile(
    r"(?:the|an?|my|his|her|our|their|its)\s(?:[\w-]+\s){0,2}?(?:\w{3,}(?:ers?|ors?|ists?|ians?|men|man|women|woman|ees?)|"
    r"army|navy|police|court|council|board|committee|parliament|government|ministry|university|school|church|team|club|"
    r"crew|company|firm|family|bank|agency|office|department|group|union|association|society|state|city|county|"
    r"town|crowd|owners?|neighbou?rs?|husband|wife|son|daughters?|children|child|parents?|uncle|aunt|cousins?|king|queen|mayor|"
    r"captain|priest|bishop|curate|nurses?|cook|maid|clerk|guests?|tenants?|residents?|students?|accountant)",
    re.IGNORECASE,
)
NUMBER = "number"
"""The noun of a question for the number of a room, an order, a telephone."""
NAME = "name"
"""The noun of a question for what something is called."""
_ABOUT = frozenset(
    "about around approximately roughly nearly almost over under up least most more less only total".split()
)
_FREE = re.compile(r"nothing|free(?: of charge)?|no (?:charge|fee)", re.IGNORECASE)
_CODE = 3
"""Currencies before an amount have three letters."""
_AROUND_NOUN = 4
_SHORTEST_CLAIM = 3


@lru_cache(maxsize=256)
def expected(question: str) -> Expected:
    """Classify the expected answer by the question word and the noun after it."""
    options = _options(question)
    word = _question_word(question)
    if is_polar(question):
        return Expected("one of several", options=options) if options else Expected("yes or no")
    if options:
        return Expected("one of several", _noun(question, word), options)
    if word is None:
        return Expected("text")
    asked = word.group().lower()
    if asked in ("what", "which") and _WHAT_TIME.match(question, word.end()):
        return Expected("date", _CLOCK)
    if asked == "name" and (everybody := _EVERYBODY.match(question, word.end())):
        return Expected("person", everybody[1].lower(), plural=True)
    if amount := _HOW_MUCH.match(question, word.start()):
        many = amount.group().lower().endswith("many")
        counted = _counted(question[amount.end() :]) if many else ""
        return Expected("number", counted or _noun(question, word), counted=many, plural=many)
    if asked == "what" and _COST.match(question, word.start()):
        return Expected("number", "cost")
    if asked == "what" and _CALLED.match(question, word.start()):
        return Expected("name", NAME)
    if asked in ("who", "whom", "whose"):
        return Expected("person", plural=bool(_WHO_ARE.match(question, word.end())))
    if asked in ("when", "where"):
        return Expected("date" if asked == "when" else "place")
    if asked in ("why", "how"):
        return Expected("text")
    return _classify_by_noun(question, word)


def _counted(rest: str) -> str:
    """Return the noun after "how many": apprentices, offices of "of the offices", permits of "parking permits"."""
    phrase = text.words(_OF_THE.sub("", rest))[:_AROUND_NOUN]
    phrase = list(takewhile(lambda word: word not in text.STOPWORDS, phrase)) or phrase[:1]
    return next((word for word in reversed(phrase) if text.singular(word) != word), phrase[0] if phrase else "")


def is_polar(question: str) -> bool:
    """Return whether a question asks for yes or no."""
    return bool(_POLAR.match(question) or _PREAMBLE.match(question) or _SITUATION.match(question))


def split_preamble(question: str) -> tuple[str, str]:
    """Split a question for yes or no after what stands before it: "According to the recipe, " and "must it rest?"."""
    before = _PREAMBLE.match(question) or _SITUATION.match(question)
    end = before.end() if before else 0
    return question[:end], question[end:]


def is_claim(asked: str) -> bool:
    """Return whether this is a claim: a statement with a verb or a full stop that begins with no question word."""
    stated = asked.strip()
    if "?" in stated or is_polar(stated):
        return False
    word = _QUESTION_WORD.search(stated)
    # "When all were counted, nobody was missing." is no question.
    is_clause = stated.endswith(".") and ", " in stated
    if word is not None and not is_clause and _BEFORE_QUESTION.match(stated[: word.start()]):
        return False
    return bool(_VERB.search(stated)) or (stated.endswith(".") and len(text.words(stated)) > _SHORTEST_CLAIM)


def _classify_by_noun(question: str, word: re.Match[str]) -> Expected:
    number = _SEVERAL.match(question, word.end())
    noun = _noun(question, word)
    if number and noun == number[1].lower():
        noun = number[2].lower()
    kind = next((kind for kind, nouns in _NOUNS.items() if _is_among(noun, nouns)), None)
    several = _COUNTS[number.group(1).lower()] if number else 0
    plural = text.singular(noun) != noun
    return Expected(kind or ("name" if noun else "text"), noun, several=several, plural=plural)


def agrees(said: str, wanted: Expected) -> bool:
    """Return whether a text can be an answer of the expected kind."""
    if wanted.noun == NAME:
        return any(letter.isupper() for letter in said) and not _WHEN.fullmatch(said)
    if wanted.kind in ("date", "number"):
        said = said if wanted.noun == NUMBER else _ARTICLE_NUMBER.sub("", said).strip()
        if wanted.kind == "date" and _SMALL.fullmatch(said):
            return False
        if wanted.noun in SURE_AMOUNTS and not _begins_with_amount(said):
            return bool(_FREE.fullmatch(said))
        if wanted.noun == _CLOCK:
            return bool(_TIME_OF_DAY.search(said)) and not _DAY_OF_MESSAGE.match(said)
        known = spans(said, wanted.kind) or (wanted.kind == "date" and (_WHEN.search(said) or _PERIOD.search(said)))
        return bool(known) or any(letter.isdigit() for letter in said)
    if wanted.kind in ("person", "place"):
        bare = not wanted.noun
        # "Where" may be answered by "under the mat", but not by "there".
        described = bare and wanted.kind == "place" and any(word not in text.STOPWORDS for word in text.words(said))
        # "Who" may be answered by "the army" or "my sister", but not by "everybody".
        described |= bare and wanted.kind == "person" and bool(_ROLE.fullmatch(said))
        return any(word[:1].isupper() for word in said.split()) or (described and not _NUMBER.fullmatch(said))
    # A name needs a letter; questions for years, days and amounts have other kinds.
    return wanted.kind != "name" or (any(letter.isalpha() for letter in said) and not _WHEN.fullmatch(said))


def _begins_with_amount(said: str) -> bool:
    """Return whether a text is an amount: "about 40 euros", but not "print head 300 dpi"."""
    first = next(iter(spans(said, "number")), None)
    before = text.words(said[: first.start]) if first else ()
    return first is not None and all(word in text.STOPWORDS or word in _ABOUT or len(word) <= _CODE for word in before)


def speaks_of_event(asked: str, said: str) -> bool:
    """Return whether a sentence mentions the birth, death or kin that a question asks about; True for other questions.

    A reader accepts any date beside a name. The header of an email says who sent it to whom and when, and nothing else.
    """
    if _SENT.match(said) and not _ASKED_SENT.search(asked):
        return False
    pairs = ((_ASKED_BIRTH, _SAID_BIRTH), (_ASKED_DEATH, _SAID_DEATH), (_ASKED_RELATIVE, _SAID_RELATIVE))
    return all(event.search(said) for question, event in pairs if question.search(asked))


def states_difference(asked: str, said: str, answer: str) -> bool:
    """Return whether a sentence gives an answer as a difference, if the question asks for one: "12 more", "by 12"."""
    if not _ASKED_DIFFERENCE.search(asked):
        return True
    before, found, after = said.partition(answer)
    return bool(found and (_BEFORE_DIFFERENCE.search(before) or _AFTER_DIFFERENCE.match(after)))


def _question_word(question: str) -> re.Match[str] | None:
    """Find the question word: one that begins the question, or else the last that is not a relative pronoun."""
    words = list(_QUESTION_WORD.finditer(question))
    # "name" is a question word in "Name the river", but not in "under what name".
    words = [m for m in words if m.group().lower() != "name" or _BEFORE_QUESTION.match(question[: m.start()])]
    if not words:
        return None
    if _BEFORE_QUESTION.match(question[: words[0].start()]):
        return words[0]
    # Within a question, "who" and "which" mostly begin relative clauses; these two rarely do.
    asking = [m for m in words if m.group().lower() in ("what", "how")]
    # After a comma, "which" begins a relative clause.
    before = [m for m in words if m.group().lower() == "which" and not question[: m.start()].rstrip().endswith(",")]
    return (asking or before or [m for m in words if m.group().lower() != "name"] or words)[-1]


def _noun_phrase(question: str, word: re.Match[str]) -> list[str]:
    """Return the words of the noun phrase after a question word; in "which of Hesper's thumbs", without the owner."""
    rest = text.words(_OWNER.sub("", question[word.end() :]))
    phrase = list(dropwhile(_BEFORE_NOUN.__contains__, rest))[:_AROUND_NOUN]
    return list(takewhile(lambda each: each not in text.STOPWORDS, phrase))


def _noun(question: str, word: re.Match[str] | None) -> str:
    if word is None:
        return ""
    following = _noun_phrase(question, word)
    # The head of the phrase is its last noun: "what Washington town", "which music group's drummer".
    known = (each for nouns in _NOUNS.values() for each in reversed(following) if _is_among(each, nouns))
    return next(known, following[0] if following else "")


def _is_among(noun: str, nouns: frozenset[str]) -> bool:
    return noun in nouns or text.singular(noun) in nouns


def _options(question: str) -> tuple[str, ...]:
    """Find the alternatives of a question: the names or quoted titles on both sides of "or"."""
    if not (middle := list(_OR.finditer(question))):
        return ()
    ending = _CHOICE.search(question)
    compares = ending and bool(SMALLER.search(question, 0, ending.start())) is not bool(
        LARGER.search(question, 0, ending.start())
    )
    # Alternatives without a name are too easily taken for a list: "if I am ill, late or absent".
    if ending and (compares or all(any(c.isupper() or c.isdigit() for c in side) for side in ending.groups())):
        return tuple(side.strip(' "“”') for side in ending.groups())
    if years := _YEARS.search(question):
        return years.groups()
    split = middle[-1]
    left, right = question[: split.start()], question[split.end() :]
    # "or" joins only names that are close to it.
    near = [span for span in _named_spans(left)[-1:] if len(left) - span.end < 30]
    near += [span for span in _named_spans(right)[:1] if span.start < 20]
    if len(near) < 2:
        return ()
    sides = zip((left, right), near, strict=True)
    # A number is part of the name: "Kestrel 40", "Apollo 11".
    return tuple(s.text + (number.group() if (number := _NUMBERED.match(side, s.end)) else "") for side, s in sides)


def _named_spans(source: str) -> list[Span]:
    quoted = [Span(m.group(1), m.start(1), m.end(1)) for m in _QUOTED.finditer(source)]
    spans = [Span(*span) for span in text.capitalized_spans(source)]
    # A quotation is one name, even if it contains others.
    outside = [s for s in spans if not any(q.start <= s.start < q.end for q in quoted)]
    return sorted((*quoted, *outside), key=lambda s: s.start)


def is_asked(span: str, question: str) -> bool:
    """Return whether a question contains a span, or its last word as a name ("Amundsen" for "Roald Amundsen")."""
    if text.find_name(question.lower(), span.lower()) >= 0:
        return True
    words = text.words(span)
    return bool(words) and words[-1] in _names_in(question)


@lru_cache(maxsize=64)
def _names_in(question: str) -> frozenset[str]:
    return frozenset(word for name, _, _ in text.capitalized_spans(question) for word in text.words(name))


def spans(sentence: str, kind: Kind) -> list[Span]:
    """Find possible answers of a kind, in reading order."""
    if kind == "date":
        return [Span(m.group(), m.start(), m.end()) for m in _DATE.finditer(sentence)]
    if kind == "number":
        return [Span(m.group(), m.start(), m.end()) for m in _NUMBER.finditer(sentence)]
    # A capitalized "The" or "He" at the beginning of a sentence is not a name.
    return [span for span in _named_spans(sentence) if span.start or span.text.lower() not in text.STOPWORDS]
