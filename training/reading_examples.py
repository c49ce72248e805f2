"""Make examples for the reader and the verifier out of published sets, Wikipedia's openings and generated claims.

    python training/reading_examples.py --data datasets --out .training/reading.pkl

A reading example is a question, documents, and where the answer stands in them as tokens, or that it is yes, no or not
said. A verifying example is a claim, its evidence, and a verdict. Questions that compare two people or films are made
by templates from the first sentences of their articles; pairs that a dev question asks about are left out. What
licenses do not allow to be trained on is not read here; see training/README.md.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import changes
import contrast
import facts
import limits
import numpy as np
import prose
import published
import unsaid
from contrast import MONTHS, NAME, Example, Verdict
from numpy.typing import NDArray
from text_kinds import asked_of, plain_title, rows

from multihop.models.reader import QUESTION
from multihop.models.wordpiece import END, tokens
from multihop.text import capitalized_spans, sentences

SETS = {
    "squad": ("squad11_train44", 12000), "newwiki": ("squadshifts_newwiki", 8000), "policy": ("policyqa", 8000),
    "reddit": ("squadshifts_reddit", 10000), "amazon": ("squadshifts_amazon", 10000), "nq": ("qed_nq_dev", 1400),
    "condqa": ("conditionalqa_goldev", 2700), "strategy": ("strategyqa_facts", 2300), "pubmed": ("pubmedqa", 1000),
    "xquad": ("xquad_en", 1200),
}  # fmt: skip
"""Questions with a context: the file, and how many of its questions are taken."""
TITLED = ("squad", "newwiki", "xquad", "nq")
CLAIMS = {"infotabs": "infotabs", "snli": "snli_devtest", "fever": "fever_athnlp", "feverous": "feverous_dev_text",
          "averitec": "averitec_dev"}  # fmt: skip
TEXTS = ("reddit", "policy")
"""Sets whose contexts are also edited into claims; Amazon's are left out, to measure on."""
STATED_SETS = ("squad", "newwiki", "reddit", "nq", "qamr", "series", "stories", "times")
"""Sets whose questions are also stated as claims."""
VERDICTS = {"supported": Verdict.SUPPORTED, "refuted": Verdict.CONTRADICTED, "not enough": Verdict.NEITHER}
DEV = ("hotpotqa", "2wiki", "hover", "exfever")
DOCUMENT, OPENING, EVIDENCE, MULTIHOP_EVIDENCE = 250, 160, 220, 330
"""Tokens that are kept of a context, of an article's opening, and of the evidence of a claim."""
COMPARISONS, GENERATED, UNRELATED, ARTICLES, PER_CORPUS, PER_SET = 14000, 9000, 6000, 9000, 700, 600
FACTS, STATED, TABLES, OTHERS, FEW = 40000, 26000, 12000, 60000, 5
COMPARED, UNSAID, FEVER_TIMES, CHANGES, LIMITS = 9000, 16000, 2, 16000, 24000
"""Questions and claims made from facts, questions about made tables, articles beside those with written questions, and
how many texts at most stand beside a claim."""

CELL_QUESTIONS = ("What is the {k} of {t}?", "What is {t}'s {k}?", "{k} of {t}?", "Which {k} does {t} have?")

Tokens = NDArray[np.uint16]
Place = tuple[int, int]
"""The first and the last token of an answer."""


class Kind(IntEnum):
    """What kind of answer a question has, in the order of the model's outputs."""

    SPAN = 0
    YES = 1
    NO = 2
    NONE = 3


class Asked(NamedTuple):
    """A question, the numbers of its documents, and where its answer stands in them."""

    question: Tokens
    documents: tuple[int, ...]
    spans: Mapping[int, Sequence[Place]]
    kind: Kind


class Judged(NamedTuple):
    """A claim, its evidence as one text, and the verdict."""

    claim: Tokens
    evidence: Tokens
    verdict: Verdict


@dataclass
class Examples:
    """All examples by their source; documents are stored once."""

    documents: list[Tokens] = field(default_factory=list)
    asked: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    judged: dict[str, list[Judged]] = field(default_factory=lambda: defaultdict(list))

    def add(self, text: str, most: int) -> int:
        self.documents.append(to_array(text, most))
        return len(self.documents) - 1

    def judge(self, source: str, example: Example, most: int = EVIDENCE) -> None:
        claim, evidence = to_array(example.claim, QUESTION), to_array(" ".join(example.evidence), most)
        self.judged[source].append(Judged(claim, evidence, example.verdict))


def to_array(text: str, most: int) -> Tokens:
    return np.array(tokens(text, most), np.uint16)


def find(document: Sequence[int], wanted: Sequence[int]) -> list[Place]:
    """Find every place where some tokens stand in a document."""
    size, text, sought = len(wanted), list(document), list(wanted)
    places = range(len(text) - size + 1) if size else ()
    return [(i, i + size - 1) for i in places if text[i] == sought[0] and text[i : i + size] == sought]


def add_questions(examples: Examples, name: str, found: Iterator[dict[str, Any]]) -> None:
    """Add questions with a context; those whose answer is not found in the tokens that are kept are left out."""
    known: dict[str, int] = {}
    for row in found:
        title = plain_title(row.get("title")) if name in TITLED else ""
        prefix = f"{title}: " if title else ""
        text = prefix + row["context"]
        if text not in known:
            known[text] = examples.add(text, DOCUMENT)
        number = known[text]
        spans: list[Place] = []
        if row.get("yesno") in ("yes", "no"):
            kind = Kind.YES if row["yesno"] == "yes" else Kind.NO
        elif row.get("answers"):
            kind = Kind.SPAN
            for answer in row["answers"][:3]:
                wanted = tokens(answer["text"], 60)
                before = len(tokens(prefix + row["context"][: answer["start"]], 2000))
                places = find(examples.documents[number].tolist(), wanted)
                # Where the text before cannot be cut into the same tokens, the first place is as good as any.
                spans += [p for p in places if p[0] == before] or places[:1]
            if not spans:
                continue
        else:
            kind = Kind.NONE
        asked = to_array(asked_of(row), QUESTION)
        examples.asked[name].append(Asked(asked, (number,), {number: tuple(dict.fromkeys(spans))}, kind))


class Subject(NamedTuple):
    """A person or a film as the first sentence of its article presents it."""

    title: str
    text: str
    year: int
    country: str
    work: str

    @property
    def name(self) -> str:
        return re.sub(r" \([^)]*\)$", "", self.title)


_PERSON = re.compile(
    rf"\((?:[^()]*?born )?(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)})(?: \d{{1,2}},)? (?P<year>\d{{4}})[^()]*\) "
    r"(?:is|was) an? (?P<country>[A-Z][a-z]+) (?P<work>[a-z]+)"
)
_FILM = re.compile(r"is an? (?P<year>\d{4}) (?P<country>[A-Z][a-z]+) (?:[a-z\-]+ ){0,3}(?P<work>film)")
_CHOICES = {
    "person": (("Who was born first, {a} or {b}?", "Who is older, {a} or {b}?", "Was {a} or {b} born first?"),
               ("Who is younger, {a} or {b}?", "Who was born later, {a} or {b}?")),
    "film": (("Which film was released first, {a} or {b}?", "Which came out first, {a} or {b}?"),
             ("Which film was released more recently, {a} or {b}?", "Which film came out later, {a} or {b}?")),
}  # fmt: skip
"""Questions for the earlier and for the later of two."""
_SAME_COUNTRY = {
    "person": ("Are {a} and {b} of the same nationality?", "Do {a} and {b} have the same nationality?",
               "Are {a} and {b} from the same country?"),
    "film": ("Are the films {a} and {b} from the same country?", "Do {a} and {b} come from the same country?"),
}  # fmt: skip
_EARLIER = {
    "person": (("{a} was born before {b}.", "{a} is older than {b}.", "{b} is younger than {a}."),
               ("{a} was born after {b}.", "{a} is younger than {b}.", "{b} was born earlier than {a}.")),
    "film": (("{a} was released before {b}.", "The film {a} came out earlier than {b}."),
             ("{a} was released after {b}.", "The film {a} came out later than {b}.")),
}  # fmt: skip
"""Claims that are true where the first of two is the earlier, and where it is the later."""
_BOTH_ARE = {"person": ("{a} and {b} are both {x}.", "Both {a} and {b} were {x}."),
             "film": ("{a} and {b} are both {x} films.",)}  # fmt: skip
_BOTH = {"person": ("Are {a} and {b} both {x}?", "Were both {a} and {b} {x}?"),
         "film": ("Are {a} and {b} both {x} films?", "Are both {a} and {b} {x} films?")}  # fmt: skip


def subjects(articles: Sequence[Mapping[str, str]]) -> dict[str, list[Subject]]:
    found: dict[str, list[Subject]] = {"person": [], "film": []}
    for row in articles:
        for kind, pattern in (("person", _PERSON), ("film", _FILM)):
            if match := pattern.search(row["text"][:300]):
                told = Subject(row["title"], row["text"], int(match["year"]), match["country"], match["work"])
                found[kind].append(told)
                break
    return found


def compare(kind: str, one: Subject, other: Subject, chance: random.Random) -> tuple[str, Subject | bool] | None:
    """Ask a question about two subjects; its answer is one of them, or yes or no."""
    way = chance.choices(("choice", "country", "both", "work"), (40, 22, 19, 19 if kind == "person" else 0))[0]
    answer: Subject | bool
    x = ""
    if way == "choice":
        if one.year == other.year:
            return None
        later = chance.random() < 0.4
        question = chance.choice(_CHOICES[kind][later])
        answer = max(one, other, key=lambda s: s.year if later else -s.year)
    elif way == "country":
        question, answer = chance.choice(_SAME_COUNTRY[kind]), one.country == other.country
    elif way == "both":
        x = chance.choice((one.country, other.country))
        question, answer = chance.choice(_BOTH[kind]), one.country == other.country == x
    else:
        x = chance.choice((one.work, other.work))
        question, answer = "Did {a} and {b} both work as {x}s?", all(x in s.text.lower() for s in (one, other))
    first, second = chance.sample((one, other), 2)
    return question.format(a=first.name, b=second.name, x=x), answer


def add_comparisons(
    examples: Examples, articles: Sequence[Mapping[str, str]], held: set[frozenset[str]], chance: random.Random
) -> None:
    """Add questions that compare two articles, but none about two that a dev question is about."""
    found, numbers = subjects(articles), dict[str, int]()
    for _ in range(COMPARISONS):
        kind = "person" if chance.random() < 0.72 else "film"
        if len(found[kind]) < 2:
            continue
        one, other = chance.sample(found[kind], 2)
        if one.country != other.country and chance.random() < 0.35:  # or hardly two would ever agree
            near = chance.sample(found[kind], min(60, len(found[kind])))
            other = next((s for s in near if s.country == one.country), other)
        pair = frozenset((one.title, other.title))
        if one.name == other.name or pair in held or (asked := compare(kind, one, other, chance)) is None:
            continue
        for subject in (one, other):
            if subject.title not in numbers:
                numbers[subject.title] = examples.add(f"{subject.title}: {subject.text}", OPENING)
        documents, spans = (numbers[one.title], numbers[other.title]), dict[int, list[Place]]()
        question, answer = asked
        if isinstance(answer, Subject):
            number = numbers[answer.title]
            places = find(examples.documents[number].tolist(), tokens(answer.name, 30))
            if not places:
                continue
            spans, kind_of = {number: places[:1]}, Kind.SPAN
        else:
            kind_of = Kind.YES if answer else Kind.NO
        examples.asked["comparisons"].append(Asked(to_array(question, QUESTION), documents, spans, kind_of))


def add_compared(
    examples: Examples, articles: Sequence[Mapping[str, str]], held: set[frozenset[str]], chance: random.Random
) -> None:
    """Add claims that compare two articles; where only one of them is shown, nothing decides."""
    found = subjects(articles)
    for _ in range(COMPARED):
        kind = "person" if chance.random() < 0.72 else "film"
        if len(found[kind]) < 2:
            continue
        one, other = chance.sample(found[kind], 2)
        if frozenset((one.title, other.title)) in held or one.year == other.year or one.name == other.name:
            continue
        shown, x = chance.sample((one, other), 2), ""
        if chance.random() < 0.6:
            later = chance.random() < 0.5
            form, right = chance.choice(_EARLIER[kind][later]), (one.year > other.year) == later
        else:
            form, x = chance.choice(_BOTH_ARE[kind]), one.country
            same = [s for s in chance.sample(found[kind], min(60, len(found[kind]))) if s.country == one.country]
            if same and chance.random() < 0.5 and same[0] is not one:
                shown = [one, other := same[0]]
            right = other.country == one.country
        verdict = Verdict.SUPPORTED if right else Verdict.CONTRADICTED
        if chance.random() < 0.15 and (x == "" or right):
            shown, verdict = shown[:1], Verdict.NEITHER
        claim = form.format(a=one.name, b=other.name, x=x)
        evidence = tuple(f"{s.title}: {' '.join(sentences(s.text)[: chance.choice((1, 2, 3))])}" for s in shown)
        examples.judge("compared", Example(claim, evidence, verdict))


def add_written(examples: Examples, questions: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> None:
    """Add written questions whose answer stands in one of their articles; the last of them counts."""
    for row in questions:
        titles = row["gold_titles"]
        if not row.get("answer") or not all(title in texts for title in titles):
            continue
        numbers = tuple(examples.add(f"{title}: {texts[title]}", OPENING) for title in titles)
        wanted = tokens(row["answer"], 40)
        spans = [(n, places[:1]) for n in numbers if (places := find(examples.documents[n].tolist(), wanted))]
        if spans:
            asked = to_array(row["question"], QUESTION)
            examples.asked["written"].append(Asked(asked, numbers, dict(spans[-1:]), Kind.SPAN))


def add_facts(
    examples: Examples, known: facts.Facts, written: Sequence[Mapping[str, Any]], held: set[frozenset[str]],
    chance: random.Random,
) -> None:  # fmt: skip
    """Add questions and claims made from facts, and written claims, but none with the gold of a dev question."""
    of: dict[str, list[tuple[str, tuple[str, ...]]]] = {"description": [], "claim": []}
    for row in written:
        kind, titles = row["kind"].rstrip("123"), tuple(row["gold_titles"])
        if kind in of and all(title in known.articles for title in titles):
            of[kind].append((row.get("question") or row["claim"], titles))
    numbers, every = dict[str, int](), list(known.articles)

    def number(title: str) -> int:
        if title not in numbers:
            article = known.articles[title]
            numbers[title] = examples.add(f"{article.title}: {article.text}", OPENING)
        return numbers[title]

    for asked in facts.questions(known, of["description"], FACTS, chance):
        if frozenset(asked.titles) in held:
            continue
        documents = tuple(map(number, asked.titles))
        wanted = tokens(asked.answer, 30)
        said = {documents[place]: find(examples.documents[documents[place]].tolist(), wanted)[:1]
                for place in {asked.where, asked.where + 1} if place < len(documents)}  # fmt: skip
        if said[documents[asked.where]]:
            spans = {document: places for document, places in said.items() if places}
            question = to_array(asked.text, QUESTION)
            examples.asked["facts"].append(Asked(question, documents, spans, Kind.SPAN))
    names = [article.name for article in chance.sample(list(known.articles.values()), min(4000, len(every)))]
    made = {"facts": facts.claims(known, of["description"], STATED, chance),
            "written": facts.written_claims(of["claim"], names, chance)}  # fmt: skip
    for source, claims in made.items():
        for claim in claims:
            if frozenset(claim.titles) in held:
                continue
            more = chance.choice((0, 0, 1, 2)) if len(claim.titles) < FEW - 1 else 0
            beside = [*claim.titles, *chance.sample(every, min(more, len(every)))]
            chance.shuffle(beside)
            room = MULTIHOP_EVIDENCE // len(beside)
            texts = [[*map(int, examples.documents[number(title)][:room]), END] for title in beside]
            evidence = np.array([token for text in texts for token in text][:-1], np.uint16)
            examples.judged[source].append(Judged(to_array(claim.text, QUESTION), evidence, claim.verdict))


def add_unasked(examples: Examples, found: Sequence[Mapping[str, Any]], chance: random.Random) -> None:
    """Add questions whose text answers them about another name or another year than they ask about: it says nothing."""
    names = [name for row in chance.sample(found, min(3000, len(found))) for name in NAME.findall(row["context"])]
    known = dict[str, int]()
    for row in found:
        asked, context = asked_of(row), row["context"]
        inside = [name for name in NAME.findall(asked[1:]) if name in context]
        years = [year for year in _YEAR.findall(asked) if year in context]
        if not inside and not years:
            continue
        if years and (not inside or chance.random() < 0.4):
            old = chance.choice(years)
            new = str(int(old) + chance.choice((-9, -4, -3, -2, -1, 1, 2, 3, 5, 8)))
        else:
            old, new = chance.choice(inside), chance.choice(names)
        if new in context or new in asked or len(new.split()) > 4:
            continue
        if context not in known:
            known[context] = examples.add(context, DOCUMENT)
        question = to_array(asked.replace(old, new), QUESTION)
        examples.asked["unasked"].append(Asked(question, (known[context],), {}, Kind.NONE))


_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def add_tables(examples: Examples, chance: random.Random) -> None:
    """Add questions about made tables."""
    for made in facts.made_tables(TABLES, chance):
        documents = tuple(examples.add(text, DOCUMENT) for text in made.texts)
        found = find(examples.documents[documents[made.where]].tolist(), tokens(made.answer, 30))
        if found or not made.answer:
            spans, kind = {documents[made.where]: found[:1]} if found else {}, Kind.SPAN if found else Kind.NONE
            examples.asked["made"].append(Asked(to_array(made.question, QUESTION), documents, spans, kind))


def add_changes(examples: Examples, chance: random.Random) -> None:
    """Add questions and claims about texts in which two things are told apart; some about what is not told."""
    _add_scenes(examples, "changes", changes.texts(CHANGES, chance), chance)
    _add_scenes(examples, "limits", changes.texts(LIMITS, chance, limits.SCENES), chance)


def _add_scenes(examples: Examples, name: str, made: Sequence[changes.Text], chance: random.Random) -> None:
    for text in made:
        number = examples.add(text.text, DOCUMENT)
        asked = chance.choice(text.scene.asked)
        kind, spans = Kind.SPAN, find(examples.documents[number].tolist(), tokens(asked.answer, 40))
        if asked.answer in ("yes", "no"):
            kind, spans = (Kind.YES if asked.answer == "yes" else Kind.NO), []
        elif chance.random() < 0.12:
            asked, kind, spans = chance.choice(text.untold.asked), Kind.NONE, []
        if spans or kind is not Kind.SPAN:
            question = to_array(asked.question, QUESTION)
            examples.asked[name].append(Asked(question, (number,), {number: spans} if spans else {}, kind))
    for example in changes.examples(made, chance):
        examples.judge(name, example)


def add_prose(examples: Examples, folder: Path, chance: random.Random) -> None:
    """Add questions and claims about talk, stories, papers, contracts and others; see prose.py."""
    for name, found in prose.questions(folder, chance).items():
        add_questions(examples, name, iter(found))
        if name in STATED_SETS:
            answered = [row for row in found if row["answers"]]
            add_stated(examples, answered, chance)
            add_unasked(examples, answered, chance)
    for name, claims in prose.claims(folder, chance).items():
        for claim in claims:
            examples.judge(name, claim)


def add_infoboxes(examples: Examples, path: Path, chance: random.Random) -> None:
    """Add questions for the cells of published tables, two for each table."""
    known = dict[str, list[str]]()
    for row in rows(path):
        known.setdefault(row["title"], row["evidence"])
    for title, evidence in known.items():
        cells = dict(re.split(r": ", unit.split(" | ", 1)[-1], maxsplit=1) for unit in evidence if ": " in unit)
        text = f"{title}: " + " · ".join(f"{key}: {value}" for key, value in cells.items())
        number = examples.add(text, DOCUMENT)
        for key in chance.sample(list(cells), min(2, len(cells))):
            form = chance.choice(
                ("What is the {k} of {t}?", "What is {t}'s {k}?", "{k} of {t}?", "Which {k} does {t} have?")
            )
            question = form.format(k=key.lower(), t=title)
            spans = find(examples.documents[number].tolist(), tokens(cells[key], 40))
            if spans:
                asked = to_array(question, QUESTION)
                examples.asked["infoboxes"].append(Asked(asked, (number,), {number: spans[:1]}, Kind.SPAN))


def add_published(examples: Examples, folder: Path, chance: random.Random) -> None:
    """Add questions and claims about tables, and claims that are easily confused; see published.py."""
    for name, asked in published.questions(folder, DOCUMENT - 20, chance).items():
        for question in asked:
            number = examples.add("\n".join(question.lines), DOCUMENT)
            numbers = (number, *(examples.add(article, OPENING) for article in question.articles))
            holding = number if question.where >= 0 else numbers[1]
            spans = find(examples.documents[holding].tolist(), tokens(question.answer, 60))
            if holding == number:
                before, own = (
                    len(tokens("\n".join(question.lines[:n]), 2000)) for n in (question.where, question.where + 1)
                )
                spans = [place for place in spans if before <= place[0] < own]
            if spans or not question.answer:
                kind = Kind.SPAN if spans else Kind.NONE
                asked_tokens = to_array(question.text, QUESTION)
                examples.asked[name].append(Asked(asked_tokens, numbers, {holding: spans[-1:]} if spans else {}, kind))
    for name, claims in published.claims(folder, MULTIHOP_EVIDENCE - 30, chance).items():
        for claim in claims:
            examples.judge(name, claim, MULTIHOP_EVIDENCE)


def add_stated(examples: Examples, found: Sequence[Mapping[str, Any]], chance: random.Random) -> None:
    """Add what questions and their answers say as claims: true, with the answer to another question, or elsewhere."""
    answers: dict[str, list[str]] = defaultdict(list)
    for row in found:
        for answer in row["answers"][:1]:
            answers[contrast.kind_of_answer(answer["text"])].append(answer["text"])
    for place, row in enumerate(found):
        answer = row["answers"][0]
        verdict = chance.choices(tuple(Verdict), (45, 38, 17))[0]
        said, told = answer["text"], row
        if verdict is Verdict.CONTRADICTED:
            right = [a["text"].lower() for a in row["answers"]]
            near = [
                r["answers"][0]["text"] for r in found[max(0, place - 9) : place + 10] if r["context"] == row["context"]
            ]
            kind = contrast.kind_of_answer(said)
            others = [a for a in near if contrast.kind_of_answer(a) == kind and not _alike(a, right)]
            said = chance.choice(others or answers[kind])
            if _alike(said, right):
                continue
        elif verdict is Verdict.NEITHER:
            told = found[min(len(found) - 1, max(0, place + chance.choice((-9, -7, -5, 5, 7, 9))))]
            if said.lower() in told["context"].lower():
                continue
        claim = contrast.state(row["question"], said)
        if claim is None:
            continue
        shown = list(sentences(told["context"]))
        at = next((i for i, s in enumerate(shown) if told["answers"][0]["text"] in s), 0)
        first = max(0, at - chance.choice((0, 1, 1, 2)))
        evidence = tuple(s.strip() for s in shown[first : at + chance.choice((1, 2, 3))])
        title = plain_title(told.get("title")) if chance.random() < 0.6 else ""
        examples.judge("stated", Example(claim, (f"{title}:", *evidence) if title else evidence, verdict))


def _alike(answer: str, right: Sequence[str]) -> bool:
    return any(answer.lower() in one or one in answer.lower() for one in right)


def add_claims(examples: Examples, data: Path, chance: random.Random) -> None:
    """Add published claims, and claims of FEVER beside the evidence of another about something of the same name."""
    fever: list[dict[str, Any]] = []
    for name, file in CLAIMS.items():
        if not (path := data / "verifying" / f"{file}.jsonl.xz").exists():
            continue
        for row in rows(path):
            if row["label"] in VERDICTS:
                evidence = [u.replace(" | ", ": ", 1) if name == "infotabs" else u for u in row["evidence"]]
                examples.judge(name, Example(row["claim"], tuple(evidence), VERDICTS[row["label"]]))
                fever += [row] if name == "fever" else []
    named: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in fever:
        for word in set(re.findall(r"[A-Z]\w+", row["claim"])):
            named[word].append(row)
    for row in chance.sample(fever, min(UNRELATED, len(fever))):
        shared = [w for w in re.findall(r"[A-Z]\w+", row["claim"]) if 2 < len(named[w]) < 200]
        other = chance.choice(named[chance.choice(shared)]) if shared else row
        if not set(other["evidence"]) & set(row["evidence"]):
            examples.judge("unrelated", Example(row["claim"], tuple(other["evidence"]), Verdict.NEITHER))


def add_generated(examples: Examples, texts: Sequence[tuple[str, str]], chance: random.Random) -> None:
    """Add claims by edits of many kinds of text, and by templates."""
    many = chance.sample(texts, min(4000, len(texts)))
    pool = [name for _, text in many for name in NAME.findall(text[:600])]
    for title, text in texts:
        own = NAME.findall(text)
        near = len(own) > 3 and chance.random() < 0.5
        names = own if near else chance.sample(pool, min(12, len(pool)))
        for example in contrast.from_sentences(title, text, chance, names):
            examples.judge("contrast", example)
    for _ in range(GENERATED):
        examples.judge("stances", contrast.from_stances(chance))
        examples.judge("tables", contrast.from_table(chance))


def add_multihop(examples: Examples, claims: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> None:
    """Add claims of HoVer and EX-FEVER with the first sentences of their gold articles."""
    for row in claims:
        titles = row["gold_titles"]
        if all(title in texts for title in titles):
            evidence = tuple(f"{title}: {' '.join(sentences(texts[title])[:4])}" for title in titles)
            verdict = Verdict.SUPPORTED if row["label"].startswith("SUPPORT") else Verdict.CONTRADICTED
            examples.judge("multihop", Example(row["claim"], evidence, verdict), MULTIHOP_EVIDENCE)


def add_articles(
    examples: Examples, claims: Sequence[published.ClaimOfFever], texts: Mapping[str, str], chance: random.Random
) -> None:
    """Add claims of FEVER beside the openings of the articles that decide them or, undecided, of those they name."""
    names = {title.lower(): title for title in texts}
    every = sorted(texts)
    for claim in claims:
        told, needed = list[str](), dict(claim.needed)
        if claim.verdict is Verdict.NEITHER:
            spans = {span.lower() for span, _, _ in capitalized_spans(claim.text)}
            needed = {names[span]: chance.choice((0, 1, 2, 3)) for span in sorted(spans) if span in names}
        for title, last in needed.items():
            said = sentences(texts[title]) if title in texts else ()
            if last >= len(said):
                break
            told.append(f"{title}: {' '.join(said[: last + chance.choice((1, 2, 3))])}")
        if not told or len(told) < len(needed) or len(told) > FEW:
            continue
        if chance.random() < 0.4:
            title = chance.choice(every)
            told.insert(chance.randrange(len(told) + 1), f"{title}: {' '.join(sentences(texts[title])[:2])}")
        examples.judge("articles", Example(claim.text, tuple(told), claim.verdict), MULTIHOP_EVIDENCE)


def packed(path: Path) -> Iterator[dict[str, Any]]:
    """Read a .jsonl.zst file."""
    import zstandard

    with path.open("rb") as file:
        yield from map(json.loads, io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8"))


def gold_of_dev(data: Path) -> set[frozenset[str]]:
    paths = [path for name in DEV if (path := data / name / "dev.jsonl").exists()]
    return {frozenset(row["gold_titles"]) for path in paths for row in rows(path)}


def build(data: Path, more: Path | None, chance: random.Random) -> Examples:
    examples, held = Examples(), gold_of_dev(data)
    texts: list[tuple[str, str]] = []
    for name, (file, most) in SETS.items():
        if (path := data / "reading" / f"{file}.jsonl.xz").exists():
            found = list(rows(path))[:most]
            add_questions(examples, name, iter(found))
            if name in STATED_SETS:
                answered = [row for row in found if row.get("answers")]
                add_stated(examples, answered, chance)
                add_unasked(examples, answered, chance)
            if name in TEXTS:
                texts += [("", context) for context in list(dict.fromkeys(row["context"] for row in found))[:PER_SET]]
    add_claims(examples, data, chance)
    if (hover := data / "hover").is_dir():
        articles = list(packed(hover / "corpus_lite.jsonl.zst"))
        add_comparisons(examples, articles, held, chance)
        add_compared(examples, articles, held, chance)
        for example in unsaid.Maker(articles, chance).make(UNSAID):
            examples.judge("unsaid", example)
        texts += [(a["title"], a["text"]) for a in chance.sample(articles, min(ARTICLES, len(articles)))]
        claims = [row for name in ("hover", "exfever") for row in rows(data / name / "train.jsonl")]
        claims = [row for row in claims if frozenset(row["gold_titles"]) not in held]
        add_multihop(examples, claims, {a["title"]: a["text"] for a in articles})
        if (data / "written").is_dir():
            written = list(rows(data / "written" / "train.jsonl"))
            wanted = {title for row in written for title in row["gold_titles"]}
            every = {a["title"]: a["text"] for a in packed(hover / "corpus.jsonl.zst")}
            add_written(examples, [row for row in written if row.get("answer")], every)
            titles = wanted | set(chance.sample(sorted(every), min(OTHERS, len(every))))
            known = facts.Facts([facts.Article(t, every[t]) for t in sorted(titles) if t in every])
            add_facts(examples, known, written, held, chance)
            if more is not None and (more / "ReAct").is_dir():
                for _ in range(FEVER_TIMES):
                    add_articles(examples, published.claims_of_fever(more, held=False), every, chance)
    add_tables(examples, chance)
    add_changes(examples, chance)
    if (path := data / "verifying" / "infotabs.jsonl.xz").exists():
        add_infoboxes(examples, path, chance)
    for path in sorted((data / "corpora").glob("*.jsonl.xz")):
        some = list(rows(path))
        some = chance.sample(some, min(PER_CORPUS, len(some)))
        texts += [(row["title"].split(" > ")[-1], row["text"][:1500]) for row in some]
    add_generated(examples, texts, chance)
    if more is not None:
        add_published(examples, more, chance)
        add_prose(examples, more, chance)
    return examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with reading/, verifying/, corpora/, hover/ …")
    parser.add_argument("--out", type=Path, default=Path(".training/reading.pkl"))
    parser.add_argument("--published", type=Path, help="folder with copies of public repositories, see published.py")
    arguments = parser.parse_args()
    for folder in (arguments.data, arguments.published):
        if folder is not None and not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    examples = build(arguments.data, arguments.published, random.Random(7))
    for name, asked in examples.asked.items():
        print(f"{name}: {len(asked)} questions, {dict(Counter(a.kind.name for a in asked))}")
    for name, judged in examples.judged.items():
        print(f"{name}: {len(judged)} claims, {dict(Counter(j.verdict.name for j in judged))}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    plain = Examples(examples.documents, dict(examples.asked), dict(examples.judged))
    arguments.out.write_bytes(pickle.dumps(plain))


if __name__ == "__main__":
    import reading_examples  # what is stored belongs to this module by its name, not to the script that ran

    reading_examples.main()
