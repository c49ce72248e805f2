"""MuSiQue in its official files: musique_ans_v1.0_dev.jsonl and, with unanswerable twins, musique_full_v1.0_dev.jsonl.

Titles repeat, so gold is a paragraph: title and text. The full version holds every question twice under one id; the
twin without an answer lacks a gold paragraph on purpose and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from multihop.evaluation.datasets.hotpotqa import with_paragraphs
from multihop.evaluation.datasets.layout import DatasetParts, Place, files_in
from multihop.evaluation.datasets.paragraphs import draft
from multihop.evaluation.datasets.rows import rows

_FILE = re.compile(r"musique_(ans|full)_v[\d.]+_(train|dev|test)\.jsonl")


class MusiqueLayout:
    """Reads musique_ans_v1.0_<split>.jsonl; the full version by its name, or where only that is there."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        paths: dict[str, Path] = {}
        wanted = "full" if place.name == "musique-full" else "ans"
        for path, match in files_in(place.folder, _FILE) if place.name in ("", "musique", "musique-full") else ():
            if match[1] == wanted or place.name != "musique-full":
                paths[match[2]] = path if match[1] == wanted else paths.get(match[2], path)
        return paths

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        parts = with_paragraphs(place, path)
        return replace(parts, drafts=lambda: (draft(r) for r in rows(path) if r.fields.get("answerable") is not False))
