"""A verdict on a claim: a language model decides from numbered sentences of the evidence and cites them by number.

The answer is validated: unknown numbers are ignored, and without a deciding sentence there is no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, get_args, get_type_hints

from multihop import text
from multihop.errors import NoVerdict
from multihop.protocols import LanguageModel, Step
from multihop.types import Decisive, Note, Result, Verdict
from multihop.units import unit_texts

_MAX_SENTENCES = 160
_MAX_SENTENCE = 1600
"""The maximum length of a passage, so that no unit is truncated."""
_LABELS = get_args(get_type_hints(Verdict)["label"])
_UNDECIDED: Literal["not enough evidence"] = "not enough evidence"


def verdict_of(claim: str, result: Result, lm: LanguageModel) -> Verdict:
    """Decide a claim from the evidence of a result; raises NoVerdict when the model gives nothing usable."""
    found = (Decisive(s, e.passage) for e in result.evidence for s in unit_texts(e.passage.text))
    offered = list(islice(found, _MAX_SENTENCES))
    if not offered:
        return Verdict(claim, _UNDECIDED, (), result, (Note("no-evidence", {}, "no evidence was found"),))
    session = lm.session()
    shown = [
        f"[{i}] {s.passage.label}: {' '.join(s.sentence.split())[:_MAX_SENTENCE]}" for i, s in enumerate(offered, 1)
    ]
    [answer] = session.ask([Step("claim_verdict", {"claim": claim, "sentences": shown})], len(result.trace.hops))
    result = replace(result, trace=replace(result.trace, lm_calls=(*result.trace.lm_calls, *session.calls)))
    label = answer.values["verdict"] if answer.values else None
    if answer.values is None or label not in _LABELS:
        why = answer.problem or "its answer could not be read"
        raise NoVerdict(f"the language model {lm.name} gave no verdict: {why}", result)
    given = answer.values["deciding"] or ()
    # In Python, True is an int, but not a sentence number.
    numbers = [n for n in given if isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= len(offered)]
    notes: tuple[Note, ...] = ()
    if left_out := len(given) - len(numbers):
        wording = "sentences that were not offered are left out"
        notes = (Note("sentences-invented", {"sentences": left_out}, wording),)
    deciding = tuple(offered[n - 1] for n in dict.fromkeys(numbers))
    reasoning = str(answer.values.get("reasoning") or "")
    if label != _UNDECIDED and not deciding:
        wording = f"the language model said {label!r} and named no sentence that shows it"
        notes = (*notes, Note("verdict-unsupported", {"label": str(label)}, wording))
    if label == _UNDECIDED or not deciding:
        return Verdict(claim, _UNDECIDED, (), result, notes, reasoning)
    confidence = _overlap(claim, deciding)
    return Verdict(claim, label, deciding, result, notes, reasoning, confidence)  # type: ignore[arg-type]  # one of the labels


def _overlap(claim: str, deciding: Sequence[Decisive]) -> float:
    """Return the share of the claim's words that occur in the deciding sentences and their titles."""
    wanted = set(text.terms(claim))
    covered = {term for d in deciding for term in text.terms(f"{d.passage.title} {d.sentence}")}
    return len(wanted & covered) / len(wanted) if wanted else 0.0
