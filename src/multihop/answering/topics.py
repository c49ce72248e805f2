"""Words that speak of the same thing: the question says "born", the passage "came into the world"."""

from __future__ import annotations

from collections.abc import Iterable

from multihop import text

_GROUPS = (
    "born birth birthplace native birthday birthdate world",
    "died dead death deceased killed perished murdered assassinated drowned buried grave tomb",
    "architect architects designed designer drew drawn drawing plans built builder "
    "constructed construction erected lines",
    "wrote written writer author authored novelist poet penned book novel",
    "directed director filmmaker film movie",
    "produced producer production",
    "composed composer music score song songwriter lyrics lyricist",
    "founded founder founding established establishment started created formed began inception opened launched",
    "invented inventor discovered discoverer discovery pioneer devised patented",
    "married wife husband spouse wed widow marriage",
    "father mother parent son daughter child children brother sister sibling cousin uncle nephew grandson grandfather",
    "located location situated lies near city town village region capital headquarters headquartered based seat",
    "country nation nationality citizen national state kingdom",
    "released release published publication publisher issued premiered premiere debut aired broadcast",
    "won winner win victory champion championship medal award prize awarded received honored title",
    "played player plays play team club league football basketball baseball hockey cricket",
    "starred star starring actor actress cast role portrayed played character voiced voice",
    "population inhabitants residents people census",
    "river lake sea ocean flows mouth bank shore coast",
    "mountain peak summit height elevation high tall altitude metres meters feet",
    "studied education educated university college school attended graduated alumnus student taught professor teacher",
    "king queen emperor monarch ruler reign reigned throne crowned prince princess dynasty",
    "president minister governor mayor senator politician elected office party leader leads led head headed chairman",
    "owned owner owns ownership acquired bought purchased sold subsidiary parent company corporation",
    "war battle fought fight army commander general troops invaded invasion siege defeated",
    "named name called known nickname renamed title alias",
    "language spoken speaks speak dialect",
    "genre style type kind form",
    "member group band musician singer vocalist guitarist drummer",
    "year date day month century decade",
    "age old older oldest young younger",
    "cause caused reason because due result led",
    "ended end closed closure dissolved abolished ceased finished",
    "job profession occupation worked work career employed",
    "religion church bishop saint priest monastery faith",
)
# A word may stand in several groups: "played" speaks of sports and of the stage.
_TOPICS: dict[str, set[int]] = {}
for _number, _group in enumerate(_GROUPS):
    for _stem in text.stems(_group.split()):
        _TOPICS.setdefault(_stem, set()).add(_number)


def topics_of(stems: Iterable[str]) -> frozenset[int]:
    """Give the numbers of the groups that stems of words belong to."""
    return frozenset(number for stem in stems for number in _TOPICS.get(stem, ()))
