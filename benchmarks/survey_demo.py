"""From a folder of PDFs to the analyst's table, as a person would do it on the command line.

Writes contributions of the climate dataset (those that the rules were built on) as PDF files, named and foldered as
people keep them, indexes the folder, runs the survey and prints what was found.

    python benchmarks/survey_demo.py --data datasets [--countries 12] [--out runs/survey-demo]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

LINES, COLUMNS = 54, 95


def pdf(title: str, text: str) -> bytes:
    """Write a text as a PDF of A4 pages in Helvetica, the simplest file that every reader of PDFs understands."""
    lines = [line for paragraph in text.splitlines() for line in textwrap.wrap(paragraph, COLUMNS) or [""]]
    pages = [lines[i : i + LINES] for i in range(0, len(lines), LINES)] or [[]]
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title (" + _string(title) + b") >>",
    ]
    for place, page in enumerate(pages):
        shown = b"\n".join(b"(" + _string(line) + b") '" for line in page)
        stream = zlib.compress(b"BT /F1 10 Tf 14 TL 50 800 Td\n" + shown + b"\nET")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * place} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode() + stream + b"\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode() + end.encode()


def _string(line: str) -> bytes:
    # Bullets of a font of symbols have no other place in this encoding.
    plain = re.sub("[\ue000-\uf8ff]", "•", line)
    return re.sub(rb"([\\()])", rb"\\\1", plain.encode("cp1252", "replace"))


def write_folder(data: Path, folder: Path, count: int) -> None:
    """Write every other contribution into the folder of its year, and say of one in a metadata.csv what it is."""
    rows = [json.loads(line) for line in (data / "climate" / "ndc_docs.jsonl").read_text("utf-8").splitlines()]
    for row in rows[2::2][:count]:
        place = folder / row["submission_date"][:4]
        place.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w' ()-]", " ", f"{row['country']} NDC {row['submission_date']}")
        (place / f"{name}.pdf").write_bytes(pdf(row["title"], row["text"]))
    last = rows[0]
    (folder / "scan0007.pdf").write_bytes(pdf("", last["text"]))
    said = f"scan0007.pdf,{last['country']},{last['submission_date']},{last['title']}"
    (folder / "metadata.csv").write_text(f"file,country,date,title\n{said}\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--countries", type=int, default=12)
    parser.add_argument("--out", type=Path, default=Path("runs/survey-demo"))
    options = parser.parse_args()
    folder, index = options.out / "ndc", options.out / "ndc.mh"
    write_folder(options.data, folder, options.countries)
    for command in (
        ["index", folder, "--to", index, "--embedder", "wordllama", "--profile", "climate", "--word2vec"],
        ["survey", "--profile", "climate", "--index", index, "--out", options.out / "survey"],
    ):
        print("$ multihop", *command, flush=True)
        subprocess.run([sys.executable, "-m", "multihop", *map(str, command)], check=True)


if __name__ == "__main__":
    main()
