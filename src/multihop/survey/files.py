"""The folder of a survey: one JSON file for each group and method, reports, tables, and an overview.

Files are written atomically, so an interrupted survey leaves no partial file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from multihop import text
from multihop.errors import InvalidInput
from multihop.profiles.values import Profile
from multihop.rendering.csv import to_csv
from multihop.rendering.files import write_atomically
from multihop.rendering.xlsx import workbook, workbook_of
from multihop.survey import report
from multihop.survey.answers import HOP, METHODS, GroupAnswers, Survey, from_dict, without_passages
from multihop.survey.overview import overview
from multihop.survey.table import findings_table, passages_table, values_table

CSV = "survey.csv"
XLSX = "survey.xlsx"
PASSAGES = "passages.csv"
OVERVIEW = "index.html"
OVERVIEW_TEXT = "overview.md"
_DEVICE = re.compile("con|prn|aux|nul|(?:com|lpt)[0-9]")
"""Reserved device names on Windows, with any extension."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The output folder of the answers; without a path, nothing is written."""

    path: Path | None
    field: str

    @classmethod
    def open(cls, path: Path | str | None, field: str) -> Folder:
        if path is None:
            return cls(None, field)
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{str(folder)!r} is a file; give a folder for the survey")
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, field)

    def read(self, group: str, method: str) -> GroupAnswers | None:
        """Return the answers of an earlier run, if they can be read."""
        if self.path is None:
            return None
        earlier = self._load(self.path / f"{stem(group, method)}.json")
        return earlier if earlier and (earlier.group, earlier.method) == (group, method) else None

    def write(self, answers: GroupAnswers) -> None:
        if self.path is not None:
            write_atomically(self.path / f"{stem(answers.group, answers.method)}.json", answers.to_json())

    def finish(self, survey: Survey, profile: Profile) -> None:
        """Write the reports, the table and the overview for everything in the folder."""
        if self.path is None:
            return
        everything = self._merge(survey, profile)
        names = {(g.group, g.method): stem(g.group, g.method) for g in everything.groups}
        header, rows = findings_table(everything)
        write_atomically(self.path / CSV, to_csv(header, rows))
        write_atomically(self.path / XLSX, workbook(header, rows, everything.profile, links="url"))
        passages = passages_table(self.field, self._earlier_answers(names.values(), profile))
        write_atomically(self.path / PASSAGES, to_csv(*passages))
        write_atomically(self.path / OVERVIEW, overview(everything, profile, names))
        write_atomically(self.path / OVERVIEW_TEXT, report.overview_text(everything, names))

    def _earlier_answers(self, stems: Iterable[str], profile: Profile) -> Iterator[GroupAnswers]:
        """Yield the answers group by group, so that only one is in memory."""
        for name in stems:
            data, sheet, page = ((self.path or Path()) / f"{name}{suffix}" for suffix in (".json", ".md", ".html"))
            answers = self._load(data)
            if answers is None:
                continue
            if _older(page, data) or _older(sheet, data):
                write_atomically(sheet, report.markdown(answers, profile))
                write_atomically(page, report.html(answers, profile))
            yield answers

    def _merge(self, survey: Survey, profile: Profile) -> Survey:
        """Add the groups that earlier surveys of the profile left in the folder.

        They are loaded without passage texts, to bound memory.
        """
        merged: dict[tuple[str, str], GroupAnswers] = {}
        for file in sorted(self.path.glob("*.json")) if self.path else ():
            answers = self._load(file)
            if answers is not None and answers.profile == profile.name and answers.method in METHODS:
                merged[answers.group, answers.method] = without_passages(answers)
        # In a fixed order, whichever survey wrote the files.
        groups = tuple(merged[key] for key in sorted(merged, key=lambda k: (k[0], METHODS.index(k[1]))))
        asked = {a.number for g in groups for a in g.answers}
        labels = {q.number: q.label or q.text for q in profile.questions if q.number in asked}
        return replace(survey, groups=groups, questions=labels)

    def _load(self, file: Path) -> GroupAnswers | None:
        try:
            return from_dict(json.loads(file.read_text("utf-8")), self.field)
        # A foreign file, or one of another version, is not fatal; its group is asked again.
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None


def write_table(survey: Survey, path: Path) -> None:
    """Write the values as a table with a row for each group; in a workbook, a second sheet has the sources."""
    header, rows = values_table(survey)
    if path.suffix.lower() == ".csv":
        write_atomically(path, to_csv(header, rows))
    else:
        write_atomically(path, workbook_of({"table": (header, rows), "sources": findings_table(survey)}, links="url"))


def stem(group: str, method: str) -> str:
    """Return the file name of a group: readable and unique."""
    plain = "-".join(text.words(group))
    safe = "".join(c for c in plain if c.isascii())[:60].strip("-")
    # A digest keeps similar names apart, so that no group overwrites another.
    if not _ordinary(group, safe):
        mark = hashlib.sha256(group.encode("utf-8", "replace")).hexdigest()[:4]
        safe = f"{safe}-{mark}" if safe else mark
    return f"{safe}.hop" if method == HOP else safe


def _ordinary(group: str, safe: str) -> bool:
    """Return whether a name is unique without a digest: capitalized words, small words and blanks."""
    words = group.split(" ")
    spelled = all(w in text.STOPWORDS or w == w.capitalize() for w in words)
    return spelled and safe == "-".join(w.lower() for w in words) and not _DEVICE.fullmatch(safe)


def _older(one: Path, other: Path) -> bool:
    """Return whether a file is older than another, or missing."""
    try:
        return one.stat().st_mtime_ns < other.stat().st_mtime_ns
    except FileNotFoundError:
        return True
