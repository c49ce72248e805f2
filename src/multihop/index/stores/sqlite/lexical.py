"""The lexical cache: BM25 over the passages, served by tantivy.

A stamp beside it says which generation of the store each commit shows, so whoever opens the cache knows exactly which
state of the documents it belongs to.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import tantivy
from numpy.typing import NDArray

from multihop import text
from multihop.errors import IndexBehind, IndexReadOnly, StoreError, cause
from multihop.index.stores.core import search
from multihop.index.stores.sqlite import checksums, schema, stamps
from multihop.index.stores.sqlite.stamps import Stamp
from multihop.index.stores.sqlite.statistics import Correction, Statistics

T = TypeVar("T")
Rows = NDArray[np.int64]
Scored = tuple[int, float]
FOLDER = "lexical"
SMALL = 20_000
"""Up to this many rows a restriction is part of the query; above, hits are fetched until enough of them pass."""
FEW = 1000
_CORES = os.cpu_count() or 1
_LARGE = 30_000
"""With this many passages, a search takes longer than waking another thread."""
_CACHED_QUERIES = 64
_CHANGED = 10
"""The cache is rebuilt when one passage in this many was removed from it: deleted ones slow a search down."""
_ANALYZER = "analysed"  # written into the cache on disk
_HEAP = 256_000_000
_SUMS = "sums.json"
_NOWHERE = "\0"
"""A word that no passage has."""
_TIED = 5000
"""Hits of equal score that are looked at to break the tie; a million equal passages must not cost as much."""
_TRIES = 10
"""How often a cache is opened that is written again and again meanwhile."""
_DAMAGED = "the search cache is damaged; build it again with: multihop verify --index INDEX"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_unsigned_field("length", fast=True)
    # Without positions, which only phrases would need.
    builder.add_text_field("body", tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


def _reading(read: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Turn what tantivy raises over a damaged file into an error of the store."""
    try:
        return read(*arguments, **options)
    except BaseException as error:
        # A panic is not an ordinary exception, and its class cannot be imported.
        if isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException":
            raise StoreError(_DAMAGED) from error
        raise


def _intact(content: bytes) -> bool:
    """Check a file of tantivy: content, a footer in JSON with its checksum, the footer's length, a magic number."""
    with suppress(ValueError, KeyError, TypeError):
        length = int.from_bytes(content[-8:-4], "little")
        return bool(json.loads(content[-8 - length : -8])["crc"] == zlib.crc32(content[: -8 - length]))
    return False


@cache
def _helper() -> ThreadPoolExecutor:
    """A second thread to search on; tantivy lets others run while it searches."""
    return ThreadPoolExecutor(max(1, min(4, _CORES - 1)), thread_name_prefix="multihop-search")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helper.cache_clear)  # threads do not survive in a child process


class LexicalSearcher:
    """One commit of the lexical cache, fixed at the moment it was opened."""

    def __init__(self, index: tantivy.Index, stamp: Stamp) -> None:
        self._searcher = index.searcher()
        self._schema = index.schema
        self._known: dict[tuple[str, bool], _Words] = {}
        self._counted: dict[str, int] = {}
        self._corrected: Correction | None = None
        self.stamp = stamp

    @property
    def size(self) -> int:
        # Every cache has one empty document more; see `Writer._add_empty`.
        return max(0, int(self._searcher.num_docs) - 1)

    @property
    def needs_rebuild(self) -> bool:
        """True if enough was removed that the cache should be rebuilt."""
        return self.stamp.removed * _CHANGED > self.size

    def rows(self) -> Rows:
        """Every row in the cache; only verification needs this."""
        # Rows are in files of their own: a word is looked up as well, in the files that searches need.
        self._search(self._term(_NOWHERE), 1)
        everything = tantivy.Query.range_query(self._schema, "row", tantivy.FieldType.Unsigned, 0, 2**62)
        return self._matching_rows(everything, max(1, int(self._searcher.num_docs)))

    def holding(self, words: Sequence[str]) -> Rows:
        """Rows of the passages that hold all these words, in any order."""
        must = [(tantivy.Occur.Must, self._term(t)) for t in set(text.stems(words))]
        query = tantivy.Query.boolean_query(must)
        count = self._search(query, 1).count
        return self._matching_rows(query, count) if count else np.empty(0, dtype=np.int64)

    def _matching_rows(self, query: tantivy.Query, limit: int) -> Rows:
        hits = self._search(query, limit, count=False).hits
        return np.array(self._values([a for _, a in hits]), dtype=np.int64)

    def rank_all(self, asked: Sequence[tuple[str, int, Rows | None, bool]]) -> list[list[Scored]]:
        """Rank for each of several queries, on two threads where that is worth it."""
        rankings: list[list[Scored]] = [[] for _ in asked]
        # Both threads take the next query from here, so that neither waits for the other.
        waiting = iter(range(len(asked)))

        def work() -> None:
            for place in waiting:
                rankings[place] = self.rank(*asked[place])

        if len(asked) == 1 or _CORES == 1 or self.size < _LARGE:
            work()
            return rankings
        helping = _helper().submit(work)
        work()
        # Where it has not even begun, busy for other questions, nothing is left for it to do.
        if not helping.cancel():
            helping.result()
        return rankings

    def rank(self, query: str, limit: int, allowed: Rows | None = None, rough: bool = False) -> list[Scored]:
        """Rank rows by BM25, best first; among `allowed` (sorted) when given, with full recall either way.

        A `rough` ranking leaves out the words that too many passages use, as long as rarer ones are there. Rows that
        tie with the last one asked for are given too, so that the caller can break the tie.
        """
        words = self._query(query, rough)
        if words.query is None or limit < 1 or (allowed is not None and not len(allowed)):
            return []
        slack = 1.0 if words.correction is None else words.correction.slack
        if allowed is None:
            ranked = self._top(words.query, limit, slack)
        elif len(allowed) <= SMALL:
            ranked = self._top(self._within(words.query, allowed.tolist()), min(limit, len(allowed)), slack)
        else:
            ranked = self._over_fetch(words.query, limit, allowed, slack)
        if words.correction is None or not ranked:
            return ranked
        return _first(self._correct(ranked, words.counts, words.correction), limit)

    def _within(self, query: tantivy.Query, rows: list[int]) -> tantivy.Query:
        must = (tantivy.Occur.Must, tantivy.Query.const_score_query(self._among(rows), 0.0))
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), must])

    def _correct(self, ranked: list[Scored], counts: Counter[str], correction: Correction) -> list[Scored]:
        """Score rows anew, word by word, as if nothing had ever been removed from the cache."""
        places = {row: place for place, (row, _) in enumerate(ranked)}
        lengths, scores = np.zeros(len(ranked)), np.zeros(len(ranked))
        for term, times in counts.items():
            hits = self._search(self._within(self._term(term), list(places)), len(places), count=False).hits
            addresses = [address for _, address in hits]
            at = [places[row] for row in self._values(addresses)]
            lengths[at] = self._values(addresses, "length")
            said = np.array([score for score, _ in hits])
            scores[at] += times * correction.worth(said, lengths[at], *self._frequency(term))
        return sorted(zip(places, scores.tolist(), strict=True), key=lambda hit: (-hit[1], hit[0]))

    def _correction(self, term: str) -> Correction | None:
        """Return how scores are to be corrected; None where nothing was removed, or no passage uses the word."""
        if self.stamp.removed and self._corrected is None:
            query = self._term(term)
            if hits := self._search(query, 1, count=False).hits:
                used = _reading(Statistics.from_explanation, self._searcher, query, hits[0][1])
                self._corrected = Correction(used, _reading(Statistics.of, self._searcher))
        return self._corrected

    def _query(self, query: str, rough: bool) -> _Words:
        """Return a query for tantivy; a question is looked up again in every hop, among what was reached."""
        known = self._known
        if (query, rough) not in known:
            # Threads share it: whoever finds it full starts a new one, and nobody removes what others use.
            known = self._known = known if len(known) < _CACHED_QUERIES else {}
            known[query, rough] = self._words(query, rough)
        return known[query, rough]

    def _words(self, query: str, rough: bool) -> _Words:
        counts = Counter(text.query_terms(query))
        if rough:
            common = self._searcher.num_docs / search.COMMON
            counts = Counter({t: n for t, n in counts.items() if self._frequency(t)[1] < common}) or counts
        corrections = [self._correction(term) for term in counts]
        correction = corrections[-1] if corrections else None
        should = [
            (tantivy.Occur.Should, self._term(t) if boost == 1 else tantivy.Query.boost_query(self._term(t), boost))
            for t, n in counts.items()
            for boost in [n * (correction.boost(*self._frequency(t)) if correction else 1.0)]
        ]
        return _Words(tantivy.Query.boolean_query(should) if should else None, counts, correction)

    def _among(self, rows: list[int]) -> tantivy.Query:
        if len(rows) > FEW:
            return tantivy.Query.term_set_query(self._schema, "row", rows)
        # A handful of rows is found faster one by one than through the automaton of a set.
        each = [(tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "row", row)) for row in rows]
        return tantivy.Query.boolean_query(each)

    def _over_fetch(self, query: tantivy.Query, limit: int, allowed: Rows, slack: float) -> list[Scored]:
        size = max(1, int(self._searcher.num_docs))
        fetch = int(limit * 1.2 * size / len(allowed)) + 20
        while True:
            top = self._top(query, fetch, slack)
            rows = np.array([row for row, _ in top], dtype=np.int64)
            # np.isin would make a table of all rows each time; these are few, and the allowed ones are sorted.
            passing = allowed[np.minimum(np.searchsorted(allowed, rows), len(allowed) - 1)] == rows
            kept = [hit for hit, passes in zip(top, passing.tolist(), strict=True) if passes]
            if len(kept) >= limit or len(top) < fetch or fetch >= size:
                return _first(kept, limit, slack)
            fetch *= 4

    def _top(self, query: tantivy.Query, limit: int, slack: float) -> list[Scored]:
        """Return the best hits, and those that reach the share `slack` of the score of the last of them."""
        size = max(1, int(self._searcher.num_docs))
        limit = min(limit, size)
        fetch = limit + 1
        while True:
            hits = self._search(query, min(fetch, size), count=False).hits
            if len(hits) <= limit or hits[-1][0] < hits[limit - 1][0] * slack or fetch >= min(size, limit + _TIED):
                break
            fetch *= 4
        if len(hits) > limit:
            hits = [hit for hit in hits if hit[0] >= hits[limit - 1][0] * slack]
        rows = self._values([a for _, a in hits])
        return [(row, score) for row, (score, _) in zip(rows, hits, strict=True)]

    def _search(self, query: tantivy.Query, limit: int, *, count: bool = True) -> Any:
        return _reading(self._searcher.search, query, limit, count=count)

    def _values(self, addresses: list[tantivy.DocAddress], field: str = "row") -> list[int]:
        values = _reading(self._searcher.fast_field_values, field, addresses)
        if None in values:
            raise StoreError(_DAMAGED)
        # Typed as a union of all field kinds; ours is unsigned and every passage has it.
        return values  # type: ignore[return-value]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Count the passages that use each term."""
        return [self._frequency(term)[1] for term in terms]

    def _frequency(self, term: str) -> tuple[int, int]:
        """Count the passages that use a term, with those that were removed and are still counted, and without."""
        used = _reading(self._searcher.doc_freq, "body", term)
        if not self.stamp.removed:
            return used, used
        if term not in self._counted:
            self._counted[term] = self._search(self._term(term), 1).count
        return used, self._counted[term]

    def _term(self, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, "body", term, "freq")


@dataclass(frozen=True, slots=True)
class _Words:
    """A query in the terms of tantivy, and how the scores it gives are to be corrected."""

    query: tantivy.Query | None
    counts: Counter[str]
    correction: Correction | None


def _first(ranked: list[Scored], limit: int, slack: float = 1.0) -> list[Scored]:
    """Keep the best of sorted hits, and those that reach the share `slack` of the score of the last of them."""
    return [hit for hit in ranked if len(ranked) <= limit or hit[1] >= ranked[limit - 1][1] * slack]


class LexicalCache:
    """The cache on disk: opened for searching by anyone, written by the holder of the store's writer lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._index: tantivy.Index | None = None

    def searcher(self) -> LexicalSearcher | None:
        """Open the newest commit, or None when there is no usable cache (it is then built again)."""
        try:
            there = (self._folder / "meta.json").exists()
        except OSError as error:
            raise schema.unreadable(self._folder) from error
        if not there:
            self._index = None
            return None
        for _ in range(2):  # what was opened before may be gone; then it is opened afresh
            with suppress(StoreError):
                if self._index is None:
                    sums = checksums.read_checksums(self._folder / _SUMS)
                    if self._missing(sums) or checksums.damaged_files(self._commit_files(), sums):
                        return None
                    self._index = self._register(_reading(tantivy.Index.open, str(self._readable())))
                if (searcher := self._open_newest_commit(self._index)) is not None:
                    return searcher
            self._index = None
        return None

    def _open_newest_commit(self, index: tantivy.Index) -> LexicalSearcher | None:
        """Open the newest commit together with what is known of it; None where that is not known."""
        for _ in range(_TRIES):
            before = stamps.commit_number(self._folder)
            _reading(index.reload)
            stamp = stamps.read_stamp(self._folder, before)
            searcher = _reading(LexicalSearcher, index, stamp) if stamp else None
            # A writer may have gone on between the two.
            if stamps.commit_number(self._folder) == before:
                return searcher
        return None

    def _readable(self) -> Path:
        """Return a folder that tantivy can open; it insists on a lock file even for reading.

        A read-only folder is read through links to its files, in a temporary folder that goes with this cache.
        """
        if self._writable():
            return self._folder
        mirror = Path(tempfile.mkdtemp(prefix="multihop-"))
        weakref.finalize(self, shutil.rmtree, mirror, ignore_errors=True)
        for file in self._folder.iterdir():
            if file.suffix != ".lock":
                try:
                    (mirror / file.name).symlink_to(file.resolve())
                except OSError:  # Windows leaves links to administrators
                    shutil.copyfile(file, mirror / file.name)
        return mirror

    def damaged_files(self) -> list[str]:
        """Name the files that are missing or not what tantivy wrote: each ends with a checksum of itself."""
        files, sums = self._commit_files(), checksums.read_checksums(self._folder / _SUMS)
        known = checksums.damaged_files(files, sums, completely=True)
        return sorted({*self._missing(sums), *known, *(f.name for f in files if not _intact(f.read_bytes()))})

    def _missing(self, sums: checksums.Sums) -> list[str]:
        """Name the files of the last commit that have checksums and are not on disk."""
        absent = [name for name in sums if not (self._folder / name).exists()]
        if not absent:
            return []
        # The commit is read afterwards: a writer deletes a file only when no commit needs it any more.
        belongs = self._reading_commit(self._belonging)
        return [name for name in absent if belongs(name)]

    def _commit_files(self) -> list[Path]:
        return self._reading_commit(self._files)[0]

    @staticmethod
    def _reading_commit(read: Callable[[], T]) -> T:
        try:
            return read()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(_DAMAGED) from error

    def write_checksums(self) -> None:
        """After a commit and its merges: add the checksums of the files that are new."""
        place = self._folder / _SUMS
        # Without them, or without room for them, the cache is as good; only damage to it is noticed later.
        with suppress(OSError, StoreError):
            checksums.write(place, self._commit_files(), checksums.read_checksums(place))

    def _files(self) -> tuple[list[Path], list[Path]]:
        """Return the files of the last commit, without those that a killed writer left."""
        belongs = self._belonging()
        files = list(self._folder.glob("[0-9a-f]*.*"))
        return [f for f in files if belongs(f.name)], [f for f in files if not belongs(f.name)]

    def _belonging(self) -> Callable[[str], bool]:
        """Return a function that tells whether a file of this name is part of the last commit."""
        segments = json.loads((self._folder / "meta.json").read_bytes())["segments"]
        deletes = {s["segment_id"].replace("-", ""): (s["deletes"] or {}).get("opstamp") for s in segments}

        def belongs(name: str) -> bool:
            id, *middle, kind = name.split(".")
            return id in deletes and (kind != "del" or middle == [str(deletes[id])])

        return belongs

    def _writable(self) -> bool:
        lock = self._folder / ".tantivy-meta.lock"
        return os.access(lock if lock.exists() else self._folder, os.W_OK)

    def writer(self, *, rebuild: bool = False) -> Writer:
        """Begin a change; `rebuild` deletes the old files first, which may be damaged."""
        if self._folder.exists() and not self._writable():
            raise IndexReadOnly(
                f"the search cache in {str(self._folder)!r} belongs to another user; it can only be read"
            )
        try:
            if rebuild:
                self._index = None
                shutil.rmtree(self._folder, ignore_errors=True)
            if self._index is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._index = self._register(tantivy.Index(_schema(), path=str(self._folder)))
            new = not stamps.commit_number(self._folder)
            for file in self._files()[1]:
                # tantivy would choose the same name for a file of its own, and fail. What Windows keeps, since a
                # reader has it open, is deleted another time.
                with suppress(PermissionError):
                    file.unlink(missing_ok=True)
            return Writer(self, self._index, self._folder, new)
        except (ValueError, OSError) as error:
            raise IndexReadOnly(
                f"the search cache in {str(self._folder)!r} cannot be written: {cause(error)}"
            ) from error

    @staticmethod
    def _register(index: tantivy.Index) -> tantivy.Index:
        # Words come folded and stemmed by `multihop.text`, so that queries and both stores see the same ones.
        analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer(_ANALYZER, analyzer)
        return index


class Writer:
    """One change of the lexical cache: remove rows, add rows, then commit with the generation it brings about."""

    def __init__(self, cache: LexicalCache, index: tantivy.Index, folder: Path, new: bool) -> None:
        self._cache = cache
        self._writer = index.writer(_HEAP, 1)
        self._schema = index.schema
        self._folder = folder
        self._removed: int | None = 0
        if new:
            self._add_empty()

    def _add_empty(self) -> None:
        """Add the document that every cache has beside its passages: BM25 counts one more than there are."""
        self._write(self._writer.add_document, tantivy.Document())

    def _write(self, write: Callable[..., object], *arguments: object) -> None:
        try:
            write(*arguments)
        except (ValueError, OSError) as error:
            raise IndexReadOnly(
                f"the search cache in {str(self._folder)!r} cannot be written: {cause(error)}"
            ) from error

    def clear(self) -> None:
        """Remove everything; until the commit, and if that fails, the old content stays."""
        self._write(self._writer.delete_all_documents)
        self._removed = None
        self._add_empty()

    def remove(self, rows: Iterable[int]) -> None:
        # By query: deleting by term takes the number for a signed one and finds nothing in an unsigned field.
        if gone := list(rows):
            self._removed = None if self._removed is None else self._removed + len(gone)
            query = tantivy.Query.term_set_query(self._schema, "row", gone)
            self._write(self._writer.delete_documents_by_query, query)

    def add(self, row: int, words: Sequence[str]) -> None:
        document = tantivy.Document()
        document.add_unsigned("row", row)
        stems = text.stems(words)
        document.add_unsigned("length", len(stems))
        document.add_text("body", " ".join(stems))
        self._write(self._writer.add_document, document)

    def commit(self, generation: int, last_row: int) -> None:
        try:
            stamps.announce(self._folder, generation, last_row, self._removed)
            # Without anything to do, the commit would get the number of the one before.
            self._writer.delete_documents_by_term("body", _NOWHERE)
            self._writer.commit()
        except (ValueError, OSError) as error:
            raise IndexBehind(
                f"the change is stored, but not the search cache in {str(self._folder)!r}, which will catch up as soon "
                f"as it can be written: {cause(error)}"
            ) from error
        finally:
            self._let_go()
        self._cache.write_checksums()
        self._share()

    def rollback(self) -> None:
        with suppress(ValueError, OSError):
            self._writer.rollback()
        self._let_go()

    def _let_go(self) -> None:
        """Finish merges and release tantivy's own lock."""
        with suppress(ValueError, OSError):
            self._writer.wait_merging_threads()

    def _share(self) -> None:
        """Make these files readable for all who may read the index; tantivy restricts its own to the writing user."""
        with suppress(OSError):
            mode = (self._folder.parent / schema.FILE).stat().st_mode
            for name in ("meta.json", ".managed.json", stamps.FILE, _SUMS):
                (self._folder / name).chmod(mode)
