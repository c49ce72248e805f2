"""Folders that the server was given, synced over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    client = serve(folders={"docs": folder})
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
    client = serve(folders={"docs": folder})
    for name in ("dcos", "../docs", str(folder)):
        refused = client.post(SYNC, json={"folder": name})
        assert refused.status_code == 404
        assert "docs" in refused.json()["error"]["message"]
    assert "--folder" in serve(folders={}).post(SYNC, json={"folder": "docs"}).json()["error"]["message"]
    assert serve(folders={"docs": folder}, read_only=True).post(SYNC, json={"folder": "docs"}).status_code == 409
