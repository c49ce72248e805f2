"""Cue phrases that indicate how one passage relates to another, and where they occur in a sentence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import cast, get_args

from multihop import text
from multihop.errors import InvalidInput, suggestion
from multihop.protocols import CuePhrases
from multihop.types import RelationKind

KINDS: tuple[RelationKind, ...] = get_args(RelationKind)


@dataclass(frozen=True, slots=True)
class RelationRule:
    """Cue phrases that indicate a relation; the passage that uses one is its source, with `reverse` its target.

    A rule holds where a phrase precedes the name or the words of the other passage, and where it opens the next
    passage of the same document; one that `opens` holds only there.
    """

    kind: RelationKind
    cues: tuple[str, ...]
    confidence: float = 0.6
    reverse: bool = False
    opens: bool = False


_TABLES = tomllib.loads((files(__package__) / "rules.toml").read_text("utf-8"))["rules"]
RULES = tuple(RelationRule(**{**table, "cues": tuple(table["cues"])}) for table in _TABLES)
"""The rules of plain English; a domain profile may bring others."""


_BACKWARDS = frozenset((rule.kind, cue) for rule in RULES if rule.reverse and not rule.opens for cue in rule.cues)


def check_rules(rules: Iterable[CuePhrases]) -> tuple[RelationRule, ...]:
    """Convert anything with a kind, cues and a confidence into `RelationRule`s; raises for invalid ones.

    A rule that does not say which way it points points backwards where English does: "due to" names the cause.
    """
    checked: list[RelationRule] = []
    for place, rule in enumerate(rules, 1):
        if not all(hasattr(rule, name) for name in ("kind", "cues", "confidence")):
            raise InvalidInput(f"relation rule {place} must have a kind, cues and a confidence; got {rule!r:.60}")
        if rule.kind not in KINDS:
            raise InvalidInput(f"relation rule {place} has the kind {rule.kind!r}: {suggestion(str(rule.kind), KINDS)}")
        confidence = rule.confidence
        if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence <= 1:
            raise InvalidInput(
                f"relation rule {place} has the confidence {confidence!r}; a confidence is above 0 and at most 1"
            )
        if not rule.cues or not all(isinstance(cue, str) and text.words(cue) for cue in rule.cues):
            raise InvalidInput(f"relation rule {place} ({rule.kind}) needs at least one cue, each with a word in it")
        checked += [rule] if isinstance(rule, RelationRule) else _split_by_direction(rule)
    return tuple(checked)


def _split_by_direction(rule: CuePhrases) -> list[RelationRule]:
    parts: dict[bool, list[str]] = {}
    for cue in rule.cues:
        parts.setdefault((rule.kind, cue.casefold()) in _BACKWARDS, []).append(cue)
    kind = cast("RelationKind", rule.kind)
    return [RelationRule(kind, tuple(cues), float(rule.confidence), reverse) for reverse, cues in parts.items()]


Found = tuple[RelationRule, str, int, int]
"""A rule that speaks in a sentence, its cue, and where that begins and ends."""


class Cues:
    """The cues of many rules, matched in one pass; of two that begin at the same word the longer wins."""

    def __init__(self, rules: Sequence[RelationRule]) -> None:
        self._rules: dict[str, list[RelationRule]] = {}
        for rule in rules:
            for cue in rule.cues:
                self._rules.setdefault(text.surface_key(cue), []).append(rule)
        # An alternation takes the first that fits. The blanks are only looked at, so the next cue can begin with one.
        longest_first = sorted(self._rules, key=lambda cue: (-len(cue), cue))
        self._pattern = re.compile(f"(?<= )(?:{'|'.join(map(re.escape, longest_first))})(?= )") if rules else None

    def find(self, padded: str) -> list[Found]:
        """Return the rules that match a text of folded words (a blank at both ends), each with cue and span."""
        if self._pattern is None:
            return []
        matches = self._pattern.finditer(padded)
        return [(rule, m.group(), m.start(), m.end()) for m in matches for rule in self._rules[m.group()]]
