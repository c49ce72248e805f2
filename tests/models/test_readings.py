"""What tests keep of the models is what the models say, and that depends on nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from multihop.models import onnx
from multihop.models.encoder import Encoder
from multihop.models.onnx import OnnxModel, load
from multihop.models.ranker import Ranker
from multihop.models.reader import BuiltInReader, BuiltInVerifier

from ..readings import KeptModel

ASKED = "Who drew the ship that Amundsen borrowed?"
TEXTS = ["Fram: Colin Archer drew her lines.", "Tea: A drink of leaves.", "\udc80 half a character"]


def ranks(model: OnnxModel) -> object:
    several = Ranker(model).score(ASKED, [(text, "") for text in (*TEXTS, TEXTS[0])])
    assert several.tolist() == [Ranker(model).score(ASKED, [(text, "")])[0] for text in (*TEXTS, TEXTS[0])]
    return several.tolist()


def encodes(model: OnnxModel) -> object:
    several = Encoder(model).vectors(TEXTS)
    assert np.array_equal(several[1:2], Encoder(model).vectors(TEXTS[1:2]))
    return several.tolist()


def reads(model: OnnxModel) -> object:
    judged = BuiltInVerifier(model).verify(ASKED, TEXTS)
    assert judged[1] == BuiltInVerifier(model).verify(ASKED, TEXTS[1:2])[0]
    return BuiltInReader(model).read(ASKED, TEXTS), judged


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(onnx, "_THREADS", threads)
        model = load("reader")
        assert model is not None
        reading = BuiltInReader(model).read(ASKED, TEXTS * 20)
        said.append([reading.none, *(span.probability for span in reading.spans)])
    assert np.allclose(said, said[0], atol=1e-4)


@pytest.mark.parametrize(("name", "use"), [("ranker", ranks), ("encoder", encodes), ("reader", reads)])
def test_what_is_kept_is_what_the_model_says(name: str, use: Callable[[OnnxModel], object], tmp_path: Path) -> None:
    model = load(name)
    assert model is not None
    said = use(model)
    first, second = KeptModel(name, tmp_path), KeptModel(name, tmp_path)
    assert use(first) == use(first) == said
    assert use(second) == said
    assert "model" not in vars(second), "it had nothing to read"
