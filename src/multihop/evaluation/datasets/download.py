"""Datasets from their authors' servers, only when asked for."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from functools import partial
from pathlib import Path, PurePosixPath

from multihop.errors import DownloadFailed, InvalidInput, UnknownName, cause, suggestion
from multihop.evaluation.datasets.catalog import DATASETS, Remote
from multihop.evaluation.datasets.fetch import fetch
from multihop.evaluation.datasets.receipts import digest, is_there, write_receipt
from multihop.protocols import Progress


def download(name: str, to: Path, *, progress: Progress | None = None) -> Path:
    """Fetch the files of a dataset into the folder of its name below `to`, where `load(name, to)` finds them.

    What is there already is not fetched again, what was cut off is resumed, and a published checksum is compared; the
    SHA-256 of every file is noted in downloads.json for later loads.
    """
    if name not in DATASETS or not DATASETS[name].remotes:
        raise UnknownName(f"there is no dataset {name!r} to download; {suggestion(name, DATASETS.built_in)}")
    return download_files(DATASETS[name].remotes, Path(to) / name, progress=progress)


def download_files(remotes: tuple[Remote, ...], folder: Path, *, progress: Progress | None = None) -> Path:
    """Fetch files into a folder and return the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"cannot make the folder {folder}: {cause(error)}") from error
    for remote in remotes:
        file = folder / remote.name
        if is_there(file, folder):
            continue
        try:
            file.parent.mkdir(exist_ok=True)
            _get(remote, file, folder, progress)
        except DownloadFailed as error:
            what = "the files of " if remote.unpack else ""
            raise DownloadFailed(
                f"{error}. By hand: put {what}{remote.name} into {folder} and load from there"
            ) from error
        except OSError as error:
            raise DownloadFailed(f"cannot write {error.filename or file}: {cause(error)}") from error
    return folder


def _get(remote: Remote, file: Path, folder: Path, progress: Progress | None) -> None:
    fetch(remote.address, file, partial(progress, remote.name) if progress else None)
    # Before it is unpacked or noted: a receipt for a damaged file would vouch for it from then on.
    if remote.md5 and (actual := digest(file, "md5")) != remote.md5:
        file.unlink()
        raise DownloadFailed(f"{remote.address} is damaged: its MD5 is {actual}, the published one {remote.md5}")
    if remote.unpack:
        _unpack(file, folder, remote)
    write_receipt(file, folder, remote.address)


def _unpack(archive: Path, folder: Path, remote: Remote) -> None:
    """Unpack an archive without the folder that it wraps everything in."""
    try:
        with zipfile.ZipFile(archive) as unzipped:
            members = {name: _inner(name) for name in unzipped.namelist() if _is_content(name)}
            tops = {path.parts[0] for path in members.values() if len(path.parts) > 1}
            # One folder around everything would hide the files from the formats, which look at the top alone.
            wrapped = len(tops) == 1 and all(len(path.parts) > 1 for path in members.values())
            for name, path in members.items():
                target = folder.joinpath(*path.parts[1:] if wrapped else path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with unzipped.open(name) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file)
                write_receipt(target, folder, remote.address)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        archive.unlink(missing_ok=True)
        raise DownloadFailed(
            f"{remote.address} is not a whole zip archive ({error}); it was removed, try again"
        ) from error


def _is_content(name: str) -> bool:
    path = PurePosixPath(name)
    # macOS packs files of its own into archives.
    hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in path.parts)
    return not name.endswith("/") and not hidden


def _inner(name: str) -> PurePosixPath:
    # Archives made on Windows may have backslashes and drive letters, which lead out as well.
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise zipfile.BadZipFile(f"it contains a path that leads out of it: {name!r}")
    return path
