from __future__ import annotations

import copy
import json
import pickle

import pytest

from multihop.types import Channel, TopHit, plain
from multihop.types.channels import CHANNELS, LINK, RARE_LINK

MINE = Channel("years", "share of the years it mentions", reason="mentions {via}", arrow="same year")


def test_a_channel_is_its_name_wherever_a_string_will_do() -> None:
    weights: dict[str, float] = {MINE: 1.0}
    assert (MINE, weights["years"], json.dumps({"channel": MINE})) == ("years", 1.0, '{"channel": "years"}')
    assert type(plain(TopHit("a#0", 1.0, MINE))["channel"]) is str


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_a_copy_keeps_what_the_channel_says(again: object) -> None:
    copied = again(MINE)  # type: ignore[operator]  # one of the three ways to copy
    assert (copied, copied.meaning, copied.explain("1883")) == (MINE, MINE.meaning, "mentions 1883")


def test_every_channel_says_what_its_score_means() -> None:
    assert all(channel.meaning for channel in CHANNELS)
    assert len(set(CHANNELS)) == len(CHANNELS)


def test_a_name_gives_our_channel_or_one_that_is_found_by_its_name() -> None:
    assert Channel.of("link") is LINK
    assert Channel.of(RARE_LINK) is RARE_LINK
    assert Channel.of("sonar").explain("") == "found by sonar"
