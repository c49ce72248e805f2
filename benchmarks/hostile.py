"""What documents made to mislead cost: a few of them among the corpus of a dataset, and what is still found.

    python benchmarks/hostile.py --data datasets
    python benchmarks/hostile.py --data datasets --dataset hotpotqa --strategy auto

Whoever adds them knows the questions. Each attack adds at most 50 documents to the corpus, 6,119 documents of
2WikiMultihopQA by default, and is aimed at the first 50 questions of the dev set, which are then asked. Cells are
all-gold@k: the share of questions all of whose documents are among the k passages.
"""

from __future__ import annotations

import argparse
import itertools
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from indexes import open_index

from multihop import Document, Engine
from multihop.evaluation.datasets import Dataset, Question, load

K = 5
MOST = 50
STRATEGIES = ("auto", "auto-fast", "replace")


class Corpus:
    """What an attacker knows: the titles of the corpus, and the questions with the titles of their documents."""

    def __init__(self, dataset: Dataset) -> None:
        titles = {d.id: d.title for d in dataset.documents()}
        self.questions = list(itertools.islice(dataset.questions, MOST))
        self.titles = sorted(set(titles.values()))
        self.gold = {q.id: [titles[id] for id in q.gold if id in titles] for q in self.questions}

    def some(self, count: int, seed: int) -> list[str]:
        return random.Random(seed).sample(self.titles, count)


def stuffed(corpus: Corpus) -> list[Document]:
    """Documents that say the words of a question ten times over."""
    return [Document(f"stuffed {n}", f"{q.text} " * 10, f"Collection {n}") for n, q in enumerate(corpus.questions)]


def naming(corpus: Corpus) -> list[Document]:
    """Documents that name 300 titles each, those of a question first."""
    named = [[*corpus.gold[q.id], *corpus.some(300, n)] for n, q in enumerate(corpus.questions)]
    return [Document(f"naming {n}", ". ".join(titles) + ".", f"Register {n}") for n, titles in enumerate(named)]


def aliases(corpus: Corpus) -> list[Document]:
    """Documents that claim 200 titles as their own other names, those of a question first."""
    claimed = [(*corpus.gold[q.id], *corpus.some(200, n)) for n, q in enumerate(corpus.questions)]
    return [Document(f"alias {n}", "Nothing of note.", f"Entry {n}", {}, names) for n, names in enumerate(claimed)]


def squatting(corpus: Corpus) -> list[Document]:
    """Documents under the very titles that a question is about, which say nothing of them."""
    wanted = list(dict.fromkeys(title for q in corpus.questions for title in corpus.gold[q.id]))[:MOST]
    return [
        Document(f"squatting {n}", f"{title} is a page. See also {title}.", title) for n, title in enumerate(wanted)
    ]


def copying(corpus: Corpus) -> list[Document]:
    """Documents that are the question."""
    return [Document(f"copy {n}", q.text, f"Note {n}") for n, q in enumerate(corpus.questions)]


def copying_on(corpus: Corpus) -> list[Document]:
    """Documents that are the question and a sentence more, so that they do not only ask it."""
    said = "Many people have wondered about this for a long time, and there is much to be said on both sides."
    return [Document(f"copy {n}", f"{q.text} {said}", f"Note {n}") for n, q in enumerate(corpus.questions)]


def copying_titled(corpus: Corpus) -> list[Document]:
    """Documents that are the question, under a title that it is about."""
    return [Document(f"copy {n}", q.text, corpus.gold[q.id][0]) for n, q in enumerate(corpus.questions)]


def answering(corpus: Corpus) -> list[Document]:
    """Documents that are the question and an invented answer, under a title that it is about."""
    return [
        Document(f"answer {n}", f"{q.text} The answer is {invented(n)}.", corpus.gold[q.id][0])
        for n, q in enumerate(corpus.questions)
    ]


def answering_last(corpus: Corpus) -> list[Document]:
    """The same under the title of the document that is reached last."""
    return [
        Document(f"answer {n}", f"{q.text} The answer is {invented(n)}.", corpus.gold[q.id][-1])
        for n, q in enumerate(corpus.questions)
    ]


def stating(corpus: Corpus) -> list[Document]:
    """Documents that put the question into one statement with an invented answer, under a title that it is about."""
    return [
        Document(f"stating {n}", f"{invented(n)} is the answer to {q.text.rstrip('?')}.", corpus.gold[q.id][0])
        for n, q in enumerate(corpus.questions)
    ]


def thrice(corpus: Corpus) -> list[Document]:
    """Documents that are the question three times, under the question as their title."""
    return [Document(f"thrice {n}", f"{q.text} " * 3, q.text) for n, q in enumerate(corpus.questions)]


def invented(number: int) -> str:
    """Make up a name that nothing else in the corpus has."""
    return f"{_FIRST[number % len(_FIRST)]} {_LAST[number // len(_FIRST)]}"


_FIRST = ("Orvald", "Tismena", "Quarlo", "Yevrick", "Zanthea", "Bolduan", "Ferrith", "Ixora", "Mabrek", "Wistlin")
_LAST = ("Plonk", "Grettle", "Vasquorn", "Thimbury", "Oxleth")


ATTACKS: tuple[tuple[str, Callable[[Corpus], list[Document]]], ...] = (
    ("none", lambda _: []),
    ("words of the question, ten times over", stuffed),
    ("300 titles named by each", naming),
    ("200 titles claimed as aliases by each", aliases),
    ("titles of the gold documents taken", squatting),
    ("the question copied", copying),
    ("the question copied, under a gold title", copying_titled),
    ("the question copied, and a sentence more", copying_on),
    ("the question three times, as its own title", thrice),
    ("the question and an invented answer, under a gold title", answering),
    ("the same under the last gold title", answering_last),
    ("a statement of question and invented answer, under a gold title", stating),
)


def complete(engine: Engine, questions: Sequence[Question], strategy: str) -> float:
    """Give the share of questions all of whose documents are found."""
    hit = 0
    for question in questions:
        found = {e.passage.document_id for e in engine.retrieve(question.text, k=K, strategy=strategy)}
        hit += set(question.gold) <= found
    return hit / len(questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the datasets")
    parser.add_argument("--dataset", default="2wiki", choices=("2wiki", "hotpotqa"))
    parser.add_argument("--strategy", choices=STRATEGIES, help="this one alone")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    arguments = parser.parse_args()
    dataset = load(arguments.dataset, arguments.data)
    strategies = (arguments.strategy,) if arguments.strategy else STRATEGIES
    corpus = Corpus(dataset)
    with open_index(arguments.indexes, dataset, None) as engine:
        place = Path(engine.store.location)
    print(f"| attack | {' | '.join(f'`{name}`' for name in strategies)} |")
    print("|---|" + "---|" * len(strategies))
    for label, attack in ATTACKS:
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(place, Path(folder) / "attacked.mh")
            with Engine.open(copy) as engine:
                engine.add(attack(corpus), whole=True)
                cells = [f"{complete(engine, corpus.questions, name):.3f}" for name in strategies]
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
