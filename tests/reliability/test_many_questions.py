"""A process that answers for weeks does not grow: a million different questions, in the long form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ..faults.process import answer
from . import asker
from .soak import rounds

pytestmark = pytest.mark.release  # hundreds of questions

MIB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="how much memory a process holds is asked of Linux")
def test_questions_leave_nothing_behind(tmp_path: Path) -> None:
    questions = rounds(150, 1_000_000)
    memory = answer(asker.__file__, tmp_path, questions)
    told = f"{questions:,} questions: {memory['early'] // MIB} MiB after a tenth, {memory['late'] // MIB} at the end\n"
    sys.stderr.write(told)
    assert memory["empty"] == 0
    # Caches fill up, to a bound that does not depend on how many questions there were.
    assert memory["late"] - memory["early"] < 64 * MIB
