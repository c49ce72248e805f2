"""FanOutQA in its official files: questions that fan out over about seven articles of Wikipedia.

The articles are not part of it: put a corpus with their titles into the folder, or pass one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from multihop.evaluation.datasets.corpora import OverCorpus
from multihop.evaluation.datasets.dataset import Question
from multihop.evaluation.datasets.gold import Draft, Reference
from multihop.evaluation.datasets.rows import Row, rows


def _draft(row: Row) -> Draft:
    titles = list(dict.fromkeys(_titles(row, row.fields)))
    answer = row.fields.get("answer")
    question = Question(
        id=row.text("id"), text=row.text("question"), gold=(), hops=len(titles) or None,
        answer=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False) if answer else "",
    )  # fmt: skip
    return Draft.of(question, map(Reference, titles), row)


def _titles(row: Row, node: Any) -> Iterator[str]:
    """Yield the evidence of a question: listed (test), or that of the questions it is made of (dev)."""
    try:
        listed = [*(node.get("necessary_evidence") or ()), *([node["evidence"]] if node.get("evidence") else [])]
        for evidence in listed:
            yield str(evidence["title"])
        for part in node.get("decomposition") or ():
            yield from _titles(row, part)
    except (TypeError, KeyError, AttributeError) as error:
        raise row.wrong("evidence must be objects with a title") from error


FANOUTQA = OverCorpus(
    "fanoutqa", re.compile(r"fanout-final-(dev|test)\.json"), lambda path: map(_draft, rows(path)), whole=False
)
