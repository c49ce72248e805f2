"""The report of a research: for each aspect what the evidence says of it, with citations, and what is not covered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from multihop.answering.lm import cited_statements, evidence_sentences
from multihop.parts.assessors.aspects import keyword_score
from multihop.protocols import Asker
from multihop.types import Aspect, Note, Result, Statement, Target, plain

_SENTENCES = 2
"""How many sentences are quoted for an aspect when no language model writes about it."""
_OFFERED = 40
_LEAST = 0.3
"""A second sentence is added when it speaks of the aspect at least so well."""

_TWO_NAMES = re.compile(r"^(\w+)/(\w+)(?= of )")
"""How the rules name an aspect: "Definition/explanation of …"."""


@dataclass(frozen=True, slots=True)
class Section:
    """One aspect of a question: what is said of it, by statements with quotes; none when it is not covered."""

    aspect: str
    heading: str
    """The aspect as a reader would put it: "Definition of tea"."""
    type: str
    covered: bool
    score: float
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class ResearchReport:
    """A short report, aspect by aspect; `notes` say what a language model could not do."""

    question: str
    sections: tuple[Section, ...]
    notes: tuple[Note, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    """The title of each passage cited, in the order of the citations."""

    @property
    def not_covered(self) -> tuple[str, ...]:
        """The aspects that the evidence does not speak of."""
        return tuple(s.aspect for s in self.sections if not s.covered)

    def to_dict(self) -> dict[str, Any]:
        """Turn the report into plain values."""
        return {**plain(self), "not_covered": list(self.not_covered)}

    def to_markdown(self) -> str:
        """Write the report as Markdown, the sources numbered in the order in which they are cited."""
        numbers = {id: place for place, id in enumerate(self.titles, 1)}
        lines = [f"# {self.question}", ""]
        for section in self.sections:
            if section.covered:
                lines += [f"## {section.heading}", "", *(_line(s, numbers) for s in section.statements), ""]
        if self.not_covered:
            lines += ["## Not covered", "", *(f"- {s.heading}" for s in self.sections if not s.covered), ""]
        if numbers:
            lines += ["## Sources", "", *(f"{numbers[id]}. {title} (`{id}`)" for id, title in self.titles.items()), ""]
        return "\n".join(lines)


def _line(statement: Statement, numbers: dict[str, int]) -> str:
    marks = "".join(f" [{numbers[id]}]" for id in dict.fromkeys(q.passage_id for q in statement.quotes))
    return f"{statement.text}{marks or ' (not supported by what was found)'}"


def report_of(result: Result, session: Asker | None = None) -> ResearchReport:
    """Write what the evidence says about each aspect that it covers, by a language model if there is one."""
    aspects = {a.text: a for a in result.trace.plan.aspects}
    targets = [t for t in result.coverage.targets if t.name in aspects]
    written, notes = _write_sections(targets, aspects, result, session) if session else ({}, ())
    sections = [
        Section(
            t.name,
            _heading(aspects[t.name]),
            t.kind.removeprefix("aspect:"),
            t.covered,
            round(t.score, 6),
            written.get(t.name) or (_quote_sentences(aspects[t.name], t, result) if t.covered else ()),
        )
        for t in targets
    ]
    cited = (q.passage_id for s in sections for statement in s.statements for q in statement.quotes)
    known = {e.passage.id: e.passage.title or e.passage.document_id for e in result}
    return ResearchReport(result.question, tuple(sections), notes, {id: known[id] for id in dict.fromkeys(cited)})


def _heading(aspect: Aspect) -> str:
    """Put an aspect in the words of the question, or by one name: "Definition of tea"."""
    if aspect.question:
        return aspect.question
    return _TWO_NAMES.sub(r"\1 and \2" if aspect.type == "evaluation" else r"\1", aspect.text)


def _quote_sentences(aspect: Aspect, target: Target, result: Result) -> tuple[Statement, ...]:
    """Choose the sentences of the evidence that speak best of an aspect, those of the passage that covers it first."""
    offered = evidence_sentences(result, (target.covered_by,))
    scored = [(keyword_score(aspect, o.title, o.quote.text), -place, o) for place, o in enumerate(offered)]
    best = sorted(scored, key=lambda found: found[:2], reverse=True)[:_SENTENCES]
    # The best is quoted however little it says: the aspect is covered, and this shows by what.
    told = [o.quote for place, (score, _, o) in enumerate(best) if not place or score >= _LEAST]
    return tuple(Statement(quote.text, (quote,)) for quote in told)


def _write_sections(
    targets: Sequence[Target], aspects: dict[str, Aspect], result: Result, session: Asker
) -> tuple[dict[str, tuple[Statement, ...]], tuple[Note, ...]]:
    """Ask a model for each covered aspect; what it says without support gives way to the sentences."""
    covered = [t for t in targets if t.covered]
    offered = {t.name: evidence_sentences(result, (t.covered_by,))[:_OFFERED] for t in covered}
    asked = {t.name: aspects[t.name].question or t.name for t in covered}
    answers = cited_statements(session, [(asked[t.name], offered[t.name]) for t in covered], len(result.trace.hops))
    written: dict[str, tuple[Statement, ...]] = {}
    notes = []
    for target, (statements, problem) in zip(covered, answers, strict=True):
        kept = tuple(s for s in statements if s.supported)
        if kept:
            written[target.name] = kept
        else:
            why = problem or "nothing that it cites supports what it says"
            text = f"language model, report, {target.name}: {why}; sentences are quoted instead"
            notes.append(Note("section-quoted", {"aspect": target.name, "problem": why}, text))
    return written, tuple(notes)
