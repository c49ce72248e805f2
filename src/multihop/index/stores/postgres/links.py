"""Linking passages to names, inside one change.

A passage touched by a name that came or went is read again as a whole, so that linking step by step gives exactly the
links that linking everything at once would give.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from multihop import text
from multihop.index.stores.postgres import packing
from multihop.index.stores.postgres.connecting import Connection
from multihop.index.stores.postgres.packing import PART, part_of, restored
from multihop.index.stores.sqlite.schema import pieces
from multihop.protocols import Linker, Matcher, Progress

BATCH = 1000
_LONGEST_KEY = 2000
"""An entry of an index holds so many bytes; a longer name is nothing a text would mention."""
READ = "SELECT number, title, heading, text FROM passage WHERE "
Analysed = tuple[int, Sequence[str]]
"""The number and the words of a passage."""


def read_words(rows: Iterable[Sequence[object]]) -> Iterator[Analysed]:
    for number, title, heading, body in rows:
        yield int(str(number)), text.passage_words(restored(str(title)), restored(str(heading)), restored(str(body)))


class Names:
    """The names of the index and the passages that use them, as one change leaves them."""

    def __init__(self, connection: Connection, linker: Linker, next_surface: int) -> None:
        self._connection = connection
        self._linker = linker
        self._first_surface = self.next_surface = next_surface
        self._new: dict[str, int] = {}
        self._maybe_nameless: set[int] = set()
        self._relink: set[int] = set()
        self._spread: Counter[int] = Counter()

    # --- documents ---

    def keys(self, title: str, aliases: Iterable[str]) -> list[str]:
        return [k for k in self._linker.names(title, aliases) if len(k.encode()) <= _LONGEST_KEY]

    def bear(self, named: Mapping[tuple[str, str], bool]) -> None:
        """Note which documents bear which names, each with whether it is the whole title."""
        keys = sorted({key for key, _ in named})
        found = self._connection.execute("SELECT key, surface FROM surface WHERE key = ANY(%s)", (keys,)).fetchall()
        known: dict[str, int] = dict(found)
        fresh = [key for key in keys if key not in known]
        for key in fresh:
            known[key] = self._new[key] = self.next_surface
            self.next_surface += 1
        with self._connection.cursor().copy("COPY surface FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "text", "int4"])
            for key in fresh:
                copy.write_row((known[key], key, 0))
        with self._connection.cursor().copy("COPY name FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "text", "bool"])
            for (key, document), whole in named.items():
                copy.write_row((known[key], document, whole))

    def forget(self, documents: Sequence[str], numbers: Sequence[int], parts: Sequence[int]) -> None:
        """Take away what documents were called and what their passages mentioned."""
        used = self._connection.execute(
            "SELECT surface FROM mention WHERE number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])",
            (numbers, parts),
        )
        self._spread.subtract(s for (s,) in used)
        named = self._connection.execute("SELECT surface FROM name WHERE document = ANY(%s)", (documents,))
        self._maybe_nameless.update(s for (s,) in named)
        self._connection.execute("DELETE FROM name WHERE document = ANY(%s)", (documents,))
        self._relink.difference_update(numbers)

    # --- links ---

    def link_old(self, first: int, passages: int, progress: Progress) -> None:
        """Read those passages before `first` again whose names came or went."""
        self._forget_nameless()
        self._relink.update(n for n in self._with_new_names(first, passages) if n < first)
        everything = self._all() if len(self._relink) > self._few() else None
        done = 0
        for batch in pieces(sorted(self._relink), BATCH):
            condition = "number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])"
            rows = self._connection.execute(READ + condition, (batch, sorted({part_of(n) for n in batch})))
            found = dict(read_words(rows))
            self._change(found, *(everything or self._for(list(found.values()))))
            done += len(batch)
            progress("linking earlier passages", done, len(self._relink))

    def link_new(self, passages: Iterable[Analysed], total: int, progress: Progress) -> None:
        everything = self._all() if total > self._few() else None
        done = 0
        for batch in pieces(passages, BATCH):
            surfaces, matcher = everything or self._for([words for _, words in batch])
            found = _found(surfaces, matcher, [words for _, words in batch])
            self._mention([(number, s) for (number, _), used in zip(batch, found, strict=True) for s in used])
            done += len(batch)
            progress("linking", done, total)

    def finish(self) -> None:
        changed = [(s, n) for s, n in self._spread.items() if n]
        if changed:
            surfaces, counts = zip(*changed, strict=True)
            self._connection.execute(
                "UPDATE surface SET spread = spread + c.n FROM unnest(%s::bigint[], %s::integer[]) AS c(s, n)"
                " WHERE surface.surface = c.s",
                (list(surfaces), list(counts)),
            )

    def _change(self, passages: Mapping[int, Sequence[str]], surfaces: Sequence[int], matcher: Matcher) -> None:
        before: defaultdict[int, set[int]] = defaultdict(set)
        numbers = sorted(passages)
        rows = self._connection.execute(
            "SELECT number, surface FROM mention WHERE number = ANY(%s::bigint[]) AND part = ANY(%s::integer[])",
            (numbers, sorted({part_of(n) for n in numbers})),
        )
        for number, surface in rows:
            before[number].add(surface)
        gone: list[tuple[int, int]] = []
        come: list[tuple[int, int]] = []
        for number, after in zip(passages, _found(surfaces, matcher, list(passages.values())), strict=True):
            gone += [(number, s) for s in before[number] - set(after)]
            come += [(number, s) for s in after if s not in before[number]]
        if gone:
            self._connection.cursor().executemany(
                "DELETE FROM mention WHERE number = %s AND surface = %s AND part = %s",
                [(number, s, part_of(number)) for number, s in gone],
            )
            self._spread.subtract(s for _, s in gone)
        self._mention(come)

    def _mention(self, mentions: Sequence[tuple[int, int]]) -> None:
        if not mentions:
            return
        with self._connection.cursor().copy("COPY mention FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(packing.COPY_HEADER + packing.copy_mentions(mentions) + packing.COPY_END)
        self._spread.update(s for _, s in mentions)

    def _forget_nameless(self) -> None:
        """Drop names that no document bears any more, and note the passages that used them."""
        if not self._maybe_nameless:
            return
        borne = self._connection.execute(
            "SELECT DISTINCT surface FROM name WHERE surface = ANY(%s::bigint[])", (sorted(self._maybe_nameless),)
        )
        nameless = sorted(self._maybe_nameless - {s for (s,) in borne})
        if not nameless:
            return
        users = self._connection.execute("SELECT number FROM mention WHERE surface = ANY(%s::bigint[])", (nameless,))
        self._relink.update(n for (n,) in users)
        self._connection.execute("DELETE FROM mention WHERE surface = ANY(%s::bigint[])", (nameless,))
        self._connection.execute("DELETE FROM surface WHERE surface = ANY(%s::bigint[])", (nameless,))
        for surface in nameless:
            del self._spread[surface]
        self._new = {key: s for key, s in self._new.items() if s not in set(nameless)}

    def _with_new_names(self, first: int, passages: int) -> Iterator[int]:
        """Find the earlier passages that may use a name which this change brings."""
        if not self._new or not passages:
            return
        if len(self._new) >= passages // 20:
            # So many names are new that hardly a passage has none of them: read all again.
            yield from (
                n for (n,) in self._connection.execute("SELECT number FROM passage WHERE number < %s", (first,))
            )
            return
        for keys in pieces(self._new, 100):
            yield from self._holding(keys)

    def _holding(self, keys: Sequence[str]) -> Iterator[int]:
        """Find the passages that hold the two rarest words of a name; most of those hold them all."""
        split = {key: sorted(set(map(packing.term, text.terms(key)))) for key in keys}
        every = sorted({term for terms in split.values() for term in terms})
        counted = self._connection.execute("SELECT term, passages FROM term WHERE term = ANY(%s)", (every,))
        used: dict[str, int] = dict(counted.fetchall())
        rarest = {k: sorted(terms, key=lambda t: (used.get(t, 0), t))[:2] for k, terms in split.items() if terms}
        wanted = sorted({term for terms in rarest.values() for term in terms})
        found: defaultdict[str, set[int]] = defaultdict(set)
        rows = self._connection.cursor(binary=True).execute(
            "SELECT part, term, codes FROM posting WHERE term = ANY(%s)", (wanted,)
        )
        for part, term, codes in rows:
            found[term].update((part * PART + (packing.unpack_codes(codes) >> 16)).tolist())
        for terms in rarest.values():
            yield from set.intersection(*(found[term] for term in terms))

    def _for(self, texts: Sequence[Sequence[str]]) -> tuple[list[int], Matcher]:
        """Look up only the names that these texts could mention."""
        possible = sorted(set().union(*(self._linker.possible(words) for words in texts)))
        known = self._connection.execute("SELECT surface, key FROM surface WHERE key = ANY(%s)", (possible,)).fetchall()
        return [s for s, _ in known], self._linker.matcher([key for _, key in known])

    def _few(self) -> int:
        """Up to so many passages it is cheaper to look up their possible names than to load every name."""
        return (self.next_surface - 1) // 200

    def _all(self) -> tuple[list[int], Matcher]:
        known = self._connection.execute("SELECT surface, key FROM surface ORDER BY surface").fetchall()
        return [s for s, _ in known], self._linker.matcher([key for _, key in known])


def _found(surfaces: Sequence[int], matcher: Matcher, texts: Sequence[Sequence[str]]) -> list[list[int]]:
    return [sorted({surfaces[i] for i in found}) for found in matcher.find(texts)]
