"""LightRAG in its mode "mix": vectors of passages, of entities and of relations, joined through a knowledge graph.

    python benchmarks/peers/lightrag/graph_lightrag.py --data datasets --dataset 2wiki -k 5 --out runs/peers/lightrag

LightRAG has a language model write its graph, passage by passage. Here the graph is given to it by `insert_custom_kg`,
its own way in for graphs made elsewhere: every title is an entity, every name that spaCy finds in a passage is another,
and the sentence that names it is their relation. The keywords of a question, which a model would choose too, are its
names and the question itself.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

import numpy as np
import spacy
from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer, normalize_entity_name
from peers.entities import spacy_model
from peers.measuring import EMBEDDER, Search, main, passage_text

from multihop.types import Document as Passage

_NO_NAMES = ("CARDINAL", "ORDINAL", "QUANTITY", "PERCENT")
Row = dict[str, str]


class Characters:
    """A tokenizer that needs no download: LightRAG only counts with it, and every limit is set out of reach."""

    def encode(self, content: str) -> list[int]:
        return [ord(letter) for letter in content]

    def decode(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


async def _embed(texts: list[str], **_how: object) -> np.ndarray[Any, Any]:
    return EMBEDDER.embed(texts)


async def _no_model(*_asked: object, **_how: object) -> str:
    raise RuntimeError("LightRAG asked for a language model, which there is not")


def build(passages: Sequence[Passage]) -> Search:
    logging.disable(logging.WARNING)
    names = spacy.load(spacy_model())
    loop = asyncio.new_event_loop()
    rag = LightRAG(
        working_dir=tempfile.mkdtemp(), llm_model_func=_no_model, tokenizer=Tokenizer("characters", Characters()),
        embedding_func=EmbeddingFunc(embedding_dim=EMBEDDER.dimension, func=_embed), embedding_batch_num=256,
        cosine_better_than_threshold=0.0,
    )  # fmt: skip
    texts = [passage_text(passage) for passage in passages]
    ids = {text: passage.id for text, passage in zip(texts, passages, strict=True)}
    loop.run_until_complete(rag.initialize_storages())
    loop.run_until_complete(rag.ainsert_custom_kg(_graph(names, passages, texts)))

    def search(question: str, k: int) -> list[str]:
        low = [e.text for e in names(question).ents if e.label_ not in _NO_NAMES] or [question]
        how = QueryParam(
            mode="mix", ll_keywords=low, hl_keywords=[question], chunk_top_k=k, enable_rerank=False,
            max_entity_tokens=10**9, max_relation_tokens=10**9, max_total_tokens=10**9,
        )  # fmt: skip
        found = loop.run_until_complete(rag.aquery_data(question, how))
        return list(dict.fromkeys(ids[chunk["content"]] for chunk in found["data"]["chunks"]))[:k]

    return search


def _graph(names: spacy.Language, passages: Sequence[Passage], texts: Sequence[str]) -> dict[str, list[Row]]:
    entities: dict[str, Row] = {}
    relations: list[Row] = []
    for passage, document in zip(passages, names.pipe(texts, batch_size=64), strict=True):
        title = normalize_entity_name(passage.title)
        for name, sentence in _named(document):
            if name and title and name.casefold() != title.casefold():
                entities.setdefault(name, _entity(name, sentence, passage))
                relations.append(
                    {"src_id": title, "tgt_id": name, "description": sentence, "keywords": sentence,
                     "source_id": passage.id}
                )  # fmt: skip
    # A title is described by its own passage, whoever names it first.
    titles = {title: p for p in passages if (title := normalize_entity_name(p.title))}
    entities |= {title: _entity(title, p.text, p) for title, p in titles.items()}
    chunks = [{"content": text, "source_id": p.id} for text, p in zip(texts, passages, strict=True)]
    return {"chunks": chunks, "entities": list(entities.values()), "relationships": relations}


def _entity(name: str, description: str, passage: Passage) -> Row:
    return {"entity_name": name, "entity_type": "name", "description": description, "source_id": passage.id}


def _named(document: spacy.tokens.Doc) -> Iterator[tuple[str, str]]:
    for entity in document.ents:
        if entity.label_ not in _NO_NAMES and entity.text.strip():
            yield normalize_entity_name(entity.text), entity.sent.text


if __name__ == "__main__":
    main("LightRAG mix", build, ["lightrag-hku", "nano-vectordb", "spacy"])
