"""Markdown: front matter becomes metadata, formatting is removed, headings stay for the splitter.

Not done with markdown-it-py: its tokens no longer have the lines as written (list markers, blank lines), which passages
show, and it does not know wiki links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from multihop.index.readers.decoding import decode
from multihop.index.readers.files import Content, text_format
from multihop.index.readers.record import clean, parse_cell
from multihop.index.readers.tables import table, table_row

FRONT_MATTER_LINES = 500

_PAIR = re.compile(r"([\w][\w .-]{0,99}?)\s*:(?:\s+(.*))?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]+\]:\s*\S+")
_QUOTE = re.compile(r"(?: {0,3}> ?)+")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_RULED = re.compile(r"[ \t]{0,3}\|?(?:[ \t]*:?-+:?[ \t]*\|)*(?:[ \t]*:?-+:?[ \t]*)?$")
_BAR = re.compile(r"(?<!\\)\|")
_IN_TABLE = re.compile(r"(?![ \t]*$)(?!.*```)(?=.*\|)").match
_TARGET = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)|\[[^\[\]\n]*\]"
# Each pattern stops at the next mark of its own kind, so a long line costs time in proportion to its length.
_INLINE = (
    (re.compile(rf"!\[[^\[\]\n]*\](?:{_TARGET})"), ""),
    # Wiki links, [[Page]] and [[Page|shown]], as note-taking programs write them.
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]"), r"\1"),
    (re.compile(rf"\[([^\[\]\n]*)\](?:{_TARGET})"), r"\1"),
    (re.compile(r"<((?:https?|mailto):[^<>\s]*)>"), r"\1"),
    (re.compile(r"<br[ \t]*/?>", re.IGNORECASE), " "),
    (re.compile(r"</?[a-zA-Z][\w-]*(?:[ \t]+[\w:-]+=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'<>]+))*[ \t]*/?>"), ""),
    (re.compile(r"`{1,3}([^`\n]+)`{1,3}"), r"\1"),
    (re.compile(r"(?<!\\)\*{1,3}(?=\S)([^*\n]+)(?<=\S)\*{1,3}"), r"\1"),
    (re.compile(r"(?<![\w\\])_{1,3}(?=\S)([^_\n]+)(?<=\S)_{1,3}(?!\w)"), r"\1"),
    (re.compile(r"(?<!\\)\*{1,3}(?=\S)([^*\n]+)(?<=\S)\*{1,3}"), r"\1"),
    (re.compile(r"~~(?=\S)([^~\n]+)~~"), r"\1"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!~>|-])"), r"\1"),
)


def extract(data: bytes, source: str) -> Content:
    """Extract front matter, title and text from a Markdown file."""
    metadata, body = front_matter(clean(decode(data, source)))
    text = "\n".join(_plain(_without_comments(body).split("\n")))
    title = metadata.pop("title", None) or _first_heading(text)
    aliases = metadata.pop("aliases", ())
    names = aliases if isinstance(aliases, tuple) else (aliases,)
    return Content(text, str(title), metadata, tuple(str(name) for name in names))


def front_matter(text: str) -> tuple[dict[str, object], str]:
    """Read simple `key: value` pairs and lists between two `---` lines at the top; ignore anything more complex."""
    # A file that begins with a rule and has no second one must not be cut into lines as a whole.
    lines = text.split("\n", FRONT_MATTER_LINES)
    if lines[0].rstrip() != "---":
        return {}, text
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, text
    values: dict[str, object] = {}
    key = ""
    for line in lines[1:end]:
        item = line.strip()
        if item.startswith("- ") and key:
            earlier = values.get(key)
            values[key] = (*(earlier if isinstance(earlier, tuple) else ()), _scalar(item[2:]))
        elif (pair := _PAIR.match(line)) and not line[0].isspace():
            key, value = pair[1], (pair[2] or "").strip()
            if value:
                values[key] = _value(value)
                key = ""
    return values, "\n".join(lines[end + 1 :])


def _value(value: str) -> object:
    if value.startswith("[") and value.endswith("]"):
        return tuple(_scalar(part) for part in value[1:-1].split(",") if part.strip())
    return _scalar(value)


def _scalar(value: str) -> object:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return parse_cell(value)


def _without_comments(text: str) -> str:
    first, *rest = text.split("<!--")
    kept = [first]
    for part in rest:
        comment, closed, after = part.partition("-->")
        kept.append(after if closed else "<!--" + comment)
    return "".join(kept)


def _plain(lines: list[str]) -> Iterator[str]:
    """Yield the lines without their marks: code as it is, headings as `#` lines, the rest as prose."""
    fence = ""
    beyond = 0
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if number < beyond:
            continue
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
            else:
                # As Markdown indents code: a comment is not taken for a heading, and each line can be quoted.
                yield f"    {line}" if line.strip() else ""
        elif mark:
            fence = mark[1]
        elif "|" in line and number + 1 < len(lines) and _is_ruled(lines[number + 1], line):
            beyond = next((i for i in range(number + 2, len(lines)) if not _IN_TABLE(lines[i])), len(lines))
            yield _table([line, *lines[number + 2 : beyond]])
        else:
            yield from _prose(line, lines[number - 1] if number else "", lines[number + 1 : number + 2])


def _is_ruled(line: str, header: str) -> bool:
    """Return whether a line is the rule below the header of a table, with as many columns as that has."""
    return "-" in line and bool(_RULED.match(line)) and len(_cells(line)) == len(_cells(header))


def _table(lines: list[str]) -> str:
    rows = [[_inline(cell) for cell in _cells(line)] for line in lines]
    if any(rows[0]):
        return table(rows, header=True)
    # A table without names of columns lists names and values.
    return "\n".join(f"{row[0].rstrip(': ')}: {table_row(row[1:])}" if row[0] else table_row(row) for row in rows[1:])


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    parts = _BAR.split(line)
    return [part.strip().replace("\\|", "|") for part in (parts if parts[-1].strip() else parts[:-1])]


def _prose(line: str, before: str, after: list[str]) -> Iterator[str]:
    if heading := _ATX.match(line):
        if name := _inline(_without_closing(heading[2] or "")).strip():
            yield f"{heading[1]} {name}"
    elif _UNDERLINE.match(line) and before.strip():
        return
    # Only a line that stands alone, not the last of a paragraph; with "|" it would be the header of a table.
    elif after and not before.strip() and line.strip() and (under := _UNDERLINE.match(after[0])) and "|" not in line:
        yield f"{'#' if under[1].startswith('=') else '##'} {_inline(line.strip())}"
    elif _RULE.match(line):
        yield ""
    elif not _DEFINITION.match(line):
        yield _inline(_QUOTE.sub("", line, count=1) if line.lstrip(" ").startswith(">") else line)


def _without_closing(heading: str) -> str:
    heading = heading.rstrip()
    # "## Title ##" closes with marks, "## C#" does not: a blank must stand before them.
    kept = heading.rstrip("#")
    return kept if kept != kept.rstrip() else heading


def _inline(line: str) -> str:
    for pattern, kept in _INLINE:
        line = pattern.sub(kept, line)
    return html.unescape(line)


def _first_heading(text: str) -> str:
    return next((line[2:].strip() for line in text.split("\n") if line.startswith("# ")), "")


MARKDOWN = text_format(extract, (".md", ".markdown"), "text/markdown")
