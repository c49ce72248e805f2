r"""Regular expressions of users, which a text made for it could keep busy for hours: every match has a time limit.

Matching is done by the `regex` package, which has such a limit, needs a third of the time of `re` on the patterns of
our profiles, and avoids most runaways by itself. RE2 (google-re2) bounds any pattern, but knows no look-around, and
its \b, \w and \d know ASCII only: "\bénergie\b" would never match.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from multihop.errors import InvalidInput

LONGEST_RUN = 200
"""No run of characters other than blanks is longer than this in a searchable text."""
LONGEST_PATTERN = 2_000
SECONDS = 2.0
"""Of processor time for one match; an ordinary one takes microseconds."""
_RUN = re.compile(rf"(\S{{{LONGEST_RUN}}})\S+")


def searchable(content: str) -> str:
    """Put a text on one line with single blanks, and cut very long words, on which patterns are slowest."""
    return _RUN.sub(r"\1", " ".join(content.split()))


MARKER = "\ue000"
"""Takes the place of a value in a text whose surroundings are looked at."""


@dataclass(frozen=True, slots=True)
class TimedPattern:
    """A compiled pattern; raises InvalidInput where a match takes too long, and never gives a part of the result."""

    compiled: Any
    seconds: float = SECONDS

    def search(self, line: str) -> re.Match[str] | None:
        match: re.Match[str] | None = self._run(self.compiled.search, line)
        return match

    def match(self, line: str, start: int) -> re.Match[str] | None:
        result: re.Match[str] | None = self._run(self.compiled.match, line, start)
        return result

    def finditer(self, line: str, start: int = 0, end: int | None = None) -> list[re.Match[str]]:
        matches: list[re.Match[str]] = self._run(
            lambda **limit: list(self.compiled.finditer(line, start, end, **limit))
        )
        return matches

    def _run(self, work: Callable[..., Any], *given: Any) -> Any:
        try:
            return work(*given, timeout=self.seconds)
        except TimeoutError as error:
            raise InvalidInput(
                f"the pattern {self.compiled.pattern!r:.80} took more than {self.seconds:g} s on one text (catastrophic"
                " backtracking); do not repeat a group that repeats or varies inside, and bound gaps as in .{0,60}"
            ) from error


@functools.lru_cache(4096)
def compile_timed(pattern: str) -> TimedPattern:
    """Compile a trusted pattern, ignoring case."""
    # Loaded with the first pattern: most commands have none.
    import regex

    return TimedPattern(regex.compile(pattern, regex.IGNORECASE))


def compile_cue(pattern: str) -> TimedPattern:
    """Compile a pattern that is matched around a value, whose place {value} stands for."""
    return compile_pattern(pattern.replace("{value}", MARKER))


@functools.lru_cache(4096)
def compile_pattern(pattern: str) -> TimedPattern:
    """Compile a user's pattern, ignoring case; raises InvalidInput if it is invalid."""
    from regex import error as regex_error

    if len(pattern) > LONGEST_PATTERN:
        raise InvalidInput(f"it has {len(pattern)} characters; at most {LONGEST_PATTERN} are allowed")
    try:
        with warnings.catch_warnings():
            # A pattern that another Python reads otherwise is refused while its author can still mend it.
            warnings.simplefilter("error", FutureWarning)
            re.compile(pattern, re.IGNORECASE)
        compiled = compile_timed(pattern)
    except FutureWarning as error:
        # [[a], [a--b], [a&&b], [a||b] and [a~~b], which a later Python will read as sets of sets.
        said = f"{error}"
        raise InvalidInput(rf"{said[:1].lower()}{said[1:]}; in a set write \[, \-, \&, \| and \~") from error
    except (re.error, regex_error, RecursionError) as error:
        raise InvalidInput(f"not a regular expression: {error}") from error
    # Such a pattern would give its weight to every passage.
    if compiled.match("", 0):
        raise InvalidInput("it matches the empty text, and so everything")
    return compiled
