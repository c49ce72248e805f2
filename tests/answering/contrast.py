"""Contrasts: claims that differ from what a text says by one small edit, each with what the text makes of it.

They are made from the sentences below. Each gives the claim that it supports, word for word or in other words, and for
each edit one that it contradicts. All of it is made up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from multihop.types import Finding, Judgement

How = Literal["negation", "antonym", "for/against", "number", "year", "unit", "other row", "other entity"]


class Contrast(NamedTuple):
    """A claim, the evidence it is read beside, what that says of it, and by which edit it was made."""

    claim: str
    evidence: str
    label: Finding
    how: How | Literal["same", "paraphrase"]


class Said(NamedTuple):
    """A sentence under its title, the same in other words, and edits: how, what is replaced, by what."""

    title: str
    sentence: str
    paraphrase: str
    edits: tuple[tuple[How, str, str], ...]


SAID = (
    Said(
        "Board meeting",
        "Ingrid Vale voted for the purchase of the new crane in March 2023.",
        "In March 2023 Ingrid Vale cast her vote for buying the crane.",
        (
            ("for/against", "voted for", "voted against"),
            ("year", "2023", "2021"),
            ("other entity", "Ingrid Vale", "Tomas Brekke"),
            ("negation", "voted for", "did not vote for"),
        ),
    ),
    Said(
        "Harbor report",
        "The harbor handled 4,200 containers in 2019.",
        "In 2019, 4,200 containers passed through the harbor.",
        (("number", "4,200", "2,400"), ("year", "2019", "2016"), ("negation", "handled", "did not handle")),
    ),
    Said(
        "Pump manual",
        "The pump must be switched off before the filter is changed.",
        "Switch the pump off before changing the filter.",
        (
            ("antonym", "before", "after"),
            ("negation", "must be", "need not be"),
            ("antonym", "switched off", "switched on"),
        ),
    ),
    Said(
        "Larsen Foods",
        "Sales of Larsen Foods rose by 12 percent to 48 million dollars.",
        "Larsen Foods sold 12 percent more, reaching 48 million dollars.",
        (
            ("antonym", "rose", "fell"),
            ("number", "12", "21"),
            ("unit", "million", "billion"),
            ("other entity", "Larsen Foods", "Moen Bakery"),
        ),
    ),
    Said(
        "Travel policy",
        "Employees are allowed to book business class on flights longer than 6 hours.",
        "On flights of more than 6 hours employees may fly business class.",
        (
            ("negation", "are allowed", "are not allowed"),
            ("antonym", "longer", "shorter"),
            ("unit", "hours", "days"),
            ("number", "6", "9"),
        ),
    ),
    Said(
        "Elm Bridge",
        "The Elm Bridge was opened in 1931 and is 240 meters long.",
        "Opened in 1931, the Elm Bridge has a length of 240 meters.",
        (
            ("year", "1931", "1951"),
            ("number", "240", "420"),
            ("unit", "meters", "feet"),
            ("antonym", "opened", "closed"),
        ),
    ),
    Said(
        "Nora Quist",
        "Nora Quist is the older sister of the painter Elias Quist.",
        "The painter Elias Quist has an older sister, Nora Quist.",
        (
            ("antonym", "older", "younger"),
            ("negation", "is the", "is not the"),
            ("other entity", "Elias Quist", "Henrik Dahl"),
        ),
    ),
    Said(
        "Contract",
        "Either party may terminate the contract with three months' notice.",
        "The contract can be ended by either party at three months' notice.",
        (("negation", "may terminate", "may not terminate"), ("number", "three", "six"), ("unit", "months'", "weeks'")),
    ),
    Said(
        "Committee",
        "The committee argued against the merger with Tollak Shipping.",
        "The merger with Tollak Shipping was opposed by the committee.",
        (("for/against", "against", "for"), ("other entity", "Tollak Shipping", "Brevik Lines")),
    ),
    Said(
        "Vaccine trial",
        "The vaccine was effective in 91 of 100 patients.",
        "In 91 of 100 patients the vaccine worked.",
        (
            ("negation", "was effective", "was not effective"),
            ("number", "91", "19"),
            ("antonym", "effective", "ineffective"),
        ),
    ),
    Said(
        "Minutes",
        "The works council spoke for a shorter working week on 4 May 2020.",
        "On 4 May 2020 the works council came out for a shorter working week.",
        (("for/against", "spoke for", "spoke against"), ("antonym", "shorter", "longer"), ("year", "2020", "2022")),
    ),
    Said(
        "Backup server",
        "The backup server is located in Turku and runs every night.",
        "Every night the backup server in Turku runs.",
        (
            ("other entity", "Turku", "Lisbon"),
            ("negation", "is located", "is not located"),
            ("antonym", "night", "morning"),
        ),
    ),
)
ROWS = (
    ("Pumps", "Pump: Terna 40 · Flow (l/min): 40 · Weight (kg): 21", "The Terna 40 weighs 21 kg.",
     "Pump: Terna 80 · Flow (l/min): 80 · Weight (kg): 35", "The Terna 40 weighs 35 kg."),
    ("Offices", "Office: Narvik · Employees: 18 · Opened: 2004", "The office in Narvik has 18 employees.",
     "Office: Bodø · Employees: 31 · Opened: 1998", "The office in Narvik has 31 employees."),
    ("Prices", "Item: Rope 12 mm · Price (NOK): 38 · Supplier: Tauverket", "Rope 12 mm costs NOK 38.",
     "Item: Rope 16 mm · Price (NOK): 59 · Supplier: Tauverket", "Rope 12 mm costs NOK 59."),
    ("Staff", "Name: Lena Moe · Phone: 5540 · Department: Sales", "Lena Moe works in Sales.",
     "Name: Odd Rise · Phone: 5541 · Department: Purchasing", "Lena Moe works in Purchasing."),
)  # fmt: skip


def contrasts() -> Iterator[Contrast]:
    """Make all contrasts, in a fixed order; a sentence says nothing of what the next one says."""
    for place, said in enumerate(SAID):
        evidence = f"{said.title}: {said.sentence}"
        yield Contrast(said.sentence, evidence, "supported", "same")
        yield Contrast(said.paraphrase, evidence, "supported", "paraphrase")
        yield Contrast(SAID[place - 1].sentence, evidence, "undecided", "same")
        for how, old, new in said.edits:
            yield Contrast(said.sentence.replace(old, new, 1), evidence, "contradicted", how)
    for title, row, right, other, wrong in ROWS:
        evidence = f"{title}: {row} {title}: {other}"
        yield Contrast(right, evidence, "supported", "paraphrase")
        yield Contrast(wrong, evidence, "contradicted", "other row")


def finding(judgement: Judgement) -> tuple[Finding, float]:
    """Give the likeliest finding of a judgement, and how likely it is."""
    chances: dict[Finding, float] = {
        "supported": judgement.supported, "contradicted": judgement.contradicted, "undecided": judgement.neither,
    }  # fmt: skip
    best = max(chances, key=chances.__getitem__)
    return best, chances[best]
