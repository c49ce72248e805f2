"""A verdict on a claim: a language model decides from numbered sentences of the evidence and cites them by number.

The answer is validated: unknown numbers are ignored, and without a deciding sentence there is no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from multihop.errors import NoVerdict
from multihop.lm.cleaning import before_instructions
from multihop.protocols import LanguageModel, Step
from multihop.text.units import Unit, units
from multihop.types import AnswerSentence, Finding, Note, Passage, Quote, Result, Verdict

_MAX_SENTENCES = 160
_MAX_SENTENCE = 1600
"""As long as a passage that was cut: no unit that fits one is shown in part."""
_LABELS: dict[object, Finding] = {
    "supported": "supported", "refuted": "contradicted", "not enough evidence": "undecided",
}  # fmt: skip
"""What models say, in the words that they know from such tasks, and our label for it."""


class _Offered(NamedTuple):
    quote: Quote
    passage: Passage


def verdict_of(claim: str, result: Result, lm: LanguageModel) -> Verdict:
    """Decide a claim from the evidence of a result; raises NoVerdict when the model gives nothing usable."""
    offered = list(islice(_offer(result), _MAX_SENTENCES))
    if not offered:
        return Verdict(claim, "undecided", (), result, (Note("no-evidence", {}, "no evidence was found"),))
    session = lm.session()
    shown = [
        f"[{i}] {s.passage.label}: {' '.join(s.quote.text.split())[:_MAX_SENTENCE]}" for i, s in enumerate(offered, 1)
    ]
    [answer] = session.ask([Step("claim_verdict", {"claim": claim, "sentences": shown})], len(result.trace.hops))
    result = replace(result, trace=replace(result.trace, lm_calls=(*result.trace.lm_calls, *session.calls)))
    said = answer.values["verdict"] if answer.values else None
    label = _LABELS.get(said)
    if answer.values is None or label is None:
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
    if label != "undecided" and not deciding:
        wording = f"the language model said {said!r} and named no sentence that shows it"
        notes = (*notes, Note("verdict-unsupported", {"label": str(said)}, wording))
        label = "undecided"
    sentences = tuple(AnswerSentence.of(s.quote, s.passage, 0.0) for s in deciding) if label != "undecided" else ()
    return Verdict(claim, label, sentences, result, notes, reasoning, source="language model")


def _offer(result: Result) -> Iterator[_Offered]:
    for evidence in result.evidence:
        passage = evidence.passage
        for unit in before_instructions(units(passage.text), partial(Unit.of, source=passage.text)):
            yield _Offered(Quote(passage.id, unit.of(passage.text), unit.start, unit.end), passage)
