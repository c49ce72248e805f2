from __future__ import annotations

from typing import Any

import pytest

from multihop import Engine
from multihop.errors import NoLanguageModel, NoVerdict
from multihop.testing.lm import FAULTS, Fault, Faults, ScriptedLM
from multihop.types import Verdict

CLAIM = "Colin Archer drew the ship that Roald Amundsen borrowed."


def decided(sample: Engine, verdict: Any, deciding: Any) -> Verdict:
    lm = ScriptedLM({"claim_verdict": {"verdict": verdict, "deciding": deciding}})
    return sample.verdict(CLAIM, k=3, strategy="bm25", lm=lm)


@pytest.mark.parametrize("label", ["supported", "refuted"])
def test_sentences_stand_in_their_passages(label: str, sample: Engine) -> None:
    found = decided(sample, label, [2, 1])
    assert found.label == label
    assert len(found.sentences) == 2
    ids = {e.passage.id for e in found.result}
    assert all(s.sentence in s.passage.text and s.passage.id in ids for s in found.sentences)
    assert found.result.trace.lm_calls[-1].step == "claim_verdict"
    assert found.reasoning == "…"
    assert 0 < found.confidence <= 1


def test_numbers_that_were_not_offered_count_for_nothing(sample: Engine) -> None:
    found = decided(sample, "supported", [999, 1, 1, -3])
    assert [s.sentence in s.passage.text for s in found.sentences] == [True]
    assert [note.code for note in found.notes] == ["sentences-invented"]


def test_a_verdict_without_a_sentence_is_none(sample: Engine) -> None:
    found = decided(sample, "refuted", [999])
    assert (found.label, found.sentences) == ("not enough evidence", ())
    assert found.notes[-1].code == "verdict-unsupported"


def test_not_enough_evidence_needs_no_sentence(sample: Engine) -> None:
    assert decided(sample, "not enough evidence", []).label == "not enough evidence"


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("slow", "rate limit")])
def test_a_model_that_fails_gives_no_verdict_but_the_evidence(fault: Fault, sample: Engine) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}}, Faults((fault,)))
    with pytest.raises(NoVerdict, match="gave no verdict") as caught:
        sample.verdict(CLAIM, k=3, lm=lm)
    assert len(caught.value.result.evidence) == 3  # type: ignore[attr-defined]  # a Result


def test_a_label_that_does_not_exist_is_no_verdict(sample: Engine) -> None:
    with pytest.raises(NoVerdict, match="could not be read"):
        decided(sample, "certainly", [1])


def test_without_a_model_the_error_says_how_to_get_one(sample: Engine) -> None:
    with pytest.raises(NoLanguageModel, match="a verdict needs a language model; open the engine with lm="):
        sample.verdict(CLAIM)


def test_a_verdict_becomes_plain_values(sample: Engine) -> None:
    plain = decided(sample, "supported", [1]).to_dict()
    assert plain["label"] == "supported"
    assert set(plain["sentences"][0]) == {"sentence", "passage", "title"}
    assert plain["result"]["k"] == 3


def test_a_filter_holds_for_verdicts(sample: Engine) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "not enough evidence", "deciding": []}})
    found = sample.verdict(CLAIM, k=3, where={"country": "Norway"}, lm=lm)
    assert {e.passage.metadata["country"] for e in found.result} == {"Norway"}
    assert found.confidence == 0.0
