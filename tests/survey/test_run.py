from __future__ import annotations

import csv
import json
import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput, UnknownName
from multihop.profiles import Profile
from multihop.survey import log_to, survey
from multihop.survey.answers import HOP, VECTOR
from multihop.survey.files import stem
from multihop.types import Relation

SCORES = ("combined_score", "transformer_similarity", "word2vec_similarity", "regex_score", "fuzzy_score")


def _rows(file: Path) -> list[dict[str, str]]:
    """Read a table whose every row is one line."""
    lines = file.read_text("utf-8").splitlines()
    rows = list(csv.DictReader(lines))
    assert len(rows) == len(lines) - 1
    return rows


def read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def test_one_json_for_each_country_in_the_documented_shape(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    engine.train_word2vec()
    found = survey(engine, climate, out=tmp_path / "out")
    assert [g.group for g in found.groups] == ["Brazil", "Côte d'Ivoire", "Japan"]
    japan = read(tmp_path / "out" / "japan.json")
    assert japan["metadata"].items() >= {
        "country": "Japan", "total_questions": 8, "retrieval_method": "vector_similarity",
    }.items()  # fmt: skip
    assert len(japan["metadata"]["timestamp"]) == len("2024-12-19T10:30:00")
    assert list(japan["questions"]) == [f"question_{n}" for n in range(1, 9)]
    first = japan["questions"]["question_1"]
    assert (first["question_number"], first["question"]) == (1, climate.questions[0].text)
    assert first["chunk_count"] == len(first["top_k_chunks"]) == 1
    best = first["top_k_chunks"][0]
    assert best["id"] == "jpn#0"
    assert best["content"].startswith("Japan commits to reduce")
    assert all(0.0 <= best[name] <= 1.0 for name in SCORES)
    assert found.to_dict()["results"][-1] == japan
    assert json.loads(found.to_json()) == found.to_dict()


def test_reports_are_written_beside(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    survey(engine, climate, out=tmp_path)
    page = (tmp_path / "japan.html").read_text("utf-8")
    assert "<mark>" in page
    assert "&lt;b&gt;All&lt;/b&gt;" in page
    assert "http" not in page
    assert "46%" in (tmp_path / "japan.md").read_text("utf-8")
    overview = (tmp_path / "index.html").read_text("utf-8")
    assert all(name in overview for name in ("Japan", "Brazil", "Côte d&#x27;Ivoire"))
    assert 'href="japan.html#q1"' in overview
    rows = _rows(tmp_path / "survey.csv")
    assert {row["country"] for row in rows} == {"Japan", "Brazil", "Côte d'Ivoire"}
    assert len(rows) == 3 * 8
    first = next(r for r in rows if (r["country"], r["label"]) == ("Japan", "Target"))
    assert (first["value"], first["number"], first["unit"]) == ("46% below 2013 by 2030", "46", "%")
    assert (first["year"], first["base"], first["question"]) == ("2030", "2013", climate.questions[0].text)
    assert first["sentence"].startswith("Japan commits to reduce") and first["title"] == "Japan NDC"
    nothing = next(r for r in rows if (r["country"], r["label"]) == ("Brazil", "Gases"))
    assert (nothing["value"], nothing["found"], nothing["sentence"]) == ("not found", "no", "")
    passages = _rows(tmp_path / "passages.csv")
    assert passages[0]["word2vec_similarity"] == ""
    assert float(passages[0]["combined_score"]) > 0.2
    assert "| [Japan](japan.md) |" in (tmp_path / "overview.md").read_text("utf-8")


def test_both_ways_of_retrieval(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    found = survey(engine, climate, groups=["Japan"], questions=[2], hop=True, hop_strategy="auto", out=tmp_path)
    assert [g.method for g in found.groups] == [VECTOR, HOP]
    assert read(tmp_path / "japan.hop.json")["metadata"]["retrieval_method"] == HOP
    chunks = read(tmp_path / "japan.hop.json")["questions"]["question_2"]["top_k_chunks"]
    assert {c["document"] for c in chunks} == {"jpn"}
    assert chunks[0]["hop_score"] > 0
    assert 0.2 < chunks[0]["combined_score"] < 1 and chunks[0]["regex_score"] > 0.5


def test_traversal_begins_with_what_the_signals_find(tmp_path: Path, climate: Profile) -> None:
    target = "Japan aims to reduce its greenhouse gas emissions by 46 percent by 2030 from 2013 levels."
    related = "This goal was decided by the cabinet and its offices after long talks about carbon in towns."
    apart = "The country has many rivers, lakes and mountains."
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        texts = {"target": target, "related": related, "apart": apart}
        engine.add([Document(id, text, metadata={"country": "Japan"}) for id, text in texts.items()])
        engine.store.relate([Relation("target#0", "related#0", "EXPLAINS", 0.9)])
        found = survey(engine, climate, questions=[1], hop=True)
    by_signals, by_walk = (g.answers[0].chunks for g in found.groups)
    assert [c.id for c in by_signals] == ["target#0"]
    # What is far below the threshold by itself comes in only through a relation, and says so; the rest stays out.
    assert [c.id for c in by_walk] == ["target#0", "related#0"]
    assert by_walk[1].combined_score < climate.scoring.threshold <= (by_walk[1].hop_score or 0)
    assert "→" in by_walk[1].reason and "EXPLAINS 0.90" in by_walk[1].reason


class Stopped(Exception):
    pass


@pytest.mark.parametrize("after", [1, 3, 8, 9, 23])
def test_a_survey_that_was_stopped_goes_on(engine: Engine, climate: Profile, tmp_path: Path, after: int) -> None:
    def stop(group: str, done: int, total: int | None) -> None:
        assert total == 24
        if done == after:
            raise Stopped

    with pytest.raises(Stopped):
        survey(engine, climate, out=tmp_path, progress=stop)
    kept = {f.name: f.read_bytes() for f in tmp_path.glob("*.json")}
    finished = {n: b for n, b in kept.items() if len(json.loads(b)["questions"]) == 8}
    steps: list[int] = []
    found = survey(engine, climate, out=tmp_path, progress=lambda group, done, total: steps.append(done))
    assert found.resumed == after
    assert steps == list(range(1, 25))
    assert all((tmp_path / name).read_bytes() == content for name, content in finished.items())
    assert len(read(tmp_path / "japan.json")["questions"]) == 8
    assert found.groups == survey(engine, climate, out=tmp_path).groups
    assert not list(tmp_path.glob(".*"))


def test_answers_of_another_index_are_not_taken_over(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    survey(engine, climate, out=tmp_path)
    assert survey(engine, climate, out=tmp_path).resumed == 24
    assert survey(engine, climate, out=tmp_path, top_k=5).resumed == 0
    engine.add(Document("per", "Peru reduces emissions by 20%.", metadata={"country": "Peru"}))
    again = survey(engine, climate, out=tmp_path)
    assert (again.resumed, len(again.groups)) == (0, 4)
    assert survey(engine, replace(climate, description="x", digest=""), out=tmp_path).resumed == 0


def test_a_damaged_file_is_made_anew(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    survey(engine, climate, out=tmp_path)
    (tmp_path / "japan.json").write_text('{"metadata": {"country": "Jap')
    (tmp_path / "other.json").write_text("[1, 2]")
    found = survey(engine, climate, out=tmp_path)
    assert found.resumed == 16
    assert len(read(tmp_path / "japan.json")["questions"]) == 8
    assert (tmp_path / "other.json").read_text() == "[1, 2]"


def test_a_part_of_a_survey_leaves_the_rest_in_the_reports(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    survey(engine, climate, questions=[1], out=tmp_path)
    before = os.stat(tmp_path / "brazil.html").st_mtime_ns
    found = survey(engine, climate, questions=[2], groups=["Japan"], out=tmp_path)
    assert [a.number for a in found.groups[0].answers] == [2]
    assert list(read(tmp_path / "japan.json")["questions"]) == ["question_1", "question_2"]
    overview = (tmp_path / "index.html").read_text("utf-8")
    assert "Brazil" in overview and "2. Base year" in overview
    assert os.stat(tmp_path / "brazil.html").st_mtime_ns == before


def test_a_part_of_a_survey_after_a_change_finds_the_other_answers_of_its_rows_anew(
    engine: Engine, climate: Profile, tmp_path: Path
) -> None:
    survey(engine, climate, questions=[1, 2], out=tmp_path / "out")
    engine.add(Document("new", "Japan will reduce its emissions by 50 % by 2031.", "Note", {"country": "Japan"}))
    found = survey(engine, climate, questions=[2], groups=["Japan"], out=tmp_path / "out")
    assert [a.number for g in found.groups for a in g.answers] == [2]
    answered = {(row["country"], row["question_number"]) for row in _rows(tmp_path / "out" / "survey.csv")}
    assert answered >= {("Japan", "1"), ("Japan", "2"), ("Brazil", "1"), ("Brazil", "2")}


def test_documents_without_a_group_are_counted(engine: Engine, climate: Profile) -> None:
    assert "in no group: 1 document without 'country'" in survey(engine, climate).notes


def test_a_group_in_which_nothing_is_found_says_so(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    engine.add(Document("x", "Zzz.", metadata={"country": "Xanadu"}))
    found = survey(engine, climate, groups=["Xanadu"], questions=[2], out=tmp_path)
    assert found.groups[0].answers[0].chunks == ()
    assert "1 of 1 passages score below the threshold of 0.2" in found.groups[0].answers[0].notes
    assert "No passage answers this question." in (tmp_path / "xanadu.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"groups": ["Japn"]}, "no document has the country 'Japn': did you mean 'Japan'"),
        ({"groups": [""]}, "the name of the country is empty; known: Brazil"),
        ({"questions": [9]}, "'climate' has no question 9; its questions are 1 to 8"),
        ({"questions": [0]}, "no question 0"),
        ({"hop": True, "hop_strategy": "grph"}, "no strategy 'grph'"),
    ],
)
def test_what_is_not_there_is_one_line(
    engine: Engine, climate: Profile, tmp_path: Path, arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(UnknownName if "''" not in problem and "empty" not in problem else InvalidInput, match=problem):
        survey(engine, climate, out=tmp_path / "out", **arguments)


def test_profiles_that_cannot_be_surveyed(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no document has the metadata field 'state'.*known fields: country"):
        survey(engine, replace(climate, group="state", digest=""))
    with pytest.raises(InvalidInput, match="has no key for the groups of documents"):
        survey(engine, replace(climate, group="", digest=""))
    with pytest.raises(InvalidInput, match="has no questions"):
        survey(engine, replace(climate, questions=(), digest=""))
    with pytest.raises(UnknownName, match="did you mean 'climate'"):
        survey(engine, "climte")
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is a file; give a folder"):
        survey(engine, climate, out=tmp_path / "file")


def test_groups_may_be_numbers_or_several(engine: Engine, climate: Profile) -> None:
    engine.add(Document("a", "Cut emissions by 5%.", metadata={"year": 2020}))
    engine.add(Document("b", "Cut emissions by 6%.", metadata={"year": (2020, 2021)}))
    found = survey(engine, replace(climate, group="year", digest=""), questions=[1])
    assert {g.group: {c.document for c in g.answers[0].chunks} for g in found.groups} == {
        "2020": {"a", "b"},
        "2021": {"b"},
    }


def test_a_group_may_be_named_in_other_letters(engine: Engine, climate: Profile) -> None:
    engine.add(Document("a", "Cut emissions by 5%.", metadata={"plant": "Ruhr-West"}))
    found = survey(engine, replace(climate, group="plant", labels=(), digest=""), questions=[1], groups=["ruhr-WEST"])
    assert [g.group for g in found.groups] == ["Ruhr-West"]


def test_operations_are_logged_by_category(engine: Engine, climate: Profile, tmp_path: Path) -> None:
    with log_to(tmp_path / "logs" / "retrieve.log"):
        survey(engine, climate, questions=[1], groups=["Japan"], hop=True, hop_strategy="bm25")
    survey(engine, climate, questions=[1], groups=["Brazil"])
    lines = (tmp_path / "logs" / "retrieve.log").read_text("utf-8").splitlines()
    assert any('INFO [4_RETRIEVE] answered question=1 country="Japan" chunks=' in line for line in lines)
    assert any("INFO [VECTOR_SIMILARITY] searched" in line for line in lines)
    assert any("INFO [HOP_RETRIEVE] searched" in line for line in lines)
    assert any('DEBUG [4_RETRIEVE] filtered question=1 country="Japan" passages=2' in line for line in lines)
    assert not any("Brazil" in line for line in lines)
    assert not logging.getLogger("multihop.survey").handlers


def test_file_names_are_readable_and_different() -> None:
    assert stem("Bosnia and Herzegovina", VECTOR) == "bosnia-and-herzegovina"
    assert stem("Japan", HOP) == "japan.hop"
    odd = ["JAPAN", "japan", "Japan ", "Jap/an", "日本", "…", "Côte d'Ivoire", "Cote d'Ivoire", "../../etc", "a" * 300]
    names = [stem(name, VECTOR) for name in odd]
    assert len({*names, "japan"}) == len(odd) + 1
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and len(name) < 80 for name in names)


def test_a_value_has_the_page_of_its_sentence(tmp_path: Path) -> None:
    said = "Chile commits to reduce its greenhouse gas emissions by 30% by 2030 compared to 2016 levels."
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.add(Document("cl", f"The front page.\fA second one.\f{said}\f", metadata={"country": "Chile"}))
        [group] = survey(engine, "climate", questions=[1]).groups
    [answer] = group.answers
    assert (answer.chunks[0].page, answer.findings[0].page) == (1, 3)
