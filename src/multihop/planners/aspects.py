"""A planner that reads the facets of a question by rule: what is to be defined, compared, explained, weighed or applied.

A question is cut into clauses, later pronouns are filled in with the thing the first clause is about, and each clause
is read by the first rule that fits it. What no rule fits becomes an aspect of its own, so that nothing asked is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from multihop import text
from multihop.planners.rules import entities
from multihop.protocols import Context
from multihop.types import Aspect, Plan

OPTIONAL = 0.6
_MOST = 12
_LONGEST_NOUN = 6


@dataclass(frozen=True, slots=True)
class AspectPlanner:
    """Aspects of the six types, core ones first as the question puts them; entities as the rules find them."""

    def plan(self, question: str, context: Context) -> Plan:
        mentions = context.view.named([question])[0]
        return Plan(entities=entities(question, mentions), aspects=aspects(question))


@dataclass(frozen=True, slots=True)
class GivenAspects:
    """Plans the aspects it was given, such as those a language model named; then the trace can be replayed."""

    aspects: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()

    def plan(self, question: str, context: Context) -> Plan:
        mentions = context.view.named([question])[0]
        return Plan(entities=entities(question, mentions), notes=self.notes, aspects=self.aspects)


def aspects(question: str) -> tuple[Aspect, ...]:
    """Say which facets a question has, in its order; at least one for anything that holds a word."""
    found: list[Aspect] = []
    topic = ""
    for clause in _clauses(question):
        clause, importance = _weighed(clause)
        named = _read(_resolved(clause, topic))
        found += [replace(a, importance=importance) for a in named] if importance < 1.0 else named
        topic = topic or _topic(named)
    unique = {text.surface_key(a.text): a for a in reversed(found)}
    kept = [a for a in found if unique.get(text.surface_key(a.text)) is a]
    return tuple(sorted(kept, key=lambda a: -a.importance)[:_MOST])


def _topic(named: Sequence[Aspect]) -> str:
    return " and ".join(dict.fromkeys(s for a in named for s in a.subjects))


# --- clauses --------------------------------------------------------------------------------------

_FACETS = {
    "definition": "definitions? meanings? nature concept overview introduction basics essence",
    "process": "process mechanisms? workings? functioning steps stages phases procedure formation production development "
    "evolution history operation methods? implementation life.?cycle manufacture",
    "causal": "causes? reasons? origins? importance significance relevance role effects? impacts? consequences? influence "
    "implications? outcomes? results? factors",
    "evaluation": "advantages? disadvantages? benefits? drawbacks? pros cons strengths weaknesses limitations? limits risks? "
    "dangers? merits demerits downsides? upsides? shortcomings trade-?offs? criticisms? effectiveness safety performance "
    "challenges problems hazards",
    "application": "uses? usages? applications? examples? use.cases? purposes? instances case.studies",
}
_EFFECTS = re.compile(r"effect|impact|consequence|influence|implication|outcome|result|role", re.I)
_FACET = "(?:" + "|".join(w for row in _FACETS.values() for w in row.split()) + ")"
_LOOSE = (
    r"(?:(?:main|major|key|chief|primary|most|important|common|typical|possible|potential|real|world|practical|different|"
    r"various|some|few|two|three|several|good|basic|long|short|term|health|environmental|economic|social|long-term|"
    r"real-world|relative)\s+)*"
)
_FACET_LIST = (
    rf"(?:the\s+|an?\s+|any\s+)?{_LOOSE}{_FACET}(?:\s*(?:,\s*and|,|/|&|\band\b|\bor\b)\s*(?:the\s+)?{_LOOSE}{_FACET})*"
)
_AUXILIARY = r"(?:is|are|was|were|has|have|had|can|could|will|would|should|does|do|did|must|may|might)"
_WELCOME = r"(?:if\s+possible|ideally|optionally|preferably|maybe|perhaps|if\s+you\s+can)"
_SPLIT = re.compile(
    r"(?<!possible)(?<!ideally)(?<!perhaps)(?<!preferably)(?<!maybe)(?<!optionally)(?<!you can)"
    r"(?:\s*[,;:–—]\s*(?:(?:and|but|or|then|also|as well as|plus)\s+)*|\s+(?:and|but|as well as|plus|then),?\s+(?:also\s+|then\s+)?)"
    rf"(?=(?:{_WELCOME},?\s+)?(?:what|how|why|where|who|whose|compare|contrast|explain|describe|define|outline|discuss|list|give|"
    rf"in\s+(?:what|which)|(?:on|for|by|under)\s+(?:what|which)|which\s+(?!{_AUXILIARY}\b)|when\s+(?={_AUXILIARY}\b)|"
    rf"(?:with|including)\s+{_FACET_LIST}|(?:its|their|his|her)\s+{_LOOSE}{_FACET})\b)",
    re.I,
)
_TAIL = re.compile(rf"\s+(?=(?:with|including|along with)\s+(?:(?:an?|some|a few|concrete)\s+)?{_LOOSE}{_FACET}\s*$)", re.I)
_DOUBLE = re.compile(r"^\s*(what|how|why|when|where)\s+(?:and|or)\s+(what|how|why|when|where)\s+(.+)$", re.I | re.S)
_CONTRAST = re.compile(r"\bcompare and contrast\b", re.I)
_ASIDE = re.compile(
    r"^(.+?\s(?:and|or|vs\.?|versus)\s.+?)\s*[:,;–—-]+\s*what(?:'s|\s+is|\s+are)\s+the\s+(?:\w+\s+)?(?:differences?|distinction)\W*$", re.I
)
_LEAD = re.compile(
    r"""^\s*(?:
      (?:please|kindly|hi|hello|hey|ok(?:ay)?|so|well|also|then|and|but|or|now|finally|firstly?|secondly|in\s+addition|
         additionally|specifically|exactly|more\s+precisely|in\s+(?:short|brief|simple\s+terms|detail)|briefly)\b[\s,:]*
    | (?:can|could|would|will)\s+(?:you|someone|anyone|anybody|we)\s+(?:please\s+|kindly\s+|perhaps\s+|possibly\s+|also\s+)*
      (?=explain|tell|describe|show|clarify|help|give|outline|elaborate|discuss|walk|summari|provide|teach|define|compare|
         contrast|list|say|go|let|name)
    | would\s+you\s+mind\s+(?:explaining|telling\s+me|describing)\s+
    | (?:explain|tell|show|teach|clarify|describe|illustrate|elaborate|outline|discuss|summari[sz]e|say|let)
      (?:\s+(?:to\s+)?(?:me|us|him|her|them)(?:\s+know)?)?(?:\s+(?:in\s+(?:detail|simple\s+terms|brief)|briefly|clearly))?
      (?:\s+(?:on|upon|about|of))?\b[\s,:]+
    | (?:walk|take|guide|talk)\s+(?:me|us)\s+through\s+(?:the\s+steps\s+of\s+)?
    | help\s+(?:me|us)\s+(?:to\s+)?(?:understand|see|learn)\s+
    | (?:i|we)(?:'d|\s+would|'m|\s+am|'re|\s+are|\s+was|\s+were|\s+have\s+been|'ve\s+been)?\s+(?:really\s+|also\s+|just\s+)*
      (?:(?:like|love|want|need|wish|trying|curious|interested|hoping|keen|eager|struggling|wondering|wonder|asking)\b
      (?:\s+(?:in|about))?\s*)(?:to\s+)?(?:be\s+told\s+)?
      (?:know|learn|understand|find\s+out|see|hear|read|figure\s+out|learning|knowing|understanding)?(?:\s+more)?(?:\s+about)?\s+
    | (?:i|we)\s+(?:don't|do\s+not|can't|cannot|never)\s+(?:really\s+|quite\s+|fully\s+)*(?:understand|know|see|get)\s+
    | (?:do|does)\s+(?:you|anyone|anybody|someone)\s+(?:happen\s+to\s+)?know\s+
    | (?:provide|give|write)\s+(?:me\s+|us\s+)?(?:an?\s+|some\s+)?(?:brief\s+|short\s+|detailed\s+|clear\s+|general\s+)*
      (?:explanation|description|overview|summary|account|introduction|information|details)\s+(?:of|on|to|about)\s+
    | (?:information|details|facts|background)\s+(?:on|about)\s+
    | (?:it\s+is\s+unclear(?:\s+to\s+me)?|the\s+question\s+is)[\s,:]+
    )""",
    re.I | re.X,
)
_OPTIONAL = re.compile(rf"\b{_WELCOME}\b[\s,]*", re.I)
_ADDED = re.compile(r"^(?:along\s+with|with|including)\s+", re.I)


def _clauses(question: str) -> list[str]:
    """Cut a question where another thing is asked for: "What is it and how does it work" is two clauses."""
    asked = re.sub(r"\s+", " ", question.replace("’", "'").replace("‘", "'")).strip()
    asked = _CONTRAST.sub("compare", asked)
    found: list[str] = []
    for sentence in re.split(r"(?<=[?!])\s+", asked):
        for plain in text.sentences(sentence):
            whole = _ASIDE.sub(r"difference between \1", plain)
            both = _DOUBLE.match(whole)
            for each in (f"{both[1]} {both[3]}", f"{both[2]} {both[3]}") if both else (whole,):
                found += [tail for part in _SPLIT.split(each) for tail in _TAIL.split(part)]
    return [c for c in (f.strip(" ?!.,;:\"“”") for f in found) if text.words(c)]


def _weighed(clause: str) -> tuple[str, float]:
    """Tell what is asked for from what would only be welcome."""
    stripped = _OPTIONAL.sub("", clause).strip(" ,")
    importance = 1.0 if stripped == clause and not _ADDED.match(clause) else OPTIONAL
    return _ADDED.sub("", stripped), importance


def _resolved(clause: str, topic: str) -> str:
    """Strip what is said out of politeness, and say the topic where a pronoun stands for it."""
    while (rest := _LEAD.sub("", clause, count=1).strip()) != clause and rest:
        clause = rest
    if not topic:
        return clause
    clause = re.sub(r"\b(?:its|their)\b", topic + ("'" if topic.endswith("s") else "'s"), clause, flags=re.I)
    clause = re.sub(r"\b(?:it|they|them)\b|\b(?:this|these|those|one|each|both)(?=\s*$)", topic, clause, flags=re.I)
    if whole := re.fullmatch(rf"(?:(?:give|list|name|provide|show)\s+(?:me\s+|us\s+)?)?({_FACET_LIST})", clause, re.I):
        return f"{whole[1]} of {topic}"
    return re.sub(r"^(what(?:'s|\s+is|\s+are)\s+the\s+(?:\w+\s+)?differences?)$", rf"\1 between {topic}", clause, flags=re.I)


# --- rules ----------------------------------------------------------------------------------------

_BE = r"(?:is|are|was|were|'s|'re)"
_DO = r"(?:does|do|did|can|could|will|would|has|have|had|should|might|must)"
_ADVERBS = frozenset("actually really exactly usually typically first finally originally being been be ever so now not get".split())
_BEFORE_NOUN = frozenset("the a an of and or in on for by to with".split())
_IRREGULAR = (
    "made|built|found|known|grown|thrown|done|sent|kept|held|taught|caught|bought|brought|fought|sold|led|fed|put|cut|set|"
    "spread|shot|struck|won|begun|run|drawn|worn|born|torn|sung|spun|dug|lost|left|paid|laid|bred|bound|understood|shown|"
    "flown|blown|split|written|taken|given|driven|broken|frozen|stolen|chosen|spoken|eaten|beaten|fallen|hidden|proven|seen|"
    "forgotten|risen|shaken|forbidden|called"
)
_PARTICIPLE = rf"(?:{_IRREGULAR}|\w{{2,}}[^e\W]ed)"
_VERB = (
    "form|make|produce|create|protect|pump|spread|cause|change|help|prevent|treat|grow|move|store|convert|generate|develop|"
    "become|get|find|build|turn|travel|fly|swim|sleep|eat|breathe|communicate|learn|reproduce|evolve|survive|adapt|detect|"
    "measure|control|regulate|absorb|release|send|keep|use|die|live|lead|rise|fall|explode|erupt|begin|start|end|stop|fail|"
    "break|collapse|win|lose|migrate|hibernate|need|want|have|matter|exist|differ|shine|burn|freeze|melt|boil|float|sink|"
    "rust|decay|contribute|handle|process|solve|improve|reduce|increase|remove|encode|compute|transmit|carry|hold|give|take|"
    "go|come|look|see|hear|think|act|attack|defend|bind|join|leave|ban|end|decide|choose|work|interact|react|respond|reach|speed|disappear|vanish|crash|sing|speak|write"
)
_ADJECTIVE = re.compile(
    r".+(?:ous|ful|able|ible|ive|ent|ant|ary|less|ical|ial|some)$|"
    r"(?:bad|good|better|worse|key|vital|crucial|safe|unsafe|rare|hard|difficult|easy|slow|fast|popular|harmful|toxic|rich|"
    r"poor|common|famous|called|named|known|considered|seen|high|low|hot|cold|big|small|great|needed|special|unique|wrong)$",
    re.I,
)
_QUALIFIER = re.compile(
    r"\s+(?:(?:in terms of|with respect to|with regard to|for|in|on|when|during|within|regarding|as|under|at|among|across|"
    r"using|by|from|inside|through|over|after|before|of)\s+.+|respectively|apart|different|better)$",
    re.I,
)
_HEADLESS = re.compile(r"(?i:[a-z]+(?:ed|ive|able|ible|ous|less|ern|ial|ical|ual|ary))")


def _bare(phrase: str) -> str:
    """Strip articles, quotation marks and punctuation around the name of a thing."""
    phrase = phrase.strip(" \t,;:.?!\"“”'")
    return re.sub(r"^(?:an?|the|some|any|both|each|either of|either|all|that of(?: the)?)\s+", "", phrase, flags=re.I).strip()


def _things(phrase: str, joints: str = r"and|or|vs\.?|versus|against|with|to|from|&|&amp;") -> list[str]:
    """Take a list apart: "A, B and C". A head shared by the last two is given to both: "active and passive transport"."""
    parts = re.split(rf"\s*,\s*(?:(?:{joints})\s+)?|\s+(?:{joints})\s+", phrase.strip(), flags=re.I)
    found = list(dict.fromkeys(b for p in parts if (b := _bare(p))))
    if len(found) > 1 and " " in found[-1]:
        head = found[-1].split(" ", 1)[1]
        first = re.escape(found[-1].split(" ", 1)[0].rpartition("-")[2])
        headless = re.compile(rf"{_HEADLESS.pattern}|\w+-{first}")
        found = [f"{f} {head}" if headless.fullmatch(f) else f for f in found[:-1]] + found[-1:]
    return found


def _cut(phrase: str) -> tuple[str, str]:
    """Part a thing from what qualifies it: "transformers for NLP". Inside a name nothing is cut."""
    for match in re.finditer(r"\s(?=(?:in terms of|with respect to|for|in|on|when|during|within|regarding|among|at)\s)", phrase):
        before, after = phrase[: match.start()], phrase[match.end() :]
        neighbours = before.split(" ")[-1], after.split(" ", 2)[1]
        if not all(n.istitle() for n in neighbours):
            return before, after
    return phrase, ""


def _content(phrase: str, *without: str) -> tuple[str, ...]:
    taken = set(text.terms(" ".join(without))) if without else set()
    found = [w for w in text.words(phrase) if w not in text.STOPWORDS and w not in text.ASKING]
    return tuple(dict.fromkeys(w for w in found if text.stems([w])[0] not in taken))


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}?"


def _definitions(things: Sequence[str]) -> list[Aspect]:
    parted = [(t, *_cut(t)) for t in things if t]
    return [
        Aspect(f"Definition/explanation of {whole}", "definition", 1.0, (head,), _content(rest, head))
        for whole, head, rest in parted
    ]


def _comparison(phrase: str, qualifier: str = "") -> list[Aspect]:
    things = _things(phrase)
    if not things:
        return []
    last, rest = _cut(things[-1])
    things[-1] = _bare(last)
    qualifier = " ".join(q for q in (rest, qualifier.strip(" ,:;?.")) if q)
    if len(things) < 2:
        return []
    named = f"{', '.join(things[:-1])} and {things[-1]}"
    about = f"Comparison between {named}{f' {qualifier}' if qualifier else ''}"
    keywords = _content(qualifier, *things)
    return [*_definitions(things), Aspect(about, "comparison", 1.0, tuple(things), keywords)]


def _facet(kind: str, phrase: str, subject: str, clause: str) -> list[Aspect]:
    """Make the aspect of one facet: "advantages", "causes", "stages" of a subject."""
    head, rest = _cut(_bare(subject))
    head = _bare(head)
    if not head:
        return []
    label = {
        "definition": "Definition/explanation",
        "process": "Process/mechanism",
        "evaluation": "Advantages/disadvantages",
        "application": "Uses/examples",
        "causal": "Effects/consequences" if _EFFECTS.match(phrase.strip()) else "Causes/reasons",
    }[kind]
    about = f"{label} of {head}{f' {rest}' if rest else ''}"
    return [Aspect(about, kind, 1.0, (head,), _content(rest, head), clause)]


def _facets(match: re.Match[str]) -> list[Aspect]:
    """Read "the causes and effects of X", one aspect for each type that is named."""
    found: dict[tuple[str, bool], list[Aspect]] = {}
    for noun in re.findall(_FACET, match["facets"], re.I):
        kind = next(k for k, row in _FACETS.items() if re.fullmatch(row.replace(" ", "|"), noun, re.I))
        plain = kind in {"definition", "evaluation", "application"}
        clause = "" if plain else f"{noun[:1].upper()}{noun[1:].lower()} of {_bare(match['s'])}"
        found.setdefault((kind, bool(_EFFECTS.match(noun))), _facet(kind, noun, match["s"], clause))
    return [a for made in found.values() for a in made]


def _predicate(rest: str, pattern: str) -> tuple[str, str]:
    """Part subject and predicate of a clause; what belongs to neither, such as "being" or "first", goes with the verb."""
    words = rest.split(" ")
    for place in range(1, len(words)):
        if re.fullmatch(pattern, words[place], re.I) and words[place - 1].lower() not in _BEFORE_NOUN:
            while place > 1 and words[place - 1].lower() in _ADVERBS:
                place -= 1
            return " ".join(words[:place]), " ".join(words[place:])
    return rest, ""


def _said(kind: str, label: str, subject: str, predicate: str, clause: str) -> list[Aspect]:
    head, rest = _cut(_bare(subject))
    said = " ".join(p for p in (rest, predicate.strip()) if p)
    if not head:
        return []
    return [Aspect(f"{label} of {head}{f': {said}' if said else ''}", kind, 1.0, (head,), _content(said, head), clause)]


def _works(match: re.Match[str]) -> list[Aspect]:
    subject, rest = _bare(match["s"]), (match["rest"] or "").strip()
    things = _things(subject, "and") if match["aux"] and match["aux"].lower() in {"do", "did"} else [subject]
    clause = _sentence(match.string) if rest else ""
    return [a for thing in things for a in _said("process", "Process/mechanism", thing, rest, clause if len(things) == 1 else "")]


def _how(match: re.Match[str]) -> list[Aspect]:
    rest = match["rest"]
    passive = bool(match["aux"]) and re.fullmatch(r"is|are|was|were|has|have|had|can|could|should", match["aux"], re.I)
    subject, predicate = _predicate(rest, _PARTICIPLE) if passive else _predicate(rest, _VERB)
    if not predicate:
        subject, predicate = _predicate(rest, _VERB if passive else rf"{_AUXILIARY}|(?:{_VERB})(?:s|es)?|{_PARTICIPLE}|\w{{3,}}s")
    return _said("process", "Process/mechanism", subject, predicate, _sentence(match.string))


def _why(match: re.Match[str]) -> list[Aspect]:
    rest, aux = match["rest"], (match["aux"] or "").lower()
    if aux in {"is", "are", "was", "were", "isn't", "aren't"}:
        words = rest.split(" ")
        place = next((i for i in range(1, len(words)) if _ADJECTIVE.match(words[i]) or re.fullmatch(_PARTICIPLE, words[i])), 0)
        place = place or max(1, len(words) - 1)
        subject, predicate = " ".join(words[:place]), " ".join(words[place:])
    elif aux:
        subject, predicate = _predicate(rest, _VERB)
    else:
        subject, predicate = _predicate(rest, _AUXILIARY)
        if not predicate:
            subject, predicate = _predicate(rest, rf"(?:{_VERB})(?:s|es)?|{_PARTICIPLE}")
    predicate = re.sub(rf"^{_BE}\s+", "", predicate)
    return _said("causal", "Causes/reasons", subject, predicate, _sentence(match.string))


def _causes(match: re.Match[str]) -> list[Aspect]:
    subject, predicate = _predicate(match["s"], rf"to|{_VERB}|{_PARTICIPLE}|{_ADJECTIVE.pattern}")
    return _said("causal", "Causes/reasons", subject, predicate, _sentence(match.string))


def _effects(match: re.Match[str]) -> list[Aspect]:
    subject, predicate = match["s"], match.groupdict().get("rest") or ""
    if not predicate:
        subject, predicate = _predicate(subject, rf"{_AUXILIARY}|(?:{_VERB})(?:s|es)?|{_PARTICIPLE}")
    return _said("causal", "Effects/consequences", subject, predicate, _sentence(match.string))


def _use(match: re.Match[str]) -> list[Aspect]:
    rest = match.groupdict().get("rest") or ""
    return _said("application", "Uses/examples", match["s"], rest, _sentence(match.string) if rest else "")


def _verdict(match: re.Match[str]) -> list[Aspect]:
    said = (match.groupdict().get("p") or "").strip()
    return _said("evaluation", "Advantages/disadvantages", match["s"], said, _sentence(match.string) if said else "")


def _steps(match: re.Match[str]) -> list[Aspect]:
    return _said("process", "Process/mechanism", match["s"], match.groupdict().get("rest") or "", "")


def _what_is(match: re.Match[str]) -> list[Aspect]:
    plural = match["aux"].lower() in {"are", "were", "'re"}
    return _definitions(_things(match["s"], "and") if plural else [_bare(match["s"])])


def _compared(match: re.Match[str]) -> list[Aspect]:
    groups = match.groupdict()
    phrase = f"{groups['s']} and {groups['t']}" if groups.get("t") else groups["s"]
    purpose = re.search(r"\bfor\s+.+$", groups.get("for") or "", re.I)
    return _comparison(phrase, groups.get("q") or (purpose.group() if purpose else ""))


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], list[Aspect]]]
_CHOOSE = r"(?:better|best|faster|slower|cheaper|safer|older|larger|bigger|more \w+|preferable|to (?:choose|use|prefer|pick))"


def _rules(*rows: tuple[str, Callable[[re.Match[str]], list[Aspect]]]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern, re.I), make) for pattern, make in rows)


_RULES = _rules(
    # comparison
    (r"\b(?:differences?|similarit(?:y|ies)|distinctions?|comparisons?|contrasts?)\b.*?\b(?:between|among|of)\s+(?P<s>.+?)(?:\s+(?:is|are|was|were))?$", _compared),
    (r"^(?:compare|contrast|comparing|compare and contrast|distinguish(?: between)?|differentiate(?: between)?)\s+(?P<s>.+)$", _compared),
    (r"^how\s+(?:(?:do|does|did|would|can)\s+)?(?P<s>\S.*?)\s+(?:compares?|differs?|diverges?|var(?:y|ies)|stacks? up)\s*(?:to|from|with|against)?\s+(?P<t>(?!in\b|for\b).+)$", _compared),
    (r"^how\s+(?:do|does|did|are|were)?\s*(?P<s>.+?(?:\band\b|,).+?)\s+(?:compares?|differs?|different|similar|alike|related)(?P<q>\s+.+)?$", _compared),
    (r"^(?:how|in what way|why)\s+(?:is|are|was|were)\s+(?P<s>.+?)\s+(?:different|distinct|distinguished|unlike|dissimilar)\s+(?:from|to|than)\s+(?P<t>.+)$", _compared),
    (r"^how\s+(?P<s>.+?)\s+(?:is|are|was|were)\s+(?:different|distinct|distinguished)\s+(?:from|to|than)\s+(?P<t>.+)$", _compared),
    (r"^what\s+(?:makes|made|sets|distinguishes|separates|differentiates)\s+(?P<s>.+?)\s+(?:apart\s+|different\s+)?from\s+(?P<t>.+)$", _compared),
    (r"^(?:which|what|who|whose)\b(?P<for>.*?)(?:[,:]|\bbetween)\s*(?P<s>[^,:]+(?:,[^,:]+)*?,?\s+or\s+.+)$", _compared),
    (r"^(?P<s>[^?]+?\bor\b[^?]+?)\s*[,:–—]\s*(?:which|what)\b(?P<for>.*)$", _compared),
    (r"^(?:which|what) of\s+(?P<s>.+?(?:and|or).+?)\s+(?:is|are|was|were|has|have|should|would|does|do)\b.*$", _compared),
    (r"^(?:should|shall|must|would|do)\s+(?:i|we|you|one|they)\s+(?:rather\s+)?(?:\w+\s+)(?P<s>.+?\sor\s.+)$", _compared),
    (r"^(?:choos\w+|decid\w+|pick\w*|the choice)\s+between\s+(?P<s>.+)$", _compared),
    (r"^(?:is|are|was|were|does|do|did)\s+(?P<s>.+?)\s+(?:\w+\s+)?(?:better|worse|faster|slower|safer|cheaper|stronger|larger|smaller|older|more\s+\w+|less\s+\w+)\s+than\s+(?P<t>.+)$", _compared),
    (r"^(?:what is |what are )?(?P<s>.+?(?:\s(?:vs\.?|versus)\s|\s+(?:as )?(?:compared|opposed|in contrast|relative)\s+(?:to|with)\s).+)$",
     lambda m: _comparison(re.sub(r"\s+(?:as )?(?:compared|opposed|in contrast|relative)\s+(?:to|with)\s+", " vs ", m["s"], flags=re.I))),
    (r"^(?P<s>(?!(?:is|are|was|were|do|does|did|can|should|will|has|have|if|whether)\b)[^,]+(?:,[^,]+)*,?\s+or\s+\S+(?:\s\S+){0,3})$", _compared),
    # facets named by a noun
    (rf"^(?:what\s+(?:{_BE}|were)\s+|(?:list|give|name|state|discuss|define|consider|weigh|analy[sz]e|evaluate|assess)\s+(?:me\s+|us\s+)?)?(?P<facets>{_FACET_LIST})\s+(?:of|behind|for|to using|in using|from|associated with|related to|with|in|by which)\s+(?:using\s+)?(?P<s>.+)$", _facets),
    (rf"^(?:what\s+(?:{_BE})\s+|(?:list|give|name|discuss)\s+)?(?P<s>.+?)'s?\s+(?P<facets>(?:[\w-]+\s+)?{_FACET_LIST})$", _facets),
    (rf"^(?:what|which|how (?:big|great|large|strong))\s+(?:{_LOOSE}|an?\s+)*(?:effects?|impacts?|influence|consequences|role)\s+(?:does|do|did|has|have|can|will|is)\s+(?P<s>.+?)\s+(?P<rest>(?:have|had|play|played|on|in)\b.*)$", _effects),
    (rf"^what\s+(?P<facets>{_FACET_LIST})\s+(?:does|do|did|has|have|can|will|could)\s+(?P<s>.+?)\s+(?:have|had|play|played|bring|offer|provide|serve)\b.*$", _facets),
    (rf"^what\s+(?:are|were|is)\s+(?P<facets>{_FACET_LIST})\s+(?:when|if)\s+(?P<s>.+)$", _facets),
    (rf"^(?P<s>(?!what|how|why|which|who|when|where)\S.*?)\s+(?P<facets>{_FACET_LIST})$", _facets),
    # evaluation
    (r"^how\s+(?P<p>good|effective|safe|reliable|efficient|accurate|useful|successful|dangerous|harmful|robust|sustainable|bad|well)\s+(?:is|are|was|were|does|do|did)\s+(?P<s>.+?)(?:\s+(?:work|perform|do))?$", _verdict),
    (r"^(?:is|are|was|were)\s+(?P<s>.+?)\s+(?P<p>(?:good|bad|worth|safe|effective|reliable|efficient|useful|harmful|dangerous|worthwhile|sustainable|overrated|healthy|ethical)\b.*)$", _verdict),
    (r"^(?:should|shall)\s+(?:i|we|you|one|people|anyone)\s+(?P<p>\w+)\s+(?P<s>.+)$", _verdict),
    (r"^(?:evaluate|assess|critici[sz]e|critique|review|judge)\s+(?P<s>.+)$", _verdict),
    # application
    (r"^what\s+(?:is|are|was|were|can|could)\s+(?P<s>.+?)\s+(?:be\s+)?(?:mainly\s+|commonly\s+|mostly\s+|usually\s+|often\s+)?(?:used|good|useful|suited|employed|needed)\s+(?:for|to|in)\b(?:\s+(?P<rest>.+))?$", _use),
    (r"^(?:what|where)\s+(?:is|are|was|were|can|could|do we|do people)\s+(?P<s>.+?)\s+for$", _use),
    (r"^(?:how|where|when|by whom)\s+(?:is|are|was|were|can|could|should|has|have)\s+(?P<s>.+?)\s+(?:be\s+|been\s+)?(?:used|applied|employed|deployed|put to use)(?:\s+(?P<rest>.+))?$", _use),
    (r"^(?:how|where|when)\s+(?P<s>.+?)\s+(?:is|are|was|were|can be|could be|should be)\s+(?:used|applied|employed)(?:\s+(?P<rest>.+))?$", _use),
    (r"^who\s+uses?\s+(?P<s>.+)$", _use),
    (r"^(?:what|which)\s+(?:\w+\s+)?(?:uses|applications|examples)\b.*?\b(?:of|for|does|do)\s+(?P<s>.+?)(?:\s+have)?$", _use),
    # causal
    (r"^(?:why|how come)\s+(?:(?P<aux>is|are|was|were|isn't|aren't|wasn't|weren't|does|do|did|don't|doesn't|didn't|has|have|had|can|can't|could|should|would|will)\s+)?(?P<rest>.+)$", _why),
    (r"^what\s+(?:\w+ly\s+)?(?:causes?|caused|triggers?|triggered|drives|drove|led to|leads to|makes|made|explains|explained|damages|damaged|destroys|destroyed|harms|threatens|provokes|is causing|are causing|brings about|brought about|gives rise to|gave rise to|contributes to|contributed to|is responsible for|motivated)\s+(?P<s>.+)$", _causes),
    (r"^what\s+(?:is|are|was|were)\s+(?P<s>.+?)\s+(?:caused|triggered|driven)\s+by$", _causes),
    (r"^(?:for )?(?:what|which)\s+reasons?\s+(?:is|are|was|were|does|do|did|has|have)?\s*(?P<s>.+)$", _causes),
    (r"^what\s+happen(?:s|ed)\s+(?:when|if|to|after|as a result of)\s+(?P<s>.+)$", _effects),
    (r"^how\s+(?:(?:does|do|did|has|have|can|could|will|would|might|is|are)\s+)?(?P<s>.+?)\s+(?P<rest>(?:affect|influenc|impact|harm|damag|threaten)(?:e|s|es|ed|ing)?\b.*)$", _effects),
    (r"^how\s+(?:(?:does|do|did|has|have|can|could|will|would|might)\s+)(?P<s>.+?)\s+(?P<rest>(?:benefit|chang|shap|transform)(?:e|s|es|ed)?\s.*)$", _effects),
    # process
    (r"^how\s+(?:(?P<aux>does|do|did|can|could|will|would)\s+)?(?P<s>.+?)\s+(?:actually |really |exactly )?(?:work|function|operate|happen|occur|take place|come about)(?:s|es|ed)?(?P<rest>\s+.+)?$", _works),
    (r"^what\s+happen(?:s|ed)\s+(?:during|in|inside|at)\s+(?P<s>.+)$", _steps),
    (r"^what\s+(?:does|do|did)\s+(?P<s>.+?)\s+do$", _steps),
    (r"^(?:how|ways?|methods?|steps)\s+to\s+(?P<s>.+)$", _steps),
    (r"^(?P<s>.+?)(?:,)?\s+(?:step[- ]by[- ]step|explained step by step|in steps)$", lambda m: _read(m["s"]) if re.match(r"how|what|why", m["s"], re.I) else _steps(m)),
    (r"^(?:in\s+(?:what|which)\s+ways?|by\s+what\s+means|through\s+what\s+(?:process|mechanism))\s+(?:(?P<aux>does|do|did|is|are|was|were|can|could|has|have)\s+)?(?P<rest>.+)$", _how),
    (r"^how\s+(?!many\b|much\b|old\b|long\b|far\b|tall\b|often\b|big\b|large\b|high\b|deep\b|fast\b|heavy\b|wide\b)(?:(?P<aux>is|are|was|were|does|do|did|can|could|has|have|had|should|will|would|might)\s+)?(?P<rest>.+)$", _how),
    # definition
    (r"^what\s+(?:does|do|did)\s+(?:the\s+(?:word|term|phrase|name|acronym|abbreviation)\s+)?(?P<s>.+?)\s+(?:mean|stand for|refer to|denote|signify)$", lambda m: _definitions([_bare(m["s"])])),
    (r"^what\s+(?:is|do (?:you|we|people|they))\s+(?:meant|mean|understood|understand)\s+by\s+(?P<s>.+)$", lambda m: _definitions([_bare(m["s"])])),
    (r"^define\s+(?P<s>.+)$", lambda m: _definitions(_things(m["s"], "and"))),
    (r"^what\s+(?:kind|type|sort)s?\s+of\s+(?:a\s+)?(?:\w+\s+)?(?:is|are|was|were)\s+(?P<s>.+)$", lambda m: _definitions([_bare(m["s"])])),
    (r"^(?:what|who)\s*(?P<aux>is|are|was|were|'s|'re)\s+(?:exactly\s+|actually\s+|really\s+)?(?!being\b|known\b|done\b|believed\b|said\b|there\b)(?P<s>.+)$", _what_is),
    (r"^(?:what|who)\s+(?P<s>(?!\w+\s+(?:is|are)\b.*\b(?:is|are)$).+?)\s+(?:actually\s+|really\s+)?(?:is|are|was|were|means?|stands? for|refers? to)$", lambda m: _definitions([_bare(m["s"])])),
    (r"^(?P<s>.+?)\s+(?:is|are)\s+what(?:\s+exactly)?$", lambda m: _definitions([_bare(m["s"])])),
)  # fmt: skip


def _read(clause: str) -> list[Aspect]:
    """Read one clause by the first rule that fits; what none fits is a topic of its own."""
    clause = clause.strip(" ?!.,;:")
    for pattern, make in _RULES:
        if (match := pattern.search(clause)) and (found := make(match)):
            return found
    bare = _bare(clause)
    if _is_noun(clause):
        return _definitions([bare])
    return [Aspect(f"Topic: {bare}", "definition", 1.0, (), _content(clause) or (bare,), _sentence(clause))] if bare else []


def _is_noun(clause: str) -> bool:
    words = clause.lower().split()
    asking = r"what|how|why|which|who|whom|whose|when|where|whether|if"
    finite = any(re.fullmatch(rf"{_AUXILIARY}|{asking}", w) for w in words)
    return len(words) <= _LONGEST_NOUN and not finite
