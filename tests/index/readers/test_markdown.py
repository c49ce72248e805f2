from __future__ import annotations

from pathlib import Path

import pytest

from multihop.index.readers import read
from multihop.types import Document, Metadata

from ...patience import patience


def page(tmp_path: Path, text: str) -> Document:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    [found] = read(path)
    assert isinstance(found, Document), found
    return found


FRONT = """---
title: "Rivers: a survey"
year: 1990
tags: [water, 'big rivers', 3]
draft: false
aliases:
  - The Survey
nested:
  deep: 1
not a pair
---
# Rivers

Text.
"""


def test_front_matter_becomes_title_metadata_and_aliases(tmp_path: Path) -> None:
    metadata: Metadata = {"year": 1990, "tags": ("water", "big rivers", 3), "draft": False}
    assert page(tmp_path, FRONT) == Document(
        "page.md", "# Rivers\n\nText.", "Rivers: a survey", metadata, ("The Survey",)
    )


def test_lines_that_only_look_like_front_matter(tmp_path: Path) -> None:
    assert page(tmp_path, "---\nkey: never closed\n").metadata == {}
    assert page(tmp_path, "Text\n\n---\nkey: value\n---\n").metadata == {}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One *two* ##\n\nx", "One two"),
        ("Set\n===\n\nx", "Set"),
        ("## Lower\n\nx", "page"),
        ("just text", "page"),
        ("# Q\nx", "Q"),
    ],
)
def test_the_title_is_the_first_heading_or_the_name(tmp_path: Path, text: str, title: str) -> None:
    assert page(tmp_path, text).title == title


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**bold** and *italic*, __both__ _ways_", "bold and italic, both ways"),
        ("**a *b* c** ~~gone~~ `code`", "a b c gone code"),
        ("这是**重点**内容", "这是重点内容"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ('a [link](http://a.b/c_(d) "t") and [ref][1]', "a link and ref"),
        ("before ![image](x.png) after", "before  after"),
        ("[![badge](b.svg)](http://x) text", "text"),
        ("[[Page|shown]] and [[Page]]", "shown and Page"),
        ("<https://x.y/z> and H<sub>2</sub>O<br/>x", "https://x.y/z and H2O x"),
        ("if x <y and z> w", "if x <y and z> w"),
        (r"\*not emphasis\* \# 1", "*not emphasis* # 1"),
        ("a &amp; b", "a & b"),
        ("> quoted **text**", "quoted text"),
        ("one <!-- hidden\nlines --> two", "one  two"),
        ("open <!-- not closed", "open <!-- not closed"),
        ("text\n[1]: http://x.y\nmore", "text\nmore"),
        ("* item\n\n***\n\nend", "* item\n\n\n\nend"),
    ],
)
def test_marks_go_and_words_stay(tmp_path: Path, marked: str, plain: str) -> None:
    assert page(tmp_path, marked).text == plain


def test_headings_stay_and_comments_of_programs_are_not_headings(tmp_path: Path) -> None:
    text = "# T\n\nSub\n---\n\n### Deep ###\n```sh\n# comment\n~~~\nls *a*\n```\nend\n\n~~~\nopen fence"
    kept = "# T\n\n## Sub\n\n### Deep\n    # comment\n    ~~~\n    ls *a*\nend\n\n    open fence"
    assert page(tmp_path, text).text == kept


@pytest.mark.parametrize("line", ["*a", "_a ", "[a](", "<!--", "`a", "![", "<a b=", "> ", "[[a|", "~~a", "- "])
def test_long_lines_of_marks_come_to_an_end(tmp_path: Path, line: str) -> None:
    with patience():
        page(tmp_path, "x" + line * 100_000)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        (
            "| Name | Office |\n|---|:-:|\n| **Pia** | Sandnes |\n| Bo | |\n\nEnd",
            "Name: Pia · Office: Sandnes\nName: Bo\n\nEnd",
        ),
        ("Name | Office\n--- | ---\nPia | [Sandnes](s.md)\nEnd", "Name: Pia · Office: Sandnes\nEnd"),
        ("| a \\| b | c |\n|--|--|\n| 1 | 2 \\| 3 |", "a | b: 1 · c: 2 | 3"),
        ("| | |\n|--|--|\n| Phone: | 51 22 |\n| Port | Bergen |", "Phone: 51 22\nPort: Bergen"),
        ("| only | a header |\n|--|--|", "only | a header"),
        ("a | b\nno table", "a | b\nno table"),
        ("x\n```\n| a | b |\n|---|---|\n```", "x\n    | a | b |\n    |---|---|"),
    ],
)  # fmt: skip
def test_tables(tmp_path: Path, marked: str, plain: str) -> None:
    assert page(tmp_path, marked).text == plain
