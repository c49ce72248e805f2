"""Keeping an index in step with a folder: what is new is added, what changed is replaced, what is gone is removed.

The documents say which file they are from (`file.path`), and the index keeps of every file its size, modification time
and the digest of its content. A file whose size and time are as they were is not opened; one that was only touched or
renamed is not embedded again. What is noted of a file is written in the transaction that ends its documents, so a sync
that dies leaves files that the next one takes for changed, and nothing else. Memory holds a few bytes for each file,
and the paths of those that are gone.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord, MissingExtra, UnknownName, suggestion
from multihop.index.readers import ocr
from multihop.index.readers.decoding import MAX_FILE, source_of, too_large
from multihop.index.readers.folder import read_file, unknown_format, walk
from multihop.index.readers.formats import READERS, format_named, format_of
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.naming import SourceNames
from multihop.index.readers.sidecar import digest_of
from multihop.index.readers.sources import GivenSource, Reading
from multihop.index.readers.split import divide
from multihop.index.stores.core.documents import storable
from multihop.index.streams import Seen, ignore, in_batches
from multihop.index.versions import end_version, with_history
from multihop.protocols import Divided, Edit, Forgotten, Progress, Removal, Store
from multihop.rendering.phrases import pluralize
from multihop.types import UNREAD, Changed, Document, FileChange, SourceFile, Synced

PATH, MODIFIED = "file.path", "file.modified"
"""Metadata of every document that was read from a file: its path in the index, and when it was last changed."""
_BATCH = 500
_WITHOUT_OCR = "-without-ocr"
"""Ends the recipe of a file with scanned pages that could not be read: it is read again once they can be."""
_RECENT = 2 * 10**9
"""A file changed less than this many nanoseconds ago may change again without a new modification time."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the folder: its path in the index and on the system, its size and modification time."""

    path: str
    file: Path
    size: int
    modified: int
    reading: Reading


def sync(
    store: Store,
    place: Path,
    names: SourceNames,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    on_problem: Callable[[InvalidRecord], object] = ignore,
    on_change: Callable[[FileChange], object] = ignore,
    check: Callable[[], None] = lambda: None,
    earlier: bytes | None = None,
) -> Synced:
    """Bring an index in step with a folder, or a file, that `names` knows; `check` may raise to stop it.

    A record that cannot be read is given to `on_problem` and skipped; what its file had before is then gone. If how
    files are read has just been changed, `earlier` is what was stored of `names` before: a file that had documents and
    would have none then raises, and the earlier options are stored again.
    """
    _refuse_own_folder(store, place)
    work = _Sync(store, place, names, on_problem, on_change, guarded=earlier is not None)
    if work.look(note=not dry_run):
        if dry_run:
            for change, _, _ in work.changes():
                on_change(change)
        else:
            # A damaged file may crash or stall its parser: that ends another process, not this one.
            try:
                with ReadingProcess(check=check) as process:
                    changed = store.edit(work.edits(process), progress)
            except InvalidInput:
                if work.refused and earlier is not None:
                    store.put_blob(SourceNames.BLOB, earlier)
                raise
            work.counts["passages"] = changed.passages
    counts = {name: work.counts[name] for name in Synced.__slots__ if name in work.counts}
    return Synced(**counts, generation=store.generation, dry_run=dry_run)


def reread(store: Store, ids: Iterable[str]) -> None:
    """Have the next sync read the files of these documents again, as it must once they are deleted by hand."""
    if not (sources := _names_of(store).sources):
        return
    documents = filter(None, map(store.document, ids))
    paths = sorted({str(d.metadata[PATH]) for d in documents if PATH in d.metadata})
    for source in sources:
        for part in in_batches(paths, _BATCH):
            # No file has this size, so that it counts as changed; what is still there of it is not written again.
            store.put_files([replace(file, size=-1) for file in store.files_at(source.name, part).values()])


def ids_from(store: Store, source: str | Path) -> list[str]:
    """Return the documents that were read from a folder or file, which may be gone; raises for an unknown one."""
    names, place = _names_of(store), Path(source).resolve()
    ids = sorted({id for file in _recorded_files(store, names, place) for id in _ids_from(store, file)})
    known = [known.path for known in names.sources]
    if not ids and not any(Path(path).is_relative_to(place) for path in known):
        given = suggestion(str(place), known) if known else "it has no sources"
        raise InvalidInput(f"the index has no documents from {str(source)!r}; {given}")
    return ids


def delete_source(store: Store, source: str | Path) -> Changed:
    """Delete the documents that were read from a folder or file, and forget how it was read."""
    deleted = len(ids_from(store, source))
    names, place = _names_of(store), Path(source).resolve()
    # File by file: were this process to die, what is left would still be known as theirs.
    files = list(_recorded_files(store, names, place))
    edits = ((Removal(tuple(_ids_from(store, file))), Forgotten(file.folder, file.path)) for file in files)
    changed = store.edit(chain.from_iterable(edits))
    names.forget(place)
    store.put_blob(SourceNames.BLOB, names.dump())
    return replace(changed, documents=deleted)


def given_sources(store: Store) -> tuple[GivenSource, ...]:
    """Return the folders and files that an index was given, with the options that each has of its own."""
    return _names_of(store).sources


def lost_sources(store: Store) -> dict[str, int]:
    """Return the folders and files that are gone, with the number of documents that the index still has of each."""
    names = _names_of(store)
    outermost = (source for source in names.sources if len(names.read_as(Path(source.path)).sources) == 1)
    lost = {s.path: _recorded_files(store, names, Path(s.path)) for s in outermost if s.is_gone}
    counts = {path: len({id for file in files for id in _ids_from(store, file)}) for path, files in lost.items()}
    return {path: count for path, count in counts.items() if count}


def _names_of(store: Store) -> SourceNames:
    return SourceNames.load(store.get_blob(SourceNames.BLOB))


def _ids_from(store: Store, file: SourceFile) -> Iterator[str]:
    after = ""
    while part := store.ids_with(PATH, file.path, after, _BATCH):
        after = part[-1]
        yield from part


def _recorded_files(store: Store, names: SourceNames, place: Path) -> Iterator[SourceFile]:
    """Yield what the index knows of the files of a folder, under every name that they may be noted under."""
    sources = names.related(place)
    # The ids of a single source tell where its files lie; those of another may begin in the same way.
    is_plain = len(sources) == 1 and place.is_relative_to(sources[0].path)
    name = names.name(place)
    begins = name if name.endswith("/") or not name else f"{name}/"
    for source in sources:
        after = ""
        while part := store.files(source.name, after, _BATCH):
            after = part[-1].path
            for file in part:
                lies_in = None if is_plain else names.place(file.path)
                if lies_in.is_relative_to(place) if lies_in else file.path == name or file.path.startswith(begins):
                    yield file


def _refuse_own_folder(store: Store, place: Path) -> None:
    index = Path(store.location)
    if place.is_dir() and index.exists() and index.resolve().is_relative_to(place.resolve()):
        raise InvalidInput(
            f"the index {str(index)!r} is inside {str(place)!r}, which is to be read; choose another folder"
        )


class _Sync:
    """One sync: a look at all files, then the edits that bring the index in step."""

    def __init__(
        self,
        store: Store,
        place: Path,
        names: SourceNames,
        on_problem: Callable[[InvalidRecord], object],
        on_change: Callable[[FileChange], object],
        *,
        guarded: bool = False,
    ) -> None:
        self._store = store
        self._guarded = guarded
        self.refused = False
        """True once the options were refused because a file would lose its documents."""
        self._place = place
        self._names = names
        self._naming = names.enter(place)
        self._root = place.resolve()
        self._reading = names.read_as(self._root)
        self._inner_readings: dict[str, Reading] = {}
        self._digest = digest_of(Path(self._reading.sources[0].path))
        source = self._reading.sources[-1]
        self._prefix = source.name_of(self._root)
        if place.is_dir() and self._prefix and not self._prefix.endswith("/"):
            self._prefix += "/"
        others = [other for other in names.sources if other != source]
        inner = [Path(other.path) for other in others if Path(other.path).is_relative_to(self._root)]
        self._inner = tuple(path.relative_to(self._root).as_posix() for path in inner)
        self._taken = tuple(other.name for other in others if other.name.startswith(self._prefix))
        self._on_problem = on_problem
        self._on_change = on_change
        self._seen = Seen()
        self._gone: dict[str, SourceFile] = {}
        self._moved, self._freed = Seen(), Seen()
        self._empty = not store.documents("", "", 1)
        self._now = time.time_ns()
        self.counts: Counter[str] = Counter()

    # --- looking ---

    def look(self, *, note: bool) -> bool:
        """Compare all files with what is known of them; True when there is something to do."""
        differs = False
        for batch in in_batches(self._files(self._problem), _BATCH):
            known = self._known_files(batch)
            touched = []
            for entry in batch:
                self._seen.add(entry.path)
                before = known.get(entry.path)
                if before is None or not self._is_same(entry, before):
                    differs = True
                    continue
                if (fresh := replace(before, modified=self._reliable(entry.modified))) != before:
                    touched.append(fresh)
                self.counts["unchanged"] += 1
                # What could not be read is reported in every sync, though it is not read again.
                if before.problem:
                    self._problem(InvalidRecord(before.problem, source=source_of(entry.file)))
            if touched and note:
                self._store.put_files(touched)
        recorded = _recorded_files(self._store, self._names, self._root)
        self._gone = {file.path: file for file in recorded if file.path not in self._seen}
        return differs or bool(self._gone)

    def _files(self, on_problem: Callable[[InvalidRecord], object]) -> Iterator[FoundFile]:
        if not self._place.is_dir():
            yield self._found("", self._place, self._place.stat())
            return
        for each in walk(self._place):
            if isinstance(each, InvalidRecord):
                on_problem(each)
                continue
            inner, status = each
            file = self._place / inner
            try:
                if not storable(inner):
                    raise InvalidRecord("the name of the file is not UTF-8; rename it", source=source_of(file))
                found = self._found(inner, file, status)
                wanted = found.reading.options.format
                format = format_named(wanted) if wanted else format_of(file)
                if status.st_size > MAX_FILE and not READERS[format].records:
                    # Before its digest is computed, which takes as long as reading it.
                    raise too_large(file)
                yield found
            except InvalidRecord as problem:
                on_problem(problem)
            except UnknownName as error:
                on_problem(unknown_format(error, file))

    def _found(self, inner: str, file: Path, status: os.stat_result) -> FoundFile:
        path, reading = self._prefix + inner, self._reading
        # Looking at other sources takes longer than all else that is done with an unchanged file.
        if path.startswith(self._taken) or inner.startswith(self._inner):
            path, reading = self._names.unique_name(self._root / inner), self._reading_of(self._root / inner)
        return FoundFile(path, file, status.st_size, status.st_mtime_ns, reading)

    def _reading_of(self, place: Path) -> Reading:
        reading = self._names.read_as(place)
        # One value for all files of a source, which keeps its recipe.
        return self._inner_readings.setdefault(reading.sources[-1].path, reading)

    def _recipe(self, file: FoundFile) -> str:
        return file.reading.recipe + self._digest

    def _known_files(self, files: Iterable[FoundFile]) -> dict[str, SourceFile]:
        by_folder: dict[str, list[str]] = {}
        for file in files:
            by_folder.setdefault(file.reading.folder, []).append(file.path)
        found = (self._store.files_at(folder, paths) for folder, paths in by_folder.items())
        return {path: file for files in found for path, file in files.items()}

    def _is_same(self, file: FoundFile, before: SourceFile) -> bool:
        # The recipe is how files are read: with other options the same bytes give other documents.
        recipe = before.recipe if ocr.available() else before.recipe.removesuffix(_WITHOUT_OCR)
        if (before.size, recipe) != (file.size, self._recipe(file)):
            return False
        # Copies and checkouts touch files without changing them; only then is the content read.
        return is_unchanged(file.file, before, file.modified)

    def _reliable(self, modified: int) -> int:
        return modified if self._now - modified > _RECENT else 0

    def _problem(self, problem: InvalidRecord) -> None:
        self.counts["problems"] += 1
        self._on_problem(problem)

    # --- changes ---

    def changes(self) -> Iterator[tuple[FileChange, FoundFile | None, SourceFile | None]]:
        """Yield every file that is new, changed or renamed, then those that are gone, and count them."""
        by_size = Counter(file.size for file in self._gone.values())
        for batch in in_batches(self._files(ignore), _BATCH):
            known = self._known_files(batch)
            for entry in batch:
                before = known.get(entry.path)
                if before is not None and self._is_same(entry, before):
                    continue
                # Comparing contents means reading the file, so only one of the same size can be the one that is gone.
                origin = self._origin(entry) if before is None and by_size[entry.size] else None
                if origin is not None:
                    del self._gone[origin.path]
                    change = FileChange("renamed", entry.path, origin.path)
                else:
                    change = FileChange("added" if before is None else "changed", entry.path)
                self.counts[change.kind] += 1
                yield change, entry, before
        for path in sorted(self._gone):
            self.counts["removed"] += 1
            yield FileChange("removed", path), None, None

    def _origin(self, entry: FoundFile) -> SourceFile | None:
        """Find the file that is gone and had the same content."""
        digest = _digest(entry.file)
        same = (f for f in self._gone.values() if f.size == entry.size and f.digest == digest)
        return min(same, key=lambda file: file.path, default=None)

    # --- edits ---

    def edits(self, process: ReadingProcess) -> Iterator[Edit]:
        """Yield what the index has to do, file by file."""
        for change, file, before in self.changes():
            if file is None:
                reading = self._reading_of(self._names.place(change.path) or self._root)
                yield from self._deletions(change.path, Seen(), reading)
                yield from self._forget(change.path)
            else:
                yield from self._read_file(change, file, before, process)
            self._on_change(change)

    def _read_file(
        self, change: FileChange, file: FoundFile, before: SourceFile | None, process: ReadingProcess
    ) -> Iterator[Edit]:
        ids = _Ids(self._store, {change.path, change.before}, None if self._empty else self._free)
        self._naming.ids.owner = ids.owner
        reading, made_by = file.reading, self._recipe(file)
        recipe_kept = before is not None and before.recipe == made_by
        digest, kept, problems, found, written = _digest(file.file), Seen(), _Problems(), False, False
        labeled = self._labels(file)
        for record in read_file(file.file, reading.options, self._naming, process):
            if isinstance(record, InvalidRecord):
                problems.add(record)
                self._problem(record)
                continue
            found = True
            if UNREAD in record.metadata:
                made_by = self._recipe(file) + _WITHOUT_OCR
            document, held = labeled(record), ids.stored_document(record.id)
            if not self._empty:
                kept.add(document.id)
            document, old = self._with_history(document, held, change, file)
            if recipe_kept and held is not None and _same(held, document):
                continue
            if change.before and document.id.startswith(change.path):
                yield Removal((change.before + document.id[len(change.path) :],))
            # It came from another file before, whose removal must leave it in the index.
            if held is not None and held.metadata.get(PATH) != change.path:
                self._moved.add(document.id)
            self.counts["documents"] += 1
            self.counts["replaced"] += held is not None
            if not recipe_kept and not written:
                # Noted before its first document, as unfinished: after a crash, a file that is gone is then missed, and
                # of one that is there only the rest is written. With documents of two recipes, all of them are.
                recipe = self._recipe(file) if before is None else ""
                yield SourceFile(reading.folder, file.path, -1, 0, "", recipe)
            written = True
            if old is not None:
                yield self._keep(old, reading)
            yield divide(document, whole=reading.options.whole)
        if self._guarded and not recipe_kept and problems.any and not found:
            self._refuse_loss(change.path, file.file)
        yield from self._deletions(change.path, kept, reading)
        if change.before:
            yield from self._removals(change.before, kept)
            yield from self._forget(change.before)
        # Not noted as read where the next sync may find more: an extra is installed, or another file gives up an id.
        if digest and not problems.passing and not ids.foreign:
            size, modified, said = file.size, self._reliable(file.modified), problems.summary()
            yield SourceFile(reading.folder, file.path, size, modified, digest, made_by, said)

    def _refuse_loss(self, path: str, file: Path) -> None:
        if had := len(self._store.ids_with(PATH, path, "", _BATCH)):
            self.refused = True
            count = f"{had:,} or more documents" if had == _BATCH else pluralize(had, "document")
            raise InvalidInput(
                f"nothing in {source_of(file)} can be read with these options; the index keeps {count} from it and the "
                "earlier options. Correct the options, or delete the documents first"
            )

    def _free(self, id: str, path: str) -> bool:
        """Return whether an id that a file had may be taken by another: the file is gone, or has it no longer."""
        return path in self._gone or id in self._freed

    def _labels(self, file: FoundFile) -> Callable[[Document], Document]:
        """Return what adds to a document of a file the metadata that all documents of the file have."""
        changed = datetime.fromtimestamp(file.modified // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        theirs = file.reading.metadata(self._naming.place_of(file.file))
        ours = {PATH: file.path, MODIFIED: changed}
        # What a document says of itself wins; where its file lies only we know.
        return lambda document: replace(document, metadata={**theirs, **document.metadata, **ours})

    def _with_history(
        self, now: Document, held: Document | None, change: FileChange, file: FoundFile
    ) -> tuple[Document, Document | None]:
        """Return a document with what the index knows of its old versions, and the one that it replaces, to keep."""
        if not file.reading.options.keep_versions or self._empty:
            return now, None
        if change.before and now.id.startswith(change.path):
            held = self._store.document(change.before + now.id[len(change.path) :])
        # A file that is replaced by an older one changes now.
        older = held is not None and str(now.metadata[MODIFIED]) < str(held.metadata.get(MODIFIED, ""))
        day = _day(self._now if older else min(file.modified, self._now))
        return with_history(self._store, now, held, day)

    def _keep(self, old: Document, reading: Reading) -> Divided:
        """Count an old version, which no longer belongs to its file."""
        self.counts["versions"] += 1
        metadata = {name: value for name, value in old.metadata.items() if name != PATH}
        return divide(replace(old, metadata=metadata), whole=reading.options.whole)

    def _forget(self, path: str) -> Iterator[Edit]:
        # An outer source may have noted it before an inner one had it, or the other way round.
        for source in self._names.related(self._root):
            yield Forgotten(source.name, path)

    def _deletions(self, path: str, kept: Seen, reading: Reading) -> Iterator[Edit]:
        """Delete the documents that a file no longer has, and keep them as old versions where that is wanted."""
        yesterday = _day(self._now - 86_400 * 10**9)
        for removal in self._removals(path, kept):
            if reading.options.keep_versions:
                for document in self._store.get_documents(removal.ids).values():
                    yield self._keep(end_version(self._store, document, yesterday), reading)
            self.counts["deleted"] += len(removal.ids)
            yield removal

    def _removals(self, path: str, kept: Seen) -> Iterator[Removal]:
        """Delete the documents that the index has from a file, but for those that it or another file has now."""
        after = ""
        while not self._empty and (part := self._store.ids_with(PATH, path, after, _BATCH)):
            after = part[-1]
            if gone := tuple(id for id in part if id not in kept and id not in self._moved):
                for id in gone:
                    self._freed.add(id)
                yield Removal(gone)


class _Ids:
    """The ids that documents of one file may have: not those of other files, unless `free` says so."""

    def __init__(self, store: Store, own: set[str], free: Callable[[str, str], bool] | None) -> None:
        self._store = store
        self._own = own
        self._free = free
        self._last: tuple[str, Document | None] = ("", None)
        self.foreign = False

    def owner(self, id: str) -> str | None:
        """Return the other file that the index has a document of this id from, if there is one."""
        if self._free is None:
            return None
        document = self._store.document(id)
        self._last = (id, document)
        path = "" if document is None else str(document.metadata.get(PATH, ""))
        if not path or path in self._own or self._free(id, path):
            return None
        self.foreign = True
        return path

    def stored_document(self, id: str) -> Document | None:
        """Return the document that the index has under an id that was just taken."""
        return self._last[1] if self._last[0] == id else None


class _Problems:
    """What could not be read of one file."""

    def __init__(self) -> None:
        self._first = ""
        self._count = 0
        self.passing = False
        """True when it may be readable the next time though it does not change."""

    def add(self, problem: InvalidRecord) -> None:
        self._first = self._first or problem.problem
        self._count += 1
        self.passing = self.passing or isinstance(problem.__cause__, MissingExtra)

    @property
    def any(self) -> bool:
        return self._count > 0

    def summary(self) -> str:
        return f"{self._first} (and {self._count - 1} more)" if self._count > 1 else self._first


def _day(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds // 10**9, UTC).date().isoformat()


def _same(before: Document, now: Document) -> bool:
    """Return whether a document says what it said, whenever its file was written."""
    return before == replace(now, metadata={**now.metadata, MODIFIED: before.metadata.get(MODIFIED, "")})


def is_unchanged(file: Path, before: SourceFile, modified: int | None = None) -> bool:
    """Return whether a file holds what it held when noted: by its time, or by its content where that differs."""
    when = file.stat().st_mtime_ns if modified is None else modified
    return before.modified == when or _digest(file) == before.digest


def _digest(file: Path) -> str:
    """Return the digest of a file's content; empty, which no content has, where it cannot be read."""
    with suppress(OSError):
        # As in reading, an empty file is not opened: it may be one of the system's that never end.
        if not file.stat().st_size:
            return blake2b(digest_size=16).hexdigest()
        with file.open("rb") as stream:
            return file_digest(stream, partial(blake2b, digest_size=16)).hexdigest()
    return ""
