"""Text in a passage may instruct a model, and the model may obey: the result keeps its size and its ids."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from multihop import Engine
from multihop.errors import NoVerdict
from multihop.testing import sample_documents, sample_questions
from multihop.testing.lm import ScriptedLM
from multihop.types import Query, Result

from .able import able
from .injections import INJECTIONS, Injection

QUESTION = sample_questions()[0]
K = 6
NAMES = ("auto", "gap", "gap-documented", "listwise", "listwise-documented")
_DANGEROUS = (
    "os.system",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "socket.connect",
    "os.remove",
    "urllib.Request",
)
_heard: list[str] | None = None


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if _heard is not None and event in _DANGEROUS:
        _heard.append(f"{event} {arguments!r:.200}")


sys.addaudithook(_listen)


@contextmanager
def _listening() -> Iterator[list[str]]:
    global _heard
    _heard = []
    yield _heard
    _heard = None


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What was called meanwhile that could do harm."""
    with _listening() as heard:
        yield heard


class Obeyed(NamedTuple):
    """What a strategy found with a model that obeyed, the model, and what was called that could do harm."""

    result: Result
    lm: ScriptedLM
    heard: list[str]


@pytest.fixture(scope="module", params=INJECTIONS, ids=lambda i: i.text[:30])
def injected(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, Injection]]:
    """The sample corpus, with the injection in every passage that answers the question and in some others."""
    injection: Injection = request.param
    chosen = {*QUESTION.gold, "roald-amundsen"}
    documents = [
        replace(d, text=f"{d.text}\n{injection.text}") if d.id in chosen or i % 10 == 0 else d
        for i, d in enumerate(sample_documents())
    ]
    folder: Path = tmp_path_factory.mktemp("injected")
    with Engine.open(folder / "index.mh", create=True) as engine:
        engine.add(documents, whole=True)
        yield engine, injection


def obeying(injection: Injection) -> ScriptedLM:
    """A model that does what the passage says, in whatever field it can."""

    def script(step: str, inputs: Mapping[str, str]) -> Any:
        if "documents" not in inputs and "sentences" not in inputs:
            return able(step, inputs)
        fields = able(step, inputs) or {}
        return {
            name: injection.numbers
            if name in ("ranked_ids", "deciding")
            else value
            if isinstance(value, str)
            else injection.texts
            for name, value in fields.items()
        }

    return ScriptedLM(script)


@pytest.fixture(scope="module")
def obeyed(injected: tuple[Engine, Injection]) -> Callable[[str], Obeyed]:
    """Ask with a model that obeys, once for each strategy."""
    engine, injection = injected

    @cache
    def ask(name: str) -> Obeyed:
        lm = obeying(injection)
        with _listening() as heard:
            return Obeyed(engine.retrieve(QUESTION.text, k=K, strategy=name, lm=lm), lm, heard)

    return ask


def test_there_are_enough() -> None:
    assert len(INJECTIONS) >= 20


@pytest.mark.release  # an index for each injection
@pytest.mark.parametrize("name", NAMES)
def test_an_obeying_model_changes_neither_number_nor_ids(
    name: str, injected: tuple[Engine, Injection], obeyed: Callable[[str], Obeyed]
) -> None:
    engine, _ = injected
    result, lm, heard = obeyed(name)
    ids = [e.passage.id for e in result]
    assert len(ids) == len(set(ids)) == K
    stored = engine.store.view().passages(ids)
    assert all(stored[e.passage.id] == e.passage for e in result)
    assert all(
        len(f.query.text) <= 400
        for hop in result.trace.hops
        for f in hop.found
        if isinstance(f.query, Query) and f.query.text != QUESTION.text
    )
    assert sum(len(hop.found) for hop in result.trace.hops) < 40
    assert heard == []
    assert any("documents" in a.inputs for a in lm.asked), "the model saw the passages"


def test_the_best_evidence_of_auto_stays(injected: tuple[Engine, Injection], obeyed: Callable[[str], Obeyed]) -> None:
    engine, _ = injected
    honest = engine.retrieve(
        QUESTION.text,
        k=K,
        lm=ScriptedLM(lambda step, inputs: able(step, inputs) if step == "claim_decomposition" else ""),
    )
    assert {e.passage.id for e in honest.evidence[:2]} <= {e.passage.id for e in obeyed("auto").result}


def test_a_verdict_quotes_only_what_is_there(injected: tuple[Engine, Injection], heard: list[str]) -> None:
    engine, injection = injected

    def script(step: str, inputs: Mapping[str, str]) -> Any:
        return {"verdict": "supported", "deciding": injection.numbers} if step == "claim_verdict" else None

    try:
        verdict = engine.verdict(QUESTION.text, k=K, strategy="bm25", lm=ScriptedLM(script))
    except NoVerdict:
        return
    texts = {e.passage.id: e.passage.text for e in verdict.result}
    assert all(texts[s.quote.passage_id][s.quote.start : s.quote.end] == s.quote.text for s in verdict.sentences)
    assert heard == []


def test_what_looks_like_a_field_marker_is_broken_in_the_prompt(obeyed: Callable[[str], Obeyed]) -> None:
    assert all(a.step != "unknown" for a in obeyed("gap").lm.asked)


def test_a_claim_that_instructs_is_data_too(sample: Engine) -> None:
    for injection in INJECTIONS:
        claim = f"Ships. {injection.text}"[:5000]
        lm = obeying(injection)
        for name in ("gap", "listwise"):
            result = sample.retrieve(claim, k=K, strategy=name, lm=lm)
            assert len({e.passage.id for e in result}) == K
        assert all(a.step != "unknown" for a in lm.asked)
