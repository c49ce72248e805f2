"""Tables in plain words, measured on documents as they were filed or published: eight or nine columns a kind.

    python benchmarks/survey_documents.py KIND FOLDER [--index FOLDER.mh] [--cells] [--examples FILE.csv]

KIND is one of the sets of truth beside this file, each with its columns and what the files state:

- filings (survey_filings.toml): annual reports; FOLDER is pdfs/ of https://github.com/patronus-ai/financebench
- contracts (survey_contracts.toml): exhibits of filings; FOLDER is full_contract_pdf/ of CUAD (zenodo.org, 4595826)
- terms (survey_terms.toml): terms of service; FOLDER is a clone of https://github.com/OpenTermsArchive/contrib-versions
- papers (survey_papers.toml): scientific papers; FOLDER holds clones of https://github.com/openjournals/jose-papers and
  https://github.com/papers-we-love/papers-we-love

Files that are missing are left out. A value is right when it is what the file states, wrong when it is another; the
page of a PDF file is right when the words that the value is quoted from stand on it. Files that rules were written on
are counted by themselves. `--examples` writes the values of the truth for `multihop profile learn` instead.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pypdfium2

from multihop import text
from multihop.engine import Engine
from multihop.index.readers.pdf_tables import letters
from multihop.rendering.csv import to_csv
from multihop.survey import survey
from multihop.survey.findings import Finding

HERE = Path(__file__).parent
KINDS = ("filings", "contracts", "papers", "terms")


def is_right(found: Finding, truth: Any, factor: float = 1.0) -> bool:
    if isinstance(truth, Mapping):
        return all(is_right(found, each) for each in truth["all"])
    if isinstance(truth, list):
        return any(is_right(found, each, factor) for each in truth if each != "")
    if isinstance(truth, str):
        return text.contains(text.words(found.value), text.words(truth)) or found.value == truth
    if found.number is None:
        return str(truth) in text.words(found.value)
    wanted = float(truth) * factor
    return abs(found.number - wanted) <= 1e-6 * abs(wanted)


def outcome(found: Finding | None, truth: Any, factor: float) -> str:
    if found is None:
        return "rightly not found" if is_open(truth) else "missed"
    return "right" if truth != "" and is_right(found, truth, factor) else "wrong"


def is_open(truth: Any) -> bool:
    """Return whether the file need not state a value."""
    return truth == "" or (isinstance(truth, list) and "" in truth)


def is_on_page(found: Finding, path: Path) -> bool:
    if found.page is None:
        return False
    said = letters(pypdfium2.PdfDocument(path)[found.page - 1].get_textpage().get_text_bounded())
    return all(letters(word) in said for word in found.words.split())


def gather(names: Iterable[str], source: Path, folder: Path) -> dict[str, Path]:
    """Copy the files of the truth from wherever they are below a folder, and give their paths."""
    wanted = {tuple(name.split("/")): name for name in names}
    found: dict[str, Path] = {}
    for path in sorted(source.rglob("*")):
        for depth in (1, 2):
            name = wanted.get((*path.parts[-depth:-1], path.stem))
            if name and path.is_file() and path.suffix.lower() in (".pdf", ".md"):
                found[name] = folder / f"{name}{path.suffix}"
                found[name].parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, found[name])
    return found


def examples(files: Mapping[str, Path], truth: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the columns in which a file states one value in words."""
    for name, path in files.items():
        for column, asked in truth["columns"].items():
            if isinstance(asked, str) and isinstance(truth[name][column], str) and truth[name][column]:
                yield path.name, asked, truth[name][column]


def measure(
    engine: Engine, folder: Path, files: Mapping[str, Path], truth: Mapping[str, Any], *, cells: bool
) -> Counter[str]:
    columns: dict[str, dict[str, Any]] = {
        name: {"ask": c} if isinstance(c, str) else c for name, c in truth["columns"].items()
    }
    rows = {path.relative_to(folder).as_posix(): (path, truth[name]) for name, path in files.items()}
    counts: Counter[str] = Counter()
    for year in sorted({about.get("year", 0) for _, about in rows.values()}):
        asked = [column["ask"].format(year=year) for column in columns.values()]
        groups = [name for name, (_, about) in rows.items() if about.get("year", 0) == year]
        for row in survey(engine, ask=asked, groups=groups).groups:
            path, about = rows[row.group]
            part = "tuned" if about.get("tuned") else "held out"
            for column, answer in zip(columns, row.answers, strict=True):
                first, value = answer.findings[0] if answer.findings else None, about[column]
                said = outcome(first, value, columns[column].get("factor", 1.0))
                counts[f"{part} {said}"] += 1
                counts[f"{part} cells"] += 1
                counts[f"{part} stated"] += said in ("right", "missed") or not is_open(value)
                if first and said == "right" and path.suffix.lower() == ".pdf":
                    counts[f"{part} paged"] += 1
                    counts[f"{part} page right"] += is_on_page(first, path)
                counts[f"{column} {said}"] += 1
                if cells and said in ("wrong", "missed"):
                    print(f"  {said:6} {path.stem[:28]:28} {column:15} {value!r}: {describe(first)}", flush=True)
    return counts


def describe(found: Finding | None) -> str:
    if found is None:
        return "-"
    return f"{found.text!r} ({found.confidence:.2f}, p. {found.page}, {found.found_by}: {found.sentence[:200]!r})"


def show(part: str, counts: Counter[str]) -> None:
    right, stated, cells = (counts[f"{part} {name}"] for name in ("right", "stated", "cells"))
    wrong, missed, paged = (counts[f"{part} {name}"] for name in ("wrong", "missed", "paged"))
    print(
        f"{part:9} right {right} of {stated} stated ({right / stated:.1%}), wrong {wrong} of {cells} cells "
        f"({wrong / cells:.1%}), missed {missed}, page right {counts[f'{part} page right']} of {paged}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", default="", help="an index to keep; files are read again only where they changed")
    parser.add_argument("--cells", action="store_true", help="list every cell that is not right")
    parser.add_argument("--examples", type=Path, help="write the values that files state as examples, and end")
    given = parser.parse_args()
    source = HERE / f"survey_{given.kind}.toml"
    truth = tomllib.loads(source.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as place:
        index = Path(given.index or f"{place}/x.mh")
        folder = index.with_suffix(".files")
        files = gather(truth.keys() - {"columns"}, given.folder, folder)
        if not files:
            parser.error(f"{given.folder} has none of the files of {source.name}, such as {list(truth)[1]}")
        with Engine.open(index, create=True) as engine:
            engine.sync(folder)
            if given.examples:
                given.examples.write_text(
                    "".join(to_csv(("file", "question", "value"), examples(files, truth))), "utf-8"
                )
                return
            counts = measure(engine, folder, files, truth, cells=given.cells)
    print(f"{len(files)} files")
    for part in ("tuned", "held out"):
        if counts[f"{part} cells"]:
            show(part, counts)
    for column in truth["columns"]:
        print(
            f"{column:16} " + ", ".join(f"{said} {counts[f'{column} {said}']}" for said in ("right", "wrong", "missed"))
        )


if __name__ == "__main__":
    main()
