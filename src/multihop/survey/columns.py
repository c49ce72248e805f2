"""Columns in plain words: "Revenue in 2023", "Who audits it?", each with a type that is guessed or given."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from typing import get_args

from multihop import text
from multihop.answering.batch_files import csv_records
from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.profiles.values import Profile, ProfileQuestion
from multihop.survey.quantities import Kind
from multihop.survey.vocabulary import VOCABULARY

KINDS = get_args(Kind)
FILE_FIELDS = ("question", "type", "unit", "also")
_SUFFIX = ".csv"
_ASKS = re.compile(
    r"\W*(?:(?:in|on|at|of|from|by|for|to|with|under)\s+)?(?:who|whom|whose|what|which|when|where|why|how)\b", re.I
)
_POLAR = re.compile(r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b", re.I)
_WHOLE = re.compile(r"\W*(?:numbers?|share|years|months|days|length) of\b", re.IGNORECASE)
_PLURAL = re.compile(r"^(?:\w+\s+)*?\w*[^s\Wu]s(?:\s+(?:of|in|for|with|and|by|under)\b|$)", re.IGNORECASE)
_GUESSES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in VOCABULARY["columns"].items()
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading as the user wrote it, the question for the reader, and the type of its values."""

    label: str
    question: str
    kind: Kind
    unit: str = ""
    also: tuple[str, ...] = ()
    """Synonyms used in tables: "net sales", "turnover"."""

    @classmethod
    def of(cls, asked: str, kind: str = "", unit: str = "", also: Iterable[str] = ()) -> Column:
        """Create a column from a heading or a question; type and synonyms are inferred if not given."""
        label = " ".join(asked.split()).strip()
        if not label:
            raise InvalidInput("a column is empty; give a heading or a question, such as 'Revenue in 2023'")
        given = tuple(word.strip() for word in also if word.strip())
        usual_kind, usual_words = ("", ()) if given else _known_type(label)
        named = kind.strip() or usual_kind
        known = _kind_named(named) if named else guess_kind(label)
        return cls(label, question_of(label, known), known, unit.strip(), given or usual_words)


def _kind_named(kind: str) -> Kind:
    wanted = kind.strip().lower().replace("organisation", "organization").replace(" or ", "/")
    for known in KINDS:
        if known == wanted:
            return known  # type: ignore[no-any-return]
    raise UnknownName(f"there is no type {kind.strip()!r} of a column: {suggestion(wanted, KINDS)}")


def guess_kind(asked: str) -> Kind:
    """Guess the type of a heading or a question from its words."""
    if _POLAR.match(asked):
        return "yes/no"
    # Words after "of" or "in" name the subject, not the type.
    head = (
        re.split(r"\s(?:of|in|for|under)\s", asked)[0]
        if not re.match(r"\W*(?:numbers?|share) of\b", asked, re.I)
        else asked
    )
    for part in (head, asked):
        if guessed := next((kind for kind, words in _GUESSES if words.search(part)), None):
            return guessed
    return "organization" if re.match(r"\W*who", asked, re.IGNORECASE) else "text"


def question_of(label: str, kind: Kind) -> str:
    """Turn a heading into a question: "Revenue in 2023" becomes "What is the revenue in 2023?"."""
    if _ASKS.match(label) or _POLAR.match(label) or label.endswith("?"):
        return label.rstrip(" ?.") + "?"
    first = label.split()[0]
    noun = label if first.isupper() or first[1:] != first[1:].lower() else label[0].lower() + label[1:]
    if counted := re.match(r"numbers? of (.+)", noun, re.IGNORECASE):
        return f"How many {counted[1]} are there?"
    if re.match(r"(?:years|months|days) of ", noun):
        return f"How many {noun}?"
    several = bool(_PLURAL.match(noun))
    if kind == "yes/no":
        return f"{'Are there' if several else 'Is there a'} {noun}?"
    things = re.search(r"\b(?:name|university|school|journal|company|employer)\b", noun)
    asks = "Who" if kind in ("person", "organization") and not things else "What"
    article = "" if noun.startswith(("the ", "its ", "their ")) else "the "
    return f"{asks} {'are' if several else 'is'} {article}{noun}?"


def read_columns(ask: Iterable[str | Column] = (), questions: str | Path | None = None) -> tuple[Column, ...]:
    """Return the columns of a survey: the given headings, and those of a built-in list or a CSV file."""
    columns = [each if isinstance(each, Column) else Column.of(each) for each in ask]
    if questions is not None:
        columns += _load_shipped(questions) if questions in list_names() else _read_csv(Path(questions))
    if not columns:
        raise InvalidInput("no questions; give headings or questions, such as 'Revenue in 2023'")
    return tuple({column.label: column for column in columns}.values())


def _folder() -> Traversable:
    return files("multihop.survey").joinpath("questions")


def list_names() -> tuple[str, ...]:
    """Return the names of the built-in lists of questions."""
    return tuple(sorted(f.name.removesuffix(_SUFFIX) for f in _folder().iterdir() if f.name.endswith(_SUFFIX)))


@cache
def _load_shipped(name: str | Path) -> tuple[Column, ...]:
    return _parse(_folder().joinpath(f"{name}{_SUFFIX}").read_bytes(), str(name))


def _read_csv(path: Path) -> tuple[Column, ...]:
    if not path.is_file():
        said = suggestion(str(path), list_names())
        raise UnknownName(f"there is no list of questions {str(path)!r}: {said}; one of your own is a CSV file")
    return _parse(path.read_bytes(), str(path))


def _parse(data: bytes, source: str) -> tuple[Column, ...]:
    """Parse a list with the column question and, optionally, type, unit and also (synonyms, separated by bars)."""
    records = csv_records(data)
    header = [name.strip().lower() for _, record in islice(records, 1) for name in record]
    if "question" not in header or not set(header) <= set(FILE_FIELDS):
        raise InvalidInput(f"{source}: the first row must name the columns question, type, unit, also; it has {header}")
    columns = []
    for line, record in records:
        if len(record) > len(header):
            wanted = f"{len(record)} cells under {len(header)} columns; put a question that contains a comma in quotes"
            raise InvalidInput(f"{source}, line {line}: {wanted}")
        cells = dict.fromkeys(FILE_FIELDS, "") | dict(zip(header, map(str.strip, record), strict=False))
        if cells["question"]:
            try:
                columns.append(Column.of(cells["question"], cells["type"], cells["unit"], cells["also"].split("|")))
            except (InvalidInput, UnknownName) as error:
                raise InvalidInput(f"{source}, line {line}: {error}") from error
    return tuple(columns)


def _known_type(label: str) -> tuple[str, tuple[str, ...]]:
    """Return type and synonyms of a heading if a built-in list has it or one of its synonyms."""
    wanted = _topic(label)
    known = [entry for topic, entry in _thesaurus() if wanted and topic == wanted]
    words = dict.fromkeys(word for _, words in known for word in words)
    return known[0][0] if known else "", tuple(words)


def is_built_in(label: str) -> bool:
    """Return whether a built-in list has a heading, or has it as a synonym."""
    return bool(_known_type(label)[1])


@cache
def _thesaurus() -> tuple[tuple[frozenset[str], tuple[str, tuple[str, ...]]], ...]:
    entries: list[tuple[frozenset[str], tuple[str, tuple[str, ...]]]] = []
    for name in list_names():
        for row in csv.DictReader(io.StringIO(_folder().joinpath(f"{name}{_SUFFIX}").read_text("utf-8"))):
            names = (row["question"], *filter(None, (row["also"] or "").split("|")))
            entries += [(_topic(each), (row["type"], tuple(n for n in names if n != each))) for each in names]
    return tuple(entries)


def _topic(label: str) -> frozenset[str]:
    words = [w for w in text.words(label) if w not in text.STOPWORDS and not w.isdigit()]
    return frozenset(text.stems(words))


def profile_of(columns: Iterable[Column], by: str) -> Profile:
    """Return columns as the questions of a profile, for reports and fingerprints."""
    asked = tuple(ProfileQuestion(n, c.question, c.label, c.also) for n, c in enumerate(columns, 1))
    made = Profile("questions", "Questions in plain words", group=by, questions=asked)
    kinds = ";".join(f"{c.kind} {c.unit}" for c in columns)
    return replace(made, description=kinds, digest="")
