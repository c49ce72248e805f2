"""The same scores on every processor: the ranker on an emulated one without AVX-512, beside this one."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys

import pytest

from multihop.models import ranker

from ..disturbance import LARGEST_DIFFERENCE

QEMU = shutil.which("qemu-x86_64")
SCORE = """
import json, sys
from multihop.models import ranker
print(json.dumps([ranker().score(question, pairs).tolist() for question, pairs in json.load(sys.stdin)]))
"""
QUESTIONS = (
    (
        "Who drew the ship that Amundsen borrowed?",
        [
            ("Fram (ship): The Fram is a wooden schooner. Colin Archer drew her lines.", "Amundsen took the Fram."),
            ("Tea: Tea is made of the leaves of a shrub. Architects like to drink it.", ""),
        ],
    ),
    (
        "Which rule must a firm follow when it keeps records of complaints?",
        [("4.2.1 A firm must keep a record of each complaint for six years.", ""), ("7.1 Fees are due in May.", "")],
    ),
)  # fmt: skip


@pytest.mark.release
@pytest.mark.usefixtures("read_anew")
@pytest.mark.skipif(QEMU is None or platform.machine() != "x86_64", reason="needs x86-64 and qemu-user")
def test_an_emulated_processor_without_avx512_gives_the_same_scores() -> None:
    model = ranker()
    assert model is not None
    own = [score for question, pairs in QUESTIONS for score in model.score(question, pairs).tolist()]
    done = subprocess.run(
        [str(QEMU), "-cpu", "Haswell", sys.executable, "-c", SCORE],
        input=json.dumps(QUESTIONS),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        timeout=1800,
    )
    emulated = [score for scores in json.loads(done.stdout) for score in scores]
    assert emulated == pytest.approx(own, abs=LARGEST_DIFFERENCE)
    assert max(own) - min(own) > 20 * LARGEST_DIFFERENCE
