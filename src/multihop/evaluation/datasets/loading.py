"""Loads a dataset by name and folder: detects the format, reads questions, resolves gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.evaluation.datasets.beir import BeirLayout
from multihop.evaluation.datasets.bright import BrightLayout
from multihop.evaluation.datasets.catalog import DATASETS
from multihop.evaluation.datasets.dataset import Corpus, Dataset, Question
from multihop.evaluation.datasets.exfever import ExFeverLayout
from multihop.evaluation.datasets.fanoutqa import FANOUTQA
from multihop.evaluation.datasets.fever import FeverLayout
from multihop.evaluation.datasets.frames import FRAMES
from multihop.evaluation.datasets.gold import Draft, GoldMatches, settle
from multihop.evaluation.datasets.hipporag import HippoRagLayout
from multihop.evaluation.datasets.hotpotqa import HotpotLayout, TwoWikiLayout
from multihop.evaluation.datasets.hover import HOVER
from multihop.evaluation.datasets.layout import DatasetParts, Layout, Place
from multihop.evaluation.datasets.locomo import LocomoLayout
from multihop.evaluation.datasets.longmemeval import LongMemEvalLayout
from multihop.evaluation.datasets.multihoprag import MultiHopRagLayout
from multihop.evaluation.datasets.musique import MusiqueLayout
from multihop.evaluation.datasets.receipts import check
from multihop.evaluation.datasets.schema import PlainLayout
from multihop.index.readers.decoding import source_of

# The plain layout comes last: it takes any .jsonl beside a corpus for questions.
LAYOUTS: tuple[Layout, ...] = (
    BeirLayout(),
    HOVER,
    HotpotLayout(),
    MusiqueLayout(),
    HippoRagLayout(),
    ExFeverLayout(),
    FeverLayout(),
    BrightLayout(),
    MultiHopRagLayout(),
    LocomoLayout(),
    LongMemEvalLayout(),
    FRAMES,
    FANOUTQA,
    TwoWikiLayout(),
    PlainLayout(),
)


DATA = Path("datasets")
"""Where named datasets are looked for when no folder is given, below the current one."""


def load(
    name: str,
    data: str | Path | None = None,
    *,
    split: str = "dev",
    corpus: str | None = None,
    limit: int | None = None,
    hops: int | None = None,
) -> Dataset:
    """Load a dataset by its name from below the folder `data`, or any folder in a known format by its path.

    Without `data` a named dataset is looked for in the folder `datasets`. `hops` keeps the questions of that many hops.
    `corpus` chooses a variant that lies beside the plain one ("lite" for corpus_lite.jsonl) or a file of documents.
    `limit` keeps the first questions only; the corpus stays whole, so that a part is as hard as all. Files that
    `download` fetched are checked against the hash it wrote down.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(f"limit must be at least 1, got {limit}")
    if hops is not None and (isinstance(hops, bool) or not isinstance(hops, int) or hops < 1):
        raise InvalidInput(f"hops is the number of hops of a question, a whole number from 1 on; got {hops!r}")
    if data is None and name in DATASETS and not Path(name).is_dir() and (read := DATASETS[name].read):
        return _limit(read(split), limit, hops)
    if data is None and name in DATASETS and not Path(name).is_dir() and DATA.is_dir():
        data = DATA
    place, layout, splits = _find(name, data, corpus)
    if split not in splits:
        known = ", ".join(sorted(splits))
        raise UnknownName(f"{source_of(place.folder)} has no split {split!r}; present: {known}. Choose with --split")
    parts = layout.read(place, split, splits[split])
    for file in parts.files:
        check(file)
    return _dataset(name if data is not None else Path(name).resolve().name, split, parts, limit, hops)


def lies_in_folder(name: str) -> bool:
    """Return whether a name is that of a dataset whose files lie in a folder."""
    return name in DATASETS and DATASETS[name].read is None


def _find(name: str, data: str | Path | None, corpus: str | None) -> tuple[Place, Layout, Mapping[str, Path]]:
    places = _places(name, data, corpus)
    for place in places:
        for layout in LAYOUTS:
            if splits := layout.splits(place):
                return place, layout, splits
    looked = ", ".join(source_of(p.folder) for p in places)
    own = "; a dataset of your own is corpus.jsonl, queries.jsonl and qrels/dev.tsv"
    how = f"; download({name!r}, folder) fetches it" if name in DATASETS else own
    raise InvalidInput(f"no files of {name!r} in a known format in {looked}{how}")


def _places(name: str, data: str | Path | None, corpus: str | None) -> list[Place]:
    if data is None:
        folder = Path(name)
        if folder.is_dir():
            return [Place(folder, "", corpus)]
        if name in DATASETS:
            raise InvalidInput(
                f"{name} is not a folder; give one: load({name!r}, folder), or put it into {DATA}/; "
                f"download({name!r}, folder) gets it"
            )
        if folder.exists():
            raise InvalidInput(f"{source_of(folder)} is a file; give the folder that holds it")
        raise UnknownName(f"there is no dataset and no folder {name!r}; {suggestion(name, DATASETS)}")
    data = Path(data)
    if not data.is_dir():
        raise InvalidInput(f"no such folder: {source_of(data)}")
    aliases = (name in DATASETS and DATASETS[name].folders) or (name,)
    places = [Place(data / alias, name, corpus) for alias in aliases if (data / alias).is_dir()]
    # The files may also lie in the given folder itself, where only names of their own tell them apart.
    if name in DATASETS or (data / f"{name}_corpus.json").is_file():
        places.append(Place(data, name, corpus, own=data.resolve().name in aliases))
    if not places:
        present = [*DATASETS, *(p.name for p in data.iterdir() if p.is_dir())]
        raise UnknownName(f"there is no dataset {name!r} in {source_of(data)}; {suggestion(name, present)}")
    return places


def _dataset(name: str, split: str, parts: DatasetParts, limit: int | None, hops: int | None) -> Dataset:
    source = " + ".join(source_of(file) for file in parts.files)
    # All at once, unlike the corpus: what to look for must be known before the documents pass by.
    drafts = list(_distinct(parts.drafts()))
    wanted = (reference for draft in drafts for reference in draft.gold)
    # One pass, in which gold is matched: the corpus may be larger than memory.
    matches = GoldMatches(wanted, source_of(parts.files[-1]))
    for document in parts.documents():
        matches.see(document)
    questions, notes = settle(drafts, matches)
    if not questions:
        why = "; ".join(notes) or "the split is empty"
        raise InvalidInput(f"{source}: no question is left: {why}")
    corpus = Corpus(parts.documents, matches.hash.rows, matches.hash.hex())
    whole = Dataset(name, split, tuple(questions), corpus, source, parts.whole, (*parts.notes, *notes))
    return _limit(whole, limit, hops)


def _limit(dataset: Dataset, limit: int | None, hops: int | None) -> Dataset:
    questions, notes = list(dataset.questions), list(dataset.notes)
    if hops is not None:
        questions = _of_hops(questions, hops, dataset.source, notes)
    if limit is not None and limit < len(questions):
        notes.append(f"the first {limit} of {len(questions)} questions")
    return replace(dataset, questions=tuple(questions[:limit]), notes=tuple(notes))


def _of_hops(questions: list[Question], hops: int, source: str, notes: list[str]) -> list[Question]:
    chosen = [q for q in questions if q.hops == hops]
    if not chosen:
        there = ", ".join(str(n) for n in sorted({q.hops for q in questions if q.hops}))
        known = f"there are questions of {there} hops" if there else "its questions do not say how many hops they have"
        raise InvalidInput(f"{source}: no question has {hops} hops; {known}")
    if len(chosen) < len(questions):
        notes.append(f"the {len(chosen)} of {len(questions)} questions that have {hops} hops")
    return chosen


def _distinct(drafts: Iterator[Draft]) -> Iterator[Draft]:
    seen: dict[str, int] = {}
    for draft in drafts:
        if (first := seen.setdefault(draft.question.id, draft.row.line)) != draft.row.line:
            raise draft.row.wrong(f"the question id {draft.question.id!r} was used in line {first} already")
        yield draft
