from __future__ import annotations

from typing import Any

import pytest

from multihop import Engine
from multihop.errors import NoVerdict
from multihop.testing.lm import FAULTS, Fault, Faults, ScriptedLM
from multihop.text.units import units
from multihop.types import Verdict

CLAIM = "Colin Archer drew the ship that Roald Amundsen borrowed."


def decided(sample: Engine, verdict: Any, deciding: Any) -> Verdict:
    lm = ScriptedLM({"claim_verdict": {"verdict": verdict, "deciding": deciding}})
    return sample.verdict(CLAIM, k=3, strategy="bm25", lm=lm)


def quoted_rightly(found: Verdict) -> bool:
    texts = {e.passage.id: e.passage.text for e in found.result}
    return all(texts[s.quote.passage_id][s.quote.start : s.quote.end] == s.quote.text for s in found.sentences)


@pytest.mark.parametrize(("said", "label"), [("supported", "supported"), ("refuted", "contradicted")])
def test_sentences_stand_in_their_passages(said: str, label: str, sample: Engine) -> None:
    found = decided(sample, said, [2, 1])
    assert (found.label, found.source) == (label, "language model")
    assert len(found.sentences) == 2
    assert quoted_rightly(found)
    assert found.result.trace.lm_calls[-1].step == "claim_verdict"
    assert found.reasoning == "…"
    assert 0 <= found.confidence <= 1


def test_numbers_that_were_not_offered_count_for_nothing(sample: Engine) -> None:
    found = decided(sample, "supported", [999, 1, 1, -3])
    assert len(found.sentences) == 1
    assert quoted_rightly(found)
    assert found.notes[0].code == "sentences-invented"


def test_a_verdict_that_rests_on_one_document_says_so(sample: Engine) -> None:
    found = decided(sample, "supported", [1])
    assert "one-source" in {note.code for note in found.notes}
    offered = [unit for e in found.result.evidence for unit in units(e.passage.text)]
    assert "one-source" not in {note.code for note in decided(sample, "supported", [1, len(offered)]).notes}


def test_a_verdict_without_a_sentence_is_none(sample: Engine) -> None:
    found = decided(sample, "refuted", [999])
    assert (found.label, len(found.sentences)) == ("undecided", 1)
    assert found.notes[-1].code == "verdict-unsupported"


def test_not_enough_evidence_needs_no_sentence_and_shows_the_closest(sample: Engine) -> None:
    found = decided(sample, "not enough evidence", [])
    assert (found.label, len(found.sentences)) == ("undecided", 1)


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("slow", "rate limit")])
def test_a_model_that_fails_gives_no_verdict_but_the_evidence(fault: Fault, sample: Engine) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "supported", "deciding": [1]}}, Faults((fault,)))
    with pytest.raises(NoVerdict, match="gave no verdict") as caught:
        sample.verdict(CLAIM, k=3, lm=lm)
    assert len(caught.value.result.evidence) == 3  # type: ignore[attr-defined]  # a Result


def test_a_label_that_does_not_exist_is_no_verdict(sample: Engine) -> None:
    with pytest.raises(NoVerdict, match="could not be read"):
        decided(sample, "certainly", [1])


def test_a_verdict_becomes_plain_values(sample: Engine) -> None:
    plain = decided(sample, "supported", [1]).to_dict()
    assert plain["label"] == "supported"
    assert set(plain["sentences"][0]) == {"quote", "title", "confidence", "answer", "page"}
    assert plain["result"]["k"] == 3


def test_a_filter_holds_for_verdicts(sample: Engine) -> None:
    lm = ScriptedLM({"claim_verdict": {"verdict": "not enough evidence", "deciding": []}})
    found = sample.verdict(CLAIM, k=3, where={"country": "Norway"}, lm=lm)
    assert {e.passage.metadata["country"] for e in found.result} == {"Norway"}
    assert found.confidence == 0.0
