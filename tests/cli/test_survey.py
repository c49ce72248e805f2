from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from multihop.engine import Engine
from multihop.profiles.signals import word2vec
from multihop.types import Document

from .command import failure, run, run_json


@pytest.fixture
def ndc(tmp_path: Path) -> Path:
    path = tmp_path / "ndc.mh"
    with Engine.open(path, create=True) as engine:
        engine.add(
            [
                Document(
                    "jpn", "Japan will reduce emissions by 46% by 2030 from 2013 levels.", "Japan", {"country": "Japan"}
                ),
                Document("per", "Peru will reduce emissions by 30% by 2030.", "Peru", {"country": "Peru"}),
            ]
        )
    return path


def test_word_vectors_are_brought_up_to_date_when_much_is_new(ndc: Path) -> None:
    asked = ("survey", "--profile", "climate", "--index", ndc, "--question", "1", "--country", "Peru")

    def stamp() -> str:
        assert run(*asked).exit_code == 0
        with Engine.open(ndc) as engine:
            found = word2vec.stamp(engine.store.view())
        assert found is not None
        return found[1]

    def add(count: int) -> None:
        with Engine.open(ndc) as engine:
            more = [
                Document(f"x{count}-{n}", f"Forest number {n} grows.", metadata={"country": "Chile"})
                for n in range(count)
            ]
            engine.add(more)

    first = stamp()
    assert stamp() == first
    add(30)
    second = stamp()
    assert second != first
    add(2)
    assert stamp() == second


def test_a_survey_is_written_and_summed_up(ndc: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    log = tmp_path / "retrieve.log"
    done = run("survey", "--profile", "climate", "--index", ndc, "--out", out, "--log", log)
    assert done.exit_code == 0, done.stderr
    assert "16 answers" in done.stdout and "not found" in done.stdout
    assert "no embedder: the transformer signal is absent" in done.stdout
    assert {f.name for f in out.iterdir()} == {
        "japan.json", "japan.md", "japan.html", "peru.json", "peru.md", "peru.html",
        "survey.csv", "survey.xlsx", "passages.csv", "index.html", "overview.md",
    }  # fmt: skip
    assert "[4_RETRIEVE]" in log.read_text()
    with Engine.open(ndc) as engine:
        assert word2vec.stamp(engine.store.view()) is not None
    again = run("survey", "--profile", "climate", "--index", ndc, "--out", out)
    assert "16 answers, 16 of them from an earlier run" in again.stdout


def test_a_part_of_it_as_json(ndc: Path) -> None:
    said = run_json(
        "survey", "--profile", "climate", "--index", ndc, "--question", "1", "--country", "Peru", "--no-word2vec",
        "--hop", "--hop-strategy", "bm25",
    )  # fmt: skip
    assert [r["metadata"]["retrieval_method"] for r in said["results"]] == ["vector_similarity", "hop_retrieval"]
    assert said["results"][0]["questions"]["question_1"]["top_k_chunks"][0]["id"] == "per#0"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--profile", "climat"], "no profile 'climat': did you mean 'climate'"),
        (["--profile", "climate", "--country", "Preu"], "no document has the country 'Preu': did you mean 'Peru'"),
        (["--profile", "climate", "--country", ""], "the name of the country is empty; known: Japan, Peru"),
        (["--profile", "climate", "--question", "12"], "has no question 12; its questions are 1 to 8"),
        (["--profile", "climate", "--hop", "--hop-strategy", "aut"], "no strategy 'aut': did you mean 'auto'"),
    ],
)
def test_what_is_wrong_is_one_line(ndc: Path, tmp_path: Path, arguments: list[str], problem: str) -> None:
    said = failure("survey", *arguments, "--index", ndc, "--out", tmp_path / "out", "--no-word2vec")
    assert problem in said


def test_an_index_without_groups_is_one_line(corpus: Path, tmp_path: Path) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh")
    said = failure("survey", "--profile", "climate", "--index", tmp_path / "x.mh", "--no-word2vec")
    assert "no document has the metadata field 'country'" in said
    assert "known fields: file.modified, file.path, year" in said


def test_word_vectors_are_learned_with_the_index(corpus: Path, tmp_path: Path) -> None:
    done = run("index", corpus, "--to", tmp_path / "x.mh", "--word2vec")
    assert done.exit_code == 0, done.stderr
    assert "word2vec: " in done.stdout and "trained on 2 new passages" in done.stdout
    said = run_json("index", corpus, "--to", tmp_path / "x.mh", "--word2vec")
    assert said["word2vec"]["passages"] == 2


def test_a_question_with_a_profile(ndc: Path) -> None:
    said = run_json("ask", "What are the emission targets?", "--index", ndc, "--profile", "climate", "-k", "1")
    assert said["trace"]["strategy"]["name"] == "hybrid"
    assert "patterns" in said["evidence"][0]["scores"]
    assert "requires the strategy hybrid, not 'bm25'" in failure(
        "ask", "x", "--index", ndc, "--profile", "climate", "--strategy", "bm25"
    )


def test_profiles_are_listed_checked_and_begun(tmp_path: Path) -> None:
    assert "climate" in run("profile", "list").stdout
    assert run_json("profile", "list")[0]["name"] == "climate"
    said = run("profile", "check", "climate").stdout
    assert "documents are grouped by country" in said
    assert "8 questions" in said and "nothing wrong" in said
    assert run_json("profile", "check", "climate")["questions"][0]["number"] == 1
    own = tmp_path / "mine.toml"
    assert run("profile", "new", own).exit_code == 0
    assert "nothing wrong" in run("profile", "check", own).stdout
    assert "already exists" in failure("profile", "new", own)
    own.write_text(own.read_text().replace("threshold = 0.2 ", "threshold = 7 ", 1))
    assert "mine.toml: scoring.threshold: give a number from 0 to 1, not 7" in failure("profile", "check", own)
    assert "there is no command 'chek': did you mean 'check'" in failure("profile", "chek", status=2)


def test_a_profile_is_json_all_the_way() -> None:
    said = run_json("profile", "check", "climate")
    assert json.loads(json.dumps(said)) == said
    assert said["scoring"]["weights"] == {"transformer": 0.25, "word2vec": 0.2, "patterns": 0.3, "fuzzy": 0.25}


def test_a_survey_is_tuned_on_the_command_line(ndc: Path) -> None:
    def asked(*options: str) -> dict[str, Any]:
        said = run_json(
            "survey", "--profile", "climate", "--index", ndc, "--question", "1", "--country", "Peru", "--no-word2vec",
            *options,
        )  # fmt: skip
        found: dict[str, Any] = said
        return found

    [usual] = asked()["results"]
    [best] = usual["questions"]["question_1"]["top_k_chunks"]
    [none] = asked("--min-similarity", "0.99")["results"]
    assert none["questions"]["question_1"]["top_k_chunks"] == []
    [exact] = asked("--fuzzy-threshold", "1")["results"]
    assert exact["questions"]["question_1"]["top_k_chunks"][0]["fuzzy_score"] < best["fuzzy_score"]
    [weighed] = asked("--weights", "fuzzy=0")["results"]
    assert weighed["questions"]["question_1"]["top_k_chunks"][0]["combined_score"] == best["regex_score"]
    assert [r["metadata"]["retrieval_method"] for r in asked("--hop-only", "--max-hops", "1")["results"]] == [
        "hop_retrieval"
    ]


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--weights", "fuzy=1", "scoring.weights.fuzy: unknown key; did you mean 'fuzzy'"),
        ("--weights", "fuzzy", "'fuzzy' is not SIGNAL=NUMBER, as in patterns=0.5"),
        ("--max-hops", "4", "4 is not in the range 1<=x<=3"),
        ("--threshold", "2", "2.0 is not in the range 0.0<=x<=1.0"),
        ("--fuzzy-threshold", "2", "2.0 is not in the range 0.0<=x<=1.0"),
    ],
)
def test_what_cannot_be_tuned_so_is_one_line(ndc: Path, option: str, value: str, problem: str) -> None:
    done = run("survey", "--profile", "climate", "--index", ndc, "--no-word2vec", option, value)
    assert done.exit_code != 0
    assert problem in " ".join(done.stderr.split())


def test_a_profile_is_tried_on_an_index(ndc: Path, tmp_path: Path) -> None:
    said = run_json("profile", "check", "climate", "--index", ndc)
    assert said["trial"]["passages"] == 2
    target = said["trial"]["questions"][0]
    assert target["signals"]["patterns"]["passages"] == 2 and set(target["signals"]) == {"patterns", "fuzzy"}
    idle = [line for line in said["warnings"] if " patterns match no passage: " in line]
    assert len(idle) == 1 and "'amount of money'" in idle[0]
    mine = tmp_path / "mine.toml"
    mine.write_text(
        '[keywords.hazard]\nwords = ["flood"]\n[[questions]]\ntext = "Which hazards are there?"\ngroups = ["hazard"]\n'
    )
    plain = run("profile", "check", mine).stdout
    assert (
        "its topics have no phrases: its fuzzy signal is absent" in plain
        and "1 question, 0 patterns: 2 warnings" in plain
    )
    tried = run("profile", "check", mine, "--index", ndc).stdout
    assert "absent" in tried and "no passage reaches the threshold of 0.2" in tried


def test_from_a_folder_to_a_table_whatever_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "ndc"
    (folder / "2021").mkdir(parents=True)
    said = "We commit to reduce greenhouse gas emissions by {}% by 2030 compared to 1990 levels, as the plan says."
    (folder / "2021" / "japan NDC 2021-10-22.txt").write_text(said.format(46))
    (folder / "2021" / "Japan (copy) 2021-10-22.txt").write_text(said.format(40))
    (folder / "scan.txt").write_text(said.format(30))
    (folder / "x.txt").write_text("Of no country at all.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "metadata.csv").write_text("file,country,date,url\nscan.txt,peru,2020,https://example.org/peru.pdf\n")
    made = run("index", folder, "--to", tmp_path / "x.mh", "--profile", "climate")
    assert made.exit_code == 0
    problems = made.stderr.splitlines()
    assert sum("broken.pdf: is not a readable PDF file" in line for line in problems) == 1
    assert sum("x.txt: no country in its name, folder or front page" in line for line in problems) == 1
    assert sum("Japan of 2021-10-22 is also that of" in line for line in problems) == 1
    out = tmp_path / "out"
    done = run("survey", "--profile", "climate", "--index", tmp_path / "x.mh", "--out", out, "--question", "1",
               "--no-word2vec")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    rows = {row["country"]: row for row in csv.DictReader((out / "survey.csv").read_text("utf-8").splitlines())}
    assert set(rows) == {"Japan", "Peru"}
    assert (rows["Peru"]["value"], rows["Peru"]["url"]) == ("30% below 1990 by 2030", "https://example.org/peru.pdf")
    assert (rows["Japan"]["contradicts"], rows["Japan"]["date"]) == ("yes", "2021-10-22")
    assert {rows["Japan"]["value"], rows["Japan"]["other_values"].split(" (2021")[0]} == {
        "46% below 1990 by 2030", "40% below 1990 by 2030",
    }  # fmt: skip
    assert "in no group: 1 document without 'country'" in done.stdout
    other = rows["Japan"]["other_values"].replace("2021-10-22", "")[:22]
    assert f"or {other}" in done.stdout


def test_the_survey_goes_on_without_an_unknown_country_and_an_unknown_key(ndc: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'group = "country"\n[scoring]\ncolour = 3\n[[questions]]\ntext = "Which target?"\nsize = 2\n', "utf-8"
    )
    done = run("survey", "--profile", mine, "--index", ndc, "--country", "Japan", "--country", "Preu", "--no-word2vec")
    assert done.exit_code == 0, done.stderr
    assert "mine.toml: scoring.colour: unknown key; known: " in done.stderr
    assert "mine.toml: questions[0].size: unknown key; known: " in done.stderr
    assert all(line.endswith("; it is left out") for line in done.stderr.splitlines() if "unknown key" in line)
    assert "1 answer;" in done.stdout and "Japan" in done.stdout
    assert "no document has the country 'Preu': did you mean 'Peru'?" in done.stdout
    assert "questions[0].size: unknown key" in failure("profile", "check", mine)


def test_an_empty_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "ndc").mkdir()
    said = failure("index", tmp_path / "ndc", "--to", tmp_path / "x.mh", "--profile", "climate")
    assert "nothing was indexed: the sources contain no documents" in said


REPORT = "Auditor: Grant Thornton\n\n| EUR thousand | 2023 | 2022 |\n|---|---|---|\n| Net sales | {} | 746,900 |\n"


@pytest.mark.parametrize("out", ["files", "files/table.xlsx", "files/reports"])
def test_results_are_not_written_among_the_files(tmp_path: Path, out: str) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.md").write_text("Revenue in 2023 was 5 million euros.")
    problem = failure("survey", tmp_path / "files", "--ask", "Revenue in 2023", "--out", tmp_path / out)
    assert f"--out {str(tmp_path / out)!r} is in the folder" in problem
    assert [path.name for path in (tmp_path / "files").iterdir()] == ["a.md"]


def test_a_table_in_plain_words_from_a_folder(tmp_path: Path) -> None:
    folder, out = tmp_path / "reports", tmp_path / "table.csv"
    folder.mkdir()
    for name, sales in {"a.md": "771,700", "b.md": "518,000"}.items():
        (folder / name).write_text(REPORT.format(sales), "utf-8")
    done = run("survey", folder, "--ask", "Revenue in 2023", "--ask", "Who audits it?", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert f"written to {out}" in done.stdout and "4 answers; a value in 4 of them" in done.stdout
    rows = list(csv.reader(out.read_text("utf-8").splitlines()))
    assert rows == [
        ["file", "Revenue in 2023 (EUR)", "Who audits it?"],
        ["a.md", "771700000", "Grant Thornton"],
        ["b.md", "518000000", "Grant Thornton"],
    ]
    kept = run_json("survey", folder, "--questions", "annual-reports", "--index", tmp_path / "x.mh")
    assert kept["results"][0]["questions"]["question_1"]["value"] == "EUR 771,700,000"
    again = run_json("survey", "--index", tmp_path / "x.mh", "--ask", "Auditor", "--group", "b.md")
    assert [r["metadata"]["file"] for r in again["results"]] == ["b.md"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["--index", "x.mh"],
            "give the questions: in plain words with --ask and --questions, or a --profile, but not both",
        ),
        (["--profile", "climate", "--ask", "Revenue", "--index", "x.mh"], "or a --profile, but not both"),
        (["--ask", "Revenue"], "give a FOLDER of files, an --index, or both"),
        (
            ["--ask", "Revenue", "--index", "x.mh", "--out", "t.pdf"],
            "give a .xlsx or .csv file for a table, or a folder",
        ),
        (["nowhere", "--ask", "Revenue"], "there is no index, folder or file 'nowhere'"),
        (["nowhere", "--questions", "contract"], "did you mean 'contracts'"),
    ],
)
def test_what_is_wrong_with_plain_words_is_one_line(arguments: list[str], problem: str) -> None:
    assert problem in failure("survey", *arguments)
