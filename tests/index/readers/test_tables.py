from __future__ import annotations

import pytest

from multihop.index.readers.tables import table


@pytest.mark.parametrize(
    ("rows", "header", "text"),
    [
        ([], None, ""),
        ([["", " "]], None, ""),
        ([["Name", "Office"], ["Pia\nHolm", "Sandnes"]], True, "Name: Pia Holm · Office: Sandnes"),
        ([["Name:", "Office :"], ["Pia", ""], ["", ""], ["", "Oslo"]], True, "Name: Pia\nOffice: Oslo"),
        ([["Name"], ["Pia", "more"]], True, "Name: Pia · more"),
        ([["Name", "Office"]], True, "Name | Office"),
        ([["Name", "Office"], ["Pia", "Oslo"]], False, "Name | Office\nPia | Oslo"),
        # A title above, then what looks like a header, with years in it.
        ([["List"], ["Item", "2023", "2024"], ["Hose", "4", "5"]], None, "List\nItem: Hose · 2023: 4 · 2024: 5"),
        ([["No.", "Name", "Ext."], ["1", "Pia", "412"]], None, "No.: 1 · Name: Pia · Ext.: 412"),
        ([["1", "2", "3"], ["4", "5", "6"]], None, "1 | 2 | 3\n4 | 5 | 6"),
        ([["a", "a", "b"], ["4", "5", "6"]], None, "a | a | b\n4 | 5 | 6"),
        ([["It is so.", "b", "c"], ["4", "5", "6"]], None, "It is so. | b | c\n4 | 5 | 6"),
        # Two columns: names and values, unless the second holds figures.
        ([["Port", "Bergen"], ["Owner", "Pia"]], None, "Port | Bergen\nOwner | Pia"),
        ([["Name", "Length"], ["Nile", "6650 km"]], None, "Name: Nile · Length: 6650 km"),
    ],
)  # fmt: skip
def test_tables(rows: list[list[str]], header: bool | None, text: str) -> None:
    assert table(rows, header=header) == text
