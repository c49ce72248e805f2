"""Checks arguments by the name of their parameter, so that a wrong type does not fail deep inside the engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from multihop.errors import InvalidInput
from multihop.protocols.index import Embedder
from multihop.protocols.parts import RelationJudge
from multihop.protocols.reading import Reader, Verifier
from multihop.types import Document

_Kind = tuple[str, Callable[[Any], bool]]


def _a(*classes: Any) -> Callable[[Any], bool]:
    # In Python, True is a number, and a class has every method of a protocol that its instances keep.
    return lambda value: isinstance(value, classes) and not isinstance(value, bool | type)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_flag(value: object) -> bool:
    # By value, since the booleans of NumPy are of a type of their own.
    return isinstance(value, Hashable) and value in (True, False)


def _by_name(kinds: Mapping[str, _Kind]) -> dict[str, _Kind]:
    return {name: kind for names, kind in kinds.items() for name in names.split()}


_REQUIRED = _by_name({
    "path": ("a path or a URL", _a(str, os.PathLike)),
    "id prefix search field pattern": ("a text", _a(str)),
    "documents": ("a multihop.Document or a list of them", lambda v: isinstance(v, Document) or _is_list(v)),
    "engines": ("a mapping from name to engine", _a(Mapping)),
    "questions turns passages": ("a list", _is_list),
    "limit": ("a whole number, 0 or more", lambda v: _a(Integral)(v) and v >= 0),
    "wait": ("a number of seconds", _a(Real)),
    "create distribute replace reset_options dry_run fresh rebuild repair": ("True or False", _is_flag),
    "warn check": ("a function", callable),
})  # fmt: skip
_OPTIONAL = _by_name({
    "source": ("a path", _a(str, os.PathLike)),
    "embedder": ("an embedder or the name of one", _a(str, Embedder)),
    "reader": ("a multihop.protocols.Reader", _a(Reader)),
    "verifier": ("a multihop.protocols.Verifier", _a(Verifier)),
    "judge": ("a multihop.protocols.RelationJudge", _a(RelationJudge)),
    "tokens": ("a whole number from 1 on", lambda v: _a(Integral)(v) and v >= 1),
    "start": ("a whole number, 0 or more", lambda v: _a(Integral)(v) and v >= 0),
    "names": ("a multihop.index.readers.SourceNames", lambda v: hasattr(v, "give")),
    "ids": ("the id of a document or a list of ids", lambda v: isinstance(v, str) or _is_list(v)),
    "metadata": ("a mapping from field to value", _a(Mapping)),
    "format encoding metadata_from_path text_field title_field id_field": ("a text", _a(str)),
    "rules": ("a list", _is_list),
    "vectors whole keep_versions": ("True or False", _is_flag),
    "progress on_problem on_change on_hop on_evidence on_draft on_words": ("a function", callable),
})  # fmt: skip


def check_arguments(given: Mapping[str, Any]) -> None:
    """Raise for an argument of a wrong type; takes the `locals()` with which a method begins."""
    for name, value in given.items():
        kind = _REQUIRED.get(name) or (_OPTIONAL.get(name) if value is not None else None)
        if kind and not kind[1](value):
            raise InvalidInput(f"{name} must be {kind[0]}; got {value!r:.60}")
