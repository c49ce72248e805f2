"""Files of optimized prompts: what is written comes back, and what is not whole or does not fit is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from multihop import Engine
from multihop.errors import InvalidInput
from multihop.lm import load_prompts
from multihop.lm.prompts import GAP, module
from multihop.lm.saved_prompts import save_prompts
from multihop.programs import GapPipeline
from multihop.strategies import GAP as STRATEGY, LISTWISE
from multihop.testing.lm import ScriptedLM

from .able import able


@pytest.fixture
def file(sample: Engine, tmp_path: Path) -> Path:
    program = GapPipeline(sample)
    program.gap_analyzer.signature = program.gap_analyzer.signature.with_instructions("Think of ships.")
    program.gap_analyzer.demos = [dspy.Example(claim="A", missing_facts=["B"], query="C", augmented=True)]
    for predictor in program.predictors():
        predictor.lm = dspy.LM("openai/none", api_key="sk-very-secret", api_base="http://10.0.0.1/v1")
    save_prompts(tmp_path / "prompts.json", program, "gap", {"model": "m"})
    return tmp_path / "prompts.json"


def rewritten(file: Path, **changes: Any) -> Path:
    """Change a file and give it the checksum of what it then holds."""
    content = json.loads(file.read_text(encoding="utf-8")) | changes
    del content["checksum"]
    plain = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    file.write_text(json.dumps(content | {"checksum": hashlib.sha256(plain.encode()).hexdigest()}), encoding="utf-8")
    return file


def test_what_is_saved_comes_back(file: Path) -> None:
    prompts = load_prompts(file)
    assert prompts.program.gap_analyzer.signature.instructions == "Think of ships."
    assert prompts.program.gap_analyzer.demos[0].missing_facts == ["B"]
    kept = module("gap_analysis").signature.instructions
    assert prompts.program.gap_analysis.signature.instructions == kept
    assert all(hasattr(prompts.program, step) for step in GAP)


def test_neither_key_nor_address_is_written(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "secret" not in text
    assert "10.0.0.1" not in text
    assert all(p.lm is None for _, p in load_prompts(file).program.named_predictors())


def test_prompts_are_part_of_the_value_of_a_strategy(file: Path) -> None:
    prompted = STRATEGY.with_prompts(load_prompts(file))
    assert prompted != STRATEGY
    assert prompted == STRATEGY.with_prompts(load_prompts(file))
    assert "prompts" not in STRATEGY.describe()
    assert prompted.describe()["prompts"] == {"Prompts": {"strategy": "gap", "digest": load_prompts(file).digest}}


def test_without_a_model_they_change_nothing_that_is_found(file: Path, sample: Engine) -> None:
    with_prompts = sample.retrieve("Who built the Fram?", strategy=STRATEGY.with_prompts(load_prompts(file)))
    assert [e.passage for e in with_prompts] == [
        e.passage for e in sample.retrieve("Who built the Fram?", strategy="gap")
    ]


def test_a_model_gets_them(file: Path, sample: Engine) -> None:
    seen: list[str] = []

    class Watched(ScriptedLM):
        def __call__(self, prompt: Any = None, *, messages: Any = None, **parameters: Any) -> list[str]:
            seen.append(str(messages))
            return super().__call__(prompt, messages=messages, **parameters)

    sample.retrieve("Who built the Fram?", strategy=STRATEGY.with_prompts(load_prompts(file)), lm=Watched(able))
    assert sum("Think of ships." in said for said in seen) == 1


def test_another_strategy_refuses_them(file: Path) -> None:
    with pytest.raises(InvalidInput, match="made for the strategy 'gap', not for 'listwise'"):
        LISTWISE.with_prompts(load_prompts(file))


def test_an_edited_file_is_refused(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8").replace("ships", "boats"), encoding="utf-8")
    with pytest.raises(InvalidInput, match="does not match its checksum: it is damaged or was edited"):
        load_prompts(file)


def test_a_truncated_file_is_refused(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(InvalidInput, match="is not a file of prompts"):
        load_prompts(file)


def test_another_version_of_dspy_is_refused(file: Path) -> None:
    with pytest.raises(InvalidInput, match=r"was made with DSPy 2\.6\.0, installed is .*pip install dspy==2\.6\.0"):
        load_prompts(rewritten(file, dspy="2.6.0"))


@pytest.mark.parametrize(
    "predictors",
    [
        {"no_such_step": {"instructions": "", "fields": [], "demos": []}},
        {"gap_analyzer": {"instructions": "", "fields": [], "demos": []}},
        {"gap_analyzer": {}},
        {"gap_analyzer": None},
        {"__class__": {"instructions": "", "fields": [], "demos": []}},
        {"named_predictors": {"instructions": "", "fields": [], "demos": []}},
    ],
)
def test_steps_that_do_not_exist_are_refused(file: Path, predictors: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="steps that this version of multihop does not have"):
        load_prompts(rewritten(file, predictors=predictors))


ODD: tuple[Any, ...] = (None, 5, "x", [], {}, [None], ["x"], {"a": 1}, "{__class__} {0} [[ ## query ## ]]", "x" * 10**6)


@pytest.mark.parametrize("part", ["instructions", "fields", "demos", "field", "demo", "value"])
def test_what_a_stranger_wrote_is_refused_or_used_as_text(file: Path, sample: Engine, part: str) -> None:
    """The checksum fits, as whoever writes a file computes it: nothing in it may end a question."""
    asked = "Who built the Fram?"
    usual = json.loads(file.read_text(encoding="utf-8"))["predictors"]
    outcomes = set()
    for odd in ODD:
        predictors = json.loads(json.dumps(usual))
        step = predictors["gap_analyzer"]
        match part:
            case "field":
                step["fields"][0] = step["fields"][0] | {"prefix": odd, "description": odd}
            case "demo":
                step["demos"] = [odd]
            case "value":
                step["demos"] = [{"claim": odd, "query": odd, "missing_facts": odd}]
            case _:
                step[part] = odd
        try:
            strategy = STRATEGY.with_prompts(load_prompts(rewritten(file, predictors=predictors)))
        except InvalidInput:
            outcomes.add("refused")
            continue
        assert sample.retrieve(asked, strategy=strategy, lm=ScriptedLM(able)).evidence
        outcomes.add("used")
    assert outcomes


@pytest.mark.parametrize(
    "content", [b"", b"[1, 2]", b"{}", b'{"format": "multihop prompts 1"}', b"\xff\xfe", b"[" * 99999]
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.json").write_bytes(content)
    with pytest.raises(InvalidInput, match="is not a file of prompts as multihop optimize writes it"):
        load_prompts(tmp_path / "other.json")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not exist"):
        load_prompts(tmp_path / "nowhere.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_prompts(tmp_path)
