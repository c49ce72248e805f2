"""HotpotQA (distractor and full-wiki) and 2WikiMultiHopQA, whose official files have the same shape.

In the distractor setting the corpus is the union of the paragraphs of all questions of the file. To full-wiki belongs
a corpus of Wikipedia: pass it, or put the official abstracts or a corpus.jsonl into the folder. Without one the union
is used, and the notes say so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from multihop.errors import InvalidRecord
from multihop.evaluation.datasets.corpora import chosen_corpus, corpus_documents
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.paragraphs import draft, has_paragraphs, union
from multihop.evaluation.datasets.rows import rows
from multihop.index.readers.files import bare_name

_HOTPOT = re.compile(r"hotpot_(train|dev|test)_(?:(distractor|fullwiki)_)?v[\d.]+\.json")
_TWOWIKI = re.compile(r"(train|dev|test)\.json")
_NOT_WIKIPEDIA = "full-wiki without a corpus of Wikipedia: only the paragraphs that the file brings are searched"


class HotpotLayout:
    """Reads hotpot_dev_distractor_v1.json and its siblings."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "hotpotqa", "hotpotqa-fullwiki"):
            return {}
        wanted = "fullwiki" if place.name == "hotpotqa-fullwiki" else "distractor"
        paths: dict[str, Path] = {}
        for path, match in files_in(place.folder, _HOTPOT):
            # Train has one file for both settings. Another setting is better than none; the source names the file.
            if match[2] in (None, wanted) or match[1] not in paths:
                paths[match[1]] = path
        return paths

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        fullwiki = place.name == "hotpotqa-fullwiki" or "fullwiki" in path.name
        return with_paragraphs(place, path, (_NOT_WIKIPEDIA,) if fullwiki else (), own=not fullwiki)


class TwoWikiLayout:
    """Reads train.json, dev.json and test.json of 2WikiMultiHopQA."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if not place.own and place.name != "2wiki":
            return {}
        return {m[1]: path for path, m in files_in(place.folder, _TWOWIKI) if _begins_with_paragraphs(path)}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        return with_paragraphs(place, path)


def with_paragraphs(
    place: Place, path: Path, without_corpus: tuple[str, ...] = (), *, own: bool = True
) -> DatasetParts:
    """Open a file of questions with paragraphs; with `own` these are the corpus unless another one is asked for."""
    # In the distractor setting a corpus.jsonl beside the file is not asked for, so it must not change the task.
    corpus = None if own and place.corpus is None else chosen_corpus([place.folder], place.corpus)
    if corpus is not None:
        return DatasetParts(lambda: map(draft, rows(path)), lambda: corpus_documents(corpus), (path, corpus))
    return DatasetParts(lambda: map(draft, rows(path)), lambda: union(rows(path)), (path,), notes=without_corpus)


def _begins_with_paragraphs(path: Path) -> bool:
    try:
        return any(has_paragraphs(row) for row in islice(rows(path), 1))
    except InvalidRecord:
        # What is wrong with the file is said when it is read; a folder of another format is not its business.
        return bare_name(path) == "dev.json"
