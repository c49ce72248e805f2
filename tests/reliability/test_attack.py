"""The attacks of `benchmarks/attack.py`: what they compare differs in nothing but the right to see it."""

from __future__ import annotations

import runpy
from pathlib import Path

from multihop.testing import sample_documents

ATTACK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "attack.py"))


def test_the_secret_word_stands_in_no_public_document() -> None:
    public = " ".join(f"{document.title} {document.text}" for document in sample_documents()).lower()
    assert ATTACK["SECRET"] in ATTACK["PRIVATE"].text
    assert not [word for word in (ATTACK["SECRET"], ATTACK["UNKNOWN"]) if word in public]
