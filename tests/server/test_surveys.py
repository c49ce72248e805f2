"""Surveys over HTTP: the profiles, a survey as a job, and what cannot be asked."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from multihop import Document, Engine, profiles
from multihop.server import surveys
from multihop.server.jobs import Job, Jobs, write_request
from multihop.server.settings import Location, ServerLimits, Settings
from multihop.survey import survey

from .conftest import Serve
from .test_jobs import finished
from .test_lm import Scripted

SURVEYS = "/v1/indexes/sample/surveys"


def test_the_profiles_that_ship_are_listed(client: TestClient) -> None:
    listed = client.get("/v1/profiles").json()["profiles"]
    assert [p["name"] for p in listed] == list(profiles.names())
    climate = next(p for p in listed if p["name"] == "climate")
    assert climate["group"] == "country"
    assert [q["number"] for q in climate["questions"]] == [q.number for q in profiles.load("climate").questions]
    assert "survey" in client.get("/v1/views").json()["views"]


def test_a_survey_is_a_job_whose_result_is_that_of_the_library(client: TestClient, settings: Settings) -> None:
    body = {"profile": "climate", "questions": [2, 1], "groups": ["Norway", "Italy"], "hop": True, "top_k": 3}
    accepted = client.post(SURVEYS, json=body)
    assert accepted.status_code == 202
    assert accepted.headers["location"] == f"/v1/jobs/{accepted.json()['id']}"
    job = finished(client, accepted.json())
    assert (job["kind"], job["state"], job["done"], job["total"]) == ("survey", "done", 8, 8)
    with Engine.open(settings.indexes[0].place) as engine:
        expected = survey(engine, "climate", questions=[1, 2], groups=["Norway", "Italy"], hop=True, top_k=3)
    assert _timeless(job["result"]) == _timeless(expected.to_dict())
    told = job["result"]["telling"]
    assert [set(row) for row in told] == [
        {str(a.number) for a in group.answers if a.chunks} for group in expected.groups
    ]
    for row in told:
        for sentence in row.values():
            assert len(sentence["text"]) <= 190
            assert all(0 <= start < end <= len(sentence["text"]) for start, end in sentence["marks"])


def _deals(place: Path) -> Location:
    with Engine.open(place, create=True) as engine:
        for name, sales in (("mill", "771,700"), ("yard", "12,050")):
            table = f"Auditor: Grant Thornton\n\n| EUR thousand | 2023 |\n|---|---|\n| Net sales | {sales} |\n"
            engine.add(Document(f"{name}.md", table, metadata={"group": "Northern"}))
    return Location("deals", str(place))


def test_questions_in_plain_words_are_asked_of_every_file(serve: Serve, tmp_path: Path) -> None:
    client = serve(indexes=(_deals(tmp_path / "deals.mh"),))
    body = {"ask": ["Revenue in 2023", {"question": "Who audits it?", "type": "organization"}]}
    job = finished(client, client.post("/v1/indexes/deals/surveys", json=body).json())
    assert (job["state"], job["done"], job["total"]) == ("done", 4, 4)
    with Engine.open(tmp_path / "deals.mh") as engine:
        expected = survey(engine, ask=["Revenue in 2023", "Who audits it?"])
    assert _timeless(job["result"]) == _timeless(expected.to_dict())
    [mill, yard] = job["result"]["results"]
    assert mill["metadata"]["file"] == "mill.md"
    assert [q["value"] for q in mill["questions"].values()] == ["EUR 771,700,000", "Grant Thornton"]
    assert yard["questions"]["question_1"]["findings"][0]["words"] == "12,050"
    grouped = finished(client, client.post("/v1/indexes/deals/surveys", json=body | {"by": "group"}).json())
    [row] = grouped["result"]["results"]
    assert {f["document"] for f in row["questions"]["question_1"]["findings"]} == {"mill.md", "yard.md"}
    assert all(f["contradicts"] for f in row["questions"]["question_1"]["findings"])


def test_a_list_that_ships_is_asked_by_its_name(serve: Serve, tmp_path: Path) -> None:
    client = serve(indexes=(_deals(tmp_path / "deals.mh"),))
    offered = {each["name"]: each for each in client.get("/v1/profiles").json()["lists"]}
    assert {"annual-reports", "contracts", "cvs", "policies", "scientific-papers"} <= set(offered)
    assert offered["annual-reports"]["columns"][0] == {"question": "Revenue", "type": "money"}
    accepted = client.post("/v1/indexes/deals/surveys", json={"question_list": "annual-reports"}).json()
    job = finished(client, accepted)
    assert list(job["result"]["questions"].values()) == [c["question"] for c in offered["annual-reports"]["columns"]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "give one of profile, or ask and question_list"),
        ({"ask": ["Revenue"], "profile": "climate"}, "give one of profile, or ask and question_list"),
        ({"ask": []}, "give one of profile, or ask and question_list"),
        ({"ask": ["  "]}, "a column is empty"),
        ({"ask": [{"question": "Revenue", "type": "monney"}]}, "there is no type 'monney' of a column"),
        ({"ask": ["Revenue"] * 51}, "ask: list should have at most 50 items"),
        ({"question_list": "../../etc/passwd"}, "there is no list of questions '../../etc/passwd'"),
        ({"question_list": "anual-reports"}, "did you mean 'annual-reports'?"),
        ({"ask": ["Revenue"], "hop": True}, "omit hop and lm"),
        ({"ask": ["Revenue"], "by": "continent"}, "no document has the metadata field 'continent'"),
    ],
)
def test_what_is_no_question_in_plain_words_is_refused(client: TestClient, body: dict[str, Any], said: str) -> None:
    refused = client.post(SURVEYS, json=body)
    assert refused.status_code == 422
    assert said in refused.json()["error"]["message"]


def test_links_into_folders_of_the_server_are_left_out() -> None:
    found = {"results": [{"findings": ({"url": "../../../data/a.pdf"}, {"url": "https://example.org/a.pdf"})}]}
    assert surveys.without_file_links(found) == {
        "results": [{"findings": [{"url": ""}, {"url": "https://example.org/a.pdf"}]}]
    }


def _timeless(result: Mapping[str, Any]) -> list[Any]:
    return [(r["metadata"] | {"timestamp": ""}, r["questions"]) for r in result["results"]]


def test_a_long_result_comes_with_its_job_only(client: TestClient) -> None:
    job = finished(client, client.post(SURVEYS, json={"profile": "climate"}).json())
    assert len(str(job["result"])) > 100_000
    (listed,) = client.get("/v1/jobs").json()["jobs"]
    assert (listed["id"], listed["state"], listed["result"]) == (job["id"], "done", None)


def _unlabeled(place: Path) -> Location:
    with Engine.open(place, create=True) as engine:
        engine.add(
            [
                Document("ndc/norway_2022-11-03.pdf", "We commit to reduce emissions by 55% by 2030 from 1990 levels."),
                Document("ndc/minutes.pdf", "Nothing was decided."),
            ]
        )
    return Location("ndc", str(place))


def test_documents_without_a_country_get_it_first(serve: Serve, tmp_path: Path) -> None:
    client = serve(indexes=(_unlabeled(tmp_path / "ndc.mh"),))
    body = {"profile": "climate", "questions": [1]}
    job = finished(client, client.post("/v1/indexes/ndc/surveys", json=body).json())
    [result] = job["result"]["results"]
    assert result["metadata"]["country"] == "Norway"
    [answer] = result["questions"].values()
    assert (answer["value"], answer["findings"][0]["date"]) == ("55% below 1990 by 2030", "2022-11-03")
    assert "ndc/minutes.pdf: no country in its name, folder or front page" in " ".join(job["result"]["notes"])


def test_who_may_not_write_changes_no_document(serve: Serve, tmp_path: Path) -> None:
    client = serve(indexes=(_unlabeled(tmp_path / "ndc.mh"),), read_only=True)
    refused = client.post("/v1/indexes/ndc/surveys", json={"profile": "climate"})
    assert refused.status_code == 422
    assert "no document has the metadata field 'country'" in refused.json()["error"]["message"]
    assert "with the right to write, a survey can extract it" in refused.json()["error"]["message"]


def test_the_model_of_the_server_is_asked_when_it_is_wanted(serve: Serve, tmp_path: Path) -> None:
    model = Scripted()
    client = serve(indexes=(_unlabeled(tmp_path / "ndc.mh"),), lm=model)
    for wanted, found_by in ((False, "rules"), (True, "rules and language model")):
        body = {"profile": "climate", "questions": [1], "lm": wanted}
        job = finished(client, client.post("/v1/indexes/ndc/surveys", json=body).json())
        [answer] = job["result"]["results"][0]["questions"].values()
        assert answer["findings"][0]["found_by"] == found_by


def test_a_server_without_a_model_says_so(client: TestClient) -> None:
    refused = client.post(SURVEYS, json={"profile": "climate", "lm": True})
    assert refused.status_code == 422
    assert refused.json()["error"]["message"].startswith("this server has no language model; omit lm")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"profile": "climat"}, "there is no profile 'climat': did you mean 'climate'?"),
        ({"profile": "../climate.toml"}, "there is no profile '../climate.toml'"),
        ({"profile": "/etc/passwd"}, "there is no profile '/etc/passwd'"),
        ({"questions": [99]}, "the profile 'climate' has no question 99"),
        ({"groups": ["Norwegen"]}, "no document has the country 'Norwegen'"),
        ({"top_k": 50}, "top_k is 50; at most 21 passages are allowed"),
        ({"questions": []}, "questions: list should have at least 1 item"),
        ({"out": "/tmp"}, "there is no field 'out': known: as_of, ask, "),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_at_once(serve: Serve, changes: dict[str, Any], said: str) -> None:
    client = serve(limits=ServerLimits(k=21))
    refused = client.post(SURVEYS, json={"profile": "climate"} | changes)
    assert refused.status_code == 422
    assert said in refused.json()["error"]["message"]
    assert client.get("/v1/jobs").json()["jobs"] == []


def test_an_index_without_groups_says_so(serve: Serve, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "plain.mh", create=True) as engine:
        engine.add(Document("a", "Nothing is said of countries."))
    client = serve(indexes=(Location("plain", str(tmp_path / "plain.mh")),))
    refused = client.post("/v1/indexes/plain/surveys", json={"profile": "climate"})
    assert refused.status_code == 202, "a country may be found in names and front pages"
    job = finished(client, refused.json())
    assert job["state"] == "failed"
    assert "no document has the metadata field 'country'" in job["message"]
    again = client.post("/v1/indexes/plain/surveys", json={"profile": "climate"})
    assert again.status_code == 422, "they were looked at"
    assert "no document has the metadata field 'country'" in again.json()["error"]["message"]


def test_a_survey_is_stopped_while_it_runs_and_others_wait(client: TestClient) -> None:
    first = client.post(SURVEYS, json={"profile": "climate", "hop": True}).json()
    second = client.post(SURVEYS, json={"profile": "climate", "hop": True}).json()
    for job in (second, first):
        assert client.delete(f"/v1/jobs/{job['id']}").status_code == 200
    assert {finished(client, job)["state"] for job in (first, second)} == {"stopped"}


def test_a_survey_that_was_interrupted_goes_on(settings: Settings, tmp_path: Path) -> None:
    """What a first process has answered is taken over by the next."""
    from multihop.server.indexes import Indexes

    indexes = Indexes(settings.indexes)
    enough, over = threading.Event(), threading.Event()
    work = surveys.survey_work(indexes)

    def slowly(job: Job, place: Path, tell: Any) -> Mapping[str, Any]:
        def told(stage: str, done: int, total: int | None) -> None:
            if done == 3:
                enough.set()
                over.wait()
            tell(stage, done, total)

        return work(job, place, told)

    first = Jobs(tmp_path / "jobs", {surveys.KIND: slowly})
    asked = {"profile": "climate", "questions": [1, 2], "groups": None, "hop": False, "top_k": 2}
    id = first.submit(surveys.KIND, "sample", partial(write_request, asked=asked)).id
    enough.wait()
    ending = threading.Thread(target=first.close)
    ending.start()
    while not first._ending.is_set():
        threading.Event().wait(0.01)
    threading.Event().wait(0.3)  # progress is looked at four times a second
    over.set()
    ending.join()
    second = Jobs(tmp_path / "jobs", {surveys.KIND: work})
    while (job := second.get(id)).state not in ("done", "failed"):
        threading.Event().wait(0.02)
    second.close()
    indexes.close()
    assert job.state == "done"
    assert job.result is not None
    assert job.result["resumed"] >= 3
