"""HoVer in its official files: hover_dev_release_v1.1.json, over the Wikipedia that is published with it."""

from __future__ import annotations

import re

from multihop.evaluation.datasets.corpora import OverCorpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.paragraphs import fact_titles
from multihop.evaluation.datasets.rows import Row, rows


def _draft(row: Row) -> Draft:
    question = Question(
        id=row.text("uid"),
        text=row.text("claim"),
        gold=(),
        hops=row.whole_number("num_hops"),
        label=row.first_text("label"),
    )
    return Draft.of(question, map(Reference, dict.fromkeys(fact_titles(row))), row)


HOVER = OverCorpus(
    "hover", re.compile(r"hover_(train|dev|test)_release_v[\d.]+\.json"), lambda path: map(_draft, rows(path))
)
