"""Folders that the server was given, synced over HTTP."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from multihop.server.settings import Location, Settings
from multihop.server.tokens import create

from .conftest import Serve
from .test_jobs import finished

SYNC = "/v1/indexes/sample/sync"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "krems.md").write_text("# Krems\n\nA town on the Danube.")
    (place / "picture.png").write_bytes(b"")
    return place


def test_a_sync_is_a_job_that_names_the_files(serve: Serve, folder: Path) -> None:
    client = serve(folders={"sample": {"docs": folder}})
    accepted = client.post(SYNC, json={"folder": "docs", "dry_run": True})
    assert accepted.status_code == 202
    result = finished(client, accepted.json())["result"]
    assert (result["added"], result["dry_run"]) == (1, True)
    assert client.get("/v1/indexes/sample/documents/krems.md").status_code == 404
    job = finished(client, client.post(SYNC, json={"folder": "docs"}).json())
    assert (job["kind"], job["state"]) == ("sync", "done")
    assert job["result"]["files"] == [{"kind": "added", "path": "krems.md", "before": ""}]
    assert [line.partition(":")[0] for line in job["result"]["problems"]] == ["picture.png"]
    assert client.get("/v1/indexes/sample/documents/krems.md").json()["title"] == "Krems"


def test_only_folders_that_the_server_was_given(serve: Serve, folder: Path) -> None:
    client = serve(folders={"sample": {"docs": folder}})
    for name in ("dcos", "../docs", str(folder)):
        refused = client.post(SYNC, json={"folder": name})
        assert refused.status_code == 404
        assert "docs" in refused.json()["error"]["message"]
    assert "--folder" in serve(folders={}).post(SYNC, json={"folder": "docs"}).json()["error"]["message"]
    assert (
        serve(folders={"sample": {"docs": folder}}, read_only=True).post(SYNC, json={"folder": "docs"}).status_code
        == 409
    )


def test_a_folder_belongs_to_the_index_it_was_given_to(serve: Serve, folder: Path, settings: Settings) -> None:
    tokens = settings.state.parent / "tokens.json"
    secret = create(tokens, "a", ["write"], ["sample"])
    other = shutil.copytree(settings.indexes[0].place, settings.state.parent / "other.mh")
    client = serve(
        indexes=(*settings.indexes, Location("other", str(other))),
        tokens=tokens,
        folders={"other": {"private": folder}},
    )
    client.headers["Authorization"] = f"Bearer {secret}"
    for name in ("zzz", "private", "privat"):
        refused = client.post(SYNC, json={"folder": name})
        assert refused.status_code == 404
        # The same answer whether or not another index has a folder of this name.
        assert refused.json()["error"]["message"].replace(name, "") == (
            "there is no folder '': this index has none configured (multihop serve --folder)"
        )
