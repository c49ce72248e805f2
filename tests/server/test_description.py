"""The OpenAPI description, and whether the server does what it says, whatever is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from multihop.server.app import application
from multihop.server.settings import Limits, Settings

from ..patience import ENOUGH
from .conftest import Listen

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip


OPERATIONS = [
    (method.upper(), path)
    for path, methods in application(Settings((), Path("unused"))).app.openapi()["paths"].items()
    for method in methods
]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_server_keeps_to_its_description(listen: Listen, method: str, path: str) -> None:
    # No answer is given because time is up: on a busy machine any question may take long.
    unhurried = Limits(batch=3, at_once=2, seconds=ENOUGH, write_wait=ENOUGH, arrival=ENOUGH)
    client = listen(limits=unhurried)
    operation = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")[path][method]

    @settings(
        max_examples=30, derandomize=True, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(
        case=st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode)),
        index=st.sampled_from(["sample", "sample", "sample", None]),
    )
    def send(case: Any, index: str | None) -> None:
        # What is made up is seldom the name of an index.
        if index and "index" in case.path_parameters:
            case.path_parameters["index"] = index
        case.call_and_validate(checks=CHECKS, timeout=ENOUGH)

    send()


def test_everything_is_described(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            assert all(p.get("description") for p in operation.get("parameters", ())), (method, path)
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                name = content["schema"]["$ref"].rpartition("/")[2]
                told = description["components"]["schemas"][name]
                if kind == "application/json":
                    assert told.get("examples"), name
