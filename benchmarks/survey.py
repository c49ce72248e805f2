"""What a policy analyst gets: for how many countries do the first passages state the target and the base year?

The facts below were read from the documents by a person. A passage states the target when it gives its figure beside
emissions or a reduction, and the base year when it names the year as one that is compared with. Countries whose
document gives none are left out.

The countries are reported in two halves, every other one in the order of the data. How traversal is scored was settled
on the first half; the second was only measured. The patterns of the profile were written with all documents at hand.
`graph` is the walk that begins with the signals (`multihop survey --hop`); `graph-words` begins as it does elsewhere.

    python benchmarks/survey.py --data datasets [--strategies hybrid,graph,bm25,dense,hybrid-rrf,auto] [--misses]
    python benchmarks/survey.py --data datasets --embedder encoder --strategies hybrid,dense
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from multihop import Document, Engine, profiles
from multihop.index.embedders import open_embedder
from multihop.loop import Strategy
from multihop.strategies import GRAPH, graph_by_signals, hybrid, strategy

TARGETS = {
    "Afghanistan": ("13.6",), "Algeria": ("22", "7"), "Armenia": ("40",), "Australia": ("43",),
    "European Union": ("55",), "Azerbaijan": ("35", "40"), "Belarus": ("35", "40"),
    "Bosnia and Herzegovina": ("12.8", "33.2", "17.7"), "Brunei Darussalam": ("20",), "Comoros": ("23",),
    "Cook Islands": ("38", "81"), "Djibouti": ("40", "60"), "Fiji": ("30",), "Georgia": ("35", "57"),
    "Grenada": ("40",), "Holy See": ("20",), "Iceland": ("55",), "India": ("45",), "Iraq": ("15", "2"),
    "Israel": ("27",), "Jamaica": ("25.4", "28.5"), "Japan": ("60", "73", "46"), "Kuwait": ("7.4",),
    "Liechtenstein": ("40",), "Malaysia": ("45",), "Mongolia": ("22.7",), "Montenegro": ("55", "60"),
    "Nepal": ("28", "23"), "New Zealand": ("55", "51"), "Norway": ("55",), "Palau": ("22",),
    "Philippines": ("75",), "Qatar": ("25",), "Russian Federation": ("70",),
    "Saint Vincent and the Grenadines": ("22",), "San Marino": ("20",), "Sao Tome and Principe": ("27",),
    "Saudi Arabia": ("278 million",), "Serbia": ("13.2", "33.3"), "Singapore": ("45 to 50",), "Somalia": ("30",),
    "Switzerland": ("65",), "Thailand": ("30", "40"), "Trinidad and Tobago": ("15", "30"), "Ukraine": ("65",),
    "Zambia": ("25", "47"),
}  # fmt: skip
BASES = {
    "Afghanistan": "2005", "Armenia": "1990", "Australia": "2005", "European Union": "1990", "Azerbaijan": "1990",
    "Belarus": "1990", "Bosnia and Herzegovina": "2014", "Brunei Darussalam": "2015", "Cook Islands": "2006",
    "Djibouti": "2000", "Fiji": "2013", "Georgia": "1990", "Grenada": "2010", "Holy See": "2011", "Iceland": "1990",
    "India": "2005", "Israel": "2015", "Japan": "2013", "Kuwait": "2015", "Liechtenstein": "1990",
    "Malaysia": "2005", "Mongolia": "2010", "Montenegro": "1990", "New Zealand": "2005", "Norway": "1990",
    "Palau": "2005", "Qatar": "2019", "Russian Federation": "1990", "Saint Vincent and the Grenadines": "2010",
    "San Marino": "2005", "Sao Tome and Principe": "2012", "Saudi Arabia": "2019", "Serbia": "2010",
    "Somalia": "2015", "Switzerland": "1990", "Thailand": "2005", "Trinidad and Tobago": "2013", "Ukraine": "1990",
    "Zambia": "2010",
}  # fmt: skip
_COMPARED = r"base|reference|level|compared|relative|below|benchmark|against|starting"


def states_target(country: str, content: str) -> bool:
    line = " ".join(content.split())
    for figure in TARGETS[country]:
        unit = r" ?(?:%|per ?cent)" if figure[-1].isdigit() and " " not in figure else ""
        for found in re.finditer(rf"(?<![\d.,]){re.escape(figure)}{unit}", line, re.IGNORECASE):
            around = line[max(0, found.start() - 150) : found.end() + 150]
            if re.search(r"emission|greenhouse|ghg|carbon", around, re.IGNORECASE):
                return True
    return False


def states_base(country: str, content: str) -> bool:
    line = " ".join(content.split())
    for found in re.finditer(rf"\b{BASES[country]}\b", line):
        if re.search(_COMPARED, line[max(0, found.start() - 60) : found.end() + 40], re.IGNORECASE):
            return True
    return False


Judge = Callable[[str, str], bool]
JUDGED: tuple[tuple[int, str, dict[str, object], Judge], ...] = (
    (1, "target", dict(TARGETS), states_target),
    (2, "base year", dict(BASES), states_base),
)


def documents(data: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (data / "climate" / "ndc_docs.jsonl").read_text("utf-8").splitlines()]


def index(rows: list[dict[str, str]], folder: Path, embedder: str) -> Engine:
    engine = Engine.open(folder, create=True, embedder=open_embedder(embedder))
    engine.add(Document(r["code"], r["text"], r["title"], {"country": r["country"]}) for r in rows)
    started = time.perf_counter()
    trained = engine.train_word2vec()
    print(f"{trained.passages} passages; word2vec: {trained.words} words in {time.perf_counter() - started:.0f} s")
    print(f"{engine.relate().relations} relations")
    return engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--index", type=Path, help="use this index, with word2vec, instead of making one")
    parser.add_argument("--embedder", default="wordllama", help="what the transformer signal and dense search use")
    parser.add_argument("--strategies", default="hybrid,graph,graph-words,bm25,dense,hybrid-rrf,auto")
    parser.add_argument("--misses", action="store_true", help="name the countries without it among the first five")
    options = parser.parse_args()
    profile = profiles.load("climate")
    with tempfile.TemporaryDirectory() as folder:
        if options.index:
            engine = Engine.open(options.index, embedder=open_embedder(options.embedder))
        else:
            engine = index(documents(options.data), Path(folder) / "ndc.mh", options.embedder)
        halves = [r["country"] for r in documents(options.data)]
        own = {"hybrid": hybrid(profile), "graph": graph_by_signals(profile), "graph-words": GRAPH}
        for name in options.strategies.split(","):
            chosen = own.get(name) or strategy(name)
            for number, what, gold, judge in JUDGED:
                question = profile.questions[number - 1]
                asked = question.text if name in ("hybrid", "graph") else question.enhanced
                for half, countries in (("settled", halves[::2]), ("held out", halves[1::2])):
                    known = sorted(set(gold) & set(countries))
                    _measure(engine, chosen, asked, f"{name:11} {what:9} {half:8}", known, judge, options.misses)
        engine.close()


def _measure(
    engine: Engine, chosen: Strategy, question: str, what: str, countries: list[str], judge: Judge, misses: bool
) -> None:
    ranks: dict[str, int | None] = {}
    for country in countries:
        found = engine.retrieve(question, k=20, strategy=chosen, where={"country": country})
        stated = [e.rank for e in found if judge(country, e.passage.text)]
        ranks[country] = stated[0] if stated else None
    first = {k: sum(r is not None and r <= k for r in ranks.values()) for k in (1, 3, 5, 20)}
    said = ", ".join(f"top {k}: {n} ({n / len(ranks):.2f})" for k, n in first.items())
    print(f"{what} of {len(ranks)} countries: {said}")
    if misses:
        print("   ", {c: r for c, r in ranks.items() if r is None or r > 5})


if __name__ == "__main__":
    main()
