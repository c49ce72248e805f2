"""Lay out many kinds of text alike, to train and to measure a ranker on: rules, reviews, privacy policies, manuals.

    python training/text_kinds.py --data datasets --published repositories --out .training/kinds

`--data` has the folders `kinds` (corpus and questions), `reading` (questions with a context), `verifying` (claims with
evidence) and `corpora` (passages under headings), as training/README.md describes them; `--published` has copies of the
public repositories of PUBLISHED: meetings, chats, stories, contracts and others. Writes a folder in the layout of BEIR
for each set that is there, for training/pools.py. A set with contexts becomes a corpus of its contexts; a heading
becomes a query for the text under it. Questions of the dev splits have no passage in common with those of train.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import random
import re
import textwrap
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

KINDS = ("obliqa", "phantom8", "politihop", "locomo")
READING = {
    "squad": "squad11_train44", "newwiki": "squadshifts_newwiki", "reddit": "squadshifts_reddit",
    "amazon": "squadshifts_amazon", "policy": "policyqa", "nq": "qed_nq_dev", "condqa": "conditionalqa_goldev",
}  # fmt: skip
CLAIMS = ("fever_athnlp", "feverous_dev_text")
TRAIN, DEV = 1500, 150
"""Questions that are taken of a set with contexts."""
CLAIMS_TAKEN, PER_CORPUS, HEADINGS = 1200, 3000, 200
LONGEST, ROOM = 1500, 1000
"""Characters of a passage that is put together or cut here."""
MOST_GOLD, LEAST_EACH, PER_QUESTION = 5, 5, 16000
"""Passages a question may need, questions that a text may have at least, and characters of a text for each of them."""
SITUATIONS, STATED, BLOCK, SHARED = 2, 5, 20000, 5
EPISODES, ALIGNED, LONGEST_CLAIM, ANNOUNCED = 70, 0.6, 300, 0.15
"""Episodes that are taken, the score from which on a sentence tells of its turns, and the share of announcements."""


class Asked(NamedTuple):
    """A question, the passages it needs, and its answer where it has one."""

    text: str
    gold: tuple[str, ...]
    answer: str = ""


class Kind(NamedTuple):
    """A set as it is written: passages by id, and questions by split."""

    passages: Mapping[str, tuple[str, str]]
    splits: Mapping[str, Sequence[Asked]]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def plain_title(title: str | None) -> str:
    """Give a title that says something; numbers of reviews and addresses do not."""
    return "" if not title or re.fullmatch(r".*_\d+", title) or title.startswith("http") else title.replace("_", " ")


def asked_of(row: Mapping[str, Any]) -> str:
    return f"{row['scenario']} {row['question']}" if row.get("scenario") else str(row["question"])


def labelled(folder: Path) -> Kind:
    passages = {row["_id"]: (row.get("title") or "", row["text"]) for row in rows(folder / "corpus.jsonl.xz")}
    splits = {
        split: [Asked(r["text"], tuple(r["gold"]), _text(r["metadata"].get("answer"))) for r in rows(path)]
        for split in ("train", "dev")
        if (path := folder / f"{split}.jsonl").exists()
    }
    return Kind(passages, splits)


def _text(answer: object) -> str:
    return answer if isinstance(answer, str) else ""


def with_contexts(name: str, path: Path, chance: random.Random) -> Kind:
    """Make a corpus of the contexts that questions come with; dev gets contexts of its own."""
    ids: dict[str, str] = {}
    passages: dict[str, tuple[str, str]] = {}
    questions: dict[str, list[Asked]] = {}
    for row in rows(path):
        context = row["context"]
        if len(context) < 40:
            continue
        id = ids.setdefault(context, f"{name}-{len(ids)}")
        passages[id] = (plain_title(row.get("title")), context)
        answer = row["answers"][0]["text"] if row.get("answers") else _text(row.get("yesno"))
        questions.setdefault(id, []).append(Asked(asked_of(row), (id,), answer))
    order = list(questions)
    chance.shuffle(order)
    train, dev = list[Asked](), list[Asked]()
    for id in order:
        (dev if len(dev) < DEV else train).extend(questions[id])
    chance.shuffle(train)
    return Kind(passages, {"train": train[:TRAIN], "dev": dev[:DEV]})


def claims(paths: Sequence[Path], chance: random.Random) -> Kind:
    """Make a corpus of the evidence of claims, the sentences of each as one passage."""
    ids: dict[str, str] = {}
    found: list[Asked] = []
    for path in paths:
        for row in rows(path):
            if row["label"] in ("supported", "refuted"):
                evidence = " ".join(row["evidence"])[:LONGEST]
                found.append(Asked(row["claim"], (ids.setdefault(evidence, f"claims-{len(ids)}"),)))
    chance.shuffle(found)
    return Kind({id: ("", text) for text, id in ids.items()}, {"train": found[:CLAIMS_TAKEN]})


def headings(paths: Sequence[Path], chance: random.Random) -> Kind:
    """Ask for passages by their headings, which are taken out of the corpus."""
    passages: dict[str, tuple[str, str]] = {}
    found: list[Asked] = []
    for path in paths:
        usable = []
        for row in list(rows(path))[:PER_CORPUS]:
            passages[row["_id"]] = ("", row["text"][:LONGEST])
            heading = row["title"].split(" > ")[-1].strip()
            telling = 3 <= len(heading.split()) <= 16 and not re.search(r"train\d+|EP-|§", heading)
            if telling and len(row["text"]) > 200:
                usable.append(Asked(heading, (row["_id"],)))
        chance.shuffle(usable)
        found += usable[:HEADINGS]
    return Kind(passages, {"train": found})


class Source(NamedTuple):
    """A text that questions are about: its title, its passages, and each question with the numbers of its passages."""

    title: str
    passages: Sequence[str]
    questions: Sequence[tuple[str, frozenset[int], str]]


def gather(name: str, sources: Sequence[Source], chance: random.Random) -> Kind:
    """Make a corpus of whole texts; dev gets texts of its own.

    Left out are texts that are long for the questions they have, and questions that are asked of several texts.
    """
    order = list(range(len(sources)))
    chance.shuffle(order)
    chosen: dict[str, list[Asked]] = {"dev": [], "train": []}
    passages: dict[str, tuple[str, str]] = {}
    times = Counter(text for source in sources for text in {question[0] for question in source.questions})
    room = {"dev": min(DEV, len(times) // 8), "train": TRAIN}
    most = max(LEAST_EACH, 2 * (TRAIN + DEV) // max(1, len(sources)))
    for number in order:
        source = sources[number]
        split = "dev" if len(chosen["dev"]) < room["dev"] else "train"
        free = room[split] - len(chosen[split])
        ids = [f"{name}-{number}-{n}" for n in range(len(source.passages))]
        usable = [
            Asked(text, tuple(ids[n] for n in sorted(gold)), answer)
            for text, gold, answer in {question[0]: question for question in source.questions}.values()
            if 1 <= len(gold) <= MOST_GOLD and times[text] == 1
        ]
        if not free or len(usable) * PER_QUESTION < sum(map(len, source.passages)):
            continue
        chance.shuffle(usable)
        chosen[split] += usable[: min(free, most)]
        passages |= {id: (source.title, text) for id, text in zip(ids, source.passages, strict=True)}
    return Kind(passages, chosen)


def talk(turns: Sequence[tuple[str, str]], most: int) -> tuple[list[str], dict[int, frozenset[int]]]:
    """Cut what was said into passages of at most `most` turns; also tell which passages each turn is in."""
    passages: list[list[str]] = []
    places: dict[int, set[int]] = {}
    for number, (speaker, words) in enumerate(turns):
        for part in textwrap.wrap(words, ROOM):
            line = f"{speaker}: {part}"
            if not passages or len(passages[-1]) == most or sum(map(len, passages[-1])) + len(line) > ROOM:
                passages.append([])
            passages[-1].append(line)
            places.setdefault(number, set()).add(len(passages) - 1)
    return ["\n".join(lines) for lines in passages], {n: frozenset(there) for n, there in places.items()}


def holding(places: Mapping[int, frozenset[int]], turns: Iterable[int]) -> frozenset[int]:
    """Give the passages that hold any of these turns."""
    return frozenset(place for turn in turns for place in places.get(turn, ()))


def cut(text: str) -> list[range]:
    """Cut a long text at the ends of paragraphs or sentences; give the characters of each passage."""
    found, start = list[range](), 0
    while start < len(text):
        end = start + ROOM
        if end < len(text):
            ends = (text.rfind(mark, start + ROOM // 3, end) for mark in ("\n\n", ". "))
            end = next((at + 1 for at in ends if at > 0), end)
        found.append(range(start, end))
        start = end
    return found


def within(question: str, place: str) -> str:
    """Say in a question which text it is about, where nothing else in it does."""
    words = question.rstrip(" ?.!")
    return f"{words} in {place}{question[len(words) :].strip()}"


def tidy(text: str) -> str:
    """Join what a tokenizer parted, and leave out the marks of transcribers."""
    text = re.sub(r"\{[^}]*\}|<[^>]*>", " ", text)
    return " ".join(re.sub(r"\s+(n't\b|'(?:s|re|ve|ll|d|m)\b|[.,?!;:%)])", r"\1", text).split())


def meetings(folder: Path) -> Iterator[Source]:
    """QMSum (Zhong et al. 2021): questions with the turns that answer them."""
    for path in sorted(folder.glob("data/*/all/*.json")):
        meeting = json.loads(path.read_text("utf-8"))
        title = f"{path.parts[-3]} meeting {path.stem}"
        turns = [(turn["speaker"], tidy(turn["content"])) for turn in meeting["meeting_transcripts"]]
        turns = [(speaker, words if len(re.findall(r"\w+", words)) > 2 else "") for speaker, words in turns]
        passages, places = talk(turns, 8)
        questions = []
        for asked in meeting["specific_query_list"]:
            spans = ((int(first), int(last)) for first, last in asked["relevant_text_span"])
            gold = holding(places, (turn for first, last in spans for turn in range(first, last + 1)))
            questions.append((within(tidy(asked["query"]), title[0].lower() + title[1:]), gold, ""))
        yield Source(title, passages, questions)


def series(folder: Path) -> Iterator[Source]:
    """FriendsQA (Yang and Choi 2019): questions about scenes of a television series."""
    chance = random.Random(1)
    for path in sorted(folder.glob("dat/friendsqa_*.json")):
        for scene in json.loads(path.read_text("utf-8"))["data"]:
            text = scene["paragraphs"][0]
            turns = [
                (" and ".join(turn["speakers"]).replace("#NOTE#", "Scene"), tidy(turn["utterance"]))
                for turn in text["utterances:"]
            ]
            passages, places = talk(turns, chance.choice((1, 3, 6)))
            season, episode, number = (int(part[1:]) for part in scene["title"].split("_"))
            questions = []
            for asked in text["qas"]:
                gold = holding(places, (answer["utterance_id"] for answer in asked["answers"]))
                questions.append((tidy(asked["question"]), gold, tidy(asked["answers"][0]["answer_text"])))
            yield Source(f"Friends, season {season}, episode {episode}, scene {number}", passages, questions)


def chats(folder: Path) -> Iterator[Source]:
    """Molweni (Li et al. 2020): questions about chats of Ubuntu's users, those that name one of the users."""
    chance = random.Random(1)
    for path in sorted(folder.glob("MRC*/*.json")):
        for chat in json.loads(path.read_text("utf-8"))["data"]["dialogues"]:
            turns = [(turn["speaker"], tidy(turn["text"])) for turn in chat["edus"]]
            passages, places = talk(turns, chance.choice((1, 2, 4)))
            names = {speaker.lower() for speaker, _ in turns}
            # An answer is placed in all turns as one text: speaker, colon, words.
            ends = list(accumulate(len(turn["speaker"]) + len(turn["text"]) + 3 for turn in chat["edus"]))
            questions = []
            for asked in chat["qas"]:
                if asked["is_impossible"] or not names & set(asked["question"].lower().split()):
                    continue
                gold = holding(places, (bisect_right(ends, answer["answer_start"]) for answer in asked["answers"]))
                questions.append((tidy(asked["question"]), gold, asked["answers"][0]["text"]))
            yield Source("Ubuntu chat", passages, questions)


def play(folder: Path) -> Iterator[Source]:
    """CRD3 (Rameshkumar and Bailey 2020): sentences of summaries, with the turns of a game they tell of."""
    chance = random.Random(1)
    files = sorted(folder.glob("data/aligned data/c=2/*_2_0.json"))
    for path in chance.sample(files, min(EPISODES, len(files))):
        campaign, episode = re.findall(r"\d+", path.stem)[:2]
        chunks = json.loads(path.read_text("utf-8"))
        turns = {t["NUMBER"]: (" and ".join(t["NAMES"]).title(), t["UTTERANCES"]) for c in chunks for t in c["TURNS"]}
        passages, places = talk([(speaker, " ".join(lines)) for speaker, lines in turns.values()], 8)
        order = {number: n for n, number in enumerate(turns)}
        questions = []
        for chunk in chunks[int(ANNOUNCED * len(chunks)) :]:
            text = " ".join(chunk["CHUNK"].split())
            named = len(re.findall(r"\s[A-Z]\w", text)) > 1 and not re.match("(He|She|It|They|This|The two) ", text)
            if named and len(text) < LONGEST_CLAIM and chunk["ALIGNMENT"]["ALIGNMENT SCORE"] > ALIGNED:
                questions.append((text, holding(places, (order[turn["NUMBER"]] for turn in chunk["TURNS"])), ""))
        yield Source(f"Critical Role, campaign {int(campaign)}, episode {int(episode)}", passages, questions)


def stories(folder: Path) -> Iterator[Source]:
    """FairytaleQA (Xu et al. 2022): questions about stories and the sections that answer them."""
    for path in sorted(folder.glob("data-by-train-split/questions/*/*-questions.csv")):
        name = path.stem.removesuffix("-questions")
        sections = path.parents[2] / "section-stories" / path.parent.name / f"{name}-story.csv"
        with sections.open(encoding="utf-8", newline="") as file:
            numbered = {row["section"]: " ".join(row["text"].split()) for row in csv.DictReader(file)}
        places = {section: number for number, section in enumerate(numbered)}
        title, questions = name.replace("-", " ").capitalize(), []
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                gold = frozenset(places[n.strip()] for n in row["cor_section"].split(",") if n.strip() in places)
                text = " ".join(row["question"].split())
                named = re.search(r"\s[A-Z]", text)
                questions.append((text if named else within(text, f"the story of {title}"), gold, row["answer1"]))
        yield Source(title, list(numbered.values()), questions)


def trivia(folder: Path) -> Iterator[Source]:
    """Fool Me Twice (Eisenschlos et al. 2021): claims of a game, with the sentences that decide them."""
    pages: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("dataset/*.jsonl")):
        for row in rows(path):
            pages.setdefault(row["wikipedia_page"], []).append(row)
    for page, told in pages.items():
        found = [e["text"] for row in told for e in (*row["gold_evidence"], *row["retrieved_evidence"])]
        places = {text: number for number, text in enumerate(dict.fromkeys(found))}
        questions = [(row["text"], frozenset(places[e["text"]] for e in row["gold_evidence"]), "") for row in told]
        yield Source(page, list(places), questions)


def rules(folder: Path) -> Iterator[Source]:
    """OR-ShARC (Gao et al. 2021): questions of people in some situation, with the rule that applies."""
    chance = random.Random(1)
    texts = json.loads((folder / "data" / "id2snippet.json").read_text("utf-8"))
    asked: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.glob("data/open_retrieval_sharc_*.json")):
        for row in rows(path):
            if row["answer"] != "Irrelevant":
                asked.setdefault(row["gold_snippet_id"], {}).setdefault(row["question"], []).append(row["scenario"])
    for id, text in texts.items():
        questions = []
        for question, scenarios in asked.get(id, {}).items():
            situations = sorted({scenario for scenario in scenarios if scenario})
            alone = [] if re.search(r"\b(this|that|these|those|here)\b", question) else [""]
            picked = [*alone, *chance.sample(situations, min(SITUATIONS, len(situations)))]
            questions += [(f"{situation} {question}".strip(), frozenset({0}), "") for situation in picked]
        yield Source("", [text], questions)


def manual(folder: Path) -> Iterator[Source]:
    """E-manuals (Nandy et al. 2021): questions about a television, with the section of its manual."""
    corpus = json.loads((folder / "data" / "smart_tv_remote_manual_corpus.json").read_text("utf-8"))
    row = re.compile(r'"Section Hierarchy": "(.*?)".*?"Question": "(.*?)",\s*"Answer": "(.*?)"\s*}', re.DOTALL)
    asked: dict[str, list[tuple[str, str]]] = {}
    with zipfile.ZipFile(folder / "data" / "smart_remote_QA.zip") as archive:
        for name in sorted(archive.namelist()):
            for path, question, answer in row.findall(archive.read(name).decode("utf-8")):
                asked.setdefault(path.split(">")[-1].strip().lower(), []).append((question.strip(), answer))
    headed: dict[str, list[str]] = {}
    for section in corpus.values():
        text = " ".join(section["text"])
        parts = [text[part.start : part.stop].strip() for part in cut(text)]
        headed.setdefault(section["title"].strip(), []).extend(parts)
    for heading, passages in headed.items():
        questions = []
        for question, answer in asked.get(heading.lower(), ()):
            said = [len(set(answer.lower().split()) & set(passage.lower().split())) for passage in passages]
            if max(said, default=0) >= SHARED:
                questions.append((question, frozenset({said.index(max(said))}), ""))
        yield Source(heading, passages, questions)


def papers(folder: Path) -> Iterator[Source]:
    """COVID-QA (Möller et al. 2020): questions about medical papers, with the answer's place."""
    for paper in json.loads((folder / "data/question-answering/200423_covidQA.json").read_text("utf-8"))["data"]:
        for text in paper["paragraphs"]:
            questions = [(q["question"], q["answers"][0]["answer_start"], q["answers"][0]["text"]) for q in text["qas"]]
            title = text["context"].lstrip().split("\n")[0]
            yield _cut_source(title, text["context"], [(q, [range(at, at + len(a))], a) for q, at, a in questions])


def contracts(folder: Path) -> Iterator[Source]:
    """ContractNLI (Koreeda and Manning 2021): statements about agreements, with the clauses that decide them."""
    chance = random.Random(1)
    for path in sorted(folder.glob("dataset/*.json")):
        read = json.loads(path.read_text("utf-8"))
        for agreement in read["documents"]:
            decided = [(id, each["spans"]) for id, each in agreement["annotation_sets"][0]["annotations"].items()]
            decided = [(id, spans) for id, spans in decided if spans]
            title = "Agreement " + unquote(agreement["file_name"]).rsplit(".", 1)[0].replace("_", " ")
            questions = []
            for id, spans in chance.sample(decided, min(STATED, len(decided))):
                text = within(read["labels"][id]["hypothesis"], title[0].lower() + title[1:])
                questions.append((text, [range(*agreement["spans"][n]) for n in spans], ""))
            yield _cut_source(title, agreement["text"], questions)


def reports(folder: Path) -> Iterator[Source]:
    """Questions of chunking_evaluation (Smith and Troynikov 2024) about a speech, chats, reports and papers."""
    data = folder / "chunking_evaluation" / "evaluation_framework" / "general_evaluation_data"
    asked: dict[str, list[tuple[str, list[range], str]]] = {}
    with (data / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            spans = [range(r["start_index"], r["end_index"]) for r in json.loads(row["references"])]
            asked.setdefault(row["corpus_id"], []).append((row["question"], spans, ""))
    for path in sorted(data.glob("corpora/*.md")):
        text = path.read_text("utf-8")
        for start in range(0, len(text), BLOCK):
            block = range(start, start + BLOCK)
            inside = [
                (question, [range(span.start - start, span.stop - start) for span in spans], answer)
                for question, spans, answer in asked.get(path.stem, ())
                if all(span.start in block and span.stop in block for span in spans)
            ]
            yield _cut_source(path.stem.replace("_", " "), text[block.start : block.stop], inside)


def _cut_source(title: str, text: str, questions: Sequence[tuple[str, Sequence[range], str]]) -> Source:
    """Cut a text into passages; the gold passages of a question are those its spans touch."""
    parts = cut(text)
    found = []
    for question, spans, answer in questions:
        gold = (
            n for span in spans for n, part in enumerate(parts) if part.start < span.stop and span.start < part.stop
        )
        found.append((" ".join(question.split()), frozenset(gold), answer))
    return Source(title, [text[part.start : part.stop].strip() for part in parts], found)


PUBLISHED = {
    "meetings": ("Yale-LILY/QMSum", meetings), "series": ("emorynlp/FriendsQA", series),
    "chats": ("HIT-SCIR/Molweni", chats), "play": ("RevanthRameshkumar/CRD3", play),
    "stories": ("uci-soe/FairytaleQAData", stories), "trivia": ("google-research/fool-me-twice", trivia),
    "contracts": ("shu7bh/Contract-NLI", contracts),
    "rules": ("Yifan-Gao/open_retrieval_conversational_machine_reading", rules),
    "manual": ("abhi1nandy2/EMNLP-2021-Findings", manual), "papers": ("deepset-ai/COVID-QA", papers),
    "reports": ("brandonstarxel/chunking_evaluation", reports),
}  # fmt: skip
"""Sets that are read from copies of public repositories, each in a folder with the name of its repository."""


def write(folder: Path, kind: Kind) -> None:
    """Write a set in the layout of BEIR."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for id, (title, text) in kind.passages.items():
            file.write(json.dumps({"_id": id, "title": title, "text": text}, ensure_ascii=False) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for split, questions in kind.splits.items():
            for number, asked in enumerate(questions):
                row = {"_id": f"{split}-{number}", "text": asked.text, "metadata": {"answer": asked.answer}}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    for split, questions in kind.splits.items():
        lines = [f"{split}-{n}\t{id}\t1\n" for n, asked in enumerate(questions) for id in dict.fromkeys(asked.gold)]
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")
    counts = ", ".join(f"{split} {len(questions)}" for split, questions in kind.splits.items())
    print(f"{folder.name}: {len(kind.passages)} passages, questions: {counts}", flush=True)


def write_published(folder: Path, out: Path) -> None:
    """Write the sets of the repositories of `folder` that are there."""
    for name, (repository, read) in PUBLISHED.items():
        if (copy := folder / repository.split("/")[1]).is_dir():
            write(out / name, gather(name, list(read(copy)), random.Random(1)))


def write_recorded(data: Path, out: Path) -> None:
    """Write the sets of the folders of `data` that are there."""
    chance = random.Random(1)
    for name in KINDS:
        if (data / "kinds" / name).is_dir():
            write(out / name, labelled(data / "kinds" / name))
    for name, file in READING.items():
        if (path := data / "reading" / f"{file}.jsonl.xz").exists():
            write(out / name, with_contexts(name, path, chance))
    if paths := [path for name in CLAIMS if (path := data / "verifying" / f"{name}.jsonl.xz").exists()]:
        write(out / "claims", claims(paths, chance))
    if paths := sorted((data / "corpora").glob("*.jsonl.xz")):
        write(out / "headings", headings(paths, chance))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with kinds/, reading/, verifying/, corpora/")
    parser.add_argument("--published", type=Path, help="folder with copies of public repositories")
    parser.add_argument("--out", type=Path, default=Path(".training/kinds"))
    arguments = parser.parse_args()
    if not (arguments.data or arguments.published):
        parser.error("no folder to read: give --data, --published or both")
    for folder in (arguments.data, arguments.published):
        if folder and not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    if arguments.published:
        write_published(arguments.published, arguments.out)
    if arguments.data:
        write_recorded(arguments.data, arguments.out)


if __name__ == "__main__":
    main()
