"""Excerpts of a passage: the sentence with most of the patterns of a question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from multihop import text
from multihop.profiles.regexes import TimedPattern, compile_pattern, searchable
from multihop.profiles.values import Pattern, Profile

_BEFORE = 60


@dataclass(frozen=True)
class Signs:
    """The patterns that indicate an answer to one question."""

    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, profile: Profile, question: str) -> Signs:
        return cls(profile.serving(profile.topics(question))[1])

    @cached_property
    def _patterns(self) -> list[tuple[Pattern, TimedPattern]]:
        return [(p, compile_pattern(p.regex)) for p in self.patterns]

    def names_in(self, content: str) -> list[str]:
        """Return the names of the signs in a text, by weight."""
        line = searchable(content)
        matching = [p for p, regex in self._patterns if regex.search(line)]
        return [p.name for p in sorted(matching, key=lambda p: (-p.weight, p.name))]

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return the spans of signs in a text on one line; overlapping ones are merged."""
        spans = sorted(m.span() for _, regex in self._patterns for m in regex.finditer(line))
        joined: list[tuple[int, int]] = []
        for start, end in spans:
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined

    def excerpt(self, content: str, limit: int = 300) -> str:
        """Return the sentence with the strongest signs, truncated; the beginning of the text if there are none."""
        sentences = text.sentences(searchable(content)) or [""]
        best = max(sentences, key=lambda s: (self._weight(s), -sentences.index(s)))
        matches = [(-p.weight, m.start()) for p, regex in self._patterns if (m := regex.search(best))]
        start = max(0, min(matches)[1] - _BEFORE) if matches and len(best) > limit else 0
        start = best.find(" ", start) + 1 if start else 0
        cut = best[start : start + limit]
        whole = start + limit >= len(best)
        return ("… " if start else "") + (cut if whole else cut.rsplit(" ", 1)[0] + " …")

    def _weight(self, sentence: str) -> float:
        # Combined as independent probabilities.
        left = 1.0
        for pattern, regex in self._patterns:
            left *= 1.0 - pattern.weight * (regex.search(sentence) is not None)
        return 1.0 - left
