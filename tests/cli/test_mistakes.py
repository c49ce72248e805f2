"""Sixty things that people get wrong: each is answered with one line that helps, and nothing is lost."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.testing import sample_documents

from .command import run

MISTAKES: list[tuple[str, str]] = [
    # commands and options
    ("indx docs --to x.mh", "did you mean 'index'"),
    ("relate", "missing option '--index'"),
    ("ask Fram", "missing option '--index'"),
    ("stats --index {i} --index {i}", "this command takes one index, got 2"),
    ("ask Fram --index {i} --index {i}", "two indexes have the name"),
    ("ask Fram --index {i} --index copy={i}", "are the same index"),
    ("ask Fram --index {i} --stategy auto", "'--strategy'"),
    ("ask Fram --index {i} -k", "requires an argument"),
    ("ask Fram --index {i} -k many", "not a valid integer"),
    ("ask Fram --index {i} -k 0", "1"),
    ("ask Fram --index {i} -k 100000", "1000"),
    ("ask Fram --index {i} --strategy autoo", "did you mean 'auto'"),
    ("ask Fram --index {i} --strategy gap --prompts p.json", "--lm"),
    ("ask Fram --index {i} --lm-calls 3", "need --lm"),
    ("ask Fram --index {i} --strategy graph --max-hops 9", "1"),
    ("ask Fram --index {i} --profile climat", "climate"),
    # questions
    ("ask '' --index {i}", "question"),
    ("ask '   ' --index {i}", "question"),
    # the index
    ("ask Fram --index nowhere.mh", "there is no index at 'nowhere.mh'. Make one with"),
    ("ask Fram --index {d}", "without an index in it"),
    ("ask Fram --index {d}/a.md", "is a file; an index is a folder"),
    ("ask Fram --index postgres://", "postgresql"),
    ("stats --index ''", "index"),
    ("verify --index nowhere.mh", "there is no index"),
    # filters
    ("ask Fram --index {i} --where country", "is not a condition; write"),
    ("ask Fram --index {i} --where contry=Norway", "did you mean 'country'"),
    ("ask Fram --index {i} --where country=", "empty value"),
    ("ask Fram --index {i} --where year=two", "holds numbers"),
    ("ask Fram --index {i} --where country=7", "holds texts"),
    ("ask Fram --index {i} --where 'year>=1,2'", "more than one value"),
    ("ask Fram --index {i} --where 'year>=*'", "a star is allowed after"),
    ("ask Fram --index {i} --where 'country=\"Norway'", "open quote"),
    ("ask Fram --index {i} --keep kid=person", "did you mean 'kind'"),
    ("delete --index {i} --where country=norway", "did you mean 'Norway'"),
    # deleting, showing, exporting
    ("delete --index {i}", "give the ids of documents, --where"),
    ("delete fram-ship --where country=Norway --index {i}", "only one of them"),
    ("delete fram-shp --index {i}", "did you mean 'fram-ship'"),
    ("show fram-shp --index {i}", "did you mean 'fram-ship'"),
    ("show fram-ship#99 --index {i}", "there is no passage or document"),
    ("export --index {i} --out {d}/a.md", "exists; choose another file"),
    ("export --index {i} --json", "--out"),
    ("list --index {i} --values kid", "kind"),
    # indexing
    ("index --to x.mh", "missing argument 'SOURCE...'"),
    ("index nowhere/ --to x.mh", "no such file or folder: nowhere"),
    ("index {d}/picture.png --to x.mh", "files of type '.png' cannot be read"),
    ("index {d}/a.md --to x.mh --format wrd", "unknown format 'wrd'"),
    ("index {d}/a.md --to x.mh --metadata country", "write FIELD=VALUE"),
    ("index {d}/a.md --to x.mh --metadata-from-path country", "write each field in braces"),
    ("index {d}/a.md --to x.mh --encoding klingon", "unknown encoding 'klingon'"),
    ("index {d}/empty --to x.mh", "nothing was indexed: the sources contain no documents"),
    ("index {d}/bad.csv --to x.mh", "nothing was indexed"),
    ("index {d} --to {d}/x.mh", "is inside"),
    ("index {d}/a.md --to {d}/b.txt", "is a file"),
    ("index {d}/a.md --to {d}", "without an index in it"),
    ("index {d}/a.md --to x.mh --embedder wordlama", "wordllama"),
    ("index http://127.0.0.1/ --to x.mh", "private network"),
    ("sync {d} --to nowhere.mh --dry-run", "there is no index"),
    ("sync {d} --to x.mh --watch --json", "cannot be combined"),
    ("sync https://example.org/a --to x.mh", "is a URL, not a folder; multihop index fetches"),
    ("demo --to {i2}", "documents"),
    # the rest
    ("profile check climat", "did you mean 'climate'"),
    ("profile nw mine.toml", "did you mean 'new'"),
    ("eval hotpot", "hotpot"),
    ("eval {d}", "a dataset of your own is corpus.jsonl, queries.jsonl and qrels/dev.tsv"),
    ("serve", "give --index, or --demo"),
    ("serve --index {i} --host 0.0.0.0", "--token-file"),
    ("serve --index {i} --folder nowhere", "does not exist"),
    ("serve --index {i} --index {i2} --folder {d}", "several indexes are served"),
    ("serve --index {i} --index {i2} --folder docs={d}", "--folder INDEX:NAME=FOLDER, with letters"),
    ("serve --index {i} --folder indx:docs={d}", "did you mean 'index'"),
    ("copy {i} {i}", "index"),
    ("completion tcsh", "bash"),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("mistakes")
    docs = root / "docs"
    (docs / "empty").mkdir(parents=True)
    (docs / "a.md").write_text("# A\n\nWords.")
    (docs / "b.txt").write_text("Words.")
    (docs / "picture.png").write_bytes(b"")
    (docs / "bad.csv").write_text("name\nFram\n")
    for name in ("index.mh", "own.mh"):
        with Engine.open(root / name, create=True) as engine:
            engine.add(sample_documents() if name == "index.mh" else [Document("mine", "Words of my own.")])
    return {"i": root / "index.mh", "i2": root / "own.mh", "d": docs}


def test_there_are_sixty() -> None:
    assert len({command for command, _ in MISTAKES}) == len(MISTAKES) >= 60


@pytest.mark.parametrize(("command", "said"), MISTAKES)
def test_a_mistake_gets_one_helpful_line(
    places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine.open(places["i"]) as engine:
        before = engine.stats()
    arguments = [each.format(**places) for each in shlex.split(command)]
    done = run(*arguments)
    assert done.exit_code in (1, 2), done.output
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    assert said in lines[0], lines[0]
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []
    with Engine.open(places["i"]) as engine:
        assert (engine.stats().documents, engine.store.generation) == (before.documents, before.generation)
