"""Many questions in one go: several at a time, one result for each in their order.

A row that cannot be asked is reported in its place. What is finished stays in the output file, so the same call again
goes on where an interrupted one ended; rows that failed are asked again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from multihop.answering.batch_files import BatchFile, BatchRow
from multihop.errors import InvalidInput, MultihopError, NoVerdict
from multihop.types import Answer, Result, Verdict

T = TypeVar("T")


class BatchOutcome(Protocol):
    """What is found for a row: a result, an answer or a verdict."""

    def to_dict(self, *, timing: bool = True) -> dict[str, Any]: ...


@dataclass(slots=True)
class BatchSummary:
    """What a batch did: rows done now, kept from before, failed, and what the language model cost."""

    done: int = 0
    kept: int = 0
    failed: int = 0
    lm_calls: int = 0
    lm_tokens: int = 0
    problems: list[str] = field(default_factory=list)

    def count(self, value: object) -> None:
        """Add up what the language model cost; what came out of a cache cost nothing."""
        result = value.result if isinstance(value, Answer | Verdict | NoVerdict) else value
        for call in result.trace.lm_calls if isinstance(result, Result) else ():
            if call.attempts and not call.cached:
                self.lm_calls += call.attempts
                self.lm_tokens += call.tokens_in + call.tokens_out


def in_order(work: Callable[[T], Any], questions: Iterable[T], workers: int) -> Iterator[Any]:
    """Do the work of each question, several at a time, and give what it returns or the error it raises, in order."""
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 64:
        raise InvalidInput(f"workers is how many questions are asked at a time, 1 to 64; got {workers!r}")

    def guarded(question: T) -> Any:
        try:
            return work(question)
        # Given in its place: one question that cannot be asked does not end the others.
        except MultihopError as error:
            return error

    with ThreadPoolExecutor(workers, thread_name_prefix="batch") as pool:
        waiting: deque[Future[Any]] = deque()
        for question in questions:
            waiting.append(pool.submit(guarded, question))
            # A few ahead keep every thread at work; more would hold the results of a long file in memory.
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
) -> BatchSummary:
    """Ask every row and write one line of `out` for each, a table or JSON Lines; finished rows of it are kept."""
    file = BatchFile(out, rows)
    summary = BatchSummary(kept=len(file.finished))
    todo = [row for row in rows if row.number not in file.finished]
    file.begin()
    found = in_order(ask, (row.text for row in todo if not row.problem), workers)
    for place, row in enumerate(todo, 1):
        # The results are those of the good rows alone, in the same order.
        value = InvalidInput(row.problem) if row.problem else next(found)
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
