"""LoCoMo in its official file, locomo10.json: questions about long conversations of two people.

Every turn is a document, with its speaker and the time of its session; gold are the turns that the authors name. Each
question is asked of its own conversation. Adversarial questions (category 5) have no answer and are left out; those
whose evidence names a turn that is not there, two in the official file, are kept out as questions without gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from multihop.evaluation.datasets.dataset import CONVERSATION, Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows
from multihop.types import Document

_FILE = re.compile(r"locomo10\.json")
_SESSION = re.compile(r"session_\d+")
_TURN = re.compile(r"(D\d+):(\d+)")
_TYPES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


class LocomoLayout:
    """Reads locomo10.json. There is one set of questions, which is called test."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "locomo"):
            return {}
        files = [path for path, _ in files_in(place.folder, _FILE)]
        return {"test": files[0]} if files else {}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        return DatasetParts(lambda: _drafts(path), lambda: _turns(path), (path,))


def _drafts(path: Path) -> Iterator[Draft]:
    for row in rows(path):
        sample = row.text("sample_id")
        turns = {document.id for document in _documents(row)}
        for number, asked in enumerate(row.items("qa"), 1):
            if not isinstance(asked, dict):
                raise row.wrong("'qa' must be a list of questions")
            if asked.get("category") not in _TYPES:
                continue
            # Some evidence lists several turns in one text, and some writes 5 as 05.
            named = _TURN.findall(" ".join(map(str, asked.get("evidence") or ())))
            gold = list(dict.fromkeys(f"{sample}/{session}:{int(turn)}" for session, turn in named))
            question = Question(
                id=f"{sample}-q{number}", text=Row(asked, row.source, row.line).text("question"), gold=(),
                hops=len(gold) or None, type=_TYPES[asked["category"]], answer=str(asked.get("answer", "")),
                conversation=sample,
            )  # fmt: skip
            yield Draft.of(question, map(_reference, gold) if turns.issuperset(gold) else (), row)


def _reference(turn: str) -> Reference:
    return Reference(id=turn)


def _turns(path: Path) -> Iterator[Document]:
    for row in rows(path):
        yield from _documents(row)


def _documents(row: Row) -> Iterator[Document]:
    sample, conversation = row.text("sample_id"), row.fields.get("conversation")
    if not isinstance(conversation, dict):
        raise row.wrong("there is no conversation")
    for name, session in conversation.items():
        if _SESSION.fullmatch(name) and isinstance(session, list):
            time = str(conversation.get(f"{name}_date_time", ""))
            yield from (_document(turn, sample, time, row) for turn in session)


def _document(turn: Any, sample: str, time: str, row: Row) -> Document:
    if not isinstance(turn, dict) or not turn.get("dia_id"):
        raise row.wrong("a turn must be an object with a dia_id")
    speaker = str(turn.get("speaker", ""))
    # What a shared picture shows is part of what is said.
    shown = f" (shares a picture: {turn['blip_caption']})" if turn.get("blip_caption") else ""
    session = f"{sample}/{str(turn['dia_id']).partition(':')[0]}"
    metadata = {CONVERSATION: sample, "session": session, "speaker": speaker, "time": time}
    text = f"{speaker}: {turn.get('text', '')}{shown}"
    return Document(f"{sample}/{turn['dia_id']}", text, f"{speaker}, {time}", metadata)
