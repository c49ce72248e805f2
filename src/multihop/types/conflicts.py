"""Two pieces of evidence that contradict each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from multihop.types.chains import Quote

ConflictKind = Literal["number", "date", "name", "polarity"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sentences of different documents that cannot both be right, in what they differ, and which is newer."""

    kind: ConflictKind
    quotes: tuple[Quote, Quote]
    values: tuple[str, str]
    """In what they differ; empty where one says the opposite of the other."""
    titles: tuple[str, str]
    dates: tuple[str, str]
    """The days of their documents, where these have any."""
    newer: str = ""
    """Id of the passage whose document is newer; empty where that is not known."""

    @property
    def text(self) -> str:
        """The conflict as a sentence."""
        sides = [
            f"“{title}”{f' ({date})' if date else ''} says “{' '.join(quote.text.split())}”"
            for title, date, quote in zip(self.titles, self.dates, self.quotes, strict=True)
        ]
        place = next((n for n, quote in enumerate(self.quotes) if quote.passage_id == self.newer), None)
        newer = "" if place is None else f"; the {('first', 'second')[place]} is newer"
        return f"two sources disagree: {sides[0]}, {sides[1]}{newer}"
