from __future__ import annotations

import pytest

from multihop.profiles.signals.tables_of_contents import WORTH, are_contents, is_contents, worths
from multihop.types import Passage

WITH_DOTS = "Foreword ..... 3\nTargets ..... 5\nBase year ....... 7\nSectors ..... 9\nGases .... 12\nFinance ..... 20"
WITHOUT = (
    "1.1 Targets 8 1.2 Target Timeframe 9 1.3 Reference Year 9 1.4 Scope 10 2 Measures 13 2.1 Energy 14 2.2 Waste 17"
)


@pytest.mark.parametrize("content", [WITH_DOTS, WITHOUT])
def test_headings_with_pages_are_contents(content: str) -> None:
    assert is_contents(content)


@pytest.mark.parametrize(
    "content",
    [
        "Georgia is committed to a target of 50-57% of its total emissions by 2030 compared to 1990.",
        "Energy 131 5 300 Agriculture 2 15 Waste 40 3 12 Forestry 7 1 90 Industry 5 2 1 Transport 88 7 3",
        "Emissions fell by 12 percent. In Article 4 and Article 6 the parties agree on 3 matters of importance to all.",
        "",
    ],
)
def test_statements_and_tables_of_figures_are_not(content: str) -> None:
    assert not is_contents(content)


def test_contents_are_worth_less() -> None:
    passages = [Passage(str(i), str(i), 0, "", text) for i, text in enumerate(("Targets are set.", WITHOUT))]
    assert worths(are_contents(passages)).tolist() == [1.0, WORTH]
