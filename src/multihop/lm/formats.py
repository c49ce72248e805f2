"""Response formats: JSON constrained by a schema if the server supports it, else DSPy's chat format.

Small models break the format or repeat a list endlessly. llama.cpp, vLLM, Ollama and others can constrain output to a
JSON schema, so that every answer terminates and parses.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

import dspy
from pydantic import ConfigDict, create_model

_MAX_ITEMS = 5
_MAX_ITEMS_OF = {"entities": 12, "ranked_ids": 45}
"""Larger limits for some lists."""
_MAX_ITEM_LENGTH = 200
_MAX_TEXT_LENGTH = 600
"""Maximum characters of a list item, and of other text: well above what a step asks for."""

_schema_refusals: set[tuple[str, str]] = set()
"""Models, with their base URL, that refused a schema before."""


class SchemaAdapter(dspy.JSONAdapter):  # type: ignore[misc]  # dspy has no types
    """DSPy's JSON adapter that always sends the schema, regardless of what LiteLLM knows about the model."""

    def __call__(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any) -> Any:
        schema = {"name": "answer", "schema": schema_of(signature)}
        form = {"response_format": {"type": "json_schema", "json_schema": schema}}
        # Bypasses DSPy's own choice of format, which depends on a list of known models.
        return dspy.Adapter.__call__(self, lm, lm_kwargs | form, signature, demos, inputs)


def schema_of(signature: Any) -> dict[str, Any]:
    """Return the JSON schema of a step's answer, with limits on every list and string."""
    fields: dict[str, Any] = {name: (field.annotation, ...) for name, field in signature.output_fields.items()}
    schema: dict[str, Any] = create_model("Answer", __config__=ConfigDict(extra="forbid"), **fields).model_json_schema()
    for name, part in schema["properties"].items():
        if part.get("type") == "array":
            part["maxItems"] = _MAX_ITEMS_OF.get(name, _MAX_ITEMS)
            if part["items"].get("type") == "string":
                part["items"]["maxLength"] = _MAX_ITEM_LENGTH
        elif part.get("type") == "string" and "enum" not in part:
            part["maxLength"] = _MAX_TEXT_LENGTH
    return schema


def adapter_of(lm: Any, signature: Any) -> Any:
    """Choose the adapter for a step: the user's own, JSON schema on a self-hosted server, or DSPy's chat."""
    if dspy.settings.adapter is not None:
        return dspy.settings.adapter
    # Only self-hosted servers have a base URL, and they run the small models that break the chat format.
    constrained = _address(lm)[1] and _address(lm) not in _schema_refusals and not _has_free_form(signature)
    # One call per step: DSPy's chat adapter would retry in another format.
    return SchemaAdapter() if constrained else dspy.ChatAdapter(use_json_adapter_fallback=False)


def refused_schema(lm: Any, adapter: Any, status: object) -> bool:
    """Return whether a server refused a request because of its schema, and remember not to send it one again."""
    # Not 404, which means an unknown model.
    refused = isinstance(adapter, SchemaAdapter) and status in (400, 415, 422, 501)
    if refused:
        _schema_refusals.add(_address(lm))
    return refused


def _address(lm: Any) -> tuple[str, str]:
    return str(lm.model), str(getattr(lm, "kwargs", {}).get("api_base") or "")


def _has_free_form(signature: Any) -> bool:
    """Return whether an answer has objects with arbitrary keys, which a schema cannot constrain."""
    kinds = [field.annotation for field in signature.output_fields.values()]
    return any(get_origin(part) is dict for kind in kinds for part in (kind, *get_args(kind)))
