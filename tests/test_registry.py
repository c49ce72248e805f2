"""What other packages register is found by name, and what is wrong with them is said with their names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from multihop import Document, Engine
from multihop.errors import InvalidInput, PluginError, UnknownName
from multihop.evaluation.datasets import DATASETS
from multihop.index.embedders import EMBEDDERS, open_embedder
from multihop.index.readers.formats import READERS, format_by_suffix
from multihop.index.stores import index_exists
from multihop.index.stores.open_store import STORES
from multihop.loop import Strategy
from multihop.parts.rerankers import RERANKERS, BuiltInReranker, open_reranker
from multihop.registry import BUILT_IN, Registry
from multihop.strategies import STRATEGIES, strategy, with_reranker

from .cli.command import environment, process, run

ROOT = Path(__file__).parents[1]
REGISTRIES: tuple[Registry[object], ...] = (STORES, EMBEDDERS, RERANKERS, READERS, DATASETS, STRATEGIES)  # type: ignore[assignment]

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Gives a function that puts a package on the path: its name, its code, and what it registers."""

    def install(package: str, code: str, points: str) -> None:
        folder = tmp_path / package
        about = folder / f"{package}-1.0.dist-info"
        about.mkdir(parents=True)
        (folder / f"{package}.py").write_text(code, encoding="utf-8")
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(points, encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, package, raising=False)

    return install


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda r: r.group)
def test_every_built_in_name_leads_to_something(registry: Registry[object]) -> None:
    assert registry.built_in
    assert all(registry[name] is not None for name in registry.built_in)
    assert [*registry][: len(registry.built_in)] == [*registry.built_in]
    assert len(registry) == len([*registry])


def test_every_group_has_a_registry() -> None:
    assert {registry.group for registry in REGISTRIES} == BUILT_IN.keys()


def test_names_of_strategies_are_their_own() -> None:
    assert all(STRATEGIES[name].name == name for name in STRATEGIES.built_in)


def test_a_strategy_of_another_package(install: Install) -> None:
    install(
        "theirs",
        "from dataclasses import replace\nfrom multihop.strategies import BM25\nOURS = replace(BM25, name='theirs')",
        "[multihop.strategies]\ntheirs = theirs:OURS\n[console_scripts]\ntheirs = theirs:main\n",
    )
    assert strategy("theirs").name == "theirs"
    assert [*STRATEGIES][-1] == "theirs"
    with pytest.raises(UnknownName, match="there is no strategy 'their': did you mean 'theirs'"):
        strategy("their")


def test_nothing_is_imported_before_it_is_used(install: Install) -> None:
    install("costly", "raise RuntimeError('imported')", "[multihop.strategies]\ncostly = costly:NOTHING\n")
    assert "costly" in STRATEGIES
    assert "costly" in [*STRATEGIES]
    assert strategy("bm25").name == "bm25"
    assert "costly" not in sys.modules


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    for package in ("one", "other"):
        install(package, "", f"[multihop.strategies]\nsame = {package}:S\nauto = {package}:S\n")
    with pytest.raises(
        PluginError, match=r"'same' is registered in multihop.strategies by (one and other|other and one)"
    ):
        strategy("same")
    with pytest.raises(PluginError, match=r"'auto' is registered in multihop.strategies by multihop and "):
        strategy("auto")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("def broken(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("", "AttributeError"),
    ],
)
def test_a_package_that_cannot_be_imported_is_named(install: Install, code: str, said: str) -> None:
    install("failing", code, "[multihop.strategies]\nfailing = failing:S\n")
    with pytest.raises(PluginError, match=rf"the package failing, which registers 'failing' in .* imported: {said}"):
        strategy("failing")


def test_something_else_than_was_asked_for_is_refused(install: Install) -> None:
    install("strange", "S = 'a text'", "[multihop.strategies]\nstrange = strange:S\n")
    with pytest.raises(PluginError, match=r"registers strange:S as 'strange' .* is a str and not a Strategy"):
        strategy("strange")
    assert isinstance(strategy("auto"), Strategy)


def test_a_package_that_is_there_twice_counts_once(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("twice", "from multihop.strategies import BM25", "[multihop.strategies]\ntwice = twice:BM25\n")
    shutil.copytree(tmp_path / "twice" / "twice-1.0.dist-info", tmp_path / "copy" / "twice-1.0.dist-info")
    monkeypatch.syspath_prepend(tmp_path / "copy")
    assert strategy("twice").name == "bm25"


def test_a_store_by_its_scheme(install: Install, tmp_path: Path) -> None:
    install(
        "drawer",
        "from multihop.index.stores import EmbeddedStore, StoreScheme, index_exists\n"
        "def opened(location, linker, **options):\n"
        "    return EmbeddedStore(location.removeprefix('drawer://'), linker, **options)\n"
        "DRAWER = StoreScheme(opened, lambda location: index_exists(location.removeprefix('drawer://')))\n",
        "[multihop.stores]\ndrawer = drawer:DRAWER\n",
    )
    assert not index_exists(f"drawer://{tmp_path}/x.mh")
    with Engine.open(f"drawer://{tmp_path}/x.mh", create=True) as engine:
        engine.add(Document("a", "A text."))
    assert (tmp_path / "x.mh").is_dir()
    assert index_exists(f"drawer://{tmp_path}/x.mh")
    with pytest.raises(InvalidInput, match="'drawer://x' is not on PostgreSQL; only an index on a server"):
        Engine.open("drawer://x", create=True, distribute=True)
    with pytest.raises(
        InvalidInput, match=r"unsupported location 'drawers://x'; give a folder or a URL \(.*drawer://\)"
    ):
        Engine.open("drawers://x")


def test_an_embedder_by_its_kind(install: Install) -> None:
    install(
        "letters",
        "from multihop.testing.contracts import HashEmbedder\ndef opened(rest):\n    return HashEmbedder(int(rest))\n",
        "[multihop.embedders]\nletters = letters:opened\n",
    )
    assert open_embedder("letters:16").dimension == 16
    with pytest.raises(UnknownName, match="unknown embedder 'leters'; did you mean 'letters'"):
        open_embedder("leters")


def test_a_reranker_by_its_name(install: Install, sample: Engine) -> None:
    install(
        "lengths",
        "from dataclasses import dataclass\n"
        "@dataclass(frozen=True)\n"
        "class Lengths:\n"
        "    identity: str = 'lengths'\n"
        "    calibrated: bool = False\n"
        "    def score(self, question, pairs):\n"
        "        return [float(len(pair.passage)) for pair in pairs]\n"
        "def opened(rest):\n"
        "    return Lengths()\n",
        "[multihop.rerankers]\nlengths = lengths:opened\n",
    )
    result = sample.retrieve("Who drew the Fram?", k=2, strategy=with_reranker(STRATEGIES["auto-fast"], "lengths"))
    assert result.trace.reranker == "lengths"
    assert open_reranker("built-in") == BuiltInReranker()
    with pytest.raises(InvalidInput, match="the built-in reranker has no variant 'large'"):
        open_reranker("built-in:large")
    with pytest.raises(UnknownName, match="unknown reranker 'length'; did you mean 'lengths'"):
        open_reranker("length")


def test_a_format_by_its_suffix(install: Install) -> None:
    code = "from multihop.index.readers import plain\nfrom multihop.index.readers.files import text_format\n"
    made = "F = text_format(plain.extract, ('.memo', '.txt'))\n"
    install("memos", code + made, "[multihop.readers]\nmemo = memos:F\n")
    assert format_by_suffix(".memo") == "memo"
    assert format_by_suffix(".txt") == "txt", "built-in formats keep their suffixes"
    install("notes", code + made, "[multihop.readers]\nnote = notes:F\n")
    with pytest.raises(PluginError, match=r"the formats memo and note both claim '\.memo'; choose one with --format"):
        format_by_suffix(".memo")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in examples/plugin, installed into a folder."""
    folder = tmp_path_factory.mktemp("plugin") / "site"
    _pip(ROOT / "examples" / "plugin", folder)
    return folder


def _pip(source: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "--target", str(folder), str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_example_adds_to_every_command(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(example)

    def said(*arguments: str) -> str:
        done = run(*arguments)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    Path("notes.cards").write_text("Fram\nColin Archer drew the Fram.\n---\nColin Archer\nBorn in Larvik.\n")
    path = os.pathsep.join([str(example), environment()["PYTHONPATH"]])
    begun = process("index", "notes.cards", "--to", "notes.mh", PYTHONPATH=path)
    assert begun.returncode == 0, begun.stderr
    assert "Larvik" in said(
        "ask", "Where was the man born who drew the Fram?", "--index", "notes.mh", "--strategy", "patient"
    )
    assert "auto-fast for four hops" in said("strategies")
    assert "patient" in said("eval", "ships", "--strategies", "patient,bm25", "-k", "2")


@pytest.mark.release
def test_the_metadata_of_the_package_holds_what_is_built_in(tmp_path: Path) -> None:
    _pip(ROOT, tmp_path / "site")
    [found] = metadata.distributions(name="multihop", path=[str(tmp_path / "site")])
    written = {group: {p.name: p.value for p in found.entry_points.select(group=group)} for group in BUILT_IN}
    assert written == BUILT_IN
