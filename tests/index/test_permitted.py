"""What somebody may see: exactly what an index gives that never held anything else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from multihop import Engine
from multihop.errors import IndexReadOnly, InvalidFilter, InvalidInput
from multihop.index.readers.split import divide
from multihop.testing.contracts import HashEmbedder
from multihop.types import Document, Rights, Where, plain

from ..reliability.soak import rounds
from .stores.postgres.server import Server

NAMES = ("Oslo", "Oslo Fjord", "Fjord", "Fjord Line Oslo", "Kittiwake", "Kittiwake Line", "Holm", "Pia Holm", "Line")
WORDS = ("ship", "leads", "harbor", "built", "north", "crew", "sails", "winter")
GROUPS = ("hr", "law", "board")
USERS = ("pia", "jon")
STRATEGIES = ("auto", "bm25", "graph", "dense", "replace", "hybrid", "aspects")
Factory = Callable[[], Engine]


@pytest.fixture
def folders(tmp_path: Path) -> Factory:
    numbers = count()
    return lambda: Engine.open(tmp_path / f"{next(numbers)}.mh", create=True, embedder=HashEmbedder())


@pytest.fixture
def servers(postgres: Server) -> Iterator[Factory]:
    numbers = count()
    yield lambda: Engine.open(postgres.address(f"permitted{next(numbers)}"), create=True, embedder=HashEmbedder())
    postgres.run(
        "DO $$ DECLARE s text; BEGIN FOR s IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'multihop_permitted%'"
        " LOOP EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$"
    )


def corpus(chance: random.Random) -> list[Document]:
    """Documents whose names lie in each other, with texts that mention them, some of them for a few only."""

    def text() -> str:
        return (
            " ".join(chance.choice(NAMES) if chance.random() < 0.3 else chance.choice(WORDS) for _ in range(12)) + "."
        )

    def about() -> dict[str, Any]:
        found: dict[str, Any] = {"kind": chance.choice("xyz")}
        if chance.random() < 0.5:
            names = (*(f"group:{group}" for group in GROUPS), *USERS, "*")
            found["allow"] = tuple(chance.sample(names, chance.randint(1, 2)))
            found["only"] = "inside"
        return found

    return [Document(f"d{n}", text(), chance.choice(NAMES), about()) for n in range(chance.randint(3, 14))]


def permits(rights: Rights, document: Document) -> bool:
    allow: Any = document.metadata.get("allow")
    kind = rights.where.get("kind")
    names = {rights.user, "*", *(f"group:{group}" for group in rights.groups)}
    return (allow is None or bool(names.intersection(allow))) and kind in (None, document.metadata["kind"])


def everything(engine: Engine, question: str, strategy: str, models: bool = False) -> list[Any]:
    """All that an asker can learn from an engine, as bytes and plain values."""
    found = engine.retrieve(question, strategy=strategy, k=5, models=models)
    seen: list[Any] = [found.to_json(timing=False), engine.answer(question, k=5, models=models).to_dict(timing=False)]
    seen += [plain(d) for d in engine.documents()]
    seen += [engine.values(field) for field in ("kind", "allow", "only")]
    index = engine.index()
    ids = [p.id for p in sorted(index.passages.scan(), key=lambda p: p.id)]
    if index.names and index.links and index.terms and index.lexical:
        seen += [index.names.find_names([question]), index.links.links_from(ids), index.terms.frequencies(WORDS)]
        seen += [index.links.links_to([id.partition("#")[0] for id in ids], 9)]
    for where in ({"onyl": "inside"}, {"only": "inside"}, {"kind": "w"}):
        seen.append(_outcome(engine, question, where))
    stats = engine.stats()
    return [*seen, stats.documents, stats.passages, stats.names, stats.mentions, dict(stats.fields)]


def _outcome(engine: Engine, question: str, where: Where) -> str:
    try:
        return engine.retrieve(question, where=where, models=False).to_json(timing=False)
    except InvalidFilter as error:
        return str(error)


def compare(factory: Factory, seed: int) -> None:
    chance = random.Random(seed)
    documents = corpus(chance)
    with factory() as engine:
        engine.add(documents)
        for _ in range(3):
            rights = Rights(
                chance.choice(("", *USERS)),
                tuple(chance.sample(GROUPS, chance.randint(0, 2))),
                {"kind": chance.choice("xyz")} if chance.random() < 0.3 else {},
            )
            visible = [document for document in documents if permits(rights, document)]
            question = f"Which {chance.choice(WORDS)} {chance.choice(NAMES)} {chance.choice(WORDS)}?"
            with factory() as alone:
                if visible:
                    alone.add(visible)
                strategy = chance.choice(STRATEGIES)
                # The models take time, so they read for some of the corpora only.
                models = seed % 8 == 0
                seen = everything(engine.restrict(rights), question, strategy, models)
                assert seen == everything(alone, question, strategy, models), (seed, rights, question, strategy)


def test_rights_give_what_an_index_gives_that_never_held_the_rest(folders: Factory) -> None:
    for seed in range(rounds(9, 400)):
        compare(folders, seed)


def test_on_a_server_too(servers: Factory) -> None:
    for seed in range(rounds(2, 100)):
        compare(servers, 1000 + seed)


def test_changes_arrive_and_what_was_taken_away_goes(folders: Factory) -> None:
    with folders() as engine:
        engine.add([
            Document("a", "Pia leads the crew.", "Crew", {"allow": "group:hr"}),
            Document("b", "The ship sails north.", "Ship"),
            Document("c", "The board meets in winter.", "Board", {"allow": ("group:board",)}),
        ])  # fmt: skip
        hr = Rights("jon", ("hr",))
        assert ids(engine.restrict(hr)) == ["a", "b"]
        generation = engine.restrict(hr).stats().generation
        engine.add(Document("d", "The board decides.", "Decision", {"allow": "group:board"}))
        # Nothing of it is to be noticed, not even that something changed.
        assert engine.restrict(hr).stats().generation == generation
        engine.add(Document("b", "The ship is sold.", "Ship", {"allow": "group:board"}))
        engine.add(Document("e", "Jon sails.", "Jon", {"allow": "group:hr"}))
        engine.add(Document("a", "Jon leads the crew.", "Crew", {"allow": "group:hr"}))
        assert ids(engine.restrict(hr)) == ["a", "e"]
        crew = engine.restrict(hr).document("a")
        assert crew is not None
        assert crew.text == "Jon leads the crew."
        engine.delete("e")
        assert ids(engine.restrict(hr)) == ["a"]
        assert ids(engine.restrict(Rights("hr"))) == ids(engine.restrict(Rights("group:hr"))) == []


def test_a_part_refuses_changes(folders: Factory) -> None:
    with folders() as engine:
        engine.add(Document("a", "The crew.", "Crew", {"allow": "jon"}))
        part = engine.restrict(Rights("pia"))
        for change in (lambda: part.add(Document("x", "y")), lambda: part.delete("a"), part.relate):
            with pytest.raises(IndexReadOnly, match="derived from others"):
                change()


def test_without_lists_everybody_sees_the_index_itself(folders: Factory) -> None:
    with folders() as engine:
        engine.add(Document("a", "The crew.", "Crew"))
        assert engine.restrict(Rights("pia")) is engine
        with closing(engine.restrict(Rights(where={"unknown": 1}))) as nothing:
            assert ids(nothing) == []


def test_nobody_is_called_by_an_empty_name(folders: Factory) -> None:
    with folders() as engine:
        engine.add(Document("a", "The crew.", "Crew", {"allow": ""}))
        assert ids(engine.restrict(Rights())) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"user": None}, "a user is a text, got NoneType"),
        ({"groups": "hr"}, r"groups are a list of names, not a text; write groups=\('hr',\)"),
        ({"groups": None}, "groups are a list of names, not None"),
        ({"groups": (1,)}, r"groups are a list of names, not \(1,\)"),
        ({"where": "x"}, "a filter is a mapping from field to condition, not 'x'"),
    ],
)
def test_rights_are_checked_when_they_are_made(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Rights(**wrong)


def test_a_name_alone_is_no_rights(folders: Factory) -> None:
    with folders() as engine, pytest.raises(InvalidInput, match=r"restrict takes rights, .*Rights\('jon'\), got str"):
        engine.restrict("jon")  # type: ignore[arg-type]  # what a caller without types may pass


def test_an_empty_list_of_readers_is_reported_and_permits_nobody(folders: Factory) -> None:
    with folders() as engine:
        engine.add([Document("a", "The crew.", "Crew"), Document("b", "The ship.", "Ship", {"allow": "pia"})])
        # As a version stored it that did not refuse it.
        engine.store.edit([divide(Document("c", "The board.", "Board", {"allow": ()}))])
        pia = Rights("pia")
        assert ids(engine.restrict(pia)) == ["a", "b"]
        assert ids(engine.restrict(Rights(where={"allow": {"exists": False}}))) == ["a"]
        [check] = [check for check in engine.check() if not check.ok]
        assert (check.name, check.repaired) == ("readers of documents", False)
        assert check.detail == "1 with an empty list 'allow'; add again with names, or without the list: c"
        engine.add(Document("c", "The board.", "Board", {"allow": ("pia",)}))
        assert ids(engine.restrict(pia)) == ["a", "b", "c"]
        assert all(check.ok for check in engine.check())


def test_only_some_of_many_empty_lists_are_named(folders: Factory) -> None:
    with folders() as engine:
        engine.store.edit(divide(Document(f"d{n}", "The board.", "Board", {"allow": ()})) for n in range(7))
        [check] = [check for check in engine.check() if not check.ok]
        assert check.detail.startswith("7 with an empty list 'allow'")
        assert check.detail.endswith(": d0, d1, d2, d3, d4, …")


def ids(engine: Engine) -> list[str]:
    return [document.id for document in engine.documents()]
