from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine

DOCUMENTS = [
    Document("a", "Ada Holm grew up by the sea. She was a film director and painter.", "Ada Holm"),
    Document("b", "Bo Lind is a Swedish film director.", "Bo Lind (director)"),
    Document("c", "Cy Dahl is a Danish boxer.", "Cy Dahl"),
    Document("d", "Holm is a small island.", "Holm"),
]


@pytest.mark.parametrize(
    ("question", "answer", "ids"),
    [
        ("Were both Ada Holm and Bo Lind film directors?", "yes", ["a", "b"]),
        ("Are Bo Lind and Ada Holm both known as directors?", "yes", ["b", "a"]),
        ("Are Bo Lind and Cy Dahl both Danish?", "no", ["b", "c"]),
        ("Are both Bo Lind or Cy Dahl boxers?", "no", ["b", "c"]),
    ],
)
def test_whether_both_are_something_is_decided_by_their_passages(
    tmp_path: Path, question: str, answer: str, ids: list[str]
) -> None:
    with Engine.open(tmp_path / "people.mh", create=True) as engine:
        engine.add(DOCUMENTS)
        found = engine.answer(question, k=4, models=False)
    assert (found.text, found.kind, found.answered) == (answer, "yes or no", True)
    assert [s.quote.passage_id for s in found.sentences] == [f"{id}#0" for id in ids]
    assert found.confidence == found.sentences[0].confidence
    if "Ada" in question:
        assert "She was a film director and painter." in {s.quote.text for s in found.sentences}


@pytest.mark.parametrize(
    "question",
    [
        "Are Bo Lind and Cy Dahl of the same nationality?",
        "Are both Bo Lind and Nobody Known Danish?",
        "Are both Bo Lind and Cy Dahl?",
        "Is Cy Dahl a boxer?",
    ],
)
def test_other_questions_are_not_decided(tmp_path: Path, question: str) -> None:
    with Engine.open(tmp_path / "people.mh", create=True) as engine:
        engine.add(DOCUMENTS)
        assert engine.answer(question, k=4, models=False).text not in ("yes", "no")
