"""Finds names in common clauses of contracts and terms of service: parties, providers, law and courts.

Law and courts follow fixed phrases; parties precede their defined terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from multihop import text
from multihop.survey.quantities import Value
from multihop.types import Passage

_PREAMBLE = 2500
"""Characters at the beginning of a contract that name its parties and its date."""
_RECITALS = re.compile(
    r"\b(?:W(?:HEREAS|hereas)|R(?:ECITALS?|ecitals?)|BACKGROUND|WITNESSETH|N(?:OW|ow),? (?i:therefore))\b"
)
_WORD = r"(?<!\w)[a-z]?[A-ZÀ-Þ][\w'’.&-]*"
_NAME = rf"{_WORD}(?:\s+(?:(?:of|and|the|&)\s+)*{_WORD}){{0,4}}"
_REGION = (
    r"(?i:(?:(?:federal\s+)?laws?\s+of\s+(?:the\s+)?)?(?:state|commonwealth|province|republic|canton|kanton)\s+of\s+)"
)
_GAP = r"(?:[^.;]|\.(?!\s))"
"""Any text within a sentence."""
_LAWS = (
    re.compile(
        rf"(?i:govern(?:ed|ing|s)?|constru\w*|interpret\w*|resolved|enforced?)\b{_GAP}{{0,220}}?\b(?i:laws?)\s+(?i:of|in)\s+(?i:the\s+)?"
        rf"(?:{_REGION})?(?P<name>{_NAME})"
    ),
    re.compile(rf"(?i:laws?\s+of\s+(?:the\s+)?)(?:{_REGION})?(?P<name>{_NAME}){_GAP}{{0,90}}?\b(?i:governs?\b|apply|applies)"),
    re.compile(rf"(?i:in|of)\s+(?i:the\s+)?{_REGION}(?P<name>{_NAME})[^.;]{{0,120}}?\b(?i:laws?\s+thereof)"),
    re.compile(
        rf"(?i:govern|constru|subject|accord|resolved)\w*[^.;]{{0,60}}?\b(?P<name>{_WORD}(?:\s+{_WORD})?\s+(?i:law))\b"
        rf"|(?P<other>{_WORD}\s+(?i:law))\s+(?i:governs|applies|shall|will)\b"
    ),
)  # fmt: skip
_COURTS = (
    re.compile(
        rf"(?i:courts?)\b[^.;]{{0,80}}?\b(?i:in|of|at|for)\s+(?i:the\s+)?(?:{_REGION})?(?P<name>{_NAME}(?:,\s+{_NAME})?)"
    ),
    re.compile(
        rf"\b(?i:jurisdiction|venue)\b(?!\s+(?i:other|to))[^.;]{{0,40}}?\b(?i:of|in|be)\s+(?i:the\s+)?(?:{_REGION})?(?P<name>{_NAME}(?:,\s+{_NAME})?)"
    ),
    re.compile(rf"\b(?i:instituted|brought|arbitrat|mediat)\w*{_GAP}{{0,200}}?\b(?i:in)\s+(?i:the\s+)?(?P<name>{_NAME}(?:,\s+{_NAME})?)"),
    re.compile(rf"\b(?i:of|in)\s+(?P<name>{_NAME}),?\s+(?i:whose\s+courts)\b|\b(?P<other>{_WORD})\s+(?i:courts)\b"),
)  # fmt: skip
_DISPUTES = re.compile(
    r"jurisdiction|venue|exclusive|dispute|proceeding|litigat|legal action|arbitrat|claims?\b", re.IGNORECASE
)
_NO_PLACES = frozenset(
    """agreement contract party parties company terms service services website websites site sites section article act
    licensee licensor buyer seller law laws court courts rules effective date this these such any all state trust fund
    no each the we you our your other transaction documents witness""".split()
)
_ENDS = frozenset(
    """without excluding regardless as applicable which except shall will for with notwithstanding other irrespective
    or unless applied including that is are have may in by to""".split()
)
_COMMON = re.compile(r"\b(?:AN?|ACTION|SECTION|EVENT|CONTRACT|CONNECTION|AGREEMENT|TERMS|PARTY|PARTIES|SUIT)\b")
_DEFINED = re.compile(
    r"hereinafter\s+(?:referred\s+to\s+as|called)\s+[“\"']"
    r"|\((?:[^()]|\([^()]*\)){0,200}?[“\"”'‘’]+\s*[A-Za-z][^()]{0,120}\)|\([A-Z][A-Z. ]{1,20}\)"
)
_DESCRIBED = re.compile(
    r",?\s+(?:an?|the|with|having|located|whose|acting|being|of|organized|incorporated|on|d/b/a|who)\s+(?=\w)|,\s+(?=a\s)|\d{2,}"
)
_LABELED = re.compile(
    r"^\W{0,4}(?:party\s+[A-Z]|licensor|licensee|buyer|seller|landlord|tenant|lessor|lessee|supplier|customer|client|contractor"
    r"|consultant|employer|employee|borrower|lender)\s*:\s*(?P<name>[A-Z][^\n:]{2,80})",
    re.IGNORECASE | re.MULTILINE,
)
_BETWEEN = re.compile(r"\b(?:between|among|entered\s+into\s+by)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:[\s,;:.]|an?\s+(?:[\w-]+\s+){1,5}?(?:corporation|company|partnership|trust|bank)\s*,|\b(?:and|by|whereas|among|between|with)\b"
    r"|the\s+(?=[A-Z])|the\s+(?:undersigned|following\s+parties|trustees\s+of))*",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"\s*(?P<one>{_NAME})(?:,[^;]{{0,120}}?)?\s+and\s+(?P<other>{_NAME})")
_NO_PARTY = re.compile(r"\b(?:agreement|section|exhibit|article|in addition)\b", re.IGNORECASE)
_OFFERED = (
    re.compile(
        rf"\b(?i:operated|provided|offered|run)\s+(?i:to\s+you\s+)?(?i:and\s+maintained\s+)?(?i:by)[:\s]+(?i:the\s+)?(?i:company:\s+)?"
        rf"(?P<name>{_NAME})"
    ),
    re.compile(rf"\b(?i:between\s+you\s+and)\s+(?i:the\s+)?(?P<name>{_NAME})"),
    re.compile(rf"(?P<name>{_NAME}),?[^().]{{0,90}}\((?:[^()]{{0,60}}\W)?(?i:we|us|our|the company|together)\W"),
    re.compile(rf"(?P<name>{_NAME})\s+\([“\"][^()]{{2,30}}[”\"]\)"),
    re.compile(rf"[“\"]\w+[”\"]\s+(?i:means|refers?\s+to)\s+(?P<name>{_NAME})"),
)  # fmt: skip


class Clause(NamedTuple):
    """A value and its position: the passage, and the span in its text."""

    passage: Passage
    start: int
    end: int
    value: Value


def flatten(passage: Passage) -> str:
    """Return the text of a passage with line ends and blank lines to fill in replaced by spaces."""
    return re.sub(r"[\s_]", " ", passage.text)


def _trim(name: str) -> str:
    """Truncate a name at a word that ends it, for sentences in capitals."""
    kept: list[str] = []
    for word in name.split():
        if word.strip(",.").lower() in _ENDS:
            break
        kept.append(word)
        # A full stop ends a sentence, unless it follows an abbreviation.
        if word.endswith(".") and len(word) > len("St."):
            break
    while kept and kept[-1].lower() in ("of", "and", "the", "&"):
        kept.pop()
    return " ".join(kept).strip(" .,’'")


def _find_names(
    patterns: Sequence[re.Pattern[str]], passages: Sequence[Passage], needs: re.Pattern[str] | None = None
) -> Iterator[Clause]:
    for pattern in patterns:
        for passage in passages:
            said = flatten(passage)
            for match in pattern.finditer(said):
                group = "name" if match["name"] else "other"
                name = _trim(match[group])
                # In capitals, anything looks like a name.
                if name.isupper() and len(name.split()) > 1 and _COMMON.search(name):
                    continue
                around = said[max(0, match.start() - 160) : match.end() + 160]
                if not name or text.words(name)[0] in _NO_PLACES or (needs and not needs.search(around)):
                    continue
                start = match.start(group)
                yield Clause(passage, start, start + len(match[group].rstrip()), Value(0, 0, name))


def governing_law(passages: Sequence[Passage]) -> Iterator[Clause]:
    return _find_names(_LAWS, passages)


def courts(passages: Sequence[Passage]) -> Iterator[Clause]:
    return _find_names(_COURTS, passages, _DISPUTES)


def provider(passages: Sequence[Passage]) -> Iterator[Clause]:
    return _find_names(_OFFERED, passages[:3])


def preamble(passages: Sequence[Passage]) -> Iterator[tuple[Passage, str]]:
    """Yield the text before the recitals, which mention other contracts."""
    room = _PREAMBLE
    for passage in passages:
        said = flatten(passage)[:room]
        recitals = _RECITALS.search(said)
        yield passage, said[: recitals.start()] if recitals else said
        room -= len(said)
        if recitals or room <= 0:
            return


def parties(passages: Sequence[Passage]) -> Iterator[Clause]:
    labeled = [(p, m) for p in passages[:4] for m in _LABELED.finditer(p.text)]
    if len(labeled) > 1:
        passage, first = labeled[0]
        names = dict.fromkeys(" ".join(m["name"].split()).strip(" ,;") for _, m in labeled)
        yield Clause(passage, first.start("name"), first.end("name"), Value(0, 0, ", ".join(names)))
    for passage, said in preamble(passages):
        between = _BETWEEN.search(said)
        spans = _defined_names(said, between.end()) if between else []
        if between and len(spans) < 2 and (plain := _PLAIN.match(said, between.end())):
            spans = [plain.span("one"), plain.span("other")]
        if len(spans) > 1:
            yield _join_names(passage, spans)
    for passage in passages[:1]:
        # Without "between", the names that come first.
        spans = _defined_names(flatten(passage)[:_PREAMBLE], 0, passage.text)[:2]
        if len(spans) > 1:
            yield _join_names(passage, spans)


def _defined_names(said: str, begin: int, printed: str = "") -> list[tuple[int, int]]:
    """Find the names of defined terms: "Aspen Mills, Inc., a Delaware corporation (the “Seller”)"."""
    names: list[tuple[int, int]] = []
    for defined in _DEFINED.finditer(said, begin):
        line = 0 if names else printed.rfind("\n", 0, defined.start()) + 1
        lead = _LEAD.match(said, max(begin, line), defined.start())
        first = lead.end() if lead else begin
        if said[first : first + 1].islower():
            joint = said.rfind(" and ", first, defined.start())
            first = joint + len(" and ") if joint > 0 else first
        cut = _DESCRIBED.search(said, first + 2, defined.start())
        last = first + len(said[first : cut.start() if cut else defined.start()].rstrip(" ,"))
        begin = defined.end()
        named = said[first:last]
        if re.match(r"[A-Z0-9]", named) and 2 < len(named) < 100 and not _NO_PARTY.search(named):
            names.append((first, last))
    return names


def _join_names(passage: Passage, spans: Sequence[tuple[int, int]]) -> Clause:
    names = dict.fromkeys(" ".join(passage.text[a:b].split()).strip(" ,;") for a, b in spans)
    return Clause(passage, spans[0][0], spans[-1][1], Value(0, 0, ", ".join(names)))
