"""What BM25 counts, as it is in an index that was never changed.

tantivy counts deleted passages too, until it merges them away, and then estimates the lengths of those that stay. Left
so, the same documents would be ranked differently after different histories. So the weight of each word is corrected
in the query, and what depends on the average length is computed anew for the passages that come into question.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import tantivy
from numpy.typing import NDArray

from multihop.index.stores.core.search import K1, B, idf

_FREE = 24
"""Lengths below this are kept exactly; see `round_lengths`."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many documents there are, and how many words they have on average."""

    documents: int
    average: float

    @classmethod
    def from_explanation(
        cls, searcher: tantivy.Searcher, query: tantivy.Query, address: tantivy.DocAddress
    ) -> Statistics:
        """Read off what tantivy scores with, from its explanation of one score."""
        _, weight, saturation = json.loads(query.explain(searcher, address).to_json())["details"]
        return cls(int(weight["details"][1]["value"]), float(saturation["details"][4]["value"]))

    @classmethod
    def of(cls, searcher: tantivy.Searcher) -> Statistics:
        """Count what is there."""
        summed = searcher.aggregate(tantivy.Query.all_query(), {"words": {"sum": {"field": "length"}}})
        # As tantivy does, in single precision.
        return cls(searcher.num_docs, float(np.float32(summed["words"]["value"] / searcher.num_docs)))

    def weight(self, count: int) -> float:
        """The weight of a word, by the number of documents that use it."""
        return idf(self.documents, count)

    def lengths(self, lengths: Numbers) -> Numbers:
        """How much the length of a document takes off the worth of its words."""
        return K1 * (1 - B + B * round_lengths(lengths) / self.average)


@dataclass(frozen=True, slots=True)
class Correction:
    """From the scores of tantivy to those of an index of the same documents that was never changed."""

    used: Statistics
    true: Statistics

    @property
    def slack(self) -> float:
        """How much of its score a passage can at most lose against another one when both are corrected."""
        ratio = self.used.average / self.true.average
        return min(ratio, 1 / ratio) ** 2 * (1 - 1e-5)

    def boost(self, found_used: int, found: int) -> float:
        """What a word of a query is multiplied with, by how many documents use it, with the deleted and without."""
        return self.true.weight(found) / self.used.weight(found_used)

    def worth(self, scores: Numbers, lengths: Numbers, found_used: int, found: int) -> Numbers:
        """Correct the scores of a single word in passages of these lengths."""
        share = scores / (self.used.weight(found_used) * (K1 + 1))
        # The share is f / (f + length), so it tells how often the word occurs.
        times = np.rint(share * self.used.lengths(lengths) / (1 - share))
        return self.true.weight(found) * (K1 + 1) * times / (times + self.true.lengths(lengths))


def round_lengths(lengths: Numbers) -> Numbers:
    """Round lengths as tantivy and Lucene keep them, in one byte: four bits of precision beyond the first few."""
    beyond = np.maximum(lengths - _FREE, 0).astype(np.int64)
    shift = np.maximum(np.frexp(beyond)[1] - 4, 0)
    kept: Numbers = np.minimum(lengths, _FREE) + ((beyond >> shift) << shift)
    return kept
