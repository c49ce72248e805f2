# ruff: noqa: E501  # the sentences of made files are easier to read on one line
"""Tables in plain words, measured: made reports, contracts, CVs, policies and papers with known values.

    python benchmarks/survey_questions.py --seed 2 [--files 24] [--cells] [--store postgresql://…]

Files are written as Markdown, HTML, DOCX, XLSX, text and PDF in turn. A value is right when it is what the file states,
in number and unit; wrong when it is another; missed when it is "not found" though the file states it. The rules were
written with seeds 1 to 4; report another one.
"""

from __future__ import annotations

import argparse
import html
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import docx
import xlsxwriter

from multihop import text
from multihop.engine import Engine
from multihop.survey import survey
from multihop.survey.findings import Finding

FORMATS = ("md", "html", "docx", "xlsx", "txt", "pdf")
COLUMNS = {
    "reports": ("Revenue in 2023", "Net profit in 2023", "Number of employees", "Who audits it?", "Headquarters",
                "Chief executive", "Total assets in 2022", "Share of revenue from abroad", "Dividend per share"),
    "contracts": ("Date of signature", "Notice period", "Governing law", "Annual fee", "Supplier", "Customer",
                  "Liability cap", "Payment term", "Duration of the contract"),
    "cvs": ("Name", "Current employer", "University", "Date of birth", "City", "Languages", "Years of experience",
            "Email", "Nationality"),
    "policies": ("Effective date", "Version", "Policy owner", "Approved by", "Review interval", "Retention period",
                 "Contact", "Deadline for reports", "Who it applies to"),
    "papers": ("Authors", "Number of participants", "Funding", "Journal", "Year of publication", "Data set",
               "Main result", "Method", "Limitations"),
}  # fmt: skip
FIRST = "Anna Karel Ingrid Tomas Leila Marek Sofia Jonas Petra Henrik Clara Viktor Nadia Oskar Elena Pavel".split()
LAST = "Novak Lindqvist Hansen Moreau Okafor Dvorak Petrov Salinas Weber Horvat Jensen Rossi Kovac Maes Nowak".split()
TOWNS = "Brno Bergen Ghent Porto Graz Turku Lyon Aarhus Malaga Leipzig Tartu Split Bologna Gdansk Utrecht".split()
STEMS = "Orlice Baltic Kestrel Tarn Vesper Halden Corvus Lumen Aster Brenta Fjord Sable Nimbus Quarry Tessel".split()
TRADES = "Glass Panes Foods Logistics Textiles Instruments Timber Marine Optics Ceramics Energy Paper".split()
FORMS = ("AS", "GmbH", "Ltd", "NV", "Oy", "S.A.", "plc")
AUDITORS = ("KPMG", "Deloitte", "BDO", "Mazars", "Grant Thornton", "Ernst & Young")
LAWS = ("Czech", "Norwegian", "German", "Dutch", "Finnish", "Portuguese", "Austrian", "Danish")
TONGUES = "English German French Czech Norwegian Spanish Polish Finnish Italian Dutch".split()
MONTHS = "January February March April May June July August September October November December".split()
NUMBERS = {
    1: "one",
    2: "two",
    3: "three",
    4: "four",
    6: "six",
    12: "twelve",
    30: "thirty",
    45: "forty-five",
    14: "fourteen",
}


@dataclass
class File:
    """A made file: blocks of text (a list of rows is a table, with a caption before it), and what is true of it."""

    pages: list[list[object]] = field(default_factory=list)
    truth: dict[str, tuple[object, int]] = field(default_factory=dict)
    """The value of each column that the file states, and the page of it."""

    def add(self, *blocks: object, page: int = 0, **_: object) -> None:
        while len(self.pages) <= page:
            self.pages.append([])
        self.pages[page] += blocks

    def is_true(self, column: str, value: object, page: int = 0) -> None:
        self.truth[column] = (value, page + 1)


def person(r: random.Random) -> str:
    return f"{r.choice(FIRST)} {r.choice(LAST)}"


def firm(r: random.Random) -> str:
    return f"{r.choice(STEMS)} {r.choice(TRADES)} {r.choice(FORMS)}"


def day(r: random.Random, first: int = 2015, last: int = 2024) -> tuple[str, str]:
    y, m, d = r.randint(first, last), r.randint(1, 12), r.randint(1, 28)
    shown = r.choice([f"{d} {MONTHS[m - 1]} {y}", f"{MONTHS[m - 1]} {d}, {y}", f"{y}-{m:02}-{d:02}"])
    return f"{y}-{m:02}-{d:02}", shown


def filler(r: random.Random) -> str:
    return r.choice([
        "Demand held up well in the first half and weakened towards the end of the year.",
        "We opened a second warehouse in 2021 and closed the old one two years later.",
        "The weather was mild, which helped the transport of goods over the passes.",
        "Our suppliers were visited 14 times, and most of them passed the inspection.",
        "Energy prices fell by 12% in the second quarter, after a rise of 30% in the year before.",
        "The committee met five times and discussed the plans for the coming three years.",
    ])  # fmt: skip


def report(r: random.Random) -> File:
    f, name = File(), firm(r)
    unit, factor = r.choice(
        [("EUR million", 1e6), ("EUR thousand", 1e3), ("CHF million", 1e6), ("in thousands of euros", 1e3)]
    )
    currency = "CHF" if "CHF" in unit else "EUR"
    scale = 1.0 if factor == 1e6 else 1000.0

    def figure(low: float, high: float) -> tuple[str, float]:
        number = round(r.uniform(low, high) * scale, 1 if scale == 1 else 0)
        return f"{number:,.1f}" if scale == 1 else f"{number:,.0f}", number * factor

    f.add("# Annual report 2023", f"{name} is a producer of goods for houses and ships.", filler(r))
    town, chief, auditor = r.choice(TOWNS), person(r), r.choice(AUDITORS)
    f.add(
        r.choice(
            [
                f"Its headquarters are in {town}.",
                f"The company is headquartered in {town}.",
                f"The registered office of the group is in {town}, from where it is run.",
            ]
        )
    )
    f.is_true("Headquarters", town)
    f.add(
        r.choice(
            [
                f"{chief}, the chief executive, took over in 2019.",
                f"The group is led by its chief executive {chief}.",
                f"Chief executive: {chief}",
            ]
        ),
        filler(r),
    )
    f.is_true("Chief executive", chief)
    rows: list[list[str]] = [[r.choice(["", "Item"]), "2023", "2022"]]
    (a, va), (b, _) = figure(100, 900), figure(100, 900)
    rows.append([r.choice(["Revenue", "Net sales", "Total revenue", "Turnover"]), a, b])
    f.is_true("Revenue in 2023", (va, currency), 1)
    rows.append(["Cost of sales", figure(50, 90)[0], figure(50, 90)[0]])
    (a, va), (b, _) = figure(5, 60), figure(5, 60)
    rows.append(["Operating profit", figure(60, 80)[0], figure(60, 80)[0]])
    rows.append([r.choice(["Net profit", "Profit for the year", "Net income"]), a, b])
    f.is_true("Net profit in 2023", (va, currency), 1)
    if r.random() < 0.85:
        (a, _), (b, vb) = figure(200, 2000), figure(200, 2000)
        rows.append(["Total assets", a, b])
        f.is_true("Total assets in 2022", (vb, currency), 1)
    caption = r.choice([f"Key figures ({unit})", f"Key figures, {unit}"]) if unit[0] != "i" else f"Key figures, {unit}"
    f.add("# Key figures", caption, rows, filler(r), page=1)
    people = r.randint(40, 9000)
    if r.random() < 0.5:
        f.add(
            "# People",
            r.choice(
                [
                    f"At the end of the year we had {people:,} employees.",
                    f"The group employed {people:,} people on 31 December 2023.",
                    f"{people:,} people worked for the company at the end of 2023, 31 more than a year before.",
                ]
            ),
            page=2,
        )
    else:
        f.add(
            "# People",
            [
                ["Staff", "2023", "2022"],
                [
                    r.choice(["Employees", "Number of employees", "Employees at year end"]),
                    f"{people:,}",
                    f"{r.randint(40, 9000):,}",
                ],
                ["Apprentices", "31", "29"],
            ],
            page=2,
        )
    f.is_true("Number of employees", (float(people), ""), 2)
    if r.random() < 0.8:
        share = r.randint(10, 90)
        q = r.choice(["", " (Europe only)"])
        f.add(
            r.choice(
                [
                    f"The share of revenue from abroad was {share}%{q}.",
                    f"Customers abroad accounted for {share} %{q} of revenue.",
                ]
            ),
            page=2,
        )
        f.is_true("Share of revenue from abroad", (float(share), "%"), 2)
    if r.random() < 0.7:
        cents = r.randint(20, 400) / 100
        f.add(
            r.choice(
                [
                    f"The board proposes a dividend of {currency} {cents:.2f} per share.",
                    f"A dividend per share of {currency} {cents:.2f} is proposed.",
                ]
            ),
            page=2,
        )
        f.is_true("Dividend per share", (cents, currency), 2)
    if r.random() < 0.85:
        f.add(
            "# Audit",
            r.choice(
                [
                    f"The accounts were audited by {auditor}.",
                    f"Auditor: {auditor}",
                    f"{auditor} has audited the consolidated accounts and has no objections.",
                ]
            ),
            page=2,
        )
        f.is_true("Who audits it?", auditor, 2)
    f.add(filler(r), page=2)
    return f


def contract(r: random.Random) -> File:
    f, supplier, customer = File(), firm(r), firm(r)
    iso, shown = day(r)
    f.add("# " + r.choice(["Supply agreement", "Service contract", "Framework agreement"]))
    f.add(r.choice([
        f"This agreement was signed on {shown} between {supplier} (the Supplier) and {customer} (the Customer).",
        f"{supplier}, the supplier, and {customer}, the customer, have agreed on what follows. It was signed on {shown}.",
        f"Parties: {supplier} as supplier; {customer} as customer. Signed on {shown}.",
    ]))  # fmt: skip
    f.is_true("Date of signature", iso)
    f.is_true("Supplier", supplier)
    f.is_true("Customer", customer)
    years = r.choice([1, 2, 3, 4])
    w = NUMBERS[years]
    f.add(
        "# Term",
        r.choice(
            [
                f"The contract runs for {w} years." if years > 1 else "The contract runs for one year.",
                f"It is concluded for a term of {years} years."
                if years > 1
                else "It is concluded for a term of 1 year.",
                f"This agreement stays in force for {w} ({years}) years from its signature."
                if years > 1
                else "This agreement stays in force for one (1) year from its signature.",
            ]
        ),
    )
    f.is_true("Duration of the contract", (float(years * 12), "months"))
    if r.random() < 0.85:
        notice = r.choice([1, 2, 3, 6])
        n = NUMBERS[notice]
        s = "s" if notice > 1 else ""
        f.add(
            "# Termination",
            r.choice(
                [
                    f"Either party may end it at {n} month{s}' notice."
                    if s
                    else "Either party may end it at one month's notice.",
                    f"Termination requires written notice of {notice} month{s}.",
                    f"The notice period is {n} month{s} to the end of a quarter.",
                ]
            ),
        )
        f.is_true("Notice period", (float(notice), "months"))
    fee = r.randint(10, 900) * 1000
    cur = r.choice(["EUR", "CZK", "NOK", "USD"])
    f.add(
        "# Price",
        r.choice(
            [
                f"The customer pays an annual fee of {cur} {fee:,}.",
                f"For the services {cur} {fee:,} a year are due as the annual fee.",
                f"The fee is {cur} {fee / 1000:g} thousand per year.",
            ]
        ),
        page=1,
    )
    f.is_true("Annual fee", (float(fee), cur), 1)
    if r.random() < 0.85:
        days = r.choice([14, 30, 45])
        f.add(
            r.choice(
                [
                    f"Invoices are payable within {days} days.",
                    f"Payment is due {NUMBERS[days]} days after receipt of the invoice.",
                    f"The payment term is {days} days.",
                ]
            ),
            page=1,
        )
        f.is_true("Payment term", (float(days), "days"), 1)
    if r.random() < 0.7:
        cap = r.randint(1, 20) * 100_000
        f.add(
            "# Liability",
            r.choice(
                [
                    f"Liability is limited to {cur} {cap:,} in total.",
                    f"Neither party is liable for more than {cur} {cap / 1e6:g} million.",
                    f"The liability of the supplier is capped at {cur} {cap:,}.",
                ]
            ),
            page=1,
        )
        f.is_true("Liability cap", (float(cap), cur), 1)
    if r.random() < 0.85:
        law = r.choice(LAWS)
        f.add(
            "# Law",
            r.choice(
                [
                    f"{law} law governs this agreement.",
                    f"This agreement is governed by {law} law, and the courts of {r.choice(TOWNS)} decide.",
                    f"The contract is subject to the laws of the {law} state, that is, {law} law.",
                ]
            ),
            page=1,
        )
        f.is_true("Governing law", law, 1)
    f.add(
        "# Other matters",
        "Changes of this agreement need the written form. Should a clause be void, the others stay in force.",
        page=1,
    )
    return f


def cv(r: random.Random) -> File:
    f, name = File(), person(r)
    employer, school, town = firm(r), f"University of {r.choice(TOWNS)}", r.choice(TOWNS)
    iso, shown = day(r, 1965, 1999)
    email = f"{name.lower().replace(' ', '.')}@example.org"
    country = r.choice(["Norwegian", "Czech", "German", "Finnish", "Spanish", "Dutch"])
    tongues = r.sample(TONGUES, 3)
    years = r.randint(2, 30)
    f.is_true("Name", name)
    f.is_true("City", town)
    f.is_true("Email", email)
    if r.random() < 0.5:
        f.add(
            f"# Curriculum vitae of {name}",
            [["Name", name], ["Date of birth", shown], ["City", town], ["Email", email], ["Nationality", country]],
        )
        f.is_true("Date of birth", iso)
        f.is_true("Nationality", country)
    else:
        f.add(f"# {name}", f"{name} lives in {town} and can be reached at {email}.")
        if r.random() < 0.7:
            f.add(f"Born on {shown}.")
            f.is_true("Date of birth", iso)
    f.add(
        "# Profile",
        r.choice(
            [
                f"I have {years} years of experience in engineering.",
                f"Engineer with {years} years' experience in the design of pumps.",
                f"Experience: {years} years",
            ]
        ),
    )
    f.is_true("Years of experience", (float(years), "years"))
    start = r.randint(2012, 2022)
    f.add(
        "# Employment",
        r.choice(
            [
                f"Since {start} I have worked at {employer} as a senior engineer.",
                f"Current employer: {employer} (since {start})",
                f"{start} to today: senior engineer at {employer}, my current employer.",
            ]
        ),
        f"From 2005 to {start} I was with {firm(r)}.",
        page=1,
    )
    f.is_true("Current employer", employer, 1)
    f.add(
        "# Education",
        r.choice(
            [
                f"I studied mechanics at the {school}.",
                f"University: {school}, master of science",
                f"Master of science from the {school} in 2004.",
            ]
        ),
        page=1,
    )
    f.is_true("University", school, 1)
    if r.random() < 0.85:
        said = f"{tongues[0]}, {tongues[1]} and {tongues[2]}"
        f.add(
            "# Languages" if r.random() < 0.5 else "# Other",
            r.choice([f"Languages: {', '.join(tongues)}", f"I speak {said}.", f"I am fluent in the languages {said}."]),
            page=1,
        )
        f.is_true("Languages", frozenset(tongues), 1)
    f.add("# Interests", "Sailing, chess and the history of bridges.", page=1)
    return f


def policy(r: random.Random) -> File:
    f = File()
    subject = r.choice(["Information security", "Travel", "Data protection", "Whistleblowing", "Remote work"])
    iso, shown = day(r)
    version = f"{r.randint(1, 6)}.{r.randint(0, 9)}"
    owner = r.choice(["Legal Department", "Finance Department", "IT Department", "Human Resources"])
    board = r.choice(["Board of Directors", "Executive Committee", "Audit Committee"])
    f.add(f"# {subject} policy")
    f.is_true("Effective date", iso)
    f.is_true("Version", version)
    f.is_true("Policy owner", owner)
    if r.random() < 0.5:
        f.add([["Version", version], ["Effective date", shown], ["Policy owner", owner], ["Approved by", board]])
        f.is_true("Approved by", board)
    else:
        f.add(
            r.choice([f"Version {version} of this policy takes effect on {shown}.",
                      f"This is version {version}. The policy is in force from {shown}."]),
            r.choice([f"The policy is owned by the {owner}.", f"Owner: {owner}",
                      f"The {owner} is the policy owner and keeps it up to date."]),
        )  # fmt: skip
        if r.random() < 0.7:
            f.add(r.choice([f"It was approved by the {board}.", f"Approved by: {board}"]))
            f.is_true("Approved by", board)
    whom = r.choice(["all employees", "employees and contractors", "staff in all subsidiaries", "all members of staff"])
    whom += r.choice(["", " of the group"])
    f.add("# Scope", r.choice([f"This policy applies to {whom}.", f"It applies to {whom}."]))
    f.is_true("Who it applies to", whom)
    if r.random() < 0.85:
        months = r.choice([6, 12, 24, 36])
        said = {6: "six months", 12: "twelve months", 24: "two years", 36: "three years"}[months]
        f.add("# Review", r.choice([f"The policy is reviewed every {said}.", f"Review interval: {said}",
                                    f"It is to be reviewed at least every {said}."]), page=1)  # fmt: skip
        f.is_true("Review interval", (float(months), "months"), 1)
    if r.random() < 0.7:
        years = r.choice([2, 3, 5, 7, 10])
        f.add("# Records", r.choice([f"Records are kept for {years} years.", f"The retention period is {years} years.",
                                     f"Documents are retained for {years} years after the end of the matter."]), page=1)  # fmt: skip
        f.is_true("Retention period", (float(years), "years"), 1)
    if r.random() < 0.7:
        hours = r.choice([24, 48, 72])
        f.add("# Incidents", r.choice([f"Incidents must be reported within {hours} hours.",
                                       f"Report every incident within {hours} hours of its discovery."]), page=1)  # fmt: skip
        f.is_true("Deadline for reports", (float(hours), "hours"), 1)
    if r.random() < 0.85:
        whom_to_ask = person(r)
        f.add("# Contact", r.choice([f"Contact: {whom_to_ask}", f"Questions are answered by {whom_to_ask}, the contact person.",
                                     f"The contact person is {whom_to_ask}."]), page=1)  # fmt: skip
        f.is_true("Contact", whom_to_ask, 1)
    f.add("# Sanctions", "A breach of this policy may lead to disciplinary action.", filler(r), page=1)
    return f


JOURNALS = (
    "Journal of Applied Hydrology",
    "Annals of Sleep Research",
    "Nordic Journal of Education",
    "European Review of Transport",
)
CORPORA = (
    "the Nordic Twin Registry",
    "the Danube Gauge Archive",
    "the Utrecht Reading Corpus",
    "the Baltic Trawl Survey",
)
FUNDERS = ("Norwegian Research Council", "Czech Science Foundation", "Academy of Finland", "Dutch Research Council")


def paper(r: random.Random) -> File:
    f, authors = File(), [person(r) for _ in range(3)]
    topic = r.choice(["sleep and memory", "river floods", "reading speed", "commuting by bicycle"])
    method = r.choice(
        [
            "a mixed-effects model",
            "a randomized controlled trial",
            "survival analysis",
            "a survey with repeated measures",
        ]
    )
    data, journal, year = r.choice(CORPORA), r.choice(JOURNALS), r.randint(2008, 2024)
    people, gain = r.randint(40, 4000), r.randint(3, 40)
    f.add(f"# A study of {topic}")
    f.is_true("Authors", frozenset(authors))
    f.add(r.choice([f"Authors: {', '.join(authors)}", f"Authors: {authors[0]}, {authors[1]} and {authors[2]}"]))
    f.add(
        *r.choice([[f"Published in the {journal}, {year}."], [f"Journal: {journal}", f"Year of publication: {year}"]])
    )
    f.is_true("Journal", journal)
    f.is_true("Year of publication", str(year))
    f.add("# Abstract", f"We study {topic}. " + r.choice([f"The method is {method}.", f"As our method we use {method}."]),
          r.choice([f"We find that the rate rose by {gain}%.", f"The main result is that the rate rose by {gain}%."]))  # fmt: skip
    f.is_true("Method", method.removeprefix("a "))
    f.is_true("Main result", f"the rate rose by {gain}%")
    f.add("# Data", r.choice([f"The data set is {data}.", f"We use {data} as our data set."]), page=1)
    f.is_true("Data set", data.removeprefix("the "), 1)
    if r.random() < 0.85:
        f.add(r.choice([f"The sample has {people:,} participants.", f"A total of {people:,} participants took part.",
                        f"Number of participants: {people:,}"]), page=1)  # fmt: skip
        f.is_true("Number of participants", (float(people), ""), 1)
    if r.random() < 0.7:
        limit = r.choice(["the sample is small", "all data are self-reported", "the follow-up was short"])
        f.add(
            "# Limitations",
            r.choice([f"A limitation is that {limit}.", f"The main limitation of this study is that {limit}."]),
            page=1,
        )
        f.is_true("Limitations", limit, 1)
    if r.random() < 0.85:
        funder = r.choice(FUNDERS)
        f.add("# Acknowledgements", r.choice([f"This work was funded by the {funder}.", f"Funding: {funder}",
                                              f"We were supported by the {funder} (grant {r.randint(1000, 9999)})."]), page=1)  # fmt: skip
        f.is_true("Funding", funder, 1)
    f.add("# Other", filler(r), page=1)
    return f


MAKERS = {"reports": report, "contracts": contract, "cvs": cv, "policies": policy, "papers": paper}


def write(f: File, path: Path) -> None:
    blocks = [block for page in f.pages for block in page]
    match path.suffix:
        case ".md" | ".txt":
            path.write_text("\n\n".join(_markdown(b) if path.suffix == ".md" else _plain(b) for b in blocks), "utf-8")
        case ".html":
            path.write_text(f"<html><body>{''.join(map(_html, blocks))}</body></html>", "utf-8")
        case ".docx":
            document = docx.Document()
            for block in blocks:
                _docx(document, block)
            document.save(str(path))
        case ".xlsx":
            with xlsxwriter.Workbook(str(path)) as book:
                sheet, row = book.add_worksheet("Document"), 0
                for block in blocks:
                    for cells in block if isinstance(block, list) else [[str(block).lstrip("# ")]]:
                        sheet.write_row(row, 0, cells)
                        row += 1
                    row += 1
        case ".pdf":
            path.write_bytes(_pdf(f.pages))


def _markdown(block: object) -> str:
    if not isinstance(block, list):
        return str(block)
    lines = ["| " + " | ".join(row) + " |" for row in block]
    return "\n".join([lines[0], "|" + "---|" * len(block[0]), *lines[1:]])


def _plain(block: object) -> str:
    return "\n".join("   ".join(row) for row in block) if isinstance(block, list) else str(block).lstrip("# ")


def _html(block: object) -> str:
    if isinstance(block, list):
        rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in block)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    said = html.escape(str(block).lstrip("# "))
    return f"<h2>{said}</h2>" if str(block).startswith("#") else f"<p>{said}</p>"


def _docx(document: docx.document.Document, block: object) -> None:
    if isinstance(block, list):
        table = document.add_table(len(block), len(block[0]))
        for i, row in enumerate(block):
            for j, cell in enumerate(row):
                table.cell(i, j).text = cell
    elif str(block).startswith("#"):
        document.add_heading(str(block).lstrip("# "), 1)
    else:
        document.add_paragraph(str(block))


def _pdf(pages: list[list[object]]) -> bytes:
    """Write a small PDF by hand: one font, a line for each paragraph or row, cells at their columns."""
    contents = []
    for page in pages:
        said, y = [], 780
        for block in page:
            for row in block if isinstance(block, list) else [[part] for part in _wrapped(str(block).lstrip("# "))]:
                for place, cell in enumerate(row):
                    escaped = cell.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
                    said.append(f"BT /F1 11 Tf {60 + 180 * place} {y} Td ({escaped} ) Tj ET")
                y -= 15
            y -= 12
        contents.append("\n".join(said))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for content in contents:
        data = content.encode("cp1252", "replace").decode("cp1252")
        objects.append(f"<< /Length {len(data)} >>\nstream\n{data}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out.encode("cp1252", "replace")


def _wrapped(said: str, width: int = 80) -> list[str]:
    lines, line = [], ""
    for word in said.split():
        if line and len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def is_right(found: Finding, truth: object) -> bool:
    if isinstance(truth, tuple):
        number, unit = truth
        mine = found.number
        if mine is not None and found.unit == "years" and unit == "months":
            mine *= 12
            return bool(abs(mine - number) < 1e-6)
        near = mine is not None and abs(mine - number) <= 1e-6 * max(1.0, abs(number))
        return bool(near and unit in ("", found.unit))
    if isinstance(truth, frozenset):
        return set(found.value.replace(" and ", ", ").split(", ")) == set(truth)
    wanted, said = text.words(str(truth)), text.words(found.value)
    # "Czech law" is right where "Czech" is, and so is "Orlice Glass AS of Brno"; a whole sentence is not.
    return wanted == said or (bool(text.contains(said, wanted)) and len(said) <= len(wanted) + 2)


def measure(kind: str, seed: int, count: int, *, cells: bool, store: str = "") -> Counter[str]:
    r = random.Random(f"{kind} {seed}")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "files"
        folder.mkdir()
        truth: dict[str, File] = {}
        for n in range(count):
            path = folder / f"{n:03}.{FORMATS[n % len(FORMATS)]}"
            truth[path.name] = made = MAKERS[kind](r)
            write(made, path)
        with Engine.open(store or Path(place) / "x.mh", create=True) as engine:
            engine.sync(folder)
            started = time.perf_counter()
            found = survey(engine, ask=COLUMNS[kind])
            seconds = time.perf_counter() - started
        for group in found.groups:
            made = truth[Path(group.group).name]
            for answer, column in zip(group.answers, COLUMNS[kind], strict=True):
                value, page = made.truth.get(column, (None, 0))
                first = answer.findings[0] if answer.findings else None
                if first is None:
                    outcome = "missed" if value is not None else "rightly not found"
                elif value is None:
                    outcome = "invented"
                else:
                    outcome = "right" if is_right(first, value) else "wrong"
                counts[outcome] += 1
                counts["stated"] += value is not None
                counts["cells"] += 1
                if outcome == "right" and group.group.endswith(".pdf"):
                    counts["pages"] += 1
                    counts["page right"] += first is not None and first.page == page
                if cells and outcome in ("wrong", "missed", "invented"):
                    said = (
                        f"{first.text!r} ({first.confidence:.2f}, {first.found_by}: {first.sentence[:90]!r})"
                        if first
                        else "-"
                    )
                    print(f"  {outcome:8} {group.group:14} {column:28} {value!r}: {said}")
    shown = f"{kind:10} right {counts['right']} of {counts['stated']} ({counts['right'] / counts['stated']:.1%}), "
    wrong = counts["wrong"] + counts["invented"]
    shown += f"wrong {wrong} of {counts['cells']} ({wrong / counts['cells']:.1%}; {counts['invented']} where the file says nothing), "
    shown += f"missed {counts['missed']}, page right {counts['page right']} of {counts['pages']}, {seconds:.1f} s"
    print(shown, flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--files", type=int, default=24)
    parser.add_argument("--kind", choices=sorted(COLUMNS))
    parser.add_argument("--cells", action="store_true", help="list every cell that is not right")
    parser.add_argument("--store", default="", help="an empty index on a server instead of a folder")
    given = parser.parse_args()
    for kind in [given.kind] if given.kind else COLUMNS:
        measure(kind, given.seed, given.files, cells=given.cells, store=given.store)


if __name__ == "__main__":
    main()
