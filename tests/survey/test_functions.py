from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from multihop import Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.survey import embed_prompt, evaluate_chunks, retrieve_chunks, retrieve_chunks_with_hop, run_script
from multihop.types import Passage

CHUNKS = [
    {"id": "fish", "content": "Fish live in water."},
    {"id": "target", "content": "Japan commits to reduce greenhouse gas emissions by 46% by 2030."},
]


def test_a_prompt_becomes_two_vectors(engine: Engine) -> None:
    transformer, word2vec = embed_prompt("emission targets", engine=engine)
    assert transformer is not None and transformer.shape == (32,)
    assert word2vec is None
    engine.train_word2vec()
    _, word2vec = embed_prompt("emission targets", engine=engine)
    assert word2vec is not None and word2vec.shape == (300,)


def test_given_chunks_are_scored_all_of_them(engine: Engine) -> None:
    engine.train_word2vec()
    prompt = "What are the emission reduction targets?"
    scored = evaluate_chunks(CHUNKS, prompt, embed_prompt(prompt, engine=engine), engine=engine)
    assert [c["id"] for c in scored] == ["target", "fish"]
    assert scored[0]["combined_score"] > 0.4 > 0.2 > scored[1]["combined_score"]
    assert scored == evaluate_chunks(CHUNKS, prompt, engine=engine)
    assert evaluate_chunks([], prompt, engine=engine) == []
    passage = Passage("p", "d", 0, "", "Emissions fall.")
    assert evaluate_chunks([passage], prompt, engine=engine)[0]["id"] == "p"


def test_chunks_of_an_index_score_as_its_passages_do(engine: Engine) -> None:
    prompt = "emission targets"
    passages = list(engine.store.view().scan())
    given = {c["id"]: c for c in evaluate_chunks(passages, prompt, engine=engine)}
    for found in retrieve_chunks(None, prompt, engine=engine, min_similarity=0.0):
        same = given[found["id"]]
        assert {k: v for k, v in found.items() if "score" in k or "similarity" in k} == pytest.approx(
            {k: v for k, v in same.items() if "score" in k or "similarity" in k}, abs=1e-3
        )


def test_retrieval_of_one_country(engine: Engine) -> None:
    embeddings = embed_prompt("What are emission reduction targets?", engine=engine)
    chunks = retrieve_chunks(
        embedded_prompts=embeddings, prompt="emission targets", top_k=10, country="Japan", min_similarity=0.3,
        engine=engine,
    )  # fmt: skip
    assert chunks[0]["id"] == "jpn#0"
    assert all(c["document"] == "jpn" and c["combined_score"] >= 0.3 for c in chunks)
    with pytest.raises(UnknownName, match="did you mean 'Brazil'"):
        retrieve_chunks(embeddings, "x", country="Brazl", engine=engine)
    with pytest.raises(InvalidInput, match="from 0 to 1, got 2"):
        retrieve_chunks(embeddings, "x", min_similarity=2, engine=engine)


def test_retrieval_by_hops(engine: Engine) -> None:
    chunks = retrieve_chunks_with_hop("emission targets", 5, "Japan", engine=engine, strategy="auto")
    assert {c["document"] for c in chunks} == {"jpn"}
    plain = {c["id"]: c for c in retrieve_chunks(None, "emission targets", 5, "Japan", 0.0, engine=engine)}
    assert all(c["combined_score"] == plain[c["id"]]["combined_score"] for c in chunks)


def test_the_whole_script(engine: Engine, tmp_path: Path) -> None:
    [japan] = run_script(question_number=1, country="Japan", engine=engine, out=tmp_path)
    assert japan["metadata"]["country"] == "Japan"
    assert list(japan["questions"]) == ["question_1"]
    assert (tmp_path / "japan.json").exists()
    assert len(run_script(engine=engine)) == 3


@pytest.mark.parametrize(
    "chunk", [{"id": "x"}, {"content": 3}, {"content": "  "}, "text"], ids=["none", "number", "blank", "text"]
)
def test_a_chunk_without_content_is_refused(engine: Engine, chunk: object) -> None:
    with pytest.raises(InvalidInput, match="chunk 0 has no content"):
        evaluate_chunks([chunk], "x", engine=engine)  # type: ignore[list-item]  # what is wrong is the point


def test_two_chunks_of_one_id_are_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="the same id"):
        evaluate_chunks([CHUNKS[0], CHUNKS[0]], "x", engine=engine)


def test_the_functions_are_public() -> None:
    for name in ("embed_prompt", "evaluate_chunks", "retrieve_chunks", "retrieve_chunks_with_hop", "run_script"):
        assert callable(getattr(multihop, name))
        assert name in multihop.__all__


def test_a_prompt_needs_no_index() -> None:
    transformer, word2vec = embed_prompt("emission targets")
    assert transformer is not None and float(transformer @ transformer) == pytest.approx(1.0, abs=1e-3)
    assert word2vec is None


def test_a_folder_or_an_index_will_do_and_need_no_labels(tmp_path: Path) -> None:
    folder = tmp_path / "ndc"
    folder.mkdir()
    (folder / "japan.txt").write_text("Japan will reduce emissions by 46% by 2030 compared to 2013 levels.", "utf-8")
    (folder / "peru.txt").write_text("Peru will reduce emissions by 30% by 2030.", "utf-8")
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.sync(folder)
    for source in (folder, str(tmp_path / "ndc.mh")):
        [japan] = run_script(question_number=1, country="Japan", engine=source)
        assert japan["questions"]["question_1"]["value"] == "46% below 2013 by 2030"
        assert len(retrieve_chunks(None, "emission targets", country="Peru", engine=source)) == 1
        assert retrieve_chunks_with_hop("emission targets", country="Peru", engine=source)
        assert embed_prompt("emission targets", engine=source) == (None, None)
        assert evaluate_chunks(CHUNKS, "emission targets", engine=source)[0]["id"] == "target"
