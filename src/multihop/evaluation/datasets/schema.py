"""The plain layout: <split>.jsonl beside corpus.jsonl, one schema for every dataset.

A question row holds `claim` or `question`, `gold_pids` or `gold_titles`, and where known an id, `num_hops`, `type`,
`answer`, `label`. A folder without a corpus of its own may share that of the dataset beside it (EX-FEVER asks of
HoVer's Wikipedia).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from multihop.evaluation.datasets.corpora import corpus_files, over_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place
from multihop.evaluation.datasets.rows import Row, rows
from multihop.index.readers.files import bare_name

SHARED_CORPUS = {"exfever": "hover"}


class PlainLayout:
    """Reads <split>.jsonl and corpus.jsonl."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        # A folder with qrels is BEIR's, even where its other files are missing: then that is what must be said.
        if not place.own or not place.folder.is_dir() or (place.folder / "qrels").is_dir():
            return {}
        files = (p for p in sorted(place.folder.iterdir()) if bare_name(p).endswith(".jsonl"))
        names = {Path(bare_name(p)).stem: p for p in files}
        if corpus_files(place.folder) or place.corpus is not None:
            return {s: p for s, p in names.items() if not s.startswith(("corpus", "queries"))}
        # Without a corpus these are questions only if they are called so; reading them says what is missing.
        return {s: p for s, p in names.items() if s in ("train", "dev", "test")}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        folders = [place.folder]
        if beside := SHARED_CORPUS.get(place.folder.name):
            folders.append(place.folder.parent / beside)
        return over_corpus(lambda file: map(_draft, rows(file)), path, folders, place.corpus)


def _draft(row: Row) -> Draft:
    question = Question(
        id=row.text("id", "uid", "_id", "qid", needed=False) or f"row-{row.line}",
        text=row.text("claim", "question", "query"),
        gold=(),
        hops=row.whole_number("num_hops", "hops"),
        type=row.first_text("type"),
        answer=row.first_text("answer"),
        label=row.first_text("label"),
    )
    return Draft.of(question, _references(row), row)


def _references(row: Row) -> Iterator[Reference]:
    if row.fields.get("gold_pids"):
        yield from (Reference(id=str(pid)) for pid in row.items("gold_pids"))
    elif "gold_titles" in row.fields or "gold_pids" in row.fields:
        yield from (Reference(title=str(title)) for title in row.items("gold_titles"))
    else:
        raise row.wrong(f"there is no field 'gold_titles' or 'gold_pids'; present: {', '.join(row.fields)}")
