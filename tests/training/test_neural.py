"""The way from questions to a ranker, in small: a base of random weights, a few steps, and the ONNX file in use."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from multihop.models.onnx import Model
from multihop.models.ranker import Ranker

from .test_training import data, run

__all__ = ["data"]


@pytest.mark.training
def test_a_ranker_is_trained_and_exported(data: Path, tmp_path: Path) -> None:
    transformers = importlib.import_module("transformers")
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    transformers.BertModel(transformers.BertConfig(vocab_size=30522, **small)).save_pretrained(tmp_path / "base")
    pools = ["--indexes", tmp_path, "--out", tmp_path / "pools", "--processes", 1, "--pairs", 12]
    run("pools.py", "hotpotqa:40", "--data", data, *pools)
    base, out = tmp_path / "base", tmp_path / "ranker"
    said = run(
        "ranker.py", "--pools", tmp_path / "pools", "--student", base, "--layers", 2, "--out", out,
        "--steps", 2, 4, "--groups", 2, "--every", 2, "--workers", 0,
    )  # fmt: skip
    assert "l2 step 4" in said
    written = run(
        "export.py", "ranker", "--base", base, "--layers", 2, "--state", out / "l2.pt", "--out", tmp_path / "r.onnx"
    )
    assert "largest difference from what was trained" in written
    ranker = Ranker(Model(onnxruntime.InferenceSession(tmp_path / "r.onnx")))
    scores = ranker.score("Who designed the Fram?", [("Fram: a ship.", ""), ("Tea: a drink.", "Tea is drunk.")])
    assert np.isfinite(scores).all()
    assert scores[0] != scores[1]
