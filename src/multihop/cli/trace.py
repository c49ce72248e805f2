"""A trace drawn as a tree."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from rich.tree import Tree

from multihop.engine import Engine
from multihop.rendering.phrases import passage_name
from multihop.rendering.trace import Entry, describe_trace
from multihop.types import Result

_STYLES = {"good": "green", "warning": "yellow", "": ""}

Name = Callable[[str], str]


def trace_tree(result: Result, engine: Engine) -> Tree:
    """Draw how the evidence of a result was found."""
    outline = describe_trace(result.trace)
    names = _names(outline, engine)
    tree = Tree(_heading(outline), guide_style="dim")
    for entry in outline.below:
        _add(tree, entry, lambda passage: names.get(passage, passage))
    return tree


def _add(tree: Tree, entry: Entry, name: Name) -> None:
    if entry.kind == "query":
        tree.add(_query(entry, name))
    elif entry.below:
        branch = tree.add(_heading(entry))
        for below in entry.below:
            _add(branch, below, name)
    else:
        style = "bold" if entry.kind == "end" else "dim"
        tree.add(Text.assemble((f"{entry.label}: ", style), (entry.content(name), _STYLES[entry.tone])))


def _heading(entry: Entry) -> Text:
    return Text.assemble((entry.label, "bold"), (f"  {entry.text}" if entry.text else "", "dim"))


def _query(entry: Entry, name: Name) -> Text:
    text = Text(entry.text, "cyan")
    for below in entry.below:
        text.append(f"\n{below.label}: ", "dim").append(below.content(name), "")
    return text


def _ids(entry: Entry) -> set[str]:
    return {*entry.passages, *(id for below in entry.below for id in _ids(below))}


def _names(outline: Entry, engine: Engine) -> dict[str, str]:
    passages = engine.store.view().passages(sorted(_ids(outline)))
    # Passages of a document share its title, so later ones are numbered.
    return {
        id: f"{passage_name(p)} #{p.position}" if p.title and p.position else passage_name(p)
        for id, p in passages.items()
    }
