"""Slims down tool descriptions, which cost tokens in every conversation."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from mcp.types import Tool

_NAMED = ("properties", "$defs")
"""Schema keywords whose children are names, not keywords."""
_LONG = 36


def slim_all(tools: Iterable[Tool], indexes: Collection[str]) -> list[Tool]:
    """Slim down tools; an argument that was described at length refers to the first tool that has it."""
    described: dict[str, str] = {}
    slimmed = [slim(tool, indexes) for tool in tools]
    for tool in slimmed:
        for argument in tool.input_schema["properties"].values():
            text = argument.get("description", "")
            first = described.setdefault(text, tool.name)
            if first != tool.name and len(text) > _LONG:
                argument["description"] = f"as for {first}"
    return slimmed


def slim(tool: Tool, indexes: Collection[str]) -> Tool:
    """Remove titles, null defaults and what the output repeats; ask for an index only if there are several."""
    taken = _strip(tool.input_schema)
    properties = taken["properties"]
    if "index" in properties:
        index = properties.pop("index")
        if len(indexes) > 1:
            properties["index"] = index | {"description": f"one of: {', '.join(indexes)}"}
            taken["required"] = [*taken.get("required", ()), "index"]
    given = _strip(tool.output_schema)
    # The description of the tool says it, and no default is sent in a response.
    given.pop("description", None)
    for said in given["properties"].values():
        said.pop("default", None)
    return tool.model_copy(update={"input_schema": taken, "output_schema": given})


def _strip(schema: Any) -> Any:
    """Remove titles and defaults from a schema; a property called title is kept."""
    if isinstance(schema, list):
        return [_strip(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "default" in schema and schema["default"] is None:
        # An optional value need not be documented as nullable.
        others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        rest = {key: value for key, value in schema.items() if key not in ("default", "anyOf")}
        return _strip(rest | (others[0] if len(others) == 1 else {"anyOf": others}))
    return {
        key: {name: _strip(each) for name, each in value.items()} if key in _NAMED else _strip(value)
        for key, value in schema.items()
        # additionalProperties is true by default.
        if key != "title" and (key, value) != ("additionalProperties", True)
    }
