from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import Engine
from multihop.answering.answers import read
from multihop.answering.nested_questions import nested_question, read_nested
from multihop.answering.spans import AnswerSources

from .scripted import ScriptedReader


def test_reading_in_two_steps_leaves_the_scores_of_passages_alone(sample: Engine) -> None:
    asked = "Where was the naval architect of the Fram born?"
    script = {"Who is the naval architect of the Fram?": {"Colin Archer": 0.9}, "": {"Larvik": 0.8}}
    index = sample.index()
    result = sample.retrieve(asked, k=8)
    _, readings = read(result, index)
    before = [reading.score for reading in readings]
    found = read_nested(asked, AnswerSources(index, readings, result.chain, ScriptedReader(script), None), ())
    assert found is not None
    assert found.best is not None
    assert (found.best.text, [inner.text for inner in found.inner]) == ("Larvik", ["Colin Archer"])
    assert [reading.score for reading in readings] == before


def test_the_outer_question_is_not_read_for_an_answer_that_could_not_be_preferred(sample: Engine) -> None:
    asked = "Where was the naval architect of the Fram born?"
    inner, outer = "Who is the naval architect of the Fram?", "Where was Colin Archer born?"
    index, result = sample.index(), sample.retrieve(asked, k=8)
    _, readings = read(result, index)
    for sure, asked_for in ((1.0, {inner}), (0.1, {inner, outer})):
        reader = ScriptedReader({inner: {"Colin Archer": 0.9}, "": {"Larvik": 0.9}})
        sources = AnswerSources(index, readings, result.chain, reader, None)
        direct = [replace(found, confidence=sure) for found in sources.read(asked)]
        reader.shown.clear()
        found = read_nested(asked, sources, direct)
        assert found is not None
        assert {question for question, _ in reader.shown} == asked_for
        assert (found.best is not None) == (outer in asked_for)


@pytest.mark.parametrize(
    ("asked", "inner", "outer"),
    [
        ("Where was the architect of the Fram born?", "Who is the architect of the Fram?", "Where was X born?"),
        ("When did the owner of the Gjøa die?", "Who is the owner of the Gjøa?", "When did X die?"),
        (
            "Who founded the company that pays for the Nordvik study?",
            "Which company pays for the Nordvik study?",
            "Who founded X?",
        ),
        (
            "Which ward does the leader of the Nordvik study work on?",
            "Who is the leader of the Nordvik study?",
            "Which ward does X work on?",
        ),
        ("Who drew the ship that Amundsen borrowed?", "Which ship is it that Amundsen borrowed?", "Who drew X?"),
        (
            "Which truck is driven by the man who tested the Kestrel 40?",
            "Who tested the Kestrel 40?",
            "Which truck is driven by X?",
        ),
        (
            "How long is the quay at which Vega is refitted?",
            "Which quay is it at which Vega is refitted?",
            "How long is X?",
        ),
        (
            "What is the phone of the person responsible for Oslo?",
            "Who is responsible for Oslo?",
            "What is the phone of X?",
        ),
        (
            "When did the office open in which the leader of the Nordvik project sits?",
            "Which office is it in which the leader of the Nordvik project sits?",
            "When did X open?",
        ),
        (
            "What does a meter of the hose cost that is laid in Oslo?",
            "Which hose is laid in Oslo?",
            "What does a meter of X cost?",
        ),
        ("Where was the man born who drew the Fram?", "Who drew the Fram?", "Where was X born?"),
        ("When was the road opened that leads to Oslo?", "Which road leads to Oslo?", "When was X opened?"),
        ("Who manages the office that gets a new bench?", "Which office gets a new bench?", "Who manages X?"),
        ("Who is the deputy of the head of sales?", "Who is the head of sales?", "Who is the deputy of X?"),
        (
            "From which city does the owner of the component concerned by Q-7 work?",
            "Which component is concerned by Q-7?",
            "From which city does the owner of X work?",
        ),
        ("Who sails the ship launched in Bergen?", "Which ship is launched in Bergen?", "Who sails X?"),
    ],
)
def test_the_inner_question_and_the_one_around_it(asked: str, inner: str, outer: str) -> None:
    nested = nested_question(asked)
    assert nested is not None
    assert (nested.inner, nested.about("X")) == (inner, outer)


@pytest.mark.parametrize(
    "asked",
    [
        "Who is the head of the Department of Cardiology?",
        "What is the name of the man that drew the Fram?",
        "How much oil does the gear of the Kestrel 40 need?",
        "How many women worked there at the end of 2025?",
        "Who is the head of sales?",
        "Where was the founder of the company born?",
        "Is the architect of the Fram older than Amundsen?",
        "When was the ship launched in Bergen?",
        "",
    ],
)
def test_other_questions_ask_for_one_thing(asked: str) -> None:
    assert nested_question(asked) is None
