"""Unpacks what an owner uploads: a zip file or a tar file, compressed or not, into an empty directory.

What an archive says of itself is not believed. The list of a zip file and the names in a tar file take no more memory
than those of honest ones, and no more is decompressed than a version may hold, whatever of it would be left out.
Nothing but plain files is taken, at most as many and as large as a version may have; no path leads out of it.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, Final

from arena.hosting.archive.format import ArchiveLimits, BotArchiveError, check_path, quote_path
from arena.hosting.content import is_left_out
from arena.web.shared.public_message import is_full
from engine.translatable import Text

MOST_LIST_BYTES: Final = 4 << 20
"""The list of the members of a zip file, which is read as a whole."""
_HEADER_BYTES: Final = 128 << 10
"""The headers of one member of a tar file, with its name."""
_ALL_HEADERS_BYTES: Final = 64 << 20
_BLOCK_BYTES: Final = tarfile.BLOCKSIZE
_ENTRIES_OF_A_FILE: Final = 4
"""Directories, and what is left out, such as that of a repository."""
_CHUNK_BYTES = 1 << 20
_MANIFEST = "bot.toml"
_PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What reading a damaged archive raises."""
Member = tuple[str, IO[bytes] | None, bool]
"""A path, what is in it, `None` for a directory, and whether it is a program."""


class InvalidUploadError(ValueError):
    """What was uploaded cannot be a bot; the message says why, and what to do."""


def unpack_bot(file: BinaryIO, directory: Path, limits: ArchiveLimits) -> Path:
    """Return the directory with the bot's manifest: the one given, or the only folder in it.

    Raises InvalidUploadError, or OSError if the disk is full.
    """
    try:
        left, count = limits.total_bytes, 0
        for path, content, is_program in read_members(file, limits):
            parts = path.split("/")
            if content is None or (".." not in parts and any(map(is_left_out, parts))):
                continue
            count += 1
            if count > limits.files:
                raise InvalidUploadError(
                    Text("it has over {count} files; leave out what the bot does not need to run", count=limits.files)
                )
            left -= _write(directory, path, content, left, is_program=is_program)
    except BotArchiveError as error:
        raise InvalidUploadError(str(error)) from error
    except InvalidUploadError:
        raise
    except FileExistsError as error:
        raise InvalidUploadError(Text("{path} is in it twice; leave one out", path=quote_path(path))) from error
    except BROKEN as error:
        if is_full(error):
            raise
        raise InvalidUploadError(
            Text("it cannot be unpacked; send a .zip or a .tar.gz with the directory of the bot")
        ) from error
    for folder in (directory, *(found for found in sorted(directory.iterdir()) if found.is_dir())):
        if (folder / _MANIFEST).is_file():
            return folder
    raise InvalidUploadError(
        Text("there is no {file} in it; send the directory of the bot, as `arena bot submit` takes it", file=_MANIFEST)
    )


def _write(directory: Path, path: str, content: IO[bytes], most_bytes: int, *, is_program: bool) -> int:
    check_path(path)
    place, written = directory / path, 0
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as target:
        while data := content.read(_CHUNK_BYTES):
            written += len(data)
            if written > most_bytes:
                raise InvalidUploadError(
                    Text("its files are larger than a version may be; leave out what the bot does not need")
                )
            target.write(data)
    place.chmod(0o755 if is_program else 0o644)
    return written


def read_members(file: BinaryIO, limits: ArchiveLimits) -> Iterator[Member]:
    """Yield the members of an archive, each to be read before the next one. Raises InvalidUploadError, BROKEN."""
    is_zip = zipfile.is_zipfile(file)
    file.seek(0)
    most = _ENTRIES_OF_A_FILE * limits.files
    for number, member in enumerate(_zipped(file) if is_zip else _tarred(file, limits), 1):
        if number > most:
            raise InvalidUploadError(
                Text("it has over {count} files; leave out what the bot does not need to run", count=most)
            )
        yield member


class _ListBoundedFile(io.RawIOBase):
    """A file that refuses to read more at once than the list of a zip file may take."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(MOST_LIST_BYTES + 1 if size < 0 else min(size, MOST_LIST_BYTES + 1))
        if len(data) > MOST_LIST_BYTES:
            raise InvalidUploadError(
                Text("the list of its files is too long; leave out what the bot does not need to run")
            )
        return data


def _zipped(file: BinaryIO) -> Iterator[Member]:
    archive = zipfile.ZipFile(_ListBoundedFile(file))
    for info in archive.infolist():
        mode = info.external_attr >> 16
        if info.is_dir():
            yield info.filename, None, False
            continue
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise _not_plain(info.filename)
        if info.compress_type not in _PACKINGS:
            raise NotImplementedError
        with archive.open(info) as content:
            yield info.filename.removeprefix("./"), content, bool(mode & stat.S_IXUSR)


class _Bounded(io.RawIOBase):
    """The contents of a compressed file, readable only up to a place that `allow` moves on."""

    def __init__(self, file: BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile, most_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._most_bytes = most_bytes
        self._read_bytes = 0
        self._until = _HEADER_BYTES

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._read_bytes += len(data)
        if self._read_bytes > self._most_bytes:
            raise InvalidUploadError(
                Text("its files are larger than a version may be; leave out what the bot does not need")
            )
        if self._read_bytes > self._until:
            raise InvalidUploadError(Text("a name in it is too long; shorten it"))
        return data

    def allow(self, place: int) -> None:
        """Let a member that ends at a place be read, and the headers of the next one."""
        self._until = place + 2 * _BLOCK_BYTES + _HEADER_BYTES


def _tarred(file: BinaryIO, limits: ArchiveLimits) -> Iterator[Member]:
    plain = _Bounded(_inflated(file), limits.total_bytes + _ALL_HEADERS_BYTES)
    archive = tarfile.open(fileobj=plain, mode="r|")  # noqa: SIM115 - nothing is held open by it
    while (info := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined] # it keeps all that it has read, to be able to go back
        plain.allow(info.offset_data + info.size)
        if info.isdir():
            yield info.name, None, False
            continue
        content = archive.extractfile(info) if info.isreg() and not info.issparse() else None
        if content is None:
            raise _not_plain(info.name)
        yield info.name.removeprefix("./"), content, bool(info.mode & stat.S_IXUSR)


def _inflated(file: BinaryIO) -> BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    """Return what a file holds, decompressed if its first bytes say that it is compressed."""
    first = file.read(6)
    file.seek(0)
    if first.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file, mode="rb")
    if first.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file) if first.startswith(b"\xfd7zXZ\x00") else file


def _not_plain(name: str) -> InvalidUploadError:
    return InvalidUploadError(Text("{name} is no plain file; send only files and folders", name=repr(name)))
