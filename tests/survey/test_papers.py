from __future__ import annotations

import pytest

from multihop.survey.cells import lines_of
from multihop.survey.columns import Column
from multihop.survey.papers import is_paper, stated_in_paper, without_references
from multihop.types import Passage

PAPER = """Quiet Kilns
Orla Tamm1, 2, Piet van Holst1, and J. K.
Marwick2
1 Institute of Ceramics, University of Varde 2 Glass Works
DOI: 10.99999/kiln.00016
Published: 4 July 2018

Abstract
Kilns are loud. This paper investigates why the doors of kilns rattle. We propose a seal of felt and
compare it with rubber. Our results show that felt halves the noise. Potters welcome this.

1 Introduction
These primitives aim at silence. We find that few people listen. We studied 40 recordings in our data set.
In all, 57 potters and 12 other participants took part.
Limitations: only two kilns were measured.
This work was supported in part by the Varde Science Fund, grant 12-7, and by the Tamm Foundation. Doors are
supported by hinges.
Tamm, O. (2018). Quiet Kilns. Journal of Northern Ceramics, 3(2), 16.

References
Brun, A. (1999). Funding of kilns. Annals of Clay, 4(1), 2. Supported by the Clay Council.
Dahl, B. (2003). We show that clay is old. Journal of Mud, 1(1), 9.
"""


def whole(said: str) -> list[Passage]:
    return [Passage("a#0", "a", 0, "", said, page=1)]


def stated(asked: str, said: str = PAPER) -> list[str] | None:
    passages = without_references(whole(said))
    found = stated_in_paper(Column.of(asked), passages, lines_of(passages))
    for value, line, _ in found or ():
        assert line.text[value.start : value.end].strip()
    return None if found is None else [value.text for value, _, _ in found]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("Authors", "Orla Tamm, Piet van Holst, J. K. Marwick"),
        ("Research question", "This paper investigates why the doors of kilns rattle."),
        ("Method", "We propose a seal of felt and compare it with rubber."),
        ("Main result", "Our results show that felt halves the noise."),
        ("Data set", "We studied 40 recordings in our data set."),
        ("Number of participants", "12"),
        ("Limitations", "Limitations: only two kilns were measured."),
        ("Funding", "Varde Science Fund, grant 12-7, and by the Tamm Foundation"),
        ("Journal", "Journal of Northern Ceramics"),
    ],
)
def test_papers_state_it_by_their_form(asked: str, value: str) -> None:
    assert stated(asked) == [value]


def test_what_others_wrote_is_left_out() -> None:
    [kept] = without_references(whole(PAPER))
    assert "Clay Council" not in kept.text
    assert PAPER.startswith(kept.text)
    assert is_paper([kept], whole(PAPER))


def test_references_of_a_policy_stay() -> None:
    policy = whole("Waste policy\n\nReferences\nISO 14001\n\nVersion history\nVersion 2 was approved by the board.")
    assert without_references(policy) == policy
    assert not is_paper(policy, policy)


def test_references_may_be_a_section() -> None:
    cited = Passage("a#1", "a", 1, "", "Brun, A. (1999). Clay.\nDahl, B. (2003). Mud.", heading="Kilns > References")
    assert without_references([*whole("Kilns are loud."), cited]) == whole("Kilns are loud.")


@pytest.mark.parametrize("asked", ["Funding", "Journal", "Number of participants", "Limitations", "Authors"])
def test_nothing_is_stated_where_the_words_are_others(asked: str) -> None:
    said = "A Kiln\n\nAbstract\nDoors are supported by hinges. Limitations of old kilns are known. 12 kilns were fired."
    assert stated(asked, said) == []


def test_a_title_is_no_author() -> None:
    assert stated("Authors", "Byzantine Kiln Doors\nOrla Tamm\nAbstract\nThe doors of a kiln rattle.") == ["Orla Tamm"]


def test_where_authors_work_is_no_name() -> None:
    said = "Kilns\nOrla Tamm, Varde University, DK\nPiet Holst, Varde University, DK\nAbstract\nKilns are loud."
    assert stated("Authors", said) == ["Orla Tamm, Piet Holst"]


@pytest.mark.parametrize(
    ("front", "year"), [("Kilns\nMay 2007\nAbstract\n", ["2007"]), ("Kilns 2007\nMay 2009\nAbstract\n", [])]
)
def test_the_year_of_a_front_that_names_one(front: str, year: list[str]) -> None:
    assert stated("Year of publication", front + "Kilns were built in 1950.") == year


def test_other_columns_have_no_usual_form() -> None:
    assert stated("Number of employees") is None
    assert stated("Year of publication") is None
