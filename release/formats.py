"""The reference of file formats: files and values are made, and what they hold is written down."""

from __future__ import annotations

import dataclasses
import json
import re
import sqlite3
import tempfile
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any

_TABLES = {
    "meta": "`generation`, `next_document`, `next_passage`, and `embedder` where there are vectors",
    "document": "documents; `aliases` and `metadata` are JSON, `text` is null where its only passage holds all of it",
    "passage": "passages of documents, in order; `page` where the file has pages",
    "attribute": "metadata once more, one row a value: what filters read",
    "surface": "every distinct name once, folded, and how many passages use it",
    "name": "which documents a name may mean",
    "mention": "which passages use a name; joined with `name` these are the links",
    "vector": "the vector of a passage, 16-bit floats",
    "removed": "deleted passages, until the lexical cache has deleted them too",
    "relation": "typed relations between passages, as `multihop relate` finds them",
    "kept": "what was computed from the corpus and is kept with the generation it holds for",
    "file": "files of folders that `multihop sync` keeps in step",
}
_INDEX = {
    "documents.sqlite": "the source of truth, one SQLite file",
    "lexical/": "a cache: BM25, served by tantivy",
    "writer.lock": "the lock of the writer",
}
_RUN = {
    "manifest.json": "everything that is needed to repeat the run",
    "questions.jsonl": "the questions with gold documents and answers, one a line",
    "qrels.txt": "gold documents, TREC format",
    "bm25.jsonl": "one answer a line for each system, in the order in which they were found",
    "bm25.run": "the ranking of the system, TREC format",
}
_HEAD = """# Reference: file formats

What multihop writes to disk and sends as JSON. This page is made from the code that does it. Files that it reads are
in [readers.md](../readers.md) and [datasets.md](../datasets.md), profiles in [profiles.md](../profiles.md). All texts
are UTF-8, all JSON files are written as a whole or not at all."""


def pages() -> Iterator[str]:
    """Give the page, part by part."""
    yield _HEAD
    yield from _index()
    yield from _values()
    yield from _run()
    yield from _others()
    yield from _models()


def _rows(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    names = list(head)
    lines = (f"| {' | '.join(str(cell).replace('|', 'or') for cell in row)} |" for row in rows)
    return "\n".join((f"| {' | '.join(names)} |", f"|{'---|' * len(names)}", *lines))


def _files(folder: Path, said: dict[str, str]) -> str:
    found = {f"{p.name}/" if p.is_dir() else p.name for p in folder.iterdir()}
    # A file without a description, or a description without a file, fails the build.
    if found != set(said):
        raise ValueError(f"{folder} holds {sorted(found)}, and described are {sorted(said)}")
    return _rows(("file", "what it is"), ((f"`{name}`", text) for name, text in said.items()))


def _index() -> Iterator[str]:
    from multihop import Engine
    from multihop.index.stores.sqlite import schema
    from multihop.testing import sample_documents

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "sample.mh")
        with Engine.open(folder, create=True) as engine:
            engine.add(sample_documents())
        files = _files(folder, _INDEX)
        with sqlite3.connect(folder / schema.FILE) as database:
            names = [
                n for (n,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
            ]
            columns = {n: [c[1] for c in database.execute(f"PRAGMA table_info({n})")] for n in names}
        database.close()
    yield f"""## Index folder

Format {schema.FORMAT}, the `user_version` of the SQLite file, whose `application_id` is
`0x{schema.APPLICATION:08X}`.
[stores.md](../stores.md) says what is promised of it.

{files}

With an embedder and many passages there is also `vectors.N.usearch` with its `vectors.N.sums`, a cache; while the
index is open there are `documents.sqlite-wal` and `documents.sqlite-shm`, and `writer.pid` while it is written to."""
    if set(names) != set(_TABLES):
        raise ValueError(f"the tables are {names}, and described are {sorted(_TABLES)}")
    rows = ((f"`{n}`", ", ".join(f"`{c}`" for c in columns[n]), _TABLES[n]) for n in names)
    yield f"### Tables\n\n{_rows(('table', 'columns', 'what it holds'), rows)}"


def _values() -> Iterator[str]:
    from multihop.types import Answer, Result, Verdict

    yield """## Results and traces

`multihop ask --json`, `--trace FILE`, `Result.to_json()` and the HTTP server write the same object, a `Result`;
`multihop replay` and `multihop trace` read it. Numbers are rounded to six digits. Fields marked † are left out while
they are empty. `seconds` and `cached` are left out where results are compared."""
    done: set[type] = set()
    waiting: list[type] = [Result, Answer, Verdict]
    while waiting:
        kind = waiting.pop(0)
        if kind not in done:
            done.add(kind)
            hints = typing.get_type_hints(kind)
            fields = dataclasses.fields(kind)
            waiting += [inner for f in fields for inner in _inside(hints[f.name])]
            rows = ((f"`{f.name}`{' †' if f.metadata else ''}", f"`{_named(hints[f.name])}`") for f in fields)
            said = " ".join((kind.__doc__ or "").split())
            yield f"### {kind.__name__}\n\n{said}\n\n{_rows(('field', 'value'), rows)}"
    yield """A result has `short` beside its fields (fewer than k passages could be reached), its `coverage` a
`fraction`; an answer has `answered`. A sentence of a verdict has its passage as `passage`, an id, and its `title`."""


def _inside(hint: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for inner in typing.get_args(hint):
        yield from _inside(inner)


def _named(hint: Any) -> str:
    """Write a type as JSON has it: a tuple is a list, a mapping an object."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return f"list of {_named(inner[0])}" if Ellipsis in inner else f"[{', '.join(map(_named, inner))}]"
    if origin in (UnionType, typing.Union):
        return " or ".join(map(_named, inner))
    if origin is typing.Literal:
        return " or ".join(json.dumps(value) for value in inner)
    if origin is not None and len(inner) == 2:
        return f"object of {_named(inner[1])}"
    plain = {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null", Any: "any value"}
    return plain.get(hint, getattr(hint, "__name__", str(hint)))


def _run() -> Iterator[str]:
    from multihop import Engine
    from multihop.evaluation.datasets import Corpus, Dataset, Question
    from multihop.evaluation.runs import execute
    from multihop.testing import sample_documents, sample_questions

    asked = tuple(Question(q.id, q.text, q.gold, q.hops, q.type, q.answer) for q in sample_questions()[:2])
    sample = Dataset("sample", "dev", asked, Corpus(sample_documents, 182, "0" * 32), source="multihop.testing")
    with tempfile.TemporaryDirectory() as scratch:
        index, folder = Path(scratch, "sample.mh"), Path(scratch, "run")
        with Engine.open(index, create=True) as engine:
            engine.add(sample_documents())
        execute(sample, index, ["bm25"], 5, folder)
        files = _files(folder, _RUN)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        question, answer = (
            json.loads((folder / name).read_text(encoding="utf-8").splitlines()[0])
            for name in ("questions.jsonl", "bm25.jsonl")
        )
    manifest |= {part: dict.fromkeys(manifest[part], "…") for part in ("systems", "versions")}
    shown = re.sub(r'(: )"[0-9a-f]{32,}"', r'\1"…"', json.dumps(manifest, indent=1, ensure_ascii=False))
    yield f"""## Runs

A run of `multihop eval` with the system `bm25`:

{files}

`manifest.json`:

```json
{shown}
```

A line of `questions.jsonl` has {_keys(question)}; a line of an answer {_keys(answer)}."""


def _keys(record: dict[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in record)


def _others() -> Iterator[str]:
    from multihop.answering.batch_files import RESULT_COLUMNS
    from multihop.lm.saved_prompts import FORMAT
    from multihop.survey import files

    yield f"""## Batches, surveys, prompts

- `--batch FILE --out FILE.jsonl` writes a line for each row: `row`, `given` (its own columns), `error` and the fields
  of the result, answer or verdict. `.csv`, `.tsv` and `.xlsx` have the columns of the input, then
  {", ".join(f"`{name}`" for name in RESULT_COLUMNS)}; one that the input has becomes `multihop answer` and so on.
- A survey is a folder: a JSON file for each group and method, the same as `.md` and `.html` to read, the tables
  `{files.CSV}`, `{files.XLSX}` and `{files.PASSAGES}`, and `{files.OVERVIEW}` and `{files.OVERVIEW_TEXT}` as an
  overview ([surveys.md](../surveys.md)).
- Optimized prompts are one JSON object with `format` (`{FORMAT}`), `strategy`, `dspy` (the version they were made
  with), `origin`, `predictors` and `checksum`; a file that does not fit its checksum is refused
  ([optimization.md](../optimization.md))."""


def _models() -> Iterator[str]:
    import numpy as np

    import multihop

    package = Path(multihop.__file__).parent
    rows = []
    for file in sorted(package.glob("models/data/*.npz")):
        with np.load(file) as stored:
            arrays = ", ".join(f"`{name}` {stored[name].dtype}{list(stored[name].shape)}" for name in stored.files)
        rows.append((f"`{file.relative_to(package).as_posix()}`", arrays))
    rows += [(f"`{f.relative_to(package).as_posix()}`", _graph(f)) for f in sorted(package.glob("models/data/*.onnx"))]
    yield f"""## Models

Models are files of the package. `.npz` files are NumPy arrays and hold no Python objects; `.onnx` files are run by
onnxruntime. `vocabulary.txt` has one piece of a word a line.
[training.md](../training.md) makes them.

{_rows(("file", "what is in it"), rows)}"""


def _graph(file: Path) -> str:
    import onnxruntime

    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    told = {"takes": session.get_inputs(), "gives": session.get_outputs()}
    return "; ".join(
        f"{verb} {', '.join(f'`{each.name}` {each.type} {each.shape}' for each in each_side)}"
        for verb, each_side in told.items()
    )
