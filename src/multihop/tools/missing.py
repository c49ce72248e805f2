"""What of a question some passages do not cover, and where they lead: the next step of an agent in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from multihop import text
from multihop.engine import Engine
from multihop.errors import UnknownName
from multihop.parts.assessors import EntityAssessor
from multihop.parts.planners import RulePlanner
from multihop.protocols import Context, Index, Lookup, State
from multihop.protocols.arguments import check_arguments
from multihop.rendering.phrases import one_line
from multihop.rendering.tokens import Tokenizer, estimate_tokens
from multihop.types import Candidate, Choice, Passage, Request, Selection, Where, plain

_LEADS = 3
_NAMES = 40
"""Names per passage that are followed."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A document that the passages mention and that matches what is missing."""

    document_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Missing:
    """What of a question is covered, what is not, and where to look."""

    question: str
    names: tuple[str, ...]
    """What the question names and no passage speaks of."""
    words: tuple[str, ...]
    """Content words of the question that no passage uses."""
    leads: tuple[Lead, ...]

    @property
    def text(self) -> str:
        """All of it on one line."""
        said = [f"not covered: {', '.join(self.names)}"] if self.names else []
        said += [f"words not found: {', '.join(self.words)}"] if self.words else []
        said += (
            ["leads: " + ", ".join(f"{each.title} ({each.document_id})" for each in self.leads)] if self.leads else []
        )
        return "; ".join(said) or "everything the question names is covered"

    def to_dict(self) -> dict[str, Any]:
        """Turn it into plain values."""
        return {**plain(self), "text": self.text}


def missing(
    engine: Engine,
    question: str,
    passages: Iterable[str],
    *,
    where: Where | None = None,
    tokens: int = 100,
    count: Tokenizer = estimate_tokens,
) -> Missing:
    """Return what these passages, given by id, do not cover of a question, in at most `tokens` tokens."""
    check_arguments(locals())
    question = Request(question).question
    ids = list(dict.fromkeys(passages))
    index = engine.index(where, as_of=None)
    known = index.passages.passages(ids)
    if unknown := [id for id in ids if id not in known]:
        raise UnknownName(f"passage {unknown[0]!r:.80} not found; give ids of passages, such as fram-ship#0")
    held = [known[id] for id in ids]
    names = _uncovered_names(question, held, index)
    words = _unused_words(question, held, names)
    missing = Missing(question, names, words, _leads(question, words, held, index))
    while count(missing.text) > tokens and (missing.leads or missing.words or missing.names):
        # Leads can be found again by search; what is missing cannot.
        if missing.leads:
            missing = Missing(question, missing.names, missing.words, missing.leads[:-1])
        elif missing.words:
            missing = Missing(question, missing.names, missing.words[:-1], ())
        else:
            missing = Missing(question, missing.names[:-1], (), ())
    return missing


def _uncovered_names(question: str, held: Sequence[Passage], index: Index) -> tuple[str, ...]:
    context = Context(index)
    plan = RulePlanner().plan(question, context)
    pool = {p.id: Candidate(p, {}, 1) for p in held}
    chosen = Selection(tuple(Choice(p.id, 0.0, "") for p in held))
    state = State(question, max(1, len(held)), plan, hop=1, pool=pool, selection=chosen)
    return tuple(one_line(t.name, 80) for t in EntityAssessor().assess(state, context).missing)


def _unused_words(question: str, held: Sequence[Passage], names: Sequence[str]) -> tuple[str, ...]:
    used = {term for p in held for term in text.terms(f"{p.title} {p.heading} {p.text}")}
    # Names that are missing are said already, and question words are never in an answer.
    said = {word for name in names for word in text.words(name)} | text.STOPWORDS | text.ASKING
    words = [w for w in text.words(question) if w not in said and not used.intersection(text.terms(w))]
    return tuple(dict.fromkeys(w for w in words if text.terms(w)))


def _leads(question: str, words: Sequence[str], held: Sequence[Passage], index: Index) -> tuple[Lead, ...]:
    """Follow the names in the passages to documents that are not there yet; those that match best come first."""
    if index.links is None or index.lexical is None or not held:
        return ()
    had = {p.document_id for p in held}
    # A name that few passages use says more.
    links = sorted(index.links.links_from([p.id for p in held], _NAMES), key=lambda x: (x.spread, x.name, x.target))
    targets = dict.fromkeys(link.target for link in links if link.target not in had and link.ambiguity == 1)
    first = index.passages.passages_of(targets, 1)
    within = [id for document in targets for id in first.get(document, ())]
    if not within:
        return ()
    # What is missing counts twice: the rest of the question is covered already.
    (ranked,) = index.lexical.lexical([Lookup(f"{question} {' '.join(words)}", _LEADS, within)])
    best = list(dict.fromkeys((*(id for id, _ in ranked), *within)))[:_LEADS]
    loaded = index.passages.passages(best)
    return tuple(Lead(loaded[id].document_id, one_line(loaded[id].label, 60)) for id in best if id in loaded)
