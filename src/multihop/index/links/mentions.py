"""Mention links: which passages name which documents.

Every title and alias of the corpus is a name; one Aho–Corasick pass (Aho & Corasick 1975) finds the longest
names in a text, at word boundaries, whatever their case, diacritics or possessive ending. A name that several
documents share stays one name with several meanings. The idea that a corpus' own titles are its cheapest
entity linker goes back to hyperlink graphs in multi-hop QA (Asai et al. 2020, "Learning to Retrieve Reasoning Paths").
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import ahocorasick_rs

from multihop import text

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_QUESTION = 5
"""A title of at least this many words that begins with a question word is a question, not a name."""


class MentionMatcher:
    """Finds a fixed set of names in folded words: the longest ones, from left to right."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys

    @cached_property
    def _automaton(self) -> ahocorasick_rs.AhoCorasick:
        # Two blanks between words let neighboring names both claim a boundary blank.
        return ahocorasick_rs.AhoCorasick(
            (f" {k.replace(' ', '  ')} " for k in self._keys),
            matchkind=ahocorasick_rs.MatchKind.LeftmostLongest,
            store_patterns=False,
        )

    def find(self, texts: Sequence[Sequence[str]]) -> list[set[int]]:
        """Return for the words of each text the positions (in the list of keys) of the longest names among them."""
        # All texts are searched in one call, which lets other threads work meanwhile; no name holds a line break.
        haystacks = [f" {'  '.join(words)} " for words in texts]
        matches = self._automaton.find_matches_as_indexes("\n".join(haystacks))
        by_text: list[set[int]] = []
        place = begin = 0
        for haystack in haystacks:
            begin += len(haystack) + 1
            first = place
            while place < len(matches) and matches[place][1] < begin:
                place += 1
            by_text.append({index for index, _, _ in matches[first:place]})
        return by_text

    @cached_property
    def _by_first_word(self) -> dict[str, list[list[str]]]:
        names: dict[str, list[list[str]]] = {}
        for name in sorted([key.split(" ") for key in self._keys], key=len, reverse=True):
            names.setdefault(name[0], []).append(name)
        return names

    def locate(self, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Yield each name with the range of words it covers; for a question, whose few names need no automaton."""
        place = 0
        while place < len(words):
            names = self._by_first_word.get(words[place], ())
            name = next((n for n in names if list(words[place : place + len(n)]) == n), None)
            if name is not None:
                yield " ".join(name), place, place + len(name)
            # A title that is a question would hide all that the question names.
            place += 1 if name is None or (len(name) >= _QUESTION and text.asks(" ".join(name))) else len(name)


@dataclass(frozen=True, slots=True)
class MentionLinker:
    """Links by name: a document is named by its title, its title without parentheses, and its aliases."""

    longest: int = 14
    """Names of more words than this are not looked for in running text."""
    most: int = 64
    """A document that claims more aliases than this has none of them: it is after links."""

    def names(self, title: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
        claimed = list(dict.fromkeys(aliases))
        # Dumps of the web write "Hall &amp; Woodhouse" as a title and "Hall & Woodhouse" in texts.
        if "&" in title:
            title = _ENTITY.sub(lambda found: html.unescape(found[0]), title)
        forms = [title, *([text.without_parentheses(title)] if any(c in title for c in "([（") else [])]
        forms += claimed if len(claimed) <= self.most else []
        keys = dict.fromkeys(text.surface_key(f) for f in forms)
        return tuple(k for k in keys if k.count(" ") < self.longest and text.is_name(k))

    def runs(self, words: Sequence[str]) -> list[str]:
        return [" ".join(words[i : i + self.longest]) for i in range(len(words))]

    def matcher(self, keys: Sequence[str]) -> MentionMatcher:
        return MentionMatcher(keys)
