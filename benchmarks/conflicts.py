"""How many conflicts between two sentences are found, and how many of those found are none.

Pairs are made of the sentences of a corpus. Conflicts: a sentence beside itself in other words with another number,
date or name, negated, or with a word of the opposite meaning. No conflicts: a sentence beside itself in other words,
and beside the nearest sentences of other documents, which are about other things as often as they are written alike.
Counted are the conflicts that rules find, and those of rules and verifier.

    python benchmarks/conflicts.py handbooks.jsonl.xz dc_law.jsonl.xz [-n 300]
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from multihop import Document, Engine, Evidence, Passage
from multihop.answering.conflicts import conflicts_of
from multihop.models import verifier
from multihop.protocols import Verifier
from multihop.text.units import units

_NUMBER = re.compile(
    r"(?<![\w.,§-])(\d{1,3})(?= (?:[a-z]+ )?(?:days|hours|weeks|months|years|percent|members|dollars)\b)"
)
_DATE = re.compile(
    r"\b(\d{1,2}|January|February|March|April|June|July|October|December) ?(\d{1,2}, )?((?:19|20)\d\d)\b"
)
_VERB = re.compile(r"\b(is|are|may|must|shall|can|will|should)\b(?! not)")
_REWORDED = (("shall", "must"), ("within", "in"), ("employees", "staff"), ("also ", ""), ("such as", "like"),
             ("in order to", "to"), ("prior to", "before"), ("each", "every"), ("receive", "get"))  # fmt: skip
_OPPOSITES = (
    ("required", "optional"), ("allowed", "forbidden"), ("permitted", "prohibited"), ("before", "after"),
    ("increase", "decrease"), ("minimum", "maximum"), ("at least", "at most"), ("higher", "lower"),
    ("public", "private"), ("open", "closed"), ("paid", "unpaid"), ("mandatory", "voluntary"), ("daily", "weekly"),
    ("annually", "monthly"), ("internal", "external"), ("always", "never"), ("approved", "rejected"),
    ("enabled", "disabled"), ("temporary", "permanent"), ("inside", "outside"), ("full-time", "part-time"),
)  # fmt: skip
_PEOPLE = ("Pia Holm", "Jon Berg", "Eli Dahl", "Ola Lund")
_TEMPLATES = (
    "{thing} is led by {name}.", "The chief executive of {thing} is {name}.", "{thing} was founded by {name} in 1990.",
    "The headquarters of {thing} are in {name}.",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("-n", type=int, default=300)
    options = parser.parse_args()
    chance = random.Random(5)
    for corpus in options.corpora:
        passages = _read(corpus, chance)
        conflicting = [*_conflicting(passages, options.n, chance), *_opposite_words(passages, options.n)]
        others = [*_reworded(passages, options.n), *_nearest(passages, options.n)]
        for way, read in (("rules", None), ("rules and verifier", verifier())):
            found = Counter(kind for kind, one, other in (*conflicting, *others) if _found(one, other, read))
            wanted = {kind for kind, _, _ in conflicting}
            right = sum(n for kind, n in found.items() if kind in wanted)
            precision, recall = right / max(1, found.total()), right / max(1, len(conflicting))
            print(f"{corpus.name}, {way}: precision {precision:.3f}, recall {recall:.3f}", flush=True)
            for kind, pairs in sorted(Counter(kind for kind, _, _ in (*conflicting, *others)).items()):
                print(f"  {kind:22} found in {found[kind]:4} of {pairs}", flush=True)


def _read(path: Path, chance: random.Random) -> list[Passage]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    chance.shuffle(rows)
    made: list[Passage] = []
    for n, row in enumerate(rows[:4000]):
        for unit in units(row["text"]):
            said = " ".join(unit.of(row["text"]).split())
            if unit.kind == "sentence" and 40 <= len(said) <= 300:
                made.append(Passage(f"{n}#{len(made)}", str(n), len(made), row["title"], said))
    return made


def _found(one: Passage, other: Passage, read: Verifier | None) -> bool:
    return bool(conflicts_of([Evidence(rank, p, 1.0, "", 1) for rank, p in enumerate((one, other), 1)], read))


def _other(passage: Passage, text: str) -> Passage:
    return Passage(f"x{passage.id}", f"x{passage.document_id}", 0, passage.title, text)


def _in_other_words(text: str) -> str:
    for before, after in _REWORDED:
        text = re.sub(rf"\b{before}\b" if before.strip() == before else before, after, text)
    return text


def _conflicting(
    passages: Sequence[Passage], most: int, chance: random.Random
) -> Iterator[tuple[str, Passage, Passage]]:
    changes: dict[str, tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = {
        "another number": (_NUMBER, lambda m: str(int(m[1]) + chance.choice((1, 5, 30)))),
        "another date": (_DATE, lambda m: m[0][:-4] + str(int(m[3]) - chance.choice((1, 3, 11)))),
        "the opposite": (_VERB, lambda m: f"{m[1]} not"),
    }
    for kind, (pattern, change) in changes.items():
        fitting = [p for p in passages if pattern.search(p.text) and not re.search(r"\b(?:not|no|never)\b", p.text)]
        for passage in fitting[:most]:
            yield kind, passage, _other(passage, _in_other_words(pattern.sub(change, passage.text, count=1)))
    for n, passage in enumerate(passages[: most // 4]):
        one, other = chance.sample(_PEOPLE, 2)
        thing = passage.title.split(" > ")[-1].split(".")[0][:40] or "Kittiwake"
        said = _TEMPLATES[n % len(_TEMPLATES)]
        first = _other(passage, said.format(thing=thing, name=one))
        second = Passage("y#0", "y", 0, passage.title, said.format(thing=thing, name=other))
        yield "another name", first, second


def _opposite_words(passages: Sequence[Passage], most: int) -> Iterator[tuple[str, Passage, Passage]]:
    opposite = dict((*_OPPOSITES, *((second, first) for first, second in _OPPOSITES)))
    pattern = re.compile(rf"\b(?:{'|'.join(opposite)})\b")
    for passage in [p for p in passages if pattern.search(p.text)][:most]:
        text = pattern.sub(lambda found: opposite[found[0]], passage.text, count=1)
        yield "a word of the opposite", passage, _other(passage, _in_other_words(text))


def _reworded(passages: Sequence[Passage], most: int) -> Iterator[tuple[str, Passage, Passage]]:
    changed = [p for p in passages if _in_other_words(p.text) != p.text and re.search(r"\d", p.text)]
    for passage in changed[:most]:
        yield "same in other words", passage, _other(passage, _in_other_words(passage.text))


def _nearest(passages: Sequence[Passage], most: int) -> Iterator[tuple[str, Passage, Passage]]:
    by_id = {p.id: p for p in passages}
    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder) / "x.mh", create=True) as engine:
        engine.add((Document(p.id, p.text, p.title) for p in passages), whole=True)
        for passage in [p for p in passages if re.search(r"\d", p.text)][: 2 * most]:
            found = engine.retrieve(passage.text, k=4, strategy="bm25")
            near = [by_id[e.passage.document_id] for e in found]
            yield from (
                ("nearest of others", passage, other)
                for other in near
                if other.document_id != passage.document_id and other.text != passage.text
            )


if __name__ == "__main__":
    main()
