"""A planner that reads the facets of a question by rule: what to define, compare, explain, weigh or apply.

A question is cut into clauses, later pronouns are filled in with the thing the first clause is about, and each clause
is read by the first rule that fits it. What no rule fits becomes an aspect of its own, so that nothing asked is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop import text
from multihop.parts.planners.aspect_rules import FACET, FACETS, LOOSE, read_clause
from multihop.parts.planners.rules import entities
from multihop.protocols import Context
from multihop.types import Aspect, Note, Plan

OPTIONAL = 0.6
"""The importance of what would be welcome but is not asked for."""
_MOST = 12
_LONGEST = 2000
"""A longer text is not taken for a question but for one topic."""


@dataclass(frozen=True, slots=True)
class AspectPlanner:
    """Aspects of the six types, core ones first and otherwise as the question puts them; entities as the rules find."""

    def plan(self, question: str, context: Context) -> Plan:
        return GivenAspects(aspects(question)).plan(question, context)


@dataclass(frozen=True, slots=True)
class GivenAspects:
    """Plans the aspects it was given, such as those a language model named; so the trace can be replayed."""

    aspects: tuple[Aspect, ...]
    notes: tuple[Note, ...] = ()

    def plan(self, question: str, context: Context) -> Plan:
        mentions = context.index.names.find_names([question])[0] if context.index.names else ()
        return Plan(entities=entities(question, mentions), notes=self.notes, aspects=self.aspects)


def aspects(question: str) -> tuple[Aspect, ...]:
    """Return which facets a question has, in its order; at least one for anything that holds a word."""
    aspects: list[Aspect] = []
    topic = ""
    for clause in _clauses(question):
        asked, importance = _split_optional(clause)
        made = read_clause(_resolve(asked, topic), topic)
        aspects += [replace(a, importance=importance) for a in made]
        topic = topic or _topic(made)
    # Of two clauses that ask the same, the first one stays.
    unique = {text.surface_key(a.text) or a.text: a for a in reversed(aspects)}
    kept = [a for a in aspects if unique[text.surface_key(a.text) or a.text] is a]
    return tuple(sorted(kept, key=lambda a: -a.importance)[:_MOST])


def _topic(made: Sequence[Aspect]) -> str:
    """Return what the later clauses mean by "they": what is asked about, or else the last word that says something."""
    subjects = dict.fromkeys(s for a in made for s in a.subjects)
    return " and ".join(subjects or (a.keywords[-1] for a in made[:1]))


# --- clauses --------------------------------------------------------------------------------------

_WELCOME = "(?:if possible|if you can|ideally|optionally|preferably|maybe|perhaps)"
_OPTIONAL = re.compile(rf"\b{_WELCOME}\b[ ,]*", re.I)
_ADDED = re.compile("^(?:along with|with|including) ", re.I)
_AUXILIARY = "(?:is|are|was|were|has|have|had|can|could|will|would|should|does|do|did|must|may|might)"
_JOINT = (
    "(?: ?[,;:–—] ?(?:(?:and|but|or|then|also|as well as|plus) )*| (?:and|but|as well as|plus|then),? (?:also |then )?)"
)
_OPENING = (
    f"(?:{_WELCOME},? )?(?:what|how|why|where|who|whose|compare|contrast|explain|describe|define|outline|discuss|list"
    f"|give|(?:in|on|for|by|under) (?:what|which)|which (?!{_AUXILIARY}\\b)|when (?={_AUXILIARY}\\b)"
    f"|(?:with|including) {FACETS}|(?:its|their|his|her) {LOOSE}{FACET})\\b"
)
# The longest patterns are compiled when the first question is asked: every start of the program would wait for them.
_SPLIT = (
    rf"(?i)(?<!possible)(?<!you can)(?<!ally)(?<!ably)(?<!maybe)(?<!perhaps){_JOINT}(?={_OPENING})|: ?(?={FACETS}\W*$)"
)
_TAIL = rf"(?i) (?=(?:with|including|along with) {LOOSE}{FACET}\s*$)"
_DOUBLE = re.compile("^(what|how|why|when|where) (?:and|or) (what|how|why|when|where) (.+)$", re.I)
_CONTRAST = re.compile(r"\bcompare and contrast\b", re.I)
_DIFFERENCE = r"what(?:'s| is| are) the (?:\w+ )?(?:differences?|distinctions?)"
_ASIDE = re.compile(rf"^(.+? (?:and|or|vs\.?|versus) .+?) ?[:,;–—-]+ ?{_DIFFERENCE}\W*$", re.I)
_ME = "(?:to )?(?:me|us|him|her|them)"
_LEADS = (
    r"(?:please|kindly|hi|hello|hey|ok|okay|so|well|also|then|and|but|or|now|briefly)\b[ ,:]*",
    r"(?:finally|first|firstly|secondly|in addition|additionally|specifically|exactly|more precisely)\b[ ,:]*",
    r"in (?:short|brief|simple terms|detail)\b[ ,:]*",
    "(?:can|could|would|will) (?:you|someone|anyone|anybody|we) (?:please |kindly |perhaps |possibly |also )*"
    "(?=explain|tell|describe|show|clarify|help|give|outline|elaborate|discuss|walk|summari|provide|teach|define"
    "|compare|contrast|list|say|go|let|name)",
    "would you mind (?:explaining|telling me|describing) ",
    f"(?:explain|tell|show|teach|clarify|describe|illustrate|elaborate|outline|discuss|summari[sz]e|say|let)(?: {_ME}"
    r"(?: know)?)?(?: in detail| in simple terms| in brief| briefly| clearly)?(?: on| upon| about| of)?[ ,:]+",
    "(?:walk|take|guide|talk) (?:me|us) through (?:the steps of )?",
    "help (?:me|us) (?:to )?(?:understand|see|learn) ",
    r"(?:i|we)(?:'d| would|'m| am|'re| are| was| were| have been|'ve been)? (?:really |also |just )*(?:like|love|want"
    r"|need|wish|trying|curious|interested|hoping|keen|eager|struggling|wondering|wonder|asking)\b(?: in| about)? ?"
    r"(?:to )?(?:(?:know|learn|understand|find out|see|hear|read|figure out|learning|knowing|understanding)\b ?)?"
    "(?:more )?(?:about )?",
    "(?:i|we) (?:don't|do not|can't|cannot|never) (?:really |quite |fully )*(?:understand|know|see|get) ",
    "(?:do|does) (?:you|anyone|anybody|someone) (?:happen to )?know ",
    f"(?:provide|give|write) (?:{_ME} )?(?:an? |some )?(?:brief |short |detailed |clear |general )*"
    "(?:explanation|description|overview|summary|account|introduction|information|details) (?:of|on|to|about) ",
    "(?:information|details|facts|background) (?:on|about) ",
)
_LEAD = "(?i)^(?:" + "|".join(_LEADS) + ")"
"""What is said out of politeness before a question begins."""
_LAST = re.compile(r",? (?:(?:to|for) (?:me|us)|please|in (?:detail|simple terms|brief|short)|briefly)$", re.I)
_PRONOUN = re.compile(r"\b(?:its?|they|them|their)\b|\b(?:this|these|those|one|each|both)(?=\s*$)", re.I)
_BARE_FACETS = rf"(?i)(?:what(?:'s| is| are| was| were) |(?:give|list|name|provide|show) (?:{_ME} )?)?({FACETS})"
_ALONE = frozenset({"why", "how", "when", "where"})


def _clauses(question: str) -> list[str]:
    """Cut a question where another thing is asked for: "What is it and how does it work" is two clauses."""
    asked = re.sub(r"\s+", " ", question.replace("’", "'").replace("‘", "'")).strip()
    if len(asked) > _LONGEST:
        return [asked]
    clauses: list[str] = []
    for part in re.split(r"(?<=[?!]) ", _CONTRAST.sub("compare", asked)):
        for sentence in text.sentences(part):
            whole = _ASIDE.sub(r"difference between \1", sentence)
            both = _DOUBLE.match(whole)
            for each in (f"{both[1]} {both[3]}", f"{both[2]} {both[3]}") if both else (whole,):
                clauses += [tail for clause in re.split(_SPLIT, each) for tail in re.split(_TAIL, clause)]
    stripped = [f.strip(' ?!.,;:"“”') for f in clauses]
    kept = [c for c in stripped if text.words(c)] or [asked] * bool(text.words(asked))
    for place in range(1, len(kept)):
        if kept[place].lower() in _ALONE:
            # "How was it built, and why?" asks why it was built.
            kept[place] = " ".join((kept[place], *kept[place - 1].split(" ")[1:]))
    return kept


def _split_optional(clause: str) -> tuple[str, float]:
    """Split off optional wishes, and return the importance."""
    asked = _OPTIONAL.sub("", clause).strip(" ,")
    importance = 1.0 if asked == clause and not _ADDED.match(clause) else OPTIONAL
    return _ADDED.sub("", asked) or clause, importance


def _referent(pronoun: str, topic: str) -> str:
    said = topic.split(" and ")[0] if pronoun in {"it", "its", "this", "one"} else topic
    return said + ("'" if said.endswith("s") else "'s") if pronoun in {"its", "their"} else said


def _resolve(clause: str, topic: str) -> str:
    """Strip polite phrases, and replace pronouns by the topic."""
    # Politeness comes in layers: "please, could you tell me …".
    while (rest := re.sub(_LEAD, "", clause, count=1).strip()) != clause and rest:
        clause = rest
    clause = _LAST.sub("", clause) or clause
    if not topic:
        return clause
    clause = _PRONOUN.sub(lambda m: _referent(m.group().lower(), topic), clause)
    # "… and its advantages" asks for the advantages of the topic.
    if facets := re.fullmatch(_BARE_FACETS, clause):
        return f"{facets[1]} of {topic}"
    return f"{clause} between {topic}" if re.fullmatch(_DIFFERENCE, clause, re.I) else clause
