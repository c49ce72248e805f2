"""Every command takes the address of a server where it takes a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import failure, process, run, run_json


def test_from_indexing_to_deleting(address: str, corpus: Path, tmp_path: Path) -> None:
    added = run_json("index", corpus, "--store", address)
    assert (added["documents"], added["skipped"], added["index"]) == (2, 2, address)
    [found] = run_json("ask", "Which letter is the first?", "--store", address, "-k", "1")["evidence"]
    assert found["passage"]["id"] == "alpha#0"
    assert run_json("show", "beta", "--store", address)["passages"][0]["links_out"][0]["id"] == "alpha"
    stats = run_json("stats", "--index", address)
    assert (stats["documents"], stats["fields"]) == (2, {"file.modified": 1, "file.path": 1, "year": 2})
    assert "not distributed" in stats["nodes"][0]
    assert "one server, PostgreSQL" in run("stats", "--index", address).stdout
    assert run_json("verify", "--store", address)["ok"]
    copied = run_json("copy", address, tmp_path / "copy.mh")
    assert (copied["copied"], copied["contents"]["documents"]) == (2, 2)
    assert "2 unchanged" in run("copy", tmp_path / "copy.mh", address).stdout
    assert run_json("delete", "beta", "--index", address)["deleted"] == 1
    assert run_json("stats", "--store", address)["documents"] == 1


def test_no_index_is_left_where_nothing_was_indexed(address: str, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n")
    assert run("index", tmp_path / "bad.jsonl", "--store", address).exit_code == 1
    assert "there is no index" in failure("stats", "--store", address)
    run("index", corpus, "--store", address)
    assert run("index", tmp_path / "bad.jsonl", "--store", address).exit_code == 1
    assert run_json("stats", "--store", address)["documents"] == 2


def _beir(tmp_path: Path) -> Path:
    """Two documents and a question about both."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "Alpha", "text": "The first letter."}\n'
        '{"_id": "b", "title": "Beta", "text": "It follows Alpha."}\n'
    )
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "What follows Alpha?"}\n')
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t1\n")
    return folder


def test_questions_are_measured_on_a_server(address: str, tmp_path: Path) -> None:
    folder = _beir(tmp_path)
    assert run("index", folder / "corpus.jsonl", "--to", address).exit_code == 0
    done = run(
        "eval", folder, "--store", address, "--strategies", "auto,bm25", "-k", "2", "--out", tmp_path / "run",
        "--format", "csv", "--workers", "2",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "beir,dev,2,auto,all-gold@2,1.0" in done.stdout


@pytest.mark.parametrize("command", ["stats", "verify"])
def test_a_server_that_is_not_there_is_one_line_without_the_password(command: str) -> None:
    line = failure(command, "--store", "postgresql://me:hunter22@/db?host=/nowhere")
    assert "cannot be reached" in line
    assert "hunter22" not in line


def test_nothing_is_logged_beside_the_line() -> None:
    done = process("stats", "--store", "postgresql://me:hunter22@/db?host=/nowhere")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "hunter22" not in done.stderr + done.stdout


def test_copying_to_itself_and_distributing_a_folder_are_refused(index: Path, corpus: Path) -> None:
    assert "cannot be copied to itself" in failure("copy", index, index)
    assert "only an index on a server" in failure("index", corpus, "--to", index, "--distribute")


def test_no_command_shows_a_password(address: str, corpus: Path, tmp_path: Path) -> None:
    secret = address.replace("postgres@", "postgres:hunter22@")
    other = secret.replace("index=", "index=copy_of_")
    commands: list[tuple[str | Path, ...]] = [
        ("index", corpus, "--to", secret),
        ("graph", "alpha", "--index", secret),
        ("relate", "--index", secret),
        ("ask", "What is alpha?", "--index", secret, "--explain"),
        ("show", "alpha", "--index", secret),
        ("show", "alpa", "--index", secret),
        ("stats", "--index", secret),
        ("verify", "--index", secret),
        ("survey", "--profile", "climate", "--index", secret),
        ("eval", _beir(tmp_path), "--store", secret, "--strategies", "bm25", "-k", "2", "--out", tmp_path / "run"),
        ("copy", secret, tmp_path / "copy.mh"),
        ("copy", secret, other),
        ("delete", "beta", "--index", secret),
        ("delete", "none", "--index", secret),
    ]
    for command in commands:
        for given in (command, (*command, "--json")):
            done = run(*given)
            assert "hunter22" not in done.output, given
            assert done.exit_code == 0 or done.stderr.startswith(("error: ", "warning: ")), given
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(written) > 5
    assert not [file for file in written if b"hunter22" in file.read_bytes()]
