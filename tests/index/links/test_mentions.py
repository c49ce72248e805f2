from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from multihop import text
from multihop.index.links.mentions import MentionLinker
from multihop.index.stores import EmbeddedStore
from multihop.protocols import Linker
from multihop.testing.contracts import LinkerContract, divide_each
from multihop.types import Document

from ...reliability.soak import examples


class TestMentionLinker(LinkerContract):
    @pytest.fixture
    def linker(self) -> Linker:
        return MentionLinker()


# --- names ---


def test_a_document_is_named_by_title_and_aliases() -> None:
    names = MentionLinker().names("Mercury (planet)", ("Hermes' Star", "MERCURY", "X", "The", ""))
    assert names == ("mercury planet", "mercury", "hermes star")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Hall &amp; Woodhouse", "hall woodhouse"),
        ("H &#34;Two&#x22; O", "h two o"),
        ("AT&T; Copy&paste", "at t copy paste"),
    ],
)
def test_a_title_is_named_without_the_entities_of_web_pages(title: str, name: str) -> None:
    assert MentionLinker().names(title) == (name,)


def test_what_would_match_everywhere_is_no_name() -> None:
    linker = MentionLinker(longest=3)
    for title in ("", "!?", "It", "A", "Ø", "The Who", "7", "42", "one two three four", "( )"):
        assert linker.names(title) == (), title
    for title in ("1984", "東", "The Guess Who", "one two three", "Go"):
        assert linker.names(title) == (text.surface_key(title),), title


# --- matching ---

WORDS = st.sampled_from(["ka", "lo", "mi", "東", "é", "kalo"])
TEXTS = st.lists(WORDS, max_size=14)
KEYS = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), unique=True, max_size=12)


def _longest_matches(keys: Sequence[str], words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Walk through the words; wherever names begin, take the longest and go on behind it."""
    start = 0
    while start < len(words):
        ends = [end for end in range(len(words), start, -1) if " ".join(words[start:end]) in keys]
        if ends:
            yield " ".join(words[start : ends[0]]), start, ends[0]
        start = ends[0] if ends else start + 1


@given(keys=KEYS, words=TEXTS)
@example(keys=["ka lo", "lo mi", "mi"], words=["ka", "lo", "mi", "ka"])
@example(keys=["ka ka ka", "ka"], words=["ka"] * 5)
def test_matches_are_the_longest_names(keys: list[str], words: list[str]) -> None:
    matcher = MentionLinker().matcher(keys)
    expected = list(_longest_matches(keys, words))
    assert list(matcher.locate(words)) == expected
    named = {key for key, _, _ in expected}
    assert [{keys[i] for i in found} for found in matcher.find([[], words, words])] == [set(), named, named]


@given(keys=KEYS, words=TEXTS, longest=st.integers(1, 5))
def test_every_match_begins_a_run(keys: list[str], words: list[str], longest: int) -> None:
    linker = MentionLinker(longest=longest)
    short = [key for key in keys if key.count(" ") < longest]
    runs = linker.runs(words)
    for key, start, _ in linker.matcher(short).locate(words):
        assert f"{runs[start]} ".startswith(f"{key} ")
    assert all(run.count(" ") < longest for run in runs)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_name_is_found_where_it_stands(title: str, around: str) -> None:
    linker = MentionLinker()
    for name in linker.names(title):
        words = [*text.words(around), *name.split(" "), *text.words(around)]
        located = list(linker.matcher([name]).locate(words))
        assert (name, *_place(words, name.split(" "))) in located


def _place(words: list[str], name: list[str]) -> tuple[int, int]:
    start = next(i for i in range(len(words)) if words[i : i + len(name)] == name)
    return start, start + len(name)


# --- linking step by step ---

FORMS = st.sampled_from(["ka", "lo", "mi", "Ká", "LO", "mi’s"])
NAMES = st.lists(FORMS, min_size=1, max_size=3).map(" ".join)
BODIES = st.lists(st.lists(FORMS, min_size=2, max_size=7).map(" ".join), min_size=1, max_size=2).map("\n\n".join)
IDS = st.sampled_from("abcdef")
DOCUMENTS = st.builds(Document, id=IDS, text=BODIES, title=NAMES, aliases=st.lists(NAMES, max_size=1).map(tuple))
FIRST = st.lists(DOCUMENTS, min_size=3, max_size=6)
LATER = st.lists(st.lists(DOCUMENTS, min_size=1, max_size=2) | st.sets(IDS, min_size=1, max_size=2), max_size=4)
STEPS = st.builds(lambda first, later: [first, *later], FIRST, LATER)
"""Few words and few ids, so that names overlap, are shared, are replaced and go again."""


def _fillers() -> list[Document]:
    """Enough other documents that names and passages are looked up one by one, where a small index walks over all."""
    draw = random.Random(5)
    words = ["ka", "lo", "mi"]
    return [
        Document(
            f"filler{i}", f"word{i} {' '.join(draw.choices(words, k=6)) if i % 9 == 0 else 'more'}", f"Filler{i} x"
        )
        for i in range(450)
    ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "index"
    _store(folder, _fillers()).close()
    return folder


def _store(folder: Path, documents: Sequence[Document] = ()) -> EmbeddedStore:
    store = EmbeddedStore(folder, MentionLinker(), create=True)
    store.add(divide_each(*documents))
    return store


def _step_by_step(store: EmbeddedStore, steps: list[list[Document] | set[str]]) -> dict[str, Document]:
    """Apply every step, and keep account of what should be there in the end."""
    kept: dict[str, Document] = {}
    for step in steps:
        if isinstance(step, set):
            store.delete(sorted(step))
            kept = {id: document for id, document in kept.items() if id not in step}
        else:
            store.add(divide_each(*step))
            kept |= {document.id: document for document in step}
    return kept


def _tables(store: EmbeddedStore) -> dict[str, list[tuple[object, ...]]]:
    rows = store._snapshot.connection.rows
    return {
        "mentions": rows(
            "SELECT p.id, s.key FROM mention m JOIN passage p ON p.row = m.passage JOIN surface s ON s.row = m.surface "
            "ORDER BY p.id, s.key"
        ),
        "names": rows(
            "SELECT s.key, d.id FROM name n JOIN surface s ON s.row = n.surface JOIN document d ON d.row = n.document "
            "ORDER BY s.key, d.id"
        ),
        "surfaces": rows("SELECT key, spread FROM surface ORDER BY key"),
        "passages": rows("SELECT id, heading, text FROM passage ORDER BY id"),
    }


def _assert_same(stepwise: EmbeddedStore, at_once: EmbeddedStore) -> None:
    assert _tables(stepwise) == _tables(at_once)
    passages = [str(id) for id, *_ in _tables(at_once)["passages"]]
    documents = list(at_once.document_ids())
    assert stepwise.view().links_from(passages) == at_once.view().links_from(passages)
    assert stepwise.view().links_to(documents, 50) == at_once.view().links_to(documents, 50)
    assert [check for check in stepwise.verify(repair=False) if not check.ok] == []


SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where there is a disk in memory, a thousand small commits are quick there."""
ONE_BY_ONE = examples(40)


@ONE_BY_ONE
@given(steps=STEPS)
def test_step_by_step_gives_the_links_of_all_at_once(steps: list[list[Document] | set[str]]) -> None:
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        stepwise = _store(Path(folder) / "stepwise")
        at_once = _store(Path(folder) / "at_once", list(_step_by_step(stepwise, steps).values()))
        _assert_same(stepwise, at_once)
        stepwise.close()
        at_once.close()


@ONE_BY_ONE
@given(steps=STEPS)
def test_step_by_step_in_a_larger_index(filled: Path, steps: list[list[Document] | set[str]]) -> None:
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        stepwise = _store(shutil.copytree(filled, Path(folder) / "stepwise"))
        kept = _step_by_step(stepwise, steps)
        at_once = _store(Path(folder) / "at_once", [*_fillers(), *kept.values()])
        _assert_same(stepwise, at_once)
        stepwise.close()
        at_once.close()


def test_a_document_that_claims_too_many_names_has_none_of_them_but_its_title() -> None:
    linker = MentionLinker()
    some, many = [f"Name{n}x" for n in range(64)], [f"Name{n}x" for n in range(65)]
    assert len(linker.names("Oslo", some)) == 65
    assert linker.names("Oslo (city)", many) == linker.names("Oslo (city)")
    assert len(linker.names("Oslo", [*some, *some])) == 65
    assert len(MentionLinker(most=100).names("Oslo", many)) == 66
