from __future__ import annotations

from pathlib import Path

from multihop import Document, Engine
from multihop.rendering.chain import chain_lines
from multihop.types import Result

QUESTION = "Who drew the ship that Amundsen borrowed?"


def passage_text(result: Result, id: str) -> str:
    return next(e.passage.text for e in result.evidence if e.passage.id == id)


def test_the_chain_leads_from_the_question_to_the_answer(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=8)
    assert [(link.source, link.target, link.kind, link.name) for link in result.chain.links] == [
        ("", "roald-amundsen#0", "named", "Amundsen"),
        ("roald-amundsen#0", "fram-ship#0", "mentions", "Fram"),
        ("fram-ship#0", "colin-archer#0", "mentions", "Colin Archer"),
    ]
    assert chain_lines(result, result.chain)[2].startswith("Fram (ship) – “Colin Archer drew her lines")


def test_quotes_stand_where_they_say_they_do(sample: Engine) -> None:
    for strategy in ("auto", "bm25", "aspects", "graph"):
        result = sample.retrieve(QUESTION, k=8, strategy=strategy)
        for link in result.chain.links:
            quote = link.quote
            source = passage_text(result, quote.passage_id) if quote.passage_id else QUESTION
            assert source[quote.start : quote.end] == quote.text
            assert link.kind == "words" or link.name in quote.text


def test_every_passage_is_in_one_part_and_sources_come_first(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=8)
    chain = result.chain
    parts = [*chain.passages, *chain.supporting, *chain.filling]
    assert sorted(parts) == sorted(e.passage.id for e in result.evidence)
    for place, link in enumerate(chain.links):
        assert not link.source or link.source in chain.passages[:place]
    assert {chain.part_of(id) for id in chain.passages} == {"chain"}
    assert {chain.part_of(id) for id in chain.filling} == {"filling"}


def test_both_sides_of_a_comparison_hang_on_the_question(sample: Engine) -> None:
    chain = sample.retrieve("Who was born first, Roald Amundsen or Fridtjof Nansen?", k=5).chain
    named = {link.target: link.source for link in chain.links if link.kind == "named"}
    assert named == {"roald-amundsen#0": "", "fridtjof-nansen#0": ""}


def test_nonsense_has_no_chain(sample: Engine) -> None:
    assert not sample.retrieve("xqzzyv wplk", k=5).chain.links


def test_the_chain_is_part_of_the_serialized_result(sample: Engine) -> None:
    row = sample.retrieve(QUESTION, k=3).to_dict()
    first = row["chain"]["links"][0]
    assert first["quote"] == {"passage_id": "", "text": "Amundsen", "start": 23, "end": 31}
    assert set(row["chain"]) == {"links", "supporting", "filling"}


def test_rows_of_others_lead_to_no_part_of_the_chain(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "ships.mh", create=True) as engine:
        engine.add([
            Document(
                "fleet", "name: Kittiwake · engineer: Pia Holm\n\nname: Sandpiper · engineer: Jon Berg", "Fleet"
            ),
            Document("pia", "Pia Holm was born in Sandnes.", "Pia Holm"),
            Document("jon", "Jon Berg was born in Narvik.", "Jon Berg"),
        ])  # fmt: skip
        for ship, town, path in (
            ("Kittiwake", "Sandnes", ("fleet#0", "pia#0")),
            ("Sandpiper", "Narvik", ("fleet#0", "jon#0")),
        ):
            answer = engine.answer(f"Where was the engineer of the {ship} born?")
            assert (answer.text, answer.chain.passages) == (town, path)
