"""FEVER in its official files: shared_task_dev.jsonl and its siblings, over the Wikipedia that is published with it.

Evidence is given as sets, each of which decides the claim alone. The first of the smallest counts here, so that gold
is what is needed and no more. Claims without evidence ("NOT ENOUGH INFO") are kept out, and the notes count them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from multihop.evaluation.datasets.corpora import fever_pages, over_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.rows import Row, rows
from multihop.evaluation.datasets.titles import fever_title

_FILE = re.compile(r"(train)\.jsonl|(?:shared_task|paper)_(dev|test)\.jsonl")


class FeverLayout:
    """Reads train.jsonl, shared_task_dev.jsonl, paper_dev.jsonl and paper_test.jsonl over the folder wiki-pages."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "fever"):
            return {}
        paths: dict[str, Path] = {}
        for path, match in files_in(place.folder, _FILE):
            split = match[1] or match[2]
            # The paper divides the dev set of the shared task into a dev and a test set; the whole is preferred.
            if split not in paths or "shared_task" in path.name:
                paths[split] = path
        # train.jsonl alone may be anybody's.
        return {} if list(paths) == ["train"] and not fever_pages(place.folder) else paths

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        return over_corpus(lambda file: map(_draft, rows(file)), path, [place.folder], place.corpus)


def _draft(row: Row) -> Draft:
    question = Question(row.text("id"), row.text("claim"), (), label=row.first_text("label"))
    return Draft.of(question, map(Reference, _titles(row)), row)


def _titles(row: Row) -> list[str]:
    try:
        sets = [dict.fromkeys(page for _, _, page, _ in given if page) for given in row.items("evidence")]
        return [fever_title(page) for page in min((s for s in sets if s), key=len, default={})]
    except (TypeError, ValueError, AttributeError) as error:
        raise row.wrong("'evidence' must be a list of sets of [annotation, evidence, page, sentence]") from error
