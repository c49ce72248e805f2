"""The manifest of a run: everything that is needed to repeat it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from multihop.errors import InvalidInput
from multihop.evaluation.datasets import Dataset
from multihop.evaluation.systems import Measured, describe
from multihop.lm import LmSpec, load_prompts
from multihop.types import Stats

_PACKAGES = ("multihop", "tantivy", "usearch", "numpy", "PyStemmer", "ahocorasick_rs", "bm25s", "wordllama", "dspy")


def manifest_of(
    dataset: Dataset,
    measured: Mapping[str, Measured],
    k: int,
    stats: Stats | None,
    embedder: str | None,
    lm: LmSpec | None,
) -> dict[str, Any]:
    """Write out what is measured on what; `stats` are those of the index, where one is searched."""
    asked = hashlib.blake2b("\0".join(f"{q.id}\0{q.text}" for q in dataset.questions).encode(), digest_size=16)
    return {
        "dataset": {
            "name": dataset.name, "split": dataset.split, "source": dataset.source, "notes": list(dataset.notes),
            "questions": len(dataset.questions), "questions_hash": asked.hexdigest(),
            "corpus_hash": dataset.corpus_hash(),
        },
        "index": {
            "passages": stats.passages if stats else dataset.corpus.size,
            "documents": stats.documents if stats else dataset.corpus.size,
            "generation": stats.generation if stats else None,
        },
        "systems": {name: describe(system, lm) for name, system in measured.items()},
        "k": k,
        "embedder": stats.embedder if stats and embedder else None,
        "lm": lm.describe() if lm else None,
        "prompts": prompts_of(tuple(measured), lm),
        # Bootstrap and randomization draw with this one, so that the same answers give the same intervals.
        "seed": 0,
        "versions": {"python": platform.python_version(), **_versions()},
    }  # fmt: skip


def prompts_of(systems: Sequence[str], lm: LmSpec | None) -> dict[str, str] | None:
    """Return the digest of each file of prompts; raises for one that no system would use."""
    digests: dict[str, str] = {}
    for file in lm.prompts if lm else ():
        prompts = load_prompts(file)
        # A file that is used by none would leave the reader believing that prompts were measured.
        if prompts.strategy not in systems:
            names = ", ".join(systems)
            raise InvalidInput(
                f"{str(file)!r} is for the strategy {prompts.strategy!r}, which is not measured: {names}"
            )
        if prompts.strategy in digests:
            raise InvalidInput(f"there are two files of prompts for the strategy {prompts.strategy!r}; give one")
        digests[prompts.strategy] = prompts.digest
    return digests or None


def _versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
