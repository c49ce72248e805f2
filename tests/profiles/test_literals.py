from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from multihop.errors import InvalidInput
from multihop.profiles import load
from multihop.profiles.literals import Prefilter, required_literals
from multihop.profiles.regexes import compile_pattern, searchable

from ..reliability.soak import examples


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"\bcarbon (?:tax|price)s?\b", {"carbon "}),
        (r"(?:Solar|WIND) ?power", {"power"}),
        (r"(?:solar|wind)+", {"solar", "wind"}),
        (r"(?:solar|\d+)", None),
        (r"(?:solar)?\d", None),
        (r"(?:solar)?\dx(?!never)", None),
        (r"[ab]\w+", None),
        (r"(?>solar) power", {" power"}),
        (r"(solar|wind){2,3}", {"solar", "wind"}),
        (r"(solar|wind){e<=1}", None),
    ],
)
def test_what_every_match_holds(pattern: str, pieces: set[str] | None) -> None:
    assert required_literals(pattern) == pieces


_PATTERNS = st.lists(
    st.sampled_from(
        [r"sol", r"ar", r"(?:wind|sun)", r"(?:w|ks)", r"\d", r"\b", r"(?:power)?", r"[ab]", r"(?:ab){1,2}"]
    ),
    min_size=1,
    max_size=4,
).map("".join)
_TEXTS = st.text(alphabet="solarwindunpeab1 SOLKſıİ\u212a", max_size=30)


@examples(300)
@given(
    st.lists(_PATTERNS, min_size=1, max_size=5), st.one_of(_TEXTS, st.sampled_from(["SolAR wind1", "\u212aſ", "ſolar"]))
)
def test_no_match_is_lost(patterns: list[str], content: str) -> None:
    usable = [p for p in patterns if _compiles(p)]
    line = searchable(content)
    worth = set(Prefilter(usable).worth_trying(line))
    assert {i for i, p in enumerate(usable) if compile_pattern(p).search(line)} <= worth


def test_the_climate_patterns_lose_nothing() -> None:
    patterns = [p.regex for p in load("climate").patterns]
    line = "NORWAY WILL REDUCE EMISSIONS BY 55 PER CENT BY 2030 COMPARED TO 1990 LEVELS; CO₂ IS TAXED AT USD 200."
    worth = set(Prefilter(patterns).worth_trying(line))
    matching = {i for i, p in enumerate(patterns) if compile_pattern(p).search(line)}
    assert len(matching) > 5
    assert matching <= worth
    assert len(Prefilter(patterns).worth_trying("Fish swim.")) < len(patterns) / 4


def _compiles(pattern: str) -> bool:
    try:
        compile_pattern(pattern)
    except InvalidInput:
        return False
    return True
