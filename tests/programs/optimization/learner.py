"""A scripted model that does its task well once it is told how, and that writes instructions when it is asked to."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

from multihop.testing.lm import ScriptedLM

from ...lm.able import able

HINT = "Name the title of every document that the claim needs."


class Learner(ScriptedLM):
    """Knows the answers; gives them only under an instruction that holds the hint, unless it `always` does."""

    def __init__(self, *, always: bool = False) -> None:
        super().__init__(self._script)
        self.always = always
        self._here = threading.local()
        self.prompts: list[str] = []

    def __call__(self, prompt: Any = None, *, messages: Any = None, **parameters: Any) -> list[str]:
        whole = "\n".join(str(m["content"]) for m in messages)
        with self._lock:
            self.prompts.append(whole)
        if "`new_instruction`" in whole:  # GEPA asks for JSON
            return [json.dumps({"new_instruction": HINT})]
        if "proposed_instruction" in whole or "## observations ##" in whole or "## summary ##" in whole:  # MIPROv2
            return [_fields(observations="claims", summary="claims", proposed_instruction=HINT)]
        self._here.told = self.always or HINT in str(messages[0]["content"])
        return super().__call__(prompt, messages=messages, **parameters)

    def _script(self, step: str, inputs: Mapping[str, str]) -> Any:
        return able(step, inputs) if self._here.told else _useless(step)


def _useless(step: str) -> dict[str, Any]:
    lists = ["nothing of interest"]
    steps: dict[str, dict[str, Any]] = {
        "claim_decomposition": {"sub_questions": lists},
        "gap_analyzer": {"missing_facts": lists, "query": "nothing of interest"},
        "entity_extractor": {"entities": lists, "relationships": lists},
        "gap_analysis": {"queries": lists, "missing_information": lists},
        "bridging_entity_identifier": {"bridging_entities": lists},
        "entity_query_decomposition": {"queries": lists},
        "document_reranker": {"ranked_ids": []},
        "follow_up_queries": {"queries": lists},
    }
    return steps[step]


def _fields(**fields: str) -> str:
    return "\n\n".join([*(f"[[ ## {k} ## ]]\n{v}" for k, v in fields.items()), "[[ ## completed ## ]]"])
