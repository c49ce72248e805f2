"""Writes what multihop registers itself (`src/multihop/registry/built_in.toml`) into the metadata of the package."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class BuiltInEntryPoints(MetadataHookInterface):
    """Adds the entry points of the built-in strategies, stores, readers and the rest."""

    def update(self, metadata: dict[str, Any]) -> None:
        table = Path(self.root, "src", "multihop", "registry", "built_in.toml").read_text(encoding="utf-8")
        metadata["entry-points"] = tomllib.loads(table)
