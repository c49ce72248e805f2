"""Memory of agents: append-only, with validity and namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.tools.memory import Memory, Said

MAY, JUNE = datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "memory.mh", create=True) as engine:
        yield engine


def recalled(memory: Memory, question: str, as_of: date | None = None) -> list[str]:
    return [e.passage.text for e in memory.recall(question, k=5, strategy="bm25", as_of=as_of)]


def test_what_is_remembered_is_recalled_in_its_namespace_only(engine: Engine) -> None:
    ann, bob = Memory(engine, "ann"), Memory(engine, "bob")
    id = ann.remember("Caroline lives in Lisbon.", time=MAY, metadata={"topic": "home"})
    bob.remember("Caroline lives in Porto.", time=MAY)
    assert recalled(ann, "Where does Caroline live?") == ["Caroline lives in Lisbon."]
    assert recalled(bob, "Where does Caroline live?") == ["Caroline lives in Porto."]
    assert ann.recall("Caroline", where={"topic": "home"}).evidence
    with pytest.raises(UnknownName, match="not found in the namespace 'bob'"):
        bob.forget(id)


def test_an_update_ends_the_old_memory_and_keeps_it(engine: Engine) -> None:
    memory = Memory(engine, "ann")
    old = memory.remember("Caroline lives in Lisbon.", time=MAY)
    new = memory.update(old, "Caroline lives in Oslo.", time=JUNE)
    assert recalled(memory, "Where does Caroline live?") == ["Caroline lives in Oslo."]
    assert recalled(memory, "Where does Caroline live?", date(2023, 5, 20)) == ["Caroline lives in Lisbon."]
    ended = engine.document(old)
    assert ended is not None
    assert (ended.text, ended.metadata["valid_until"]) == ("Caroline lives in Lisbon.", "2023-05-31")
    current = engine.document(new)
    assert current is not None
    assert (current.metadata["supersedes"], current.metadata["valid_from"]) == (old, "2023-06-01")
    with pytest.raises(UnknownName, match="was already replaced or forgotten"):
        memory.update(old, "again")


def test_what_is_forgotten_is_recalled_as_of_an_earlier_day_only(engine: Engine) -> None:
    memory = Memory(engine, "ann")
    id = memory.remember("Melanie likes pottery.", time=MAY)
    memory.forget(id)
    assert recalled(memory, "pottery") == []
    assert recalled(memory, "pottery", date(2023, 6, 1)) == ["Melanie likes pottery."]


def test_memories_that_ended_and_few_memories_are_not_remarked_on(engine: Engine) -> None:
    memory = Memory(engine, "ann")
    old = memory.remember("Caroline lives in Lisbon.", time=MAY)
    memory.forget(memory.update(old, "Caroline lives in Oslo.", time=JUNE))
    memory.remember("Caroline keeps bees.", time=JUNE)
    found = memory.recall("What does Caroline keep?", k=5, strategy="bm25")
    assert [e.passage.text for e in found] == ["Caroline keeps bees."]
    assert found.trace.notes == ()


def test_a_conversation_is_remembered_turn_by_turn(engine: Engine) -> None:
    memory = Memory(engine, "chat/1")
    ids = memory.remember_turns(
        [Said("Jon", "I lost my job as a banker.", MAY), Said("Gina", "I lost mine, too.", MAY)]
    )
    assert len(set(ids)) == 2
    first = engine.document(ids[0])
    assert first is not None
    assert (first.text, first.title) == ("Jon: I lost my job as a banker.", "Jon, 8 May 2023")
    assert first.metadata["time"] == "2023-05-08T13:56:00+00:00"
    found = memory.recall("Who was a banker?", k=1, strategy="bm25", where={"speaker": "Jon"})
    assert found.evidence[0].passage.document_id == ids[0]


@pytest.mark.parametrize("namespace", ["", " ", "a#b", "x" * 201])
def test_namespaces_are_checked(engine: Engine, namespace: str) -> None:
    with pytest.raises(InvalidInput, match="a namespace is a name"):
        Memory(engine, namespace)


def test_nothing_is_said_where_nothing_is_remembered(engine: Engine) -> None:
    with pytest.raises(UnknownName, match="nothing is remembered"):
        Memory(engine, "ann").recall("anything")
    Memory(engine, "bob").remember("Caroline lives in Porto.")
    with pytest.raises(UnknownName, match=r"^nothing is remembered for 'ann' yet$"):
        Memory(engine, "ann").recall("anything")
    with pytest.raises(InvalidInput, match="nothing to remember"):
        Memory(engine, "ann").remember(" ")
