"""Units of a text: what each kind of line becomes, and that nothing is lost, joined or cut."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from multihop.text import sentence_spans
from multihop.text.units import cut, opening, unit_texts, units

from ..patience import patience
from ..reliability.soak import examples

EXAMPLES = examples(400)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        (" \n\t\n", []),
        ("One. Two!", [("sentence", "One."), ("sentence", "Two!")]),
        ("No full stop", [("line", "No full stop")]),
        ("It opens at:", [("sentence", "It opens at:")]),
        # Wrapped prose goes on, a blank line ends it.
        (
            "The yard in Sandnes was opened by the company in the spring of\n1998. It closed.\n\nA heading\n\nMore.",
            [
                ("sentence", "The yard in Sandnes was opened by the company in the spring of\n1998."),
                ("sentence", "It closed."),
                ("line", "A heading"),
                ("sentence", "More."),
            ],
        ),
        # A short line above a long one was ended on purpose.
        (
            "Annual report\nRevenue of the whole group grew by four percent over the year before.",
            [
                ("line", "Annual report"),
                ("sentence", "Revenue of the whole group grew by four percent over the year before."),
            ],
        ),
        # Lines of a slide.
        (
            "Revenue up\nAn office in Bergen\nHire 4",
            [("line", "Revenue up"), ("line", "An office in Bergen"), ("line", "Hire 4")],
        ),
        # Lists, whose items may have several sentences and lines.
        (
            "Bring:\n- Gloves. Two pairs.\n* a rope\n  of 20 m\n• tea",
            [
                ("sentence", "Bring:"),
                ("item", "- Gloves."),
                ("item", "Two pairs."),
                ("item", "* a rope\n  of 20 m"),
                ("item", "• tea"),
            ],
        ),
        ("1. Open it.\n2) Wait.\n(b) Go.", [("item", s) for s in ("1. Open it.", "2) Wait.", "(b) Go.")]),
        (
            "The contract with the owner of the two vessels was signed on May\n12. Then the work began at the yard.",
            [
                ("sentence", "The contract with the owner of the two vessels was signed on May\n12."),
                ("sentence", "Then the work began at the yard."),
            ],
        ),
        # Rows, with periods and colons inside.
        ("Name: Pia Holm · Office: Sandnes", [("row", "Name: Pia Holm · Office: Sandnes")]),
        (
            "Name: J. R. Moe · Note: Left. Back at 10:30.\nName: Bo · Note: No.",
            [("row", "Name: J. R. Moe · Note: Left. Back at 10:30."), ("row", "Name: Bo · Note: No.")],
        ),
        ("| a | b |\n|---|---|\n| 1. X | 2 |", [("row", "| a | b |"), ("row", "|---|---|"), ("row", "| 1. X | 2 |")]),
        ("a | b. C\nd | e", [("row", "a | b. C"), ("row", "d | e")]),
        ("Name    Office\nPia     Sandnes", [("row", "Name    Office"), ("row", "Pia     Sandnes")]),
        ("Name\tOffice\nPia\tSandnes", [("row", "Name\tOffice"), ("row", "Pia\tSandnes")]),
        # The head of a mail, with a folded line; one line with a colon is prose.
        (
            "From: Pia Holm <pia@example.org>\nTo: Ola,\n  Bo\nDate: 3 Mar. 2026\n\nNote: It works. Thanks.",
            [
                ("field", "From: Pia Holm <pia@example.org>"),
                ("field", "To: Ola,\n  Bo"),
                ("field", "Date: 3 Mar. 2026"),
                ("sentence", "Note: It works."),
                ("sentence", "Thanks."),
            ],
        ),
        # What a mail quotes, without the marks at its beginning.
        (
            "Fine.\n> It is ready. Shall we\n> go? Yes.\n>\n>> Older.",
            [("sentence", s) for s in ("Fine.", "It is ready.", "Shall we\n> go?", "Yes.", "Older.")],
        ),
        ("# Leave\nAsk first.", [("heading", "# Leave"), ("sentence", "Ask first.")]),
        (
            "Run:\n\n    x = 1\n    # the limit. See above\n    return x",
            [("sentence", "Run:"), ("code", "x = 1"), ("code", "# the limit. See above"), ("code", "return x")],
        ),
        # Indented prose is prose.
        ("    There was\n    a king. He died.", [("sentence", "There was\n    a king."), ("sentence", "He died.")]),
        # Messages of a chat.
        (
            "[08/12/2023 18:22] Pia Holm: we moved\n[08/12/2023 18:25] Bo: when\n  exactly",
            [("field", "[08/12/2023 18:22] Pia Holm: we moved"), ("field", "[08/12/2023 18:25] Bo: when\n  exactly")],
        ),
        ("18:22 - Pia: yes\n18:25 - Bo: no", [("field", "18:22 - Pia: yes"), ("field", "18:25 - Bo: no")]),
        (
            "2023-12-08 18:22 Pia: yes\n2023-12-08, 6:25 pm Bo: no",
            [("field", "2023-12-08 18:22 Pia: yes"), ("field", "2023-12-08, 6:25 pm Bo: no")],
        ),
        # What somebody says at length is cut, behind the name of whoever says it.
        (
            "Ann: " + "We go. " * 40 + "\nBob: No.",
            [("field", "Ann: We go."), *[("field", "We go.")] * 39, ("field", "Bob: No.")],
        ),
    ],
)  # fmt: skip
def test_units(source: str, expected: list[tuple[str, str]]) -> None:
    assert [(unit.kind, unit.of(source)) for unit in units(source)] == expected
    assert unit_texts(source) == [said for _, said in expected]


WORDS = ["a", "The", "yard", "closed.", "Dr.", "“Why?”", "1998", "U.S.", "i.e.", "東京。", "was", "(so)", "Holm,"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60)


@EXAMPLES
@given(SENTENCES)
def test_prose_on_one_line_is_cut_into_its_sentences(words: list[str]) -> None:
    source = " ".join(words)
    assert [unit[:2] for unit in units(source)] == sentence_spans(source)


@EXAMPLES
@given(
    st.lists(st.sampled_from(["yard", "was", "closed.", "The", "harbor", "in", "Bergen", "opened."]), max_size=80),
    st.integers(60, 90),
)
def test_wrapped_prose_is_cut_as_if_it_were_on_one_line(words: list[str], width: int) -> None:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    wrapped = "\n".join([*lines, line])
    assert [unit[:2] for unit in units(wrapped)] == sentence_spans(" ".join(words))


LINES = st.sampled_from([
    "", "  ", "Words of prose that go on.", "and more. Of it", "- an item. Two", "2. Second", "> quoted", ">> twice",
    ">", "a | b", "Name: A. B. · Town: C", "From: me", "To: you", "    x = 1", "# H", "東京は首都。大阪", "·", "|", "-",
    "a\tb",
])  # fmt: skip


@EXAMPLES
@given(st.lists(LINES | st.text(max_size=20), max_size=12).map("\n".join) | st.text(max_size=80))
def test_units_are_in_order_do_not_overlap_and_lose_nothing(source: str) -> None:
    found = list(cut(source))
    assert found == list(cut(source))
    end = 0
    for unit in found:
        assert end <= unit.start < unit.end
        assert unit.of(source) == unit.of(source).strip()
        end = unit.end
    left = list(source)
    for unit in found:
        left[unit.start : unit.end] = " " * (unit.end - unit.start)
    # Of what stands between units, only the marks of quoted lines are not blank.
    assert set("".join(left).split()) <= {">" * n for n in range(1, 30)}


@pytest.mark.parametrize(
    "part", ["x", "word ", "> ", ". ", "\n", "a | b\n", "- x\n", "A: b\n", " ", "A b: ", "·", "· ", "東"]
)
def test_no_length_or_shape_of_text_is_too_much(part: str) -> None:
    with patience():
        list(cut(part * (300_000 // len(part))))


def test_an_opening_ends_with_a_unit() -> None:
    source = "Name: Pia · Office: Oslo\nName: Bo · Office: Bergen"
    assert opening(source, 100) == source
    assert opening(source, 40) == "Name: Pia · Office: Oslo"
    assert opening(source, 9) == "Name: Pia"
    assert opening("One. Two. Three.", 11) == "One. Two."


def test_subscripts_on_lines_of_their_own_end_no_sentence() -> None:
    said = (
        "Gases\nCarbon dioxide (CO2), methane (CH\n4\n), nitrous oxide (N2O), perfluorocarbons (PFCs),\n"
        "hydrofluorocarbons (HFCs), sulphur hexafluoride (SF\n6\n) and nitrogen trifluoride (NF3)."
    )
    assert unit_texts(said)[-1] == said.removeprefix("Gases\n")
    wrapped = (
        "A line that is much longer than the others of this block, as it is in many files\nrecords of gases\n(HFCs)"
    )
    assert "records of gases\n(HFCs)" in unit_texts(wrapped)[-1]
