"""Recognizes what a sentence mentions, but does not state as a fact of today.

A motion that was rejected, work that was planned and never done, a condition, and what held until some time share their
words with a claim. Verifiers take these words for support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from multihop import text
from multihop.answering.values import amount_of
from multihop.text.number_words import NUMBER_WORDS

_MOSTLY, _COVERED, _FEWEST = 0.6, 0.4, 2
"""Minimum share of the words common to claim and sentence, share of the claim's, and number that a phrase contains."""
_FRAGMENT = 6
"""Maximum number of words of a sentence without a subject that tells what became of the one before: "Rejected."."""
_ENDED = (
    r"(?:rejected|refused|declined|turned down|voted down|withdrawn|taken back|abandoned|dropped|dismissed|vetoed|"
    r"postponed|put off|deferred|shelved|not (?:adopted|approved|accepted|carried|recommended|pursued)|cancell?ed)"
)
_PASSIVE = re.compile(rf"\b(?:was|were|is|are|been|being|got) (?:\w+ly )?{_ENDED}\b", re.IGNORECASE)
_ARTICLE = r"(?:the|an?|his|her|its|their)"
_ACTIVE = re.compile(
    rf"\b(?:reject|refuse|veto|dismisse)(?:s|d|ed) (?=(?:to|{_ARTICLE}) )"
    rf"|\b(?:declin(?:es|ed)|turn(?:s|ed) down|vot(?:es|ed) (?:down|against)) (?=to [a-z]|{_ARTICLE} )"
    rf"|\b(?:abandoned|withdrew|took back|dropped) (?={_ARTICLE} (?:motion|propos|plan|idea|request|bid))",
    re.IGNORECASE,
)
_IT = r"(?:it|this|that|the (?:motion|proposal|request|application|amendment|matter))"
_ALONE = re.compile(
    rf"\W*(?:(?:{_IT} (?:was|is) )?{_ENDED}\b|{_IT} (?:failed|(?:was|is) (?:lost|defeated))\b|(?:lost|defeated)\b)",
    re.IGNORECASE,
)
_GRANTED = r"(?:carried|adopted|approved|accepted|agreed|granted|passed)"
_AGREED = re.compile(
    rf"\W*(?:(?:{_IT} (?:was|is) )?(?:\w+ly )?{_GRANTED}\b|{_IT} passed\b|(?:the )?\w+ (?:\w+ly )?agreed\W*$)",
    re.IGNORECASE,
)
_VOTES = re.compile(
    rf"(?:\d|\b(?:{'|'.join(NUMBER_WORDS)})\b).*\b(?:voted|votes?|abstained|in favou?r|against)\b",
    re.IGNORECASE | re.DOTALL,
)
_SAYS_AGREED = re.compile(
    rf"\b(?:was|were|been|got) (?:\w+ly )?{_GRANTED}\b|\b(?:voted for|approved|adopted|accepted) {_ARTICLE} ",
    re.IGNORECASE,
)
_FOR, _AGAINST = (
    re.compile(rf"\b(\d+|{'|'.join(NUMBER_WORDS)})(?: \w+){{0,3}}? (?:{side})\b", re.IGNORECASE)
    for side in ("for(?! the first)|in favou?r", "against")
)
_COUNT = re.compile(r",? by (?:a majority of )?\w+(?: votes)? to \w+", re.IGNORECASE)
_MOTION = re.compile(
    r"\b(?:motions?|proposals?|requests?|amendments?|applications?|propos(?:es|ed)|ask(?:s|ed)|suggest(?:s|ed)|"
    r"moved that|vot(?:e|es|ed) (?:\w+ )?on)\b",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"\b(?:motions?|propos\w+|plan(?:s|ned)?|requests?|ideas?|suggest\w*|amendments?|drafts?|bids?|offer(?:s|ed)?|"
    r"examined|applications?)\b|\bto [a-z]+",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"\b(?:was|were|had been|been) (?:to be|to have|meant to|supposed to|due to|planned|announced|promised|scheduled|"
    r"intended)\b|\b(?:had|has|have) (?:planned|promised|intended|hoped) to\b",
    re.IGNORECASE,
)
_UNDONE = re.compile(
    r"\b(?:never|not)(?: yet)?(?: been)? (?:built|begun|started|made|done|carried out|happened|introduced|finished|"
    r"completed|come|came|implemented|held|delivered|released|bought|sold|opened|taken place)\b"
    r"|\b(?:came to nothing|fell through|cancell?ed|abandoned)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_PLANS = re.compile(
    rf"\b(?:will|would|going to|{_ENDED[3:-1]}|refus\w+|reject\w+|declin\w+|"
    r"withdr\w+|abandon\w*|motions?|propos\w+|suggest\w*|plan(?:s|ned)?|meant|intend\w*|want(?:s|ed)?|wish\w*|hop(?:es|ed)|"
    r"ask(?:s|ed)?|request\w*|offer\w*|appl(?:y|ies|ied|ication)|appeal\w*|complain\w*|claim\w*|demand\w*|critici\w+|"
    r"tri(?:es|ed)|attempt\w*|vot(?:e|es|ed|ing)|should|examin\w+|discuss\w*|announc\w+|promis\w+|due)\b",
    re.IGNORECASE,
)
"""A claim with such a word may be true of what was refused: somebody did ask for it."""
PAST = re.compile(
    r"\b(?:has|have|had|was|were|did|took|got|won|sold|bought|became|paid|gave|built|\w{2,}ed)\b",
    re.IGNORECASE,
)
_IRREGULAR = re.compile(r"\b(?:led|came|went|made|wrote|stood|held|ran)\b", re.IGNORECASE)
PRESENT = re.compile(r"\b(?:is|are|does|do|may|can|must)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|no|never|nobody|none|nor|neither)\b|n[’']t\b", re.IGNORECASE)
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|had|did|until|till|before|formerly|previously|originally|"
    r"earlier|once|first|used to|(?:in|from|during) (?:1\d|20)\d\d)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:until|till|up to|before|formerly|previously|originally|used to|once|at first)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"(?<=[.;:,])\s")
_WAS = re.compile(r"\b(?:was|were|had|used to|(?:he|she|it|they|we|\w{3,}) \w{2,}ed)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|be|will|must|may|can|shall|has|have)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|provided that|in case|as long as|on condition that)\b[^.;]*", re.IGNORECASE
)
_NO_FACT = re.compile(r"\b(?:if|unless|whether|provided|condition\w*|would|could|might|should)\b", re.IGNORECASE)


def came_to_nothing(unit: str, claim: str, after: Sequence[str] = ()) -> bool:
    """Return whether a unit tells of what a claim states that it was refused, or planned and not done.

    `after` are the next units; they count if they are fragments that tell the outcome, such as "Rejected.".
    """
    if (_SPEAKS_OF_PLANS.search(claim) and not _SAYS_AGREED.search(claim)) or _NEGATIVE.search(claim):
        return False
    return any(_is_mostly_in(phrase, unit, claim) for phrase in _refused(unit, after))


def _refused(unit: str, after: Sequence[str]) -> Iterator[str]:
    """Yield the phrases of a unit with what was refused, or not done."""
    for ended in _PASSIVE.finditer(unit):
        if proposal := _PROPOSAL.search(unit, 0, ended.start()):
            yield unit[proposal.start() : ended.start()]
    for ended in _ACTIVE.finditer(unit):
        yield re.split(r"[;.]\s|, (?!which|that)", unit[ended.end() :])[0]
    if _MEANT.search(unit) and _UNDONE.search(unit):
        yield unit
    if (_PROPOSAL.search(unit) and any(_is_fragment(each) and _ALONE.match(each) for each in after)) or (
        _MOTION.search(unit) and any(map(_is_outvoted, after))
    ):
        yield unit


def _is_outvoted(unit: str) -> bool:
    """Return whether a unit counts more votes against something than for it."""
    yes, no = _FOR.search(unit), _AGAINST.search(unit)
    return yes is not None and no is not None and (amount_of(no[1]) or (0,)) > (amount_of(yes[1]) or (0,))


def _is_fragment(unit: str) -> bool:
    return len(_COUNT.sub("", unit).split()) <= _FRAGMENT


def outcome_in(unit: str, after: Sequence[str]) -> list[str]:
    """Return the sentences among the next ones that tell how a proposal was voted on and what became of it."""
    if not _MOTION.search(unit):
        return []
    return [
        each
        for each in after
        if _VOTES.search(each) or (_is_fragment(each) and (_ALONE.match(each) or _AGREED.match(each)))
    ]


def is_agreed(unit: str, after: Sequence[str]) -> bool:
    """Return whether one of the next sentences says that a proposal was carried."""
    return any(_AGREED.match(each) for each in outcome_in(unit, after))


def held_before(unit: str, claim: str) -> bool:
    """Return whether a unit says that what a claim says of the present was like this only until some time."""
    is_present = PRESENT.search(claim) or not (PAST.search(claim) or _IRREGULAR.search(claim))
    if not is_present or _OF_THE_PAST.search(claim) or _NEGATIVE.search(claim):
        return False
    clauses = _CLAUSE_END.split(unit)
    for place, clause in enumerate(clauses):
        if not _FORMER.search(clause):
            continue
        # "Until 2011, the club raced …"
        last = place + 1 if _WAS.search(clause) else place + 2
        former, rest = " ".join(clauses[place:last]), " ".join(clauses[:place] + clauses[last:])
        if _WAS.search(former) and not _IS.search(former):
            said = [stem for stem in _stems(claim) if stem in _words(unit)]
            # The subject may be in any clause; what is said of it comes last.
            if said and said[-1] in _words(former) - _words(rest):
                return len(said) >= _COVERED * len(_words(claim))
    return False


def only_if(unit: str, claim: str) -> bool:
    """Return whether a unit has the words of a claim only in a condition: "if the tests stay green"."""
    if _NO_FACT.search(claim):
        return False
    return any(_is_mostly_in(condition.group(), unit, claim) for condition in _CONDITION.finditer(unit))


def _is_mostly_in(phrase: str, unit: str, claim: str) -> bool:
    """Return whether only a phrase contains most of the words that claim and unit have in common."""
    common = _words(unit) & _words(claim)
    inside = common & _words(phrase) - _words(unit.replace(phrase, " ", 1))
    return len(inside) >= max(_FEWEST, _MOSTLY * len(common), _COVERED * len(_words(claim)))


def _words(said: str) -> frozenset[str]:
    return frozenset(_stems(said))


def _stems(said: str) -> list[str]:
    return text.stems(word for word in text.words(said) if word not in text.STOPWORDS)
