"""`multihop graph`: print, draw or save the neighborhood of a passage, a document or a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli.filters import where_option
from multihop.cli.indexes import open_with_vectors
from multihop.cli.options import PATH, TEXT, embedder_option, index_option, json_option
from multihop.cli.output import open_console, print_json
from multihop.cli.show import unknown_id
from multihop.errors import InvalidInput
from multihop.index.locations import Location, redact
from multihop.rendering.files import write_atomically
from multihop.rendering.phrases import one_line, passage_name, pluralize

if TYPE_CHECKING:
    from rich.tree import Tree

    from multihop.engine import Engine
    from multihop.index.graph import Edge, Neighborhood, Node
    from multihop.protocols import View

_START_PASSAGES = 3
"""Number of top passages of a question to start from."""
_EVIDENCE = 70


@click.command(
    epilog="\b\nExample:\n  multihop graph fram-ship --index wiki.mh\n"
    '  multihop graph "Who drew the Fram?" --index wiki.mh --steps 1 --out fram.svg'
)
@click.argument("start", type=TEXT)
@index_option
@click.option("--steps", type=int, default=2, show_default=True, help="Traversal depth, 1 to 3.")
@click.option(
    "--most", type=int, default=30, show_default=True, help="Maximum number of passages, the most certain first."
)
@click.option("--out", type=PATH, metavar="FILE", help="Write a file: .graphml, .json, .svg or .html.")
@where_option
@embedder_option
@json_option
def graph(
    start: str,
    path: Location,
    steps: int,
    most: int,
    out: Path | None,
    where: dict[str, Any],
    embedder: str | None,
    as_json: bool,
) -> None:
    """Show the neighborhood of a passage, a document or a question.

    START is the id of a passage (fram-ship#0) or a document (fram-ship), or a question, whose best passages are then
    the starting points. Traversal follows mention links and the relations that `relate` finds.
    """
    from multihop.index.graph import around, render
    from multihop.index.graph.formats import as_dict

    format = _format(out) if out else ""
    with open_with_vectors(path, embedder) as engine:
        view = engine.store.view(where or None)
        neighborhood = around(view, _find_starts(engine, view, start, where), steps=steps, most=most)
        related = engine.stats().relations > 0
    if out:
        write_atomically(out, render(neighborhood, format))
    if as_json:
        print_json(as_dict(neighborhood))
    elif out:
        click.echo(
            f"{pluralize(len(neighborhood.nodes), 'passage')}, {pluralize(len(neighborhood.edges), 'edge')} "
            f"written to {out}"
        )
    else:
        console = open_console()
        for tree in _trees(neighborhood):
            console.print(tree)
        if neighborhood.left_out:
            console.print(
                f"{pluralize(neighborhood.left_out, 'more passage')} reached; raise --most to show them", style="dim"
            )
    # On stderr, so that the tree itself can be piped.
    if not related and not as_json:
        how = f"multihop relate --index {redact(path)}"
        click.echo(f"no relations have been built yet, only mention links: {how}", err=True)


def _format(out: Path) -> str:
    from multihop.index.graph import FORMATS

    format = out.suffix.removeprefix(".").lower()
    if format not in FORMATS:
        *first, last = (f".{known}" for known in FORMATS)
        raise InvalidInput(f"cannot infer the format from --out {str(out)!r}; use {', '.join(first)} or {last}")
    if not out.parent.is_dir():
        raise InvalidInput(f"--out {str(out)!r} is in a folder that does not exist")
    return format


def _find_starts(engine: Engine, view: View, start: str, where: dict[str, Any]) -> list[str]:
    """Resolve START as a passage id, a document id, or else a question."""
    from multihop.index.graph import starts_of

    if view.passages([start]):
        return [start]
    if of_document := starts_of(view, start):
        return of_document
    # A single word is more likely a misspelled id than a question.
    if " " not in start.strip():
        raise unknown_id(engine, start, "passage or document")
    result = engine.retrieve(start, k=_START_PASSAGES, strategy="graph", where=where or None)
    if not result.evidence:
        raise InvalidInput(f"nothing in the index answers {start!r}; give the id of a passage or of a document")
    return [evidence.passage.id for evidence in result.evidence]


def _trees(neighborhood: Neighborhood) -> list[Tree]:
    from rich.tree import Tree

    trees: dict[str, Tree] = {}
    tops: list[Tree] = []
    # Nearest first, so that every passage's parent is already in the tree.
    for node in sorted(neighborhood.nodes, key=lambda n: (n.distance, -n.strength, n.id)):
        if node.via in trees:
            trees[node.id] = trees[node.via].add(_line(node, neighborhood.between(node.via, node.id)))
        else:
            trees[node.id] = Tree(_line(node, ()), guide_style="dim")
            tops.append(trees[node.id])
    return tops


def _line(node: Node, edges: tuple[Edge, ...]) -> Any:
    from rich.text import Text

    name, id = passage_name(node.passage), one_line(node.passage.id)
    line = Text.assemble((name, "bold"), ("" if name == id else f"  {id}", "dim"))
    for edge in edges:
        arrow = "→" if edge.target == node.id else "←"
        line.append(f"\n{arrow} {edge.kind} {edge.confidence:.2f}", "cyan")
        line.append(f"  {one_line(edge.evidence, _EVIDENCE)}", "dim")
    return line
