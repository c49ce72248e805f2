"""Batches: asks many questions in parallel and returns one result for each, in order.

An invalid row is reported in its place. Finished rows stay in the output file, so the same call resumes an interrupted
batch; rows that failed are retried.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol, TypeVar

from multihop.answering.batch_files import BatchFile, BatchRow
from multihop.errors import InvalidInput, MultihopError, NoVerdict
from multihop.types import Answer, Result, Verdict

T = TypeVar("T")


class BatchOutcome(Protocol):
    """The outcome of a row: a result, an answer or a verdict."""

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]: ...


@dataclass(slots=True)
class BatchSummary:
    """Counts of a batch: rows done, kept from an earlier run and failed; calls and tokens of the language model."""

    done: int = 0
    kept: int = 0
    failed: int = 0
    lm_calls: int = 0
    lm_tokens: int = 0
    problems: list[str] = field(default_factory=list)
    outdated: bool = False
    """Whether the index changed after the rows that are kept were written."""

    def count(self, value: object) -> None:
        """Add the calls and tokens of the language model; cached calls are free."""
        result = value.result if isinstance(value, Answer | Verdict | NoVerdict) else value
        for call in result.trace.lm_calls if isinstance(result, Result) else ():
            if call.attempts and not call.cached:
                self.lm_calls += call.attempts
                self.lm_tokens += call.tokens_in + call.tokens_out


def ask_in_order(work: Callable[[T], Any], questions: Iterable[T], workers: int) -> Iterator[Any]:
    """Run `work` on the questions in parallel; yields what it returns, or the error it raises, in order."""
    if isinstance(workers, bool) or not isinstance(workers, Integral) or not 1 <= workers <= 64:
        raise InvalidInput(f"workers, the number of questions asked in parallel, must be 1 to 64; got {workers!r}")

    def catch_error(question: T) -> Any:
        try:
            return work(question)
        # Returned in its place, since one invalid question must not end the batch.
        except MultihopError as error:
            return error

    with ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        waiting: deque[Future[Any]] = deque()
        for question in questions:
            waiting.append(pool.submit(catch_error, question))
            # A short queue keeps every thread busy; a longer one would hold many results in memory.
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def run_batch(
    ask: Callable[[str], BatchOutcome],
    rows: Sequence[BatchRow],
    out: Path,
    *,
    workers: int = 4,
    progress: Callable[[str, int, int | None], None] | None = None,
    changed: float = 0.0,
) -> BatchSummary:
    """Ask every row and write one line each to `out`, a table or JSON Lines; rows finished earlier are kept.

    `changed` is when the index last changed, in seconds since 1970.
    """
    file = BatchFile(out, rows)
    kept = len(file.finished)
    summary = BatchSummary(kept=kept, outdated=kept > 0 and file.written < changed)
    todo = [row for row in rows if row.number not in file.finished]
    file.begin()
    outcomes = ask_in_order(ask, (row.text for row in todo if not row.problem), workers)
    for place, row in enumerate(todo, 1):
        # Only valid rows have a result, in the same order.
        value = InvalidInput(row.problem) if row.problem else next(outcomes)
        file.write(row, _record(row, value, summary))
        if progress is not None:
            progress("asking", place, len(todo))
    file.end()
    return summary


def _record(row: BatchRow, value: BatchOutcome | MultihopError, summary: BatchSummary) -> dict[str, Any]:
    summary.count(value)
    if isinstance(value, MultihopError):
        summary.failed += 1
        summary.problems.append(f"row {row.number}: {value}")
        return {"error": " ".join(str(value).split())}
    summary.done += 1
    return {"error": "", **value.to_dict()}
