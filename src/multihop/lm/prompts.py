"""The DSPy modules of all steps by name; a compiled program can replace them."""

from __future__ import annotations

import threading
from typing import Any, Literal, get_args, get_origin

import dspy

from multihop.lm import signatures as s

GAP = ("claim_decomposition", "gap_analyzer", "entity_extractor", "gap_analysis", "bridging_entity_identifier")
LISTWISE = ("entity_query_decomposition", "document_reranker")
AUTO = ("claim_decomposition", "follow_up_queries", "document_reranker")

_STEPS: dict[str, tuple[Any, Any]] = {
    "claim_decomposition": (dspy.Predict, s.ClaimDecomposition),
    "gap_analyzer": (dspy.Predict, s.GapAnalyzer),
    "entity_extractor": (dspy.Predict, s.EntityExtractor),
    "gap_analysis": (dspy.Predict, s.GapAnalysis),
    "bridging_entity_identifier": (dspy.Predict, s.BridgingEntityIdentifier),
    "document_relevance_scorer": (dspy.ChainOfThought, s.DocumentRelevanceScorer),
    "entity_query_decomposition": (dspy.ChainOfThought, s.EntityQueryDecomposition),
    "document_reranker": (dspy.ChainOfThought, s.DocumentReranker),
    "follow_up_queries": (dspy.Predict, s.FollowUpQueries),
    "standalone_question": (dspy.Predict, s.StandaloneQuestion),
    "claim_verdict": (dspy.ChainOfThought, s.ClaimVerdict),
    "cited_answer": (dspy.Predict, s.CitedAnswer),
    "quoted_value": (dspy.Predict, s.QuotedValue),
    "relation_judgement": (dspy.Predict, s.RelationJudgement),
    "query_aspects": (dspy.Predict, s.QueryAspects),
    "aspect_coverage": (dspy.Predict, s.AspectCoverage),
}
NAMES = tuple(_STEPS)
_default: dict[str, Any] = {}
_lock = threading.Lock()


def module(name: str) -> Any:
    """Create a new module for a step, ready to be optimized."""
    kind, _ = _STEPS[name]
    return kind(signature(name))


def signature(name: str) -> Any:
    """Return the signature of a step."""
    return _STEPS[name][1]


def module_of(prompts: Any, name: str) -> Any:
    """Return the module of a step from a program that has it as an attribute, or the built-in one."""
    own = getattr(prompts, name, None)
    if own is not None:
        return own
    # Steps run in threads; each module is created once.
    with _lock:
        if name not in _default:
            _default[name] = module(name)
        return _default[name]


def outputs_of(prediction: Any, name: str) -> dict[str, Any]:
    """Extract the typed output fields of a prediction, in the order of the signature, and its reasoning if any."""
    fields = signature(name).output_fields
    outputs = {field: _check_type(prediction.get(field), info.annotation) for field, info in fields.items()}
    reasoning = prediction.get("reasoning")
    return outputs | {"reasoning": reasoning} if isinstance(reasoning, str) else outputs


def _check_type(value: Any, wanted: Any) -> Any:
    """Return the value, or its items, if of the declared type; a user's program may declare another."""
    if get_origin(wanted) is not list:
        return value if get_origin(wanted) is Literal or isinstance(value, wanted) else None
    [each] = get_args(wanted)
    items = value if isinstance(value, list | tuple) else [value]
    # In Python, True is an int, but not a passage number.
    return [v for v in items if isinstance(v, get_origin(each) or each) and not isinstance(v, bool)]
