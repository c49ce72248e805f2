"""Narrows a result to k passages: applies `keep`, `at_most` and `exclude`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from multihop.protocols import Passages
from multihop.types import Evidence, Note, Request, Result
from multihop.types.notes import ID_UNKNOWN, SHORT

_NAMED = 3
"""Ids that a note names."""


def narrow_result(result: Result, asked: Request, kept: Passages | None) -> Result:
    """Reduce a result with a wider budget to the best k passages that pass the filters and limits of the request."""
    k, keep, at_most, excluded = asked.k, asked.keep, asked.at_most, set(asked.exclude or ())
    left: Sequence[Evidence] = [
        e for e in result.evidence if e.passage.id not in excluded and e.passage.document_id not in excluded
    ]
    if kept is not None:
        passing = kept.passages([e.passage.id for e in left])
        left = [e for e in left if e.passage.id in passing]
    evidence = tuple(replace(e, rank=rank) for rank, e in enumerate(_limit_per_value(left, at_most or {})[:k], 1))
    by = [name for name, given in (("keep", keep), ("at_most", at_most), ("exclude", excluded)) if given]
    text = (
        f"{len(evidence)} of the {len(result.evidence)} passages found are returned, after {' and '.join(by)} (k = {k})"
    )
    note = Note("narrowed", {"returned": len(evidence), "found": len(result.evidence), "k": k}, text)
    # The caller asked for k, not for the wider internal budget.
    others = (n for n in result.trace.notes if n.code != SHORT or n.data["k"] == k)
    trace = replace(result.trace, notes=(*others, note))
    return replace(
        result,
        k=k,
        evidence=evidence,
        trace=trace,
        keep=dict(keep or {}),
        at_most=dict(at_most or {}),
        exclude=tuple(asked.exclude or ()),
    )


def can_drop(asked: Request, excluded: Iterable[str], kept: Passages | None, everything: Passages) -> bool:
    """Return whether the options can drop anything at all; `excluded` are the ids to exclude that can be found."""
    drops_by_filter = kept is not None and kept.size < everything.size
    return drops_by_filter or any(excluded) or any(most < asked.k for most in (asked.at_most or {}).values())


def known_ids(ids: Sequence[str], passages: Passages) -> set[str]:
    """Return the ids that a passage or a document has."""
    return {*passages.passages(ids), *passages.passages_of(ids, 1)} if ids else set()


def note_unknown(ids: Iterable[str], known: set[str]) -> tuple[Note, ...]:
    """Name the ids to exclude that no passage and no document has."""
    unknown = tuple(dict.fromkeys(id for id in ids if id not in known))
    named = ", ".join(map(repr, unknown[:_NAMED]))
    more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
    text = f"no passage or document to exclude has the id {named}{more}"
    return (Note(ID_UNKNOWN, {"ids": unknown}, text),) if unknown else ()


def _limit_per_value(evidence: Sequence[Evidence], at_most: Mapping[str, int]) -> list[Evidence]:
    """Keep the best passages for each value of these fields, up to the limit.

    A source with many documents then cannot crowd out the others. Passages without the field are not limited.
    """
    counted, allowed = Counter[tuple[str, Any]](), []
    for each in evidence:
        has = {field: each.passage.metadata[field] for field in at_most if field in each.passage.metadata}
        held = [(field, v) for field, value in has.items() for v in (value if isinstance(value, tuple) else (value,))]
        if all(counted[field, value] < at_most[field] for field, value in held):
            counted.update(held)
            allowed.append(each)
    return allowed
