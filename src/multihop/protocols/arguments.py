"""Refuses arguments of a wrong type, by the name of their parameter, before they fail somewhere deep inside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import isfunction, signature
from numbers import Integral, Real
from typing import Any, TypeVar

from multihop.errors import InvalidInput
from multihop.protocols.index import Embedder
from multihop.protocols.parts import RelationJudge
from multihop.protocols.reading import Reader, Verifier
from multihop.types import Document

T = TypeVar("T")
_Kinds = tuple[tuple[Any, ...], str]
_TEXT: _Kinds = ((str,), "a text")
_LIST: _Kinds = ((Iterable,), "a list")
_FUNCTION: _Kinds = ((Callable,), "a function")
_ARGUMENTS: Mapping[str, _Kinds] = {
    "path": ((str, os.PathLike), "a path or a URL"),
    "embedder": ((str, Embedder), "an embedder or the name of one"),
    "reader": ((Reader,), "a multihop.protocols.Reader"),
    "verifier": ((Verifier,), "a multihop.protocols.Verifier"),
    "judge": ((RelationJudge,), "a multihop.protocols.RelationJudge"),
    "engines": ((Mapping,), "a mapping from name to engine"),
    "documents": ((Document, Iterable), "a multihop.Document or a list of them"),
    "ids": ((str, Iterable), "the id of a document or a list of ids"),
    "metadata": ((Mapping,), "a mapping from field to value"),
    "wait": ((Real,), "a number of seconds"),
    "limit": ((Integral,), "a whole number"),
    **dict.fromkeys(("questions", "turns", "rules"), _LIST),
    **dict.fromkeys(("id", "prefix", "search", "field", "format", "encoding", "metadata_from_path"), _TEXT),
    **dict.fromkeys(("text_field", "title_field", "id_field"), _TEXT),
    **dict.fromkeys(("progress", "warn", "on_problem", "on_change", "check"), _FUNCTION),
    **dict.fromkeys(("on_hop", "on_evidence", "on_draft", "on_words"), _FUNCTION),
}


def checks_arguments(cls: type[T]) -> type[T]:
    """Check the arguments of every public method of a class; the default of a parameter is always allowed."""
    for name, method in vars(cls).items():
        if isfunction(method) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, _checked(method))
        elif isinstance(method, classmethod):
            setattr(cls, name, classmethod(_checked(method.__func__)))
    return cls


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    takes = signature(method)
    usual = {name: each.default for name, each in takes.parameters.items() if name in _ARGUMENTS}

    if not usual:
        return method

    @wraps(method)
    def check_and_call(*args: Any, **options: Any) -> Any:
        try:
            given = takes.bind(*args, **options).arguments
        except TypeError:
            return method(*args, **options)  # Python says better than bind what is missing or too many
        for name, default in usual.items():
            value = given.get(name, default)
            if value is not default:
                _check(name, value)
        return method(*args, **options)

    return check_and_call


def _check(name: str, value: object) -> None:
    kinds, wording = _ARGUMENTS[name]
    others = tuple(kind for kind in kinds if kind is not Iterable)
    # A text and a mapping can be iterated over as well, but are not lists.
    listed = Iterable in kinds and isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    if isinstance(value, bool) or not (listed or isinstance(value, others)):
        raise InvalidInput(f"{name} must be {wording}; got {value!r:.60}")
