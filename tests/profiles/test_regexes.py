from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidInput
from multihop.profiles.regexes import LONGEST_PATTERN, LONGEST_RUN, TimedPattern, compile_pattern, searchable

from ..reliability.soak import examples

RUNAWAYS = [
    r"(a+)+$", r"(a|a)*b", r"(a|aa)+$", r"(a*)*b", r"([a-z]+)*=", r"(x+x+)+y", r"(\w+\s?)+$", r"^(a?){30}a{30}$",
    r"(?:\d+,?)+\.", r"a*a*a*a*b", r"(?:a|b|ab)*c", r"(?=a+)+b", r"((a{0,60}){0,60}){0,60}b",
    r"(?:[^.;]{0,90}){1,3}x", r"(.?){40}x", r"(\d|\w\w?)+!", r"(?:(?:ab?)+)+c", r"\w*\w*\w*\w*!",
]  # fmt: skip
FINE = [
    (r"(\w+\s){1,20}end", "one two end"),
    (r"(?:a|b)*c", "ababc"),
    (r"\bcarbon (?:tax|price)\b", "a Carbon  Tax"),
    (r"\w+@\w+\.\w+", "write to me@here.org"),
    (r"reduc\w*\b[^.;]{0,60}?\d ?%", "reduction of emissions by 5 %"),
    (r"(?:wind|water|waste) power", "Waste\npower"),
    (r"(?>\d+)x", "12x"),
    (r"(?: a){1,20}x", "b a a ax"),
    (r"(?:\s)+x", "b x"),
    (r"\d{2,4}-\d{2}", "1990-05"),
    (r"from.*to", "from here to there"),
    (r"(\w+\s)+end", "one two end"),
    (r"(?: a)+x", "b a a ax"),
    (r"\b(\w+) \1\b", "the the"),
    (r"\bénergie\b(?! renouvelable)", "l'Énergie nucléaire"),
]


HURTING = [searchable(text) for text in ("a" * 3000, "ab" * 1500, "a " * 1500, "1" * 3000, "x" * 300, "a" * 40 + "!")]


def limited(pattern: str) -> TimedPattern:
    """Compile with little patience, so that the test is quick."""
    return replace(compile_pattern(pattern), seconds=0.05)


@pytest.mark.parametrize("pattern", [*RUNAWAYS, r".*.*.*x", r"(\w+\s)+end", r"(a*)\1*b"])
def test_a_pattern_that_could_run_away_ends(pattern: str) -> None:
    """The limit is what lets this test end at all: with `re` most of these would hang it."""
    for text in HURTING:
        try:
            limited(pattern).search(text)
            limited(pattern).finditer(text)
        except InvalidInput as error:
            assert "catastrophic backtracking" in f"{error}"


def test_a_pattern_that_takes_too_long_is_named() -> None:
    slow = limited(r"(a|aa)+$")
    for match in (slow.search, slow.finditer):
        with pytest.raises(InvalidInput, match=r"the pattern '\(a\|aa\)\+\$' took more than 0.05 s on one text"):
            match("a" * 200 + "!")
    assert slow.search("caa")


@pytest.mark.parametrize(("pattern", "content"), FINE)
def test_ordinary_patterns_are_compiled(pattern: str, content: str) -> None:
    assert compile_pattern(pattern).search(searchable(content))


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"x*", "matches the empty text"),
        (r"(", "not a regular expression: missing"),
        (r"x[[a]", r"possible nested set at position \d+; in a set write \\\["),
        (r"x[a--b]", "possible set difference"),
        ("x" * (LONGEST_PATTERN + 1), "at most 2000"),
    ],
)
def test_other_patterns_are_refused_with_the_reason(pattern: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        compile_pattern(pattern)


def test_the_searchable_text_has_no_long_runs() -> None:
    line = searchable("a\n\n b\t" + "x" * 5000 + " " + "\u00a0" * 900 + "end")
    assert max(len(run) for run in line.split(" ")) == LONGEST_RUN
    assert "  " not in line
    assert line.startswith("a b x")


_PARTS = st.sampled_from([r"a", r"b", r"\w", r"\s", r"[ab]", r"\d", r"(?:a|b)", r"(?:ab|a)", r"\b"])
_REPEATS = st.sampled_from(["", "+", "*", "?", "{0,3}", "+?", "{2,30}"])


@examples(50)
@given(st.lists(st.tuples(_PARTS, _REPEATS), min_size=1, max_size=5), _REPEATS)
def test_whatever_is_accepted_ends_on_texts_made_to_hurt(parts: list[tuple[str, str]], outer: str) -> None:
    body = "".join(part + (repeat if part != r"\b" else "") for part, repeat in parts)
    try:
        pattern = limited(f"(?:{body}){outer}!")
    except InvalidInput:
        return
    for hurting in ("a" * 3000, "ab" * 1500, "a " * 1500, "1" * 3000):
        with suppress(InvalidInput):
            assert pattern.search(searchable(hurting)) is None
