"""The fast signals equal their definitions, worked out passage by passage in plain Python."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from multihop import Document, Engine, profiles
from multihop.profiles import KeywordGroup, Pattern, Phrase, Profile, ProfileQuestion, Scoring, Weights
from multihop.profiles.signals import Scores, embed, evaluate, parse_question
from multihop.profiles.signals.word2vec import TrainingSettings, train
from multihop.protocols import Context, Index, View
from multihop.testing.contracts.corpus import HashEmbedder
from multihop.types.channels import SIGNALS

from ...reliability.soak import examples

_REFERENCE = Path(__file__).parents[3] / "benchmarks" / "signal_reference.py"
reference_scores = runpy.run_path(str(_REFERENCE))["reference_scores"]
_WORDS = st.sampled_from(
    """emission emissions emmission reduce reduces target targets year 2030 1990 13.6% 40 percent base baseline line of
    the by energy energie waste wast solar GHG (GHG) CO2 base-year targets. Nepal déjà 年""".split()
)
TEXTS = st.lists(_WORDS, min_size=1, max_size=25).map(" ".join)
PROFILE = Profile(
    "small",
    keywords=(
        KeywordGroup("target", ("target", "reduction of emissions", "the"), 0.3),
        KeywordGroup("year", ("year",)),
    ),
    patterns=(
        Pattern("percent", r"\d ?(?:%|percent)", 0.5, ("target",)),
        Pattern("base", r"base(?:line)?[ -]year", 0.6, ("year",)),
    ),
    phrases=(
        Phrase("reduce emissions by {number} percent", 0.5, ("target",)),
        Phrase("base year {year}", 0.6, ("year",)),
        Phrase("emissions", 0.2, ("target", "year")),
    ),
    questions=(ProfileQuestion(1, "Which target?", keywords=("% reduction", "solar energy"), groups=("target",)),),
    scoring=Scoring(Weights(0.1, 0.2, 0.4, 0.3), 0.2, 20, 0.7),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signals")


@examples(40)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=6),
    question=st.one_of(
        TEXTS, st.just("Which target?"), st.just("Which base year is the target set against?"), st.just("?!")
    ),
    profile=st.sampled_from([None, PROFILE]),
)
def test_fast_and_slow_agree(
    folder: Path, texts: list[str], question: str, profile: Profile | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("example") / "x.mh"
    with Engine.open(path, create=True, embedder=HashEmbedder()) as engine:
        engine.add(Document(f"d{i}", text, f"Title {i}") for i, text in enumerate(texts))
        train(engine.store, settings=TrainingSettings(dimension=8, min_count=1, epochs=1))
        compare(engine.store.view(), question, profile)


def compare(view: View, question: str, profile: Profile | None) -> Scores:
    context = Context(Index.of(view))
    fast = evaluate(parse_question(question, profile), embed(question, context), profile, context)
    assert list(fast.ids) == [p.id for p in view.scan()]
    # A question of nothing but stopwords has no phrases to be found roughly.
    assert tuple(fast.signals) == tuple(s for s in SIGNALS if s != "fuzzy" or parse_question(question, profile).phrases)
    for row, passage in enumerate(view.scan()):
        slow = reference_scores(passage, question, profile, context)
        quick = {name: float(values[row]) for name, values in fast.signals.items()}
        assert quick | {"combined": float(fast.combined[row])} == pytest.approx(slow, abs=1e-5)
        assert all(0.0 <= value <= 1.0 for value in slow.values())
    return fast


@pytest.mark.parametrize("number", range(8))
def test_climate_questions_over_the_sample(number: int, sample_with_vectors: Engine) -> None:
    climate = profiles.load("climate")
    context = Context(sample_with_vectors.index())
    question = climate.questions[number].enhanced
    fast = evaluate(parse_question(question, climate), embed(question, context), climate, context)
    for row, passage in list(enumerate(context.index.passages.scan()))[::20]:
        slow = reference_scores(passage, question, climate, context)
        assert {n: float(v[row]) for n, v in fast.signals.items()} == pytest.approx(
            {n: v for n, v in slow.items() if n != "combined"}, abs=1e-5
        )
