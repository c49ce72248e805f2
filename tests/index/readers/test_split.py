from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidInput
from multihop.index.readers import Piece, split
from multihop.index.readers.tables import table
from multihop.text.units import units
from multihop.types import Document, Passage

from ...patience import patience
from ...reliability.soak import examples, rounds

EXAMPLES = examples(100)

SENTENCE = "The Rhine flows through six countries before it reaches the sea. "


def pieces(text: str, title: str = "", target: int = 900, limit: int = 1600) -> list[Piece]:
    return split(Document("d", text, title), target=target, limit=limit)


def test_a_short_text_is_one_piece_and_unchanged() -> None:
    text = "Dr. Smith came.  Then\n\nhe left. " * 40
    assert pieces(f"\n {text}\n") == [Piece("", text.strip())]
    assert pieces("C# and F# are #1.") == [Piece("", "C# and F# are #1.")]
    assert pieces(" \n ") == []


def test_long_texts_are_cut_between_sentences_near_the_target() -> None:
    found = pieces(SENTENCE * 100)
    assert all(p.text.endswith("sea.") and p.text.startswith("The Rhine") for p in found)
    assert all(800 <= len(p.text) <= 1000 for p in found[:-1])


def test_paragraphs_are_preferred_as_cuts() -> None:
    paragraph = (SENTENCE * 9).strip()
    found = pieces("\n\n".join([paragraph] * 6))
    assert [p.text for p in found] == [paragraph] * 6


def test_short_paragraphs_stay_together() -> None:
    found = pieces("\n\n".join(f"Item {i} has two sentences. Here is the other." for i in range(100)))
    assert all(p.text.startswith("Item") and p.text.endswith("other.") for p in found)
    assert "\n\n" in found[0].text


def test_a_short_rest_joins_the_piece_before() -> None:
    found = pieces(SENTENCE * 25 + "The end.")
    assert found[-1].text.endswith("The end.")
    assert all(len(p.text) > 300 for p in found)


def test_headings_divide_and_are_kept_with_their_parents() -> None:
    text = "Before.\n# History\n## Early  years\nBorn.\n## Later\n### Empty\n# Works\nMany.\n# End"
    assert pieces(text) == [
        Piece("", "Before."),
        Piece("History > Early years", "Born."),
        Piece("History", "Later\nEmpty"),
        Piece("Works", "Many."),
        Piece("", "End"),
    ]


def test_every_piece_of_a_long_section_carries_its_heading() -> None:
    found = pieces("# Rivers\n" + SENTENCE * 60)
    assert len(found) > 3
    assert {p.heading for p in found} == {"Rivers"}


def test_a_heading_that_is_the_title_is_not_repeated() -> None:
    assert pieces("# Rivers\nText.\n## Rhine\nMore.", "Rivers") == [Piece("", "Text."), Piece("Rhine", "More.")]
    assert pieces("# Rivers", "Rivers") == [Piece("", "Rivers")]
    assert pieces("## A\nText.\n### Rivers\nMore.", "Rivers") == [Piece("A", "Text."), Piece("A > Rivers", "More.")]


@pytest.mark.parametrize("line", ["#hashtag", "#", "####### seven", "    # code", "# " + "x" * 250])
def test_lines_that_are_no_headings(line: str) -> None:
    assert pieces(f"a\n{line}\nb") == [Piece("", f"a\n{line}\nb")]


def test_a_sentence_beyond_the_limit_is_cut_between_words() -> None:
    text = " ".join(f"word{i}" for i in range(1000))
    found = pieces(text)
    assert " ".join(p.text for p in found) == text
    assert all(len(p.text) <= 1600 for p in found)


def test_rows_beyond_the_limit_are_cut_between_lines() -> None:
    row = "a cell | another cell | a third"
    found = pieces("\n".join([row] * 300))
    assert all(set(p.text.split("\n")) == {row} for p in found)


def test_a_word_beyond_the_limit_is_cut() -> None:
    assert [len(p.text) for p in pieces("x" * 4000)] == [1600, 1600, 800]


def test_scripts_without_spaces_are_cut_between_sentences() -> None:
    found = pieces("東京は日本の首都である。" * 400)
    assert all(p.text.endswith("。") and len(p.text) <= 1000 for p in found)


def test_a_sentence_across_a_window_stays_whole() -> None:
    text = " ".join(f"Sentence number {i} says a little something of its own." for i in range(2000))
    for found in pieces(text):
        assert found.text.startswith("Sentence number")
        assert found.text.endswith("its own.")


@pytest.mark.parametrize(("target", "limit"), [(0, 10), (-1, 10), (11, 10)])
def test_sizes_that_make_no_sense(target: int, limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"target {target} and limit {limit} must be positive"):
        pieces("x", target=target, limit=limit)


sizes = st.tuples(st.integers(1, 60), st.integers(0, 60)).map(lambda pair: (pair[0], pair[0] + pair[1]))
words = st.sampled_from(
    [
        "a",
        "Rhine",
        "flows.",
        "Mr.",
        "U.S.",
        "why?",
        "“x”",
        "東京。",
        "שלום",
        "1990",
        "supercalifragilistic",
        "…",
        "#",
        "#x",
    ]
)
gaps = st.sampled_from([" ", " ", " ", "\n", "\n\n", "  ", " \n \n\t", "\u3000", "\u2028"])
prose = st.lists(st.tuples(words, gaps)).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@given(prose | st.text(), sizes)
def test_no_character_is_lost_and_every_piece_fits(text: str, size: tuple[int, int]) -> None:
    found = pieces(text, target=size[0], limit=size[1])
    assert all(0 < len(p.text) <= size[1] and p.text == p.text.strip() for p in found)
    if not any(p.heading for p in found) and "#" not in text:
        assert "".join("".join(p.text.split()) for p in found) == "".join(text.split())


spaced = st.lists(st.text("abcXYZ.?!'", min_size=1, max_size=20), min_size=1)


@given(spaced, st.integers(20, 60), st.integers(0, 60))
def test_words_that_fit_stay_whole(parts: list[str], target: int, more: int) -> None:
    found = pieces(" ".join(parts), target=target, limit=target + more)
    assert [word for p in found for word in p.text.split()] == parts


sections = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 3), st.lists(st.sampled_from(["one", "two.", "Three"])))
)


@given(sections, sizes)
def test_no_word_of_a_heading_or_below_it_is_lost(
    parts: list[tuple[int, int, list[str]]], size: tuple[int, int]
) -> None:
    numbered = iter(f"h{i}" for i in range(10_000))
    lines, expected = [], []
    for level, length, body in parts:
        heading = [next(numbered) for _ in range(length)]
        lines += ["#" * level + " " + " ".join(heading), " ".join(body)]
        expected += heading + body
    found = pieces("\n".join(lines), target=size[0], limit=size[1])
    assert all(0 < len(p.text) <= size[1] for p in found)
    seen: list[str] = []
    for piece in found:
        seen += [word for word in piece.heading.replace(" > ", " ").split() if word not in seen]
        seen += piece.text.split()
    assert "".join(seen) == "".join(expected)


@given(prose | st.text())
def test_the_same_text_gives_the_same_pieces(text: str) -> None:
    assert pieces(text, target=20, limit=40) == pieces(text, target=20, limit=40)


@pytest.mark.parametrize(
    "unit",
    ["x", "word ", SENTENCE, "東京は首都。", "cell | cell\n", "A line. \n\n", "# H\nbody " + "b" * 200 + "\n", ". "],
)
def test_no_length_or_shape_of_text_is_too_much(unit: str) -> None:
    with patience():
        assert pieces(unit * (rounds(500_000, 5_000_000) // len(unit)))


@pytest.mark.parametrize("unit", ["x", "word ", SENTENCE])
def test_megabytes_on_one_line(unit: str) -> None:
    found = pieces(unit * (rounds(1_000_000, 10_000_000) // len(unit)))
    assert max(len(piece.text) for piece in found) <= 1600


def test_pages_and_headings_together() -> None:
    text = "# Leave\n\nFirst words.\f## Parents\n\nOn the second page.\f\f## Others\n\nOn the fourth."
    assert split(Document("a", text, "Handbook")) == [
        Piece("Leave", "First words.", 1),
        Piece("Leave > Parents", "On the second page.", 2),
        Piece("Leave > Others", "On the fourth.", 4),
    ]


def test_a_passage_of_several_pages_knows_the_page_of_each_place() -> None:
    [piece] = split(Document("a", "One.\n\fTwo. Three.\fFour.\f"))
    assert piece == Piece("", "One.\n\fTwo. Three.\fFour.", 1)
    passage = Passage("a#0", "a", 0, "A", piece.text, page=piece.page)
    pages = [(unit.of(piece.text), passage.page_at(unit.start)) for unit in units(piece.text)]
    assert pages == [("One.", 1), ("Two.", 2), ("Three.", 2), ("Four.", 3)]
    assert passage.cited_at(piece.text.index("Four")) == "A, p. 3"
    assert Passage("a#0", "a", 0, "A", "One.").page_at(3) is None


cells = st.sampled_from(["Pia Holm", "J. R. Moe. Left.", "10:30", "a, b", "x" * 70, "No. 4"])
rows = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=30)


@EXAMPLES
@given(st.lists(rows, min_size=1, max_size=4), st.integers(30, 400), st.integers(300, 400))
def test_a_row_is_never_cut(tables: list[list[tuple[str, str, str]]], target: int, limit: int) -> None:
    names = ["Name", "Time", "Note"]
    blocks = [table([names, *rows], header=True) for rows in tables]
    text = f"\n\n{SENTENCE * 3}\n\n".join(blocks)
    found = split(Document("a", text), target=min(target, limit), limit=limit)
    kept = [u.of(p.text) for p in found for u in units(p.text) if u.kind == "row"]
    assert kept == [row for block in blocks for row in block.split("\n")]
