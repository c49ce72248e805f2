"""The engine: an open index and its operations."""

from __future__ import annotations

import os
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from multihop import loop
from multihop.answering.answers import answer_of, decide_claim
from multihop.answering.batch import ask_in_order
from multihop.answering.chain import chain_of
from multihop.answering.checked_models import CheckedReader, CheckedVerifier
from multihop.answering.claims import confirm_verdict
from multihop.answering.conflicts import conflicts_of, disagreements
from multihop.answering.conversation import Conversation, Turn
from multihop.answering.lm import OnWords, answer_by_model
from multihop.answering.narrowing import can_drop, known_ids, narrow_result, note_unknown
from multihop.answering.streaming import Event, stream_events
from multihop.answering.threads import in_thread
from multihop.errors import (
    EmbeddingError,
    IndexReadOnly,
    InvalidFilter,
    InvalidInput,
    InvalidRecord,
    MissingExtra,
    MultihopError,
    ReadingError,
    StoreError,
    UnknownName,
)
from multihop.index.checking import check_rights, usable_documents
from multihop.index.derived import DerivedIndexes
from multihop.index.embedders import open_embedder
from multihop.index.links.lm import LmJudge
from multihop.index.links.mentions import MentionLinker
from multihop.index.links.relations import RelationFinder
from multihop.index.links.rules import RULES, check_rules as checked_rules
from multihop.index.readers import SourceNames
from multihop.index.readers.split import divide
from multihop.index.stores import open_store
from multihop.index.stores.core.filters import MOST_VALUES, value_hints
from multihop.index.streams import ignore
from multihop.index.syncing import delete_source, reread, sync as sync_folder
from multihop.index.validity import Validity, combine_filters, note_left_out, read_validity
from multihop.lm import model_of
from multihop.lm.verdict import verdict_of
from multihop.loop import Strategy
from multihop.protocols import (
    CuePhrases,
    Embedder,
    Index,
    LanguageModel,
    Progress,
    Reader,
    RelationJudge,
    Store,
    Verifier,
    View,
)
from multihop.protocols.arguments import check_arguments
from multihop.strategies import strategy as strategy_named, without_models
from multihop.types import (
    ALLOW,
    ANY_DAY,
    MOST_PASSAGES,
    Answer,
    Changed,
    Check,
    Document,
    FileChange,
    Hop,
    Listed,
    Metadata,
    Note,
    Related,
    Request,
    RequestOptions,
    Result,
    Rights,
    Scalar,
    Stats,
    Synced,
    Verdict,
    Where,
)
from multihop.types.notes import LM_NOT_USED

if TYPE_CHECKING:
    from multihop.adapting import Adapted
    from multihop.profiles.signals.word2vec import Trained

_LISTED = 500
_WAIT = 60.0
_MOST_NAMES = 1_000_000
_WIDER, _MORE = 4, 50
"""Oversampling when results are filtered afterwards: a factor, and passages to add."""


class Engine:
    """Finds evidence in one index. Safe to share between threads; use it as a context manager or call close()."""

    def __init__(
        self,
        store: Store,
        lm: Any = None,
        *,
        reader: Reader | None = None,
        verifier: Verifier | None = None,
        derived: Callable[[], Store] | None = None,
    ) -> None:
        check_arguments(locals())
        if not hasattr(store, "view"):
            raise InvalidInput(f"Engine takes a store, got {store!r:.60}; Engine.open takes the path of an index")
        self._store = store
        self._newest = derived
        self._derived = DerivedIndexes(store, partial(open_store, linker=MentionLinker(), wait=_WAIT))
        self._process = os.getpid()
        self._reader, self._verifier = reader, verifier
        self.lm = model_of(lm)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        embedder: Embedder | str | None = None,
        vectors: bool | None = None,
        wait: float = 0.0,
        lm: Any = None,
        reader: Reader | None = None,
        verifier: Verifier | None = None,
        distribute: bool = False,
        warn: Callable[[str], object] = warnings.warn,
    ) -> Engine:
        """Open the index in a folder or on a server (`postgresql://…`), or make it with `create`.

        To make an index with vectors give an `embedder`, or its name such as "wordllama". From then on the index is
        opened with the embedder it was made with; where that cannot be loaded, `warn` says why and the vectors stay
        unused. With `vectors=True` this raises instead; with `vectors=False` the vectors are left alone.

        `wait` is how many seconds a write waits for another process that is writing. `lm` is a language model for the
        questions: a LiteLLM name, a `dspy.LM`, or what `multihop.lm.open_lm` gives. `reader` and `verifier` answer
        questions and check claims instead of the models that come with the package. `distribute` spreads an index on a
        server over the nodes of its Citus cluster.
        """
        check_arguments(locals())
        model = model_of(lm)
        given = open_embedder(embedder) if isinstance(embedder, str) else embedder

        def load(identity: str) -> Embedder | None:
            try:
                return open_embedder(identity)
            except (MissingExtra, InvalidInput, EmbeddingError) as error:
                if vectors:
                    raise
                warn(f"opened without its embedder: {error}")
                return None

        store = open_store(
            path, MentionLinker(), create=create, embedder=given, load_embedder=None if vectors is False else load,
            wait=wait, distribute=distribute,
        )  # fmt: skip
        return cls(store, model, reader=reader, verifier=verifier)

    @property
    def store(self) -> Store:
        """The store behind the engine, for the process that opened it.

        A forked child has copies of locks that other threads hold, and the sockets of its parent: it would wait
        without end, or read answers that are not its own.
        """
        if os.getpid() != self._process:
            raise StoreError(
                f"this engine was opened by process {self._process} and cannot be used in process {os.getpid()}, which "
                "was forked from it; open the index in each process, after the fork"
            )
        return self._newest() if self._newest else self._store

    @property
    def _written(self) -> Store:
        """The store, for changes; raises for an index that only repeats a part of another one."""
        if self._newest:
            raise IndexReadOnly("this index is derived from others, by rights or together; change those")
        return self.store

    def restrict(self, rights: Rights) -> Engine:
        """Return an engine for the documents that a user may see, as if the index held no others.

        It reads an index of its own beside this one, which is built at the first call for such rights and brought up
        to date at each; it refuses changes. Where the rights permit everything, this is the engine itself.
        """
        if not isinstance(rights, Rights):
            raise InvalidInput(f"restrict takes rights, such as Rights('jon'), got {type(rights).__name__}")
        store = self.store
        # Once for each state of the index: in a large one it takes as long as a question.
        where = rights.filter(
            store.view().get_or_make(
                "allowed", lambda: {value for value, _ in store.field_values(ALLOW, _MOST_NAMES)}, shared=True
            )
        )
        if where is None:
            return self
        derived = self._derived.open_restricted(where)
        return self._of(lambda: derived)

    @classmethod
    def combine(cls, engines: Mapping[str, Engine], *, progress: Progress | None = None) -> Engine:
        """Return an engine that searches several indexes as one: one budget, and hops from one index to another.

        Documents are called "NAME/ID" and have the name of their index in the metadata field `index`. It reads an index
        of its own beside the first one, which is built at the first call and follows their changes; it refuses changes
        itself, and closes with the first engine, whose language model, reader and verifier it has. Vectors are used if
        all indexes were made with one embedder.
        """
        check_arguments(locals())
        for name, engine in engines.items():
            if not isinstance(name, str) or not name or "/" in name:
                raise InvalidInput(f"invalid index name {name!r:.60}; give a name without slashes")
            if not isinstance(engine, Engine):
                raise InvalidInput(f"combine takes engines, such as Engine.open(path); {name!r} is {engine!r:.60}")
        if len(engines) < 2:
            raise InvalidInput(f"combine takes two or more indexes, got {len(engines)}")
        places: dict[str, str] = {}
        for name, engine in engines.items():
            if twin := places.get(engine.store.location):
                raise InvalidInput(f"{twin!r} and {name!r} are the same index; give each once")
            places[engine.store.location] = name
        first = next(iter(engines.values()))
        stores = {name: engine.store for name, engine in engines.items()}
        first._derived.open_combined(stores, progress)
        return first._of(partial(first._derived.open_combined, stores))

    def _of(self, derived: Callable[[], Store]) -> Engine:
        return Engine(derived(), self.lm, reader=self._reader, verifier=self._verifier, derived=derived)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder the index was opened with."""
        return self.store.embedder

    @property
    def recorded_embedder(self) -> str | None:
        """The identity of the embedder whose vectors the index holds, opened with it or not."""
        return self.store.recorded_embedder

    # --- documents ---

    def add(
        self,
        documents: Iterable[Document | InvalidRecord] | Document,
        *,
        whole: bool = False,
        replace: bool = True,
        progress: Progress | None = None,
        on_problem: Callable[[InvalidRecord], object] | None = None,
    ) -> Changed:
        """Add documents, or replace those whose id is known; returns when they are safely on disk.

        The documents are taken one by one, so a generator of any length is fine, that of `read` among them. Long
        streams are stored in several transactions; each document is wholly there or not at all. With `whole` every
        document stays one passage, for corpora that are cut into passages already.

        A document that cannot be indexed raises the `InvalidRecord` that says why, and so does a second one of the same
        id, or with `replace=False` one whose id the index has. `on_problem`, if given, gets them instead.
        """
        check_arguments(locals())
        stream = (documents,) if isinstance(documents, Document) else documents
        usable = usable_documents(stream, None if replace else self.document, on_problem)
        return self._written.add((divide(document, whole=whole) for document in usable), progress)

    def sync(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        whole: bool | None = None,
        metadata: Metadata | None = None,
        metadata_from_path: str | None = None,
        text_field: str | None = None,
        title_field: str | None = None,
        id_field: str | None = None,
        encoding: str | None = None,
        keep_versions: bool | None = None,
        reset_options: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
        on_problem: Callable[[InvalidRecord], object] | None = None,
        on_change: Callable[[FileChange], object] | None = None,
        names: SourceNames | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> Synced:
        """Bring the index in step with a folder or file: add what is new, replace what changed, remove what is gone.

        Only files that changed are read, and only passages that changed are embedded. A folder is read as it was the
        last time, but for what is given now: `format` and `encoding` of its files, `whole` to keep documents in one
        passage, `metadata` for every document, `metadata_from_path` such as "{country}/{year}", and the fields of
        records that hold text, title and id. With `keep_versions` documents that change or go stay as old versions, for
        questions as of a day before. These options also hold for what is in the folder, unless it was given others of
        its own; with `reset_options` those of earlier calls are forgotten. With `dry_run` nothing is changed;
        `on_change` is called with every file that changed, `on_problem` with what cannot be read, which is counted and
        skipped.

        Calls with the same `names` tell the ids of their documents apart; `check` is called now and then and may raise
        to stop, which leaves everything that was committed before.
        """
        check_arguments(locals())
        stored = self.store.get_blob(SourceNames.BLOB)
        known = SourceNames.load(stored) if names is None else names
        place = known.give(
            path, reset_options=reset_options, format=format, whole=whole, metadata=metadata,
            metadata_from_path=metadata_from_path, text_field=text_field, title_field=title_field, id_field=id_field,
            encoding=encoding, keep_versions=keep_versions,
        )  # fmt: skip
        if not dry_run and (stored is None or known.dump() != stored[1]):
            # Before anything is read, so that a folder has the same ids after a crash.
            self.store.put_blob(SourceNames.BLOB, known.dump())
        reads_otherwise = any(o is not None for o in (format, text_field, title_field, id_field, encoding))
        return sync_folder(
            self._written, place, known, dry_run=dry_run, progress=progress, on_problem=on_problem or ignore,
            on_change=on_change or ignore, check=check, earlier=stored[1] if stored and reads_otherwise else None,
        )  # fmt: skip

    def delete(
        self,
        ids: Iterable[str] | str | None = None,
        *,
        where: Where | None = None,
        source: str | Path | None = None,
    ) -> Changed:
        """Delete documents by id, by metadata, or all that were read from a folder or file, which may be gone.

        Unknown ids are passed over; the result says how many were there. A folder stays the truth for its documents:
        the next `sync` adds them again while their file is there. A `source` is forgotten with its options.
        """
        check_arguments(locals())
        if sum(given is not None for given in (ids, where, source)) != 1:
            raise InvalidInput("delete takes the ids of documents, a filter (where) or a source; give one of them")
        if source is not None:
            return delete_source(self._written, source)
        if ids is None:
            if not where:
                raise InvalidFilter("the filter is empty, and would delete every document; give a condition")
            ids = [document.id for document in self.documents(where=where)]
        gone = (ids,) if isinstance(ids, str) else tuple(ids)
        if wrong := [id for id in gone if not isinstance(id, str)]:
            raise InvalidInput(f"the id of a document is a text; got {wrong[0]!r:.60}")
        # Before they are deleted: if this process dies in between, a file is read once more than needed.
        reread(self._written, gone)
        return self._written.delete(gone)

    def document(self, id: str) -> Document | None:
        """Return a document as it was added, or None."""
        check_arguments(locals())
        return self.store.document(id)

    def documents(self, *, where: Where | None = None, prefix: str = "", search: str = "") -> Iterator[Listed]:
        """List documents by id, without their texts: those that match `where`, `prefix` and `search`.

        It starts with `prefix` and holds `search`, whatever the case.
        """
        check_arguments(locals())
        passing = self.index(where).passages if where else None
        wanted, after = search.casefold(), ""
        while part := self.store.documents(after, prefix, _LISTED):
            after = part[-1].id
            matching = [d for d in part if wanted in d.id.casefold() or wanted in d.title.casefold()]
            # A filter is about documents, so one passage that passes is enough.
            kept = passing.passages_of([d.id for d in matching], 1) if passing else None
            yield from (d for d in matching if kept is None or d.id in kept)

    def values(self, field: str, *, limit: int = MOST_VALUES) -> list[tuple[Scalar, int]]:
        """Return the values of a metadata field with the number of documents that have each, the most frequent first.

        A boolean is stored, and given, as 1 or 0.
        """
        check_arguments(locals())
        return self.store.field_values(field, int(limit))

    def train_word2vec(self, *, fresh: bool = False, progress: Progress | None = None) -> Trained:
        """Train word vectors on the passages of the index for the strategy `hybrid`, and keep them in it.

        Called again it continues with the passages that came since; `fresh` starts over.
        """
        check_arguments(locals())
        from multihop.profiles.signals.word2vec import train

        return train(self._written, fresh=fresh, progress=progress)

    def adapt(
        self,
        questions: Iterable[tuple[str, Sequence[str]] | Mapping[str, Any]],
        *,
        progress: Progress | None = None,
    ) -> Adapted:
        """Learn from questions with the ids or titles of their evidence how to rank the passages of this index.

        Each is a pair, or a mapping with `question` and `gold` as in JSON Lines.

        What was learned is stored with the index, and used from then on by strategies that read with the built-in
        ranker, if it raises recall@5 in cross-validation; otherwise nothing changes. At least 30 questions are needed.
        """
        check_arguments(locals())
        from multihop.adapting import adapt

        return adapt(self._written, self.index(as_of=None), questions, progress)

    def forget_adaptation(self) -> bool:
        """Rank as before `adapt`; returns whether there was anything to forget."""
        from multihop.adapting import forget

        return forget(self._written)

    def relate(
        self,
        *,
        rules: Iterable[CuePhrases] | None = None,
        judge: RelationJudge | None = None,
        rebuild: bool = False,
        progress: Progress | None = None,
        lm: Any = None,
    ) -> Related:
        """Find typed relations between passages, for those that are new or changed since the last call.

        `rules` are cue phrases that indicate a relation (those of plain English by default); a `judge` is asked
        about the likeliest pairs beside them: one of your own, or the language model `lm` or that of the engine, whose
        limits then hold for the whole call. Other rules or another judge than last time find everything anew, as does
        `rebuild`.
        """
        check_arguments(locals())
        chosen = RULES if rules is None else checked_rules(rules)
        model = model_of(lm) or self.lm
        asked = LmJudge(model) if judge is None and model is not None else None
        done = RelationFinder(chosen, judge or asked).relate(self._written, rebuild=rebuild, progress=progress)
        return replace(done, notes=(*done.notes, *asked.notes)) if asked else done

    # --- questions ---

    def index(self, where: Where | None = None, *, as_of: str | date | None = ANY_DAY) -> Index:
        """Return what the parts of a strategy can ask this index for, in its newest state and through a filter.

        With `as_of`, also through the filter of what holds on a day.
        """
        view = self.store.view(where)
        held = self._filter_by_day(Request("index", as_of=as_of).day, view)[1]
        return Index.of(self.store.view(combine_filters(where, held)) if held else view)

    def _filter_by_day(self, day: str | None, view: View) -> tuple[Validity | None, Where | None]:
        """Return the validity of documents and the filter of those that hold on a day; None where all of them do."""
        if day is None:
            return None, None
        validity = view.get_or_make("validity", lambda: read_validity(self.store), shared=True)
        gone = validity.left_out(day)
        if gone is None or not view.get_or_make(f"left out on {day}", lambda: self.store.view(gone).size, shared=True):
            return None, None
        return validity, {"$not": gone}

    def retrieve(
        self,
        question: str | Request,
        *,
        on_hop: Callable[[Hop], None] | None = None,
        on_evidence: Callable[[Result], None] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Result:
        """Find at most k passages that together answer the question or decide the claim, and say why.

        The options are the fields of a `Request`, which may be given instead of a question: k=21, strategy="auto",
        where, keep, at_most, exclude, as_of, models=True and lm.

        `where` keeps to documents whose metadata match: {"country": "Japan"}, {"country": ["Japan", "Brazil"]},
        {"year": {"gte": 1990, "lt": 2000}}; hops lead to no other. `keep` is such a filter for what is returned alone:
        hops may lead over documents that it does not let through. `at_most` bounds how many passages of one value of a
        field are returned: {"source": 2} keeps one source from filling the evidence. `exclude` are ids of passages or
        documents to leave out of what is returned; hops may lead through them. `as_of` is the day on which documents
        must hold, today by default; "any" takes old and future versions, too. `on_hop` is called after every
        hop, and `on_evidence` in every hop with the result so far and its chain, before the best candidates are read.
        `lm` is used for this question instead of the language model the engine was opened with; False uses none. With
        `models=False` candidates are ranked by a weighted sum alone, without the models that come with the package:
        several times faster, and less accurate.
        """
        check_arguments(locals())
        asked = Request.of(question, **options)
        model = self._model(asked)
        chosen = _strategy(asked, lm=model is not None)
        everything = self.store.view(asked.where)
        validity, held = self._filter_by_day(asked.day, everything)
        index = Index.of(self.store.view(combine_filters(asked.where, held)) if held else everything)
        kept = self.index(asked.keep).passages if asked.keep else None
        for field in asked.at_most or ():
            self.index({field: {"exists": True}})  # it raises for a field that no document has
        narrow = bool(asked.keep or asked.at_most or asked.exclude)
        found = known_ids(asked.exclude or (), index.passages)
        # Options that drop nothing must not change the result, and a wider budget could.
        wide = narrow and can_drop(asked, found, kept, self.index().passages)
        budget = min(MOST_PASSAGES, _WIDER * asked.k + _MORE + len(found)) if wide else asked.k

        def add_chain(result: Result) -> Result:
            if narrow:
                result = narrow_result(result, asked, kept)
            return replace(result, chain=chain_of(result, index))

        sofar = None if on_evidence is None else lambda result: on_evidence(add_chain(result))
        reached = loop.run(
            chosen, asked.question, budget, index, where=asked.where, on_hop=on_hop, on_evidence=sofar, lm=model
        )
        result = add_chain(reached)
        failed: tuple[Note, ...] = ()
        if asked.models:
            _, verifier = self._models(asked)
            try:
                conflicts = conflicts_of(result.evidence, verifier, asked.question)
            except ReadingError as error:
                conflicts = conflicts_of(result.evidence, question=asked.question)
                about = {"verifier": verifier.identity if verifier else ""}
                failed = (Note("verifier-failed", about, f"conflicts were looked for by rules alone: {error}"),)
            result = replace(result, conflicts=conflicts)
        # Only where little was found: each value of the filter is looked up for it.
        hints = failed + (self.filter_hints(asked.where) if asked.where and result.short else ())
        if validity is not None and asked.day is not None:
            result = replace(result, as_of=asked.day)
            note = note_left_out(validity, everything, index.passages, asked.question, asked.day)
            hints += (note,) if note else ()
        if unfound := [id for id in asked.exclude or () if id not in found]:
            # One that the filter or the day leaves out is known.
            hints += note_unknown(unfound, known_ids(unfound, self.index().passages))
        if asked.lm and not result.trace.lm_calls:
            text = f"the strategy {chosen.name!r} asks no language model; auto, aspects, gap and listwise do"
            hints += (Note(LM_NOT_USED, {"strategy": chosen.name}, text),)
        return replace(result, trace=replace(result.trace, notes=(*hints, *result.trace.notes))) if hints else result

    def filter_hints(self, where: Where) -> tuple[Note, ...]:
        """Return notes on values of a filter that no document has; `retrieve` adds them to its trace."""
        self.store.view(where)  # it raises for an invalid filter
        return tuple(value_hints(where or {}, self.values))

    def answer(
        self,
        question: str | Request,
        *,
        on_hop: Callable[[Hop], None] | None = None,
        on_evidence: Callable[[Result], None] | None = None,
        on_draft: Callable[[Answer], None] | None = None,
        on_words: OnWords | None = None,
        **options: Unpack[RequestOptions],
    ) -> Answer:
        """Answer a question by the sentences of its evidence, or show the closest one; options as for `retrieve`.

        The confidence is the probability that the answer is right. A claim is checked as `verdict` does. A language
        model answers a question in one call, with statements that cite sentences; what these do not support is marked,
        and when it fails the answer by sentences stands. `on_draft` gets that answer before the model is asked, and the
        answer to a nested question, noted as "unchecked", before its inner questions are read. `on_words` gets what
        the model has written so far, unchecked, from another thread while it writes. With `models=False` nothing is
        read for an answer: the closest sentence is shown.
        """
        check_arguments(locals())
        asked = Request.of(question, **options)
        result = self.retrieve(asked, on_hop=on_hop, on_evidence=on_evidence)
        reader, verifier = self._models(asked)
        answer = answer_of(result, self.index(asked.where, as_of=asked.as_of), reader, verifier, on_draft)
        answer = replace(answer, notes=(*answer.notes, *disagreements(result.conflicts, answer.sentences)))
        model = self._model(asked)
        # A model decides a claim in `verdict`; here its parts are looked up one by one.
        if model is None or answer.kind == "claim":
            return answer
        if on_draft is not None:
            on_draft(answer)
        return answer_by_model(answer, model, on_words, verifier)

    def retrieve_many(
        self, questions: Iterable[str | Request], *, workers: int = 4, **options: Unpack[RequestOptions]
    ) -> Iterator[Result | MultihopError]:
        """Find the evidence for many questions, several at a time, in their order; options as for `retrieve`.

        A question that cannot be asked gives its error in its place.
        """
        check_arguments(locals())
        # Invalid options are raised at once, rather than returned for each question.
        asked = Request.of("every question", **options)
        _strategy(asked, lm=self._model(asked) is not None)
        return ask_in_order(partial(self.retrieve, **options), questions, workers)

    def stream(self, question: str | Request, **options: Unpack[RequestOptions]) -> Iterator[Event]:
        """Answer a question as events: ("evidence", …) and ("hop", …) in every hop, then ("answer", …).

        Drafts ("draft", …) and, with a language model, ("words", …) come between. Options as for `answer`; closing the
        iterator stops the question.
        """
        asked = Request.of(question, **options)
        return stream_events(partial(self.answer, asked))

    async def astream(self, question: str | Request, **options: Unpack[RequestOptions]) -> AsyncIterator[Event]:
        """Async `stream`: runs in a thread, without blocking the event loop."""
        events = self.stream(question, **options)
        try:
            while (event := await in_thread(next)(events, None)) is not None:
                yield event
        finally:
            events.close()  # type: ignore[attr-defined]  # a generator

    def conversation(self, turns: Iterable[Turn] = ()) -> Conversation:
        """Begin a conversation, or go on with the turns of one: follow-up questions refer to what was said."""
        check_arguments(locals())
        earlier = tuple(turns)
        if wrong := [turn for turn in earlier if not isinstance(turn, Turn)]:
            raise InvalidInput(f"a turn is one of Conversation.turns; got {wrong[0]!r:.60}")
        return Conversation(self.answer, self.index, earlier, model=self._chosen_model)

    def verdict(
        self,
        claim: str | Request,
        *,
        on_hop: Callable[[Hop], None] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Verdict:
        """Return whether the index supports or contradicts a claim, part by part, and by which sentences.

        Options as for `retrieve`. A verifier decides; with a language model that one does, and the verifier checks it.
        What neither decides is "undecided", with the closest sentence. Raises NoVerdict, with the evidence, when the
        language model fails.
        """
        check_arguments(locals())
        asked = Request.of(claim, **options)
        reader, verifier = self._models(asked)
        result = self.retrieve(asked, on_hop=on_hop)
        verdict = decide_claim(result, self.index(asked.where, as_of=asked.as_of), reader, verifier)
        if (model := self._model(asked)) is not None:
            verdict = confirm_verdict(verdict_of(asked.question, result, model), verdict, verifier)
        return replace(verdict, notes=(*verdict.notes, *disagreements(result.conflicts, verdict.sentences)))

    aretrieve = in_thread(retrieve)
    aanswer = in_thread(answer)
    averdict = in_thread(verdict)

    def _model(self, asked: Request) -> LanguageModel | None:
        """Return the language model of a request: its own, the engine's, or none if it says False."""
        return self._chosen_model(asked.lm)

    def _chosen_model(self, lm: Any) -> LanguageModel | None:
        return None if lm is False else model_of(lm) or self.lm

    @property
    def reader(self) -> Reader | None:
        """What reads for an answer: what the engine was opened with, or what comes with the package."""
        from multihop.models import reader  # it takes a while to load, and only answers need it

        return CheckedReader(self._reader) if self._reader else reader()

    def _models(self, asked: Request) -> tuple[Reader | None, Verifier | None]:
        """Return the reader and the verifier of a request; none of them if it says so."""
        if not asked.models:
            return None, None
        from multihop.models import verifier

        return self.reader, CheckedVerifier(self._verifier) if self._verifier else verifier()

    # --- the index itself ---

    def refresh(self) -> int:
        """Look at the newest state of the index and return its generation; `retrieve` does so by itself."""
        return self.store.refresh()

    def stats(self) -> Stats:
        """Count what is in the index."""
        return self.store.stats()

    def check(self, *, repair: bool = True) -> list[Check]:
        """Check the search caches against the documents and rebuild what differs."""
        check_arguments(locals())
        return [*self.store.verify(repair), *check_rights(self.store)]

    def close(self) -> None:
        """Close the index; in a forked child this does nothing, since it is still the parent's."""
        if os.getpid() == self._process:
            self._derived.close()
            # The index that derived ones belong to closes them.
            if not self._newest:
                self._store.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _strategy(asked: Request, *, lm: bool) -> Strategy:
    """Return the strategy of a request, by rules or with a language model, and without models where none are wanted."""
    named = asked.strategy
    chosen = strategy_named(named, lm=lm) if isinstance(named, str) else named
    if not isinstance(chosen, Strategy):
        raise UnknownName(f"a strategy is a name or a multihop.Strategy, got {named!r:.80}")
    return chosen if asked.models else without_models(chosen)
