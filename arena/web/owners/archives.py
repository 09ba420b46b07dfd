"""Unpacks what an owner uploads: a zip file or a tar file, compressed or not, into an empty directory.

What an archive says of itself is not believed. The list of a zip file and the names in a tar file take no more memory
than those of honest ones, and no more is decompressed than a version may hold, whatever of it would be left out.
Nothing but plain files is taken, at most as many and as large as a version may have; no path leads out of it.

An archive is taken whole or not at all: it is read to its end, with every checksum that its kind has, and nothing may
follow that end. Only the content of a tar file that is not compressed, and the modes in a zip file, have no checksum.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO, Final, Self

from arena.hosting.archive.format import (
    ArchiveLimits,
    ArchiveNameError,
    ArchiveReason,
    BotArchiveError,
    NameTree,
    check_path,
    quote_path,
)
from arena.hosting.content import is_left_out
from arena.hosting.manifest import MANIFEST_NAME, ManifestError, manifest_elsewhere, own_programs, read_manifest
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
_ZIP_BEGINNINGS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ZIP_END: Final = struct.Struct("<4s4H2LH")
_ZIP64_END: Final = struct.Struct("<4sQ2H2L4Q")
_ZIP64_PLACE_BYTES: Final = 20
_ENCRYPTED, _IN_UTF8 = 1, 1 << 11
_UNICODE_PATH: Final = 0x7075
_OF_WINDOWS: Final = (0, 6, 10, 11, 14)
"""What a zip file calls the systems that have drives, backslashes and no modes: FAT, HPFS, NTFS (twice), VFAT."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_PROGRAMS: Final = (b"#!", b"\x7fELF")
"""How a file begins that can be started, if its archive does not know which ones can."""
_LEFT_BY_SYSTEMS: Final = frozenset({"__macosx", "desktop.ini", "icon\r", "thumbs.db"})
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
Member = tuple[str, IO[bytes] | None, bool | None]
"""A path, what is in it, `None` for a directory, and whether it is a program, `None` if the archive does not know."""


class InvalidUploadError(ValueError):
    """What was uploaded cannot be a bot; the message says why, and what to do."""


def unpack_bot(file: BinaryIO, directory: Path, limits: ArchiveLimits) -> Path:
    """Return the directory with the bot's manifest: the one given, or the only folder in it.

    Raises InvalidUploadError, or OSError if the disk is full.
    """
    try:
        left, count, tree = limits.total_bytes, 0, NameTree(limits.files)
        for path, content, is_program in read_members(file, limits):
            if content is None or _is_left_out(path):
                continue
            count += 1
            if count > limits.files:
                raise InvalidUploadError(
                    Text("it has over {count} files; leave out what the bot does not need to run", count=limits.files)
                )
            check_path(path)
            tree.add(path)
            left -= _write(directory / path, content, left, is_program=is_program)
    except BotArchiveError as error:
        raise InvalidUploadError(str(error)) from error
    except InvalidUploadError:
        raise
    except BROKEN as error:
        if is_full(error):
            raise
        raise InvalidUploadError(
            Text(
                "it cannot be unpacked: it is of another kind, or was damaged or cut off; pack the bot's directory "
                "again, as a .zip or a .tar.gz, and send that"
            )
        ) from error
    bots = [folder for folder in (directory, *sorted(directory.iterdir())) if (folder / MANIFEST_NAME).is_file()]
    if len(bots) == 1 or directory in bots:
        _mark_programs(bots[0])
        return bots[0]
    missing = Text(
        "there is no {file} in it; send the directory of the bot, as `arena bot submit` takes it", file=MANIFEST_NAME
    )
    raise InvalidUploadError(manifest_elsewhere(directory) or missing)


def _mark_programs(bot: Path) -> None:
    """Make executable what the bot starts: without that it is no bot, and many archives cannot say so."""
    with suppress(ManifestError):  # the service says what is wrong with it
        for program in own_programs(read_manifest(bot), bot):
            program.chmod(0o755)


def _is_left_out(path: str) -> bool:
    """Return whether a path is below what is no part of a bot, and leads nowhere else."""
    parts = path.split("/")
    return ".." not in parts and any(is_left_out(part) or part.casefold() in _LEFT_BY_SYSTEMS for part in parts)


def _write(place: Path, content: IO[bytes], most_bytes: int, *, is_program: bool | None) -> int:
    written = 0
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as target:
        while data := content.read(_CHUNK_BYTES):
            if is_program is None:
                is_program = data.startswith(_PROGRAMS)
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
    is_zip = file.read(4) in _ZIP_BEGINNINGS  # its end may also be that of the last file in a tar file
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
    members = archive.infolist()
    if len(members) != _count_at_end(file, archive.comment):
        raise zipfile.BadZipFile
    has_modes = any(info.create_system not in _OF_WINDOWS and info.external_attr >> 16 for info in members)
    for info in members:
        name, mode = _zip_name(info), info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR) and not _is_left_out(name):
            raise _not_plain(name)
        if info.flag_bits & _ENCRYPTED:
            raise InvalidUploadError(Text("{name} is encrypted; pack the bot without a password", name=repr(name)))
        if info.compress_type not in _PACKINGS:
            raise InvalidUploadError(
                Text(
                    "{name} is compressed in a way that is not read here; pack the bot as a plain .zip", name=repr(name)
                )
            )
        # Opened also if it is a directory: its name stands a second time where it begins.
        with archive.open(info) as content:
            if not name.endswith("/"):
                yield name, content, bool(mode & stat.S_IXUSR) if has_modes else None
            elif info.file_size:
                raise zipfile.BadZipFile
            else:
                yield name, None, None


def _count_at_end(file: BinaryIO, comment: bytes) -> int:
    """Return how many members a zip file has by its last record, behind which nothing may stand. Raises BROKEN."""
    place = file.seek(-_ZIP_END.size - len(comment), os.SEEK_END)
    mark, *_, count, _, _, comment_bytes = _ZIP_END.unpack(file.read(_ZIP_END.size))
    if mark != b"PK\x05\x06" or comment_bytes != len(comment):
        raise zipfile.BadZipFile
    if count == 0xFFFF:
        file.seek(place - _ZIP64_PLACE_BYTES - _ZIP64_END.size)
        count = _ZIP64_END.unpack(file.read(_ZIP64_END.size))[7]
    return int(count)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the path of a member, its parts joined by `/` also if it was packed on Windows. Raises ArchiveNameError.

    A name without a mark is in UTF-8 if it can be, as on a Mac, and otherwise in the code page of the format.
    """
    name = info.orig_filename
    if not info.flag_bits & _IN_UTF8:
        raw = name.encode("cp437")
        with suppress(UnicodeDecodeError):
            name = raw.decode()
        name = _unicode_path(info.extra, raw) or name
    if info.create_system in _OF_WINDOWS:
        name = name.replace("\\", "/")
        if _DRIVE.match(name):
            raise ArchiveNameError(
                ArchiveReason.NAME_ABSOLUTE,
                Text("{path} is an absolute path; name it relative to the bot's directory", path=quote_path(name)),
            )
    return _without_dots(name)


def _without_dots(name: str) -> str:
    """Return a path without the parts `.`, as in `owl/./bot.toml`: they lead nowhere, and hide nothing."""
    return re.sub(r"(?<![^/])\./", "", name)


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """Return the name that a further field of a member tells for this one, if there is one. Raises BROKEN."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(field) > 5 and struct.unpack_from("<L", field, 1)[0] == zlib.crc32(raw):
            return field[5:].decode()
    return None


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

    def allow_all(self) -> None:
        """Let everything be read that is left, if it is not too much."""
        self._until = self._most_bytes


class _CheckedInfo(tarfile.TarInfo):
    """The header of a member; one that is damaged or missing is not taken for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined] # a block of zeros: this is the end
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from error


def _tarred(file: BinaryIO, limits: ArchiveLimits) -> Iterator[Member]:
    plain = _Bounded(_inflated(file), limits.total_bytes + _ALL_HEADERS_BYTES)
    archive = tarfile.open(fileobj=plain, mode="r|", tarinfo=_CheckedInfo)  # noqa: SIM115 - nothing is held open by it
    while (info := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined] # it keeps all that it has read, to be able to go back
        plain.allow(info.offset_data + info.size)
        name = _without_dots(info.name)
        if info.isdir() or _is_left_out(name):
            yield name, None, None
            continue
        content = archive.extractfile(info) if info.isreg() and not info.issparse() else None
        if content is None:
            raise _not_plain(name)
        yield name, content, bool(info.mode & stat.S_IXUSR)
    plain.allow_all()
    while data := archive.fileobj.read(_CHUNK_BYTES):  # a checksum comes last
        if data.strip(b"\0"):
            raise tarfile.ReadError


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
