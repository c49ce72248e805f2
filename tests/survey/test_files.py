"""The folder of a survey is written from its files, one group after another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import InvalidInput
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.survey.answers import VECTOR, Chunk, GroupAnswers, SurveyAnswer
from multihop.survey.files import Folder

GROUPS, CHUNKS, LONG = 120, 20, 5000
FINISHED = """
import sys, tracemalloc
from pathlib import Path
from multihop.profiles import load
from multihop.survey import Survey
from multihop.survey.files import Folder

climate, place = load("climate"), Path(sys.argv[1])
about = Survey(climate.name, "country", {}, ())
Folder.open(place / "nothing", "country").finish(about, climate)  # loads what it needs
folder = Folder.open(place, "country")
tracemalloc.start()
folder.finish(about, climate)
print(tracemalloc.get_traced_memory()[1])
"""


def test_answers_that_are_not_held_leave_the_same_files(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    held = survey(engine, climate, out=tmp_path / "held")
    given = survey(engine, climate, out=tmp_path / "given", hold=False)
    for name in ("survey.csv", "survey.xlsx", "passages.csv", "index.html", "overview.md"):
        assert (tmp_path / "given" / name).read_bytes() == (tmp_path / "held" / name).read_bytes(), name
    for one, other in zip(held.groups, given.groups, strict=True):
        assert [a.findings for a in one.answers] == [a.findings for a in other.answers]
        assert [len(a.chunks) for a in one.answers] == [len(a.chunks) for a in other.answers]
    assert any(a.chunks for g in given.groups for a in g.answers)
    assert all(c.content == "" for g in given.groups for a in g.answers for c in a.chunks)
    with pytest.raises(InvalidInput, match="give one as out"):
        survey(engine, climate, hold=False)


def test_memory_does_not_grow_with_the_passages_of_a_folder(climate: Profile, tmp_path: Path) -> None:
    folder = Folder.open(tmp_path, "country")
    for number in range(GROUPS):
        chunks = tuple(Chunk(f"d#{i}", f"{number} {i} ".ljust(LONG, "x"), 0.5, rank=i + 1) for i in range(CHUNKS))
        answer = SurveyAnswer(1, climate.questions[0].text, chunks, "Target")
        folder.write(GroupAnswers(f"Country{number}", "country", VECTOR, "", (answer,), climate.name))
        for suffix in ("md", "html"):
            # Newer than the answers: reports are there.
            (tmp_path / f"country{number}.{suffix}").touch()
    # In a process of its own: what threads of other tests take is not the survey's.
    done = subprocess.run([sys.executable, "-c", FINISHED, tmp_path], capture_output=True, text=True, check=True)
    peak = int(done.stdout)
    passages = (tmp_path / "passages.csv").read_text("utf-8").splitlines()
    assert len(passages) == 1 + GROUPS * CHUNKS
    assert peak < GROUPS * CHUNKS * LONG / 3, f"{peak:,} bytes for {GROUPS * CHUNKS * LONG:,} characters of passages"
