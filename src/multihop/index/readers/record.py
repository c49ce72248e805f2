"""From a record (an object of a JSON file, a row of a CSV file) to a `Document`: what fields mean, what is allowed.

BEIR ({"_id", "title", "text", "metadata"}) and the usual variants of it are understood.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.errors import InvalidRecord
from multihop.index.streams import Seen
from multihop.types import ALLOW, Document, Metadata, Scalar, native

ID_FIELDS = ("id", "_id", "pid", "doc_id")
TEXT_FIELDS = ("text", "contents", "body", "content", "page_content")
FIELDS = (*ID_FIELDS, *TEXT_FIELDS, "title", "metadata", "aliases")


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Names of the fields for text, title and id; the first one present counts."""

    text: tuple[str, ...] = TEXT_FIELDS
    title: tuple[str, ...] = ("title",)
    id: tuple[str, ...] = ID_FIELDS

    @classmethod
    def of(cls, text: str | None, title: str | None, id: str | None) -> FieldNames:
        """Use the given names, and the default ones for the others."""
        given = {"text": text, "title": title, "id": id}
        return cls(**{field: (name,) for field, name in given.items() if name})

    @property
    def special(self) -> frozenset[str]:
        return frozenset((*self.text, *self.title, *self.id, "metadata", "aliases"))


USUAL = FieldNames()
MAX_ID = 512
MAX_DEPTH = 8
NOBODY = f"the field {ALLOW!r} names nobody; list who may read the document, or leave it out for everybody"

_Value = Scalar | tuple[Scalar, ...]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_IN_ID = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,17})?")
# Vertical tabs and the old separators stand between words, so they must not glue them together.
_SEPARATORS = {0x0B: "\n"} | dict.fromkeys(range(0x1C, 0x20), " ")


class FreshIds:
    """The ids of one reading: each is given once.

    Records that bring no id are named the same way in every run: "Title", then "Title~2", "Title~3".
    """

    def __init__(self) -> None:
        self._taken = Seen()
        self._counts: dict[str, int] = {}
        self.owner: Callable[[str], str | None] = lambda _: None
        """Says of an id which file the index has it from, if that is not the one being read."""

    def pick(self, place: str, title: str) -> str:
        """Return an id not given before: the title, or the place where the record stands when there is none."""
        # Sixteen characters are left for the number that may follow.
        name = title if title and len(title) <= MAX_ID - 16 and not _NOT_IN_ID.search(title) else place
        fresh, count = name, self._counts.get(name, 1)
        while self.owner(fresh) is not None or not self._taken.add(fresh):
            count += 1
            fresh = f"{name}~{count}"
            # Where counting goes on: a million records of one title would try a million numbers each.
            self._counts[name] = count
        return fresh

    def claim(self, id: str) -> None:
        """Take the id that a record brings, or raise when another one has it."""
        owner = self.owner(id)
        if owner is not None or not self._taken.add(id):
            which = "read before" if owner is None else f"of the file {owner!r}"
            raise InvalidRecord(
                f"the id {id!r} is that of a document {which}; give each its own, or leave the field out to have one "
                "generated"
            )


def to_document(
    record: object,
    source: str,
    line: int | None,
    fallback_id: Callable[[str], str],
    claim: Callable[[str], object] | None = None,
    fields: FieldNames = USUAL,
) -> Document:
    """Turn one record into a document, or raise an `InvalidRecord` that carries the file and the line.

    A record without id gets what `fallback_id` makes of its title; `claim` hears of the ids of all others, and raises
    for one that is taken. Fields that have no meaning of their own become metadata when they hold a scalar or a list
    of texts; other structures at the top level are left out, while under "metadata" they are flattened.
    """
    try:
        if not isinstance(record, dict):
            raise InvalidRecord(f"a record must be an object with a text, not {_kind(record)}")
        # A copy, since fields are taken out of it one by one and the record is the caller's.
        return _document(dict(record), fallback_id, claim, fields)
    except InvalidRecord as invalid:
        raise InvalidRecord(invalid.problem, source=source, line=line) from None


def _document(
    record: dict[str, object],
    fallback_id: Callable[[str], str],
    claim: Callable[[str], object] | None,
    fields: FieldNames,
) -> Document:
    text = _text(_take(record, fields.text), fields.text)
    title = _title(_take(record, fields.title))
    identity = _take(record, fields.id)
    aliases = _aliases(record.pop("aliases", None))
    nested = record.pop("metadata", None)
    # The usual short form; a "meta" that holds no object is a field like others.
    if nested is None and isinstance(record.get("meta"), Mapping):
        nested = record.pop("meta")
    metadata = _metadata({k: v for k, v in record.items() if k == ALLOW or _is_plain(v)}) if record else {}
    if nested is not None:
        metadata.update(_metadata(nested if isinstance(nested, Mapping) else {"metadata": nested}))
    id = checked_id(fallback_id(title) if identity is None else identity)
    document = Document(id, text, title, metadata, aliases)
    if identity is not None and claim is not None:
        claim(document.id)
    return document


def _metadata(given: Mapping[str, object]) -> dict[str, _Value]:
    metadata = dict(_flat(given.items()))
    # What is left out elsewhere would make a document public here.
    if given.get(ALLOW) is not None and ALLOW not in metadata:
        raise InvalidRecord(NOBODY)
    return metadata


def _take(record: dict[str, object], names: tuple[str, ...]) -> object:
    for name in names:
        if record.get(name) is not None:
            return record.pop(name)
    return None


def clean(text: str) -> str:
    """Drop lone surrogates and control characters other than line breaks, form feeds (page breaks) and tabs."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text):
        text = _CONTROL.sub("", text.translate(_SEPARATORS))
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def parse_cell(cell: str) -> Scalar:
    """Read a bare word of a CSV cell or of front matter: numbers and true/false when nothing is lost by it."""
    if cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    if not (match := _NUMBER.fullmatch(cell)):
        return cell
    value = float(cell) if match[1] else int(cell)
    # "007" and "1.50" are not the numbers 7 and 1.5: what cannot be written back stays text.
    return value if str(value) == cell else cell


def checked_id(id: object) -> str:
    """Return the id as a string, or raise if it is invalid."""
    if isinstance(id, bool) or not isinstance(id, str | int | float):
        raise InvalidRecord(f"the id must be a text or a number, not {_kind(id)}")
    name = str(id)
    if not name.strip():
        raise InvalidRecord("the id is empty; give one, or in a file leave the field out to have one generated")
    if len(name) > MAX_ID:
        raise InvalidRecord(f"the id has {len(name)} characters; at most {MAX_ID} are allowed: {name[:40]!r}…")
    if control := _NOT_IN_ID.search(name):
        raise InvalidRecord(f"the id holds the control character {control.group()!r}: {name[:80]!r}")
    return name


def checked_metadata(metadata: Mapping[Any, Any]) -> Metadata:
    """Return metadata with dates as texts and numbers of NumPy as those of Python, or raise for other values."""
    checked: dict[str, _Value] = {}
    for field, value in metadata.items():
        values = tuple(map(native, value if isinstance(value, tuple | list) else (value,)))
        for each in values:
            # NaN equals nothing, and JSON has no word for it or for infinity.
            finite = not isinstance(each, float) or math.isfinite(each)
            if not isinstance(field, str) or not isinstance(each, Scalar) or not finite:
                raise InvalidRecord(
                    f"metadata {field!r}: {each!r:.80}; "
                    "allowed are texts, finite numbers, booleans, dates, and lists of them"
                )
        checked[field] = values if isinstance(value, tuple | list) else values[0]
    return checked


def _text(value: object, names: tuple[str, ...]) -> str:
    if value is None:
        which = f"one of the fields {', '.join(names)}" if names[1:] else f"the field {names[0]}"
        raise InvalidRecord(f"there is no text; {which} is needed")
    if not isinstance(value, str):
        raise InvalidRecord(f"the text must be a string, not {_kind(value)}")
    # Form feeds stay, so that the pages after empty ones keep their numbers.
    text = clean(value).strip(" \t\r\n")
    if not text.strip():
        raise InvalidRecord("the text is empty")
    return text


def _title(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidRecord(f"the title must be a string, not {_kind(value)}")
    return " ".join(clean(str(value)).split())


def _aliases(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InvalidRecord(f"the field 'aliases' must be a list of strings, not {_kind(value)}")
    aliases = (" ".join(clean(name).split()) for name in names)
    return tuple(dict.fromkeys(name for name in aliases if name))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) or (isinstance(value, list) and all(isinstance(v, str) for v in value))


def _flat(items: Iterable[tuple[str, object]], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, _Value]]:
    """Yield each field with its value. What no filter could use is written as JSON: an odd field costs no record."""
    for key, value in items:
        name = prefix + clean(str(key))
        if isinstance(value, list | tuple):
            yield from _several(name, value, depth)
        elif isinstance(value, Mapping) and depth < MAX_DEPTH:
            yield from _flat(value.items(), f"{name}.", depth + 1)
        elif value is not None:
            yield name, _scalar(value)


def _several(name: str, values: Sequence[object], depth: int) -> Iterator[tuple[str, _Value]]:
    """Yield a list as one field, or a list of objects as one field for each of their keys."""
    objects = [value for value in values if isinstance(value, Mapping)]
    if not objects or len(objects) < len(values) or depth >= MAX_DEPTH:
        if scalars := tuple(_scalar(value) for value in values if value is not None):
            yield name, scalars
        return
    columns: dict[str, list[Scalar]] = {}
    for each in objects:
        for field, value in _flat(each.items(), f"{name}.", depth + 1):
            columns.setdefault(field, []).extend(value if isinstance(value, tuple) else (value,))
    yield from ((field, tuple(dict.fromkeys(scalars))) for field, scalars in columns.items())


def _scalar(value: object) -> Scalar:
    match value:
        case str():
            return clean(value)
        case bool():
            return value
        # What the databases can hold; larger ones are kept as text.
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case int() | float():
            return str(value)
    try:
        return clean(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError, TypeError):
        return _kind(value)


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            kinds = sorted({"a list" if isinstance(v, list | tuple) else _kind(v) for v in value})
            return f"a list ({', '.join(kinds)})" if kinds else "an empty list"
        case Mapping():
            return "an object"
    return type(value).__name__
