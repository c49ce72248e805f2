"""Numbers in words, from zero to ninety-nine."""

from __future__ import annotations

import re

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS: dict[str, int] = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
} | {word: 10 * number for number, word in enumerate(_TENS, 2)}
_WORDED = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})-(?P<ones>one|two|three|four|five|six|seven|eight|nine)"
    rf"|(?P<word>{'|'.join(NUMBER_WORDS)}))\b",
    re.IGNORECASE,
)


def with_digits(said: str) -> str:
    """Write numbers in digits: "twenty-eight hours" as "28 hours"."""
    return _WORDED.sub(lambda match: str(_value(match)), said)


def _value(match: re.Match[str]) -> int:
    if word := match["word"]:
        return NUMBER_WORDS[word.lower()]
    return NUMBER_WORDS[match["tens"].lower()] + NUMBER_WORDS[match["ones"].lower()]
