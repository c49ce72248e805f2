from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from multihop import Document, Engine
from multihop.errors import MissingExtra
from multihop.profiles.signals import word2vec
from multihop.profiles.signals.terms import Acronyms, Terms
from multihop.profiles.signals.word2vec import TrainingSettings, WordVectors, train

SMALL = TrainingSettings(dimension=16, min_count=1, epochs=3)
CONTRIBUTION = "The Nationally Determined Contribution (NDC) of the country sets a target. Its NDC covers emissions."


def documents(count: int = 30, start: int = 0) -> Iterator[Document]:
    for i in range(start, start + count):
        yield Document(
            f"d{i}", f"{CONTRIBUTION} Solar power and wind power feed the grid number {i}.", metadata={"n": i}
        )


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "x.mh", create=True) as opened:
        opened.add(documents())
        yield opened


def model(engine: Engine) -> WordVectors:
    found = word2vec.load(engine.store.view())
    assert found is not None
    return found


def test_training_is_kept_in_the_store(engine: Engine) -> None:
    assert word2vec.stamp(engine.store.view()) is None
    done = train(engine.store, settings=SMALL)
    assert (done.passages, done.new) == (30, 30)
    known = model(engine)
    assert (known.dimension, len(known.words)) == (16, done.words)
    stamp = word2vec.stamp(engine.store.view())
    assert stamp is not None
    assert stamp[0] == engine.store.generation


def test_an_acronym_is_near_what_it_stands_for(engine: Engine) -> None:
    train(engine.store, settings=SMALL)
    known = model(engine)
    assert known.similarity("NDC", "nationally determined contribution") == pytest.approx(1.0, abs=1e-5)
    assert known.similarity("NDCs", "Nationally Determined Contributions") == pytest.approx(1.0, abs=1e-5)
    assert known.similarity("NDC", "wind") < 0.99
    assert known.similarity("NDC", "zebra") == 0.0


def test_embeddings_are_unit_vectors_or_zero(engine: Engine) -> None:
    train(engine.store, settings=SMALL)
    rows = model(engine).embed(["solar power", "unheard of", ""])
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1.0, 0.0, 0.0], abs=1e-5)
    assert model(engine).embed_passages([]).shape == (0, 16)


def test_training_goes_on_with_new_passages_only(engine: Engine) -> None:
    train(engine.store, settings=SMALL)
    before = model(engine)
    assert train(engine.store).new == 0
    engine.add(Document("new", "Geothermal heat and geothermal steam drive turbines. Solar power too."))
    assert before.vector("geothermal") is None
    done = train(engine.store)
    assert (done.passages, done.new) == (31, 1)
    after = model(engine)
    assert after.vector("geothermal") is not None
    assert after.settings == SMALL
    assert len(after.words) > len(before.words)
    assert train(engine.store, fresh=True, settings=SMALL).new == 31


def digest_of_a_model(folder: str) -> str:
    """Train on two batches in a new index, and give the digest of what is kept."""
    with Engine.open(folder, create=True) as engine:
        engine.add(documents())
        train(engine.store, settings=SMALL)
        engine.add(documents(5, 100))
        train(engine.store)
        kept = engine.store.get_blob("word2vec")
        assert kept is not None
        return hashlib.sha256(kept[1]).hexdigest()


def test_the_same_corpus_gives_the_same_model_whatever_the_hash_seed(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from tests.profiles.signals.test_word2vec import digest_of_a_model\n"
        "print(hash('a word'), digest_of_a_model(sys.argv[1]))\n"
    )
    root = Path(__file__).parents[3]
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "there")],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root / 'src'}:{root}", "PATH": ""},
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    hashed, digest = done.stdout.split()
    assert int(hashed) != hash("a word"), "this process has another seed"
    assert digest == digest_of_a_model(str(tmp_path / "here"))


def test_an_empty_index_trains_an_empty_model(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "empty.mh", create=True) as engine:
        assert train(engine.store, settings=SMALL).words == 0
        assert not model(engine).embed(["anything"]).any()


def test_what_is_missing_is_named(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.phrases", None)
    with pytest.raises(MissingExtra, match=r'pip install .*\[hybrid\]"'):
        engine.train_word2vec()


def test_acronyms_are_found_where_they_are_defined() -> None:
    twice = [
        "Nationally Determined Contributions (NDCs)", "the Nationally Determined Contribution (NDC)",
        "business as usual (BAU)", "a business-as-usual (BAU) scenario", "only once (OO)", "no relation (XYZ)" * 2,
        "Carbon Price (CP) here", "Central Park (CP) there", "Common Policy (CP) too",
    ]  # fmt: skip
    acronyms = Acronyms()
    for content in twice:
        acronyms.count(content)
    assert acronyms.with_agreement() == {
        "ndc": ("nationally", "determined", "contribution"),
        "bau": ("business", "usual"),
    }


def test_terms_are_joined_longest_first() -> None:
    terms = Terms(frozenset({("climate", "change"), ("climate", "change", "act")}), {"bau": ("business", "usual")})
    assert terms.join(["climate", "change", "acts", "bau", "business", "usual", "climate"]) == [
        "climate_change_act", "business_usual", "climate",
    ]  # fmt: skip
