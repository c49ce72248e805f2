"""How a model is asked to answer: in JSON of a given form where its server can hold it to that, else in DSPy's chat.

Small models lose their way in a form, or repeat a list without end. llama.cpp, vLLM, Ollama and others let through only
what a JSON schema allows: then every answer ends and can be read.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

import dspy
from pydantic import ConfigDict, create_model

_MAX_ITEMS = 5
_MAX_ITEMS_OF = {"entities": 12, "ranked_ids": 45}
"""Where a list may be longer than others."""
_MAX_ITEM_LENGTH = 200
_MAX_TEXT_LENGTH = 600
"""The most characters of a text in a list, and of any other text: well above what a step asks for."""

_schema_refusals: set[tuple[str, str]] = set()
"""Models, each with its address, that refused a schema before."""


class SchemaAdapter(dspy.JSONAdapter):  # type: ignore[misc]  # dspy has no types
    """DSPy's prompt for JSON with the schema of the answer in the request, whatever LiteLLM knows of the model."""

    def __call__(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any) -> Any:
        schema = {"name": "answer", "schema": schema_of(signature)}
        form = {"response_format": {"type": "json_schema", "json_schema": schema}}
        # Past DSPy's own choice of a format, which asks a list of known models.
        return dspy.Adapter.__call__(self, lm, lm_kwargs | form, signature, demos, inputs)


def schema_of(signature: Any) -> dict[str, Any]:
    """Write the JSON schema of a step's answer, with bounds on every list and text."""
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
    """Choose the form for a step: the user's own, JSON by schema on a server of one's own, or DSPy's chat."""
    if dspy.settings.adapter is not None:
        return dspy.settings.adapter
    # Only a server of one's own has an address, and there the small models run that lose their way in a form.
    constrained = _address(lm)[1] and _address(lm) not in _schema_refusals and not _has_free_form(signature)
    # One call a step: DSPy's chat would ask again in another format.
    return SchemaAdapter() if constrained else dspy.ChatAdapter(use_json_adapter_fallback=False)


def refused_schema(lm: Any, adapter: Any, status: object) -> bool:
    """Tell whether a server refused a request because of its schema; that server is not sent one again."""
    # Not 404, which an unknown model gives: the schema would be blamed for it.
    refused = isinstance(adapter, SchemaAdapter) and status in (400, 415, 422, 501)
    if refused:
        _schema_refusals.add(_address(lm))
    return refused


def _address(lm: Any) -> tuple[str, str]:
    return str(lm.model), str(getattr(lm, "kwargs", {}).get("api_base") or "")


def _has_free_form(signature: Any) -> bool:
    """Tell whether an answer has objects with any keys, which a schema cannot hold to a form."""
    kinds = [field.annotation for field in signature.output_fields.values()]
    return any(get_origin(part) is dict for kind in kinds for part in (kind, *get_args(kind)))
