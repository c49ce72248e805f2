from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from multihop.engine import Engine
from multihop.types import Document

from ..answering.test_conflicts import PAY, TRAVEL
from ..index.test_validity import LEADERS
from .command import failure, run, run_json

if TYPE_CHECKING:
    from multihop.protocols import Vectors

QUESTION = (
    "In which town was the naval architect born who drew the ship that Roald Amundsen borrowed for his voyage "
    "towards the South Pole?"
)


class Elsewhere:
    """An embedder that no specification can open again."""

    identity = "elsewhere:model"
    dimension = 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))


def test_evidence_is_a_table(index: Path) -> None:
    done = run("ask", QUESTION, "--index", index, "-k", "5")
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["#", "passage", "score", "hop"]
    found = run_json("ask", QUESTION, "--index", index, "-k", "5")["evidence"]
    assert {"fram-ship#0", "colin-archer#0"} <= {e["passage"]["id"] for e in found}
    for evidence in found:
        passage, score, hop = evidence["passage"], f"{evidence['score']:.2f}", str(evidence["hop"])
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{evidence['rank']}  "))
        assert lines[place].startswith(f"{evidence['rank']}  {passage['title']}  {passage['id']} ")
        assert lines[place].split()[-2:] == [score, hop]
        assert lines[place + 1] == f"   {evidence['reason']}"
        assert passage["text"].startswith(lines[place + 2].strip())
    assert lines[-1] == "covered: Roald Amundsen, South Pole  ·  not covered: nothing"
    assert "no embedder" not in done.stdout


def test_at_most_so_many_of_one_value(index: Path) -> None:
    said = run_json("ask", QUESTION, "--index", index, "-k", "5", "--at-most", "country=1")
    countries = [e["passage"]["metadata"].get("country") for e in said["evidence"]]
    assert said["at_most"] == {"country": 1}
    assert all(countries.count(each) == 1 for each in countries if each)
    few = run("ask", QUESTION, "--index", index, "-k", "9", "--keep", "country=Norway", "--at-most", "country=1").stdout
    assert "1 of the 9 requested passages; no more passed --keep and --at-most" in few
    assert "such as source=2" in failure("ask", "x", "--index", index, "--at-most", "country=0", status=2)


def test_json_is_the_whole_result(index: Path) -> None:
    said = run_json("ask", QUESTION, "--index", index, "-k", "5", "--where", "country=Norway")
    assert said["question"] == QUESTION
    assert said["where"] == {"country": "Norway"}
    assert {"fram-ship", "colin-archer"} <= {e["passage"]["document_id"] for e in said["evidence"]}
    assert {e["passage"]["metadata"]["country"] for e in said["evidence"]} == {"Norway"}
    assert said["trace"]["hops"][0]["found"][0]["query"]["purpose"] == "the question as it is"


def test_explain_shows_the_trace(index: Path) -> None:
    done = run("ask", QUESTION, "--index", index, "-k", "5", "--explain")
    tree = done.stdout.partition("\ntrace  ")[2]
    for expected in (
        "strategy auto, ",
        "├── plan\n",
        "entities: Roald Amundsen (title), South Pole (span)",
        "├── hop 1  ",
        "│   ├── “In which town was the naval architect born who drew the ship that Roald Amundsen…”\n",
        "│   │   for: the question as it is\n",
        "best: Fram (ship), Roald Amundsen",
        "coverage: 0% → 100%\n",
        "decision: go on (",
        "├── hop 2  ",
        "decision: stop (",
        "├── note: no embedder: the dense channel is absent",
        "└── stopped after hop ",
    ):
        assert expected in tree, expected


def test_what_is_missing_is_said(index: Path) -> None:
    done = run("ask", "Did Roald Amundsen meet Zyxwv Qponm?", "--index", index, "-k", "3", "--explain")
    assert "covered: Roald Amundsen  ·  not covered: Zyxwv Qponm" in done.stdout
    assert "still missing: Zyxwv Qponm" in done.stdout
    assert "“Zyxwv Qponm” is not covered yet" in done.stdout


def test_an_answer_that_is_short_says_so(index: Path) -> None:
    done = run("ask", "Fram", "--index", index, "--where", "year=1892", "--where", "country=Norway")
    assert "1 of the 21 requested passages; no more could be reached" in done.stdout
    assert run("ask", "qqqqq", "--index", index).stdout.startswith("covered: nothing to check")


def test_piped_output_is_plain_and_100_wide(index: Path) -> None:
    done = run("ask", QUESTION, "--index", index, "--explain")
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert not [line for line in done.stdout.splitlines() if line.endswith(" ")]


def test_texts_are_neither_markup_nor_control(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("a", "The [bold]word[/bold] :smile: \x1b[31mred\x07 [/]", "[i]Title[/i]"))
    for arguments in (("ask", "word"), ("show", "a")):
        shown = run(*arguments, "--index", tmp_path / "x.mh").stdout
        assert "The [bold]word[/bold] :smile: [31mred [/]" in shown
        assert "[i]Title[/i]" in shown


def test_no_command_prints_what_controls_a_terminal(tmp_path: Path) -> None:
    evil = "\x1b[31m\u202e\u2066\x9b\x07"
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        text = f"Ada{evil} built the{evil} Fram. Gjøa{evil} sailed."
        engine.add([
            Document("a\u202e", text, f"Fram{evil}", {"c": f"x{evil}"}),
            Document("b", f"The Fram{evil} of Ada.", f"Gjøa{evil}", {"c": f"y{evil}"}, (f"also{evil}",)),
            *(replace(each, title=f"{each.title}{evil}") for each in TRAVEL),
        ])  # fmt: skip
    for line in (
        "ask Who~built~the~Fram? --explain", f"ask Fram{evil}", "answer Who~built~the~Fram?", "answer Fram --json",
        "verdict Ada~built~the~Fram.", "ask Fram --json", "show a\u202e", "show a\u202e --json", "show b", "list",
        "list --where c=y", "graph Fram", f"show {evil}", f"graph {evil}", f"ask Fram --where c=x{evil}", "stats",
        f"ask {PAY.replace(' ', '~')}", f"answer {PAY.replace(' ', '~')}",
    ):  # fmt: skip
        done = run(*(part.replace("~", " ") for part in line.split(" ")), "--index", tmp_path / "x.mh")
        assert not set(done.output) & set(evil) - set("[31m"), line


def test_sources_that_disagree_are_shown_with_their_dates(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(TRAVEL)
    for command in ("ask", "answer"):
        said = " ".join(run(command, PAY, "--index", tmp_path / "x.mh").stdout.split())
        assert "two sources disagree: " in said
        assert "“Travel rules” (2021-03-01) says “Kittiwake pays travel at 30 euros a day.”" in said
        assert "“New travel rules” (2024-05-03) says “Kittiwake pays travel at 45 euros a day.”" in said
    [conflict] = run_json("ask", PAY, "--index", tmp_path / "x.mh")["conflicts"]
    assert (conflict["newer"], sorted(conflict["dates"])) == ("t2#0", ["2021-03-01", "2024-05-03"])


def test_a_day_decides_what_is_found(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(LEADERS)
    asked = ("Who leads Kittiwake?", "--index", tmp_path / "x.mh")
    assert run_json("answer", *asked)["text"] == "Jon Berg"
    before = run_json("answer", *asked, "--as-of", "2024-05-02")
    assert (before["text"], before["result"]["as_of"]) == ("Pia Holm", "2024-05-02")
    after = run_json("ask", *asked, "--as-of", "2024-06-01")
    assert "“Kittiwake (2021)” superseded by “Kittiwake (2024)” on 3 May 2024" in after["trace"]["notes"][0]["text"]
    assert "as_of is a day such as 2024-05-03" in failure("ask", *asked, "--as-of", "yesterday")


def test_a_document_without_title_goes_by_its_id(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("nameless", "Some words."))
    done = run("ask", "words", "--index", tmp_path / "x.mh", "-k", "1", "--explain")
    assert done.stdout.splitlines()[1].split() == ["1", "nameless#0", *done.stdout.splitlines()[1].split()[-2:]]
    assert "entered: nameless#0" in done.stdout


def test_the_question_from_stdin(index: Path) -> None:
    said = run_json("ask", "-", "--index", index, "-k", "1", stdin="Where is the Fram?\n")
    assert said["question"] == "Where is the Fram?"
    assert run("ask", "-", "--index", index, stdin=b"Where is the \xff Fram?").exit_code == 0
    assert failure("ask", "-", "--index", index, stdin=" \n") == "the question is empty; give a claim or a question"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "the question is empty"),
        (("  ",), "the question is empty"),
        (("x", "-k", "0"), "a whole number from 1 to 1000; got 0"),
        (("x", "-k", "-3"), "got -3"),
        (("x", "--strategy", "autp"), "there is no strategy 'autp': did you mean 'auto'?"),
        (("x", "--strategy", "dense"), "needs vectors"),
        (("x", "--where", "cuntry=Japan"), "no document has the metadata field 'cuntry': did you mean 'country'?"),
        (("x", "--where", 'year="1990"'), "holds numbers"),
        (("x", "--embedder", "wordlama"), "did you mean 'wordllama'?"),
        (("x", "--embedder", "wordllama"), "was built without an embedder"),
    ],
)
def test_mistakes(index: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in failure("ask", *arguments, "--index", index)


@pytest.mark.parametrize("command", ["ask", "answer", "verdict"])
def test_an_unknown_id_to_exclude_is_named_and_nothing_else_changes(command: str, index: Path) -> None:
    asked = (command, "Colin Archer drew the Fram.", "--index", index, "-k", "3")
    plain, done = run(*asked), run(*asked, "--exclude", "frm")
    assert (done.exit_code, done.stdout) == (0, plain.stdout)
    assert done.stderr.strip() == "warning: no passage or document to exclude has the id 'frm'"


def test_a_filter_that_cannot_be_read_is_wrong_usage(index: Path) -> None:
    said = failure("ask", "x", "--index", index, "--where", "country", status=2)
    assert said.startswith("invalid value for '--where': 'country' is not a condition; write FIELD=VALUE")


def test_no_index_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "there is no index at" in failure("ask", "x", "--index", tmp_path / "nowhere")
    assert "is a folder without an index in it" in failure("ask", "x", "--index", tmp_path)
    assert "is a file; an index is a folder" in failure("ask", "x", "--index", tmp_path / "file")
    assert not (tmp_path / "nowhere").exists()


def test_vectors_are_used_when_the_index_has_them(corpus: Path, tmp_path: Path) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh", "--embedder", "wordllama:64")
    done = run("ask", "What comes first?", "--index", tmp_path / "x.mh", "--explain")
    assert done.stderr == ""
    assert "2 dense" in done.stdout
    assert "no embedder" not in done.stdout
    assert run("ask", "x", "--index", tmp_path / "x.mh", "--strategy", "dense").exit_code == 0


def test_without_its_embedder_a_question_is_answered_all_the_same(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True, embedder=Elsewhere()) as engine:
        engine.add(Document("a", "Some words.", "A"))
    done = run("ask", "words", "--index", tmp_path / "x.mh", "--json")
    assert done.exit_code == 0
    assert '"a#0"' in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: opened without its embedder: unknown embedder 'elsewhere'")


def test_a_missing_extra_is_a_warning(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index", corpus, "--to", tmp_path / "x.mh", "--embedder", "wordllama:64")
    monkeypatch.setitem(sys.modules, "wordllama", None)
    done = run("ask", "first letter", "--index", tmp_path / "x.mh")
    assert done.exit_code == 0
    assert "warning: opened without its embedder: The wordllama embedder needs an optional" in done.stderr
    assert "needs an optional dependency" in failure(
        "ask", "x", "--index", tmp_path / "x.mh", "--embedder", "wordllama"
    )


def test_fast_ranks_without_models(index: Path) -> None:
    fast = run_json("ask", QUESTION, "--index", index, "-k", "3", "--fast")
    assert fast["trace"]["strategy"]["name"] == "auto-fast"
    assert run_json("ask", QUESTION, "--index", index, "-k", "3")["trace"]["strategy"]["name"] == "auto"


def test_several_indexes_are_searched_as_one(tmp_path: Path) -> None:
    for name, document in (
        ("ships", Document("k", "Kittiwake is a ship. Its engineer is Pia Holm.", "Kittiwake")),
        ("people", Document("p", "Pia Holm was born in Sandnes in 1971.", "Pia Holm")),
    ):
        with Engine.open(tmp_path / f"{name}.mh", create=True) as engine:
            engine.add(document)
    asked = ("Where was the engineer of Kittiwake born?", "--index", tmp_path / "ships.mh")
    several = (*asked, "--index", f"crew={tmp_path / 'people.mh'}")
    found = run_json("ask", *several, "-k", "2")
    assert [e["passage"]["id"] for e in found["evidence"]] == ["ships/k#0", "crew/p#0"]
    assert [e["passage"]["metadata"]["index"] for e in found["evidence"]] == ["ships", "crew"]
    assert run_json("answer", *several)["text"] == "Sandnes"
    assert "crew/p#0" in run("answer", *several).stdout
    claimed = run_json("verdict", "The engineer of Kittiwake was born in Sandnes.", *several[1:])
    assert "crew/p#0" in [s["quote"]["passage_id"] for s in claimed["sentences"]]
    assert run_json("ask", *several, "--where", "index=crew")["evidence"][0]["passage"]["id"] == "crew/p#0"


def test_several_indexes_with_other_embedders_go_without_vectors(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "one.mh", create=True) as plain:
        plain.add(Document("k", "Kittiwake is a ship.", "Kittiwake"))
    with Engine.open(tmp_path / "two.mh", create=True, embedder=Elsewhere()) as other:
        other.add(Document("p", "Pia Holm was born in Sandnes.", "Pia Holm"))
    done = run("ask", "Pia Holm", "--index", tmp_path / "one.mh", "--index", tmp_path / "two.mh")
    assert done.exit_code == 0
    assert "vectors are not used, because the indexes have different embedders" in done.stderr
