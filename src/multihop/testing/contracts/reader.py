"""What every reader must do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from multihop.protocols import Reader
from multihop.types import Reading

QUESTIONS = ("Who drew the Fram?", "Was the Fram drawn by Colin Archer?", "?")
CONTEXTS = (
    "The Fram was drawn by Colin Archer.",
    "",
    "Tea is made of the leaves of a shrub. " * 60,
    "𝔗𝔥𝔢 Fram — 東京 — was drawn by Colin Archer 🚢.",
    "a NUL \x00, half a pair \ud83d",
)
_ROUNDING = 1e-5


class ReaderContract:
    """What every reader must do; supply a fixture `reader`."""

    def test_it_says_who_it_is(self, reader: Reader) -> None:
        assert isinstance(reader, Reader)
        assert reader.identity.strip()

    @pytest.mark.parametrize("count", range(len(CONTEXTS) + 1))
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_spans_lie_in_their_contexts_the_likeliest_first(self, reader: Reader, question: str, count: int) -> None:
        contexts = CONTEXTS[:count]
        spans = reader.read(question, contexts).spans
        for span in spans:
            # Characters, not bytes or tokens: whoever quotes the answer cuts it out of the text by them.
            assert 0 <= span.context < count
            assert 0 <= span.start < span.end <= len(contexts[span.context])
        places = [(span.context, span.start, span.end) for span in spans]
        assert len(set(places)) == len(places)
        chances = [span.probability for span in spans]
        assert chances == sorted(chances, reverse=True)

    @pytest.mark.parametrize("count", range(len(CONTEXTS) + 1))
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_outcomes_exclude_each_other(self, reader: Reader, question: str, count: int) -> None:
        reading = reader.read(question, CONTEXTS[:count])
        chances = [reading.yes, reading.no, reading.none, *(span.probability for span in reading.spans)]
        assert all(0 <= chance <= 1 for chance in chances)
        assert sum(chances) <= 1 + _ROUNDING

    def test_without_contexts_there_is_no_answer(self, reader: Reader) -> None:
        assert reader.read(QUESTIONS[0], []).none > 0.5

    def test_the_same_question_gives_the_same_reading_in_every_thread(self, reader: Reader) -> None:
        expected = reader.read(QUESTIONS[0], CONTEXTS)
        with ThreadPoolExecutor(4) as pool:
            for reading in pool.map(lambda _: reader.read(QUESTIONS[0], CONTEXTS), range(8)):
                assert _round(reading) == _round(expected)


def _round(reading: Reading) -> tuple[object, ...]:
    spans = tuple((span.context, span.start, span.end) for span in reading.spans)
    return spans, *(round(chance, 4) for chance in (reading.yes, reading.no, reading.none))
