from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from multihop.cli.progress import progress_bar
from multihop.engine import Engine
from multihop.errors import install_command
from multihop.index.readers import READERS

from .command import environment, failure, run, run_json


def test_broken_records_are_named_and_skipped(corpus: Path, tmp_path: Path) -> None:
    done = run("index", corpus, "--to", tmp_path / "x.mh")
    assert done.exit_code == 0
    assert done.stdout == f"2 documents (2 passages) added to {tmp_path / 'x.mh'}, 2 records skipped\n"
    first, second = done.stderr.splitlines()
    assert first.startswith(f"skipped {corpus}:2: is not valid JSON")
    assert second.startswith(f"skipped {corpus}:4: there is no text")


def test_json_says_what_was_skipped(corpus: Path, tmp_path: Path) -> None:
    said = run_json("index", corpus, "--to", tmp_path / "x.mh")
    assert (said["documents"], said["replaced"], said["passages"], said["skipped"]) == (2, 0, 2, 2)
    assert said["problems"][0].startswith(f"{corpus}:2: ")


def test_known_documents_are_replaced(corpus: Path, tmp_path: Path) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh")
    done = run("index", corpus, "--to", tmp_path / "x.mh")
    assert (done.stdout, done.exit_code) == (
        f"0 documents (0 passages) added to {tmp_path / 'x.mh'}, 1 file unchanged, 1 record skipped\n",
        0,
    )
    corpus.write_text(corpus.read_text().replace('text": "', 'text": "Once more: '))
    done = run("index", corpus, "--to", tmp_path / "x.mh")
    assert "2 documents (2 passages) added" in done.stdout
    assert ", 2 of them replacing existing ones" in done.stdout
    assert run_json("stats", "--index", tmp_path / "x.mh")["documents"] == 2


def test_whole_keeps_a_long_document_one_passage(tmp_path: Path) -> None:
    long = tmp_path / "long.txt"
    long.write_text("A sentence of some words. " * 400, encoding="utf-8")
    assert run_json("index", long, "--to", tmp_path / "cut.mh")["passages"] > 1
    assert run_json("index", long, "--to", tmp_path / "whole.mh", "--whole")["passages"] == 1


def test_strict_stops_at_the_first_broken_record(corpus: Path, tmp_path: Path) -> None:
    assert failure("index", corpus, "--to", tmp_path / "x.mh", "--strict").startswith(f"{corpus}:2: is not valid JSON")
    assert not (tmp_path / "x.mh").exists()


def test_a_document_is_read_once(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Fram is a ship.", encoding="utf-8")
    script = (
        "import sys\nfrom multihop.cli import main\nopened = []\n"
        "sys.addaudithook(lambda event, said: opened.append(str(said[0])) if event == 'open' else None)\n"
        "try:\n    main()\nfinally:\n    print(opened.count(sys.argv[2]), file=sys.stderr)\n"
    )
    arguments = [sys.executable, "-c", script, "index", str(note), "--to", str(tmp_path / "x.mh")]
    done = subprocess.run(arguments, env=environment(), capture_output=True, encoding="utf-8", check=True)
    # Once for its digest, by which the next sync knows it, and once for its text.
    assert done.stderr.splitlines()[-1] == "2", done.stderr


def test_equal_reasons_are_told_once_for_each_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.csv").write_text("id,text\n" + "1,too,many\n" * 30)
    (folder / "b.jsonl").write_text('{"id": 1}\n' * 3 + '{"id": 1, "text": "Fine."}\n')
    for number in range(4):
        (folder / f"{number}.png").write_bytes(b"")
    done = run("index", folder, "--to", tmp_path / "x.mh")
    assert done.exit_code == 0
    said = [line.replace(str(folder), "F") for line in done.stderr.splitlines()]
    assert [line.partition(";")[0] for line in said] == [
        "skipped F/a.csv:2: the row has 3 cells, the header 2",
        "skipped F/b.jsonl:1: there is no text",
        "skipped 29 records more for the same reason as F/a.csv:2",
        "skipped 2 records more for the same reason as F/b.jsonl:1",
        "skipped 4 files without a known format: 4 .png",
    ]
    assert done.stdout.endswith(", 4 files and 33 records skipped\n")
    assert len(run_json("index", folder, "--to", tmp_path / "y.mh")["problems"]) == 37
    again = run_json("index", folder, "--to", tmp_path / "y.mh")["problems"]
    assert [line.rpartition("/")[2] for line in again][4:] == [
        "a.csv: the row has 3 cells, the header 2 (and 29 more)",
        "b.jsonl: there is no text; one of the fields text, contents, body, content, page_content is needed"
        " (and 2 more)",
    ]


def test_files_are_called_files_and_records_records(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "fine.txt").write_text("A text.")
    (folder / "wrong.txt").write_bytes(b"One line.\nAnother with \xff.")
    (folder / "picture.png").write_bytes(b"")
    into = tmp_path / "x.mh"
    assert run("index", folder, "--to", into).stdout.endswith(", 2 files skipped\n")
    (folder / "a.jsonl").write_text('{"id": 1}\n{"id": 2, "text": "Fine."}\n')
    assert run("index", folder, "--to", into).stdout.endswith(", 2 files unchanged, 2 files and 1 record skipped\n")
    # Of a file that is not read again only the reason is known, not the line.
    assert run("index", folder, "--to", into).stdout.endswith(", 3 files unchanged, 2 files and 1 record skipped\n")
    (folder / "b.csv.gz").write_bytes(b"not compressed")
    assert run("index", folder, "--to", into).stdout.endswith(", 3 files and 1 record skipped\n")


def test_what_came_from_stdin_is_a_record(tmp_path: Path) -> None:
    done = run("index", "-", "--to", tmp_path / "x.mh", stdin='{"id": 1}\n{"id": 2, "text": "Fine."}\n')
    assert done.stdout.endswith(", 1 record skipped\n")
    done = run("index", "-", "--to", tmp_path / "y.mh", stdin="{")
    assert done.stderr.endswith("error: nothing was indexed: 1 record skipped\n")


def test_after_twenty_reasons_the_rest_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(25):
        (folder / f"{number}.jsonl").write_text("{\n")
    done = run("index", folder, "--to", tmp_path / "x.mh")
    lines = done.stderr.splitlines()
    assert len(lines) == 22
    assert lines[-2:] == [
        "skipped 5 records more for other reasons; --json lists every one",
        "error: nothing was indexed: 25 records skipped",
    ]


def test_it_fails_and_makes_no_index_where_nothing_was_indexed(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n" * 25)
    (tmp_path / "empty.jsonl").write_text("")
    target = tmp_path / "x.mh"
    done = run("index", tmp_path / "bad.jsonl", "--to", target, "--json")
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert (said["documents"], said["skipped"], len(said["problems"])) == (0, 25, 25)
    nothing = failure("index", tmp_path / "empty.jsonl", "--to", target)
    assert nothing == "nothing was indexed: the sources contain no documents"
    assert not target.exists()


def test_an_index_that_is_there_stays_as_it_is_where_nothing_was_indexed(corpus: Path, tmp_path: Path) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh")
    (tmp_path / "bad.jsonl").write_text("{\n")
    done = run("index", tmp_path / "bad.jsonl", "--to", tmp_path / "x.mh", "--json")
    assert (done.exit_code, json.loads(done.stdout)["generation"]) == (1, 1)
    assert run_json("stats", "--index", tmp_path / "x.mh")["documents"] == 2


def test_a_missing_extra_costs_one_file_not_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(b"%PDF-1.4")
    (folder / "b.md").write_text("# B\n\nA note.")
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "pypdf.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path / "without")
    done = run("index", folder, "--to", tmp_path / "x.mh")
    assert done.exit_code == 0
    assert "a.pdf: Reading PDF files needs an optional dependency. Install it with: pip install" in done.stderr
    assert run_json("stats", "--index", tmp_path / "x.mh")["documents"] == 1


def test_a_readme_in_each_of_two_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(f"The folder {name}.")
    target = tmp_path / "x.mh"
    done = run("index", tmp_path / "a", tmp_path / "b", "--to", target)
    assert done.stdout == f"2 documents (2 passages) added to {target}\n"
    assert "b: the ids of its files begin with 'b/'" in done.stderr
    (tmp_path / "b" / "README.md").write_text("Changed.")
    said = run_json("index", tmp_path / "b" / "README.md", "--to", target)
    assert (said["documents"], said["replaced"], said["notes"]) == (1, 1, [])
    with Engine.open(target) as engine:
        assert list(engine.store.document_ids()) == ["README.md", "b/README.md"]
        changed = engine.document("b/README.md")
        assert changed is not None
        assert changed.text == "Changed."


def test_equal_ids_in_two_files_of_one_call(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"id,text\n7,From {name}.\n")
    said = run_json("index", tmp_path / "a.csv", tmp_path / "b.csv", "--to", tmp_path / "x.mh")
    assert (said["documents"], said["replaced"], said["skipped"]) == (1, 0, 1)
    assert said["problems"][0].startswith(
        f"{tmp_path / 'b.csv'}:2: the id '7' is that of a document of the file 'a.csv'"
    )


def test_stdin_does_not_become_a_source_of_the_index(tmp_path: Path) -> None:
    run("index", "-", "--to", tmp_path / "x.mh", stdin='{"text": "One."}')
    said = run_json("index", "-", "--to", tmp_path / "x.mh", stdin='{"text": "Two."}')
    assert said["notes"] == []
    with Engine.open(tmp_path / "x.mh") as engine:
        assert engine.store.get_blob("sources") is None


def test_a_long_problem_stays_on_one_line(tmp_path: Path) -> None:
    corpus = tmp_path / f"{'long' * 40}.jsonl"
    corpus.write_text('{\n{"text": "Fine."}')
    assert len(run("index", corpus, "--to", tmp_path / "x.mh").stderr.splitlines()) == 1


def test_stdin_is_json_lines(tmp_path: Path) -> None:
    lines = '{"id": "ä", "text": "Über alles."}\n{"text": "Nameless."}\nnonsense\n'
    done = run("index", "-", "--to", tmp_path / "x.mh", stdin=lines.encode())
    assert done.stderr.startswith("skipped stdin:3: is not valid JSON")
    with Engine.open(tmp_path / "x.mh") as engine:
        assert list(engine.store.document_ids()) == ["stdin:2", "ä"]


def test_stdin_in_another_format(tmp_path: Path) -> None:
    run("index", "-", "--format", "csv", "--to", tmp_path / "x.mh", stdin="id,text\na,Some words.\n")
    assert run_json("show", "a", "--index", tmp_path / "x.mh")["passages"][0]["text"] == "Some words."


def test_several_sources_of_several_kinds(corpus: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.md").write_text("# One\n\nA note.")
    (notes / "two.txt").write_text("Another note.")
    said = run_json("index", corpus, notes, "--to", tmp_path / "x.mh")
    assert said["documents"] == 4


def test_nothing_is_made_when_a_source_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("x")
    (tmp_path / "a.jsonl").write_text("")
    target = tmp_path / "x.mh"
    assert "no such file or folder" in failure("index", tmp_path / "nowhere.jsonl", "--to", target)
    assert "files of type '.xyz' cannot be read" in failure("index", tmp_path / "a.xyz", "--to", target)
    unknown = failure("index", tmp_path / "a.jsonl", "--format", "jsnl", "--to", target)
    assert unknown == "unknown format 'jsnl'; did you mean 'jsonl'?"
    assert not target.exists()


def test_an_index_is_not_read_into_itself(tmp_path: Path) -> None:
    assert "is inside" in failure("index", tmp_path, "--to", tmp_path / "x.mh")


def test_a_foreign_folder_is_left_alone(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "file").write_text("x")
    assert "folder without an index" in failure("index", corpus, "--to", tmp_path / "home")


def test_the_recorded_embedder_is_used_again(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.mh"
    run("index", corpus, "--to", target, "--embedder", "wordllama:64")
    run("index", "-", "--to", target, stdin='{"id": "delta", "text": "Delta."}')
    found = run_json("stats", "--index", target)
    assert (found["embedder"], found["vectors"]) == ("wordllama:l2_supercat:64", 3)
    assert "holds vectors of" in failure("index", corpus, "--to", target, "--embedder", "wordllama:128")


def test_without_its_embedder_nothing_is_added(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.mh"
    run("index", corpus, "--to", target, "--embedder", "wordllama:64")
    monkeypatch.setitem(sys.modules, "wordllama", None)
    assert install_command("wordllama") in failure("index", corpus, "--to", target)
    assert run_json("stats", "--index", target)["generation"] == 1


def test_the_encoder_of_the_package(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.mh"
    assert "name two embedders" in failure("index", corpus, "--to", target, "--encoder", "--embedder", "wordllama")
    assert not target.exists()
    run("index", corpus, "--to", target, "--encoder")
    found = run_json("stats", "--index", target)
    assert (found["embedder"], found["vectors"]) == ("encoder:1", found["passages"])


def test_an_unknown_embedder(corpus: Path, tmp_path: Path) -> None:
    said = failure("index", corpus, "--to", tmp_path / "x.mh", "--embedder", "wordlama")
    assert "did you mean 'wordllama'?" in said
    assert not (tmp_path / "x.mh").exists()


def test_no_bar_where_nobody_watches(corpus: Path, tmp_path: Path) -> None:
    done = run("index", corpus, "--to", tmp_path / "x.mh", "--strict")
    assert "\x1b" not in done.output
    assert "━" not in done.output


def test_the_bar_follows_the_stages() -> None:
    for stages, last in (([("linking", 250, 1000)], "250/1000"), ([("linking", 9, 9), ("reading", 20, None)], "20/?")):
        screen = io.StringIO()
        with progress_bar(Console(file=screen, force_terminal=True, width=100, _environ={}), wanted=True) as report:
            assert report is not None
            report("reading", 1000, None)
            for stage, done, total in stages:
                report(stage, done, total)
        # The last thing drawn; what came before may have been too quick to be drawn at all.
        assert last in screen.getvalue()


@pytest.mark.parametrize(("terminal", "wanted"), [(True, False), (False, True)])
def test_the_bar_is_off(terminal: bool, wanted: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, _environ={})
    with progress_bar(console, wanted=wanted) as report:
        assert report is None


def test_help_names_every_format() -> None:
    listed = (
        " ".join(run("index", "--help").stdout.split()).partition("Files may be ")[2].partition(", and compressed")[0]
    )
    assert set(listed.replace(" or ", ", ").split(", ")) == set(READERS.built_in) - {"beir"}


def test_metadata_for_every_document(corpus: Path, tmp_path: Path) -> None:
    given = ("--metadata", "country = Chile", "--metadata", "year=1", "--metadata", "tag=a", "--metadata", "tag=b=c")
    run("index", corpus, "--to", tmp_path / "x.mh", *given)
    with Engine.open(tmp_path / "x.mh") as engine:
        alpha = engine.document("alpha")
    assert alpha is not None
    ours = {field: value for field, value in alpha.metadata.items() if not field.startswith("file.")}
    assert ours == {"country": "Chile", "year": 1990, "tag": ("a", "b=c")}
    for wrong in ("country", "=Chile", "country="):
        said = failure("index", corpus, "--to", tmp_path / "y.mh", "--metadata", wrong, status=2)
        assert f"{wrong!r} is not metadata; write FIELD=VALUE" in said


def test_an_index_that_is_refused_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "a.md"
    note.parent.mkdir()
    note.write_text("# Fram\n\nThe Fram is a ship.\n", encoding="utf-8")
    for to in (note.parent, note.parent / "x.mh"):
        failure("index", note.parent, "--to", to)
        assert list(note.parent.iterdir()) == [note]


def test_options_of_earlier_calls_are_kept_until_they_are_reset(tmp_path: Path) -> None:
    folder, index = tmp_path / "notes", tmp_path / "x.mh"
    folder.mkdir()
    (folder / "a.txt").write_text("A note.")
    run("index", folder, "--to", index, "--metadata", "country=Chile", "--whole")
    run("index", folder, "--to", index, "--metadata-from-path", "{name}")
    kept = {"metadata": {"country": "Chile"}, "metadata_from_path": "{name}", "whole": True}
    assert run_json("stats", "--index", index)["sources"][0]["options"] == kept
    assert run_json("index", folder, "--to", index, "--reset-options", "--metadata", "kind=note")["changed"] == 1
    assert run_json("stats", "--index", index)["sources"][0]["options"] == {"metadata": {"kind": "note"}}
    [document] = run_json("list", "--index", index)["documents"]
    assert {"country", "name"}.isdisjoint(document["metadata"])


def test_files_without_a_known_format_are_counted_by_suffix(tmp_path: Path) -> None:
    folder, index = tmp_path / "notes", tmp_path / "x.mh"
    folder.mkdir()
    for name in ("a.txt", "b.PNG", "c.png", "d.mp4", "Makefile"):
        (folder / name).write_text("Words.")
    done = run("index", folder, "--to", index)
    assert done.stderr == "skipped 4 files without a known format: 2 .png, 1 without a suffix, 1 .mp4\n"
    assert done.stdout.endswith(", 4 files skipped\n")
    said = run_json("index", folder, "--to", index)
    assert said["skipped_types"] == {".png": 2, ".mp4": 1, "": 1}
    assert len(said["problems"]) == 4
    strict = failure("index", folder, "--to", tmp_path / "y.mh", "--strict")
    assert strict.startswith(f"{folder / 'Makefile'}: the name has no suffix")


def test_of_many_suffixes_the_most_frequent_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(15):
        (folder / f"a.x{number}").write_text("")
    (folder / "b.x9").write_text("")
    done = run("index", folder, "--to", tmp_path / "x.mh")
    line = done.stderr.splitlines()[0]
    assert line.startswith("skipped 16 files without a known format: 2 .x9, 1 .x0, ")
    assert line.endswith(", …")
