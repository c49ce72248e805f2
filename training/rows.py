"""Put examples together as the reader and the verifier read them: a question or claim, then texts, in one row."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeVar

from contrast import Verdict
from reading_examples import Asked, Examples, Judged, Kind, Place, Tokens, find

from multihop.models.reader import LONGEST, QUESTION
from multihop.models.wordpiece import END, START, tokens, vocabulary

ASKED = {
    "squad": 11, "newwiki": 10, "reddit": 9, "policy": 4, "nq": 5, "condqa": 3, "strategy": 2, "pubmed": 1,
    "xquad": 2, "comparisons": 7, "written": 7, "facts": 22, "made": 9, "infoboxes": 4, "pools": 13,
    "cells": 10, "tatqa": 3, "hybrid": 6, "unasked": 7, "retrieved": 18,
    "qamr": 8, "series": 6, "chats": 3, "stories": 9, "papers": 3, "times": 5, "denials": 4, "changes": 9, "limits": 10,
    "rules": 4,
}  # fmt: skip
"""How often a source of questions is drawn; one without a weight is only measured on."""
JUDGED = {
    "infotabs": 9, "snli": 8, "fever": 13, "feverous": 7, "unrelated": 5, "contrast": 20, "stances": 7, "tables": 8,
    "multihop": 4, "facts": 11, "written": 10, "pools": 8,
    "cells": 9, "tabfact": 4, "foolme": 6, "stated": 20, "unsaid": 8, "compared": 6, "articles": 13, "retrieved": 12,
    "contracts": 5, "pages": 5, "symmetric": 3, "changes": 10, "limits": 14,
}  # fmt: skip
READ, PASSAGE, _MOST_GOLD = 10, 120, 4
"""How many of the best candidates of a question are kept, how many tokens of each are read for a claim, and how many
gold ones are put among those that are read."""

GENERATED = ("comparisons", "written", "facts", "made", "infoboxes", "changes", "limits")
HELD_QUESTIONS, HELD_CLAIMS, HELD_FEW = 400, 300, 60
LARGE, HELD_SHARE = 2000, 4
"""A source with more claims than this has `HELD_CLAIMS` held out, another `HELD_FEW`; never more than a quarter."""

T = TypeVar("T")
Document = tuple[Tokens, Sequence[Place]]
"""The tokens of a text, and where the answer stands in it."""


class Row(NamedTuple):
    """The tokens that are read, where the first text begins among them, and where answers stand."""

    ids: list[int]
    second: int
    spans: list[Place]


class Pooled(NamedTuple):
    """A question or claim with what retrieval found for it, the likeliest first, and which of it is gold."""

    question: Tokens
    documents: Sequence[tuple[Tokens, bool]]
    answer: str
    label: str


@dataclass(frozen=True)
class Sources:
    """Everything that examples are drawn from."""

    examples: Examples
    questions: Sequence[Pooled] = ()
    claims: Sequence[Pooled] = ()
    retrieved: Sequence[Pooled] = ()
    """Questions of retrieved.py; gold is every passage that holds the answer."""
    stated: Sequence[Pooled] = ()
    """Claims of retrieved.py."""

    def pools(self, kind: str) -> Mapping[str, Sequence[Pooled]]:
        if kind == "asked":
            return {"pools": self.questions, "retrieved": self.retrieved}
        return {"pools": self.claims, "retrieved": self.stated}


def compose(question: Tokens, documents: Sequence[Document], chance: random.Random | None = None) -> Row:
    """Write a question and texts, the longest cut alike; with `chance`, a text is cut so that an answer stays in it."""
    ids = [START, *map(int, question[:QUESTION]), END]
    second, spans = len(ids), list[Place]()
    limit = max((len(text) for text, _ in documents), default=0)
    while limit and sum(min(len(text), limit) + 1 for text, _ in documents) > LONGEST - second:
        limit -= 1
    for text, places in documents:
        length, start = min(len(text), limit), 0
        if places and chance is not None and max(last for _, last in places) >= length:
            before = chance.randint(5, max(6, length // 2))
            start = max(0, min(len(text) - length, min(first for first, _ in places) - before))
        at = len(ids) - start
        spans += [(at + a, at + b) for a, b in places if a >= start and b < start + length]
        ids += [*map(int, text[start : start + length]), END]
    return Row(ids, second, spans)


def decode(ids: Sequence[int]) -> str:
    """Write tokens as text, in lower case and with spaces around punctuation."""
    return " ".join(_pieces()[i] for i in ids).replace(" ##", "")


@cache
def _pieces() -> Mapping[int, str]:
    return {number: piece for piece, number in vocabulary().items()}


def draw_question(sources: Sources, chance: random.Random) -> tuple[Row, Kind]:
    """Draw a question with texts of its own and others."""
    pools = sources.pools("asked")
    present = {n: w for n, w in ASKED.items() if (pools[n] if n in pools else sources.examples.asked.get(n))}
    source = chance.choices(list(present), list(present.values()))[0]
    if source in pools:
        return _pooled_question(chance.choice(pools[source]), chance)
    documents, asked = sources.examples.documents, chance.choice(sources.examples.asked[source])
    kind = asked.kind
    texts: list[Document] = [(documents[n], asked.spans.get(n, ())) for n in asked.documents]
    if len(texts) == 1 and kind is Kind.SPAN and chance.random() < 0.1:
        texts, kind = [], Kind.NONE
    for _ in range(chance.choice((0, 1, 1, 2, 3)) if texts else chance.choice((1, 2, 3))):
        near = asked.documents[0] + chance.choice((-3, -2, -1, 1, 2, 3))
        other = chance.choice(sources.examples.asked[source]).documents[0]
        number = near if len(asked.documents) == 1 and chance.random() < 0.5 and 0 <= near < len(documents) else other
        if number not in asked.documents:
            texts.append((documents[number], ()))
    chance.shuffle(texts)
    row = compose(asked.question, texts, chance)
    return row, Kind.NONE if kind is Kind.SPAN and not row.spans else kind


def _pooled_question(pooled: Pooled, chance: random.Random) -> tuple[Row, Kind]:
    """Take a few of the best candidates, mostly with all gold ones among them."""
    chosen = list(pooled.documents[: chance.choice((3, 4, 5, 6))])
    if chance.random() < 0.7:
        for gold in [d for d in pooled.documents if d[1] and not any(d is c for c in chosen)][:_MOST_GOLD]:
            chosen[chance.randrange(len(chosen))] = gold
    if chance.random() < 0.6:
        chance.shuffle(chosen)
    if pooled.answer in ("yes", "no"):
        row = compose(pooled.question, [(text, ()) for text, _ in chosen], chance)
        return row, Kind.YES if pooled.answer == "yes" else Kind.NO
    wanted = tokens(pooled.answer, 40)
    found = [(text, find(text.tolist(), wanted), gold) for text, gold in chosen]
    sure = any(places and gold for _, places, gold in found)
    row = compose(pooled.question, [(t, places if gold or not sure else ()) for t, places, gold in found], chance)
    return row, Kind.SPAN if row.spans else Kind.NONE


def draw_claim(sources: Sources, chance: random.Random) -> tuple[Row, Verdict]:
    pools = sources.pools("judged")
    present = {n: w for n, w in JUDGED.items() if (pools[n] if n in pools else sources.examples.judged.get(n))}
    source = chance.choices(list(present), list(present.values()))[0]
    if source in pools:
        pooled = chance.choice(pools[source])
        row = pooled_claim(pooled, chance.choice((2, 3, 4, 5)))
        return row, pooled_verdict(pooled, row)
    judged = chance.choice(sources.examples.judged[source])
    return judged_row(judged), judged.verdict


def judged_row(judged: Judged) -> Row:
    return compose(judged.claim, [(judged.evidence, ())])


def pooled_claim(pooled: Pooled, count: int) -> Row:
    """Write a claim beside the passages that retrieval puts first."""
    return compose(pooled.question, [(text[:PASSAGE], ()) for text, _ in pooled.documents[:count]])


def pooled_verdict(pooled: Pooled, row: Row | None = None) -> Verdict:
    """Give the verdict on a claim; where the answer that decides it is known and not shown, nothing decides."""
    if row is not None and pooled.answer and not find(row.ids[row.second :], tokens(pooled.answer, 40)):
        return Verdict.NEITHER
    return Verdict.SUPPORTED if pooled.label.startswith("SUPPORT") else Verdict.CONTRADICTED


def hold_out(
    every: Sequence[T], most: int, key: Callable[[T], Hashable], chance: random.Random
) -> tuple[list[T], list[T]]:
    """Part examples into those to train on and those to measure on; none of one part shares its key with the other."""
    keys = list(dict.fromkeys(map(key, every)))
    chance.shuffle(keys)
    sizes: dict[Hashable, int] = dict.fromkeys(keys, 0)
    for each in every:
        sizes[key(each)] += 1
    held, count = set[Hashable](), 0
    for one in keys:
        if count >= most:
            break
        held.add(one)
        count += sizes[one]
    return [e for e in every if key(e) not in held], [e for e in every if key(e) in held]


def document_of(asked: Asked) -> Hashable:
    return asked.documents[0]


def evidence_of(judged: Judged) -> Hashable:
    return judged.evidence.tobytes()


def part(examples: Examples) -> tuple[Examples, Examples]:
    """Hold examples out of the training, the same ones each time; generated comparisons and written questions not."""
    chance = random.Random(4)
    seen, held = Examples(examples.documents), Examples(examples.documents)
    for name, asked in examples.asked.items():
        most = 0 if name in GENERATED else min(HELD_QUESTIONS, len(asked) // HELD_SHARE)
        seen.asked[name], held.asked[name] = hold_out(asked, most, document_of, chance)
    for name, judged in examples.judged.items():
        most = min(HELD_CLAIMS if len(judged) > LARGE else HELD_FEW, len(judged) // HELD_SHARE)
        seen.judged[name], held.judged[name] = hold_out(judged, most, evidence_of, chance)
    return seen, held
