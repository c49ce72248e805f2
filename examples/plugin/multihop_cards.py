"""What multihop-cards adds to multihop: the strategy `patient`, the file format `cards` and the dataset `ships`.

`pip install ./examples/plugin`, and `multihop ask --strategy patient`, `multihop index notes.cards` and
`multihop eval ships` work; pyproject.toml registers them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from multihop import Document
from multihop.evaluation.datasets import Dataset, KnownDataset, Question, dataset_of
from multihop.index.readers.files import record_format
from multihop.index.readers.record import FieldNames
from multihop.parts.stop import FixedHops
from multihop.strategies import AUTO_FAST

PATIENT = replace(
    AUTO_FAST, name="patient", description="auto-fast for four hops, whatever is found", stop=FixedHops(4)
)


def records(path: Path, _fields: FieldNames, encoding: str | None) -> Iterator[tuple[int, object]]:
    """Read cards, which a line of dashes divides: the first line of each is its title."""
    line = 1
    for card in path.read_text(encoding or "utf-8").split("\n---\n"):
        title, _, text = card.partition("\n")
        yield line, {"title": title, "text": text}
        line += card.count("\n") + 2


CARDS = record_format(records, (".cards",))


def documents() -> Iterator[Document]:
    """Give the corpus of the dataset; a larger one would be read from a file of the package."""
    yield Document("fram", "Colin Archer drew the Fram.", "Fram")
    yield Document("archer", "Colin Archer was born in Larvik.", "Colin Archer")
    yield Document("gjoa", "Roald Amundsen sailed the Gjøa through the Northwest Passage.", "Gjøa")


def ships(split: str) -> Dataset:
    """Give a split of the dataset; there is one question, whatever the split."""
    asked = Question("q1", "Where was the man born who drew the Fram?", ("fram", "archer"), hops=2)
    return dataset_of("ships", split, [asked], documents)


SHIPS = KnownDataset("One question about two ships", read=ships)
