"""The same results on every processor: on this one as the table says, and on an emulated one without AVX-512."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..disturbance import LARGEST_DIFFERENCE
from . import computed

QEMU = shutil.which("qemu-x86_64")
TABLE: computed.Table = json.loads(Path(computed.__file__).with_suffix(".json").read_text(encoding="utf-8"))
"""As computed by a Xeon with AVX-512 and VNNI; `computed.py` says how to write it anew when the models change."""
BOUNDS = {"ranker": LARGEST_DIFFERENCE, "encoder": 0.02, "reader": 0.2, "verifier": 0.1}
"""How far two processors may be apart: in logits, similarities, and probabilities twice."""


def differences(found: computed.Table) -> list[str]:
    assert {name: len(values) for name, values in found.items()} == {name: len(TABLE[name]) for name in BOUNDS}
    return [
        f"{name}, value {place}: {own} instead of {expected}; see tests/models/computed.py if the model changed"
        for name, bound in BOUNDS.items()
        for place, (own, expected) in enumerate(zip(found[name], TABLE[name], strict=True))
        if abs(own - expected) > bound
    ]


@pytest.mark.usefixtures("read_anew")
def test_this_processor_computes_what_another_did() -> None:
    assert differences(computed.computed()) == []


def test_the_table_tells_relevant_texts_from_others() -> None:
    assert max(TABLE["ranker"]) - min(TABLE["ranker"]) > 20 * LARGEST_DIFFERENCE
    assert max(TABLE["encoder"]) - min(TABLE["encoder"]) > 20 * BOUNDS["encoder"]
    assert all(max(TABLE[name]) - min(TABLE[name]) > 4 * BOUNDS[name] for name in ("reader", "verifier"))


def test_a_value_beyond_the_bound_is_reported() -> None:
    [said] = differences({**TABLE, "ranker": [TABLE["ranker"][0] + 2 * LARGEST_DIFFERENCE, *TABLE["ranker"][1:]]})
    assert said.startswith("ranker, value 0: ")


@pytest.mark.release
@pytest.mark.skipif(QEMU is None or platform.machine() != "x86_64", reason="needs x86-64 and qemu-user")
def test_an_emulated_processor_without_avx512_computes_the_same() -> None:
    done = subprocess.run(
        [str(QEMU), "-cpu", "Haswell", sys.executable, computed.__file__],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        timeout=1800,
    )
    assert differences(json.loads(done.stdout)) == []
