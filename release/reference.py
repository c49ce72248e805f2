"""Pages of the documentation that are made from code: Python, command line, HTTP, MCP, file formats; a hook of MkDocs.

Pages outside `docs/`, such as the changelog, become pages of the site too, and links to them are turned.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "../CHANGELOG.md": "changelog.md", "../SECURITY.md": "security.md", "../CONTRIBUTING.md": "contributing.md",
    "../training/README.md": "training.md",
}  # fmt: skip
"""Files beside `docs/`, as its pages link to them, and the pages they become."""


def python() -> Iterator[str]:
    """Every public name, with its signature, what it says of itself, and its methods."""
    import multihop

    yield "# Reference: Python\n\nWhat `import multihop` offers. [engine.md](../engine.md) shows it at work."
    for name in sorted(multihop.__all__):
        thing = getattr(multihop, name)
        yield f"## {name}\n\n{_signature(name, thing)}{inspect.getdoc(thing) or ''}"
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isroutine):
                if not method.startswith("_") and method in vars(thing):
                    yield f"### {name}.{method}\n\n{_signature(method, function)}{inspect.getdoc(function) or ''}"


def _signature(name: str, thing: Any) -> str:
    try:
        text = f"{name}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"<object object at \w+>|<factory>", "…", text)
    return f"```python\n{text}\n```\n\n"


def command_line() -> Iterator[str]:
    """Every command with its help, as the program prints it."""
    from multihop.cli.program import program

    yield "# Reference: command line\n\nWhat `--help` prints. [cli.md](../cli.md) shows the commands at work."
    yield from _commands(program, click.Context(program, info_name="multihop", terminal_width=100))


def _commands(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.commands[name]
            yield from _commands(inner, click.Context(inner, parent=context, info_name=name, terminal_width=100))


def http() -> Iterator[str]:
    """Every operation of the server, from the description that it serves itself."""
    from multihop.server.app import application
    from multihop.server.settings import Location, Settings

    with tempfile.TemporaryDirectory() as folder:
        described = application(Settings((Location("wiki", folder),), state=Path(folder))).app.openapi()
    yield "# Reference: HTTP\n\nEvery operation of `multihop serve`. [server.md](../server.md) shows them at work."
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            table = _table(
                (f"{each['name']}` in `{each['in']}", bool(each.get("required")), each.get("description", ""))
                for each in operation.get("parameters", ())
            )
            body = operation.get("requestBody", {}).get("content", {})
            taken = [_kind(kind, content.get("schema", {})) for kind, content in body.items()]
            answers = ", ".join(
                f"{status} {answer['description']}" for status, answer in operation["responses"].items()
            )
            parts = (
                f"## {method.upper()} {path}", operation.get("summary", ""), operation.get("description", ""), table,
                f"Body: {', '.join(taken)}." if taken else "", f"Answers: {answers}.",
            )  # fmt: skip
            yield "\n\n".join(part for part in parts if part)


def _kind(kind: str, schema: dict[str, Any]) -> str:
    named = schema.get("$ref", "").rpartition("/")[2]
    return f"`{kind}` ({named})" if named else f"`{kind}`"


def _table(parameters: Iterable[tuple[str, bool, str]]) -> str:
    rows = [f"| `{name}` | {'yes' if must else 'no'} | {' '.join(said.split())} |" for name, must, said in parameters]
    return "\n".join(("| parameter | required | |", "|---|---|---|", *rows)) if rows else ""


def mcp() -> Iterator[str]:
    """Every tool that an assistant is offered, with its parameters."""
    from multihop import Engine
    from multihop.adapters.mcp import server
    from multihop.testing import sample_documents

    with tempfile.TemporaryDirectory() as folder, Engine.open(Path(folder, "sample.mh"), create=True) as engine:
        engine.add(sample_documents())
        tools = asyncio.run(server({"sample": engine}).list_tools())
    yield "# Reference: MCP\n\nThe tools of `multihop mcp`. [mcp.md](../mcp.md) says how an assistant gets them."
    for tool in tools:
        needed = tool.input_schema.get("required", ())
        parameters = tool.input_schema.get("properties", {}).items()
        table = _table((name, name in needed, str(about.get("description", ""))) for name, about in parameters)
        yield f"## {tool.name}\n\n{inspect.cleandoc(tool.description or '')}\n\n{table}"


def formats() -> Iterator[str]:
    """Every file that is written, from files that are written for it."""
    # MkDocs loads this file by its path alone.
    sys.path.insert(0, str(Path(__file__).parent))
    from formats import pages

    return pages()


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "reference/python.md": python, "reference/command-line.md": command_line, "reference/http.md": http,
    "reference/mcp.md": mcp, "reference/formats.md": formats,
}  # fmt: skip


def on_files(files: Any, config: Any) -> Any:
    """Add what is not written by hand to the files of the site."""
    from mkdocs.structure.files import File

    sys.path.insert(0, str(ROOT / "src"))
    for name, made in PAGES.items():
        files.append(File.generated(config, name, content="\n\n".join(made()) + "\n"))
    for link, name in OUTSIDE.items():
        text = (ROOT / "docs" / link).resolve().read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=re.sub(r"\]\((?:\.\./)?docs/", "](", text)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links to files beside `docs/` into links to the pages they have become."""
    for link, name in OUTSIDE.items():
        markdown = markdown.replace(f"](../{link}", f"](../{name}")  # from a folder within docs
        markdown = markdown.replace(f"]({link}", f"]({name}").replace(f"]({link[3:]}", f"]({name}")
    return markdown
