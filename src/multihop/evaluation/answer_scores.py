"""How good an answer is: exact match and F1 as in SQuAD (Rajpurkar et al. 2016), and whether it is contained."""

from __future__ import annotations

import re
import string
from collections import Counter

from multihop import text

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(answer: str) -> str:
    """Lower-case an answer and leave out punctuation and articles."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def exact_match(gold: str, given: str) -> float:
    """1.0 when both are the same but for case, punctuation and articles."""
    return float(normalized(gold) == normalized(given))


def f1(gold: str, given: str) -> float:
    """Harmonic mean of the shares of words that both have."""
    wanted, said = normalized(gold).split(), normalized(given).split()
    if not wanted or not said:
        return float(wanted == said)
    common = sum((Counter(wanted) & Counter(said)).values())
    return 2 * common / (len(wanted) + len(said))


def contained(gold: str, passage: str) -> bool:
    """Tell whether the words of an answer stand next to each other in a text."""
    return text.contains(text.words(passage), text.words(gold))
