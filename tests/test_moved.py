from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator

import pytest

import multihop
from multihop._moved import MOVED, REMOVAL, new_path


@pytest.fixture(autouse=True)
def _forget_old_paths() -> Iterator[None]:
    yield
    for name in [name for name in sys.modules if name.startswith("multihop.") and new_path(name)]:
        del sys.modules[name]


def _imported(old: str) -> tuple[object, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module = importlib.import_module(old)
    return module, caught


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_path_gives_the_module_of_the_new_one_and_names_it(old: str) -> None:
    module, caught = _imported(old)
    assert module is importlib.import_module(MOVED[old])
    assert caught[-1].category is DeprecationWarning
    assert str(caught[-1].message) == f"{old} is now {MOVED[old]}; the old path will be removed in {REMOVAL}"


def test_old_paths_are_gone_when_the_release_is_made_that_was_to_remove_them() -> None:
    promised, now = (
        [int(number) for number in text.split(".")[:2]] for text in (REMOVAL.split(",")[0], multihop.__version__)
    )
    assert now < promised, (
        "the version of REMOVAL is reached: take out the old paths and names, or give them a new date"
    )


def test_modules_inside_a_moved_package_are_no_second_copies() -> None:
    module, caught = _imported("multihop.stores.postgres.address")
    assert module is importlib.import_module("multihop.index.stores.postgres.address")
    assert [str(each.message).split(" is now ")[0] for each in caught] == [
        "multihop.stores",
        "multihop.stores.postgres",
        "multihop.stores.postgres.address",
    ]


def test_names_come_from_old_paths_and_the_warning_points_at_the_import() -> None:
    from multihop.parts.searchers import Bm25Searcher

    names: dict[str, object] = {}
    with pytest.warns(DeprecationWarning, match="multihop.searchers is now multihop.parts.searchers") as caught:
        exec(compile("from multihop.searchers import Bm25Searcher", "theirs.py", "exec"), names)
    assert names["Bm25Searcher"] is Bm25Searcher
    assert [each.filename for each in caught] == ["theirs.py"]


def test_what_never_was_is_still_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'multihop\.nothing'"):
        importlib.import_module("multihop.nothing")
    with (
        pytest.warns(DeprecationWarning, match="is now"),
        pytest.raises(ModuleNotFoundError, match=r"No module named 'multihop\.parts\.searchers\.nothing'"),
    ):
        importlib.import_module("multihop.searchers.nothing")


def test_an_old_attribute_gives_the_new_one_and_names_it() -> None:
    from multihop import types

    with pytest.warns(DeprecationWarning, match=r"multihop\.types\.Added is now multihop\.types\.Changed"):
        assert types.Added is types.Changed
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        types.Nothing  # noqa: B018  # asked for on purpose
