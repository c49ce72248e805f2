"""Which documents hold on a day, and what is said of those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest

from multihop import Engine
from multihop.errors import InvalidFilter
from multihop.index.readers import read
from multihop.index.readers.validity import with_validity
from multihop.protocols import Store
from multihop.types import ANY_DAY, Document, Request
from multihop.types.dates import format_day, iso_day
from multihop.types.notes import NOT_IN_FORCE

LEADERS = (
    Document("old", "Kittiwake is led by Pia Holm.", "Kittiwake (2021)", {"valid_from": "2021-01-01"}),
    Document("new", "Kittiwake is led by Jon Berg.", "Kittiwake (2024)",
             {"valid_from": "2024-05-03", "supersedes": "old"}),
    Document("pia", "Pia Holm was born in Sandnes.", "Pia Holm"),
    Document("jon", "Jon Berg was born in Molde.", "Jon Berg"),
)  # fmt: skip


@pytest.fixture(params=["folder", "server"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    place = request.getfixturevalue("address") if request.param == "server" else tmp_path / "leaders.mh"
    with Engine.open(place, create=True) as made:
        made.add(LEADERS)
        yield made


def ids(engine: Engine, question: str, as_of: str | date | None, strategy: str = "auto") -> set[str]:
    found = engine.retrieve(question, strategy=strategy, as_of=as_of, models=False)
    return {e.passage.document_id for e in found}


def test_a_day_decides_which_version_is_found(engine: Engine) -> None:
    assert ids(engine, "Who leads Kittiwake?", "2022-01-01") == {"old", "pia"}
    assert "old" not in ids(engine, "Who leads Kittiwake?", None)
    assert "new" in ids(engine, "Who leads Kittiwake?", None)
    assert {"old", "new"} <= ids(engine, "Who leads Kittiwake?", ANY_DAY)
    assert not {"old", "new"} & ids(engine, "Who leads Kittiwake?", date(2020, 12, 31))


def test_hops_go_through_nothing_that_did_not_hold(engine: Engine) -> None:
    question = "Where was the leader of Kittiwake born?"
    assert "jon" in ids(engine, question, "2024-05-03")
    assert "pia" in ids(engine, question, "2024-05-02")
    assert ids(engine, "Who leads Kittiwake?", "2024-05-02", "graph") == {"old", "pia"}
    assert ids(engine, "Who leads Kittiwake?", "2024-05-03", "graph") == {"new", "jon"}


def test_the_trace_says_what_was_left_out_and_why(engine: Engine) -> None:
    result = engine.retrieve("Who leads Kittiwake?", as_of="2024-06-01", models=False)
    [note] = [n for n in result.trace.notes if n.code == NOT_IN_FORCE]
    assert note.data == {"as_of": "2024-06-01", "documents": ("old",)}
    assert "“Kittiwake (2021)” superseded by “Kittiwake (2024)” on 3 May 2024" in note.text
    assert result.as_of == "2024-06-01"
    before = engine.retrieve("Who leads Kittiwake?", as_of="2024-05-02", models=False)
    assert "“Kittiwake (2024)” valid from 3 May 2024" in before.trace.notes[0].text
    assert not any(n.code == NOT_IN_FORCE for n in engine.retrieve("Molde", as_of="any").trace.notes)


def test_an_end_and_a_series_of_versions(store_factory: Callable[[], Store]) -> None:
    engine = Engine(store_factory())
    engine.add([
        Document("p1", "Travel is paid at 30 euros a day.", "Travel policy", {"version_of": "travel", "version": 1}),
        Document("p2", "Travel is paid at 40 euros a day.", "Travel policy", {"version_of": "travel", "version": "v2"}),
        Document("p3", "Travel is paid at 50 euros a day.", "Travel policy",
                 {"version_of": "travel", "version": 3, "valid_from": "2024-02"}),
        Document("w", "Winter rules apply to travel.", "Winter", {"valid_until": 2022}),
        Document("o", "Open rules apply to travel.", "Open",
                 {"valid_until": "open-ended", "valid_from": "to be decided"}),
    ])  # fmt: skip
    assert ids(engine, "travel euros rules", "2022-12-31") == {"p2", "w", "o"}
    assert ids(engine, "travel euros rules", "2023") == {"p2", "o"}
    assert ids(engine, "travel euros rules", "2024-02-01") == {"p3", "o"}
    assert ids(engine, "travel euros rules", "2024-02-01", "bm25") == {"p3", "o"}
    [note] = engine.retrieve("winter rules", as_of="2023-06-01", models=False).trace.notes[:1]
    assert "“Winter” valid until 31 December 2022" in note.text


def test_an_index_without_dates_is_searched_as_it_is(store_factory: Callable[[], Store]) -> None:
    engine = Engine(store_factory())
    engine.add(Document("a", "Molde is a town.", "Molde"))
    plain = engine.retrieve("Molde", as_of=ANY_DAY, models=False)
    assert engine.retrieve("Molde", models=False) == plain
    assert "as_of" not in plain.to_dict()


def test_a_document_that_is_superseded_by_title_returns_when_the_newer_one_is_deleted(engine: Engine) -> None:
    engine.add(Document("newest", "Kittiwake is led by Eli Dahl.", "Kittiwake", {"supersedes": "Kittiwake (2024)"}))
    assert "new" not in ids(engine, "Who leads Kittiwake?", None)
    engine.delete(["newest", "old"])
    assert "new" in ids(engine, "Who leads Kittiwake?", None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Effective date: 3 May 2024\n\nAll staff.", {"valid_from": "2024-05-03"}),
        ("This policy is effective from May 3, 2024 and replaces nothing.", {"valid_from": "2024-05-03"}),
        ("# Leave\nThis version replaces the Leave rules of 1 June 2020.", {"supersedes": "Leave rules"}),
        ("Intro. This policy supersedes “Travel: the old way”, as agreed.", {"supersedes": "Travel: the old way"}),
        ("Supersedes: Travel 2021\nValid until 2025-01-31", {"supersedes": "Travel 2021", "valid_until": "2025-01-31"}),
        ("This act was repealed on 1 July 2020.", {"valid_until": "2020-06-30"}),
        ("Version 3 of the Travel Policy\n\nText.", {"version": "3", "version_of": "Travel Policy"}),
        ("Last amended: 2023-01-09", {"valid_from": "2023-01-09"}),
        ("Effective from 1 July 2024. This policy replaces the Travel policy.\n\nFlights need a reason.",
         {"valid_from": "2024-07-01", "supersedes": "Travel policy"}),
        ("Effective from July 2024\nValid until: December 2025",
         {"valid_from": "2024-07-01", "valid_until": "2025-12-31"}),
        ("This price list is valid until 2025.", {"valid_until": "2025-12-31"}),
        ("This plan applies 2024-25 only.", {}),
        ("Effective 3 May 2024, he resigned.", {}),
        ("The act was repealed on 1 July 2020. Effective 3 May 2024, he resigned.", {}),
        ("The law is effective from 3 May 2024. It replaces the old law.", {}),
        ("This policy is effective from 31 April 2024.", {}),
    ],
)  # fmt: skip
def test_what_a_document_says_of_itself(text: str, found: dict[str, str]) -> None:
    assert with_validity({}, text) == found
    assert with_validity({"valid_from": "1999", "version": 7}, text)["valid_from"] == "1999"


@pytest.mark.parametrize(
    ("title", "newer"),
    [
        ("Travel policy (superseded)", "Travel policy"),
        ("Travel policy [OLD]", "Travel policy"),
        ("[Archived] Travel policy", "Travel policy"),
        ("Obsolete: Travel policy", "Travel policy"),
        ("Travel policy (replaced) of 2020", None),
        ("The old travel policy", None),
        ("Kings of old", None),
        ("(old)", None),
        ("Travel policy (2020)", None),
    ],
)
def test_what_a_title_says_of_its_document(title: str, newer: str | None) -> None:
    assert with_validity({}, "Travel is paid.", title).get("superseded_by") == newer
    assert with_validity({"superseded_by": "t9"}, "Travel is paid.", title)["superseded_by"] == "t9"


def test_a_title_that_says_old_gives_way_to_the_document_of_that_title(tmp_path: Path) -> None:
    (tmp_path / "Travel policy (superseded).txt").write_text("Travel is paid at 30 euros a day.")
    (tmp_path / "Leave (old).txt").write_text("Leave is 20 days.")
    (tmp_path / "now.md").write_text("# Travel policy\n\nEffective date: 3 May 2024\n\nTravel is paid at 45 euros.")
    with Engine.open(tmp_path.with_suffix(".mh"), create=True) as engine:
        engine.add(read(tmp_path))
        assert ids(engine, "How much is paid for travel?", "2024-06-01") == {"now.md"}
        assert ids(engine, "How much is paid for travel?", "2024-05-02") == {"Travel policy (superseded).txt"}
        # Nothing newer is there.
        assert "Leave (old).txt" in ids(engine, "How many days of leave?", "2024-06-01")
        result = engine.retrieve("How much is paid for travel?", as_of="2024-06-01", models=False)
    [note] = [n for n in result.trace.notes if n.code == NOT_IN_FORCE]
    assert "superseded by “Travel policy” on 3 May 2024" in note.text


def test_files(tmp_path: Path) -> None:
    (tmp_path / "travel.md").write_text(
        "---\nvalid_from: 2024-05-03\n---\n# Travel\n\nThis policy expires on 1 June 2025."
    )
    (tmp_path / "leave.txt").write_text("Leave rules.\nReplaces: Old leave")
    (tmp_path / "metadata.csv").write_text("file,valid_until\nleave.txt,2030\n")
    with Engine.open(tmp_path.with_suffix(".mh"), create=True) as engine:
        engine.add(read(tmp_path))
        travel, leave = engine.document("travel.md"), engine.document("leave.txt")
    assert travel is not None and leave is not None
    assert (travel.metadata["valid_from"], travel.metadata["valid_until"]) == ("2024-05-03", "2025-06-01")
    assert (leave.metadata["supersedes"], leave.metadata["valid_until"]) == ("Old leave", "2030-12-31")


@pytest.mark.parametrize(
    ("given", "day"),
    [("2024", "2024-12-31"), ("2024-02", "2024-02-29"), ("3rd May 2024", "2024-05-03"),
     ("December 2, 2020", "2020-12-02"), ("Sept. 2024", "2024-09-30"), ("Marketing 2024", None),
     (2020, "2020-12-31"), (date(2020, 1, 2), "2020-01-02"), ("2020-01-02T10:00:00", "2020-01-02"),
     ("2024-13", None), ("soon", None), (True, None), (None, None)],
)  # fmt: skip
def test_days(given: object, day: str | None) -> None:
    assert iso_day(given, last=True) == day
    if day:
        assert format_day(day).endswith(day[:4])


@pytest.mark.parametrize("wrong", ["yesterday", "2024-02-30", ""])
def test_a_day_that_is_none(wrong: str) -> None:
    with pytest.raises(InvalidFilter, match="as_of is a day such as 2024-05-03"):
        Request("Who?", as_of=wrong)


def documents(engine: Engine, as_of: str) -> Sequence[str]:
    return [p.document_id for p in engine.index(as_of=as_of).passages.scan()]


def test_the_index_itself_as_of_a_day(engine: Engine) -> None:
    assert sorted(documents(engine, "2022")) == ["jon", "old", "pia"]
    assert sorted(documents(engine, ANY_DAY)) == ["jon", "new", "old", "pia"]


def test_what_replaces_a_document_before_it_holds_replaces_what_that_was_to_replace(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add([
            Document("a", "Travel is paid at 30 euros.", "A", {"valid_from": "2020"}),
            Document("b", "Travel is paid at 45 euros.", "B", {"valid_from": "2030", "supersedes": "a"}),
            Document("c", "Travel is paid at 60 euros.", "C", {"valid_from": "2025", "supersedes": "b"}),
        ])  # fmt: skip
        assert [documents(engine, day) for day in ("2024", "2026", "2031")] == [["a"], ["c"], ["c"]]
        # Documents may claim a circle.
        engine.add(Document("a", "Travel is paid at 30 euros.", "A", {"valid_from": "2020", "supersedes": "c"}))
        assert [documents(engine, day) for day in ("2024", "2026")] == [["a"], []]
