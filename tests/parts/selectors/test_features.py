"""What speaks for a candidate: overlap by rarity, the sentence of a link, what nobody else explains."""

from __future__ import annotations

import numpy as np
import pytest

from multihop.parts.selectors.features import FEATURES, NOT_LINKED, Linked, Ranked, describe
from multihop.parts.selectors.reading import QuestionWords
from multihop.types import Candidate

from ..making import met

ASKED = "Who directed the drama about the painter Margaret Keane?"


def question(text: str = ASKED, **frequencies: int) -> QuestionWords:
    return QuestionWords(text, frequencies, 1000)


def features(*candidates: Candidate, text: str = ASKED, names: tuple[str, ...] = ()) -> list[dict[str, float]]:
    ranked = [Ranked(candidate, 1.0 - place / 10) for place, candidate in enumerate(candidates)]
    rows, _, _ = describe(question(text), ranked, names, len(names))
    return [dict(zip(FEATURES, map(float, row), strict=True)) for row in rows]


def test_the_words_of_a_question_share_its_weight_and_rare_ones_get_most() -> None:
    asked = question(direct=900, margaret=3, painter=20, drama=100, kean=1)
    assert asked.weight(asked.everything) == pytest.approx(1.0)
    shares = dict(zip(asked.bits, asked.shares, strict=True))
    assert shares["kean"] > shares["margaret"] > shares["painter"] > shares["drama"] > shares["direct"]


def test_each_candidate_gets_every_feature() -> None:
    rows, links, readings = describe(question(), [Ranked(met("A"), 1.0), Ranked(met("B"), 0.5)], (), 0)
    assert rows.shape == (2, len(FEATURES))
    assert rows.dtype == np.float32
    assert links == [NOT_LINKED, NOT_LINKED]
    assert [reading.passage.title for reading in readings] == ["A", "B"]
    assert describe(question(), [], (), 0)[0].shape == (0, len(FEATURES))


def test_the_sentence_that_names_a_candidate_is_what_links_it() -> None:
    film = met("Big Eyes", "A drama about a painter. It was directed by Tim Burton in Vancouver.")
    director, city = met("Tim Burton", "An American."), met("Vancouver", "A port.")
    ranked = [Ranked(film, 1.0), Ranked(director, 0.4), Ranked(city, 0.3)]
    rows, links, _ = describe(question("Who directed the drama about a painter?"), ranked, (), 0)
    assert links == [NOT_LINKED, Linked(0, 1), Linked(0, 1)]
    column = FEATURES.index("link sentence")
    assert rows[1, column] == rows[2, column] > 0
    assert rows[0, column] == 0


def test_a_name_must_stand_as_whole_words() -> None:
    plain, inside = met("Rome", "A city."), met("Romeo and Juliet", "Romeo lived in Verona.")
    assert features(inside, plain)[1]["links"] == 0
    assert features(met("Nero", "He burned Rome."), plain)[1]["links"] == 1


def test_a_link_by_another_name_is_known_from_how_it_was_met() -> None:
    film = met("Big Eyes", "It was shot by the director of Batman.")
    director = met("Tim Burton", "An American director.", {"link": 0.5, "rare link": 0.25}, link="Big Eyes#0")
    first, second = features(film, director)
    assert (first["links"], second["links"]) == (0, 1)
    assert second["rarity of link"] == 0.5


def test_what_a_candidate_alone_explains_is_told_from_what_others_explain_too() -> None:
    one, two, three = features(met("A", "A drama."), met("B", "A drama of a painter."), met("C", "A drama."))
    assert two["explains alone"] > 0
    assert one["explains alone"] == three["explains alone"] == 0


def test_numbers_names_and_phrases_of_the_question_are_counted() -> None:
    text = "Which drama of 2014 is about Margaret Keane?"
    [hit] = features(met("Big Eyes", "A drama of 2014 on Margaret Keane."), text=text, names=("Margaret Keane",))
    assert (hit["numbers"], hit["spans"]) == (1.0, 1.0)
    assert hit["phrases"] > 0
    [none] = features(met("Big Eyes", "A film."), text="Which drama?")
    assert (none["numbers"], none["spans"]) == (-1.0, -1.0)


def test_channels_come_as_they_are() -> None:
    scores = {"bm25": 8.0, "name": 1.0, "follow-up": 0.25}
    first, second = features(met("A", scores=scores), met("B", scores={"bm25": 4.0, "name": 0.5}))
    assert (first["match"], first["name"], first["shared name"], first["follow-up"]) == (1.0, 1.0, 0.0, 0.25)
    assert (second["match"], second["name"], second["shared name"]) == (0.5, 0.0, 0.5)


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ("A drama about the painter Margaret Keane.", 2 / 4),
        ("Keane. Margaret was a painter. Margaret was there.", 0.0),
        ("She directed dramas. The painter Margaret Keane.", 3 / 4),
        ("", 0.0),
    ],
)
def test_neighbors_of_the_question_count_where_they_are_neighbors_in_a_sentence(said: str, share: float) -> None:
    # "directed drama", "drama painter", "painter Margaret" and "Margaret Keane", of which stopwords are no part.
    asked = question("Directed drama painter Margaret Keane?")
    assert asked.reading(met("A", said).passage).phrase_overlap == share


def test_a_word_may_be_its_own_neighbor() -> None:
    asked = question("Which film is called Boom Boom?")
    assert asked.reading(met("A", "Boom Boom is a song.").passage).phrase_overlap == 1 / 3
    assert asked.reading(met("B", "Boom is a song.").passage).phrase_overlap == 0.0
