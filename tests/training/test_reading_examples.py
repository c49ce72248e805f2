"""Examples for the reader: spans decode to the answer wherever the text was cut, and labels follow the articles."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reading_examples
from contrast import Verdict
from reading_examples import (
    Examples,
    Kind,
    Subject,
    add_compared,
    add_comparisons,
    add_multihop,
    add_questions,
    add_unasked,
    add_written,
    compare,
    to_array,
)
from rows import (
    Pooled,
    Sources,
    compose,
    decode,
    document_of,
    draw_claim,
    draw_question,
    hold_out,
    judged_row,
    pooled_claim,
)
from text_kinds import claims, headings, with_contexts, write

from multihop.evaluation.datasets import load
from multihop.models.reader import LONGEST
from multihop.models.wordpiece import END, START, tokens

ARCHER = "Fram was built in Larvik in 1892. It was designed by Colin Archer, a naval architect, for Fridtjof Nansen."
LONG = "The ship lay still. " * 60 + ARCHER
QUESTIONS: list[dict[str, Any]] = [
    {"question": "Who designed Fram?", "context": ARCHER, "title": "Fram_(ship)",
     "answers": [{"text": "Colin Archer", "start": ARCHER.index("Colin")}]},
    {"question": "Where was Fram built?", "context": ARCHER, "title": "Fram_(ship)",
     "answers": [{"text": "Larvik", "start": ARCHER.index("Larvik")}]},
    {"question": "Was Fram built in Larvik?", "context": ARCHER, "title": "Fram_(ship)", "yesno": "yes"},
    {"question": "Who sank Fram?", "context": ARCHER, "title": "Fram_(ship)", "answers": []},
    {"question": "Who sailed?", "context": LONG, "title": "Fram_(ship)",
     "answers": [{"text": "Fridtjof Nansen", "start": LONG.index("Fridtjof")}]},
]  # fmt: skip


@pytest.fixture(name="examples")
def _examples() -> Examples:
    examples = Examples()
    add_questions(examples, "squad", iter(QUESTIONS))
    return examples


def test_spans_of_questions_decode_to_their_answers(examples: Examples) -> None:
    kinds = [asked.kind for asked in examples.asked["squad"]]
    # The answer of the last one stands beyond the tokens that are kept.
    assert kinds == [Kind.SPAN, Kind.SPAN, Kind.YES, Kind.NONE]
    first, second = ([(n, at) for n, places in a.spans.items() for at in places] for a in examples.asked["squad"][:2])
    [(number, (begin, end))] = first
    assert decode(examples.documents[number][begin : end + 1].tolist()) == "colin archer"
    [(number, (begin, end))] = second
    assert decode(examples.documents[number][begin : end + 1].tolist()) == "larvik"


def test_an_answer_that_occurs_twice_is_marked_where_it_was_given() -> None:
    context = "Archer was born in Larvik. Archer died in Larvik in 1921."
    examples = Examples()
    start = context.rindex("Larvik")
    answer = {"text": "Larvik", "start": start}
    add_questions(examples, "nq", iter([{"question": "Where did he die?", "context": context, "answers": [answer]}]))
    [asked] = examples.asked["nq"]
    [(number, places)] = asked.spans.items()
    assert len(places) == 1
    assert places[0][0] == len(tokens(context[:start], 100))
    assert decode([int(examples.documents[number][places[0][0]])]) in "larvik"


@pytest.mark.parametrize("seed", range(30))
def test_composed_spans_decode_to_the_answer(seed: int) -> None:
    chance = random.Random(seed)
    text = to_array(LONG, 400)
    wanted = tokens("Fridtjof Nansen", 9)
    begin = text.tolist().index(wanted[0])
    others = [(to_array("Tea is a drink. " * chance.randint(1, 90), 300), ()) for _ in range(chance.randint(0, 3))]
    documents = [(text, [(begin, begin + len(wanted) - 1)]), *others]
    chance.shuffle(documents)
    row = compose(to_array("For whom was Fram built?", 96), documents, chance)
    assert len(row.ids) <= LONGEST
    assert row.ids[0] == START
    assert row.ids[-1] == row.ids[row.second - 1] == END
    [(first, last)] = row.spans
    assert decode(row.ids[first : last + 1]) == "fridtjof nansen"


def test_drawn_questions_have_spans_that_decode_to_an_answer(examples: Examples) -> None:
    gold = [
        (to_array(f"Fram: {ARCHER}", 200), True),
        *((to_array(f"Tea {n} is a drink.", 200), False) for n in range(9)),
    ]
    asked = Pooled(to_array("Who designed Fram?", 96), gold, "Colin Archer", "")
    sources = Sources(examples, [asked, asked._replace(answer="yes")])
    chance, seen = random.Random(1), set[Kind]()
    for _ in range(300):
        row, kind = draw_question(sources, chance)
        seen.add(kind)
        assert (kind is Kind.SPAN) == bool(row.spans)
        assert {decode(row.ids[a : b + 1]) for a, b in row.spans} <= {"colin archer", "larvik"}
    assert seen >= {Kind.SPAN, Kind.YES, Kind.NONE}


def test_comparisons_are_answered_by_the_articles() -> None:
    old = Subject("Colin Archer", "", 1832, "Norwegian", "architect")
    young = Subject("Ada Lovelace (writer)", "", 1815, "English", "mathematician")
    for seed in range(80):
        if (asked := compare("person", old, young, random.Random(seed))) is None:
            continue
        question, answer = asked
        if isinstance(answer, Subject):
            earlier = any(word in question for word in ("first", "older"))
            assert answer is (young if earlier else old)
            assert "Ada Lovelace" in question
            assert "(writer)" not in question
        elif "nationality" in question or "country" in question or "Norwegian" in question or "English" in question:
            assert answer is False


def test_articles_of_a_dev_question_are_not_compared() -> None:
    articles = [
        {"title": "Colin Archer", "text": "Colin Archer (22 July 1832 – 8 February 1921) was a Norwegian architect."},
        {"title": "Ada Lovelace", "text": "Ada Lovelace (10 December 1815 – 1852) was an English mathematician."},
    ]
    examples = Examples()
    add_comparisons(examples, articles, {frozenset(("Colin Archer", "Ada Lovelace"))}, random.Random(1))
    assert not examples.asked["comparisons"]
    add_comparisons(examples, articles, set(), random.Random(1))
    found = examples.asked["comparisons"]
    assert {asked.kind for asked in found} >= {Kind.SPAN, Kind.NO}
    for asked in found:
        for number, places in asked.spans.items():
            [(begin, end)] = places
            assert decode(examples.documents[number][begin : end + 1].tolist()) in ("colin archer", "ada lovelace")


def test_claims_that_compare_follow_the_articles_and_one_article_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading_examples, "COMPARED", 600)
    people = [("Ada Holm", "4 May 1901", "Norwegian"), ("Bo Lind", "9 June 1950", "Danish"),
              ("Cy Berg", "2 March 1925", "Danish")]  # fmt: skip
    articles = [{"title": n, "text": f"{n} (born {d}) was a {c} sailor. {n} lived long."} for n, d, c in people]
    examples = Examples()
    add_compared(examples, articles, {frozenset(("Ada Holm", "Cy Berg"))}, random.Random(1))
    order = {name.lower(): place for place, (name, _, _) in enumerate(sorted(people, key=lambda p: p[1][-4:]))}
    for judged in examples.judged["compared"]:
        claim, shown = decode(judged.claim.tolist()), decode(judged.evidence.tolist())
        one, other = sorted((name for name in order if name in claim), key=claim.index)
        assert {one, other} != {"ada holm", "cy berg"}
        if judged.verdict is Verdict.NEITHER:
            assert not (one in shown and other in shown)
        elif "older" in claim or "before" in claim or "earlier" in claim:
            assert (order[one] < order[other]) == (judged.verdict is Verdict.SUPPORTED)
        elif "both" in claim:
            assert ({one, other} == {"bo lind", "cy berg"}) == (judged.verdict is Verdict.SUPPORTED)
    assert {judged.verdict for judged in examples.judged["compared"]} == set(Verdict)


def test_a_question_about_another_name_or_year_has_no_answer_in_its_text() -> None:
    examples = Examples()
    contexts = ["The ship of Amundsen was built for Nansen in 1892.", "The plane of Earhart was lost over Howland."]
    rows = [{"question": "For whom was the ship of Amundsen built in 1892?", "context": contexts[0]},
            {"question": "Where was the plane of Earhart lost?", "context": contexts[1]}] * 20  # fmt: skip
    add_unasked(examples, rows, random.Random(1))
    asked = {decode(each.question.tolist()) for each in examples.asked["unasked"]}
    assert "where was the plane of amundsen lost ?" in asked
    assert all(each.kind is Kind.NONE and not each.spans for each in examples.asked["unasked"])
    assert not asked & {decode(tokens(row["question"], 50)) for row in rows}


def test_written_questions_and_multihop_claims_use_their_articles() -> None:
    texts = {"Fram": ARCHER, "Colin Archer": "Colin Archer was born in Larvik. He designed ships."}
    examples = Examples()
    row: dict[str, Any] = {
        "question": "Where was the designer of Fram born?",
        "gold_titles": list(texts),
        "answer": "Larvik",
    }
    add_written(examples, [row, {**row, "answer": "Oslo"}], texts)
    [asked] = examples.asked["written"]
    assert list(asked.spans) == [asked.documents[1]]
    claim: dict[str, Any] = {
        "claim": "The designer of Fram was born in Larvik.",
        "gold_titles": list(texts),
        "label": "SUPPORTED",
    }
    add_multihop(examples, [claim, {**claim, "label": "NOT_SUPPORTED"}], texts)
    assert [j.verdict for j in examples.judged["multihop"]] == [Verdict.SUPPORTED, Verdict.CONTRADICTED]
    assert "born in larvik" in decode(judged_row(examples.judged["multihop"][0]).ids)
    [pooled] = [Pooled(asked.question, [(examples.documents[0], True)] * 5, "", "SUPPORTED")]
    row_, verdict = draw_claim(Sources(Examples(), claims=[pooled]), random.Random(1))
    assert verdict is Verdict.SUPPORTED
    assert row_.ids[: row_.second] == pooled_claim(pooled, 3).ids[: row_.second]


def test_what_is_held_out_shares_no_text_with_the_rest(examples: Examples) -> None:
    for number in range(20):
        add_questions(examples, "policy", iter([{**QUESTIONS[0], "context": f"{ARCHER} Copy {number}."}] * 3))
    seen, held = hold_out(examples.asked["policy"], 10, document_of, random.Random(1))
    assert len(held) == 12
    assert len(seen) == 48
    assert not {a.documents for a in seen} & {a.documents for a in held}


def test_sets_with_contexts_become_data_sets(tmp_path: Path) -> None:
    rows = [
        {"question": f"Who is number {n}?", "context": f"{ARCHER} This is ship number {n // 2}.", "answers": []}
        for n in range(600)
    ]
    kind = with_contexts("nq", _packed(tmp_path / "nq.jsonl.xz", rows), random.Random(1))
    write(tmp_path / "nq", kind)
    train, dev = (load("nq", tmp_path, split=split) for split in ("train", "dev"))
    assert (len(train.questions), len(dev.questions)) == (450, 150)
    assert not {q.gold for q in train.questions} & {q.gold for q in dev.questions}


def test_claims_and_headings_become_data_sets(tmp_path: Path) -> None:
    judged = [{"claim": "Fram is a ship.", "evidence": [ARCHER], "label": "supported"},
              {"claim": "Fram is tea.", "evidence": [ARCHER], "label": "not enough"}]  # fmt: skip
    found = claims([_packed(tmp_path / "claims.jsonl.xz", judged)], random.Random(1))
    assert [asked.text for asked in found.splits["train"]] == ["Fram is a ship."]
    sections = [{"_id": "1", "title": "Handbook > How we build ships", "text": ARCHER * 3},
                {"_id": "2", "title": "Handbook > Ships", "text": ARCHER * 3}]  # fmt: skip
    asked = headings([_packed(tmp_path / "handbook.jsonl.xz", sections)], random.Random(1))
    assert [(a.text, a.gold) for a in asked.splits["train"]] == [("How we build ships", ("1",))]
    assert {title for title, _ in asked.passages.values()} == {""}


def test_tokens_fit_the_type_they_are_stored_in() -> None:
    assert max(tokens("zyzzyva ~ 漢", 9)) < np.iinfo(np.uint16).max


def _packed(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path
