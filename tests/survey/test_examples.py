from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from multihop import Engine, profiles
from multihop.errors import InvalidInput
from multihop.survey import survey
from multihop.survey.examples import Example, Outcome, learn_profile, read_examples

from ..cli.command import failure, run, run_json

LEASE = """The tenant may leave after giving {months} months of warning. Repairs take 5 months at most after a report.

The rent rises by {percent}% every year, and the deposit earns 1% interest. The lease was concluded on {day} May 2021;
the house was built on 3 June 1990. It stands in {town}."""
QUESTIONS = ("Warning", "Rise of the rent", "Day of the lease", "Town")


def leases(folder: Path) -> list[Example]:
    folder.mkdir()
    examples = []
    for n in range(6):
        said = {"months": n + 6, "percent": n + 2, "day": n + 1, "town": ("Oslo", "Bergen", "Molde")[n % 3]}
        (folder / f"{n}.md").write_text(LEASE.format(**said))
        values = (f"{n + 6} months", f"{n + 2}%", f"{n + 1} May 2021", said["town"])
        examples += [Example(f"{n}.md", question, str(v)) for question, v in zip(QUESTIONS, values, strict=True)]
    return examples


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        yield engine


def test_words_around_right_values_become_cues(engine: Engine, tmp_path: Path) -> None:
    examples = leases(tmp_path / "leases")
    engine.sync(tmp_path / "leases")
    learned = learn_profile(engine, examples, "mine")
    assert learned.again == Outcome(right=24)
    # Each file is filled in by what the others taught.
    assert learned.left_out == Outcome(right=24)
    assert learned.without_cues == ()
    profile = profiles.parse(learned.content, name="mine")
    assert [question.values[0].kind for question in profile.questions] == ["amount", "percent", "date", "choice"]
    [row] = survey(engine, profile, groups=["3.md"]).groups
    assert [answer.findings[0].value for answer in row.answers] == ["9 months", "5%", "2021-05-04", "Oslo"]


def test_values_near_nothing_in_common_are_named(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for n, said in enumerate(("Roofs cost 7%.", "Walls earn 8%.", "Nobody pays anything.")):
        (tmp_path / "notes" / f"{n}.md").write_text(said)
    engine.sync(tmp_path / "notes")
    learned = learn_profile(engine, [Example(f"{n}.md", "Share", f"{7 + n}%") for n in range(3)], "mine")
    assert (learned.without_cues, learned.again) == (("Share",), Outcome(missed=3))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("file,value\na.md,3%\n", "the first row must name the columns file, question, value"),
        ("file,question,value\na.md,,3%\n", "no row has a file, a question and a value"),
    ],
)
def test_what_is_wrong_with_examples_is_said(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "examples.csv"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=problem):
        read_examples(path)
    with pytest.raises(InvalidInput, match="is no file"):
        read_examples(tmp_path / "none.csv")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_examples_are_read_as_spreadsheets_write_them(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "examples.csv"
    path.write_bytes("File;Question;Value\r\na.md;Straße;30 days\r\n".encode(encoding))
    assert read_examples(path) == (Example("a.md", "Straße", "30 days"),)


def test_a_profile_is_learned_on_the_command_line(engine: Engine, tmp_path: Path) -> None:
    examples = leases(tmp_path / "leases")
    engine.sync(tmp_path / "leases")
    engine.close()
    cells, profile = tmp_path / "examples.csv", tmp_path / "mine.toml"
    cells.write_text("\n".join(["file,question,value", *(",".join(each) for each in examples)]))
    said = run_json("profile", "learn", cells, "--index", tmp_path / "x.mh", "--to", profile)
    assert said["left_out"] == {"right": 24, "wrong": 0, "missed": 0}
    assert run("profile", "check", profile).exit_code == 0
    assert "already exists" in failure("profile", "learn", cells, "--index", tmp_path / "x.mh", "--to", profile)
    cells.write_text("file,question,value\nnone.md,Rise,3%\n")
    unknown = failure("profile", "learn", cells, "--index", tmp_path / "x.mh", "--to", tmp_path / "b.toml")
    assert "no file of the index has the name 'none.md'" in unknown
