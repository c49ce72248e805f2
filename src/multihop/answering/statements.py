"""Rephrases questions for yes or no as statements that a verifier can judge: "Must it rest?" as "It must rest."."""

from __future__ import annotations

import re
from itertools import takewhile

from multihop import text
from multihop.answering.inflections import inflect
from multihop.answering.kinds import AUXILIARIES, split_preamble

AUXILIARY = re.compile(rf"^\W*({AUXILIARIES})\s+(.+?)\s*\?*\s*$", re.IGNORECASE | re.DOTALL)
_DETERMINED = re.compile(r"(?:(?:the|a|an|both|all|any|every|each|his|her|its|their|our)\s+)?", re.IGNORECASE)
_JOINED = re.compile(r"\s+(?:and|of|or)\s+(?:the\s+)?$", re.IGNORECASE)
_BE = frozenset("is are was were".split())
_PASSIVE = re.compile(r"\s+\w{3,}(?:ed|en|wn|pt|id)$")
_WORD = re.compile(r"\S+")
_DO = frozenset("do does did".split())
_ADVERB = re.compile(r"not|no|never|ever|still|also|always|often|already|both|all|now|then|\w+ly")
_HAVE = frozenset("has have had".split())
_PRONOUNS = frozenset("i you he she it we they this that these those there one everybody everyone anyone".split())
_RELATIVE = frozenset("that which who whose whom where".split())
_VERBS = frozenset(
    """be have do get go need take make come give keep pay require allow accept become begin belong bring buy choose
    close contain decide depend eat exist expire find follow forbid happen hold include know leave let live lose marry
    mean meet open own permit prove provide put reach receive remain say sell send serve set sit speak stay take tell
    wear win write""".split()
)
_NOUNS_TOO = frozenset(
    """answer book change charge cost cover drive end help increase lead like move offer order plan play report rest run
    ship show sleep start stand stop swim support try use vote walk want work""".split()
)
"""Verbs that are often nouns."""
_FOLLOWING = frozenset(
    """a an the not no still now already also always ever yet really actually allowed open closed free available able
    built made held kept sold bought paid won lost sent given taken written known done found put cut set shown born been
    different similar worth older younger larger smaller higher lower more less responsible necessary possible
    true""".split()
)
"""Words after "is" and its subject; most others are participles."""
_STATED = re.compile(
    r"(?P<subject>.+?)\s+(?P<verb>is|are|was|were|has|have|had)\s+"
    r"(?P<rest>(?:(?:much|far|slightly|even) )?(?:more|less|fewer|\w{2,}er)\b.* than .+)",
    re.DOTALL,
)
"""A claim that compares: "is heavier than the Merlin", but not "is two years older than", which says more."""
_COSTS = re.compile(r"\s+(cost|weigh|earn|last|measure|need|pay|use)s (?=more |less |longer )")
_FIRST = re.compile(r"(?:The|A|An|There|It|This|That|Our|Its|In|On|At)\b")
_PARTICIPLE = re.compile(r"\w{3,}(?:ed|en)")
_CLAUSE = frozenset("of that which who whose where in on at for from by with to".split())
_ARTICLES = frozenset("a an the".split())
_INSIDE = _CLAUSE | frozenset("and or than between".split())
"""After these, the subject goes on."""


def statement_of(asked: str) -> str:
    """Rephrase a simple question as a statement: "Was Archer born in Larvik?" as "Archer was born in Larvik."

    Empty if the end of the subject is unclear.
    """
    before, asked = split_preamble(asked)
    question = AUXILIARY.match(asked)
    if question is None:
        return ""
    auxiliary, rest = question.group(1).lower(), question.group(2)
    start = _DETERMINED.match(rest)
    begin = start.end() if start else 0
    end = _subject(rest, begin, auxiliary)
    following = text.words(rest[end:])[:1]
    # The end of a subject such as "the forklift that Harstad takes over" is unknown.
    if not following or (following[0] in _CLAUSE and following[0] in ("of", "that", "which", "who", "whose")):
        return ""
    # "wine on a business trip reimbursed"
    if auxiliary in _BE and following[0] in _CLAUSE and (passive := _PASSIVE.search(rest)):
        end = passive.start()
    first = rest[:1] if before else rest[:1].upper()
    verb = _WORD.search(rest, end)
    # "did decline" is read as something else than "declined".
    if auxiliary in _DO and verb and verb[0].isalpha() and verb[0].islower() and not _ADVERB.fullmatch(verb[0]):
        predicate = f"{inflect(auxiliary, verb[0])}{rest[verb.end() :]}"
    else:
        predicate = f"{auxiliary}{rest[end:]}"
    return f"{before}{first}{rest[1:end]} {predicate}."


def question_of(claim: str) -> str:
    """Rephrase a claim that compares two things as a question: "A costs more than B." as "Does A cost more than B?".

    Empty for other claims.
    """
    said = _FIRST.sub(lambda word: word[0].lower(), claim.strip().rstrip("."), count=1)
    if (costs := _COSTS.search(said)) and " than " in said:
        return f"Does {said[: costs.start()]} {costs[1]} {said[costs.end() :]}?"
    auxiliary = _STATED.match(said)
    if auxiliary is None:
        return ""
    subject, verb, rest = auxiliary["subject"], auxiliary["verb"].lower(), auxiliary["rest"]
    if verb in _HAVE:
        return f"{'Did' if verb == 'had' else 'Does'} {subject} have {rest}?"
    return f"{verb.capitalize()} {subject} {rest}?"


def _subject(rest: str, begin: int, auxiliary: str) -> int:
    """Return the end of the subject: after its leading names, before the verb, or its first word and a name after."""
    word = _WORD.match(rest, begin)
    if word is None:
        return len(rest)
    end = begin
    for _, start, stop in text.capitalized_spans(rest):
        if start in (begin, word.end() + 1) or (end > begin and _JOINED.fullmatch(rest[end:start])):
            end = stop
        elif start > begin:
            break
    is_pronoun = word.group().lower() in _PRONOUNS
    verb = 0 if end > begin or is_pronoun else _predicate(rest, word.end(), auxiliary)
    return verb or max(end, word.end())


def _predicate(rest: str, begin: int, auxiliary: str) -> int:
    """Return the end of the words before the first verb, or what follows "is"; 0 if it is unclear."""
    words = [(match.group().lower().strip(".,;"), match.start()) for match in _WORD.finditer(rest, begin)]
    words = list(takewhile(lambda word: word[0] not in _RELATIVE, words))
    if auxiliary in _BE or auxiliary in _HAVE:
        before = ["", "", *(word for word, _ in words)]
        # "the motion to sell the van": the object of an infinitive is inside, too.
        words = [
            each
            for each, verb, last in zip(words, before, before[1:], strict=False)
            if last not in _INSIDE and not (verb == "to" and each[0] in _ARTICLES)
        ]
        places = [
            at for word, at in words if word in _FOLLOWING or (word not in _CLAUSE and _PARTICIPLE.fullmatch(word))
        ]
    else:
        places = [at for word, at in words if word in _VERBS]
        # "Does the work plan cover …": each of them may also be a noun.
        places = places or [at for word, at in words if word in _NOUNS_TOO][-1:]
    return len(rest[: places[0]].rstrip()) if places else 0
