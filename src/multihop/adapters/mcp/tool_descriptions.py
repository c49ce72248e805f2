"""Descriptions of tools without what only costs an assistant tokens: they stand before every conversation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp.types import Tool

_NAMED = ("properties", "$defs")
"""Keys of a schema below which names stand, not its own words."""


def slim(tool: Tool, omitted: Collection[str]) -> Tool:
    """Leave out titles, what goes without saying, and arguments that nobody needs here; these are still taken."""
    taken = _strip(tool.input_schema)
    properties = {name: said for name, said in taken["properties"].items() if name not in omitted}
    given = _strip(tool.output_schema)
    return tool.model_copy(update={"input_schema": taken | {"properties": properties}, "output_schema": given})


def _strip(schema: Any) -> Any:
    """Take the titles out of a schema, and what goes without saying; a property that is called title stays."""
    if isinstance(schema, list):
        return [_strip(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "default" in schema and schema["default"] is None:
        # What may be left out need not be offered as nothing.
        others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
        rest = {key: value for key, value in schema.items() if key not in ("default", "anyOf")}
        return _strip(rest | (others[0] if len(others) == 1 else {"anyOf": others}))
    return {
        key: {name: _strip(each) for name, each in value.items()} if key in _NAMED else _strip(value)
        for key, value in schema.items()
        # That more is allowed is what a schema means where it says nothing.
        if key != "title" and (key, value) != ("additionalProperties", True)
    }
