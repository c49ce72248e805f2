"""The datasets known by name: what they are, in which folders they lie, and where their authors publish them.

Addresses are those of the authors' own pages: hover-nlp.github.io, github.com/dependentsign/EX-FEVER (at the commit
that holds the tables), hotpotqa.github.io, github.com/Alab-NII/2wikimultihop, github.com/StonyBrookNLP/musique
(download_data.sh), fever.ai, huggingface.co/datasets/xlangai/BRIGHT, github.com/yixuantt/MultiHop-RAG,
huggingface.co/datasets/google/frames-benchmark, github.com/zhudotexe/fanoutqa, github.com/snap-research/locomo,
github.com/xiaowu0162/LongMemEval (its files at huggingface.co/datasets/xiaowu0162/longmemeval-cleaned),
huggingface.co/datasets/osunlp/HippoRAG_2 and github.com/beir-cellar/beir. Of these only BEIR publishes checksums (MD5,
in its table of datasets).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from multihop.evaluation.datasets.dataset import Dataset
from multihop.registry import Registry


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to download: its address and the name it gets; an archive is unpacked beside itself."""

    address: str
    name: str
    md5: str = ""
    unpack: bool = False


@dataclass(frozen=True, slots=True)
class KnownDataset:
    """A dataset that is known by name: what it is, and where it comes from."""

    description: str
    remotes: tuple[Remote, ...] = ()
    """Its files at their official addresses."""
    folders: tuple[str, ...] = ()
    """The folders in which it may lie, when not only in one of its own name."""
    read: Callable[[str], Dataset] | None = None
    """Reads a split of a dataset that comes with its package instead of in files; see `dataset_of`."""


DATASETS: Registry[KnownDataset] = Registry("multihop.datasets", KnownDataset)
"""The datasets that are known by name; any folder in one of their formats can be loaded by its path."""


@cache
def _catalog() -> Mapping[str, KnownDataset]:
    tables = tomllib.loads((files(__package__) / "catalog.toml").read_text(encoding="utf-8"))
    return {name: _make_dataset(**table) for name, table in tables.items()}


def _make_dataset(
    description: str,
    files: Mapping[str, Sequence[str]] = MappingProxyType({}),
    archive: Mapping[str, str] | None = None,
    folders: Sequence[str] = (),
) -> KnownDataset:
    """Return the dataset of a table of `catalog.toml`: names of files by the address they lie at, or an archive."""
    named = [(f"{base}/{name}", name) for base, names in files.items() for name in names]
    remotes = [Remote(address, name, unpack=name.endswith(".zip")) for address, name in named]
    return KnownDataset(description, (*remotes, *([Remote(**archive, unpack=True)] if archive else [])), tuple(folders))


def __getattr__(name: str) -> KnownDataset:
    try:
        return _catalog()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
