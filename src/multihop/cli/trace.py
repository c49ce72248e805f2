"""How a trace is shown: a tree of the plan, of every hop, and of why it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.text import Text
from rich.tree import Tree

from multihop.engine import Engine
from multihop.rendering.phrases import counted, one_line, passage_name
from multihop.types import Coverage, Found, Hop, LmCall, Plan, Replacement, Result, Trace

_QUERY = 81
_GUIDE = "dim"

Names = Mapping[str, str]
"""What each passage of a trace is called."""


def trace_tree(result: Result, engine: Engine) -> Tree:
    """Show how the evidence of a result came together."""
    trace = result.trace
    names = _names(trace, engine)
    tree = Tree(_heading(trace), guide_style=_GUIDE)
    planned = tree.add(Text("plan", "bold"))
    _add_plan(planned, trace.plan)
    _add_calls(planned, trace, 0)
    for hop in trace.hops:
        branch = tree.add(_hop_heading(hop))
        _add_calls(branch, trace, hop.number)
        _add_hop(branch, hop, names)
    for note in trace.notes:
        tree.add(_labeled("note", note))
    if trace.hops:
        last = trace.hops[-1]
        tree.add(Text.assemble((f"stopped after hop {last.number}: ", "bold"), last.decision.reason))
    return tree


def _names(trace: Trace, engine: Engine) -> dict[str, str]:
    ids = {id for hop in trace.hops for id in (*hop.entered, *hop.left)}
    ids |= {hit.passage_id for hop in trace.hops for found in hop.found for hit in found.top}
    ids |= {id for hop in trace.hops for swap in hop.replaced for id in (swap.out, swap.into)}
    passages = engine.store.view().passages(sorted(ids))
    # Passages of one document share its title, so the later ones carry their position.
    return {
        id: f"{passage_name(p)} #{p.position}" if p.title and p.position else passage_name(p)
        for id, p in passages.items()
    }


def _heading(trace: Trace) -> Text:
    strategy = str(trace.strategy.get("name", "?"))
    model = f", language model {one_line(trace.lm)}" if trace.lm else ""
    prompts = trace.strategy.get("prompts", {}).get("Prompts", {}).get("digest", "")
    model += f", prompts {prompts}" if prompts else ""
    return Text.assemble(("trace", "bold"), (f"  strategy {strategy}{model}, {trace.seconds * 1000:.1f} ms", "dim"))


def _add_plan(branch: Tree, plan: Plan) -> None:
    entities = ", ".join(f"{one_line(e.text)} ({e.kind})" for e in plan.entities)
    branch.add(_labeled("entities", entities or "none"))
    for question in plan.sub_questions:
        branch.add(_labeled("sub-question", one_line(question)))
    for aspect in plan.aspects:
        weight = "core" if aspect.core else "optional"
        branch.add(_labeled("aspect", f"{one_line(aspect.text)} ({aspect.type}, {weight})"))
    for fact in plan.facts:
        branch.add(_labeled("to verify", one_line(fact)))
    for note in plan.notes:
        branch.add(_labeled("note", note))


def _add_calls(branch: Tree, trace: Trace, hop: int) -> None:
    for call in trace.lm_calls:
        if call.hop == hop:
            branch.add(_labeled("language model", _call(call), "yellow" if call.problem else ""))


def _call(call: LmCall) -> str:
    spent = f"{call.tokens_in} + {call.tokens_out} tokens, {call.seconds * 1000:.0f} ms"
    again = f", {call.attempts} attempts" if call.attempts > 1 else ""
    return f"{call.step}: {call.outcome}{f' ({call.problem})' if call.problem else ''}, {spent}{again}"


def _hop_heading(hop: Hop) -> Text:
    milliseconds = sum(hop.seconds.values()) * 1000
    queries = "1 query" if len(hop.found) == 1 else f"{len(hop.found)} queries"
    said = f"  {queries}, {counted(hop.pool, 'candidate')}, {milliseconds:.1f} ms"
    return Text.assemble((f"hop {hop.number}", "bold"), (said, "dim"))


def _add_hop(branch: Tree, hop: Hop, names: Names) -> None:
    for found in hop.found:
        branch.add(_query(found, names))
    branch.add(_labeled("entered", _named(hop.entered, names), "green" if hop.entered else ""))
    if hop.left:
        branch.add(_labeled("left", _named(hop.left, names), "yellow"))
    for swap in hop.replaced:
        branch.add(_labeled("replaced", _swap(swap, names)))
    branch.add(_coverage(hop.coverage_before, hop.coverage_after))
    for note in hop.notes:
        branch.add(_labeled("note", note))
    stages = ", ".join(f"{stage} {seconds * 1000:.1f}" for stage, seconds in hop.seconds.items())
    if hop.seconds:
        branch.add(_labeled("time", f"{stages} ms"))
    branch.add(_labeled("decision", f"{'stop' if hop.decision.stop else 'go on'} ({hop.decision.reason})"))


def _query(found: Found, names: Names) -> Text:
    counts = ", ".join(f"{count} {channel}" for channel, count in found.counts.items())
    best = _named(dict.fromkeys(hit.passage_id for hit in found.top), names)
    return Text.assemble(
        (f"“{one_line(found.query.text, _QUERY)}”", "cyan"),
        ("\nfor: ", "dim"), one_line(found.query.purpose),
        ("\nfound: ", "dim"), f"{counts or 'nothing'}; {found.new} new",
        ("\nbest: ", "dim"), best,
    )  # fmt: skip


def _coverage(before: Coverage, after: Coverage) -> Text:
    missing = ", ".join(one_line(t.name) for t in after.missing)
    # Before the first hop there are no targets yet, which must not read as if all were covered.
    share = before.fraction if before.targets else 0.0
    change = f"{share:.0%} → {after.fraction:.0%}" if after.targets else "nothing to check"
    return _labeled("coverage", f"{change}; still missing: {missing}" if missing else change)


def _swap(swap: Replacement, names: Names) -> str:
    return f"{names.get(swap.out, swap.out)} by {names.get(swap.into, swap.into)}: {swap.reason}"


def _named(ids: Iterable[str], names: Names) -> str:
    return ", ".join(names.get(id, id) for id in ids) or "nothing"


def _labeled(label: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{label}: ", "dim"), (text, style))
