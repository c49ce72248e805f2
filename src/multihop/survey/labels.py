"""Infers missing labels of a document (country, language, date and version) from its name and front page.

Files are often called "NDC/Japan/Japan First NDC 2021-10-22 (English).pdf". The document's metadata come first, then
the name of the file, its folders from the innermost out, its title, and its front page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date as day
from itertools import islice, tee
from pathlib import PurePosixPath

from multihop.engine import Engine
from multihop.profiles.values import Profile
from multihop.protocols import Progress
from multihop.rendering.phrases import one_line, pluralize
from multihop.survey.countries import EUROPEAN_UNION, countries_in, usual_name
from multihop.survey.vocabulary import VOCABULARY
from multihop.types import Document

_FRONT = 3000
"""Characters of the text that count as the front page."""
_TOP = 400
"""Characters in which a date is that of the document; further down, it is the date of something else."""
_MAINLY = 1.5
"""How many times as often as any other a front page names the country that it is about."""
_PART = 200
"""Documents per batch."""
_SAID = 5
"""Maximum number of documents without a group that are named; the others are counted."""
_OTHER_FIELDS = {"date": ("submission_date", "submitted", "published", "publication_date")}
_LANGUAGES: dict[str, list[str]] = VOCABULARY["languages"]
_COMMON: dict[str, str] = VOCABULARY["frequent"]
_SCRIPTS = {"Arabic": "[\u0600-\u06ff]", "Russian": "[\u0400-\u04ff]", "Chinese": "[\u4e00-\u9fff]"}
_MONTHS = {name: number for number, names in enumerate(VOCABULARY["months"]["names"], 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NUMERIC = re.compile(r"(?<!\d)(20[0-2]\d|199\d)[-_. ]?(0[1-9]|1[0-2])[-_. ]?(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_MONTH = re.compile(r"(?<!\d)(20[0-2]\d|199\d)[-_.](0[1-9]|1[0-2])(?!\d)")
_NAMED = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|er)?(?: of| de)? )?(?P<m>{_MONTH})\.?"
    r"(?: (?P<d2>\d{1,2})(?:st|nd|rd|th)?,?)?,?(?: de| of)? (?P<y>199\d|20[0-2]\d)\b",
    re.IGNORECASE,
)
# The years of a period such as 2021-2030 are not dates.
_YEAR = re.compile(r"(?<!\d)(?<!\d[-–])(199\d|20[0-2]\d)(?!\d|[-–]\d)")
_ORDINALS: dict[str, str] = VOCABULARY["ordinals"]
_ORDINAL = re.compile(
    rf"\b({'|'.join(_ORDINALS)})\b[ _-]*(?:updated |enhanced )?(?:ndc|nationally|national|update)", re.I
)
_NUMBERED = re.compile(r"\b(?:ndc|version|ver|v)[ _.-]?(\d(?:\.\d)?)(?![\d.])", re.IGNORECASE)
_UPDATED = re.compile(r"\b(?:updated?|revised|enhanced)\b", re.IGNORECASE)
_INTENDED = re.compile(r"\bi-?ndcs?\b|\bintended nationally\b", re.IGNORECASE)


def add_labels(documents: Iterable[Document], profile: Profile, say: Callable[[str], object]) -> Iterator[Document]:
    """Add the labels of a profile to documents that lack them.

    `say` gets one line for each document without a group (if others have one), and for two documents with the same
    group and date.
    """
    seen: dict[tuple[str, str], str] = {}
    unknown: list[str] = []
    found_one = False
    # Files are identified by id; a label with their name would merge files of the same title.
    wanted = {field: kind for field, kind in profile.labels if kind != "file"}
    for document in documents:
        labels = labels_of(document, wanted.items())
        metadata = {**document.metadata, **{k: v for k, v in labels.items() if v}}
        if profile.group in wanted and not metadata.get(profile.group):
            unknown.append(document.id)
        else:
            found_one = True
        if metadata.get(profile.group) and metadata.get("date"):
            key = (str(metadata[profile.group]), str(metadata["date"]))
            if key in seen:
                say(f"{document.id}: {' of '.join(key)} is also that of {seen[key]}; both are read")
            seen.setdefault(key, document.id)
        yield replace(document, metadata=metadata)
    # If no document has a group, the profile does not fit, which is reported elsewhere.
    if found_one:
        for id in unknown[:_SAID]:
            say(f"{id}: no {profile.group} in its name, folder or front page; give it one in a metadata.csv")
        if more := len(unknown[_SAID:]):
            say(f"{pluralize(more, 'more document')} without a {profile.group}")


def labels_of(document: Document, wanted: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Find the labels of a profile: existing ones in their common spelling, missing ones inferred."""
    labels: dict[str, str] = {}
    for field, kind in wanted:
        own = next(filter(None, map(document.metadata.get, (field, *_OTHER_FIELDS.get(kind, ())))), None)
        if isinstance(own, str) and own.strip():
            labels[field] = (usual_name(own) or own.strip()) if kind == "country" else own.strip()
        elif not own:
            labels[field] = _RECOGNIZERS[kind](_Sheet(document))
    return labels


class _Sheet:
    """The sources of a document's labels, the most reliable first."""

    def __init__(self, document: Document) -> None:
        path = PurePosixPath(document.id.replace("\\", "/"))
        # Only a known file suffix is cut off.
        self.name = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", path.name)
        self.folders = [p for p in reversed(path.parts[:-1]) if p not in ("/", ".", "..")]
        self.title = document.title if document.title != self.name else ""
        self.front = document.text[:_FRONT]

    @property
    def names(self) -> list[str]:
        return [self.name, *self.folders, self.title]


def _country(sheet: _Sheet) -> str:
    for source in sheet.names:
        # The first one named; the European Union only if there is no other.
        if countries := sorted(countries_in(source, codes=True), key=lambda name: name == EUROPEAN_UNION):
            return countries[0]
    (country, times), (_, others) = [*countries_in(sheet.front).most_common(2), ("", 0), ("", 0)][:2]
    # A text that names several countries alike is about none of them.
    return country if times > _MAINLY * others else ""


def _language(sheet: _Sheet) -> str:
    """Detect the language of the text, or take it from the name if that fails."""
    for language, letters in _SCRIPTS.items():
        if len(re.findall(letters, sheet.front)) * 4 > len(sheet.front):
            return language
    words = Counter(re.findall(r"\w+", sheet.front.lower()))
    scores = {language: sum(words[w] for w in common.split()) for language, common in _COMMON.items()}
    # Ties are broken by name, for a stable result.
    best = max(scores, key=lambda language: (scores[language], language))
    if scores[best] >= 5:
        return best
    tokens = [token for source in sheet.names for token in re.split(r"[\W_]+", source)]
    spelled = {name: language for language, names in _LANGUAGES.items() for name in names}
    # Two-letter codes only in capitals, since "de" and "es" are words.
    known = (spelled.get(t.lower(), "") for t in tokens if len(t) > 2 or t.isupper())
    return next(filter(None, known), "")


def _date(sheet: _Sheet) -> str:
    """Return the date from the name, the top of the front page, or a folder: 2021-10-22, 2021-10 or 2021."""
    top = " ".join(sheet.front.split())[:_TOP]
    dates = (
        _numeric_date(sheet.name), _named_date(sheet.name), _named_date(sheet.title), _named_date(top),
        _year(sheet.name), *map(_numeric_date, sheet.folders),
        *(_numeric_date(folder, _YEAR_MONTH) for folder in sheet.folders), *map(_year, sheet.folders),
        _year(sheet.title),
    )  # fmt: skip
    return next(filter(None, dates), "")


def _numeric_date(source: str, pattern: re.Pattern[str] = _NUMERIC) -> str:
    match = pattern.search(source)
    return "-".join(match.groups()) if match else ""


def _year(source: str) -> str:
    years = (m[1] for m in _YEAR.finditer(source) if int(m[1]) <= day.today().year)
    return next(years, "")


def _named_date(source: str) -> str:
    """Parse "21 September 2015", "September 3rd, 2015" or "August 2015"."""
    for match in _NAMED.finditer(re.sub(r"[\s_]+", " ", source)):
        number, of_month = _MONTHS[match["m"].lower()], match["d"] or match["d2"]
        month = f"{match['y']}-{number:02}"
        return f"{month}-{int(of_month):02}" if of_month and 1 <= int(of_month) <= 31 else month
    return ""


def _version(sheet: _Sheet) -> str:
    """Return the version number and whether it is an update: "1", "1, updated", "intended"."""
    for source in (sheet.name, sheet.title, *sheet.folders, " ".join(sheet.front[:600].split())):
        spaced = source.replace("_", " ")
        ordinal, numbered = _ORDINAL.search(spaced), _NUMBERED.search(spaced)
        number = _ORDINALS[ordinal[1].lower()] if ordinal else numbered[1] if numbered else ""
        updated = "updated" if _UPDATED.search(spaced) else ""
        intended = "intended" if not number and _INTENDED.search(spaced) else ""
        if said := ", ".join(part for part in (number or intended, updated) if part):
            return said
    return ""


_RECOGNIZERS: dict[str, Callable[[_Sheet], str]] = {
    "country": _country, "language": _language, "date": _date, "version": _version,
    "file": lambda sheet: one_line(sheet.title or sheet.name), "folder": lambda sheet: next(iter(sheet.folders), ""),
}  # fmt: skip


def label_index(
    engine: Engine, profile: Profile, say: Callable[[str], object], progress: Progress | None = None
) -> int:
    """Add missing labels to the documents of an index; returns the number of changed documents.

    Texts do not change, so nothing is embedded again. An index that has not changed since is skipped.
    """
    if labels_known(engine, profile):
        return 0
    wanted = [field for field, kind in profile.labels if kind != "file"]
    lacking = [listed.id for listed in engine.documents() if not all(map(listed.metadata.get, wanted))]
    passages = engine.index().passages
    held, again = tee(filter(None, map(engine.document, lacking)))
    written = Counter[str]()
    changed = _changed(zip(held, add_labels(again, profile, say), strict=True), written)
    number = 0
    # In batches, to bound memory.
    while part := list(islice(changed, _PART)):
        single = passages.passages_of([d.id for d in part], 2)
        for whole in (False, True):
            # A document that was added as one passage stays one passage.
            if documents := [d for d in part if (len(single.get(d.id, ())) == 1) is whole]:
                engine.add(documents, whole=whole, progress=progress)
        number += len(part)
    if written:
        filled = ", ".join(f"{field} of {pluralize(count, 'document')}" for field, count in written.items())
        say(f"labels written into the index: {filled}")
    engine.store.put_blob(_labels_blob(profile), b"")
    return number


def _changed(documents: Iterable[tuple[Document, Document]], written: Counter[str]) -> Iterator[Document]:
    """Yield the documents that changed, and count the fields that did."""
    for before, after in documents:
        if after != before:
            written.update(f for f, value in after.metadata.items() if value != before.metadata.get(f))
            yield after


def labels_known(engine: Engine, profile: Profile) -> bool:
    """Return whether the labels are up to date with the index, or the profile has none."""
    looked_at = engine.store.get_blob(_labels_blob(profile))
    return not profile.labels or bool(looked_at and looked_at[0] == engine.store.generation)


def _labels_blob(profile: Profile) -> str:
    return f"labels.{profile.labels!r}"
