"""Keeping an index in step with a folder: what is new is added, what changed is replaced, what is gone is removed.

The documents say which file they are from (`file.path`), and the index keeps of every file its size, modification time
and the digest of its content. A file whose size and time are as they were is not opened; one that was only touched or
renamed is not embedded again. What is noted of a file is written in the transaction that ends its documents, so a sync
that dies leaves files that the next one takes for changed, and nothing else. Memory holds a few bytes for each file,
and the paths of those that are gone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path

from multihop.errors import InvalidInput, InvalidRecord, MissingExtra, UnknownName
from multihop.index.readers import ocr
from multihop.index.readers.decoding import MAX_FILE, source_of, too_large
from multihop.index.readers.folder import read_file, walk
from multihop.index.readers.formats import READERS, format_named, format_of
from multihop.index.readers.isolated import ReadingProcess
from multihop.index.readers.naming import SourceNames
from multihop.index.readers.options import ReadOptions, path_metadata
from multihop.index.readers.sidecar import digest_of
from multihop.index.readers.split import divide
from multihop.index.stores.core.documents import storable
from multihop.index.streams import Seen, ignore, in_batches
from multihop.index.versions import end_version, with_history
from multihop.protocols import Divided, Edit, Forgotten, Progress, Removal, Store
from multihop.types import UNREAD, Document, FileChange, SourceFile, Synced

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


def sync(
    store: Store,
    place: Path,
    options: ReadOptions,
    names: SourceNames,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    on_problem: Callable[[InvalidRecord], object] = ignore,
    on_change: Callable[[FileChange], object] = ignore,
    check: Callable[[], None] = lambda: None,
) -> Synced:
    """Bring an index in step with a folder, or a file, that `names` knows; `check` may raise to stop it.

    A record that cannot be read is given to `on_problem` and skipped; what its file had before is then gone.
    """
    _refuse_own_folder(store, place)
    work = _Sync(store, place, options, names, on_problem, on_change)
    if work.look(note=not dry_run):
        if dry_run:
            for change, _, _ in work.changes():
                on_change(change)
        else:
            # A damaged file may crash or stall its parser: that ends another process, not this one.
            with ReadingProcess(check=check) as process:
                changed = store.edit(work.edits(process), progress)
            work.counts["passages"] = changed.passages
    counts = {name: work.counts[name] for name in Synced.__slots__ if name in work.counts}
    return Synced(**counts, generation=store.generation, dry_run=dry_run)


def reread(store: Store, ids: Iterable[str]) -> None:
    """Have the next sync read the files of these documents again, as it must once they are deleted by hand."""
    if (stored := store.get_blob(SourceNames.BLOB)) is None:
        return
    documents = filter(None, map(store.document, ids))
    paths = sorted({str(d.metadata[PATH]) for d in documents if PATH in d.metadata})
    for source in SourceNames.load(stored).sources:
        for part in in_batches(paths, _BATCH):
            # No file has this size, so that it counts as changed; what is still there of it is not written again.
            store.put_files([replace(file, size=-1) for file in store.files_at(source.name, part).values()])


def lost_sources(store: Store, names: SourceNames) -> list[str]:
    """Return the folders and files that are gone while the index still has what was read from them."""
    lost = (source for source in names.sources if not Path(source.path).exists())
    return [source.path for source in lost if store.files(source.name, "", 1)]


def forget(store: Store, names: SourceNames, place: Path) -> None:
    """Forget a folder or file whose documents were deleted, and how it was read."""
    for source in names.sources:
        if Path(source.path).is_relative_to(place):
            while part := store.files(source.name, "", _BATCH):
                store.edit(Forgotten(file.folder, file.path) for file in part)
    names.forget(place)
    store.put_blob(SourceNames.BLOB, names.dump())


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
        options: ReadOptions,
        names: SourceNames,
        on_problem: Callable[[InvalidRecord], object],
        on_change: Callable[[FileChange], object],
    ) -> None:
        self._store = store
        self._place = place
        self._options = options
        self._recipe = options.recipe() + digest_of(place)
        self._names = names
        self._naming = names.enter(place)
        self._root = place.resolve()
        self._source = names.source_of(self._root)
        self._prefix = names.name(self._root) if self._source.path != str(self._root) else self._source.name
        if place.is_dir() and self._prefix and not self._prefix.endswith("/"):
            self._prefix += "/"
        others = [source for source in names.sources if source != self._source]
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
        self._gone = {file.path: file for file in self._recorded_files() if file.path not in self._seen}
        return differs or bool(self._gone)

    def _files(self, on_problem: Callable[[InvalidRecord], object]) -> Iterator[FoundFile]:
        if not self._place.is_dir():
            status = self._place.stat()
            yield FoundFile(self._prefix, self._place, status.st_size, status.st_mtime_ns)
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
                format = format_named(self._options.format) if self._options.format else format_of(file)
                if status.st_size > MAX_FILE and not READERS[format].records:
                    # Before its digest is computed, which takes as long as reading it.
                    raise too_large(file)
                yield FoundFile(self._path(inner), file, status.st_size, status.st_mtime_ns)
            except InvalidRecord as problem:
                on_problem(problem)
            except UnknownName as error:
                on_problem(InvalidRecord(str(error).removeprefix(f"{source_of(file)}: "), source=source_of(file)))

    def _known_files(self, files: Iterable[FoundFile]) -> dict[str, SourceFile]:
        return self._store.files_at(self._source.name, [file.path for file in files])

    def _is_same(self, file: FoundFile, before: SourceFile) -> bool:
        # The recipe is how files are read: with other options the same bytes give other documents.
        recipe = before.recipe if ocr.available() else before.recipe.removesuffix(_WITHOUT_OCR)
        if (before.size, recipe) != (file.size, self._recipe):
            return False
        # Copies and checkouts touch files without changing them; only then is the content read.
        return is_unchanged(file.file, before, file.modified)

    def _reliable(self, modified: int) -> int:
        return modified if self._now - modified > _RECENT else 0

    def _recorded_files(self) -> Iterator[SourceFile]:
        """Yield what the index knows of the files of this folder."""
        after = ""
        while part := self._store.files(self._source.name, after, _BATCH):
            after = part[-1].path
            yield from (file for file in part if self._is_ours(file.path))

    def _path(self, inner: str) -> str:
        """Return the path in the index of a file of the folder, which may belong to another source."""
        path = self._prefix + inner
        # Looking at other sources takes longer than all else that is done with an unchanged file.
        if path.startswith(self._taken) or inner.startswith(self._inner):
            return self._names.unique_name(self._root / inner)
        return path

    def _is_ours(self, path: str) -> bool:
        """Return whether a file lies, or lay, in the folder."""
        if path.startswith(self._prefix) and not path.startswith(self._taken):
            return True
        place = self._names.place(path)
        return place is not None and place.is_relative_to(self._root)

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
                yield from self._deletions(change.path, Seen())
                yield Forgotten(self._source.name, change.path)
            else:
                yield from self._read_file(change, file, before, process)
            self._on_change(change)

    def _read_file(
        self, change: FileChange, file: FoundFile, before: SourceFile | None, process: ReadingProcess
    ) -> Iterator[Edit]:
        ids = _Ids(self._store, {change.path, change.before}, None if self._empty else self._free)
        self._naming.ids.owner = ids.owner
        recipe_kept = before is not None and before.recipe == self._recipe
        digest, kept, problems, written = _digest(file.file), Seen(), _Problems(), False
        made_by = self._recipe
        labeled = self._labels(file)
        for record in read_file(file.file, self._options, self._naming, process):
            if isinstance(record, InvalidRecord):
                problems.add(record)
                self._problem(record)
                continue
            if UNREAD in record.metadata:
                made_by = self._recipe + _WITHOUT_OCR
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
                recipe = self._recipe if before is None else ""
                yield SourceFile(self._source.name, file.path, -1, 0, "", recipe)
            written = True
            if old is not None:
                yield self._keep(old)
            yield divide(document, whole=self._options.whole)
        yield from self._deletions(change.path, kept)
        if change.before:
            yield from self._removals(change.before, kept)
            yield Forgotten(self._source.name, change.before)
        # Not noted as read where the next sync may find more: an extra is installed, or another file gives up an id.
        if digest and not problems.passing and not ids.foreign:
            size, modified, said = file.size, self._reliable(file.modified), problems.summary()
            yield SourceFile(self._source.name, file.path, size, modified, digest, made_by, said)

    def _free(self, id: str, path: str) -> bool:
        """Return whether an id that a file had may be taken by another: the file is gone, or has it no longer."""
        return path in self._gone or id in self._freed

    def _labels(self, file: FoundFile) -> Callable[[Document], Document]:
        """Return what adds to a document of a file the metadata that all documents of the file have."""
        changed = datetime.fromtimestamp(file.modified // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        pattern, inner = self._options.metadata_from_path, ""
        if self._source.is_folder:
            place = self._root / file.file.relative_to(self._place)
            inner = place.relative_to(self._source.path).as_posix()
        theirs = {**self._options.metadata, **(path_metadata(pattern, inner) if pattern else {})}
        ours = {PATH: file.path, MODIFIED: changed}
        # What a document says of itself wins; where its file lies only we know.
        return lambda document: replace(document, metadata={**theirs, **document.metadata, **ours})

    def _with_history(
        self, now: Document, held: Document | None, change: FileChange, file: FoundFile
    ) -> tuple[Document, Document | None]:
        """Return a document with what the index knows of its old versions, and the one that it replaces, to keep."""
        if not self._options.keep_versions or self._empty:
            return now, None
        if change.before and now.id.startswith(change.path):
            held = self._store.document(change.before + now.id[len(change.path) :])
        # A file that is replaced by an older one changes now.
        older = held is not None and str(now.metadata[MODIFIED]) < str(held.metadata.get(MODIFIED, ""))
        day = _day(self._now if older else min(file.modified, self._now))
        return with_history(self._store, now, held, day)

    def _keep(self, old: Document) -> Divided:
        """Count an old version, which no longer belongs to its file."""
        self.counts["versions"] += 1
        metadata = {name: value for name, value in old.metadata.items() if name != PATH}
        return divide(replace(old, metadata=metadata), whole=self._options.whole)

    def _deletions(self, path: str, kept: Seen) -> Iterator[Edit]:
        """Delete the documents that a file no longer has, and keep them as old versions where that is wanted."""
        yesterday = _day(self._now - 86_400 * 10**9)
        for removal in self._removals(path, kept):
            if self._options.keep_versions:
                for document in self._store.get_documents(removal.ids).values():
                    yield self._keep(end_version(self._store, document, yesterday))
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
