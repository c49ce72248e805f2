"""Words for languages, months, numbers, currencies and the types of columns."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

VOCABULARY: dict[str, Any] = tomllib.loads((files(__package__) / "vocabulary.toml").read_text("utf-8"))
