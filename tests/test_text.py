from __future__ import annotations

import sys
import tracemalloc
import unicodedata
from collections import Counter
from functools import cache

import pytest
from hypothesis import example, given, strategies as st

from multihop import text

from .reliability.soak import SHARE, examples

TROUBLE = (
    "aAbßÉ'’ʼ -_.!东カ½™İıŉΐᾳǅﬁ٣ﷺ㌎ᾈ\u0301\u0345\u0344\u05b8\u0f71\u0f73\u0f81\u093f\u200b\u00ad\ufe0f\ud800\x00\u2028"
)
TEXTS = st.text(alphabet=st.sampled_from(TROUBLE), max_size=25) | st.text(max_size=60)
EXAMPLES = examples(400)


# --- words ---


@EXAMPLES
@given(st.lists(TEXTS, max_size=4))
@example(["Fram’s", "''built'' 1892", "O'Brien", "Köln – Bonn"])
def test_parts_of_a_text_are_cut_into_words_as_each_alone(parts: list[str]) -> None:
    whole = "\n".join(parts)
    starts = [sum(len(part) + 1 for part in parts[:place]) for place in range(len(parts))]
    spans = [(start, start + len(part)) for start, part in zip(starts, parts, strict=True)]
    assert text.words_within(whole, spans) == [text.words(part) for part in parts]


@EXAMPLES
@given(st.lists(TEXTS, max_size=12))
@example(["the", "ship", "of", "Amundsen™", "in", "Tromsø"])
def test_texts_fold_alike_alone_and_side_by_side(parts: list[str]) -> None:
    assert text.fold(" ".join(parts)) == " ".join(map(text.fold, parts))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", []),
        (" \n\t", []),
        ("?!… — ''", []),
        ("The Who's", ["the", "who"]),
        ("Beyoncé’s CAFÉ", ["beyonce", "cafe"]),
        ("e\u0301tude étude", ["etude", "etude"]),
        ("don't, rock'n'roll 'quoted'", ["dont", "rocknroll", "quoted"]),
        ("Jean-Luc snake_case 3.14", ["jean", "luc", "snake", "case", "3", "14"]),
        ("İstanbul Łódź Øre Ærø Straße", ["istanbul", "lodz", "ore", "aero", "strasse"]),
        ("東京タワー3階 tower", ["東", "京", "タ", "ワ", "ー", "3", "階", "tower"]),
        ("佐々木は〇〆〻a", ["佐", "々", "木", "は", "〇", "〆", "〻", "a"]),
        ("서울은 수도", [*map(text.fold, ["서울은", "수도"])]),
        ("שָׁלוֹם القاهِرة", ["שלום", "القاهرة"]),
        ("ﬁne ½ ™", ["fine", "1", "2", "tm"]),
        ("zero\u200bwidth soft\u00adhyphen \ufeffBOM", ["zerowidth", "softhyphen", "bom"]),
        ("C++ 🎈 \x00", ["c"]),
    ],
)
def test_words(source: str, words: list[str]) -> None:
    assert text.words(source) == words


@EXAMPLES
@given(TEXTS)
@example("a™ b")
@example("‘a’s’ 'b'")
@example("ᾳ\u0301\u0345x")
def test_located_words_are_the_words(source: str) -> None:
    located = text.located_words(source)
    assert [word for word, _, _ in located] == text.words(source)
    places = [(start, end) for _, start, end in located]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(source) for start, end in places)


_UNUSED = ("Cn", "Co")
"""Code points that stand for no character, or for one that only some private agreement knows."""
_ALIKE = ((0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0x17000, 0x18CFF), (0x20000, 0x323AF))
"""Ideographs and syllables, nine of ten characters, treated by the same rules: one of sixteen is tried in short."""


def _is_tried(number: int) -> bool:
    if unicodedata.category(chr(number)) in _UNUSED:
        return False
    return bool(SHARE) or number % 16 == 0 or not any(first <= number <= last for first, last in _ALIKE)


@cache
def _characters() -> list[str]:
    return [chr(number) for number in range(sys.maxunicode + 1) if _is_tried(number)]


@pytest.mark.parametrize("around", ["a{}b ", "x'{}'s ", "{}\u0301b so "])
def test_located_words_are_the_words_for_every_character(around: str) -> None:
    wrong = []
    for start in range(0, len(_characters()), 128):
        block = _characters()[start : start + 128]
        source = "".join(around.replace("{}", c) for c in block)
        if [word for word, _, _ in text.located_words(source)] != text.words(source):
            wrong.append(f"U+{ord(block[0]):04X} to U+{ord(block[-1]):04X}")
    assert not wrong


@EXAMPLES
@given(TEXTS)
def test_a_located_word_stands_where_it_is_said_to(source: str) -> None:
    for word, start, end in text.located_words(source):
        assert word in text.words(source[start:end])


def test_marks_around_a_character_without_width_are_located_in_their_one_order() -> None:
    source = "A\u0f71\u0f72\u200b\u0f71 x"
    assert [word for word, _, _ in text.located_words(source)] == text.words(source) == ["a\u0f71\u0f71\u0f72", "x"]


def test_located_words_of_a_question() -> None:
    question = "Is Zoë’s “Café”™ in 東京?"
    assert [(w, question[s:e]) for w, s, e in text.located_words(question)] == [
        ("is", "Is"),
        ("zoe", "Zoë’s"),
        ("cafe", "Café"),
        ("tm", "™"),
        ("in", "in"),
        ("東", "東"),
        ("京", "京"),
    ]


def test_a_sign_behind_a_word_is_no_part_of_it() -> None:
    assert text.words("The Kindle™, Kindle’s℠") == ["the", "kindle", "tm", "kindle", "sm"]
    assert text.located_words("Kindle™ x") == (("kindle", 0, 6), ("tm", 6, 7), ("x", 8, 9))


@EXAMPLES
@given(TEXTS)
def test_folding_twice_changes_nothing(source: str) -> None:
    assert text.words(text.surface_key(source)) == text.words(source)


@EXAMPLES
@given(TEXTS)
def test_words_hold_no_blanks_and_are_never_empty(source: str) -> None:
    for word in text.words(source):
        assert word
        assert len(word.split()) == 1
        assert text.words(word) == [word]


@given(TEXTS)
def test_case_does_not_matter(source: str) -> None:
    assert text.words(source.upper().lower()) == text.words(source.upper())


# --- terms ---


def test_terms_are_stems_without_stopwords() -> None:
    assert text.terms("Which cities were founded by the Romans?") == ["citi", "found", "roman"]
    assert text.terms("volcanoes volcano Volcano's") == ["volcano"] * 3


def test_a_title_of_stopwords_is_found_as_a_whole() -> None:
    assert text.passage_words("The Who", "", "A band.") == ["the", "who", "a", "band", "_the_who"]
    assert text.passage_words("It (novel)", "Plot", "It") == ["it", "novel", "plot", "it", "_it"]
    assert text.passage_words("", "", "The who") == ["the", "who"]
    assert text.passage_words("The Band", "", "x") == ["the", "band", "x"]
    assert Counter(text.query_terms("The Who")) == {"_the": 1, "_who": 1, "_the_who": 2}
    assert text.query_terms("The Who song") == ("song",)
    assert text.query_terms("?!") == ()
    assert len(text.query_terms("who is the " * 200)) < 2000


def test_terms_of_stopwords_only_are_the_stopwords() -> None:
    assert text.terms("To be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert text.terms("?!") == []


@given(TEXTS)
def test_there_are_terms_where_there_are_words(source: str) -> None:
    words, terms = text.words(source), text.terms(source)
    assert bool(words) == bool(terms)
    assert all(term and len(term.split()) == 1 for term in terms)
    assert set(terms) <= set(text.stems(words))
    assert len(text.stems(words)) == len(words)


# --- names ---


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Who's", "the who"),
        ("Mercury (planet)", "mercury planet"),
        ("  AC/DC ", "ac dc"),
        ("…", ""),
        ("東京", "東 京"),
    ],
)
def test_surface_key(name: str, key: str) -> None:
    assert text.surface_key(name) == key


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("Mercury (planet)", "Mercury"),
        ("Mercury [the] planet", "Mercury planet"),
        ("Go（ゲーム）", "Go"),
        ("(What's the Story) Morning Glory?", "Morning Glory?"),
        ("f(x", "f(x"),
        ("(only)", ""),
    ],
)
def test_without_parentheses(title: str, bare: str) -> None:
    assert text.without_parentheses(title) == bare


@pytest.mark.parametrize("key", ["rome", "go", "1984", "world war 2", "東", "the beatles", "x ray"])
def test_distinctive_names(key: str) -> None:
    assert text.is_name(key)


@pytest.mark.parametrize("key", ["", "a", "x", "7", "999", "it", "to be or not to be"])
def test_names_that_would_match_everywhere(key: str) -> None:
    assert not text.is_name(key)


@pytest.mark.parametrize(
    ("source", "spans"),
    [
        ("Who was the King of France?", ["King of France"]),
        ("In Rome, Julius Caesar met Mark Antony.", ["Rome", "Julius Caesar", "Mark Antony"]),
        ("The University of Oxford", ["University of Oxford"]),
        ("Is it true? The Beatles sang.", ["Beatles"]),
        ("O'Neill met Jean-Luc Picard of the U.S. Army", ["O'Neill", "Jean-Luc Picard of the U.S. Army"]),
        ("École Polytechnique, Ålesund", ["École Polytechnique", "Ålesund"]),
        ("nothing of the kind", []),
        ("Of the", []),
        ("X", []),
        ("", []),
    ],
)
def test_capitalized_spans(source: str, spans: list[str]) -> None:
    assert [surface for surface, _, _ in text.capitalized_spans(source)] == spans


@EXAMPLES
@given(TEXTS)
def test_spans_stand_where_they_are_said_to(source: str) -> None:
    behind = 0
    for surface, start, end in text.capitalized_spans(source):
        assert source[start:end].rstrip(".") == surface.rstrip(".")
        assert start >= behind
        assert surface[0].isupper()
        behind = end


# --- sentences ---


@pytest.mark.parametrize(
    ("source", "sentences"),
    [
        ("", []),
        ("No end", ["No end"]),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ("Dr. Smith met J. R. R. Tolkien. They talked.", ["Dr. Smith met J. R. R. Tolkien.", "They talked."]),
        ("The U.S. Army came. It won.", ["The U.S. Army came.", "It won."]),
        ("It cost 3.50 dollars. Cheap!", ["It cost 3.50 dollars.", "Cheap!"]),
        ("“Stop!” he said. “Why?” She left.", ["“Stop!” he said.", "“Why?”", "She left."]),
        ("First line.\nSecond line.\n\nThird.", ["First line.", "Second line.", "Third."]),
        ("东京很大。大阪也大！是吗？", ["东京很大。", "大阪也大！", "是吗？"]),
        ("e.g. this and so on. That too.", ["e.g. this and so on.", "That too."]),
    ],
)
def test_sentences(source: str, sentences: list[str]) -> None:
    assert text.sentences(source) == sentences


@EXAMPLES
@given(st.text(alphabet=st.sampled_from("aA.!?… \n\"'”)(。Dr"), max_size=40) | TEXTS)
def test_sentences_lose_nothing(source: str) -> None:
    found = text.sentences(source)
    assert "".join("".join(found).split()) == "".join(source.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)


# --- contains ---

FEW = st.lists(st.sampled_from("abc"), max_size=6)


@given(FEW, FEW)
def test_contains(haystack: list[str], needle: list[str]) -> None:
    assert text.contains(haystack, needle) == (bool(needle) and "".join(needle) in "".join(haystack))


def may_name(name: str, source: str) -> bool:
    """Whether the quick look at letters lets a text pass as one that may hold the name."""
    return all(part in text.letters(source) for part in text.unmistakable(text.naming(name)))


LETTERS = "abisyAS '’-.–éøßﬁ東京"


@given(st.text(LETTERS, max_size=12), st.text(LETTERS, max_size=40))
@example("entity", "Two ENTITIES.")
@example("O'Brien", "an obrien")
@example("obrien", "an O’Brien")
@example("Hank", "Tom Hanks's film")
@example("Orleans", "ORLÉANS")
def test_what_may_not_be_named_is_not(name: str, source: str) -> None:
    needle = text.naming(name)
    if needle.strip() and needle in text.naming(source):
        assert may_name(name, source)


def test_a_text_without_the_letters_of_a_name_is_not_read() -> None:
    assert not may_name("Kentucky", "The Ohio runs west.")
    assert not may_name("Kentucky River", "The river Ohio isn't in Québec.")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("दिल्ली भारत की राजधानी है।", ["दिल्ली", "भारत", "की", "राजधानी", "है"]),
        ("ஸ்ரீலங்கா தமிழ்", ["ஸ்ரீலங்கா", "தமிழ்"]),
        ("กรุงเทพ", ["ก", "รุ", "ง", "เ", "ท", "พ"]),
        ("ที่ 5", ["ที่", "5"]),
        ("東京は日本の首都", list("東京は日本の首都")),
        ("القاهرة عاصمة مصر", ["القاهرة", "عاصمة", "مصر"]),
        ("ירושלים היא בירה", ["ירושלים", "היא", "בירה"]),
    ],
)
def test_words_of_many_scripts(source: str, found: list[str]) -> None:
    assert text.words(source) == [text.fold(word) for word in found]
    assert [word for word, _, _ in text.located_words(source)] == text.words(source)


@pytest.mark.parametrize(
    ("source", "name", "at"),
    [
        ("the fram sailed", "fram", 4),
        ("framework", "fram", -1),
        ("昨日東京に行った", "東京", 2),
        ("日本のibmは", "ibm", 3),
        ("เมืองกรุงเทพใหญ่", "กรุงเทพ", 5),
        ("भारत की राजधानी", "राजधानी", 8),
        ("राजधानीक", "राजधानी", -1),
        ("कि", "क", -1),
        ("fram", "", -1),
    ],
)
def test_names_in_running_text(source: str, name: str, at: int) -> None:
    assert text.find_name(source, name) == at


def test_sentences_of_other_scripts() -> None:
    assert text.sentences("वह आया। वह गया।") == ["वह आया।", "वह गया।"]
    assert text.sentences("هل جاء؟ نعم. شكرا.") == ["هل جاء؟", "نعم.", "شكرا."]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("夏目漱石", "夏目漱石"),
        ("Who is 夏目漱石 of 東京?", "who is 夏目漱石 of 東京"),
        ("กรุงเทพ", "กรุงเทพ"),
        ("प्रेमचंद का जन्म", "प्रेमचंद का जन्म"),
    ],
)
def test_words_are_joined_as_their_script_is_written(said: str, shown: str) -> None:
    assert text.join_words(text.words(said)) == shown


# --- memory ---


def test_words_that_were_met_cost_little_memory() -> None:
    """A question may be one long word, and no two are alike for as long as a process lives."""
    tracemalloc.start()
    try:
        for number in range(1_000):
            text.stems([f"{number}{'a' * 9_000}"])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2**20


def test_no_more_words_are_remembered_than_fit() -> None:
    upper = text.WordCache(str.upper)
    assert [upper[f"w{number}"] for number in (1, 2, 1)] == ["W1", "W2", "W1"]
    assert len(upper) == 2
    for number in range(2 * upper.MOST):
        upper[str(number)]
    assert len(upper) <= upper.MOST


ASKED = "Who designed the ship that Amundsen took south?"


@pytest.mark.parametrize(
    ("source", "question", "only"),
    [
        (ASKED, ASKED, True),
        (f"{ASKED} " * 10, ASKED, True),
        ("who designed the ship that amundsen took south", ASKED, True),
        ("Now who designed the ship that Amundsen took south?", ASKED, True),
        (f"{ASKED} Colin Archer.", ASKED, False),
        ("Who was Amundsen?", ASKED, False),
        ("Who designed ships? Archer did.", ASKED, False),
        ("Who?", "Who?", True),
        ("", "", False),
        # A statement answers a question of the same words, and supports a claim.
        ("Le Fram est un navire polaire.", "Le Fram est un navire polaire ?", False),
        ("Is Fram a polar ship?", "Is Fram a polar ship?", True),
        ("Fram is a polar ship.", "Is Fram a polar ship?", False),
        ("Fram is a polar ship.", "Fram is a polar ship.", False),
        ("The man who drew Fram was a Scot.", "The man who drew Fram was a Scot.", False),
        ("The man who drew Fram was a Scot", "The man who drew Fram was a Scot", False),
        ("弗拉姆号是谁设计的？", "弗拉姆号是谁设计的？", True),
        ("弗拉姆号是阿切尔设计的。", "弗拉姆号是谁设计的？", False),
    ],
)
def test_a_text_that_only_asks_the_question_again(source: str, question: str, only: bool) -> None:
    assert text.only_asks(source, question) == only
