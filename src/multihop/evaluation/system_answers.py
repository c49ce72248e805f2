"""What a system answered to one question, as it is kept in a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from multihop.types import Answer, Coverage, Hop, Result, plain

NEVER_REACHED, BELOW, REPLACED = "never reached", "ranked below the budget", "selected, then replaced"


@dataclass(frozen=True, slots=True)
class Loss:
    """A gold document missing from the result: the cause, and its rank."""

    document: str
    fate: str
    rank: int | None = None
    hop: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a question: its text, the sentences shown for it, best first, and the documents it cites."""

    text: str
    sentences: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    answered: bool = False
    unsupported: int = 0
    """Statements of a language model that nothing they cite supports."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Reply:
        return cls(**{**row, "sentences": tuple(row["sentences"]), "cited": tuple(row["cited"])})


def reply_from(answer: Answer) -> Reply:
    """Reduce an answer to what the measures need."""
    documents = {e.passage.id: e.passage.document_id for e in answer.result.evidence}
    # A model cites what its statements rest on; without one the first sentence is what the answer rests on.
    quotes = [q for s in answer.statements for q in s.quotes] or [s.quote for s in answer.sentences[:1]]
    return Reply(
        answer.text,
        tuple(s.quote.text for s in answer.sentences),
        tuple(dict.fromkeys(documents[q.passage_id] for q in quotes)),
        answer.answered,
        sum(not s.supported for s in answer.statements),
    )


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """One question answered by one system; an error instead of a ranking when it failed."""

    question: str
    documents: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    seconds: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    coverage: tuple[float, ...] = ()
    """Share of what the question names that was covered after each hop."""
    lm_calls: int = 0
    lm_tokens: int = 0
    losses: tuple[Loss, ...] = ()
    error: str = ""
    trace: Mapping[str, Any] = field(default_factory=dict)
    reply: Reply | None = None
    """What it answered, where answers are measured."""
    unknown: tuple[str, ...] = ()
    """Documents of another system that the corpus does not have."""

    def to_json(self) -> str:
        # Not dataclasses.asdict: it copies the whole trace, which costs more than answering from a small index.
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        row["losses"] = [asdict(loss) for loss in self.losses]
        row["reply"] = asdict(self.reply) if self.reply else None
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def from_json(line: str) -> SystemAnswer:
        row: dict[str, Any] = json.loads(line)
        row["losses"] = tuple(Loss(**loss) for loss in row["losses"])
        row["reply"] = Reply.of(row["reply"]) if row.get("reply") else None
        for name in ("documents", "passages", "scores", "coverage", "unknown"):
            # Runs made before a field was added lack it.
            row[name] = tuple(row.get(name, ()))
        return SystemAnswer(**row)


def answer_from(question: str, result: Result, losses: tuple[Loss, ...]) -> SystemAnswer:
    """Reduce a result to what the measures and the report need."""
    stages: dict[str, float] = {}
    for hop in result.trace.hops:
        for stage, seconds in hop.seconds.items():
            stages[stage] = stages.get(stage, 0.0) + seconds
    # Hops are timed by stage; what remains of the whole is the plan.
    stages["plan"] = max(0.0, result.trace.seconds - sum(stages.values()))
    return SystemAnswer(
        question=question,
        documents=tuple(dict.fromkeys(e.passage.document_id for e in result.evidence)),
        passages=tuple(e.passage.id for e in result.evidence),
        scores=tuple(round(e.score, 6) for e in result.evidence),
        seconds=round(result.trace.seconds, 6),
        stages={s: round(v, 6) for s, v in sorted(stages.items())},
        coverage=tuple(round(_named_coverage(h.coverage_after), 4) for h in result.trace.hops),
        # What a cache answered cost nothing, and a step that was never sent is not a call.
        lm_calls=sum(c.attempts > 0 and not c.cached for c in result.trace.lm_calls),
        lm_tokens=sum(c.tokens_in + c.tokens_out for c in result.trace.lm_calls if not c.cached),
        losses=losses,
        trace=_brief(result),
    )


def _named_coverage(coverage: Coverage) -> float:
    """Coverage of what the question itself names; bridges are guesses of a strategy."""
    return Coverage(tuple(t for t in coverage.targets if t.kind != "bridge")).fraction


def _brief(result: Result) -> dict[str, Any]:
    """The trace as the report shows it: queries, what entered and left, why it stopped, why each passage is there."""
    return {
        "entities": [[e.text, e.kind] for e in result.trace.plan.entities],
        "hops": [_brief_hop(h) for h in result.trace.hops],
        "notes": plain(result.trace.notes),
        "lm": [[c.step, c.hop, c.outcome, c.tokens_in + c.tokens_out, c.problem] for c in result.trace.lm_calls],
        "evidence": [[e.passage.id, e.passage.label, e.hop, e.reason] for e in result.evidence],
        "covered": [[t.name, t.covered_by] for t in result.coverage.targets],
    }


def _brief_hop(hop: Hop) -> dict[str, Any]:
    return {
        "queries": [[f.query.text, f.query.purpose, sum(f.counts.values()), f.new] for f in hop.found],
        "entered": list(hop.entered),
        "left": list(hop.left),
        "pool": hop.pool,
        "decision": hop.decision.reason,
    }
