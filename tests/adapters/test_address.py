"""Adapters over an index on a server: the same evidence, and no password written down anywhere."""

from __future__ import annotations

import pytest
from haystack import Pipeline
from haystack.utils import Secret

from multihop import Engine
from multihop.adapters.haystack import MultihopRetriever as HaystackRetriever
from multihop.adapters.langchain import MultihopRetriever as LangChainRetriever
from multihop.adapters.llamaindex import MultihopRetriever as LlamaIndexRetriever
from multihop.adapters.source import Source
from multihop.errors import InvalidInput
from multihop.testing import sample_documents

from .conftest import EXPECTED, QUESTION

WITH_PASSWORD = "postgresql://reader:hunter22@db.example/news?index=news"


@pytest.fixture
def served(address: str) -> str:
    with Engine.open(address, create=True) as engine:
        engine.add(sample_documents())
    return address


def test_every_adapter_asks_an_index_on_a_server(served: str) -> None:
    source = Source(served)
    assert [e.passage.id for e in source.ask(QUESTION, k=3)] == EXPECTED
    source.close()
    haystack = HaystackRetriever(served, k=3)
    assert [d.id for d in haystack.run(QUESTION)["documents"]] == EXPECTED
    haystack.close()
    langchain = LangChainRetriever(index=served, k=3)
    assert [d.id for d in langchain.invoke(QUESTION)] == EXPECTED
    langchain.close()
    llama = LlamaIndexRetriever(served, k=3)
    assert [n.node.node_id for n in llama.retrieve(QUESTION)] == EXPECTED
    llama.close()


def test_a_pipeline_with_a_secret_runs_when_it_is_read_again(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWS_INDEX", served)
    made = Pipeline()
    made.add_component("retriever", HaystackRetriever(Secret.from_env_var("NEWS_INDEX"), k=3))
    written = made.dumps()
    assert "postgresql" not in written
    assert "NEWS_INDEX" in written
    read = Pipeline.loads(written, allowed_modules=["multihop"])
    assert [d.id for d in read.run({"retriever": {"query": QUESTION}})["retriever"]["documents"]] == EXPECTED
    for pipeline in (made, read):
        retriever = pipeline.get_component("retriever")
        assert isinstance(retriever, HaystackRetriever)
        retriever.close()


def test_an_address_is_written_down_without_a_password_only() -> None:
    plain = "postgresql://reader@db.example/news?index=news"
    assert HaystackRetriever(plain).to_dict()["init_parameters"]["index"] == plain
    for secret in (WITH_PASSWORD, "postgresql://db.example/news?user=reader&password=hunter22"):
        with pytest.raises(InvalidInput, match="contains a password and is not saved") as caught:
            HaystackRetriever(secret).to_dict()
        assert "hunter22" not in str(caught.value)
    with pytest.raises(ValueError, match="token-based secret"):
        HaystackRetriever(Secret.from_token(WITH_PASSWORD)).to_dict()
    with pytest.raises(InvalidInput, match="the secret must be the URL"):
        HaystackRetriever(Secret.from_env_var("NOT_SET_ANYWHERE", strict=False))


def test_no_adapter_shows_a_password() -> None:
    for retriever in (
        HaystackRetriever(WITH_PASSWORD), LangChainRetriever(index=WITH_PASSWORD), LlamaIndexRetriever(WITH_PASSWORD)
    ):  # fmt: skip
        assert "hunter22" not in repr(retriever)


def test_an_address_of_another_kind_is_refused_without_its_password() -> None:
    with pytest.raises(InvalidInput, match=r"give a folder or a URL \(postgresql://") as caught:
        Source("postgressql://reader:hunter22@db.example/news").engine()
    assert "hunter22" not in str(caught.value)
