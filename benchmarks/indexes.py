"""Indexes of the benchmark corpora, built once and kept between runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from multihop import Engine
from multihop.evaluation.datasets import Dataset
from multihop.protocols import Embedder


def index_path(folder: Path, dataset: Dataset, corpus: str | None) -> Path:
    # EX-FEVER claims are about the HoVer corpus.
    name = "hover" if dataset.name == "exfever" else dataset.name
    return folder / f"{name}{'-' + corpus if corpus else ''}.mh"


def open_index(
    folder: Path, dataset: Dataset, corpus: str | None, *, anew: bool = False, embedder: Embedder | None = None
) -> Engine:
    """Open the index of a dataset's corpus, building it when it is not there."""
    path = index_path(folder, dataset, corpus)
    if embedder is not None:
        path = path.with_name(f"{path.stem}-{embedder.identity.partition(':')[0]}.mh")
    finished = path / "complete"
    if anew or not finished.exists():
        shutil.rmtree(path, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        with Engine.open(path, create=True, embedder=embedder) as engine:
            engine.add(dataset.documents(), whole=dataset.whole)
        finished.touch()
    return Engine.open(path, embedder=embedder)
