"""Linking passages to names, inside one change.

New passages are linked to every name in the corpus, and earlier passages to the new names. A passage touched by a name
that came or went is read again as a whole, so that linking step by step gives exactly the links that linking
everything at once would give.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import starmap

from multihop.index.stores.core.rows import NameRows, NewPassage, Pair, Removed
from multihop.index.streams import in_batches
from multihop.protocols import Linker, Matcher, Progress

BATCH = 1000
_MANY_NEW = 20
"""With one new name to this many earlier passages, nearly all of them may use one: all are read again."""
_NAMES_PER_PASSAGE = 200
"""Looking up the possible names of one passage costs about as much as loading this many names."""
_MOST_NAMES = 10_000_000
"""More names are never loaded at once, about 600 bytes each: memory must not grow with the corpus."""


class Linking:
    """The names of the index and their users after one change."""

    def __init__(self, rows: NameRows, linker: Linker) -> None:
        self._rows = rows
        self._linker = linker
        self._maybe_unused: set[int] = set()
        # The garbage collector passes over a plain dict of numbers, and over tuples of numbers or texts; a Counter and
        # lists of millions of names it would look through every few thousand passages.
        self._spread: dict[int, int] = {}
        self._known: tuple[Sequence[int], Matcher] | None = None

    def forget(self, removed: Removed) -> None:
        """Record the names of removed documents, and what their passages mentioned."""
        self._maybe_unused.update(removed.names)
        self._count(removed.mentioned, -1)

    def link_earlier(self, first: int, progress: Progress) -> None:
        """Relink passages before number `first` that are affected by added or removed names."""
        dropped, users = self._rows.drop_unused_names(self._maybe_unused) if self._maybe_unused else ((), ())
        for name in dropped:
            self._spread.pop(name, None)
        total, passages = self._to_read_again(users, first)
        done = 0
        for batch, names in self._match_batches(passages, total):
            self._relink(batch, names)
            done += len(batch)
            progress("linking earlier passages", done, total)

    def link_new(self, passages: Iterable[NewPassage], total: int, progress: Progress) -> None:
        done = 0
        for batch, mentioned in self._match_batches(passages, total):
            self._rows.index(batch)
            self._insert([(p.number, name) for p, names in zip(batch, mentioned, strict=True) for name in names])
            done += len(batch)
            progress("linking", done, total)

    def finish(self) -> None:
        """Write how many passages use each name now."""
        if changed := [(name, count) for name, count in self._spread.items() if count]:
            self._rows.add_spread(changed)

    def _to_read_again(self, users: Iterable[int], first: int) -> tuple[int, Iterable[NewPassage]]:
        """Find the earlier passages that may use a new name, or used a removed one."""
        new, earlier = self._rows.new_names(), self._rows.earlier_count()
        if new and len(new) >= earlier // _MANY_NEW:
            return earlier, self._rows.earlier()
        users_of_new = self._rows.with_words_of(new) if earlier else ()
        # The words of this change's own passages may be found as well; these are linked as new ones.
        changed = sorted({*users, *(n for n in users_of_new if n < first)})
        return len(changed), (p for some in in_batches(changed, BATCH) for p in self._rows.read(some))

    def _match_batches(
        self, passages: Iterable[NewPassage], total: int
    ) -> Iterator[tuple[list[NewPassage], list[list[int]]]]:
        """Yield passages with the names in them, batch by batch; those of the next one are found on another core."""
        known = self._all_names(total)
        ahead: deque[tuple[list[NewPassage], Sequence[int], Future[list[set[int]]]]] = deque()
        with ThreadPoolExecutor(1) as beside:
            for batch in in_batches(passages, BATCH):
                texts = [passage.words for passage in batch]
                # Rows are read in this thread, to which the transaction belongs; only the search runs beside it.
                names, matcher = known or self._names_in(texts)
                ahead.append((batch, names, beside.submit(matcher.find, texts)))
                if len(ahead) > 1:
                    yield _await_matches(*ahead.popleft())
            yield from starmap(_await_matches, ahead)

    def _relink(self, passages: Sequence[NewPassage], matched: Sequence[Sequence[int]]) -> None:
        before: defaultdict[int, set[int]] = defaultdict(set)
        for number, name in self._rows.mentions([p.number for p in passages]):
            before[number].add(name)
        gone: list[Pair] = []
        come: list[Pair] = []
        for passage, names in zip(passages, matched, strict=True):
            after = set(names)
            gone += [(passage.number, name) for name in sorted(before[passage.number] - after)]
            come += [(passage.number, name) for name in sorted(after - before[passage.number])]
        if gone:
            self._rows.delete_mentions(gone)
            self._count((name for _, name in gone), -1)
        self._insert(come)

    def _insert(self, mentions: Sequence[Pair]) -> None:
        if mentions:
            self._rows.insert_mentions(mentions)
            self._count((name for _, name in mentions), 1)

    def _count(self, names: Iterable[int], step: int) -> None:
        spread = self._spread
        for name in names:
            spread[name] = spread.get(name, 0) + step

    def _all_names(self, passages: int) -> tuple[Sequence[int], Matcher] | None:
        """Load every name for many passages, once; None where looking up the possible names of each is cheaper."""
        names = self._rows.name_count()
        if self._known is None and names <= _MOST_NAMES and passages > names // _NAMES_PER_PASSAGE:
            self._known = self._matching(self._rows.all_names())
        return self._known

    def _names_in(self, texts: Sequence[Sequence[str]]) -> tuple[Sequence[int], Matcher]:
        return self._matching(self._rows.names_in({run for words in texts for run in self._linker.runs(words)}))

    def _matching(self, known: Mapping[str, int]) -> tuple[Sequence[int], Matcher]:
        return tuple(known.values()), self._linker.matcher(tuple(known))


def _await_matches(
    batch: list[NewPassage], names: Sequence[int], matched: Future[list[set[int]]]
) -> tuple[list[NewPassage], list[list[int]]]:
    """Wait for the names matched in a batch, and return their numbers."""
    return batch, [sorted([names[place] for place in places]) for places in matched.result()]
