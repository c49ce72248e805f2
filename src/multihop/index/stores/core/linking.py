"""Linking passages to names, inside one change.

New passages are linked to every name in the corpus, and earlier passages to the new names. A passage touched by a name
that came or went is read again as a whole, so that linking step by step gives exactly the links that linking
everything at once would give.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from multihop.index.stores.core.rows import NameRows, NewPassage, Pair, Removed
from multihop.index.streams import batched
from multihop.protocols import Linker, Matcher, Progress

BATCH = 1000
_MANY_NEW = 20
"""With one new name to so many earlier passages, hardly a passage has none of them: all are read again."""
_NAMES_PER_PASSAGE = 200
"""Looking up the possible names of one passage costs about as much as loading so many names."""
_MOST_NAMES = 10_000_000
"""More names are never loaded at once, about 250 bytes each: memory must not grow with the corpus."""


class Linking:
    """The names of the index and the passages that use them, as one change leaves them."""

    def __init__(self, rows: NameRows, linker: Linker) -> None:
        self._rows = rows
        self._linker = linker
        self._maybe_unused: set[int] = set()
        self._spread: Counter[int] = Counter()

    def forget(self, removed: Removed) -> None:
        """Note which names documents had that were removed, and what their passages mentioned."""
        self._maybe_unused.update(removed.names)
        self._spread.subtract(removed.mentioned)

    def link_earlier(self, first: int, progress: Progress) -> None:
        """Read those passages before number `first` again whose names came or went."""
        dropped, users = self._rows.drop_unused_names(self._maybe_unused) if self._maybe_unused else ((), ())
        for name in dropped:
            del self._spread[name]
        changed = sorted({*users, *(n for n in self._with_new_names() if n < first)})
        known = self._all_names(len(changed))
        done = 0
        for batch in batched(changed, BATCH):
            self._relink(list(self._rows.read(batch)), known)
            done += len(batch)
            progress("linking earlier passages", done, len(changed))

    def link_new(self, passages: Iterable[NewPassage], total: int, progress: Progress) -> None:
        known = self._all_names(total)
        done = 0
        with ThreadPoolExecutor(1) as beside:
            for batch in batched(passages, BATCH):
                texts = [passage.words for passage in batch]
                names, matcher = known or self._names_in(texts)
                # Names are found on another core while the words go into the lexical index.
                matched = beside.submit(matcher.find, texts)
                self._rows.index(batch)
                self._insert(
                    [(p.number, n) for p, f in zip(batch, matched.result(), strict=True) for n in _in(names, f)]
                )
                done += len(batch)
                progress("linking", done, total)

    def finish(self) -> None:
        """Write how many passages use each name now."""
        if changed := [(name, count) for name, count in self._spread.items() if count]:
            self._rows.add_spread(changed)

    def _with_new_names(self) -> Iterator[int]:
        """Find the earlier passages that may use a name which this change brings."""
        new, earlier = self._rows.new_names(), self._rows.earlier_count()
        if not new or not earlier:
            return iter(())
        if len(new) >= earlier // _MANY_NEW:
            return iter(self._rows.earlier_passages())
        return iter(self._rows.with_words_of(new))

    def _relink(self, passages: Sequence[NewPassage], known: tuple[list[int], Matcher] | None) -> None:
        texts = [passage.words for passage in passages]
        names, matcher = known or self._names_in(texts)
        before: defaultdict[int, set[int]] = defaultdict(set)
        for number, name in self._rows.mentions([p.number for p in passages]):
            before[number].add(name)
        gone: list[Pair] = []
        come: list[Pair] = []
        for passage, found in zip(passages, matcher.find(texts), strict=True):
            after = set(_in(names, found))
            gone += [(passage.number, name) for name in sorted(before[passage.number] - after)]
            come += [(passage.number, name) for name in sorted(after - before[passage.number])]
        if gone:
            self._rows.delete_mentions(gone)
            self._spread.subtract(name for _, name in gone)
        self._insert(come)

    def _insert(self, mentions: Sequence[Pair]) -> None:
        if mentions:
            self._rows.insert_mentions(mentions)
            self._spread.update([name for _, name in mentions])

    def _all_names(self, passages: int) -> tuple[list[int], Matcher] | None:
        """Load every name for many passages; None where looking up the possible names of each is cheaper."""
        names = self._rows.name_count()
        if names > _MOST_NAMES or passages <= names // _NAMES_PER_PASSAGE:
            return None
        return self._matching(self._rows.all_names())

    def _names_in(self, texts: Sequence[Sequence[str]]) -> tuple[list[int], Matcher]:
        return self._matching(self._rows.names_in({run for words in texts for run in self._linker.runs(words)}))

    def _matching(self, known: Mapping[str, int]) -> tuple[list[int], Matcher]:
        return list(known.values()), self._linker.matcher(list(known))


def _in(names: Sequence[int], found: Iterable[int]) -> list[int]:
    return sorted([names[place] for place in found])
