"""What `auto` does where nothing is like Wikipedia: no titles, one hop, documents of governments.

    python benchmarks/other_corpora.py --data datasets

Three sets, dev questions or words of passages, nothing of which a model was trained on in this form:

- HotpotQA without titles: no name leads to a document, and links between passages are lost;
- known items, one hop: six rare words of a HotpotQA passage, in the order of the text, find that passage;
- known items in NDC documents: the same, with the country, over passages of nationally determined contributions.

`auto` should not be below lexical and vector search merged (`hybrid-rrf`). Needs: pip install '.[wordllama]'
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from multihop import Document, Engine
from multihop.evaluation.datasets import load
from multihop.index.embedders import open_embedder
from multihop.strategies import AUTO, AUTO_FAST, BM25, HYBRID_RRF
from multihop.text import STOPWORDS, words

ITEMS = 300
WORDS = 6
STRATEGIES = (BM25, HYBRID_RRF, AUTO_FAST, AUTO)


class Asked(NamedTuple):
    """A question and the documents or passages that it should find."""

    text: str
    gold: frozenset[str]


def known_items(engine: Engine, names: Mapping[str, str]) -> list[Asked]:
    """Draw passages, and for each the rarest of its words, in the order of its text."""
    index = engine.index()
    assert index.terms is not None
    draw = random.Random(11)
    passages = sorted(index.passages.scan(), key=lambda passage: passage.id)
    found = []
    for passage in draw.sample(passages, min(ITEMS, len(passages))):
        own = [w for w in dict.fromkeys(words(passage.text)) if len(w) > 3 and w.isalpha() and w not in STOPWORDS]
        counts = dict(zip(own, index.terms.frequencies(own), strict=True))
        # Words of a few passages: one alone would give the passage away, and one of every passage says nothing.
        rare = set(sorted((w for w in own if counts[w] > 3), key=lambda w: (counts[w], w))[: 2 * WORDS])
        chosen = set(draw.sample(sorted(rare), min(WORDS, len(rare))))
        text = " ".join([names.get(passage.document_id, ""), *(w for w in own if w in chosen)]).strip()
        if text:
            found.append(Asked(text, frozenset([passage.id])))
    return found


def measured(engine: Engine, asked: Sequence[Asked], by_passage: bool) -> Iterable[str]:
    for strategy in STRATEGIES:
        recall = []
        for question in asked:
            evidence = engine.retrieve(question.text, k=21, strategy=strategy)
            got = [e.passage.id if by_passage else e.passage.document_id for e in evidence][:5]
            recall.append(len(question.gold.intersection(got)) / len(question.gold))
        yield f"{np.mean(recall):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hotpotqa/ and climate/")
    arguments = parser.parse_args()
    hotpotqa = load("hotpotqa", arguments.data, split="dev")
    bare = [Document(document.id, document.text) for document in hotpotqa.documents()]
    rows = [json.loads(line) for line in (arguments.data / "climate" / "ndc_docs.jsonl").open(encoding="utf-8")]
    contributions = [Document(f"ndc-{place}", row["text"]) for place, row in enumerate(rows)]
    countries = {f"ndc-{place}": row["country"] for place, row in enumerate(rows)}
    print(f"| recall@5 | questions | {' | '.join(f'`{s.name}`' for s in STRATEGIES)} |")
    print("|---|---|" + "---|" * len(STRATEGIES))
    with tempfile.TemporaryDirectory() as folder:
        for label, documents in (("HotpotQA without titles", bare), ("NDC documents", contributions)):
            with Engine.open(Path(folder) / label, create=True, embedder=open_embedder("wordllama")) as engine:
                engine.add(documents)
                if documents is bare:
                    asked = [Asked(q.text, frozenset(q.gold)) for q in hotpotqa.questions]
                    print(f"| {label} | {len(asked)} | {' | '.join(measured(engine, asked, False))} |", flush=True)
                items = known_items(engine, countries)
                cells = " | ".join(measured(engine, items, True))
                print(f"| known items, {label} | {len(items)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
