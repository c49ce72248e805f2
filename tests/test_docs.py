"""The examples in the documentation are run as they stand there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from multihop import MultihopError, errors

ROOT = Path(__file__).parent.parent
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", DOCS, ids=lambda p: p.name)
def test_examples_do_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A fence ends an example; doctest would take it for output.
    text = page.read_text(encoding="utf-8").replace("\n```\n", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(examples, out=said.append)
    assert found.failed == 0, "".join(said)


def test_the_tree_of_errors_is_that_of_the_classes() -> None:
    _, found, rest = (errors.__doc__ or "").partition("MultihopError\n")
    tree = found + rest.rstrip()
    assert tree in (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    above = [MultihopError]
    listed = {MultihopError}
    for branch in tree.splitlines()[1:]:
        indent = len(branch) - len(branch.lstrip("│├└─ "))
        above = [*above[: indent // 4], getattr(errors, branch[indent:].split()[0])]
        assert above[-2] in above[-1].__bases__, branch
        listed.add(above[-1])
    classes = {each for each in vars(errors).values() if isinstance(each, type)}
    assert listed == {each for each in classes if issubclass(each, MultihopError)}


PAGES = [*DOCS, *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
