"""Everything that can go wrong, as one tree; each class is something a caller would handle differently.

MultihopError
├── InvalidInput          a value the caller passed is wrong: fix the call (also a ValueError)
│   ├── InvalidQuestion   empty or too long
│   ├── InvalidBudget     k is not a whole number between 1 and the limit
│   ├── InvalidFilter     an unknown field, or a condition that has no meaning
│   ├── UnknownName       no strategy, document, reader … of that name
│   ├── InvalidRecord     a document that cannot be indexed (carries file and line)
│   └── InvalidProfile    a domain profile that cannot be used (carries the place of the wrong value)
├── PluginError           another package registers something for multihop that cannot be used (names the package)
├── MissingExtra          an optional dependency is not installed (carries the install command; also an ImportError)
├── MissingCapability     a strategy asks an index for something that it does not offer
├── StoreError            the index on disk cannot be used as asked
│   ├── IndexNotFound     nothing is there
│   ├── FormatError       not an index of ours, or of another format version
│   ├── IndexLocked       another process is writing
│   ├── IndexReadOnly     the folder or the disk refuses writes
│   │   └── IndexBehind   the change is stored, and cannot be searched yet: do not repeat it
│   └── EmbedderMismatch  the index holds vectors of another embedder
├── LanguageModelError    a language model was needed and gave nothing
│   ├── NoLanguageModel   none is configured
│   └── NoVerdict         it failed or answered nonsense (carries the evidence found)
├── EmbeddingError        an embedder failed or answered nonsense
├── ReadingError          a reranker, reader or verifier failed or answered nonsense
└── DownloadFailed        a dataset could not be fetched whole
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class MultihopError(Exception):
    """Root of the tree: `except MultihopError` catches whatever this package raises on purpose."""


# A ValueError too, so that it is caught by whoever knows nothing of this tree.
class InvalidInput(MultihopError, ValueError):
    """A value passed by the caller is wrong."""


class InvalidQuestion(InvalidInput):
    """The question is empty or longer than the limit."""


class InvalidBudget(InvalidInput):
    """The budget k is not a whole number between 1 and the limit."""


class InvalidFilter(InvalidInput):
    """A filter names an unknown field or holds a condition without meaning."""


class UnknownName(InvalidInput):
    """A name that does not exist; the message suggests the nearest one that does."""


class InvalidRecord(InvalidInput):
    """A record that cannot be indexed, with the place it came from."""

    def __init__(self, problem: str, *, source: str = "", line: int | None = None) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        place = f"{source}:{line}" if source and line is not None else source
        super().__init__(f"{place}: {problem}" if place else problem)


class InvalidProfile(InvalidInput):
    """A domain profile that cannot be used, with the place of the wrong value, such as `questions[3].keywords[0]`."""

    def __init__(self, problem: str, *, source: str = "", place: str = "") -> None:
        self.problem = problem
        self.source = source
        self.place = place
        super().__init__(": ".join(part for part in (source, place, problem) if part))


class PluginError(MultihopError):
    """What another package registers for multihop fails to import, is not what it should be, or is registered twice."""


class MissingExtra(MultihopError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what = what
        self.extra = extra
        super().__init__(f"{what} needs an optional dependency. Install it with: {install_command(extra)}")


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Import an optional dependency in this block; where it is not installed, say what needs it and how to get it."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(what, extra) from error


class MissingCapability(MultihopError):
    """A strategy needs something that the index it works on does not offer, such as lexical search."""


class StoreError(MultihopError):
    """The index on disk cannot be used as asked."""


class IndexNotFound(StoreError):
    """There is no index at the given place."""


class FormatError(StoreError):
    """The folder holds no index of ours, or one of another format version."""


class IndexLocked(StoreError):
    """Another process is writing to the index."""


class IndexReadOnly(StoreError):
    """The folder cannot be written to, or the disk is full; the index is unharmed."""


class IndexBehind(IndexReadOnly):
    """The change is safely stored, but the search caches could not follow; they will when they can be written."""


class EmbedderMismatch(StoreError):
    """The index was built with another embedder than the one given."""


class EmbeddingError(MultihopError):
    """An embedder failed, or returned vectors that make no sense."""


class LanguageModelError(MultihopError):
    """Something that only a language model can do was asked for, and none did it."""


class NoLanguageModel(LanguageModelError):
    """No language model is configured."""


class NoVerdict(LanguageModelError):
    """The language model gave no usable verdict; the evidence that was found is in `result`."""

    def __init__(self, message: str, result: object = None) -> None:
        self.result = result
        super().__init__(message)


class ReadingError(MultihopError):
    """A reranker, reader or verifier failed, is not installed, or gave something other than what was asked for."""


class DownloadFailed(MultihopError):
    """A dataset that was asked for could not be downloaded, or arrived damaged."""


def cause(error: BaseException) -> str:
    """Return what an error says, without the number and the file that the operating system adds to it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return which known name is nearest to a wrong one, or list the known ones when none is near."""
    names = sorted(known)
    nearest = difflib.get_close_matches(name.casefold(), [n.casefold() for n in names], n=1, cutoff=0.6)
    if nearest:
        original = next(n for n in names if n.casefold() == nearest[0])
        return f"did you mean {original!r}?"
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"known: {shown}" if names else "there are none"


def install_command(extra: str) -> str:
    """Return the command that adds an extra to the package that is running: a checkout, a wheel, or from an index.

    Double quotes, which every shell understands, `cmd` of Windows too.
    """
    from pathlib import Path  # here, not above: what every import of the package pays for is kept small

    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file():
        return f'pip install --editable "{checkout}[{extra}]"'
    return f'pip install "multihop[{extra}]{_installed_from()}"'


def _installed_from() -> str:
    """Return where pip got the package: ` @ file:///…` of a wheel or folder, or nothing for the package index."""
    import json
    from importlib import metadata

    try:
        origin = json.loads(metadata.distribution("multihop").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = str(origin.get("url", ""))
    vcs = origin.get("vcs_info", {})
    return f" @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f" @ {url}" if url else ""
