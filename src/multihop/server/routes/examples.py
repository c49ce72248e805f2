"""Example questions: those of the sample corpus, or questions generated from links, tables, headings and years."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import Request
from pydantic import BaseModel

from multihop.answering.tables import cells_of
from multihop.engine import Engine
from multihop.protocols import View
from multihop.server.router import router
from multihop.server.schemas import IndexName
from multihop.server.service import served_index, service_of
from multihop.testing import sample_questions
from multihop.text import STOPWORDS, words
from multihop.text.units import SEPARATOR
from multihop.types import Passage

_OFFERED = ("q01", "q31", "q43", "q10", "q16", "q50")
"""Two-, three- and four-hop chains, a claim, a comparison, a question with several aspects."""

_MAX_DOCUMENTS = 300
"""Maximum documents that questions are generated from."""
_MAX_PASSAGES = 5
"""Maximum passages of each."""
_PER_KIND = 2
_LONGEST_TITLE = 60
_FILE_NAME = re.compile(r"[_/\\|{}<>]|\.\w{2,4}$")
_NUMBERING = re.compile(r"^\d{1,2}(?:\.\d+)*[.)]?\s+")
_PARENTHESES = re.compile(r"\s*\([^)]*\)")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_VERBS = (
    "adopted", "born", "built", "closed", "discovered", "established", "founded", "launched", "opened", "published",
    "signed", "written",
)  # fmt: skip
_EVENT = re.compile(
    r"\b(?:[Tt]he )?(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*) was "
    rf"(?P<verb>{'|'.join(_VERBS)})\b"
    rf"[^.;\n]*?{_YEAR.pattern}"
)
_NO_NOUNS = STOPWORDS.union(_VERBS, ("since",))
"""First words of columns such as "Who" and "Built", of which nothing can be the who or the built."""
_ENGLISH = frozenset(("the", "of", "and", "in", "to", "a", "is", "was", "for", "on", "at", "with"))
_ENGLISH_SHARE = 0.12
_SAMPLED = 400
"""Characters of each passage that are looked at for the language."""

routes = router("read", prefix="/v1/indexes/{index}", tags=["questions"])


class ExampleOut(BaseModel):
    """A claim or question, its type, and its number of hops."""

    text: str
    kind: str
    type: str
    hops: int


class ExamplesOut(BaseModel):
    """Questions that the index can answer; none if nothing in it suggests one."""

    examples: list[ExampleOut]


@routes.get("/examples", response_model=ExamplesOut, summary="Get example questions")
async def examples(index: IndexName, request: Request) -> dict[str, Any]:
    """Return questions this index has evidence for: curated for the sample, else generated from it."""
    engine = served_index(request, index).engine
    return {"examples": await service_of(request).look_up(lambda: _from_sample(engine) or _generate_questions(engine))}


def _from_sample(engine: Engine) -> list[dict[str, Any]]:
    known = {q.id: q for q in sample_questions()}
    there = engine.store.view().passages_of({d for id in _OFFERED for d in known[id].gold}, 1)
    return [
        {"text": q.text, "kind": q.kind, "type": q.type, "hops": q.hops}
        for q in (known[id] for id in _OFFERED)
        if all(there.get(document) for document in q.gold)
    ]


def _generate_questions(engine: Engine) -> list[dict[str, Any]]:
    """Generate questions that passages of the index answer: about connections, rows, events, sections and years.

    The wording is English, so an index in another language has none.
    """
    view = engine.store.view()
    titles = {d.id: d.title for d in engine.store.documents("", "", _MAX_DOCUMENTS) if _is_presentable(d.title)}
    ids = view.passages_of(titles, _MAX_PASSAGES)
    passages = view.passages([id for of in ids.values() for id in of])
    if not _is_english(p.text for p in passages.values()):
        return []
    by_kind = [
        _connections(view, {id: title for id, title in titles.items() if _is_name(title)}),
        _rows(passages.values()),
        _events(passages.values()),
        _sections(passages.values(), titles),
    ]
    # The vaguest last, and only where there are too few others.
    years = _years(passages.values(), titles)[:_PER_KIND]
    chosen = [example for kind in by_kind for example in kind[:_PER_KIND]]
    spare = [example for kind in by_kind for example in kind[_PER_KIND:]]
    return [*chosen, *years, *spare][: len(_OFFERED)]


def _connections(view: View, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Ask about the connection of two linked documents, through a third if possible, that share no word."""
    links = _unambiguous_links(view, titles)
    made: list[dict[str, Any]] = []
    for first, second in links.items():
        third = links.get(second, first)
        far = third not in (first, second)
        last = third if far else second
        if not set(words(titles[first])) & set(words(titles[last])):
            made.append(_example(f"What connects {titles[first]} with {titles[last]}?", "bridge", 2 + far))
    return sorted(made, key=lambda example: -example["hops"])


def _rows(passages: Iterable[Passage]) -> list[dict[str, Any]]:
    """Ask for a cell of a row about something with a name, one question for each document."""
    made: dict[str, dict[str, Any]] = {}
    for passage in passages:
        cells = cells_of(next((line for line in passage.text.splitlines() if SEPARATOR in line), ""))
        named = len(cells) > 1 and cells[0].value[:1].isupper() and _is_presentable(cells[0].value)
        columns = (_PARENTHESES.sub("", cell.column) for cell in cells[1:])
        if named and (column := next(filter(_is_noun, columns), "")):
            text = f"What is the {column.lower()} of {cells[0].value}?"
            made.setdefault(passage.document_id, _example(text, "table", 1))
    return list(made.values())


def _events(passages: Iterable[Passage]) -> list[dict[str, Any]]:
    """Ask when something was built, founded or born, one question for each document."""
    made: dict[str, dict[str, Any]] = {}
    for passage in passages:
        for event in _EVENT.finditer(passage.text):
            if event["name"].lower() not in STOPWORDS:
                the = "the " if event.group().lower().startswith("the ") else ""
                text = f"When was {the}{event['name']} {event['verb']}?"
                made.setdefault(passage.document_id, _example(text, "date", 1))
    return list(made.values())


def _sections(passages: Iterable[Passage], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Ask what a document says in one of its sections, or what a heading asks, one question for each document."""
    made: dict[str, dict[str, Any]] = {}
    for passage in passages:
        section = _NUMBERING.sub("", passage.heading.rpartition(" > ")[2].strip())
        known = set(words(titles[passage.document_id]))
        if _is_presentable(section) and len(words(section)) > 1 and not set(words(section)) & known:
            title = _quoted(titles[passage.document_id])
            text = section if section.endswith("?") else f"What does {title} say about {section}?"
            made.setdefault(passage.document_id, _example(text, "section", 1))
    return list(made.values())


def _years(passages: Iterable[Passage], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Ask about a year that the opening of a document in prose mentions."""
    made = []
    for passage in passages:
        year = _YEAR.search(passage.text)
        if passage.position == 0 and year and SEPARATOR not in passage.text and not _EVENT.search(passage.text):
            text = f"What happened in {year.group()}, according to {_quoted(titles[passage.document_id])}?"
            made.append(_example(text, "date", 1))
    return made


def _example(text: str, type: str, hops: int) -> dict[str, Any]:
    return {"text": text, "kind": "question", "type": type, "hops": hops}


def _is_presentable(title: str) -> bool:
    """Return whether a title can be part of a question: short, in words, no file name."""
    return 2 < len(title) <= _LONGEST_TITLE and any(map(str.isalpha, title)) and _FILE_NAME.search(title) is None


def _is_noun(column: str) -> bool:
    """Return whether "the COLUMN of" something can be asked for."""
    return _is_presentable(column) and not any(map(str.isdigit, column)) and words(column)[0] not in _NO_NOUNS


def _is_name(title: str) -> bool:
    """Return whether a title reads as a name in a sentence: it is capitalized throughout."""
    return all(word in STOPWORDS or not word[0].islower() for word in title.split())


def _quoted(title: str) -> str:
    return title if _is_name(title) else f"“{title}”"


def _is_english(texts: Iterable[str]) -> bool:
    sampled = [word for text in texts for word in words(text[:_SAMPLED])]
    return sum(word in _ENGLISH for word in sampled) >= len(sampled) * _ENGLISH_SHARE > 0


def _unambiguous_links(view: View, titles: Mapping[str, str]) -> dict[str, str]:
    """Map each document to one that its first passage mentions by an unambiguous name."""
    source = {ids[0]: document for document, ids in view.passages_of(titles, 1).items() if ids}
    targets: dict[str, str] = {}
    for link in view.links_from(sorted(source)):
        document = source[link.source]
        # An ambiguous name would make a question with several answers.
        if link.ambiguity == 1 and link.target in titles and link.target != document:
            targets.setdefault(document, link.target)
    return targets
