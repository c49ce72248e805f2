"""Retrieve passages for questions whose answers alone are published, and state questions and answers as claims.

    python training/retrieved.py --data datasets --published repositories --out .training/retrieved.pkl

R1-Searcher (Song et al. 2025, MIT) publishes questions from the training splits of HotpotQA (Yang et al. 2018) and
2WikiMultiHopQA (Ho et al. 2020) with their answers. `auto-fast` retrieves passages for them from HoVer's corpus; where
the answer stands in a passage, a reader learns to find it among the others. Most questions and their answers can also
be stated as a claim, as HoVer's authors did: true with the answer, false with another of its kind. Questions that stand
in a folder of `datasets` are left out.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pickle
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import contrast
from pools import WHOLE, build, dataset_of, open_engine
from reading_examples import Tokens, find, to_array
from rows import Pooled
from text_kinds import rows

from multihop.models.reader import QUESTION
from multihop.models.wordpiece import tokens
from multihop.text import capitalized_spans, words

PUBLISHED = Path("R1-Searcher/data/training_set/stage_2.jsonl")
KNOWN = ("hotpotqa", "2wiki", "musique")
READ, MOST_HOLDING, FALSE_CLAIMS, UNDECIDED, FEW_WORDS = 10, 3, 2, 0.15, 4
"""Passages that are kept of a question, those that may hold its answer (one that many hold is there by chance), false
claims that are made of it, the share of questions without an answer in these passages that are stated nevertheless, and
the longest phrase that asks for something."""
_CHAINED = re.compile(
    r"\b(?:director|performer|composer)s? (?:of|who|born|died|from)|'s (?:father|mother|spouse|husband|wife)\b"
)
"""How 2WikiMultiHopQA's templates chain relations; what they lead to is rarely in the corpus."""
_AUXILIARY = r"(?:is|was|are|were|did|does|do|has|have|had|can|could|will|would)"
_END = rf"(?=\?|,|;| that\b| who\b| which\b| where\b| {_AUXILIARY}\b| (?:in|of|on|by|with|and|for|from|to|at|as|or)\b)"
_AFTER = "|".join(rf"(?<=\b{word} )which" for word in ("in", "of", "by", "for", "from", "to", "on", "at", "with"))
_ASKED = re.compile(
    rf"\b(?:what|{_AFTER}|whom|(?<=\bby )who|how many(?= \w))"
    rf"(?P<asked>(?: (?!{_AUXILIARY}\b)[\w'’-]+){{0,{FEW_WORDS}}}?){_END}"
)


def state(question: str, answer: str) -> str | None:
    """State a question and its answer, also where the question asks in its middle or at its end."""
    if (claim := contrast.state(question, answer)) is not None:
        return claim
    question = " ".join(question.split())
    asked = [match for match in _ASKED.finditer(question) if match.start()]
    if not asked or not question.endswith("?") or len(answer.split()) > 2 * FEW_WORDS:
        return None
    rest = question[asked[-1].end() : -1]
    if re.match(rf" {_AUXILIARY}\b", rest):  # "…, what was the name of …?": the words would be in the wrong order
        return None
    counted = asked[-1]["asked"] if asked[-1][0].startswith("how many") else ""
    said = f"{question[: asked[-1].start()]}{answer.strip(' .,;:')}{counted}{rest}".strip()
    return f"{said[:1].upper()}{said[1:]}."


def published(folder: Path, data: Path) -> list[dict[str, Any]]:
    """Read the published questions, but none that a folder of `data` has."""
    held = {
        tuple(words(row["question"]))
        for name in KNOWN for path in sorted((data / name).glob("*.jsonl")) if path.name != "corpus.jsonl"
        for row in rows(path)
    }  # fmt: skip
    return [row for row in rows(folder / PUBLISHED) if tuple(words(row["question"])) not in held]


def retrieve(row: Mapping[str, Any]) -> dict[str, Any]:
    import pools

    found = pools._engine.retrieve(row["question"], k=READ, strategy="auto-fast")
    return {
        "question": row["question"],
        "answer": row["answer"],
        "documents": [f"{e.passage.title}: {e.passage.text}" for e in found.evidence],
    }


def pooled(row: Mapping[str, Any]) -> Pooled | None:
    """Give a question with its passages, those that hold the answer as gold, if any does."""
    answer = row["answer"].strip(" .")
    documents = [to_array(text, WHOLE) for text in row["documents"]]
    yes_or_no = answer.lower() in ("yes", "no")
    if _CHAINED.search(row["question"]):
        return None
    named = [text.split(": ")[0] for text in row["documents"][:4]]
    if yes_or_no and sum(name in row["question"] for name in named) < 2:
        return None  # what the two have in common stands elsewhere
    wanted = tokens(answer, 40)
    gold = [bool(find(document.tolist(), wanted)) for document in documents]
    if not yes_or_no and not 0 < sum(gold) <= MOST_HOLDING:
        return None
    shown = [(document, holds and not yes_or_no) for document, holds in zip(documents, gold, strict=True)]
    return Pooled(to_array(row["question"], QUESTION), shown, answer.lower() if yes_or_no else answer, "")


def claims(found: Sequence[Mapping[str, Any]], chance: random.Random) -> Iterator[Pooled]:
    """State questions with their answers, and with others of the same kind, most of them from the same passages."""
    answers: dict[str, list[str]] = defaultdict(list)
    for row in found:
        answers[contrast.kind_of_answer(row["answer"])].append(row["answer"])
    for row in found:
        question, answer = row["question"], row["answer"].strip(" .")
        if answer.lower() in ("yes", "no") or " or " in question or state(question, answer) is None:
            continue
        if _CHAINED.search(question) or (pooled(row) is None and chance.random() > UNDECIDED):
            continue
        documents: list[tuple[Tokens, bool]] = [(to_array(text, WHOLE), False) for text in row["documents"]]
        kind, text = contrast.kind_of_answer(answer), " ".join(row["documents"][:4])
        near = {span for span, _, _ in capitalized_spans(text)} | set(re.findall(r"\b\d[\d,.]*\d\b|\b\d\b", text))
        near = {n for n in near if contrast.kind_of_answer(n) == kind and n.lower() not in question.lower()}
        for right in (True, *[False] * FALSE_CLAIMS):
            said = answer
            if not right:
                said = chance.choice(sorted(near) if near and chance.random() < 0.65 else answers[kind])
                if said.lower() in answer.lower() or answer.lower() in said.lower():
                    continue
            claim = state(question, said)
            if claim is None:  # an answer that is too long to be stated
                continue
            yield Pooled(to_array(claim, QUESTION), documents, answer, "SUPPORTED" if right else "REFUTED")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with hover/, hotpotqa/ …")
    parser.add_argument("--published", type=Path, required=True, help="folder with a copy of R1-Searcher")
    parser.add_argument("--indexes", type=Path, default=Path(".benchmarks"), help="where indexes are kept between runs")
    parser.add_argument("--out", type=Path, default=Path(".training/retrieved.pkl"))
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    arguments = parser.parse_args()
    if not (arguments.published / PUBLISHED).exists():
        parser.error(f"there is no {arguments.published / PUBLISHED}")
    kept = arguments.out.with_suffix(".jsonl")
    if not kept.exists():
        dataset, index = dataset_of("hover", arguments.data, "dev")
        build(path := arguments.indexes / f"{index}.mh", dataset)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        asked = published(arguments.published, arguments.data)
        with multiprocessing.get_context("spawn").Pool(arguments.processes, open_engine, (path, 0)) as workers:
            written = [json.dumps(row) for row in workers.imap(retrieve, asked, chunksize=8)]
        kept.write_text("\n".join(written) + "\n", "utf-8")
    found = list(rows(kept))
    questions = [one for row in found if (one := pooled(row)) is not None]
    stated = list(claims(found, random.Random(7)))
    print(f"{len(found)} questions, {len(questions)} of them with an answer in what was found")
    print(f"{len(stated)} claims, {dict(Counter(claim.label for claim in stated))}")
    arguments.out.write_bytes(pickle.dumps((questions, stated)))


if __name__ == "__main__":
    main()
