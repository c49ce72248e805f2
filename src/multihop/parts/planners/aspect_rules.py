"""The rules by which a clause of a question is read: which phrasing asks for a definition, a comparison, a process …

Rules and words are in `aspect_rules.toml`; the first rule that fits the whole clause makes its aspects.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files

from multihop import text
from multihop.types import Aspect

_LONGEST_NOUN = 6
_LONGEST_CLAUSE = 500
_MOST_KEYWORDS = 30
_GRAMMAR = tomllib.loads((files(__package__) / "aspect_rules.toml").read_text("utf-8"))
_TYPE_OF_NOUN, _LABELS, _CLASSES = (_GRAMMAR[table] for table in ("nouns", "labels", "classes"))
_USUAL = re.compile("pros|cons|definitions?|meanings?|nature|concept|overview|introduction|basics|essence", re.I)
"""Nouns for which the usual phrasing of their type will do."""
_EFFECTS = re.compile(r"effect|impact|consequence|influence|implication|outcome|result|role", re.I)


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_WORDS = {kind: _any(words) for kind, words in _GRAMMAR["words"].items()}
FACET = _any(" ".join(_TYPE_OF_NOUN.values()))
"""A noun that names a facet: "advantages", "causes", "examples"."""
LOOSE = rf"(?:{_WORDS['loose']}\s+)*"
"""Words that may stand before such a noun."""
FACETS = rf"{LOOSE}{FACET}(?:\s*(?:,\s*and\b|,|/|&|\band\b|\bor\b)\s*{LOOSE}{FACET})*"

_VERB = _WORDS["verb"]
_PARTICIPLE = rf"(?:\w{{2,}}[^e\W]ed|{_WORDS['participle']})"
_ENDING = "ous|ful|able|ible|ive|ent|ant|ary|less|ical|ial|some"
_ADJECTIVE = rf"(?:\w+(?:{_ENDING})|{_WORDS['adjective']})"
_AUX = _any(_CLASSES["aux"])
_FINITE = rf"{_AUX}|{_VERB}(?:s|es)?|{_PARTICIPLE}"


# Sixty of them take 30 ms, a tenth of what a process takes to open an index; only one strategy needs any.
@cache
def pattern(phrasing: str) -> re.Pattern[str]:
    """Turn a phrasing into a regular expression for the whole clause."""
    made = re.sub(r"\{(\w+)\}", lambda m: FACETS if m[1] == "facets" else _any(_CLASSES[m[1]]), phrasing)
    made = re.sub(r"<(\w+):(.+?):>", r"(?P<\1>\2)", made)
    made = re.sub(r"(?<!\?P)<(\w+)>", r"(?P<\1>.+?)", made)
    # A blank of a phrasing stands for any white space.
    return re.compile(re.sub(r" ", r"\\s+", made), re.I)


# --- things ---------------------------------------------------------------------------------------


def bare(phrase: str) -> str:
    """Strip articles, quotation marks and punctuation around the name of a thing."""
    phrase = phrase.strip(" \t,;:.?!\"“”'")
    articles = r"^(?:an?|the|some|any|both|each|either of|either|all|that of(?: the)?)\s+"
    return re.sub(articles, "", phrase, flags=re.I).strip()


def things(phrase: str, joints: str = r"and|or|vs\.?|versus|against|with|to|from|&") -> list[str]:
    """Split a list: "A, B and C". A noun may belong to all: "active and passive transport"."""
    parts = re.split(rf"\s*,\s*(?:(?:{joints})\s+)?|\s+(?:{joints})\s+", phrase.strip(), flags=re.I)
    names = list(dict.fromkeys(b for p in parts if (b := bare(p))))
    # Only a word that looks like an adjective takes the noun of the last: "cats and guinea pigs" are not "cats pigs".
    if len(names) > 1 and " " in names[-1]:
        first, head = names[-1].split(" ", 1)
        ending = rf"[a-z]+(?:ed|ive|able|ible|ous|less|ern|ial|ical|ual|ary)|\w+-{re.escape(first.rpartition('-')[2])}"
        names = [f"{f} {head}" if re.fullmatch(ending, f, re.I) else f for f in names[:-1]] + names[-1:]
    return names


_QUALIFIES = re.compile(r"\s(?=(?:in terms of|with respect to|for|in|on|when|during|within|regarding|among|at)\s)")


def _split_qualifier(phrase: str) -> tuple[str, str]:
    """Split a thing from its qualifier: "transformers for NLP". Inside a name nothing is cut."""
    for match in _QUALIFIES.finditer(phrase):
        before, after = phrase[: match.start()], phrase[match.end() :]
        if not (before.split(" ")[-1].istitle() and after.split(" ", 2)[1].istitle()):
            return bare(before), after
    return phrase, ""


def _content(phrase: str, *without: str) -> tuple[str, ...]:
    taken = set(text.terms(" ".join(without))) if without else set()
    words = [w for w in text.words(phrase) if w not in text.STOPWORDS and w not in text.ASKING]
    return tuple(dict.fromkeys(w for w in words if text.stems([w])[0] not in taken))[:_MOST_KEYWORDS]


_OPENING = frozenset(
    "actually really exactly usually typically first finally originally being been be ever so now not get".split()
)
_BEFORE_NOUN = frozenset("the a an of and or in on for by to with".split())


def _split_at_verb(clause: str, verb: str) -> tuple[str, str]:
    """Split subject and predicate at the first such verb; "being" or "first" go with the predicate."""
    words = clause.split(" ")
    for place in range(1, len(words)):
        if re.fullmatch(verb, words[place], re.I) and words[place - 1].lower() not in _BEFORE_NOUN:
            while place > 1 and words[place - 1].lower() in _OPENING:
                place -= 1
            return " ".join(words[:place]), " ".join(words[place:])
    return clause, ""


# --- makers ---------------------------------------------------------------------------------------

Match = re.Match[str]


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}?"


def _group(match: Match, name: str) -> str:
    return (match.groupdict().get(name) or "").strip(" ,:;?.")


def _make_aspect(kind: str, subject: str, predicate: str, clause: str, label: str = "") -> list[Aspect]:
    head, rest = _split_qualifier(bare(subject))
    said = " ".join(p for p in (rest, predicate.strip()) if p)
    if not head:
        return []
    about = f"{label or _LABELS[kind]} of {head}{f': {said}' if said else ''}"
    return [Aspect(about, kind, 1.0, (head,), _content(said, head), clause)]


def definitions(names: Sequence[str]) -> list[Aspect]:
    """Make an aspect for the definition of each thing."""
    parted = [(name, *_split_qualifier(name)) for name in names if name]
    return [
        Aspect(f"Definition/explanation of {whole}", "definition", 1.0, (head,), _content(rest, head))
        for whole, head, rest in parted
    ]


def _definition(match: Match) -> list[Aspect]:
    plural = _group(match, "be").lower() in {"are", "were", "'re"}
    return definitions(things(match["s"], "and") if plural else [bare(match["s"])])


def _comparison(match: Match) -> list[Aspect]:
    """Make the definitions of all sides, then their comparison."""
    sides = things(f"{match['s']} and {match['t']}" if _group(match, "t") else match["s"])
    if len(sides) < 2:
        return []
    sides[-1], rest = _split_qualifier(sides[-1])
    purpose = re.search(r"\bfor\s+.+$", _group(match, "for"), re.I)
    qualifier = " ".join(q for q in (rest, _group(match, "q"), purpose.group() if purpose else "") if q)
    about = f"Comparison between {', '.join(sides[:-1])} and {sides[-1]}{f' {qualifier}' if qualifier else ''}"
    return [*definitions(sides), Aspect(about, "comparison", 1.0, tuple(sides), _content(qualifier, *sides))]


def _facets(match: Match) -> list[Aspect]:
    """Read "the causes and effects of X": one aspect for each type that is named, asked for in the words given."""
    whole = bare(match["s"])
    head, rest = _split_qualifier(whole)
    named: dict[tuple[str, bool], list[str]] = {}
    for phrase, noun in re.findall(rf"({LOOSE}({FACET}))", match["facets"], re.I) if head else ():
        kind = next(k for k, nouns in _TYPE_OF_NOUN.items() if re.fullmatch(_any(nouns), noun, re.I))
        # Causes and effects are of one type and still two things to find out.
        named.setdefault((kind, bool(_EFFECTS.match(noun))), []).append(bare(phrase))
    facets = []
    for (kind, effect), phrases in named.items():
        about = f"{'Effects/consequences' if effect else _LABELS[kind]} of {head}{f' {rest}' if rest else ''}"
        asked = " and ".join(p for p in phrases if not _USUAL.fullmatch(p))
        clause = f"{asked[:1].upper()}{asked[1:]} of {whole}" if asked else ""
        facets.append(Aspect(about, kind, 1.0, (head,), _content(rest, head), clause))
    return facets


def _works(match: Match) -> list[Aspect]:
    rest = _group(match, "rest")
    several = things(match["s"], "and") if _group(match, "do").lower() in {"do", "did"} else [match["s"]]
    clause = _sentence(match.string) if rest and len(several) == 1 else ""
    return [aspect for thing in several for aspect in _make_aspect("process", thing, rest, clause)]


def _how(match: Match) -> list[Aspect]:
    passive = re.fullmatch(r"is|are|was|were|has|have|had|can|could|should", _group(match, "aux"), re.I)
    subject, predicate = _split_at_verb(match["rest"], _PARTICIPLE if passive else _VERB)
    # From the surest kind of verb to the vaguest; the first that is there parts the clause.
    for verb in (_VERB, _FINITE, r"\w{3,}s") if passive is None else (_VERB,):
        if not predicate:
            subject, predicate = _split_at_verb(match["rest"], verb)
    return _make_aspect("process", subject, predicate, _sentence(match.string))


def _steps(match: Match) -> list[Aspect]:
    if re.match(r"(?:how|what|why)\b", match["s"], re.I):
        return read_clause(match["s"])
    instructed = re.match(r"how\b", match.string, re.I)
    return _make_aspect("process", match["s"], "", _sentence(match.string) if instructed else "")


def _why(match: Match) -> list[Aspect]:
    rest, aux = re.sub(r"^(?:i|we|you|one|people)\s+", "", match["rest"], flags=re.I), _group(match, "aux").lower()
    if aux in {"is", "are", "was", "were", "isn't", "aren't"}:
        subject, predicate = _split_at_verb(rest, rf"{_ADJECTIVE}|{_PARTICIPLE}")
        # "Why is the sky blue": an unknown adjective is still the last word.
        if not predicate and " " in rest:
            subject, predicate = rest.rsplit(" ", 1)
    elif aux:
        subject, predicate = _split_at_verb(rest, _VERB)
    else:
        subject, predicate = _split_at_verb(rest, _AUX)
        subject, predicate = (subject, predicate) if predicate else _split_at_verb(rest, _FINITE)
    return _make_aspect("causal", subject, re.sub(r"^(?:is|are|was|were)\s+", "", predicate), _sentence(match.string))


def _causes(match: Match) -> list[Aspect]:
    subject, predicate = _split_at_verb(match["s"], rf"to|{_VERB}|{_PARTICIPLE}|{_ADJECTIVE}")
    return _make_aspect("causal", subject, predicate, _sentence(match.string))


def _effects(match: Match) -> list[Aspect]:
    predicate = _group(match, "rest")
    subject, predicate = (match["s"], predicate) if predicate else _split_at_verb(match["s"], _FINITE)
    return _make_aspect("causal", subject, predicate, _sentence(match.string), "Effects/consequences")


def _aspects_of(kind: str, match: Match) -> list[Aspect]:
    rest = _group(match, "rest")
    return _make_aspect(kind, match["s"], rest, _sentence(match.string) if rest else "")


_MAKERS: dict[str, Callable[[Match], list[Aspect]]] = {
    "comparison": _comparison, "facets": _facets, "effects": _effects, "why": _why, "causes": _causes,
    "works": _works, "steps": _steps, "how": _how, "definitions": _definition,
    **{kind: partial(_aspects_of, kind) for kind in ("evaluation", "application", "definition")},
}  # fmt: skip
RULES = [(phrasing, _MAKERS[rule["make"]]) for rule in _GRAMMAR["rules"] for phrasing in rule["phrasings"]]


def read_clause(clause: str, topic: str = "") -> list[Aspect]:
    """Read one clause by the first rule that fits; what none fits is a topic of its own."""
    clause = clause.strip(" ?!.,;:")
    # No phrasing is that long, and trying all of them on a long text takes time.
    if len(clause) <= _LONGEST_CLAUSE:
        for phrasing, make in RULES:
            if (match := pattern(phrasing).fullmatch(clause)) and (aspects := make(match)):
                return [_about(aspect, topic) for aspect in aspects]
        if _is_noun(clause):
            return definitions([bare(clause)])
    return _topic(clause, topic) if bare(clause) else []


def _about(aspect: Aspect, topic: str) -> Aspect:
    """Separate a known topic from an unknown verb."""
    whole = aspect.subjects[0]
    if not topic or len(aspect.subjects) > 1 or not whole.startswith(f"{topic} "):
        return aspect
    said = whole.removeprefix(f"{topic} ")
    about = aspect.text.replace(f" of {whole}", f" of {topic}: {said}", 1)
    return replace(aspect, text=about, subjects=(topic,), keywords=_content(said) + aspect.keywords)


def _topic(clause: str, topic: str) -> list[Aspect]:
    known = [thing for thing in things(topic, "and") if thing in clause]
    named = [span for span, _, _ in text.capitalized_spans(clause) if not any(span in thing for thing in known)]
    subjects = tuple(dict.fromkeys([*known, *named]))[:_MOST_KEYWORDS]
    keywords = _content(clause, *subjects) or (() if subjects else (bare(clause)[:100],))
    return [
        Aspect(f"Topic: {bare(clause)[:_LONGEST_CLAUSE]}", "definition", 1.0, subjects, keywords, _sentence(clause))
    ]


def _is_noun(clause: str) -> bool:
    asking = r"what|how|why|which|who|whom|whose|when|where|whether|if"
    words = clause.split()
    return len(words) <= _LONGEST_NOUN and not any(re.fullmatch(rf"{_AUX}|{asking}", w, re.I) for w in words)
