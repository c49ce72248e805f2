"""The files for running it for others agree with the program, and back-up and restore do what the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from multihop import Engine
from multihop.server.metrics import Metrics
from multihop.testing import sample_documents

from ..cli.command import run
from ..test_commands_in_docs import understood

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def test_the_unit_starts_the_server_as_the_program_understands_it() -> None:
    unit = (DEPLOY / "multihop.service").read_text(encoding="utf-8")
    [start] = re.findall(r"^ExecStart=\S+/multihop (.+)$", unit, re.M)
    understood(shlex.split(start))


def test_the_container_copies_what_is_there_and_starts_what_isunderstood() -> None:
    recipe = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.M) for name in line.split()]
    assert "src" in copied
    assert [name for name in copied if not (ROOT / name).exists()] == []
    understood(json.loads(re.findall(r"^CMD (\[\"serve.+\])$", recipe, re.M)[0]))


def test_the_services_start_what_isunderstood() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    commands = re.findall(r"^    command: \[(.+)\]$", text, re.M)
    assert len(commands) == 2
    for command in commands:
        understood([word.strip().strip('"') for word in command.split(",")])


def test_the_dashboard_asks_for_metrics_that_exist() -> None:
    metrics = Metrics()
    metrics.request("GET", "/health", 200, 0.1)
    metrics.question("wiki", "auto", "answered", 0.1, 2)
    known = set(re.findall(r"^# TYPE (\w+)", metrics.text(under_way=0, passages={"wiki": 1}, jobs={}).decode(), re.M))
    asked = set(re.findall(r"\bmultihop_\w+", (DEPLOY / "grafana.json").read_text(encoding="utf-8")))
    assert len(asked) >= 8
    assert {name for name in asked if name not in known and name.removesuffix("_bucket") not in known} == set()


def test_an_index_is_backed_up_while_it_is_served_and_comes_back(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "wiki.mh", create=True) as served:
        served.add(sample_documents())
        run("copy", tmp_path / "wiki.mh", tmp_path / "backup.mh")
        served.delete(["fram-ship"])
    said = run("copy", tmp_path / "backup.mh", tmp_path / "wiki.mh").stdout
    assert "both hold 182 documents" in said
    with Engine.open(tmp_path / "wiki.mh") as restored:
        fram = restored.document("fram-ship")
        assert fram is not None
        assert fram.title == "Fram (ship)"
