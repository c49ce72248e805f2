"""From a record (an object of a JSON file, a row of a CSV file) to a `Document`: what fields mean, what is allowed.

BEIR ({"_id", "title", "text", "metadata"}) and the usual variants of it are understood.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b

from multihop.errors import InvalidRecord
from multihop.types import Document, Scalar

ID_FIELDS = ("id", "_id", "pid", "doc_id")
TEXT_FIELDS = ("text", "contents", "body")
FIELDS = (*ID_FIELDS, *TEXT_FIELDS, "title", "metadata", "aliases")
MAX_ID = 512
MAX_DEPTH = 8

_Value = Scalar | tuple[Scalar, ...]

_ALLOWED = "allowed are text, finite 64-bit numbers, true and false, and lists of these"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_IN_ID = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,17})?")
# Form feeds and the old separators stand between words, so they must not glue them together.
_SEPARATORS = dict.fromkeys((0x0B, 0x0C), "\n") | dict.fromkeys(range(0x1C, 0x20), " ")


class FreshIds:
    """Names records that bring no id, the same way in every run: "Title", then "Title~2", "Title~3".

    It keeps eight bytes of hash for each name given, the only state of a reader that grows with the corpus.
    """

    def __init__(self) -> None:
        self._given: dict[int, int] = {}

    def pick(self, place: str, title: str) -> str:
        """Give an id not given before: the title, or the place where the record stands when there is none."""
        name = title if title and len(title) <= MAX_ID - 16 and not _NOT_IN_ID.search(title) else place
        key = _hash(name)
        count = self._given.get(key, 0)
        fresh, fresh_key = name, key
        while fresh_key in self._given:
            count += 1
            fresh = f"{name}~{count}"
            fresh_key = _hash(fresh)
        self._given[fresh_key] = 1
        self._given[key] = max(count, 1)
        return fresh


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def to_document(record: object, source: str, line: int | None, fallback_id: Callable[[str], str]) -> Document:
    """Turn one record into a document, or raise an `InvalidRecord` that carries the file and the line.

    A record without id gets what `fallback_id` makes of its title. Fields that have no meaning of their own become
    metadata when they hold a scalar or a list of texts; other structures at the top level are left out, while
    under "metadata" they are an error.
    """
    try:
        if not isinstance(record, dict):
            raise InvalidRecord(f"a record must be an object with a text, not {_kind(record)}")
        return _document(dict(record), fallback_id)
    except InvalidRecord as invalid:
        raise InvalidRecord(invalid.problem, source=source, line=line) from None


def _document(record: dict[str, object], fallback_id: Callable[[str], str]) -> Document:
    text = _text(_take(record, TEXT_FIELDS))
    title = _title(record.pop("title", None))
    identity = _take(record, ID_FIELDS)
    aliases = _aliases(record.pop("aliases", None))
    nested = record.pop("metadata", None)
    metadata = dict(_flat((k, v) for k, v in record.items() if _is_plain(v))) if record else {}
    if nested is not None:
        if not isinstance(nested, Mapping):
            raise InvalidRecord(f"the field 'metadata' must be an object, not {_kind(nested)}")
        metadata.update(_flat(nested.items()))
    identity = fallback_id(title) if identity is None else identity
    return Document(checked_id(identity), text, title, metadata, aliases)


def _take(record: dict[str, object], names: tuple[str, ...]) -> object:
    for name in names:
        if record.get(name) is not None:
            return record.pop(name)
    return None


def clean(text: str) -> str:
    """Drop control characters other than line breaks and tabs, and half characters that no encoding can hold."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text):
        text = _CONTROL.sub("", text.translate(_SEPARATORS))
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def typed(cell: str) -> Scalar:
    """Read a bare word of a CSV cell or of front matter: numbers and true/false when nothing is lost by it."""
    if cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    if not (match := _NUMBER.fullmatch(cell)):
        return cell
    value = float(cell) if match[1] else int(cell)
    return value if str(value) == cell else cell


def checked_id(id: object) -> str:
    """Give the id as a string, or raise when no document can be known by it."""
    if isinstance(id, bool) or not isinstance(id, str | int | float):
        raise InvalidRecord(f"the id must be a text or a number, not {_kind(id)}")
    name = str(id)
    if not name.strip():
        raise InvalidRecord("the id is empty; leave the field out to have one generated")
    if len(name) > MAX_ID:
        raise InvalidRecord(f"the id has {len(name)} characters, allowed are {MAX_ID}: {name[:40]!r}…")
    if found := _NOT_IN_ID.search(name):
        raise InvalidRecord(f"the id holds the control character {found.group()!r}: {name[:80]!r}")
    return name


def _text(value: object) -> str:
    if value is None:
        raise InvalidRecord(f"there is no text; one of the fields {', '.join(TEXT_FIELDS)} is needed")
    if not isinstance(value, str):
        raise InvalidRecord(f"the text must be a string, not {_kind(value)}")
    text = clean(value).strip()
    if not text:
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
    found = (" ".join(clean(name).split()) for name in names)
    return tuple(dict.fromkeys(name for name in found if name))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) or (isinstance(value, list) and all(isinstance(v, str) for v in value))


def _flat(items: Iterable[tuple[str, object]], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, _Value]]:
    if depth > MAX_DEPTH:
        raise InvalidRecord(f"the metadata field {prefix[:-1]!r} is nested deeper than {MAX_DEPTH} levels")
    for key, value in items:
        name = prefix + clean(str(key))
        if isinstance(value, Mapping):
            yield from _flat(value.items(), f"{name}.", depth + 1)
        elif isinstance(value, list | tuple):
            if several := tuple(_scalar(name, v, value) for v in value if v is not None):
                yield name, several
        elif value is not None:
            yield name, _scalar(name, value, value)


def _scalar(name: str, value: object, whole: object) -> Scalar:
    match value:
        case str():
            return clean(value)
        case bool():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
    shown = f"{value!r}" if isinstance(value, int | float) and len(repr(value)) < 40 else _kind(whole)
    raise InvalidRecord(f"the metadata field {name!r} holds {shown}; {_ALLOWED}")


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
