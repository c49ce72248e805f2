from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from multihop import Document, Engine, profiles
from multihop.errors import MissingExtra
from multihop.profiles.signals.word2vec import TrainingSettings, train
from multihop.strategies import HYBRID, hybrid
from multihop.testing.contracts.corpus import HashEmbedder

CLIMATE = profiles.load("climate")
NDC = [
    Document(
        "jp",
        "Japan commits to reduce greenhouse gas emissions by 46% by 2030 compared to 2013 levels.\n\n"
        + "Rice is grown on terraces in many prefectures. " * 30
        + "\n\nThe base year is 2013.",
        "Japan NDC",
        {"country": "Japan"},
    ),
    Document(
        "br", "Brazil will cut emissions by 37 percent below 2005 levels in 2025.", "Brazil", {"country": "Brazil"}
    ),
    Document("fish", "Fish swim in the sea and birds fly above it.", "Fish"),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.open(tmp_path_factory.mktemp("ndc") / "ndc.mh", create=True, embedder=HashEmbedder()) as opened:
        opened.add(NDC)
        train(opened.store, settings=TrainingSettings(dimension=8, min_count=1, epochs=1))
        yield opened


def test_every_signal_is_visible_for_every_passage(engine: Engine) -> None:
    result = engine.retrieve(CLIMATE.questions[0].text, k=3, strategy=hybrid(CLIMATE))
    assert result.evidence[0].passage.document_id in ("jp", "br")
    for evidence in result:
        assert set(evidence.scores) == {"combined", "transformer", "word2vec", "patterns", "fuzzy"}
        assert all(0.0 <= score <= 1.0 for score in evidence.scores.values())
        weights = dict(CLIMATE.scoring.weights.items())
        mean = sum(weights[name] * evidence.scores[name] for name in weights)
        assert evidence.score == pytest.approx(mean, abs=1e-9)
        assert "patterns 0." in evidence.reason


def test_the_plan_says_which_keywords_were_appended(engine: Engine) -> None:
    trace = engine.retrieve(CLIMATE.questions[1].text, k=3, strategy=hybrid(CLIMATE)).trace
    assert "question 2 of the profile; keywords appended: baseline year, reference year, BAU scenario" in [
        note.text for note in trace.plan.notes
    ]
    assert trace.hops[0].found[0].query.text.endswith("baseline year reference year BAU scenario")


def test_what_scores_below_the_threshold_is_left_out_and_said(engine: Engine) -> None:
    result = engine.retrieve(CLIMATE.questions[0].text, k=10, strategy=hybrid(CLIMATE, threshold=0.5))
    assert 0 < len(result.evidence) < engine.stats().passages
    assert all(e.score >= 0.5 for e in result)
    assert any("below the threshold of 0.5" in note.text for note in result.trace.notes)
    everything = engine.retrieve(CLIMATE.questions[0].text, k=10, strategy=hybrid(CLIMATE, threshold=0.0))
    assert len(everything.evidence) == engine.stats().passages


def test_the_filter_is_inside(engine: Engine) -> None:
    both = engine.retrieve("emission targets", k=9, strategy=hybrid(CLIMATE, threshold=0.0))
    japan = engine.retrieve(
        "emission targets", k=9, strategy=hybrid(CLIMATE, threshold=0.0), where={"country": "Japan"}
    )
    assert {e.passage.document_id for e in japan} == {"jp"}
    scores = {e.passage.id: e.scores for e in both}
    assert all(scores[e.passage.id] == e.scores for e in japan)


def test_without_a_profile_the_question_speaks_for_itself(engine: Engine) -> None:
    result = engine.retrieve("Which birds fly above the sea?", k=1, strategy="hybrid")
    assert [e.passage.document_id for e in result] == ["fish"]
    assert result.evidence[0].scores["patterns"] == 1.0


def test_without_models_the_other_signals_share_their_weight(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "plain.mh", create=True) as plain:
        plain.add(NDC)
        result = plain.retrieve(CLIMATE.questions[0].text, k=1, strategy=hybrid(CLIMATE))
    [best] = result.evidence
    assert set(best.scores) == {"combined", "patterns", "fuzzy"}
    assert best.score == pytest.approx((0.3 * best.scores["patterns"] + 0.25 * best.scores["fuzzy"]) / 0.55)
    absent = [n.data["signal"] for n in result.trace.notes if n.code == "signal-absent"]
    assert {"transformer", "word2vec"} <= set(absent)


def test_a_new_model_is_used_at_once(engine: Engine, tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as own:
        own.add(NDC)
        before = own.retrieve("emissions", k=1, strategy="hybrid").evidence[0].scores
        train(own.store, settings=TrainingSettings(dimension=8, min_count=1, epochs=1))
        after = own.retrieve("emissions", k=1, strategy="hybrid").evidence[0].scores
    assert "word2vec" not in before
    assert "word2vec" in after


def test_a_strategy_is_a_value_that_names_its_profile() -> None:
    other = replace(CLIMATE, description="something else", digest="")
    assert hybrid(CLIMATE) == hybrid(CLIMATE) != hybrid(other) != HYBRID
    described = json.dumps(hybrid(CLIMATE).describe())
    assert f"climate {CLIMATE.digest}" in described
    assert len(described) < 2000


def test_no_rapidfuzz_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as own:
        own.add(NDC)
        monkeypatch.setitem(sys.modules, "rapidfuzz", None)
        with pytest.raises(MissingExtra, match=r'pip install .*\[hybrid\]"'):
            own.retrieve("emissions", strategy="hybrid")


def test_a_signal_that_has_nothing_to_look_for_is_absent_not_zero(tmp_path: Path) -> None:
    profile = profiles.parse(
        '[keywords.hazard]\nwords = ["flood", "drought"]\n[[questions]]\ntext = "Which hazards threaten the coast?"\n'
        'groups = ["hazard"]\n',
        name="x",
    )
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("a", "Floods and droughts."))
        result = engine.retrieve(profile.questions[0].text, k=1, strategy=hybrid(profile))
    [found] = result.evidence
    assert set(found.scores) == {"combined", "patterns"}
    assert found.score == pytest.approx(found.scores["patterns"])
    assert any((note.code, note.data) == ("signal-absent", {"signal": "fuzzy"}) for note in result.trace.notes)
