from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine, profiles
from multihop.profiles import Profile
from multihop.testing.contracts.corpus import HashEmbedder

DOCUMENTS = [
    Document(
        "jpn",
        "# Target\n\nJapan commits to reduce greenhouse gas emissions by 46% by 2030 compared to 2013 levels.\n\n"
        "# Scope\n\nThe base year is 2013. Gases covered: CO2, CH4 and N2O. "
        "<b>All</b> sectors: energy, waste and industry.",
        "Japan NDC",
        {"country": "Japan"},
    ),
    Document(
        "bra", "Brazil will cut emissions by 37 percent below 2005 levels in 2025.", "Brazil", {"country": "Brazil"}
    ),
    Document("civ", "Côte d'Ivoire aims to reduce GHG emissions by 30%.", "CIV", {"country": "Côte d'Ivoire"}),
    Document("nowhere", "A document of no country.", "Nowhere"),
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "ndc.mh", create=True, embedder=HashEmbedder()) as opened:
        opened.add(DOCUMENTS)
        yield opened


@pytest.fixture(scope="session")
def climate() -> Profile:
    return profiles.load("climate")
