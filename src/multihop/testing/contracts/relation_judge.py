"""What every judge of relations must do."""

from __future__ import annotations

from typing import get_args

from multihop.protocols import RelationJudge
from multihop.types import Passage, PassagePair, RelationKind

_FLOOD = Passage("flood#0", "flood", 0, "Flood", "The river rose in 1911. Because of this the Old Mill was given up.")
_MILL = Passage("mill#0", "mill", 0, "Old Mill", "It stood on the river and ground rye until 1911.")
_TEA = Passage("tea#0", "tea", 0, "Tea", "A drink.")
PAIRS = (
    PassagePair(_FLOOD, _MILL, 0.6, (("flood#0", "old mill"),)),
    PassagePair(_FLOOD, _TEA),
    PassagePair(_MILL, _TEA),
)


class RelationJudgeContract:
    """What every judge of relations must do; supply a fixture `judge`."""

    def test_every_pair_gets_one_answer_between_its_two_passages(self, judge: RelationJudge) -> None:
        answers = judge.judge(PAIRS)
        assert len(answers) == len(PAIRS)
        for pair, answer in zip(PAIRS, answers, strict=True):
            # None stands for a pair that could not be judged this time; it is asked again later.
            for relation in answer or ():
                assert set(relation.ends) == {pair.first.id, pair.second.id}
                assert relation.kind in get_args(RelationKind)
                assert 0 < relation.confidence <= 1
                assert relation.method

    def test_the_answer_to_a_pair_does_not_depend_on_the_others(self, judge: RelationJudge) -> None:
        # Pairs come in batches of any size, and an index must not depend on how they were cut.
        together = [tuple(answer or ()) for answer in judge.judge(PAIRS)]
        assert [tuple(answer or ()) for pair in PAIRS for answer in judge.judge([pair])] == together

    def test_no_pairs_get_no_answers(self, judge: RelationJudge) -> None:
        assert list(judge.judge([])) == []
