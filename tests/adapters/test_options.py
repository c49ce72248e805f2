"""The options of a request, as the command line, HTTP and MCP offer them."""

from __future__ import annotations

from typing import Any

import click
import pytest
from pydantic import create_model

from multihop import Request
from multihop.adapters.mcp.arguments import argument
from multihop.cli.question_command import click_option
from multihop.server.schemas import QuestionBody, field_of
from multihop.types import Option


@pytest.mark.parametrize(
    ("option", "given"),
    [
        (Option("count", "How many.", 9), "3"),
        (Option("text", "The day that counts.", 10), "2026-05-01"),
        (Option("filter", "Who may see it."), "group=staff"),
        (Option("limits", "How many of each.", 3), "source=2"),
    ],
)
def test_every_shell_offers_an_option_of_a_known_kind(option: Option, given: str) -> None:
    """A new field of a request needs nothing else: command line, HTTP and MCP derive theirs from it."""
    parsed: dict[str, Any] = {}
    command = click.Command("ask", callback=parsed.update)
    click_option("on_day", option)(command)
    command.main(["--on-day", given], standalone_mode=False)

    body = create_model("Body", on_day=field_of("on_day", option))
    assert body(**parsed).model_dump(exclude_none=True) == parsed
    assert body.model_json_schema()["properties"]["on_day"]["description"] == option.help

    tool = argument("on_day", option)
    arguments = create_model("Arguments", on_day=(tool.annotation, tool.default))
    assert arguments(**parsed).model_dump() == parsed
    assert arguments.model_json_schema()["properties"]["on_day"]["description"] == option.help


def test_http_has_the_defaults_of_a_request() -> None:
    assert QuestionBody(question="Who?").request("Who?") == Request("Who?")
