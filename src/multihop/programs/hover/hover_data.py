"""The dataset: claims of three hops as DSPy examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multihop.evaluation.datasets import load
from multihop.programs.questions import examples


def hover_data(folder: str | Path | None = None, *, split: str = "dev") -> list[Any]:
    """Load the three-hop claims of HoVer's official files as examples with `claim` and `supporting_facts`."""
    return examples(load("hover", folder, split=split, hops=3))
