"""TREC run and qrels files, out and in, with errors that name file and row.

Not left to ir-measures, whose readers name neither, and end an id at any blank.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np

from multihop.errors import InvalidRecord
from multihop.evaluation.system_answers import SystemAnswer

_BLANKS = re.compile("[ \t]+")
_SPACE = re.compile(r"\s")
_CODES = tuple((quote(c), c) for c in map(chr, range(sys.maxunicode + 1)) if c != " " and c.isspace())
"""How white space other than the blank is written: some readers take any of it for the end of a column."""


def write_run(file: Path, tag: str, answers: Iterable[SystemAnswer]) -> None:
    """Write rankings as `question Q0 document rank score tag`, with the scores of the system.

    Readers sort by score, many in single precision: a score that is not below the one before it, where a system
    ranks by more than its scores, is written as the next smaller number.
    """
    with file.open("w", encoding="utf-8") as out:
        for answer in answers:
            least = np.float32(np.inf)
            for rank, (document, score) in enumerate(_document_scores(answer), 1):
                least = min(np.float32(score), np.nextafter(least, np.float32(-np.inf)))
                out.write(f"{_word(answer.question)} Q0 {_word(document)} {rank} {least!s} {tag}\n")


def _document_scores(answer: SystemAnswer) -> list[tuple[str, float]]:
    """Give each document the score of its best passage; without scores, one that falls with the rank."""
    best: dict[str, float] = {}
    for passage, score in zip(answer.passages, answer.scores, strict=False):
        best.setdefault(passage.rpartition("#")[0], score)
    return [(document, best.get(document, 1 / rank)) for rank, document in enumerate(answer.documents, 1)]


def write_qrels(file: Path, qrels: Mapping[str, Sequence[str]]) -> None:
    """Write gold documents as `question 0 document 1`."""
    with file.open("w", encoding="utf-8") as out:
        for question, gold in qrels.items():
            out.writelines(f"{_word(question)} 0 {_word(document)} 1\n" for document in gold)


def read_run(file: Path) -> dict[str, tuple[str, ...]]:
    """Read a run: question → documents by falling score, ties by rank."""
    return {
        plain_id(q): tuple(dict.fromkeys(plain_id(d) for d, _ in ranking)) for q, ranking in read_scores(file).items()
    }


def read_scores(file: Path) -> dict[str, list[tuple[str, float]]]:
    """Read a run with its scores and with the ids as they stand there: question → (document, score), best first."""
    rows: dict[str, list[tuple[float, int, str]]] = {}
    for line, parts in _rows(file, 6):
        try:
            rows.setdefault(parts[0], []).append((-float(parts[4]), int(parts[3]), parts[2]))
        except ValueError as error:
            raise InvalidRecord(f"rank and score must be numbers: {error}", source=str(file), line=line) from error
    return {q: [(document, -score) for score, _, document in sorted(ranking)] for q, ranking in rows.items()}


def read_qrels(file: Path, known: Container[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Read gold documents with a positive grade; one that is not among the `known` documents is an error."""
    gold: dict[str, list[str]] = {}
    for line, parts in _rows(file, 4):
        document = plain_id(parts[2])
        if known is not None and document not in known:
            raise InvalidRecord(f"the document {document!r} is not in the corpus", source=str(file), line=line)
        try:
            if float(parts[3]) > 0:
                gold.setdefault(plain_id(parts[0]), []).append(document)
        except ValueError as error:
            raise InvalidRecord(f"the grade must be a number, got {parts[3]!r}", source=str(file), line=line) from error
    return {q: tuple(dict.fromkeys(d)) for q, d in gold.items()}


def _rows(file: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                # Not `split()`: ids may hold blanks that are not ASCII, and other tools write them as they are.
                parts = _BLANKS.split(line.strip(" \t\r\n"))
                if len(parts) == columns:
                    yield number, parts
                elif parts != [""]:
                    problem = f"expected {columns} columns, found {len(parts)}"
                    raise InvalidRecord(problem, source=str(file), line=number)
    except UnicodeDecodeError as error:
        raise InvalidRecord(f"the file is not UTF-8 text: {error}", source=str(file)) from error


# Columns are separated by blanks, and ids are often titles: blanks in them travel as "+", like in an address.
def _word(id: str) -> str:
    # The percent sign first, or those of the codes would be encoded once more.
    word = id.replace("%", "%25").replace("+", "%2B").replace(" ", "+")
    return _SPACE.sub(lambda found: quote(found.group()), word)


def plain_id(word: str) -> str:
    """Return the id that a word of ours stands for."""
    text = word.replace("+", " ")
    if "%" in text:
        # The percent sign last: decoded first, it would make codes of what were plain letters.
        for code, char in (*_CODES, ("%2B", "+"), ("%25", "%")):
            text = text.replace(code, char)
    return text
