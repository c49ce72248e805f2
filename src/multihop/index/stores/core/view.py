"""The index as the loop sees it: one generation through one filter, over the row operations of a database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from multihop import text
from multihop.index.stores.core import lost_relations
from multihop.index.stores.core.cache import GenerationCache, Meanings
from multihop.index.stores.core.rows import NameUse, Ranked, ReadRows
from multihop.protocols import Embedder, Linker, Lookup, Scored, Vectors
from multihop.text.emptiness import count_words, find_stubs
from multihop.types import Link, Mention, Note, Passage, Relation

T = TypeVar("T")
Blobs = Callable[[str], tuple[int, bytes] | None]
_FEW = 400
"""Up to this many passages are read whole when only their ids are needed: their text is usually read next."""
_SEVERAL = 2
_OPENING = 3


class IndexView:
    """Implements `View` for every store that has row operations."""

    def __init__(
        self,
        rows: ReadRows,
        cache: GenerationCache,
        linker: Linker,
        embedder: Embedder | None,
        blobs: Blobs,
        filter: str = "",
        notes: tuple[Note, ...] = (),
    ) -> None:
        self._rows = rows
        self._cache = cache
        self._linker = linker
        self.embedder = embedder
        self._blobs = blobs
        self._filter = filter
        self.notes = notes
        self._ids = rows.ids
        self._names: dict[str, tuple[Mention, ...]] = {}

    @property
    def generation(self) -> int:
        return self._rows.generation

    @property
    def size(self) -> int:
        return self._rows.size

    # --- passages ---

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        wanted = list(ids)
        numbers, cached = self._ids.numbers, self._cache.passages.known
        if not self._filter:
            passages = {i: cached[n] for i in wanted if (n := numbers.get(i)) is not None and n in cached}
            if len(passages) == len(wanted):
                return passages  # the usual case: what was found was read at once
        known = self._existing_numbers(wanted)
        loaded = self._load(known.values())
        return {id: loaded[number] for id, number in known.items() if number in loaded}

    def passages_of(self, documents: Iterable[str], limit: int) -> dict[str, list[str]]:
        wanted = sorted(set(documents))
        cached = self._cache.openings.known
        openings = {d: cached[d, limit] for d in wanted if (d, limit) in cached}
        if missing := [d for d in wanted if d not in openings]:
            new = self._rows.openings(missing, limit)
            self._cache.openings.add({(d, limit): opening for d, opening in new.items()})
            openings |= new
        passing = self._passing(number for opening in openings.values() for number, _ in opening)
        result: dict[str, list[str]] = {}
        for document in wanted:
            for number, id in openings.get(document, ()):
                if number in passing:
                    result.setdefault(document, []).append(self._ids.add(number, id))
        return result

    def since(self, mark: int) -> Iterator[tuple[int, Passage]]:
        return self._rows.since(mark)

    def scan(self) -> Iterator[Passage]:
        return (passage for _, passage in self.since(-1))

    # --- search ---

    def lexical(self, lookups: Sequence[Lookup]) -> list[Scored]:
        within = [self._within(lookup.within) for lookup in lookups]
        return self._name_hits(self._rows.lexical(lookups, within), [lookup.limit for lookup in lookups])

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._rows.frequencies(terms)

    def nearest(self, vectors: Vectors, limit: int, within: Sequence[str] | None = None) -> list[Scored]:
        if self.embedder is None:
            return [[] for _ in vectors]
        return self._name_hits(self._rows.nearest(vectors, limit, self._within(within)), [limit] * len(vectors))

    def vectors(self, passages: Sequence[str]) -> Vectors:
        if self.embedder is None:
            return np.zeros((len(passages), 0), dtype=np.float32)
        new = [id for id in passages if id not in self._ids.numbers] if len(passages) > _FEW else []
        known = self._existing_numbers(passages)
        # Larger sets are read once, block by block: caching them would only fill the memory.
        self._ids.forget(new)
        numbers, stored = self._rows.vectors(sorted(known.values()))
        places = {number: place for place, number in enumerate(numbers)}
        result = np.zeros((len(passages), self.embedder.dimension), dtype=np.float32)
        for place, id in enumerate(passages):
            if id in known and known[id] in places:
                result[place] = stored[places[known[id]]]
        return result

    def _within(self, ids: Sequence[str] | None) -> list[int] | None:
        return None if ids is None else sorted(self._existing_numbers(ids).values())

    def _name_hits(self, ranked: Sequence[Ranked], limits: Sequence[int]) -> list[Scored]:
        """Name the passages of rankings; ties are broken by id."""
        self._learn_ids({number for hits in ranked for number, _ in hits})
        ids = self._ids.of
        best = [sorted([(-score, ids[number]) for number, score in hits if number in ids]) for hits in ranked]
        return [[(id, -worse) for worse, id in hits[:limit]] for hits, limit in zip(best, limits, strict=True)]

    # --- names and links ---

    def find_names(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        if new := [t for t in dict.fromkeys(texts) if t not in self._names]:
            self._names.update(zip(new, self._find_names(new), strict=True))
        return [self._names[t] for t in texts]

    def _find_names(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        words = [text.words(t) for t in texts]
        known = self._rows.names_in({run for w in words for run in self._linker.runs(w)})
        if not known:
            return [() for _ in texts]
        matcher = self._linker.matcher(list(known))
        located = [list(matcher.locate(w)) for w in words]
        used = {key for names in located for key, _, _ in names}
        meanings = self._meanings({known[key]: key for key in used})
        mentions: list[tuple[Mention, ...]] = []
        for asked, names in zip(texts, located, strict=True):
            here = {known[key]: meanings[known[key]] for key, _, _ in names if known[key] in meanings}
            # A document that only asks this again under a title has no share in it.
            here = self._drop_stubs(here, asked) if text.asks(asked) else here
            documents = {key: sorted(ambiguity(here[known[key]]).items()) for key, _, _ in names if known[key] in here}
            mentions.append(tuple(_mention(k, documents[k], i, j) for k, i, j in names if documents.get(k)))
        return mentions

    def links_from(self, passages: Sequence[str], rarest: int | None = None) -> list[Link]:
        known = self._existing_numbers(passages)
        uses: dict[int, list[NameUse]] = defaultdict(list)
        for use in self._rows.mentions(list(known.values())):
            uses[use.passage].append(use)
        kept = {source: sorted(uses[number])[:rarest] for source, number in known.items() if number in uses}
        meanings = self._meanings({use.name: use.key for used in kept.values() for use in used})
        links: list[Link] = []
        for source in sorted(kept):
            for _, spread, key, name in kept[source]:
                targets = _others(meanings[name], source)
                links += [Link(source, target, key, n, spread) for target, n in sorted(targets.items())]
        return links

    def links_to(self, documents: Sequence[str], limit: int) -> list[Link]:
        mentions = self._rows.mentions_of(list(dict.fromkeys(documents)), limit)
        meanings = self._meanings({use.name: use.key for uses in mentions.values() for use in uses})
        links: list[Link] = []
        for target, uses in mentions.items():
            for number, spread, key, name in uses:
                if target in meanings[name].stubs:
                    continue
                source = self._ids.of[number]
                # One of very many documents of a name is not listed among them, and shares it with all others.
                shared = _others(meanings[name], source).get(target, meanings[name].total)
                links.append(Link(source, target, key, shared, spread))
        return sorted(links, key=lambda link: (link.source, link.target, link.name))

    def _meanings(self, names: Mapping[int, str]) -> dict[int, Meanings]:
        """The documents that share each name, by number."""
        cached = self._cache.meanings.known
        known = {name: cached[name] for name in names if name in cached}
        if missing := {name: key for name, key in names.items() if name not in known}:
            read = {name: Meanings.of(documents) for name, documents in self._rows.meanings(missing).items()}
            new = self._drop_stubs(read)
            self._cache.meanings.add(new)
            known |= new
        return known

    def _drop_stubs(self, read: dict[int, Meanings], question: str = "") -> dict[int, Meanings]:
        """Leave out documents that hardly say anything under a title which another one fills: stubs, and squatters.

        What a document only repeats of the question says nothing.
        """
        titled = {name: [d for d, whole in meanings.documents.items() if whole] for name, meanings in read.items()}
        titled = {name: documents for name, documents in titled.items() if len(documents) >= _SEVERAL}
        if not titled:
            return read
        # All names at once: each of these is a round trip where the index is on a server.
        openings = self._rows.openings(sorted({d for documents in titled.values() for d in documents}), _OPENING)
        passages = self._load(number for opening in openings.values() for number, _ in opening)
        said = {
            d: max((count_words(p.text, p.title, question) for n, _ in opening if (p := passages.get(n))), default=0.0)
            for d, opening in openings.items()
        }
        return read | {name: _without_stubs(read[name], documents, said) for name, documents in titled.items()}

    # --- relations ---

    def relations_from(self, passages: Sequence[str]) -> list[Relation]:
        return self._relations("source", passages)

    def relations_to(self, passages: Sequence[str]) -> list[Relation]:
        return self._relations("target", passages)

    def lost_relations(self) -> list[str]:
        _, data = self._blobs(lost_relations.BLOB) or (0, b"")
        return list(
            self._existing_numbers(
                id for id, generation in lost_relations.unpack(data).items() if generation <= self.generation
            )
        )

    def _relations(self, end: str, passages: Sequence[str]) -> list[Relation]:
        rows = list(self._rows.relations(end, list(self._existing_numbers(passages).values())))
        passing = self._passing(number for row in rows for number in row[:2])
        self._learn_ids(passing)
        ids = self._ids.of
        relations = [Relation(ids[r[0]], ids[r[1]], *r[2:]) for r in rows if r[0] in passing and r[1] in passing]
        return sorted(relations, key=lambda r: (r.source, r.target, r.kind))

    # --- cache ---

    def get_blob(self, name: str) -> tuple[int, bytes] | None:
        return self._blobs(name)

    def get_or_make(self, name: str, make: Callable[[], T], *, shared: bool = False) -> T:
        return self._cache.computed.get("" if shared else self._filter, name, make)

    # --- ids and numbers ---

    def _existing_numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """Numbers of the passages that exist and pass the filter, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        numbers = self._ids.numbers
        if unknown := [id for id in wanted if id not in numbers]:
            self._rows.find(unknown)
        known = {id: number for id in wanted if (number := numbers.get(id)) is not None}
        if not self._filter:
            return known
        passing = self._rows.passing(known.values())
        return {id: number for id, number in known.items() if number in passing}

    def _passing(self, numbers: Iterable[int]) -> set[int]:
        wanted = set(numbers)
        return self._rows.passing(wanted) if self._filter else wanted

    def _learn_ids(self, numbers: Iterable[int]) -> None:
        unknown = [number for number in numbers if number not in self._ids.of]
        if len(unknown) > _FEW:
            self._rows.find_ids(unknown)
        else:
            for number, passage in self._load(unknown).items():
                self._ids.add(number, passage.id)

    def _load(self, numbers: Iterable[int]) -> dict[int, Passage]:
        wanted = list(numbers)
        cached = self._cache.passages.known
        loaded = {number: cached[number] for number in wanted if number in cached}
        if missing := [number for number in wanted if number not in loaded]:
            new = self._rows.passages(missing)
            self._cache.passages.add(new)
            loaded |= new
        return loaded


def ambiguity(meanings: Meanings) -> dict[str, int]:
    """Return for each document that has a name how many share the name with equal precedence.

    Those whose whole title it is come before those that have it only without their parentheses or as an alias.
    """
    return {document: meanings.whole if w else meanings.total for document, w in meanings.documents.items()}


def _without_stubs(meanings: Meanings, titled: Sequence[str], said: Mapping[str, float]) -> Meanings:
    stubs = find_stubs({document: said.get(document, 0.0) for document in titled})
    rest = {d: whole for d, whole in meanings.documents.items() if d not in stubs}
    return Meanings(rest, meanings.whole - len(stubs), meanings.total - len(stubs), stubs)


def _others(meanings: Meanings, source: str) -> dict[str, int]:
    """The documents that a passage may mean by a name: its own is not among them."""
    own = source.rpartition("#")[0]
    if own not in meanings.documents:
        return ambiguity(meanings)
    others = {document: whole for document, whole in meanings.documents.items() if document != own}
    return ambiguity(Meanings(others, meanings.whole - meanings.documents[own], meanings.total - 1))


def _mention(key: str, documents: Sequence[tuple[str, int]], start: int, end: int) -> Mention:
    return Mention(key, tuple(d for d, _ in documents), tuple(n for _, n in documents), start, end)
