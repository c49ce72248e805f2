"""Arguments of a wrong type: every public method of the engine refuses them by name."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput, MultihopError
from multihop.protocols.arguments import check_arguments
from multihop.types import RequestOptions

from .answering.scripted import ScriptedReader

WORDED = {"claim": "a question is", "where": "filter", "lm": "a language model is", "strategy": "a strategy is"}
"""Messages that call a parameter otherwise than by its name."""
GIVEN = {
    "question": "Who?", "claim": "The Fram is a ship.", "questions": ["Who?"], "path": "x.mh", "field": "kind",
    "documents": [], "engines": {},
}  # fmt: skip
"""Valid arguments, for the parameters that have no default."""


def cases() -> Iterator[tuple[str, str]]:
    """Yield every parameter of every public method."""
    for name, method in inspect.getmembers(Engine, inspect.isroutine):
        if not name.startswith("_") or name == "__init__":
            for parameter in inspect.signature(method).parameters.values():
                if parameter.kind is parameter.VAR_KEYWORD:
                    yield from ((name, option) for option in (*RequestOptions.__annotations__, "unknown"))
                elif parameter.name not in ("self", "derived"):
                    yield name, parameter.name


async def finish(waiting: Awaitable[Any] | AsyncIterator[Any]) -> None:
    if isinstance(waiting, Awaitable):
        await waiting
    else:
        async for _ in waiting:
            pass


@pytest.mark.parametrize(("method", "parameter"), list(cases()))
def test_an_argument_of_a_wrong_type_is_refused_by_its_name(sample: Engine, method: str, parameter: str) -> None:
    called: Any = Engine if method == "__init__" else getattr(sample, method)
    required = {p.name for p in inspect.signature(called).parameters.values() if p.default is p.empty}
    given = {name: valid for name, valid in {**GIVEN, "store": sample.store}.items() if name in required}
    with pytest.raises(MultihopError, match=WORDED.get(parameter, parameter)):
        returned = called(**given | {parameter: object()})
        # The others raise when they are awaited or read.
        asyncio.run(finish(returned)) if isinstance(returned, Awaitable | AsyncIterator) else list(returned)


def test_an_optional_argument_may_be_none_and_a_required_one_may_not(sample: Engine) -> None:
    check_arguments({"progress": None, "whole": None, "anything else": 5})
    with pytest.raises(InvalidInput, match="field must be a text; got None"):
        sample.values(None)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("wait", True),
        ("limit", 2.5),
        ("limit", -1),
        ("create", "no"),
        ("reader", ScriptedReader),
        ("documents", {"id": "a"}),
        ("questions", "Who?"),
        ("metadata", [("a", 1)]),
    ],
)
def test_arguments_that_look_right(name: str, wrong: object) -> None:
    with pytest.raises(InvalidInput, match=f"{name} must be"):
        check_arguments({name: wrong})


def test_options_of_many_questions_are_refused_once(sample: Engine) -> None:
    with pytest.raises(InvalidInput, match="unknown argument 'kk'"):
        sample.retrieve_many(["Who?"], kk=3)  # type: ignore[call-arg]  # that is the point
    with pytest.raises(InvalidInput, match="did you mean 'bm25'"):
        sample.retrieve_many(["Who?"], strategy="bm52")


def test_numbers_of_numpy_and_dates_are_taken(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        about: Any = {
            "year": np.int64(1990),
            "part": [np.float32(0.5)],
            "open": np.bool_(True),
            "day": date(2024, 5, 3),
        }
        engine.add(Document("a", "Fog on the coast.", metadata=about))
        document = engine.document("a")
        assert document is not None
        assert document.metadata == {"year": 1990, "part": (0.5,), "open": True, "day": "2024-05-03"}
        one: Any = np.int64(1)
        assert engine.values("year", limit=one) == [(1990, 1)]
        where = {"year": {"gte": np.int64(1990)}, "open": np.True_, "day": {"lte": date(2024, 5, 3)}}
        options: Any = {"k": one, "at_most": {"year": one}, "models": np.False_}
        result = engine.retrieve("Fog", where=where, keep=where, **options)
        assert [e.passage.document_id for e in result] == ["a"]
        assert '"day": {"lte": "2024-05-03"}' in result.to_json()
        [hint] = engine.filter_hints({"year": np.int64(3)})
        assert hint.text == "no document has year = 3: its numbers go from 1990 to 1990"
        assert engine.delete(np.array(["a", "b"])).documents == 1
