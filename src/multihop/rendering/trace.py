"""Description of a trace: plan, queries, hits, selection and decisions, worded the same in every output.

A description is a tree of entries; a terminal draws it, an assistant reads it as text, a report marks gold in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from multihop.rendering.phrases import one_line, pluralize
from multihop.types import Coverage, Found, Hop, LmCall, Plan, Trace

_QUERY = 81


@dataclass(frozen=True, slots=True)
class Entry:
    """A node of the tree: a label with text or passages, and the entries below it."""

    label: str
    text: str = ""
    passages: tuple[str, ...] = ()
    below: tuple[Entry, ...] = ()
    tone: Literal["", "good", "warning"] = ""
    kind: Literal["", "query", "moved", "replaced", "end"] = ""
    """For programs. A query has its text as `text`, and its purpose and hits below; passages move into or out of the
    budget; a replacement has the passage that left, the one that came, and the reason as `text`."""
    detail: bool = False
    """True for entries that a short description omits."""

    def content(self, name: Callable[[str], str] = str) -> str:
        """Return the text, the names of the passages, or both for a replacement."""
        if self.kind == "replaced":
            return f"{' by '.join(map(name, self.passages))}: {self.text}"
        return self.text or ", ".join(map(name, self.passages)) or "nothing"


def describe_trace(trace: Trace, *, question: str = "") -> Entry:
    """Describe how the evidence was found: the plan, every hop, degraded steps, and the stop reason.

    For readers who know the question, queries that repeat it are shown as “the question”.
    """
    below = [Entry("plan", below=(*_plan(trace.plan), *_calls(trace.lm_calls, 0)))]
    below += [describe_hop(hop, trace.lm_calls, question) for hop in trace.hops]
    below += [Entry("note", note.text) for note in trace.notes]
    if trace.hops:
        last = trace.hops[-1]
        below.append(Entry(f"stopped after hop {last.number}", last.decision.reason, kind="end"))
    model = f", language model {one_line(trace.lm)}" if trace.lm else ""
    prompts = trace.strategy.get("prompts", {}).get("Prompts", {}).get("digest", "")
    model += f", prompts {prompts}" if prompts else ""
    about = f"strategy {trace.strategy.get('name', '?')}{model}, {trace.seconds * 1000:.1f} ms"
    return Entry("trace", about, below=tuple(below))


def describe_hop(hop: Hop, calls: Iterable[LmCall] = (), question: str = "") -> Entry:
    """Describe one hop; `calls` are the language model calls of the whole question."""
    below = [*_calls(calls, hop.number), *(_query(found, question) for found in hop.found)]
    below.append(Entry("entered", passages=hop.entered, tone="good" if hop.entered else "", kind="moved"))
    if hop.left:
        below.append(Entry("left", passages=hop.left, tone="warning", kind="moved"))
    below += [Entry("replaced", swap.reason, (swap.out, swap.into), kind="replaced") for swap in hop.replaced]
    below.append(Entry("coverage", _coverage(hop.coverage_before, hop.coverage_after)))
    below += [Entry("note", note.text) for note in hop.notes]
    if hop.seconds:
        stages = ", ".join(f"{stage} {seconds * 1000:.1f}" for stage, seconds in hop.seconds.items())
        below.append(Entry("time", f"{stages} ms", detail=True))
    below.append(Entry("decision", f"{'stop' if hop.decision.stop else 'go on'} ({hop.decision.reason})"))
    size = f"{pluralize(len(hop.found), 'query', 'queries')}, {pluralize(hop.pool, 'candidate')}"
    return Entry(f"hop {hop.number}", f"{size}, {sum(hop.seconds.values()) * 1000:.1f} ms", below=tuple(below))


def as_lines(entry: Entry, limit: int | None = None) -> list[str]:
    """Format a short description as indented lines of text; passages are named by their ids."""
    if entry.detail:
        return []
    if entry.kind == "query":
        about = "; ".join(f"{e.label} {e.content()}" for e in entry.below if not e.detail)
        return [one_line(f"asked {entry.text} {about}", limit)]
    if entry.below:
        return [entry.label, *(f"  {line}" for below in entry.below for line in as_lines(below, limit))]
    return [one_line(f"{entry.label}: {entry.content()}", limit)]


def _plan(plan: Plan) -> list[Entry]:
    entities = ", ".join(f"{one_line(e.text)} ({e.kind})" for e in plan.entities)
    return [
        Entry("entities", entities or "none"),
        *(Entry("sub-question", one_line(question)) for question in plan.sub_questions),
        *(
            Entry("aspect", f"{one_line(a.text)} ({a.type}, {'core' if a.core else 'optional'})")
            for a in plan.aspects
        ),
        *(Entry("to verify", one_line(fact)) for fact in plan.facts),
        *(Entry("note", note.text) for note in plan.notes),
    ]  # fmt: skip


def _calls(calls: Iterable[LmCall], hop: int) -> list[Entry]:
    return [_call(call) for call in calls if call.hop == hop]


def _call(call: LmCall) -> Entry:
    spent = f"{call.tokens_in} + {call.tokens_out} tokens, {call.seconds * 1000:.0f} ms"
    again = f", {call.attempts} attempts" if call.attempts > 1 else ""
    problem = f" ({call.problem})" if call.problem else ""
    return Entry(
        "language model", f"{call.step}: {call.outcome}{problem}, {spent}{again}", tone="warning" if problem else ""
    )


def _query(answered: Found, question: str) -> Entry:
    counts = ", ".join(f"{count} {channel}" for channel, count in answered.counts.items())
    # Several channels may return the same passage.
    best = tuple(dict.fromkeys(hit.passage_id for hit in answered.top))
    below = (
        Entry("for", one_line(answered.query.purpose)),
        Entry("found", f"{counts or 'nothing'}; {answered.new} new"),
        Entry("best", passages=best, detail=True),
    )
    asked = answered.query.text
    shown = "the question" if question and asked == question else f"“{one_line(asked, _QUERY)}”"
    return Entry("query", shown, below=below, kind="query")


def _coverage(before: Coverage, after: Coverage) -> str:
    missing = ", ".join(one_line(t.name) for t in after.missing)
    # Before the first hop there are no targets yet, which must not read as full coverage.
    share = before.fraction if before.targets else 0.0
    change = f"{share:.0%} → {after.fraction:.0%}" if after.targets else "nothing to check"
    return f"{change}; still missing: {missing}" if missing else change
