"""TREC run and qrels files, out and in, with errors that name file and row."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.evaluation.answers import SystemAnswer


def write_run(file: Path, tag: str, answers: Iterable[SystemAnswer]) -> None:
    """Write rankings as `question Q0 document rank score tag`; scores fall with the rank, as readers of runs expect."""
    with file.open("w", encoding="utf-8") as out:
        for answer in answers:
            total = len(answer.documents)
            for rank, document in enumerate(answer.documents, 1):
                out.write(f"{_word(answer.question)} Q0 {_word(document)} {rank} {total - rank + 1} {tag}\n")


def write_qrels(file: Path, qrels: Mapping[str, Sequence[str]]) -> None:
    """Write gold documents as `question 0 document 1`."""
    with file.open("w", encoding="utf-8") as out:
        for question, gold in qrels.items():
            out.writelines(f"{_word(question)} 0 {_word(document)} 1\n" for document in gold)


def read_run(file: Path) -> dict[str, tuple[str, ...]]:
    """Read a run: question → documents by falling score, ties by rank."""
    rows: dict[str, list[tuple[float, int, str]]] = {}
    for line, parts in _rows(file, 6):
        try:
            rows.setdefault(_plain(parts[0]), []).append((-float(parts[4]), int(parts[3]), _plain(parts[2])))
        except ValueError as error:
            raise InvalidRecord(f"rank and score must be numbers: {error}", source=str(file), line=line) from error
    return {q: tuple(dict.fromkeys(d for _, _, d in sorted(found))) for q, found in rows.items()}


def read_qrels(file: Path, known: Container[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Read gold documents with a positive grade; one that is not among the `known` documents is an error."""
    gold: dict[str, list[str]] = {}
    for line, parts in _rows(file, 4):
        document = _plain(parts[2])
        if known is not None and document not in known:
            raise InvalidRecord(f"the document {document!r} is not in the corpus", source=str(file), line=line)
        try:
            if float(parts[3]) > 0:
                gold.setdefault(_plain(parts[0]), []).append(document)
        except ValueError as error:
            raise InvalidRecord(f"the grade must be a number, got {parts[3]!r}", source=str(file), line=line) from error
    return {q: tuple(dict.fromkeys(d)) for q, d in gold.items()}


def _rows(file: Path, columns: int) -> Iterable[tuple[int, list[str]]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            parts = line.split()
            if not parts:
                continue
            if len(parts) != columns:
                problem = f"expected {columns} columns, found {len(parts)}"
                raise InvalidRecord(problem, source=str(file), line=number)
            yield number, parts


# Columns are separated by blanks, and ids are often titles: blanks in them travel as "+", like in an address.
def _word(id: str) -> str:
    return id.replace("%", "%25").replace("+", "%2B").replace(" ", "+").replace("\t", "%09").replace("\n", "%0A")


def _plain(word: str) -> str:
    text = word.replace("+", " ")
    for code, char in (("%0A", "\n"), ("%09", "\t"), ("%2B", "+"), ("%25", "%")):
        text = text.replace(code, char)
    return text
