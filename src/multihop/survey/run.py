"""Runs a survey: asks every group every question, by one or both retrieval methods, resumable at every answer."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from multihop import profiles
from multihop.answering.answers import NO_READER
from multihop.engine import Engine
from multihop.errors import InvalidInput
from multihop.index.readers import SourceNames
from multihop.index.syncing import PATH
from multihop.lm import model_of
from multihop.loop import Strategy
from multihop.profiles.signals import embed, evaluate, parse_question, word2vec
from multihop.profiles.values import Profile, ProfileQuestion
from multihop.protocols import Context, LanguageModel, Progress, Reader
from multihop.rendering.phrases import pluralize
from multihop.strategies import GRAPH, graph_by_signals, hybrid, strategy as strategy_named
from multihop.survey import logs
from multihop.survey.answers import (
    HOP,
    METHODS,
    READING,
    VECTOR,
    Chunk,
    GroupAnswers,
    Survey,
    SurveyAnswer,
    chunk_of,
    source_of,
    without_passages,
)  # fmt: skip
from multihop.survey.columns import Column, profile_of, read_columns
from multihop.survey.files import Folder
from multihop.survey.findings import Finding, findings, page_of
from multihop.survey.groups import FILE, Group, chosen_groups, chosen_questions
from multihop.survey.processes import in_processes
from multihop.survey.quoting import ask_for_value
from multihop.survey.reading import Sheet, ask_all, findings_of, passages_in
from multihop.survey.sources import Source, label_without_groups, open_source
from multihop.types import Metadata, Result, Where
from multihop.types.channels import COMBINED

_SAID = 5
"""Maximum number of disagreements that a note lists."""


def survey(
    source: Source,
    profile: Profile | str | None = None,
    *,
    ask: Iterable[str | Column] = (),
    asked_in: str | Path | None = None,
    by: str | None = None,
    as_of: str | None = None,
    label: bool = True,
    questions: Iterable[int] | None = None,
    groups: Iterable[str] | None = None,
    hop: bool = False,
    hop_only: bool = False,
    top_k: int | None = None,
    threshold: float | None = None,
    fuzzy_threshold: float | None = None,
    max_hops: int | None = None,
    weights: Mapping[str, float] | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    hop_strategy: Strategy | str = "graph",
    jobs: int = 1,
    reopen: Callable[[], Engine] | None = None,
    lm: Any = None,
    hold: bool = True,
) -> Survey:
    """Ask every group of documents the questions of a profile; returns the values and passages that answer them.

    Instead of a profile, `ask` takes headings and questions in plain words ("Revenue in 2023", "Who audits it?") and
    `asked_in` the name of a built-in list, or a CSV file of them. Every file is then a row, unless `by` says otherwise,
    and each value is looked up in the tables of the row's files or read in their sentences.

    `source` is an engine, an index, or a folder of files, which is indexed temporarily. `by` overrides the field by
    which the profile groups documents: a metadata field, "file", "title" or "folder". `as_of` is the day on which
    documents must be valid, as for `Engine.retrieve`. An index without the groups of the profile is labeled first,
    unless `label` is False.

    With `hop`, every question is also answered by traversal, with `hop_only` only by traversal. `top_k`, `threshold`,
    `fuzzy_threshold`, `max_hops` (1 to 3) and `weights` override the profile. With `out`, each answer is written to a
    folder at once, and a survey that was interrupted resumes from there. `progress` is called after every answer.

    With `jobs` above 1, groups are processed in parallel, in processes that open the index with `reopen`, a picklable
    function; `progress` is then called after every few groups.

    A language model `lm` is asked for values too, in one process. It must quote them: a value whose quote is in no
    passage is dropped.

    With `hold=False`, answers are returned without passage texts, which are in the files of `out`, so that memory does
    not grow with the number of groups.
    """
    started = time.perf_counter()
    columns = _columns(profile, ask, asked_in)
    if columns:
        loaded = profile_of(columns, by or FILE)
    else:
        loaded = profiles.load(profile) if isinstance(profile, str) else cast(Profile, profile)
    known = profiles.with_scoring(
        loaded, top_k=top_k, threshold=threshold, fuzzy_threshold=fuzzy_threshold, max_hops=max_hops, weights=weights
    )
    known = replace(known, group=by, digest="") if by else known
    numbered = chosen_questions(known, questions)
    methods = _methods(known, columns, hop_strategy, hop=hop, hop_only=hop_only)
    model = model_of(lm)
    if model is not None and jobs > 1:
        raise InvalidInput(f"a language model needs jobs=1, got jobs={jobs}; leave out jobs or lm")
    if not hold and out is None:
        raise InvalidInput("hold=False leaves the passages in the files of a folder; give one as out")
    with open_source(source) as engine:
        if label:
            label_without_groups(engine, known)
        chosen, notes = chosen_groups(engine, known, groups, as_of)
        asking = _Asking(known, numbered, methods, Folder.open(out, known.group), hold, columns, as_of)
        total = len(chosen) * len(numbered) * len(methods)
        logs.LOGGER.info(
            logs.line(logs.RETRIEVE, "started", profile=known.name, groups=len(chosen), questions=len(numbered))
        )
        if jobs > 1 and len(chosen) > 1:
            done, resumed = _in_processes(asking, list(chosen.items()), jobs, reopen, progress, total)
        else:
            run = _Run(engine, asking, progress, total, model)
            done, resumed = run.groups(chosen.items()), run.resumed
    result = Survey(
        known.name, known.group, {q.number: q.label or q.text for q in numbered}, tuple(done),
        tuple(dict.fromkeys((*notes, *_disagreements(done), *_shared_notes(done)))), resumed,
        time.perf_counter() - started,
    )  # fmt: skip
    asking.folder.finish(result, known)
    logs.LOGGER.info(logs.line(logs.RETRIEVE, "finished", answers=total, seconds=round(result.seconds, 2)))
    return result


def _columns(
    profile: Profile | str | None, ask: Iterable[str | Column], asked_in: str | Path | None
) -> tuple[Column, ...]:
    given = [ask] if isinstance(ask, str) else list(ask)
    if (profile is None) == (not given and asked_in is None):
        raise InvalidInput("a survey needs a profile, or questions in plain words, but not both")
    return read_columns(given, asked_in) if profile is None else ()


def _methods(
    profile: Profile, columns: Sequence[Column], walker: Strategy | str, *, hop: bool, hop_only: bool
) -> dict[str, Strategy | None]:
    """Return the strategy of every method; columns in plain words are read without one."""
    if columns:
        if hop or hop_only:
            raise InvalidInput("questions in plain words are not answered by traversal; leave out hop")
        return {READING: None}
    methods: dict[str, Strategy | None] = {} if hop_only else {VECTOR: hybrid(profile)}
    return methods | ({HOP: traversal_strategy(profile, walker)} if hop or hop_only else {})


def _shared_notes(done: Iterable[GroupAnswers]) -> Iterator[str]:
    """Yield the notes that all answers share, such as the one on a missing embedder."""
    answers = [answer for group in done for answer in group.answers]
    return (n for n in (answers[0].notes if answers else ()) if all(n in a.notes for a in answers))


def _disagreements(done: Iterable[GroupAnswers]) -> Iterator[str]:
    """Note the answers in which the documents of a row contradict each other."""
    said = []
    for group in done:
        for answer in group.answers:
            if answer.findings and answer.findings[0].contradicts:
                against = [answer.findings[0], *(f for f in answer.findings[1:] if f.contradicts)]
                values = [f"{f.text} ({', '.join(filter(None, (f.title or f.document, f.date)))})" for f in against]
                said.append(f"{group.group}, {answer.label or answer.question}: {' or '.join(values)}")
    if said:
        more = f"; and {len(said) - _SAID:,} more" if len(said) > _SAID else ""
        yield f"sources disagree in {pluralize(len(said), 'answer')}: {'; '.join(said[:_SAID])}{more}"


def _in_processes(
    asking: _Asking,
    groups: Sequence[tuple[str, Group]],
    jobs: int,
    reopen: Callable[[], Engine] | None,
    progress: Progress | None,
    total: int,
) -> tuple[list[GroupAnswers], int]:
    """Answer the groups in worker processes; returns the answers in the order of the groups."""
    if reopen is None:
        raise InvalidInput("several jobs need reopen, a function that opens the index in each process")
    answered: list[GroupAnswers] = []
    resumed = 0
    for part, (answers, taken_over) in in_processes(partial(_answer_groups, reopen, asking), groups, jobs):
        answered += answers
        resumed += taken_over
        if progress:
            progress(part[-1][0], sum(len(g.answers) for g in answered), total)
    # Processes finish in any order.
    order = {name: place for place, (name, _) in enumerate(groups)}
    return sorted(answered, key=lambda g: (order[g.group], METHODS.index(g.method))), resumed


def _answer_groups(
    reopen: Callable[[], Engine], asking: _Asking, groups: Sequence[tuple[str, Group]]
) -> tuple[list[GroupAnswers], int]:
    with reopen() as engine:
        run = _Run(engine, asking)
        return run.groups(groups), run.resumed


@dataclass(frozen=True, slots=True)
class _Asking:
    """The questions, methods and settings of a survey."""

    profile: Profile
    questions: tuple[ProfileQuestion, ...]
    methods: Mapping[str, Strategy | None]
    folder: Folder
    hold: bool = True
    """Whether answers are returned with their passages."""
    columns: tuple[Column, ...] = ()
    """The questions in plain words, in order; empty for a profile."""
    as_of: str | None = None
    """The day on which documents must be valid; None for today."""


@dataclass
class _Run:
    """A running survey and its progress."""

    engine: Engine
    asking: _Asking
    progress: Progress | None = None
    total: int = 0
    lm: LanguageModel | None = None
    done: int = 0
    resumed: int = 0

    @cached_property
    def reader(self) -> Reader | None:
        """The reader of the engine, or the built-in one."""
        return self.engine.reader

    @cached_property
    def names(self) -> SourceNames:
        return SourceNames.load(self.engine.store.get_blob(SourceNames.BLOB))

    def groups(self, groups: Iterable[tuple[str, Group]]) -> list[GroupAnswers]:
        """Answer all questions for some groups by every method."""
        answered: list[GroupAnswers] = []
        for name, group in groups:
            for method, strategy in self.asking.methods.items():
                answers = self.group(name, group, method, strategy)
                answered.append(answers if self.asking.hold else without_passages(answers))
        return answered

    def group(self, name: str, group: Group, method: str, strategy: Strategy | None) -> GroupAnswers:
        """Answer all questions for one group, and save every answer at once."""
        profile, folder, questions = self.asking.profile, self.asking.folder, self.asking.questions
        fingerprint = _fingerprint(self.engine, profile, strategy, self.lm, self.asking.as_of)
        # Answers with other settings, or from another generation of the index, are not reused but found anew.
        earlier = folder.read(name, method)
        if earlier is not None and earlier.fingerprint == fingerprint:
            sheet, outdated = earlier, set[int]()
        else:
            sheet = GroupAnswers(name, profile.group, method, "", (), profile.name, fingerprint)
            outdated = {q.number for q in profile.questions if earlier and _is_answered(q, earlier)}
        wanted = {q.number for q in questions}
        # Only one row is split into lines at a time, and none that is complete.
        lines = cache(lambda: self._sheets(group))
        for question in (q for q in profile.questions if q.number in wanted | outdated):
            if sheet.answer(question.number) is not None:
                self.resumed += 1
            else:
                new = self._answer(question, sheet, group, strategy) if strategy else self._read(question, lines())
                answers = (*sheet.answers, new)
                ordered = tuple(sorted(answers, key=lambda answer: answer.number))
                sheet = replace(sheet, answers=ordered, timestamp=datetime.now().isoformat(timespec="seconds"))
                folder.write(sheet)
            if question.number in wanted:
                self.done += 1
                if self.progress:
                    self.progress(name, self.done, self.total)
        # Answers to questions that are not asked this time stay in the folder.
        return replace(sheet, answers=tuple(a for a in sheet.answers if a.number in wanted))

    def _answer(self, question: ProfileQuestion, sheet: GroupAnswers, group: Group, strategy: Strategy) -> SurveyAnswer:
        """Answer a question for the group and method of the answers so far."""
        profile, method = self.asking.profile, sheet.method
        where = group.where
        text = with_keywords(question.text, profile, strategy)
        k, as_of = profile.scoring.top_k, self.asking.as_of
        result = self.engine.retrieve(text, k=k, strategy=strategy, where=where, as_of=as_of)
        _log(result, question, {profile.group: sheet.group}, self.engine.index(where).passages.size, method)
        # Traversal does not compute the four signals, which are needed to compare both methods.
        signals = signals_of(self.engine, question.text, profile, where, result) if method == HOP else {}
        chunks = tuple(chunk_of(e, signals.get(e.passage.id)) for e in result.evidence)
        sources = [
            # A URL in the metadata takes precedence over the path of the file.
            source_of(c, {"url": self._url(e.passage.metadata), **e.passage.metadata})
            for c, e in zip(chunks, result.evidence, strict=True)
        ]
        quotes, problem = ask_for_value(self.lm, question, sources) if self.lm else ((), "")
        # Later questions may refer to the values of earlier ones.
        known = {a.number: a.findings[0].value for a in sheet.answers if a.findings}
        values = self._add_pages(findings(question, sources, known, quotes))
        notes = (*(n.text for n in result.trace.notes), *([problem] if problem else ()))
        return SurveyAnswer(question.number, question.text, chunks, question.label, notes, values)

    def _sheets(self, group: Group) -> list[Sheet]:
        passages = self.engine.index(group.where, as_of=self.asking.as_of).passages
        return [Sheet(passages, document, self.reader) for document in group.documents]

    def _read(self, question: ProfileQuestion, sheets: Sequence[Sheet]) -> SurveyAnswer:
        """Answer a question in plain words from the lines of a row."""
        column = self.asking.columns[question.number - 1]
        read, best = ask_all(sheets, column)
        lines = passages_in(((each.line, each.confidence) for each in read), best)
        chunks = tuple(
            Chunk(
                line.passage.id, line.passage.text, round(min(1.0, score), 6), rank=rank,
                document=line.passage.document_id, title=line.passage.title, heading=line.passage.heading,
                page=line.passage.page,
            )
            for rank, (line, score) in enumerate(lines.values(), 1)
        )  # fmt: skip
        about = {
            line.passage.document_id: (
                str(line.passage.metadata.get("date", "")),
                str(line.passage.metadata.get("url", "") or self._url(line.passage.metadata)),
            )
            for line, _ in lines.values()
        }
        notes = () if self.reader else (NO_READER.text,)
        values = findings_of(read, about, column)
        return SurveyAnswer(question.number, question.text, chunks, question.label, notes, values)

    def _add_pages(self, values: Iterable[Finding]) -> tuple[Finding, ...]:
        """Add the page of its sentence to each finding; a passage has only its first page."""
        texts: dict[str, str] = {}

        def add_page(finding: Finding) -> Finding:
            if finding.page is None:
                return finding
            if finding.document not in texts:
                document = self.engine.document(finding.document)
                texts[finding.document] = document.text if document else ""
            return replace(finding, page=page_of(finding.sentence, texts[finding.document], finding.page))

        return tuple(map(add_page, values))

    def _url(self, metadata: Metadata) -> str:
        """Return the relative URL from the survey folder to the file of a document; empty if unknown."""
        file = self.names.place(str(metadata.get(PATH, ""))) if metadata.get(PATH) else None
        folder = self.asking.folder.path
        if file is None or folder is None or not file.is_file():
            return ""
        way = os.path.relpath(file, folder.resolve()).replace(os.sep, "/")
        # The page links only to URLs with these prefixes, so that a link cannot run a script.
        return quote(way if way.startswith("../") else f"./{way}")


def traversal_strategy(profile: Profile, chosen: Strategy | str) -> Strategy:
    """Return the strategy of traversal: `graph` starts from the best passages by the profile's four signals."""
    if chosen == GRAPH.name:
        return graph_by_signals(profile, profile.scoring.max_hops)
    return strategy_named(chosen) if isinstance(chosen, str) else chosen


def with_keywords(question: str, profile: Profile, strategy: Strategy) -> str:
    """Append the keywords of the profile, unless the strategy plans with the profile and does so itself."""
    return question if strategy.planner == hybrid(profile).planner else profile.enhance(question)


def signals_of(
    engine: Engine, question: str, profile: Profile, where: Where | None, result: Result
) -> dict[str, dict[str, float]]:
    """Return the four signals of the passages of a result, to compare traversal with the signals."""
    context = Context(engine.index(where))
    text = profile.enhance(question)
    scores = evaluate(parse_question(text, profile), embed(text, context), profile, context)
    columns = {**scores.signals, COMBINED: scores.combined}
    rows = scores.ids.rows({evidence.passage.id for evidence in result.evidence})
    return {id: {name: float(v[row]) for name, v in columns.items()} for id, row in rows.items()}


def _log(result: Result, question: ProfileQuestion, group: dict[str, str], passages: int, method: str) -> None:
    category = logs.HOP_RETRIEVE if method == HOP else logs.VECTOR_SIMILARITY
    where: dict[str, object] = {"question": question.number, **group}
    logs.LOGGER.debug(logs.line(logs.RETRIEVE, "filtered", **where, passages=passages))
    logs.LOGGER.info(
        logs.line(category, "searched", **where, hops=len(result.trace.hops), seconds=round(result.trace.seconds, 4))
    )
    best = round(result.evidence[0].score, 4) if result.evidence else None
    logs.LOGGER.info(logs.line(logs.RETRIEVE, "answered", **where, chunks=len(result.evidence), best=best))
    for note in result.trace.notes:
        logs.LOGGER.debug(logs.line(logs.RETRIEVE, "note", **where, note=note.text))


def _is_answered(question: ProfileQuestion, answers: GroupAnswers) -> bool:
    """Return whether a row has an answer to this very question."""
    answer = answers.answer(question.number)
    return answer is not None and answer.question == question.text


def _fingerprint(
    engine: Engine, profile: Profile, strategy: Strategy | None, lm: LanguageModel | None, as_of: str | None
) -> str:
    """Return a digest of everything an answer depends on except the question and the group."""
    view = engine.store.view()
    # Retrained word vectors change scores without a new generation.
    stamp = word2vec.stamp(view)
    embedder = engine.embedder.identity if engine.embedder else None
    top_k = profile.scoring.top_k
    how = strategy.describe() if strategy else engine.reader and engine.reader.identity
    parts = [profile.digest, view.generation, stamp and stamp[1], embedder, top_k, how]
    parts += [lm.name] if lm else []
    parts += [as_of] if as_of else []
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:16]
