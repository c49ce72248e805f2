"""Read questions about talk, stories, papers, sentences, dates and denials, and claims about contracts and articles.

From copies of public repositories: qamr (Michael et al. 2018), FriendsQA (Yang and Choi 2019), Molweni (Li et al.
2020), FairytaleQAData (Xu et al. 2022), COVID-QA (Möller et al. 2020), Time-Sensitive-QA (Chen et al. 2021), CondaQA
(Ravichander et al. 2022), open_retrieval_conversational_machine_reading (OR-ShARC, Gao et al. 2021); Contract-NLI
(Koreeda and Manning 2021), wice (Kamoi et al. 2023), FeverSymmetric (Schuster et al. 2019). Questions come as rows like
those of the recorded sets: a context, a question, and answers or yes or no.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from contrast import Example, Verdict
from text_kinds import Source, chats, papers, rows, series, stories, tidy

Row = dict[str, Any]

WINDOW, BESIDE, LONGEST_ANSWER, ROOM = 800, 250, 90, 380
"""Characters of a context, those it has before an answer at most, the longest answer, and the longest question."""
TOGETHER, PER_SENTENCE = 5, 10
"""Sentences that are put together as one context, and questions that are taken of each."""
_QUOTES = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
_VERDICTS = {
    "Entailment": Verdict.SUPPORTED, "Contradiction": Verdict.CONTRADICTED, "NotMentioned": Verdict.NEITHER,
    "SUPPORTS": Verdict.SUPPORTED, "REFUTES": Verdict.CONTRADICTED, "supported": Verdict.SUPPORTED,
    "partially_supported": Verdict.NEITHER, "not_supported": Verdict.NEITHER,
}  # fmt: skip


def written(text: str) -> str:
    """Write tokens of a treebank as text."""
    joined = tidy(" ".join(_QUOTES.get(word, word) for word in text.split()))
    return re.sub(r'" ([^"]*?) "', r'"\1"', joined.replace("( ", "(").replace("[ ", "[").replace("$ ", "$"))


def window(text: str, at: int, chance: random.Random) -> str:
    """Cut a text around a place, at the ends of sentences or lines."""
    if len(text) <= WINDOW:
        return text
    starts = [0, *(match.end() for match in re.finditer(r"(?<=[.!?])\s+|\n+", text))]
    start = max((s for s in starts if s <= max(0, at - chance.randint(0, BESIDE))), default=0)
    end = max((s for s in starts if at < s <= start + WINDOW), default=start + WINDOW)
    return text[start:end].strip()


def answered(context: str, question: str, answers: Sequence[str], title: str = "") -> Row | None:
    """Make a row of a question whose answer stands in the context; None where it does not."""
    lower = context.lower()
    found = [
        {"text": context[at : at + len(answer)], "start": at}
        for answer in dict.fromkeys(answers)
        if 0 < len(answer) <= LONGEST_ANSWER and (at := lower.find(answer.lower())) >= 0
    ]
    return {"title": title, "context": context, "question": question, "answers": found} if found else None


def about_sources(sources: Iterator[Source], chance: random.Random) -> Iterator[Row]:
    """Give questions beside the passage that holds the answer and, where passages are short, those around it."""
    for source in sources:
        for question, gold, answer in source.questions:
            text = answer.strip(" .,;:")
            for number in sorted(gold):
                at = source.passages[number].lower().find(text.lower()) if text else -1
                if at < 0:
                    continue
                before = source.passages[max(0, number - chance.randint(0, 2)) : number]
                after = source.passages[number + 1 : number + 1 + chance.randint(0, 2)]
                told = "\n".join((*before, source.passages[number], *after))
                at += sum(len(passage) + 1 for passage in before)
                if row := answered(window(told, at, chance), question, [text], source.title):
                    yield row
                    break


def about_sentences(folder: Path, chance: random.Random) -> Iterator[Row]:
    """QAMR: questions about every word of a sentence, several sentences put together."""
    texts = dict(
        line.split("\t", 1) for line in (folder / "wiki-sentences.tsv").read_text("utf-8").splitlines() if "\t" in line
    )
    asked: dict[str, list[tuple[str, list[str]]]] = {}
    for part in ("dev", "test"):
        for line in (folder / "filtered" / f"{part}.tsv").read_text("utf-8").splitlines():
            id, _, _, _, _, question, own, *others = line.split("\t")
            words = texts[id].split()
            places = [list(map(int, p.split())) for p in (own, *(o.split(":", 1)[1] for o in others)) if p]
            whole = [p for p in places if p == list(range(p[0], p[-1] + 1))]
            answers = [written(" ".join(words[p[0] : p[-1] + 1])).strip(" .,;:") for p in whole]
            if answers:
                asked.setdefault(id, []).append((question, answers))
    ids = sorted(asked)
    chance.shuffle(ids)
    while ids:
        together = [ids.pop() for _ in range(min(len(ids), chance.randint(1, TOGETHER)))]
        context = " ".join(written(texts[id]) for id in together)
        for id in together:
            for question, answers in chance.sample(asked[id], min(PER_SENTENCE, len(asked[id]))):
                if row := answered(context, question, answers):
                    yield row


def about_times(folder: Path, chance: random.Random) -> Iterator[Row]:
    """Time-Sensitive-QA: who held what when, in articles that tell of several times; some say nothing of the time."""
    for path in sorted((folder / "dataset").glob("human_train.*.json.gzip")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.readlines()
        for row in map(json.loads, lines):
            answers = [written(answer) for answer in row["targets"] if answer]
            if not answers:
                told = written(
                    window(row["context"][chance.randrange(max(1, len(row["context"]) - WINDOW)) :], 0, chance)
                )
                yield {"title": "", "context": told, "question": row["question"], "answers": []}
                continue
            context = written(window(row["context"], row["from"][0], chance))
            if found := answered(context, row["question"], answers):
                yield found


def about_denials(folder: Path) -> Iterator[Row]:
    """CondaQA: what follows where something is denied; yes, no, or not said."""
    for row in rows(folder / "data" / "condaqa_dev.json"):
        said = {"YES": "yes", "NO": "no", "DON'T KNOW": ""}.get(row["label"])
        if said is not None:
            at = max(0, row["sentence1"].find(row["original sentence"]))
            context = window(row["sentence1"], at, random.Random(1))
            yield {"title": "", "context": context, "question": row["sentence2"], "answers": [], "yesno": said}


def about_rules(folder: Path) -> Iterator[Row]:
    """OR-ShARC: may I, must I, can I get, asked by somebody who tells of themselves; open where too little is told."""
    texts = json.loads((folder / "data" / "id2snippet.json").read_text("utf-8"))
    for path in sorted((folder / "data").glob("open_retrieval_sharc_*.json")):
        for row in rows(path):
            told = [row["scenario"].strip()]
            told += [f"{h['follow_up_question'].strip()} {h['follow_up_answer']}." for h in row["history"]]
            question = " ".join((*filter(None, told), row["question"].strip()))
            if len(question) <= ROOM:
                said = row["answer"].lower()
                yesno = {"yesno": said} if said in ("yes", "no") else {}
                page = texts[row["gold_snippet_id"]]
                yield {"title": "", "context": page, "question": question, "answers": [], **yesno}


def questions(folder: Path, chance: random.Random) -> Mapping[str, list[Row]]:
    """Give the questions of every repository that is there."""
    readers: dict[str, tuple[str, Callable[[Path], Iterator[Row]]]] = {
        "qamr": ("qamr/data", lambda path: about_sentences(path, chance)),
        "series": ("FriendsQA", lambda path: about_sources(series(path), chance)),
        "chats": ("Molweni", lambda path: about_sources(chats(path), chance)),
        "stories": ("FairytaleQAData", lambda path: about_sources(stories(path), chance)),
        "papers": ("COVID-QA", lambda path: about_sources(papers(path), chance)),
        "times": ("Time-Sensitive-QA", lambda path: about_times(path, chance)),
        "denials": ("CondaQA", about_denials),
        "rules": ("open_retrieval_conversational_machine_reading", about_rules),
    }
    return {name: list(read(path)) for name, (place, read) in readers.items() if (path := folder / place).is_dir()}


def on_contracts(folder: Path, chance: random.Random) -> Iterator[Example]:
    """ContractNLI: statements beside the clauses that decide them, or beside others of the contract."""
    for path in sorted((folder / "dataset").glob("*.json")):
        read = json.loads(path.read_text("utf-8"))
        for contract in read["documents"]:
            clauses = [" ".join(contract["text"][first:last].split()) for first, last in contract["spans"]]
            for id, each in contract["annotation_sets"][0]["annotations"].items():
                verdict = _VERDICTS[each["choice"]]
                if verdict is Verdict.NEITHER and chance.random() < 0.5:
                    continue
                shown = set(each["spans"][:3]) or set(range(at := chance.randrange(len(clauses)), at + 3))
                near = {n + side for n in list(shown)[:1] for side in (-1, 1) if chance.random() < 0.4}
                told = tuple(clauses[n][:500] for n in sorted(shown | near) if 0 <= n < len(clauses))
                yield Example(read["labels"][id]["hypothesis"], told, verdict)


def on_pages(folder: Path, chance: random.Random) -> Iterator[Example]:
    """WiCE: sentences of Wikipedia beside sentences of the pages that they cite."""
    for path in sorted((folder / "data" / "entailment_retrieval").glob("*/*.jsonl")):
        for row in rows(path):
            said = row["evidence"]
            chosen = chance.choice(row["supporting_sentences"]) if row["supporting_sentences"] else []
            for _ in range(chance.choice((1, 2)) if chosen else 4):
                chosen = [*chosen, chance.randrange(len(said))]
            told = tuple(said[n].removeprefix("(meta data) ")[:400] for n in sorted(set(chosen))[:8])
            yield Example(row["claim"], told, _VERDICTS[row["label"]])


def on_articles(folder: Path) -> Iterator[Example]:
    """FEVER, symmetric: every claim with a sentence that supports it and one that contradicts it."""
    for row in rows(folder / "symmetric_v0.1" / "fever_symmetric_full.jsonl"):
        yield Example(written(row["claim"]), (written(row["evidence_sentence"]),), _VERDICTS[row["label"]])


def claims(folder: Path, chance: random.Random) -> Mapping[str, list[Example]]:
    """Give the claims of every repository that is there."""
    readers: dict[str, tuple[str, Callable[[Path], Iterator[Example]]]] = {
        "contracts": ("Contract-NLI", lambda path: on_contracts(path, chance)),
        "pages": ("wice", lambda path: on_pages(path, chance)),
        "symmetric": ("FeverSymmetric", on_articles),
    }
    return {name: list(read(path)) for name, (place, read) in readers.items() if (path := folder / place).is_dir()}
