"""HoVer in its official files: hover_dev_release_v1.1.json, over the Wikipedia that is published with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from multihop.evaluation.datasets.corpora import corpus_documents, needed_corpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.layout import Parts, Place, files_in
from multihop.evaluation.datasets.paragraphs import fact_titles
from multihop.evaluation.datasets.rows import Row, rows

_FILE = re.compile(r"hover_(train|dev|test)_release_v[\d.]+\.json")


class HoverLayout:
    """Reads hover_<split>_release_v1.1.json over wiki_wo_links.db or a corpus.jsonl beside it, or over a given one."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        if place.name not in ("", "hover"):
            return {}
        return {match[1]: path for path, match in files_in(place.folder, _FILE)}

    def read(self, place: Place, split: str, path: Path) -> Parts:
        corpus = needed_corpus(path, [place.folder], place.corpus)
        return Parts(lambda: map(_draft, rows(path)), lambda: corpus_documents(corpus), (path, corpus))


def _draft(row: Row) -> Draft:
    question = Question(
        id=row.text("uid"),
        text=row.text("claim"),
        gold=(),
        hops=row.whole_number("num_hops"),
        label=row.first_text("label"),
    )
    return Draft.of(question, map(Reference, dict.fromkeys(fact_titles(row))), row)
