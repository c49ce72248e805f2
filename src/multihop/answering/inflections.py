"""Inflects verbs of questions: "does carry" as "carries", "did sell" as "sold"."""

from __future__ import annotations

import re

_PAST = dict(
    pair.split("/")
    for pair in """be/was have/had do/did go/went get/got need/needed take/took make/made come/came give/gave
    keep/kept pay/paid become/became begin/began bring/brought build/built buy/bought choose/chose eat/ate
    find/found forbid/forbade hold/held know/knew leave/left let/let lose/lost mean/meant meet/met put/put say/said
    sell/sold send/sent set/set sit/sat speak/spoke tell/told wear/wore win/won write/wrote draw/drew drive/drove
    fall/fell fly/flew grow/grew hear/heard lead/led read/read ride/rode run/ran see/saw show/showed sing/sang
    sink/sank sleep/slept spend/spent stand/stood steal/stole swim/swam teach/taught think/thought cost/cost cut/cut
    hit/hit hurt/hurt shut/shut break/broke catch/caught feel/felt fight/fought forget/forgot hang/hung hide/hid
    lend/lent lie/lay rise/rose shoot/shot throw/threw wake/woke withdraw/withdrew understand/understood
    undergo/underwent""".split()
)
_SIBILANT = re.compile(r"(?:s|sh|ch|x|z|o)$")
_CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$")
_DOUBLED = re.compile(r"(?:^|[^aeiou])[^aeiou]?[aeiou][bdgklmnprt]$")
_STRESSED = frozenset("permit admit commit submit prefer refer occur control".split())


def inflect(auxiliary: str, verb: str) -> str:
    """Return a verb as it stands without its auxiliary, which is "do", "does" or "did"."""
    if auxiliary == "does":
        if verb == "have":
            return "has"
        return f"{verb}es" if _SIBILANT.search(verb) else _add(verb, "s", "ies")
    if auxiliary == "did":
        if verb in _PAST:
            return _PAST[verb]
        is_short = len(re.findall("[aeiou]", verb)) == 1 and _DOUBLED.search(verb)
        return f"{verb}{verb[-1]}ed" if is_short or verb in _STRESSED else _add(verb.removesuffix("e"), "ed", "ied")
    return verb


def _add(verb: str, ending: str, after_y: str) -> str:
    return _CONSONANT_Y.sub(after_y, verb) if _CONSONANT_Y.search(verb) else verb + ending
