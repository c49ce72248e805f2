"""WordPiece (Schuster & Nakajima 2012) over the lower-case vocabulary of BERT (Devlin et al. 2019).

The tokenizer of the built-in models: accents are dropped, punctuation and Chinese characters are separate tokens, and
words are split greedily into the longest known pieces. The package that offers it depends on the client of a model hub;
this takes eighty lines.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources

START, END, PADDING = 101, 102, 0
_UNKNOWN = 100
# As in BERT's tokenizer, a longer word is unknown.
_LONGEST_WORD = 100
# The ranges that BERT splits, without kana and Hangul.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def tokens(text: str, most: int) -> list[int]:
    """Return the first tokens of a text, up to a limit, as vocabulary ids."""
    ids: list[int] = []
    for word in unicodedata.normalize("NFD", text.lower()).translate(_CUTS).split():
        ids += _pieces(word)
        if len(ids) >= most:
            return ids[:most]
    return ids


def placed_tokens(text: str, most: int) -> list[tuple[int, int, int]]:
    """Return the first tokens of a text as `tokens` does, each with its start and end in the text."""
    placed: list[tuple[int, int, int]] = []
    word, places = "", list[int]()
    for place, character in enumerate(f"{text} "):
        for part in unicodedata.normalize("NFD", character.lower()).translate(_CUTS):
            if not part.isspace():
                word += part
                places.append(place)
            elif word:
                placed += _place_pieces(word, places)
                word, places = "", []
        if len(placed) >= most:
            break
    return placed[:most]


def _place_pieces(word: str, places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    pieces = _pieces(word)
    at = 0
    for piece in pieces:
        length = len(word) if len(pieces) == 1 else len(_spelling()[piece].removeprefix("##"))
        yield piece, places[at], places[at + length - 1] + 1
        at += length


@cache
def _spelling() -> dict[int, str]:
    return {number: piece for piece, number in vocabulary().items()}


class _Cuts(dict[int, str]):
    """Maps a character to itself, nothing, a space, or itself between spaces; filled lazily."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        category = unicodedata.category(character)
        if character in "\t\n\r" or category == "Zs":
            cut = " "
        elif category in ("Mn", "Cc", "Cf", "Co", "Cs") or character == "\ufffd":
            cut = ""
        elif category[0] == "P" or (character.isascii() and not character.isalnum()):
            cut = f" {character} "
        else:
            is_ideograph = any(first <= point <= last for first, last in _IDEOGRAPHS)
            cut = f" {character} " if is_ideograph else character
        self[point] = cut
        return cut


_CUTS = _Cuts()


@lru_cache(maxsize=65_536)
def _pieces(word: str) -> tuple[int, ...]:
    """Split a word into the longest known pieces; a word that cannot be split is unknown."""
    if len(word) > _LONGEST_WORD:
        return (_UNKNOWN,)
    known = vocabulary()
    pieces: list[int] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if (piece := known.get(mark + word[start:end])) is not None:
                pieces.append(piece)
                start = end
                break
        else:
            return (_UNKNOWN,)
    return tuple(pieces)


@cache
def vocabulary() -> dict[str, int]:
    """Load the built-in vocabulary: one piece per line, whose number is its id."""
    lines = resources.files(__package__).joinpath("data", "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines) if piece}
