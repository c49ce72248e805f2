"""A small invented company: files of many formats, questions about them and claims to check.

`written` makes the folder that a user would index. Text formats are committed as they are; Word documents, workbooks
and PDF files are made of the texts that stand beside them as `name.docx.txt`, `name.xlsx.txt` and `name.pdf.txt`. All
people, companies and vessels are made up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal

from multihop import Engine
from multihop.index.readers import read
from multihop.text import contains, words
from multihop.types import Answer

HERE = Path(__file__).parent
FILES = HERE / "files"
PAGE = "-----"
"""The line between two pages in the text of a PDF file."""


@dataclass(frozen=True, slots=True)
class CompanyQuestion:
    """A question with the answers that are accepted: any of them, but all of them where `shape` is "list".

    One that cannot be answered has none, and no gold files.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    kind: Literal["multi-hop", "single", "unanswerable"]
    shape: str
    """What is asked for: span, date, amount, number, cell, phone, count, list, comparison, difference
    (or a sum of figures), yes/no or none."""


@dataclass(frozen=True, slots=True)
class CompanyClaim:
    """A claim, whether the gold files support it, contradict it or leave it undecided, and by what it was made so."""

    id: str
    claim: str
    label: Literal["supported", "contradicted", "undecided"]
    gold: tuple[str, ...]
    how: str


def questions() -> list[CompanyQuestion]:
    """Give all questions, in the order of their ids."""
    return [
        CompanyQuestion(
            row["id"], row["question"], tuple(row["answers"]), tuple(row["gold"]), row["kind"], row["shape"]
        )
        for row in map(json.loads, (HERE / "questions.jsonl").read_text("utf-8").splitlines())
    ]


def claims() -> list[CompanyClaim]:
    """Give all claims, in the order of their ids."""
    return [
        CompanyClaim(row["id"], row["claim"], row["label"], tuple(row["gold"]), row["how"])
        for row in map(json.loads, (HERE / "claims.jsonl").read_text("utf-8").splitlines())
    ]


def is_right(question: CompanyQuestion, found: Answer) -> bool:
    """Tell whether an answer is one of those accepted, all of them in a list, or none where there is none.

    An answer may have more words than the accepted one, such as a unit, but no other number.
    """
    if not question.answers:
        return not found.text
    said = words(found.text)
    holds = [contains(said, words(answer)) for answer in question.answers]
    if question.shape == "list":
        return all(holds)
    numbers = {word for answer in question.answers for word in words(answer) if word.isdigit()}
    return any(holds) and (not numbers or all(word in numbers for word in said if word.isdigit()))


def indexed(files: Path, index: Path) -> Engine:
    """Write the files of the company into a folder, index them, and give the open index."""
    engine = Engine.open(index, create=True)
    engine.add(document for document in read(written(files)))
    return engine


def written(folder: Path) -> Path:
    """Write the files of the company into a folder; gold files are named by their path in it."""
    for source in sorted(FILES.rglob("*")):
        if source.is_file():
            made = folder / source.relative_to(FILES)
            made.parent.mkdir(parents=True, exist_ok=True)
            make = _MADE.get("".join(source.suffixes[-2:]))
            if make is None:
                made.write_bytes(source.read_bytes())
            else:
                made.with_suffix("").write_bytes(make(source.read_text("utf-8")))
    return folder


def _word(text: str) -> bytes:
    import docx

    word = docx.Document()
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            table = word.add_table(len(rows), len(rows[0]))
            for row, cells in zip(table.rows, rows, strict=True):
                for cell, said in zip(row.cells, cells, strict=True):
                    cell.text = said
            for cell in table.rows[0].cells:
                cell.paragraphs[0].runs[0].bold = True
            rows = []
        if line.startswith("#"):
            marks, _, name = line.partition(" ")
            word.add_heading(name, len(marks) if len(marks) > 1 else 0)
        elif line.startswith("- "):
            word.add_paragraph(line[2:], style="List Bullet")
        elif line:
            word.add_paragraph(line)
    data = BytesIO()
    word.save(data)
    return data.getvalue()


def _workbook(text: str) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for line in text.splitlines():
        if line.startswith("# "):
            sheet = book.create_sheet(line[2:])
        else:
            sheet.append([_number(cell.strip()) for cell in line.split("|")])
    data = BytesIO()
    book.save(data)
    return data.getvalue()


def _number(cell: str) -> str | float:
    try:
        return float(cell) if "." in cell else int(cell)
    except ValueError:
        return cell


def _pdf(text: str) -> bytes:
    """Write a PDF file by hand: Helvetica in the encoding of Windows, a line of the page for each line."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", font]
    pages = []
    for page in text.split(f"{PAGE}\n"):
        lines = [_escaped(line) for line in page.splitlines()]
        stream = b"BT /F1 12 Tf 72 720 Td " + b" ".join(b"(%s) Tj 0 -18 Td" % line for line in lines) + b" ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        resources = b"/Resources << /Font << /F1 3 0 R >> >>"
        body = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R %s >>"
        objects.append(body % (len(objects), resources))
        pages.append(len(objects))
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, end)


def _escaped(line: str) -> bytes:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")


_MADE = {".docx.txt": _word, ".xlsx.txt": _workbook, ".pdf.txt": _pdf}
