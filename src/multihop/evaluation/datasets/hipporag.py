"""The layout of HippoRAG: musique.json beside musique_corpus.json, and likewise for its other sets.

The questions are drawn from the dev split of the original, so that is what the split is called. The corpus lies in the
order of the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from multihop.errors import InvalidInput
from multihop.evaluation.datasets.layout import DatasetParts, Place
from multihop.evaluation.datasets.paragraphs import distinct, draft, join_sentences
from multihop.evaluation.datasets.rows import Row, rows
from multihop.index.readers.decoding import source_of

_CORPUS = "_corpus.json"
_STEMS = {"2wiki": "2wikimultihopqa"}


class HippoRagLayout:
    """Reads <name>.json and <name>_corpus.json."""

    def splits(self, place: Place) -> Mapping[str, Path]:
        stems = [p.name.removesuffix(_CORPUS) for p in sorted(place.folder.glob(f"*{_CORPUS}"))]
        present = [stem for stem in stems if (place.folder / f"{stem}.json").is_file()]
        named = [stem for stem in present if stem in (place.name, _STEMS.get(place.name))]
        if not named and place.own and len(present) > 1:
            call = f"load({present[0]!r}, Path({str(place.folder)!r}))"
            raise InvalidInput(f"{source_of(place.folder)} holds several datasets ({', '.join(present)}): {call}")
        chosen = named or (present if place.own else [])
        return {"dev": place.folder / f"{chosen[0]}.json"} if chosen else {}

    def read(self, place: Place, split: str, path: Path) -> DatasetParts:
        corpus = path.with_name(path.stem + _CORPUS)
        return DatasetParts(lambda: map(draft, rows(path)), lambda: distinct(_rows(corpus)), (path, corpus))


def _rows(path: Path) -> Iterator[tuple[Row, str, str]]:
    for row in rows(path):
        if "text" in row.fields:
            yield row, row.text("title", needed=False), row.text("text")
        else:  # the first version of HippoRAG: one object from titles to lists of sentences
            yield from ((row, title, join_sentences(sentences)) for title, sentences in row.fields.items())
