"""What goes wrong with a server is said in one line, and nothing is half written."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import (
    EmbedderMismatch,
    FormatError,
    IndexLocked,
    IndexNotFound,
    IndexReadOnly,
    InvalidInput,
    StoreError,
    install_command,
)
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores.postgres import connections, schema, store
from multihop.index.stores.postgres.statements import Statement
from multihop.index.stores.postgres.store import PostgresStore
from multihop.protocols import Lookup
from multihop.testing.contracts import HashEmbedder

from ....patience import ENOUGH
from .relay import Relay
from .server import Server

pytestmark = pytest.mark.release  # connections are cut, and waited for

SECRET = "correct-horse-battery"
LETTERS = [Document(f"d{i}", f"Letter number {i} speaks of Rome.", f"Letter {i}") for i in range(50)]


@pytest.fixture
def secured(postgres: Server) -> Iterator[str]:
    """The address of a database that asks for a password, with the password in it."""
    postgres.run(f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'")
    postgres.run("CREATE DATABASE guarded OWNER guarded")
    postgres.run("CREATE EXTENSION vector", "guarded")
    rules = postgres.folder / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local guarded guarded scram-sha-256\n{before}")
    postgres.reload()
    yield f"postgresql://guarded:{SECRET}@/guarded?host={postgres.folder}"
    rules.write_text(before)
    postgres.reload()
    postgres.run("DROP DATABASE guarded WITH (FORCE)")
    postgres.run("DROP ROLE guarded")


def test_a_password_opens_and_a_wrong_one_is_never_echoed(secured: str) -> None:
    with Engine.open(secured, create=True) as engine:
        engine.add(LETTERS)
        assert SECRET not in repr(engine.store.address)  # type: ignore[attr-defined]  # that of this store
    wrong = secured.replace(SECRET, "pass-word-that-is-wrong")
    with pytest.raises(
        StoreError, match=r"refuses this user or password: password authentication failed for user"
    ) as refused:
        Engine.open(wrong)
    assert "pass-word-that-is-wrong" not in str(refused.value)
    with pytest.raises(IndexNotFound, match=r"no index 'other'.*did you mean|no index 'other'.*known: main") as unknown:
        Engine.open(f"{secured}&index=other")
    assert SECRET not in str(unknown.value)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://nobody:s3cr3t@/db?host=/nowhere", "cannot be reached"),
        ("postgresql://nobody:s3cr3t@/db?hostt=/nowhere", "not an address that PostgreSQL understands.*hostt"),
        ("postgresql://nobody:s3cr3t@host:port/db", "the port in .* is not a number"),
        ("postgresql://nobody:an@s3cr3t@/db?host=/nowhere", "contains an @; write it as %40"),
        ("postgresql://nobody:s3cr3t/s3cr3t@host/db", "the port in .* is not a number; characters such as /"),
        ("postgresql://nobody@/db?passwrd=s3cr3t", "understands.*passwrd"),
        ("postgresql://nobody@/db?host=/nowhere&sslmode=s", "understands.*sslmode"),
        ("postgresql:/nobody:s3cr3t@host/db", r"give a folder or a URL \(postgresql://, postgres://"),
        ("host=localhost user=nobody password=s3cr3t", r"give a folder or a URL \(postgresql://, postgres://"),
        ("postgresql://nobody:s3cr3t@/db?index=Not-a-name", "invalid index name 'Not-a-name'"),
        ("postgresql://nobody:s3cr3t@/db?pool=1", "pool=1 must be a whole number"),
        ("postgresql://nobody@/db?host=/nowhere&password=s3cr3t", "cannot be reached"),
    ],
)
def test_a_wrong_address(address: str, message: str) -> None:
    with pytest.raises((StoreError, InvalidInput), match=message) as refused:
        Engine.open(address)
    assert "s3cr3t" not in str(refused.value)


def test_a_database_that_is_not_there(postgres: Server) -> None:
    with pytest.raises(StoreError, match=r"database not found .* does not exist; create it with: createdb"):
        Engine.open(postgres.address(database="nowhere"))


def test_an_index_that_is_not_there_is_not_made_by_looking(postgres: Server, address: str) -> None:
    with pytest.raises(IndexNotFound, match="there is no index 'test"):
        Engine.open(address)
    assert postgres.run(f"SELECT 1 FROM pg_namespace WHERE nspname = 'multihop_{address.rpartition('=')[2]}'") == []


def test_a_missing_extension(postgres: Server) -> None:
    postgres.run("CREATE DATABASE bare")
    postgres.run("CREATE ROLE plain LOGIN")
    try:
        # An extension that this role may not create is as good as none.
        with pytest.raises(StoreError, match=r"does not have the pgvector extension.*CREATE EXTENSION vector"):
            Engine.open(postgres.address(database="bare").replace("postgres@", "plain@"), create=True)
        assert postgres.run("SELECT 1 FROM pg_namespace WHERE nspname = 'multihop_main'", "bare") == []
    finally:
        postgres.run("DROP DATABASE bare WITH (FORCE)")
        postgres.run("DROP ROLE plain")


def test_tables_of_another_version(postgres: Server, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"multihop_{address.rpartition('=')[2]}"
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
    now, later = schema.VERSION, schema.VERSION + 1
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (id text PRIMARY KEY)"))
    monkeypatch.setattr(schema, "VERSION", later)
    with pytest.raises(
        FormatError, match=rf"tables of version {now}; this version .* uses version {later}: let its owner open it"
    ):
        Engine.open(address)
    with Engine.open(address, create=True) as engine:
        assert engine.stats().documents == 50
    assert postgres.run(f"SELECT max(version) FROM {name}.migration") == [(later,)]
    monkeypatch.undo()
    with pytest.raises(FormatError, match=rf"version {later}; .* uses version {now}: upgrade multihop"):
        Engine.open(address)


def test_a_migration_that_fails_leaves_the_tables_as_they_were(
    postgres: Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Engine.open(address, create=True).close()
    broken = "CREATE TABLE later (id text PRIMARY KEY); SELECT nonsense"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(StoreError, match="nonsense"):
        Engine.open(address, create=True)
    monkeypatch.undo()
    Engine.open(address).close()


def test_the_driver_is_imported_only_when_it_is_wanted() -> None:
    code = (
        "import sys, multihop; assert 'psycopg' not in sys.modules; sys.modules['psycopg'] = None\n"
        "try: multihop.Engine.open('postgresql://nobody@/db')\n"
        "except multihop.MultihopError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert install_command("postgres") in done.stdout


def test_one_writer_at_a_time(address: str) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> Iterator[Document]:
        yield LETTERS[0]
        begun.set()
        go_on.wait(ENOUGH)
        yield LETTERS[1]

    with Engine.open(address, create=True) as first, Engine.open(address) as second:
        writer = threading.Thread(target=lambda: first.add(slowly()))
        writer.start()
        begun.wait(ENOUGH)
        with pytest.raises(IndexLocked, match="is being written by the connection"):
            second.add(LETTERS[2])
        assert second.stats().documents == 0
        patient = Engine.open(address, wait=30)
        threading.Timer(0.2, go_on.set).start()
        patient.add(LETTERS[2])
        writer.join()
        assert patient.stats().documents == 3
        patient.close()


def test_a_server_that_restarts_in_the_middle_of_a_load(postgres: Server, address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS[:10])

        def interrupted() -> Iterator[Document]:
            yield from LETTERS[10:30]
            postgres.restart()
            yield from LETTERS[30:]

        with pytest.raises(StoreError, match=r"the connection to .* was lost: .*; what was not finished is undone"):
            engine.add(interrupted())
        assert engine.stats().documents == 10
        assert engine.add(LETTERS).documents == 50
        assert engine.stats().documents == 50
        assert all(check.ok for check in engine.check())


@pytest.mark.parametrize("committed", [True, False], ids=["after", "before"])
def test_a_connection_that_is_lost_over_a_commit(
    postgres: Server, address: str, tmp_path: Path, committed: bool
) -> None:
    """The server is asked what became of the change, and the user is told that."""
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS[:10])
    with (
        Relay(tmp_path, postgres.folder / ".s.PGSQL.5432") as relay,
        Engine.open(address.replace(f"host={postgres.folder}", f"host={tmp_path}")) as engine,
    ):
        relay.cut(b"COMMIT", forwarded=committed)
        if committed:
            assert engine.add(LETTERS[10:]).documents == 40
        else:
            with pytest.raises(StoreError, match=r"lost while a change was being committed; the server has undone it"):
                engine.add(LETTERS[10:])
        assert relay.cuts == 1
        assert engine.stats().documents == (50 if committed else 10)
        assert engine.add(LETTERS).documents == 50
        assert all(check.ok for check in engine.check())


def test_a_commit_whose_server_stays_away(
    postgres: Server, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_ASK_AGAIN", 0.1)
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS[:10])
    with (
        Relay(tmp_path, postgres.folder / ".s.PGSQL.5432") as relay,
        Engine.open(address.replace(f"host={postgres.folder}", f"host={tmp_path}")) as engine,
    ):
        relay.cut(b"COMMIT", forwarded=True, again=True)
        with pytest.raises(StoreError, match=r"cannot be asked whether it was; .*generation 2 means that"):
            engine.add(LETTERS[10:])
    with Engine.open(address) as engine:
        assert engine.stats().generation == 2


def test_postings_that_are_not_all_there_are_not_cached(postgres: Server, address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
        name = f"multihop_{address.rpartition('=')[2]}"
        postgres.run(f"CREATE TABLE {name}.aside AS SELECT * FROM {name}.posting")
        postgres.run(f"DELETE FROM {name}.posting WHERE term = 'rome'")
        with pytest.raises(StoreError, match=r"0 postings of the term 'rome' where it counts 50; run: multihop verify"):
            engine.store.view().lexical([Lookup("Rome", 50)])
        postgres.run(f"INSERT INTO {name}.posting SELECT * FROM {name}.aside WHERE term = 'rome'")
        assert len(engine.store.view().lexical([Lookup("Rome", 50)])[0]) == 50


def test_a_question_survives_a_restart_once(postgres: Server, address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
        view = engine.store.view()
        before = view.lexical([Lookup("letter number 7", 5)])
        postgres.restart()
        assert view.lexical([Lookup("letter number 7", 5), Lookup("Rome", 5)])[0] == before[0]
        assert [e.passage.id for e in engine.retrieve("Which letter is number 7?", k=1)] == ["d7#0"]


@pytest.mark.parametrize(
    "limit", ["idle_in_transaction_session_timeout", "transaction_timeout", "idle_session_timeout"]
)
def test_a_question_survives_a_server_that_ends_idle_connections(address: str, limit: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
    with Engine.open(f"{address}&options=-c%20{limit}%3D1s") as engine:
        view = engine.store.view()
        before = view.lexical([Lookup("letter number 7", 5)])
        time.sleep(1.5)
        assert view.lexical([Lookup("Rome", 5), Lookup("letter number 7", 5)])[1] == before[0]
        del view
        time.sleep(1.5)
        assert engine.store.view().size == 50


def test_a_question_without_a_server_says_so(postgres: Server, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
        view = engine.store.view()
        postgres.stop()
        try:
            with pytest.raises(StoreError, match="cannot be reached"):
                view.links_from(["d1#0"])
            with pytest.raises(StoreError, match="cannot be reached"):
                engine.retrieve("Which letter?", k=1)
        finally:
            postgres.start()
        assert engine.retrieve("Which letter is number 7?", k=1).evidence


def test_a_question_is_not_continued_on_another_generation(postgres: Server, address: str) -> None:
    with Engine.open(address, create=True) as engine, Engine.open(address) as other:
        engine.add(LETTERS[:10])
        view = engine.store.view()
        other.add(LETTERS[10:])
        postgres.restart()
        with pytest.raises(StoreError, match="the index has changed since; ask again"):
            view.lexical([Lookup("letter number 7", 5)])


def test_views_share_connections_before_they_run_out(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    with Engine.open(f"{address}&pool=2", create=True) as engine:
        engine.add(LETTERS[:10])
        views = [engine.store.view() for _ in range(6)]
        assert {view.size for view in views} == {10}
        assert all(view.lexical([Lookup("letter number 7", 1)])[0][0][0] == "d7#0" for view in views)
        with pytest.raises(StoreError, match=r"all 2 connections to .* are in use.*pool=N"):
            engine.add(LETTERS)
        del views
        assert engine.add(LETTERS).documents == 50


def test_views_share_connections_where_the_server_has_none_left(postgres: Server, address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS[:10])
    name = f"multihop_{address.rpartition('=')[2]}"
    postgres.run("CREATE ROLE few LOGIN CONNECTION LIMIT 2")
    try:
        postgres.run(f"GRANT USAGE ON SCHEMA {name} TO few")
        postgres.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO few")
        with Engine.open(address.replace("postgres@", "few@")) as engine:
            views = [engine.store.view() for _ in range(5)]
            assert all(view.lexical([Lookup("letter number 7", 1)])[0][0][0] == "d7#0" for view in views)
            with pytest.raises(StoreError, match=r"has no free connections: too many connections for role"):
                Engine.open(address.replace("postgres@", "few@"))
    finally:
        postgres.run(f"DROP SCHEMA {name} CASCADE")
        postgres.run("DROP ROLE few")


def test_views_that_only_garbage_holds_do_not_use_connections_up(address: str) -> None:
    class Holder:
        """Something that refers to itself, so that only the collector frees it."""

        def __init__(self, held: object) -> None:
            self.held, self.itself = held, self

    with Engine.open(f"{address}&pool=2", create=True) as engine:
        engine.add(LETTERS[:10])
        gc.disable()
        try:
            for _ in range(6):
                Holder(engine.store.view())
            assert engine.add(LETTERS).documents == 50
        finally:
            gc.enable()


def test_a_statement_that_takes_too_long(address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
        timed = f"{address}&options=-c%20statement_timeout%3D50ms"
        with Engine.open(timed) as hurried:
            view = hurried.store.view()
            with pytest.raises(StoreError, match=r"stopped a statement that took too long.*statement_timeout"):
                view._rows.snapshot.rows("SELECT pg_sleep(5)")  # type: ignore[attr-defined]  # nothing of ours is that slow
            assert view.lexical([Lookup("letter number 7", 1)])[0][0][0] == "d7#0"


def test_another_embedder_is_refused(address: str) -> None:
    with Engine.open(address, create=True, embedder=HashEmbedder(32)) as engine:
        engine.add(LETTERS[:3])
    with pytest.raises(EmbedderMismatch, match="holds vectors of 'hash:32', not of 'hash:16'"):
        Engine.open(address, embedder=HashEmbedder(16))
    with (
        Engine.open(address, vectors=False) as without,
        pytest.raises(EmbedderMismatch, match="open it with that embedder"),
    ):
        without.add(LETTERS)


def test_a_failed_change_keeps_no_lock(address: str) -> None:
    failed = PostgresStore(address, MentionLinker(), create=True)

    def failing() -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        failed.add(failing())  # type: ignore[arg-type]  # it gives nothing at all
    with Engine.open(address) as engine:
        assert engine.add(LETTERS).documents == 50
    failed.close()


def test_a_server_that_can_only_be_read(address: str) -> None:
    with Engine.open(address, create=True) as engine:
        engine.add(LETTERS)
    with Engine.open(f"{address}&options=-c%20default_transaction_read_only%3Don") as engine:
        assert engine.retrieve("Which letter is number 7?", k=1).evidence[0].passage.id == "d7#0"
        assert engine.stats().documents == 50
        with pytest.raises(IndexReadOnly, match=r"is read-only, nothing was changed: .*; write to the primary"):
            engine.add(LETTERS[0])


def test_a_role_without_privileges(postgres: Server, address: str) -> None:
    Engine.open(address, create=True).close()
    postgres.run("CREATE ROLE stranger LOGIN")
    try:
        with pytest.raises(IndexReadOnly, match=r"permission denied for schema .*; its owner can grant it"):
            Engine.open(address.replace("postgres@", "stranger@"))
    finally:
        postgres.run("DROP ROLE stranger")


def test_what_stood_behind_a_statement_that_failed_can_be_asked_again(address: str) -> None:
    """The driver takes for prepared what it sent behind the failing one, and no server has it."""
    wanted = Statement("SELECT value FROM meta WHERE key = %s", ("passages",))
    with Engine.open(f"{address}&pool=2", create=True) as engine:
        engine.add(LETTERS[:3])
        for _ in range(8):
            snapshot = engine.store._snapshot()  # type: ignore[attr-defined]
            for _ in range(2):  # it is prepared at the third use
                assert snapshot.rows(*wanted) == [("3",)]
            with pytest.raises(StoreError, match="division by zero"):
                snapshot.many([Statement("SELECT 1 / 0"), wanted])
            del snapshot
