"""The scripts of `training` import each other by name, as they do when one is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "training"))
