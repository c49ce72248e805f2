"""The documented log of a question answered by its aspects: hop by hop, as soon as each is over."""

from __future__ import annotations

from multihop.rendering.phrases import capitalize, pluralize
from multihop.types import CORE, Hop, Query, Walk


def hop_log(hop: Hop, unit: str = "document") -> list[str]:
    """Describe one hop; the first one also lists the aspects that were identified. `unit` is what a retriever finds."""
    targets = hop.coverage_after.targets
    lines = [f"📋 Identified Aspects ({len(targets)}):"] if hop.number == 1 else []
    for number, target in enumerate(targets if lines else (), 1):
        core = "CORE" if target.importance >= CORE else "OPTIONAL"
        lines.append(f"  {number}. [{core}] {target.name} ({target.kind.removeprefix('aspect:')})")
    asked = [f.query for f in hop.found]
    queries = [f"[Hop {hop.number}] Subquery: {q.text}" for q in asked if isinstance(q, Query)]
    # A hop that only follows links has no sub-query, and still its line.
    lines += ["", *(queries or [f"[Hop {hop.number}]"])]
    lines += [f"  Followed: {q.purpose}" for q in asked if isinstance(q, Walk)]
    lines.append(f"  Found {pluralize(len(hop.entered), f'relevant {unit}')} (total: {len(hop.selected)})")
    missing = hop.coverage_after.missing
    if targets:
        share = 1 - len(missing) / len(targets)
        lines.append(f"  📊 Coverage: {share:.1%} ({pluralize(len(missing), 'aspect')} uncovered)")
    if missing:
        lines.append(f"  Uncovered: {[t.name for t in missing]}")
    return [*lines, f"  Decision: {'Stop' if hop.decision.stop else 'Continue'} - {capitalize(hop.decision.reason)}"]
