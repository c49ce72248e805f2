"""Is the table right? What a survey reports for 50 contributions, compared with what a person read in them.

The truth is in survey_truth.toml. A cell is right when its first value is one of those, or when it says "not found" and
the document does not say it; it is wrong when it gives another value, and missed when it gives none although there is
one. A sentence is right when the right value stands in it. Countries at even places served to build the rules; the
others were only measured.

With --same-as the survey is made of an index there too, and cells are listed that differ in value, sentence or page.

    python benchmarks/survey_values.py --data datasets [--store postgresql://…] [--hop] [--cells build]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from multihop import Document, Engine, profiles
from multihop.index.embedders import open_embedder
from multihop.survey import Survey, SurveyAnswer, survey
from multihop.survey.answers import HOP, VECTOR

TRUTH = Path(__file__).with_name("survey_truth.toml")
QUESTIONS = {1: "target", 2: "base_year", 3: "bau", 4: "sectors", 5: "gases", 6: "emissions", 7: "changes"}
OUTCOMES = ("right", "wrong", "missed", "not found, rightly", "found, though not said")
_ALL = {"Energy", "Industry", "Agriculture", "Land use", "Waste"}


def documents(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (data / "climate" / "ndc_docs.jsonl").read_text("utf-8").splitlines()]


def judged(what: str, truth: Mapping[str, Any], answer: SurveyAnswer) -> str:
    """Say how the first value of a cell compares with the truth."""
    right = truth[what]
    if not answer.findings:
        return "missed" if right else "not found, rightly"
    if not right:
        return "found, though not said"
    return "right" if _agrees(what, truth, answer) else "wrong"


def _agrees(what: str, truth: Mapping[str, Any], answer: SurveyAnswer) -> bool:
    first, right = answer.findings[0], truth[what]
    if what == "changes":
        return any(piece.lower() in first.sentence.lower() for piece in right)
    if what == "emissions":
        return any(abs((first.number or 0.0) - abs(r)) <= 0.006 * abs(r) for r in right)
    if what in ("sectors", "gases"):
        named, needed = set(first.value.split(", ")), set(right)
        if "Economy-wide" in named and (needed >= _ALL or "Economy-wide" in needed):
            return True
        named.discard("Economy-wide")
        return needed <= named <= needed | set(truth.get(f"may_{what}", ()))
    return any(first.value.casefold() == str(r).casefold() or first.value.startswith(str(r)) for r in right)


def sentence_right(what: str, answer: SurveyAnswer) -> bool:
    """Tell whether the figures of the value stand in the sentence that is shown for it."""
    first = answer.findings[0]
    if what in ("target", "base_year"):
        figure = first.value.split("%")[0].split(" ")[0]
        return figure in first.sentence.replace(",", ".") or figure in first.sentence
    return bool(first.sentence)


def index(rows: Sequence[Mapping[str, Any]], place: str) -> Engine:
    engine = Engine.open(place, create=True, embedder=open_embedder("wordllama"))
    fields = {"country": "country", "submission_date": "date", "url": "url"}
    engine.add(
        Document(r["code"], r["text"], r["title"], {new: r[old] for old, new in fields.items() if r[old]}) for r in rows
    )
    engine.train_word2vec()
    return engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", help="make the index here, such as postgresql://…, instead of in a folder")
    parser.add_argument("--index", type=Path, help="use this index instead of making one")
    parser.add_argument("--hop", action="store_true", help="measure traversal too")
    parser.add_argument("--cells", choices=["build", "check"], help="list the cells of this half that are not right")
    parser.add_argument("--same-as", help="make an index here too, such as postgresql://…, and compare the tables")
    options = parser.parse_args()
    rows, truth, climate = documents(options.data), tomllib.loads(TRUTH.read_text("utf-8")), profiles.load("climate")
    halves = {"build": [r["country"] for r in rows[::2]], "check": [r["country"] for r in rows[1::2]]}
    with tempfile.TemporaryDirectory() as folder:
        if options.index:
            engine = Engine.open(options.index)
        else:
            engine = index(rows, options.store or str(Path(folder) / "ndc.mh"))
        if options.hop:
            engine.relate()
        with engine:
            started, worked = time.perf_counter(), time.process_time()
            found = survey(engine, climate, hop=options.hop)
            seconds, worked = time.perf_counter() - started, time.process_time() - worked
        if options.same_as:
            with index(rows, options.same_as) as other:
                if options.hop:
                    other.relate()
                _compare(found, survey(other, climate, hop=options.hop))
    for method in (VECTOR, HOP) if options.hop else (VECTOR,):
        answers = {g.group: g for g in found.groups if g.method == method}
        for half, countries in halves.items():
            print(f"\n{method}, {half}: {len(countries)} countries")
            _report(countries, truth, answers, listed=options.cells == half)
    print(f"\n{len(rows)} documents x {len(found.questions)} questions in {seconds:.1f} s, {worked:.1f} s of processor")


def _compare(found: Survey, other: Survey) -> None:
    def cells(made: Survey) -> dict[tuple[str, str, int], list[tuple[object, ...]]]:
        return {
            (g.group, g.method, a.number): [
                (f.value, f.text, f.sentence, f.page, f.document, f.contradicts, round(f.confidence, 3))
                for f in a.findings
            ]
            for g in made.groups
            for a in g.answers
        }

    one, two = cells(found), cells(other)
    differing = sorted(cell for cell in one | two if one.get(cell) != two.get(cell))
    print(f"\n{len(one)} cells compared, {len(differing)} differ: {differing}")


def _report(countries: Sequence[str], truth: Mapping[str, Any], answers: Mapping[str, Any], *, listed: bool) -> None:
    total: Counter[str] = Counter()
    print(f"  {'':10}" + "".join(f"{o:>24}" for o in OUTCOMES) + f"{'sentence right':>18}")
    for number, what in QUESTIONS.items():
        counts: Counter[str] = Counter()
        for country in countries:
            known = truth[country]
            if what not in known:
                continue
            answer = answers[country].answer(number)
            outcome = judged(what, known, answer)
            counts[outcome] += 1
            if outcome == "right":
                counts["sentence"] += sentence_right(what, answer)
            if listed and outcome in ("wrong", "missed", "found, though not said"):
                _show(country, what, outcome, known[what], answer)
        total += counts
        print(f"  {what:10}" + "".join(f"{counts[o]:24}" for o in OUTCOMES) + f"{counts['sentence']:18}")
    said = total["right"] + total["wrong"] + total["missed"]
    cells = sum(total[o] for o in OUTCOMES)
    wrong = total["wrong"] + total["found, though not said"]
    print(f"  right value in {total['right'] / said:.1%} of {said} cells that have one; a wrong one in "
          f"{wrong / cells:.1%} of {cells}; sentence right in {total['sentence']} of {total['right']}; "
          f"rightly not found in {total['not found, rightly']} of {cells - said}")  # fmt: skip


def _show(country: str, what: str, outcome: str, right: object, answer: SurveyAnswer) -> None:
    print(f"    {country}, {what}: {outcome}; right: {right}")
    for finding in answer.findings[:2]:
        print(f"        {finding.confidence:.2f} {finding.text} | {finding.sentence[:260]}")


if __name__ == "__main__":
    main()
