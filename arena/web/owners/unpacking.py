"""Unpacks what an owner uploads: a zip file or a tar file, compressed or not, into an empty directory.

Nothing but plain files is taken, at most as many and as large as a version may have; no path leads out of it.
"""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from arena.hosting.archive.errors import ArchiveError
from arena.hosting.archive.limits import ArchiveLimits
from arena.hosting.archive.names import check_path
from arena.hosting.content import is_left_out

_CHUNK_BYTES = 1 << 20
_MANIFEST = "bot.toml"
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class UploadError(ValueError):
    """What was uploaded cannot be a bot; the message says why, and what to do."""


def unpack_bot(file: BinaryIO, directory: Path, limits: ArchiveLimits) -> Path:
    """Return the directory with the bot's manifest: the one given, or the only folder in it. Raises UploadError."""
    try:
        members = _members(file)
        left, count = limits.total_bytes, 0
        for path, content, is_program in members:
            parts = path.split("/")
            if ".." not in parts and any(map(is_left_out, parts)):
                continue
            count += 1
            if count > limits.files:
                raise UploadError(f"it has over {limits.files} files; leave out what the bot does not need to run")
            left -= _write(directory, path, content, left, is_program=is_program)
    except ArchiveError as error:
        raise UploadError(str(error)) from error
    except UploadError:
        raise
    except FileExistsError as error:
        raise UploadError(f"{path!r} is in it twice; leave one out") from error
    except _BROKEN as error:
        raise UploadError("it cannot be unpacked; send a .zip or a .tar.gz with the directory of the bot") from error
    return _root(directory)


def _members(file: BinaryIO) -> Iterator[tuple[str, IO[bytes], bool]]:
    if zipfile.is_zipfile(file):
        return _zipped(zipfile.ZipFile(file))
    file.seek(0)
    return _tarred(tarfile.open(fileobj=file, mode="r:*"))


def _zipped(archive: zipfile.ZipFile) -> Iterator[tuple[str, IO[bytes], bool]]:
    for info in archive.infolist():
        mode = info.external_attr >> 16
        if info.is_dir():
            continue
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise UploadError(f"{info.filename!r} is no plain file; send only files and folders")
        with archive.open(info) as content:
            yield info.filename.removeprefix("./"), content, bool(mode & stat.S_IXUSR)


def _tarred(archive: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes], bool]]:
    for info in archive:
        if info.isdir():
            continue
        content = archive.extractfile(info) if info.isreg() else None
        if content is None:
            raise UploadError(f"{info.name!r} is no plain file; send only files and folders")
        yield info.name.removeprefix("./"), content, bool(info.mode & stat.S_IXUSR)


def _write(directory: Path, path: str, content: IO[bytes], most_bytes: int, *, is_program: bool) -> int:
    check_path(path)
    place, written = directory / path, 0
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as target:
        while data := content.read(_CHUNK_BYTES):
            written += len(data)
            if written > most_bytes:
                raise UploadError("its files are larger than a version may be; leave out what the bot does not need")
            target.write(data)
    place.chmod(0o755 if is_program else 0o644)
    return written


def _root(directory: Path) -> Path:
    for folder in (directory, *(found for found in sorted(directory.iterdir()) if found.is_dir())):
        if (folder / _MANIFEST).is_file():
            return folder
    raise UploadError(f"there is no {_MANIFEST} in it; send the directory of the bot, as `arena bot submit` takes it")
