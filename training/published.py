"""Read public data sets about tables and about easily confused claims, from copies of their repositories.

Each is read from one folder, named as its repository is: WikiTableQuestions (Pasupat and Liang 2015), TAT-QA (Zhu et
al. 2021), Table-Fact-Checking (Chen et al. 2020), fool-me-twice (Eisenschlos et al. 2021) and Breaking_NLI (Glockner et
al. 2018; no license is stated, so it is only measured on), HybridQA (Chen et al. 2020) with WikiTables-WithLinks beside
it, and ReAct for its copy of claims of FEVER (Thorne et al. 2018). Cells of their tables are also asked for and stated
by templates. Tables are written as the package writes them: a
row is a unit, each cell with the name of its column.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from contrast import Example, Verdict

from multihop.models.wordpiece import tokens
from multihop.text.units import SEPARATOR

CELLS = 16000
_LONGEST_ROW = 300
_LINKED, _FEW_PLACES, _TABLE_ROOM = ("tables_tok", "request_tok"), 3, 150
_CELL_QUESTIONS = (
    "What is the {c} of {k}?", "What is {k}'s {c}?", "{c} of {k}?", "Which {c} does {k} have?", "What {c} has {k}?",
    "What is listed as the {c} of {k}?", "For {k}, what is the {c}?", "{k}: what is the {c}?",
    "Which {c} belongs to {k}?",
)  # fmt: skip
_NAME_QUESTIONS = ("Which {n} has {v} as its {c}?", "Which {n} has the {c} {v}?", "What {n} has {c} {v}?")
_CELL_CLAIMS = ("The {c} of {k} is {v}.", "{k}'s {c} is {v}.", "{k} has {v} as its {c}.", "For {k}, the {c} was {v}.")
_DENIALS = ("The {c} of {k} is not {v}.", "{k}'s {c} is not {v}.", "{k} does not have {v} as its {c}.")
_OVER_ROWS = re.compile(
    r"\b(how many|how much more|total|difference|average|more|most|least|fewest|fewer|less|first|last|final|before"
    r"|after|next|previous|above|below|only|same|other|either|between|consecutive|top|bottom|\w+est)\b",
    re.IGNORECASE,
)
"""Words of statements that depend on all rows: such a table is read whole or not at all."""
_BOTH = {"SUPPORTS": Verdict.SUPPORTED, "REFUTES": Verdict.CONTRADICTED}
_OF_FEVER = {**_BOTH, "NOT ENOUGH INFO": Verdict.NEITHER}
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-COLON-": ":", "_": " "}
"""How FEVER writes some characters of a title."""
_NLI = {"entailment": Verdict.SUPPORTED, "contradiction": Verdict.CONTRADICTED, "neutral": Verdict.NEITHER}


class Table(NamedTuple):
    """The names of the columns, the rows, and the column that names each row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    by: int


class TableQuestion(NamedTuple):
    """A question, lines of text and rows, the answer, the number of the line it stands in, and articles of names."""

    text: str
    lines: Sequence[str]
    answer: str
    where: int
    articles: Sequence[str] = ()
    """What names in the lines lead to; the answer stands in the first of them where `where` is negative."""


def questions(folder: Path, room: int, chance: random.Random) -> dict[str, Iterator[TableQuestion]]:
    """Give the questions of every set that is there; `room` is how many tokens of a table are kept."""
    found = {}
    if tables := _tables(folder):
        found["cells"] = _cell_questions(tables, room, chance)
    if (path := folder / "TAT-QA" / "dataset_raw").is_dir():
        found["tatqa"] = _financial_reports(path)
    if (path := folder / "HybridQA" / "released_data" / "dev.traced.json").exists():
        found["hybrid"] = _over_tables_and_articles(path, folder / "WikiTables-WithLinks", chance)
    return found


def claims(folder: Path, room: int, chance: random.Random) -> dict[str, Iterator[Example]]:
    """Give the claims of every set that is there."""
    found = {}
    if tables := _tables(folder):
        found["cells"] = _cell_claims(tables, room, chance)
    if (path := folder / "Table-Fact-Checking").is_dir():
        found["tabfact"] = _table_facts(path, room)
    if (path := folder / "fool-me-twice" / "dataset").is_dir():
        found["foolme"] = _fooling(path)
    if (path := folder / "Breaking_NLI" / "breaking_nli_dataset.zip").exists():
        found["breaking"] = _breaking(path)
    return found


class ClaimOfFever(NamedTuple):
    """A claim, its verdict, and for each article that decides it the last sentence that is needed."""

    text: str
    verdict: Verdict
    needed: Mapping[str, int]


def claims_of_fever(folder: Path, held: bool) -> list[ClaimOfFever]:
    """Give claims of FEVER (Thorne et al. 2018) from a copy in ReAct: one in ten is held out of training."""
    found = []
    for row in map(json.loads, (folder / "ReAct" / "data" / "paper_dev.jsonl").read_text("utf-8").splitlines()):
        if (row["id"] % 10 == 0) is held:
            needed = dict[str, int]()
            for _, _, title, sentence in row["evidence"][0]:
                if title:
                    for escape, character in _ESCAPES.items():
                        title = title.replace(escape, character)
                    needed[title] = max(sentence, needed.get(title, 0))
            found.append(ClaimOfFever(row["claim"], _OF_FEVER[row["label"]], needed))
    return found


def _tables(folder: Path) -> list[Table]:
    """Read the tables whose first columns name their rows."""
    files = [(path, ",") for path in sorted((folder / "WikiTableQuestions" / "csv").glob("*/*.csv"))]
    files += [(path, "#") for path in sorted((folder / "Table-Fact-Checking" / "data" / "all_csv").glob("*.csv"))]
    found = []
    for path, separator in files:
        head, *rows = _table(path.read_text("utf-8"), separator) or [[]]
        rows = [row for row in rows if len(row) == len(head) and len(_unit(head, row)) < _LONGEST_ROW]
        if len(rows) < 2 or len(head) < 2 or not all(head):
            continue
        by = [n for n in range(min(3, len(head))) if len({row[n].lower() for row in rows}) == len(rows)]
        if named := [n for n in by if all(re.search("[^\\W\\d]{3}", row[n]) for row in rows)]:
            found.append(Table(head, rows, named[0]))
    return found


def _cell_questions(tables: Sequence[Table], room: int, chance: random.Random) -> Iterator[TableQuestion]:
    """Ask for a cell by the name of its row, or for the name by a cell."""
    for _ in range(CELLS):
        table = chance.choice(tables)
        row = chance.choice(table.rows)
        column = chance.choice([n for n in range(len(table.head)) if n != table.by])
        name, value, head = row[table.by], row[column], table.head[column]
        if not value or value.lower() == name.lower():
            continue
        lines, where = _around(table, row, room)
        if chance.random() < 0.25 and sum(other[column] == value for other in table.rows) == 1:
            form, answer = chance.choice(_NAME_QUESTIONS), name
        else:
            form, answer = chance.choice(_CELL_QUESTIONS), value
        asked = form.format(k=name, c=head, v=value, n=table.head[table.by])
        if chance.random() < 0.1:
            other = chance.choice(tables)
            lines, where = _around(other, other.rows[0], room)
            answer = ""
        yield TableQuestion(_sentence(asked), lines, answer, where)


def _cell_claims(tables: Sequence[Table], room: int, chance: random.Random) -> Iterator[Example]:
    """State a cell, that of another row, or one of a column or a row that is not there."""
    for _ in range(CELLS):
        table = chance.choice(tables)
        row = chance.choice(table.rows)
        column = chance.choice([n for n in range(len(table.head)) if n != table.by])
        name, value, head = row[table.by], row[column], table.head[column]
        others = [other[column] for other in table.rows if other[column] and other[column] != value]
        verdict = chance.choices(tuple(Verdict), (40, 38, 22))[0]
        if not value or (verdict is Verdict.CONTRADICTED and not others):
            continue
        if verdict is Verdict.CONTRADICTED:
            value = chance.choice(others)
        lines, where = _around(table, row, room)
        if verdict is Verdict.NEITHER and chance.random() < 0.5 and len(lines) > 1:
            lines = [line for line in lines if line != lines[where]]
        elif verdict is Verdict.NEITHER:
            kept = [n for n in range(len(table.head)) if n != column]
            lines = [_unit([table.head[n] for n in kept], [one[n] for n in kept]) for one in table.rows[:6]]
            lines = [line for line in lines if value not in line]
        negated = verdict is not Verdict.NEITHER and chance.random() < 0.15
        claim = chance.choice(_DENIALS if negated else _CELL_CLAIMS).format(k=name, c=head, v=value)
        if lines:
            yield Example(_sentence(claim), tuple(lines), Verdict(1 - verdict) if negated else verdict)


def _around(table: Table, row: Sequence[str], room: int) -> tuple[list[str], int]:
    """Write a row and some around it, and say which line it is."""
    lines = [_unit(table.head, each) for each in table.rows]
    where = table.rows.index(row)
    kept = _fitting([len(tokens(line, 400)) for line in lines], where, room)
    return [lines[i] for i in kept], kept.index(where)


def _financial_reports(folder: Path) -> Iterator[TableQuestion]:
    for path in sorted(folder.glob("tatqa_dataset_*.json")):
        for page in json.loads(path.read_text("utf-8")):
            table = [[_flat(cell) for cell in row] for row in page["table"]["table"]]
            texts = [_flat(each["text"]) for each in page["paragraphs"]]
            heads = next((i for i, row in enumerate(table) if row[0]), 0)
            head = [" ".join(filter(None, column)) for column in zip(*table[:heads], strict=True)] or [""] * 9
            rows = [_unit(head, row) for row in table[heads:]]
            for asked in page["questions"]:
                answer = asked.get("answer")
                if asked.get("answer_type") != "span" or not isinstance(answer, list) or len(answer) != 1:
                    continue
                told = [texts[int(n) - 1] for n in asked.get("rel_paragraphs") or () if int(n) <= len(texts)]
                lines = [*told, *rows] if "table" in asked["answer_from"] else told or texts[:2]
                wanted = _flat(str(answer[0]))
                holding = [i for i, line in enumerate(lines) if wanted.lower() in line.lower()]
                if wanted and holding:
                    where = holding[-1] if asked["answer_from"] == "table" else holding[0]
                    yield TableQuestion(asked["question"], lines, wanted, where)


def _over_tables_and_articles(path: Path, tables: Path, chance: random.Random) -> Iterator[TableQuestion]:
    """Give questions that lead through a row of a table to an article, or through an article to a row."""
    for asked in json.loads(path.read_text("utf-8")):
        name, nodes = asked["table_id"], asked["answer-node"]
        if not 0 < len(nodes) <= _FEW_PLACES:
            continue
        table, articles = (json.loads((tables / folder / f"{name}.json").read_text("utf-8")) for folder in _LINKED)
        head = [cell for cell, _ in table["header"]]
        rows = [[cell for cell, _ in row] for row in table["data"]]

        def shared(node: Any, asked: Any = asked, rows: Any = rows, articles: Any = articles) -> int:
            return _shared(f"{' '.join(rows[node[1][0]])} {articles.get(node[2], '')}", asked["question"].lower())

        _, (row, _), link, kind = max(nodes, key=shared)
        lines, where = _around(Table(head, rows, 0), rows[row], _TABLE_ROOM)
        if kind == "passage":
            told = [link]
        else:
            linked = [each for _, links in table["data"][row] for each in links if each in articles]
            told = chance.sample(linked, min(1, len(linked)))
        texts = [f"{_title(each)}: {articles[each]}" for each in told if each in articles]
        if texts or kind != "passage":
            answer = asked["answer-text"]
            lines = [f"{table['title']}:", *lines]
            yield TableQuestion(asked["question"], lines, answer, -1 if kind == "passage" else where + 1, texts)


def _title(link: str) -> str:
    return link.removeprefix("/wiki/").replace("_", " ")


def _table_facts(folder: Path, room: int) -> Iterator[Example]:
    simple = set(json.loads((folder / "data" / "simple_ids.json").read_text("utf-8")))
    simple |= set(json.loads((folder / "data" / "simple_test_id.json").read_text("utf-8")))
    for part in ("val", "test"):
        stated = json.loads((folder / "tokenized_data" / f"{part}_examples.json").read_text("utf-8"))
        for name, (statements, labels, caption) in stated.items():
            path = folder / "data" / "all_csv" / name
            if name not in simple or not path.exists():
                continue
            head, *rows = _table(path.read_text("utf-8"), "#")
            lines = [_unit(head, row) for row in rows]
            lengths = [len(tokens(line, 400)) for line in lines]
            for statement, label in zip(statements, labels, strict=True):
                kept: Sequence[int] = range(len(lines))
                if sum(lengths) > room:
                    if _OVER_ROWS.search(statement):
                        continue
                    best = max(kept, key=lambda i: _shared(lines[i], statement))
                    kept = _fitting(lengths, best, room)
                claim = _sentence(re.sub(r"\bbe\b", "is", statement), ".")
                verdict = Verdict.SUPPORTED if label else Verdict.CONTRADICTED
                yield Example(claim, (_sentence(caption, ":"), *(lines[i] for i in kept)), verdict)


def _fooling(folder: Path) -> Iterator[Example]:
    for path in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if row["label"] in _BOTH and row["gold_evidence"]:
                title = row.get("wikipedia_page") or ""
                evidence = tuple(each["text"] for each in row["gold_evidence"])
                yield Example(row["text"], (f"{title}:", *evidence) if title else evidence, _BOTH[row["label"]])


def _breaking(path: Path) -> Iterator[Example]:
    with zipfile.ZipFile(path) as packed:
        name = next(n for n in packed.namelist() if n.endswith(".jsonl") and "MACOSX" not in n)
        for row in map(json.loads, packed.read(name).decode("utf-8").splitlines()):
            if row["gold_label"] in _NLI:
                yield Example(row["sentence2"], (row["sentence1"],), _NLI[row["gold_label"]])


def _table(text: str, separator: str) -> list[list[str]]:
    quoted: dict[str, Any] = {"escapechar": "\\"} if separator == "," else {"quoting": csv.QUOTE_NONE}
    return [[_flat(cell) for cell in row] for row in csv.reader(io.StringIO(text), delimiter=separator, **quoted)]


def _unit(head: Sequence[str], row: Sequence[str]) -> str:
    cells = [(name, cell) for name, cell in zip(head, row, strict=False) if cell]
    return SEPARATOR.join(f"{name}: {cell}" if name else cell for name, cell in cells)


def _fitting(lengths: Sequence[int], needed: int, room: int) -> list[int]:
    """Choose rows around one of them while there is room."""
    kept, left = [needed], room - lengths[needed]
    for i in sorted(range(len(lengths)), key=lambda i: abs(i - needed))[1:]:
        if lengths[i] <= left:
            kept.append(i)
            left -= lengths[i]
    return sorted(kept)


def _shared(line: str, statement: str) -> int:
    said = set(statement.split())
    return sum(1 for word in set(re.findall(r"\w+", line.lower())) if word in said)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str, end: str = "") -> str:
    return f"{text[:1].upper()}{text[1:]}{end}"
