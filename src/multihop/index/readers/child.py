"""The other side of `isolated`: a process that reads the files it is asked for and writes what it found as JSON lines.

Only JSON leaves it, so that a parser that a crafted file has taken over can hand on nothing but text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from multihop.errors import MissingExtra
from multihop.index.readers.formats import reader_of
from multihop.index.readers.limits import limit_process
from multihop.index.readers.naming import SourceNames
from multihop.index.readers.options import ReadOptions
from multihop.index.readers.sources import GivenSource
from multihop.types import Document


def main() -> None:
    """Answer requests from standard input until it is closed."""
    out = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        limit_process(request["memory"], request["seconds"])
        for answer in _answers(request):
            out.write(json.dumps(answer) + "\n")
            out.flush()


def _answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    path, name = Path(request["path"]), request["name"]
    # Under the name that the index gave the file, so that ids are those that the asking process expects.
    names = SourceNames() if name is None else SourceNames([GivenSource(str(path.resolve()), name, is_folder=False)])
    problems = 0
    try:
        options = ReadOptions(**request["options"])
        for record in reader_of(request["format"], names.enter(path), options).read(path):
            if isinstance(record, Document):
                yield _document(record, request["characters"])
                continue
            problems += 1
            yield {"problem": record.problem, "line": record.line}
            if problems >= request["problems"]:
                yield _problem(f"has {problems} unreadable records so far; the rest is not read")
                break
    except MissingExtra as missing:
        yield {"missing": [missing.what, missing.extra]}
    except MemoryError:
        yield _problem(f"needs more than {request['memory'] // 2**20} MiB of memory to read, the limit for one file")
    yield {"end": True}


def _document(document: Document, most: int) -> dict[str, Any]:
    length = len(document.text)
    if length > most:
        return _problem(f"the document {document.id[:80]!r} has {length} characters; at most {most} are allowed")
    return {"document": [document.id, document.text, document.title, dict(document.metadata), document.aliases]}


def _problem(said: str) -> dict[str, Any]:
    return {"problem": said, "line": None}


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt):
        main()
