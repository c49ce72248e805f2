from __future__ import annotations

import logging
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pypdf
import pytest

from multihop.errors import InvalidRecord
from multihop.index.readers import read, split
from multihop.index.readers.split import divide
from multihop.types import Document, Piece


def pdf(*pages: str, title: str = "") -> bytes:
    """Write a minimal PDF by hand: one line of text per page line."""
    shown = (" ".join(f"({line}) Tj 0 -20 Td" for line in page.split("\n")) if page else "" for page in pages)
    return drawn(*(f"BT /F1 12 Tf 72 700 Td {page} ET" if page else "" for page in shown), title=title)


def drawn(*pages: str, title: str = "") -> bytes:
    """Write a PDF of pages that are given as drawing instructions."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for stream in pages:
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        number = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{number + 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>" if title else "<< >>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    )
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def only(path: Path) -> Document | InvalidRecord:
    [found] = read(path)
    return found


def test_pages_become_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf("The first page speaks of evi-\ndence.", "", "The last page.", title="A Paper"))
    text = "The first page speaks of evidence.\n\f\n\fThe last page.\f"
    assert only(path) == Document("paper.pdf", text, "A Paper")


def test_passages_know_their_pages(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf("", *("Words of a page that is long. " * 50 for _ in range(3)), "The end."))
    document = only(path)
    assert isinstance(document, Document)
    pieces = split(document)
    assert [piece.page for piece in pieces] == [2, 2, 3, 3, 4, 4]
    # Where a passage goes on over several pages, the form feeds say where each begins.
    assert [piece.text.count("\f") for piece in pieces] == [0, 0, 0, 0, 0, 1]
    path.write_bytes(pdf("One page."))
    short = only(path)
    assert isinstance(short, Document)
    assert split(short) == divide(short, whole=True)[1] == [Piece("", "One page.", 1)]


def test_properties_become_metadata(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(BytesIO(pdf("Text.")))
    told = {"/Author": "A. Writer", "/Keywords": "climate, policy", "/CreationDate": "D:20200409123000Z"}
    writer.add_metadata(told)
    path = tmp_path / "paper.pdf"
    with path.open("wb") as out:
        writer.write(out)
    found = only(path)
    assert isinstance(found, Document)
    expected = {"author": "A. Writer", "keywords": ("climate", "policy"), "created": "2020-04-09T12:30:00"}
    assert found.metadata == expected


def test_the_name_stands_in_for_a_missing_title(tmp_path: Path) -> None:
    titles = (
        "", "Untitled", "\\(anonymous\\)", "Microsoft Word - Document1", "Microsoft Word - final draft.doc", "Layout 1",
        "untitled document", "report_v2.indd", "Slide 1", "Document1",
    )  # fmt: skip
    for number, title in enumerate(titles):
        (tmp_path / f"paper{number}.pdf").write_bytes(pdf("Text.", title=title))
    names = [f"paper{number}" for number in range(len(titles))]
    assert list(read(tmp_path)) == [Document(f"{name}.pdf", "Text.\f", name) for name in names]


def encrypted(password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf("Secret text.")))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_encrypted_files(tmp_path: Path) -> None:
    path = tmp_path / "secret.pdf"
    path.write_bytes(encrypted("password"))
    assert str(only(path)) == f"{path}: is encrypted; save a copy without a password"
    path.write_bytes(encrypted(""))
    found = only(path)
    assert isinstance(found, Document)
    assert found.text == "Secret text.\f"


def test_broken_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    broken = (b"", b"not a pdf", pdf("Text.")[:200], b"%PDF-1.4\nxref\n0 1\ntrailer\n<<>>\n%%EOF")
    paths = [tmp_path / f"{number}.pdf" for number in range(len(broken))]
    for path, data in zip(paths, broken, strict=True):
        path.write_bytes(data)
    for path, found in zip(paths, read(tmp_path), strict=True):
        assert isinstance(found, InvalidRecord)
        assert str(found).startswith(f"{path}: is not a readable PDF file: ")
    assert not caplog.records
    assert logging.getLogger("pypdf").level == logging.NOTSET


def test_files_without_text(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf(""))
    assert str(only(path)) == f"{path}: contains no text"


@pytest.mark.release  # a file is read anew for each cut
def test_every_way_to_cut_a_file_is_survived(tmp_path: Path) -> None:
    # Small pages: one whose text is cut away is recognized as a picture.
    whole = pdf("Some text.", "More text.").replace(b"[0 0 612 792]", b"[0 0 150 150]")
    cuts = range(0, len(whole), 37)
    for end in cuts:
        (tmp_path / f"{end:04}.pdf").write_bytes(whole[:end] + whole[end + 11 :])
    found = [type(each) for each in read(tmp_path)]
    assert len(found) == len(cuts)
    assert set(found) == {Document, InvalidRecord}


@pytest.mark.parametrize(("suffix", "library"), [("pdf", "pypdf"), ("docx", "docx")])
def test_without_the_library(suffix: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"a.{suffix}").write_bytes(b"")
    # Files of this format are read in another process, which looks for the library in the same places.
    without = tmp_path / ".without"
    without.mkdir()
    (without / f"{library}.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(without)
    (tmp_path / "b.txt").write_text("Another.")
    said, other = read(tmp_path)
    assert isinstance(said, InvalidRecord)
    assert re.search(rf'a.{suffix}: Reading {suffix.upper()} files needs .* pip install .*\[files\]"', str(said))
    assert other == Document("b.txt", "Another.", "b")


def test_a_program_may_end_before_everything_was_read(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.pdf").write_bytes(pdf("Text."))
    program = f"from multihop.index.readers import read; kept = read({str(tmp_path)!r}); print(next(kept).id)"
    ended = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "a.pdf\n", "")


def placed(*words: tuple[int, int, str]) -> bytes:
    """Write a page with words at places."""
    return drawn("".join(f"BT /F1 11 Tf {x} {y} Td ({word}) Tj ET\n" for x, y, word in words))


TABLE = (
    (60, 700, "Key figures, EUR million"), (240, 685, "2023"), (420, 685, "2022"), (60, 670, "Net sales"),
    (240, 670, "590.6"), (420, 670, "730.7"), (60, 655, "Operating profit"), (420, 655, "67.1"),
    (60, 620, "Sales fell in 2023."),
)  # fmt: skip
ROWS = [
    "Key figures, EUR million: Net sales · 2023: 590.6 · 2022: 730.7",
    "Key figures, EUR million: Operating profit · 2022: 67.1",
]


def test_rows_of_tables_have_the_names_of_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(placed(*TABLE))
    document = only(path)
    assert isinstance(document, Document)
    lines = [line.strip() for line in document.text.rstrip("\f").split("\n")]
    assert [line for line in lines if "·" in line] == ROWS
    assert "Sales fell in 2023." in lines
    # Written column by column, the rows are put together all the same.
    path.write_bytes(placed(*sorted(TABLE[:-1]), TABLE[-1]))
    document = only(path)
    assert isinstance(document, Document)
    assert [line for line in document.text.rstrip("\f").split("\n") if "·" in line] == ROWS


def test_figures_in_narrow_columns_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    columns = (60, 180, 219, 258)
    rows = (
        ("Procedure", "2021", "2022", "2023"),
        ("Ablation", "1,204", "1,281", "1,340"),
        ("Stent", "612", "655", "641"),
    )
    words = [(x, 700 - 15 * y, word) for y, row in enumerate(rows) for x, word in zip(columns, row, strict=True)]
    path.write_bytes(placed(*words))
    document = only(path)
    assert isinstance(document, Document)
    assert [line for line in document.text.rstrip("\f").split("\n") if "·" in line] == [
        "Procedure: Ablation · 2021: 1,204 · 2022: 1,281 · 2023: 1,340",
        "Procedure: Stent · 2021: 612 · 2022: 655 · 2023: 641",
    ]


def test_signs_of_currencies_and_parentheses_belong_to_their_figures(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    row = ((200, "$"), (260, "590"), (300, "$"), (340, r"\(73"), (370, r"\)"), (410, "8"), (424, "%"))
    heads = (60, 700, "In millions"), (250, 685, "2023"), (340, 685, "2022"), (400, 685, "Change")
    lines = (("Net income", 670), ("Taxes", 655))
    path.write_bytes(
        placed(*heads, *(word for name, y in lines for word in ((60, y, name), *((x, y, w) for x, w in row))))
    )
    document = only(path)
    assert isinstance(document, Document)
    assert [line for line in document.text.rstrip("\f").split("\n") if "·" in line] == [
        f"In millions: {name} · 2023: $ 590 · 2022: $ (73 ) · Change: 8 %" for name, _ in lines
    ]


def test_pages_that_place_each_word_alone_are_read_by_lines(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    words = "We employed 310 people in Port Alder Oregon".split()
    # Each word is followed by a line that is blank, as some programs write them.
    page = "".join(
        f"BT /F1 11 Tf 14 TL {60 + 62 * n} {700 - 40 * row} Td ({word}) Tj T* ( ) Tj ET\n"
        for row in range(3)
        for n, word in enumerate(words)
    )
    path.write_bytes(drawn(page))
    document = only(path)
    assert isinstance(document, Document)
    lines = [line.strip() for line in document.text.rstrip("\f").split("\n") if line.strip()]
    assert lines == [" ".join(words)] * 3


def test_prose_in_two_columns_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    said = "In 2023 the river rose by 4 m"
    path.write_bytes(placed(*((x, y, said) for y in (700, 685, 670) for x in (60, 330))))
    document = only(path)
    assert isinstance(document, Document)
    assert "·" not in document.text


def test_headings_among_the_rows_do_not_end_a_table(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    heads = (
        (200, 730, r"\(In millions, except the number of shares, which is in thousands\)"),
        (340, 715, "Years ended"), (300, 700, "June 2,"), (420, 700, "June 3,"), (300, 688, "2023"), (420, 688, "2022"),
        (60, 672, "ASSETS"), (60, 657, "Current assets:"),
    )  # fmt: skip
    rows = (("Cash", 642, "4,236", "3,844"), ("Total current assets", 627, "8,996", "8,669"))
    later = ((60, 612, "Other assets:"), (60, 597, "Total assets"), (290, 597, "$ 27,165"), (410, 597, "$ 27,241"))
    cells = [each for name, y, a, b in rows for each in ((60, y, name), (300, y, a), (420, y, b))]
    end = ((60, 570, "Prose that goes on over the width of the page ends the table, as long as a line is that wide."),)
    other = ((60, 555, "Staff"), (300, 555, "12"), (420, 555, "13"))
    path.write_bytes(placed(*heads, *cells, *later, *end, *other))
    document = only(path)
    assert isinstance(document, Document)
    assert [line for line in document.text.rstrip("\f").split("\n") if "·" in line] == [
        "In millions: Cash · June 2, 2023: 4,236 · June 3, 2022: 3,844",
        "In millions: Total current assets · June 2, 2023: 8,996 · June 3, 2022: 8,669",
        "In millions: Total assets · June 2, 2023: $ 27,165 · June 3, 2022: $ 27,241",
    ]


def test_the_unit_may_stand_below_the_years(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    heads = (300, 700, "2023"), (420, 700, "2022"), (330, 688, r"\(In millions\)"), (60, 672, "Assets")
    path.write_bytes(placed(*heads, (60, 657, "Cash"), (300, 657, "4,236"), (420, 657, "3,844")))
    document = only(path)
    assert isinstance(document, Document)
    assert "(In millions): Cash · 2023: 4,236 · 2022: 3,844" in document.text
