"""The rows of a survey (files, countries, …), and the selection of rows and questions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from multihop.engine import Engine
from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.index.streams import in_batches
from multihop.profiles.values import Profile, ProfileQuestion
from multihop.rendering.phrases import one_line, pluralize
from multihop.survey.countries import EUROPEAN_UNION, MEMBERS, usual_name
from multihop.types import Listed, Request, Where
from multihop.types.dates import format_day
from multihop.types.requests import ANY_DAY

FILE, TITLE, FOLDER = "file", "title", "folder"
"""Fields to group documents by, besides their metadata."""
_BATCH = 500
_SAID = 5
"""Number of groups with several documents, and of documents of each, that a note names."""


class Group(NamedTuple):
    """A row of a survey: the filter that selects its documents, and their ids."""

    where: Where
    documents: tuple[str, ...]


def groups_of(engine: Engine, profile: Profile, as_of: str | None = None) -> dict[str, Group]:
    """Return the groups of documents that are valid on a day, by name; documents without a group are under ""."""
    by_file = profile.group == FILE or dict(profile.labels).get(profile.group) == FILE
    # Fixed now, since the engine may stay open past midnight.
    day = Request("survey", as_of=as_of).day
    key = f"survey.groups.{profile.group}.{by_file}.{day}"
    return engine.store.view().get_or_make(
        key, lambda: _groups(list(_valid_documents(engine, as_of)), profile.group, by_file=by_file)
    )


def _valid_documents(engine: Engine, as_of: str | None) -> Iterator[Listed]:
    """List the documents that are valid on a day."""
    passages = engine.index(as_of=as_of).passages
    for batch in in_batches(engine.documents(), _BATCH):
        held = passages.passages_of([document.id for document in batch], 1)
        yield from (document for document in batch if document.id in held)


def _note_left_out(engine: Engine, profile: Profile, held: Mapping[str, Group], as_of: str | None) -> list[str]:
    """Note the documents that are left out because they are not valid on the day."""
    if (day := Request("survey", as_of=as_of).day) is None:
        return []
    every, inside = groups_of(engine, profile, ANY_DAY), {id for group in held.values() for id in group.documents}
    left = [id for id in dict.fromkeys(id for group in every.values() for id in group.documents) if id not in inside]
    if not left:
        return []
    named = ", ".join(one_line(id) for id in left[:_SAID]) + (", …" if len(left) > _SAID else "")
    return [f"left out because they are not valid on {format_day(day)}: {named}; --as-of any includes them"]


def _groups(listed: Sequence[Listed], field: str, *, by_file: bool) -> dict[str, Group]:
    members: dict[str, list[str]] = defaultdict(list)
    filters: dict[str, Where] = {}
    files = [document for document in listed if by_file and not str(document.metadata.get(field, "")).strip()]
    named = _file_names(files, whole=field == FILE)
    for document in listed:
        if document.id in named:
            continue
        own = _own_groups(document, field)
        for value in own if isinstance(own, tuple) else (own,):
            name = str(value) if str(value).strip() else ""
            members[name].append(document.id)
            is_field = field in document.metadata or field not in (TITLE, FOLDER)
            filters[name] = {field: value} if is_field else {"$ids": members[name]}
    for id, short in named.items():
        # Files with the same name are not merged.
        name = id if short in members else short
        members[name], filters[name] = [id], {"$ids": [id]}
    return {name: Group(filters[name], tuple(members[name])) for name in sorted(members)}


def _own_groups(document: Listed, field: str) -> object:
    if field == TITLE and field not in document.metadata:
        return one_line(document.title)
    if field == FOLDER and field not in document.metadata:
        return str(PurePosixPath(document.id.replace("\\", "/")).parent)
    value = document.metadata.get(field, "")
    # A document about several countries belongs to each.
    return tuple(dict.fromkeys(value)) if isinstance(value, tuple) else value


def _file_names(files: Sequence[Listed], *, whole: bool) -> dict[str, str]:
    """Name files by title if that is unique, and otherwise by id."""
    if whole:
        return {document.id: document.id for document in files}
    short = {d.id: one_line(d.title) or PurePosixPath(d.id.replace("\\", "/")).stem for d in files}
    shared = Counter(short.values())
    return {id: name if shared[name] == 1 and name.strip() else id for id, name in short.items()}


def chosen_groups(
    engine: Engine, profile: Profile, wanted: Iterable[str] | None, as_of: str | None = None
) -> tuple[dict[str, Group], list[str]]:
    """Return the selected groups (all by default), and notes on merged and omitted documents."""
    if not profile.group:
        raise InvalidInput(
            f'the profile {profile.name!r} has no key for the groups of documents; add one, such as group = "country"'
        )
    every = groups_of(engine, profile, as_of)
    known = {name: group for name, group in every.items() if name}
    if not known:
        fields = engine.stats().fields
        raise InvalidInput(
            f"no document has the metadata field {profile.group!r}, by which documents are grouped into rows; "
            + (f"known fields: {', '.join(fields)}" if fields else "its documents have no metadata")
        )
    if wanted is None:
        without = len(every[""].documents) if "" in every else 0
        unlabeled = f"in no group: {pluralize(without, 'document')} without {profile.group!r}"
        left = _note_left_out(engine, profile, every, as_of)
        return known, [*_list_joined(known, profile.group), *([unlabeled] if without else []), *left]
    notes: list[str] = []
    folded = {name.casefold(): name for name in known}
    is_country = dict(profile.labels).get(profile.group) == "country"
    chosen: dict[str, Group] = {}
    unknown: list[str] = []
    for name in dict.fromkeys(wanted):
        if not str(name).strip():
            some = ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else "")
            raise InvalidInput(f"the name of the {profile.group} is empty; known: {some}")
        usual = name if name in known or not is_country else usual_name(name) or name
        usual = usual if usual in known else folded.get(usual.casefold(), usual)
        # Members of the Union have a joint contribution.
        shared = EUROPEAN_UNION if is_country and usual in MEMBERS and usual not in known else usual
        if shared not in known:
            unknown.append(f"no document has the {profile.group} {name!r}: {suggestion(name, known)}")
            continue
        if shared != usual:
            notes.append(f"{usual} shares the contribution of the {shared}")
        chosen[usual] = known[shared]
    # A misspelled name among others is a note; without any valid name, it is an error.
    if unknown and not chosen:
        raise UnknownName("; ".join(unknown))
    return chosen, [*notes, *unknown, *_list_joined(chosen, profile.group)]


def _list_joined(groups: Mapping[str, Group], field: str) -> list[str]:
    """Note which documents share a row."""
    several = {name: group.documents for name, group in groups.items() if len(group.documents) > 1}
    said = [f"{name} ({_list_some(documents)})" for name, documents in list(several.items())[:_SAID]]
    if more := len(several) - len(said):
        said.append(f"{more:,} more")
    return [f"several documents in one row, by {field!r}: {'; '.join(said)}"] if said else []


def _list_some(documents: Sequence[str]) -> str:
    more = len(documents) - _SAID
    return ", ".join(documents[:_SAID]) + (f" and {more:,} more" if more > 0 else "")


def chosen_questions(profile: Profile, wanted: Iterable[int] | None) -> tuple[ProfileQuestion, ...]:
    """Return the questions of a profile with these numbers (all by default)."""
    known = {q.number: q for q in profile.questions}
    if not known:
        raise InvalidInput(f"the profile {profile.name!r} has no questions; add [[questions]] tables to it")
    if wanted is None:
        return profile.questions
    asked = sorted(set(wanted))
    for number in asked:
        if number not in known:
            raise UnknownName(
                f"the profile {profile.name!r} has no question {number!r}; its questions are 1 to {len(known)}"
            )
    return tuple(known[n] for n in asked)
