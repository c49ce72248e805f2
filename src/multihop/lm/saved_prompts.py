"""Files of optimized prompts: instructions and examples for the steps of one strategy, as JSON with a checksum.

A file holds text only: no model, no URL, and nothing that is evaluated. The checksum detects damage and edits; it is
not a signature.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop.errors import InvalidInput, MissingExtra, cause
from multihop.rendering.files import write_atomically

FORMAT = "multihop prompts 1"
# A file is read into memory before anything in it can be checked.
_MAX_BYTES = 64 * 1024 * 1024
_DIGEST_LENGTH = 16


@dataclass(frozen=True)
class Prompts:
    """Optimized prompts of one strategy; equal if their texts are. Use with `Strategy.prompted`."""

    strategy: str
    digest: str
    """The first digits of the checksum, as shown in traces."""
    program: Any = field(compare=False, repr=False)
    """Has the DSPy module of each step as an attribute."""
    origin: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Provenance: model, optimizer, scores before and after."""


def save_prompts(path: Path, program: Any, strategy: str, origin: Mapping[str, Any]) -> str:
    """Write the prompts of a program atomically; returns their digest."""
    content = {
        "format": FORMAT,
        "strategy": strategy,
        "dspy": importlib.metadata.version("dspy"),
        "origin": dict(origin),
        "predictors": {name: _dump(predictor) for name, predictor in program.named_predictors()},
    }
    checksum = _checksum(content)
    text = json.dumps({**content, "checksum": checksum}, ensure_ascii=False, indent=1)
    write_atomically(path, text + "\n")
    return checksum[:_DIGEST_LENGTH]


def load_prompts(path: str | Path) -> Prompts:
    """Read optimized prompts; raises InvalidInput if the file is damaged or from another version of DSPy."""
    content = _load(Path(path))
    # Removed first: it covers everything else.
    checksum = content.pop("checksum", None)
    if checksum != _checksum(content):
        raise InvalidInput(
            f"{str(path)!r} does not match its checksum: it is damaged or was edited; "
            "create it again with: multihop optimize"
        )
    _check_version(path, content["dspy"])
    try:
        program = _program(content["predictors"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(
            f"{str(path)!r} holds prompts for steps that this version of multihop does not have; "
            "create it again with: multihop optimize"
        ) from error
    return Prompts(content["strategy"], checksum[:_DIGEST_LENGTH], program, content["origin"])


def _load(path: Path) -> dict[str, Any]:
    no = f"{str(path)!r} is not a file of prompts as multihop optimize writes it"
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InvalidInput(no)
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"the file {str(path)!r} does not exist; create prompts with: multihop optimize") from None
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {cause(error)}") from error
    except (ValueError, RecursionError):
        raise InvalidInput(no) from None
    wanted = {"strategy": str, "dspy": str, "origin": dict, "predictors": dict}
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidInput(no)
    if not all(isinstance(content.get(name), kind) for name, kind in wanted.items()):
        raise InvalidInput(no)
    return content


def _check_version(path: str | Path, made_with: str) -> None:
    try:
        installed = importlib.metadata.version("dspy")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingExtra("A file of prompts", "lm") from error
    # DSPy does not guarantee to read files saved by another version.
    if installed != made_with:
        raise InvalidInput(
            f"{str(path)!r} was made with DSPy {made_with}, installed is {installed}: optimize again, "
            f"or install that one with: pip install dspy=={made_with}"
        )


def _dump(predictor: Any) -> dict[str, Any]:
    # Without the model: it is the user's choice, and its URL may contain a secret.
    state = predictor.dump_state()
    fields = [
        {"name": name, **said}
        for name, said in zip(predictor.signature.fields, state["signature"]["fields"], strict=True)
    ]
    # Optimizers add markers such as `augmented` to examples; a step only reads its own fields.
    demos = [{k: v for k, v in demo.items() if k in predictor.signature.fields} for demo in state["demos"]]
    return {"instructions": state["signature"]["instructions"], "fields": fields, "demos": demos}


def _program(predictors: Mapping[str, Any]) -> Any:
    """Create modules for the steps in a file. An invalid structure raises arbitrary errors."""
    dspy: Any = importlib.import_module("dspy")
    prompts: Any = importlib.import_module("multihop.lm.prompts")
    program = dspy.Module()
    for name in predictors:
        # A chain-of-thought step has a nested predictor: "document_reranker.predict".
        step = name.split(".", 1)[0]
        if not hasattr(program, step):
            setattr(program, step, prompts.module(step))
    known = dict(program.named_predictors())
    if set(known) != set(predictors):
        raise KeyError(sorted(set(known) ^ set(predictors)))
    for name, predictor in known.items():
        saved = predictors[name]
        if [f["name"] for f in saved["fields"]] != list(predictor.signature.fields):
            raise KeyError(name)
        signature = {"instructions": saved["instructions"], "fields": saved["fields"]}
        demos = [dspy.Example(**demo) for demo in saved["demos"]]
        predictor.load_state({"signature": signature, "demos": demos, "traces": [], "train": [], "lm": None})
    return program


def _checksum(content: Mapping[str, Any]) -> str:
    # Canonical JSON, independent of key order and whitespace.
    plain = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
