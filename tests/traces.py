"""Golden traces in their compact form: one JSON line for the plan, each hop, each piece of evidence and the end.

Passages stand there by id and scores are rounded, so that a line says what was asked, found, chosen and decided, and
why; texts of passages and the parts of the strategy, which are the same in every trace, stand elsewhere.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from multihop.types import Coverage, Evidence, Found, Hop, Query, Result, Walk
from multihop.types.plain import plain

GOLDEN = Path(__file__).parent / "golden"
REWRITE = "MULTIHOP_GOLDEN=write python -m pytest tests/test_golden.py"
_SHOWN = 40
"""How many differences a failure prints: the first ones tell where it went another way, the rest follow from them."""

_FREE = ("strategy", "scores", "metadata", "counts", "seconds")
"""Mappings whose keys a strategy, a searcher or a corpus chooses: they are no fields of the format."""

_SCORE = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")

Row = dict[str, Any]


def rows(name: str, result: Result) -> Iterator[Row]:
    """Tell a result in rows, in the order in which things happened."""
    yield {"question": name, "k": result.k, "plan": _filled(plain(result.trace.plan))}
    for hop in result.trace.hops:
        yield _hop(hop, result.question)
    for evidence in result.evidence:
        yield _evidence(evidence)
    end = {"fraction": round(result.coverage.fraction, 6), "short": result.short, "where": plain(result.where)}
    calls = [
        f"{c.step} at {c.hop}, {c.attempts} tried, {c.tokens_in}+{c.tokens_out}: {c.problem or 'ok'}"
        for c in result.trace.lm_calls
    ]
    notes = plain(result.trace.notes)
    yield {"end": name, **_filled({**end, "notes": notes, "lm": result.trace.lm, "lm_calls": calls})}


def _hop(hop: Hop, question: str) -> Row:
    row = {
        "hop": hop.number,
        "queries": [_found(found, question) for found in hop.found],
        "selected": hop.selected,
        "entered": hop.entered,
        "left": hop.left,
        "replaced": [f"{r.out} by {r.into}: {r.reason}" for r in hop.replaced],
        "coverage": _coverage(hop.coverage_after),
        "notes": plain(hop.notes),
        "pool": hop.pool,
        "decision": f"{'stop' if hop.decision.stop else 'go on'}: {hop.decision.reason}",
    }
    return _filled(row)


def _found(found: Found, question: str) -> Row:
    query = found.query
    return _filled(
        {
            "text": "(the question)" if query.text == question else query.text,
            "purpose": query.purpose,
            "limit": query.limit,
            "part": isinstance(query, Query) and query.part,
            "seeds": [f"{id} {weight:.6g}" for id, weight in query.seeds] if isinstance(query, Walk) else [],
            "hits": plain(found.counts),
            "new": found.new,
            "top": [
                f"{h.channel} {h.passage_id} {round(h.score, 6)}" + (f" via {h.via}" if h.via else "")
                for h in found.top
            ],
        }
    )


def _coverage(coverage: Coverage) -> list[str]:
    return [
        f"{t.kind} “{t.name}” {round(t.score, 6)} of weight {t.importance:.6g}"
        + (f" by {t.covered_by} at {t.hop}" if t.covered else " missing")
        for t in coverage.targets
    ]


def _evidence(evidence: Evidence) -> Row:
    return {
        "evidence": evidence.passage.id,
        "rank": evidence.rank,
        "score": round(evidence.score, 6),
        "hop": evidence.hop,
        "scores": plain(evidence.scores),
        "reason": evidence.reason,
    }


def _filled(row: Mapping[str, Any]) -> Row:
    """Leave out what is empty: a strategy without seeds, notes or aspects does not show them."""
    return {name: value for name, value in row.items() if value is not False and value not in ((), [], {}, "")}


def compare(name: str, got: Sequence[Row]) -> None:
    """Compare rows with a golden file, or write the file where that was asked for; a failure names each difference."""
    __tracebackhide__ = True  # a failure is to show the differences, not this function
    golden = GOLDEN / f"{name}.jsonl"
    told = [json.dumps(row, ensure_ascii=False) for row in got]
    if os.environ.get("MULTIHOP_GOLDEN") == "write":
        golden.write_text("\n".join(told) + "\n", encoding="utf-8")
    # Read back, so that tuples and lists, which JSON does not tell apart, do not differ.
    now = [json.loads(line) for line in told]
    before = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    if found := differences(before, now):
        raise AssertionError(f"{golden.name} holds another trace; if it is meant to change: {REWRITE}\n{found}")


def differences(before: Sequence[Row], now: Sequence[Row]) -> str:
    """List what differs, one value to a line: where it is, what it was, what it is."""
    old, new = _values(before), _values(now)
    lines = []
    for place in sorted({*old, *new}, key=lambda place: min(_order(old, place), _order(new, place))):
        was, is_ = old.get(place), new.get(place)
        if was is None or is_ is None or not _alike(was, is_):
            lines.append(f"  {place}\n    - {was}\n    + {is_}" if was and is_ else f"  {place}\n    {_one(was, is_)}")
    more = [f"  … and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "\n".join(lines[:_SHOWN] + more)


def _alike(was: str, is_: str) -> bool:
    """Compare two values; scores of processors that add in another order may differ in their last digit."""
    if _SCORE.sub("", was) != _SCORE.sub("", is_):
        return False
    pairs = zip(_SCORE.findall(was), _SCORE.findall(is_), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=2e-6, abs_tol=2e-6) for a, b in pairs)


def _one(was: str | None, is_: str | None) -> str:
    return f"- {was}" if is_ is None else f"+ {is_}"


def _order(values: Mapping[str, str], place: str) -> float:
    return list(values).index(place) if place in values else float("inf")


def _values(told: Sequence[Row]) -> dict[str, str]:
    """Name every single value of the rows by its place, such as `q01 hop 2 queries 1 hits bm25`."""
    values: dict[str, str] = {}
    question = ""
    for row in told:
        question = str(row.get("question", question))
        kind, first = next(iter(row.items()))
        begin = kind if kind in ("question", "end") else f"{kind} {row.get('rank', first)}"
        values.update({f"{question} {begin}{place}": value for place, value in _leaves(row)})
    return values


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else None
    if items is None:
        yield "", json.dumps(value, ensure_ascii=False)
        return
    for name, inner in items:
        for place, leaf in _leaves(inner):
            yield f" {name}{place}", leaf


def shape(value: Any, name: str = "") -> set[str]:
    """Every field of a serialised result by its path, with the type of its value: what readers of the JSON rely on."""
    if isinstance(value, dict) and name not in _FREE:
        return {f".{key}{rest}" for key, inner in value.items() for rest in shape(inner, key)}
    if isinstance(value, list):
        return {f"[]{rest}" for inner in value for rest in shape(inner)} or {"[]"}
    return {f" {type(value).__name__}"}
