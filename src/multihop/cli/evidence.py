"""Evidence as text: the table of passages, the chain, the coverage line, and quoted sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.table import Table
from rich.text import Text

from multihop.rendering.chain import chain_lines
from multihop.rendering.phrases import one_line, passage_name, pluralize
from multihop.types import AnswerSentence, Chain, ClaimPart, Coverage, Evidence, Result

FINDINGS = {"supported": "green", "contradicted": "red", "undecided": "yellow"}
_SNIPPET = 161
_SURE = 70
"""Percentage from which an answer is not introduced as a guess, as on the page."""


def possibly(confidence: float) -> tuple[str, str]:
    """Return what stands before an answer, styled: "Possibly" before a guess."""
    return ("" if round(100 * confidence) >= _SURE else "Possibly ", "yellow")


def evidence_table(result: Result) -> Table:
    """Make a table of passages with score, hop, reason, and snippet."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    table.add_column("#", justify="right", style="dim")
    table.add_column("passage", ratio=1)
    table.add_column("score", justify="right")
    table.add_column("hop", justify="right")
    for evidence in result.evidence:
        table.add_row(str(evidence.rank), _describe(evidence), f"{evidence.score:.2f}", str(evidence.hop))
    return table


def _describe(evidence: Evidence) -> Text:
    passage = evidence.passage
    name, id = passage_name(passage), one_line(passage.id)
    return Text.assemble(
        (name, "bold"),
        ("" if name == id else f"  {id}", "dim"),
        (f"\n{one_line(evidence.reason)}\n", "cyan"),
        one_line(passage.text, _SNIPPET),
    )


def coverage_line(coverage: Coverage) -> Text:
    """Format the coverage of the question by the evidence."""
    if not coverage.targets:
        return Text("covered: nothing to check, since the question contains no names", "dim")
    covered = ", ".join(one_line(t.name) for t in coverage.targets if t.covered)
    missing = ", ".join(one_line(t.name) for t in coverage.missing)
    return Text.assemble(
        ("covered: ", "dim"), (covered or "nothing", "green" if covered else "yellow"),
        ("  ·  not covered: ", "dim"), (missing or "nothing", "yellow" if missing else "green"),
    )  # fmt: skip


def chain_text(result: Result, chain: Chain) -> Text:
    """Format the links of a chain and the counts of the other passages."""
    text = Text("chain", "dim")
    for line in chain_lines(result, chain):
        text.append(f"\n  {line}", "default")
    rest = [f"{len(chain.supporting)} supporting"] if chain.supporting else []
    rest += [pluralize(len(chain.filling), "other result")] if chain.filling else []
    others = ", ".join(rest)
    return text.append(f"\n  not on the chain: {others}", "dim") if others else text


def shortage_line(result: Result) -> Text:
    """Describe that fewer passages than requested were found."""
    why = "no more passed --keep and --at-most" if result.keep or result.at_most else "no more could be reached"
    return Text(f"{len(result.evidence)} of the {result.k} requested passages; {why}", "yellow")


def conflict_lines(result: Result) -> Iterator[Text]:
    """Describe which sources of the evidence disagree."""
    return (Text(one_line(conflict.text), "yellow") for conflict in result.conflicts)


def format_quote(sentence: AnswerSentence, indent: str = "") -> Text:
    """Format a sentence with its confidence and source, and mark the answer in it."""
    quote, answer = sentence.quote, sentence.answer
    said = Text(f"{indent}{sentence.confidence:.2f}  ", "dim")
    if answer:
        before, after = quote.text[: answer.start - quote.start], quote.text[answer.end - quote.start :]
        said.append(_blanks(before), "default").append(_blanks(answer.text), "bold").append(_blanks(after), "default")
    else:
        said.append(one_line(quote.text), "default")
    title = f"{one_line(sentence.title)}{f', p. {sentence.page}' if sentence.page else ''}"
    return said.append(f"  {title} ", "cyan").append(one_line(quote.passage_id), "dim")


def part_lines(parts: Iterable[ClaimPart]) -> Iterator[Text]:
    """Format the finding on each part of a claim, with its sentence."""
    for part in parts:
        yield Text.assemble((f"{part.finding}: ", FINDINGS[part.finding]), one_line(part.text))
        if part.sentence:
            yield format_quote(part.sentence, "  ")


def _blanks(part: str) -> str:
    """Put a part of a sentence on one line, with the blanks at its ends."""
    line = one_line(part)
    return f"{' ' * part[:1].isspace()}{line}{' ' * (part[-1:].isspace() and len(part) > 1)}"
