"""LongMemEval in its official files: questions about the long history of one user's chats with an assistant.

Every turn is a document, with its speaker and the time of its session; gold are the turns that the authors mark as
evidence. Each question is asked of its own history. Abstention questions, whose ids end with _abs, have no evidence and
are left out, as the authors do when they measure retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from multihop.evaluation.datasets.dataset import CONVERSATION, Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows
from multihop.types import Document

_FILE = re.compile(r"longmemeval_(oracle|s|m)(?:_cleaned)?\.json")
_ABSTENTION = "_abs"


class LongMemEvalLayout:
    """Reads longmemeval_s_cleaned.json and its siblings; the splits are oracle, s and m."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "longmemeval"):
            return {}
        # In the order of names: where both are there, the cleaned file is the one that stays.
        return {match[1]: path for path, match in files_in(place.folder, _FILE)}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        return DatasetParts(lambda: _drafts(path), lambda: _turns(path), (path,))


def _drafts(path: Path) -> Iterator[Draft]:
    for row in rows(path):
        id = row.text("question_id")
        if id.endswith(_ABSTENTION):
            continue
        gold = [document.id for document, evidence in _documents(row) if evidence]
        question = Question(
            id=id, text=row.text("question"), gold=(), hops=len(gold) or None, type=row.text("question_type"),
            answer=row.text("answer", needed=False), conversation=id,
        )  # fmt: skip
        yield Draft.of(question, (Reference(id=each) for each in gold), row)


def _turns(path: Path) -> Iterator[Document]:
    for row in rows(path):
        if not row.text("question_id").endswith(_ABSTENTION):
            yield from (document for document, _ in _documents(row))


def _documents(row: Row) -> Iterator[tuple[Document, bool]]:
    """Yield the turns of a history, and whether each is evidence."""
    id, sessions = row.text("question_id"), row.items("haystack_sessions")
    names, times = row.items("haystack_session_ids"), row.items("haystack_dates")
    if not len(sessions) == len(names) == len(times):
        raise row.wrong("haystack_sessions, haystack_session_ids and haystack_dates must have the same length")
    seen = count(1)
    for session, name, time in zip(sessions, names, times, strict=True):
        if not isinstance(session, list):
            raise row.wrong("a session must be a list of turns")
        for turn in session:
            yield _document(turn, f"{id}/{name}", str(time), id, row, next(seen)), turn.get("has_answer") is True


def _document(turn: Any, session: str, time: str, history: str, row: Row, number: int) -> Document:
    if not isinstance(turn, dict) or not isinstance(turn.get("content"), str):
        raise row.wrong("a turn must be an object with a role and a content")
    speaker = str(turn.get("role", ""))
    metadata = {CONVERSATION: history, "session": session, "speaker": speaker, "time": time}
    # Numbered through the history: a session may come twice in it.
    return Document(f"{session}/{number}", f"{speaker}: {turn['content']}", f"{speaker}, {time}", metadata)
