"""Reading bytes and text from a path: compression, encodings, and limits on the size of one record.

A byte order mark decides the encoding; without one the text must be UTF-8, or in the encoding that was given. What the
operating system or a decompressor complains about becomes an `InvalidRecord`, so that one bad file does not end a run.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from multihop.errors import InvalidRecord, cause, needs_extra

MAX_RECORD = 64 * 2**20
"""Characters of one line or record; a file without line breaks must not fill the memory."""
MAX_FILE = 512 * 2**20
"""Bytes of a file that is one document."""
MAX_EXPANSION = 100
"""How many times its size a compressed file may become; text becomes three to thirty times its size."""
FREE_EXPANSION = 16 * 2**20
"""Bytes that a compressed file may become whatever its size."""
COMPRESSED = (".gz", ".zst")

# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# UTF-8 is read with "surrogateescape": a byte that is not UTF-8 becomes one of these and can be pointed at.
_ESCAPED = re.compile(r"[\udc80-\udcff]")

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def source_of(path: Path) -> str:
    """Format a path for one line of output, whatever bytes it contains."""
    # Names that are not UTF-8 hold half characters, which no terminal and no JSON could take.
    text = str(path).encode("utf-8", "replace").decode("utf-8")
    return _UNPRINTABLE.sub(lambda found: repr(found.group())[1:-1], text)


@contextmanager
def open_file(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading bytes, decompressed when its name ends in .gz or .zst."""
    try:
        with _open_decompressed(path) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidRecord(f"cannot be read: {cause(error)}", source=source_of(path)) from error


@contextmanager
def _open_decompressed(path: Path) -> Iterator[io.BufferedReader]:
    suffix, status = path.suffix.lower(), path.stat()
    is_file = stat.S_ISREG(status.st_mode)
    if suffix == ".zst":
        with _zst(path) as unpacked:
            yield unpacked
    elif is_file and not status.st_size:
        # Not opened: what a system shows as an empty file may never end, as /proc/kmsg does.
        yield io.BufferedReader(io.BytesIO())
    elif suffix == ".gz":
        with gzip.open(path, "rb") as unzipped:
            yield io.BufferedReader(_Bounded(unzipped, path))
    else:
        with path.open("rb") as file:
            # Up to the size it had: a file may grow faster than it is read.
            yield io.BufferedReader(_UpTo(file, status.st_size), 2**18) if is_file else file


class _UpTo(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(min(len(buffer), self._left))
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


class _Bounded(io.RawIOBase):
    """A decompressed file, up to a limit: a kilobyte can unpack to a gigabyte."""

    def __init__(self, unpacked: gzip.GzipFile | BinaryIO, path: Path) -> None:
        self._unpacked = unpacked
        self._left = max(FREE_EXPANSION, MAX_EXPANSION * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._unpacked.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise OSError(f"it becomes more than {MAX_EXPANSION} times its size; unpack it yourself if you trust it")
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def _zst(path: Path) -> Iterator[io.BufferedReader]:
    with needs_extra("Reading .zst files", "files"):
        import zstandard
    # Dumps compressed with --long need the widest window, which the library refuses by default.
    unpacker = zstandard.ZstdDecompressor(max_window_size=2**31)
    try:
        with path.open("rb") as raw, unpacker.stream_reader(raw, read_across_frames=True) as stream:
            yield io.BufferedReader(_Bounded(stream, path))
    except zstandard.ZstdError as error:
        raise OSError(f"damaged zstd data ({error})") from error


def read_bytes(path: Path) -> bytes:
    """Read a whole file, up to MAX_FILE bytes."""
    with open_file(path) as file:
        # Of a compressed file nobody knows the length beforehand; one byte too many tells.
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise too_large(path)
    return data


def too_large(path: Path) -> InvalidRecord:
    """Return the problem of a file that is larger than one document may be."""
    return InvalidRecord(f"is larger than {MAX_FILE} bytes, the limit for one document", source=source_of(path))


def encoding_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark at the start of a file, if any, and the encoding of what follows."""
    return next(((mark, name) for mark, name in _MARKS if start.startswith(mark)), (b"", "utf-8"))


def decode(data: bytes, source: str) -> str:
    """Decode a whole file; raises with line and byte of the first error."""
    mark, encoding = encoding_of(data)
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        line_start = data.rfind(b"\n", 0, at) + 1
        problem = _not_text(encoding, data[at], f"{at - line_start + 1} of the line")
        raise InvalidRecord(problem, source=source, line=data.count(b"\n", 0, at) + 1) from error


def recode(data: bytes, encoding: str, source: str) -> bytes:
    """Turn the bytes of a text file into UTF-8, from the given encoding unless they show another."""
    if _shows_unicode(data):
        return data
    try:
        return data.decode(encoding).encode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise InvalidRecord(f"is not {encoding} text: {error.reason} at byte {error.start}", source=source) from error


def _shows_unicode(start: bytes) -> bool:
    """Return whether a text is Unicode whatever encoding was given: the files of a folder may have several.

    It begins with a byte order mark, or has letters beyond ASCII in UTF-8, which other encodings do not give by chance.
    """
    if encoding_of(start)[0]:
        return True
    try:
        # The last letter may be cut off.
        text = codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    # Every second byte of UTF-16 may be zero.
    return not text.isascii() and "\0" not in text


def text_of(file: io.BufferedReader, known: str | None = None) -> io.TextIOWrapper:
    """Read an open file as text; `find_undecodable` finds bytes that are not UTF-8."""
    if known is not None and not _shows_unicode(file.peek(4)):
        return io.TextIOWrapper(file, known, newline="\n")
    mark, encoding = encoding_of(file.peek(4))
    file.read(len(mark))
    # `find_undecodable` reads escaped bytes as UTF-8; text in another encoding must be right throughout.
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    return io.TextIOWrapper(file, encoding, errors=errors, newline="\n")


def find_undecodable(text: str, place: str) -> str | None:
    """Describe the first byte of `text` that is not UTF-8, counted from the start of `place`; None when all are."""
    if text.isascii() or not (escaped := _ESCAPED.search(text)):
        return None
    position = len(text[: escaped.start()].encode("utf-8", "surrogateescape")) + 1
    return _not_text("utf-8", ord(escaped.group()) - 0xDC00, f"{position} of the {place}")


def _not_text(encoding: str, byte: int, position: str) -> str:
    name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
    return f"is not {name} text: byte 0x{byte:02x} at position {position}; save it as UTF-8 or give its --encoding"


def lines(path: Path, encoding: str | None = None) -> Iterator[tuple[int, str | InvalidRecord]]:
    """Yield the lines of a file with their numbers; an undecodable line is yielded as a problem."""
    source = source_of(path)
    number = 0
    try:
        with open_file(path) as file, text_of(file, encoding) as text:
            while line := text.readline(MAX_RECORD):
                number += 1
                if len(line) == MAX_RECORD and not line.endswith("\n"):
                    # Its rest must not be taken for lines of their own.
                    _skip_line(text)
                    problem: str | None = f"is longer than {MAX_RECORD} characters, the limit for one record"
                else:
                    problem = find_undecodable(line, "line")
                yield number, InvalidRecord(problem, source=source, line=number) if problem else line
    except InvalidRecord as failure:
        yield number, failure
    except UnicodeDecodeError as error:
        problem = _not_text(error.encoding, error.object[error.start], f"{error.start + 1} of the block read there")
        yield number + 1, InvalidRecord(problem, source=source, line=number + 1)


def _skip_line(text: io.TextIOWrapper) -> None:
    while (rest := text.readline(MAX_RECORD)) and not rest.endswith("\n"):
        pass
