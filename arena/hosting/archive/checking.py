"""Checks an archive before a byte of it is unpacked: reads its headers, steps over the files, trusts nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from arena.hosting.archive import format as form
from arena.hosting.archive.errors import (
    ArchiveContentError,
    ArchiveFormatError,
    ArchiveReason,
    ArchiveSizeError,
    BotArchiveError,
)
from arena.hosting.archive.limits import ArchiveLimits
from arena.hosting.archive.names import MOST_PATH_BYTES, NameTree, check_path, quote_path
from arena.hosting.manifest import MANIFEST_NAME

_MOST_RECORD_BYTES = MOST_PATH_BYTES + 64
_RECORD = re.compile(rb"[1-9][0-9]{0,3} ([a-zA-Z0-9.]+)=([^\n]*)\n", re.ASCII)
_SIZE = re.compile(rb"[0-7]{11}\0", re.ASCII)
_UPLOAD_AGAIN = "submit the bot again"
_PACK_AGAIN = "let the arena's own command pack the bot"
_NO_FILES = {
    b"1": "a hard link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"5": "a directory of its own",
    b"6": "a pipe",
}
_EXTENSIONS = {b"g": "a global header", b"L": "a long name of GNU tar", b"K": "a long link of GNU tar", b"S": "a hole"}


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One file in an archive; its path is safe to join to a directory."""

    path: str
    size_bytes: int
    executable: bool
    data_offset: int


@dataclass(frozen=True, slots=True)
class ArchiveListing:
    """What a checked archive holds."""

    entries: tuple[ArchiveEntry, ...]
    """Sorted by path."""
    size_bytes: int
    total_bytes: int
    """All files together, without headers."""


def check_archive(file: BinaryIO, limits: ArchiveLimits | None = None) -> ArchiveListing:
    """Return what the archive in a seekable file holds, if it is exactly what `pack` writes for some bot.

    The bytes of the files are not read. Raises BotArchiveError.
    """
    limits = limits or ArchiveLimits()
    size_bytes = file.seek(0, os.SEEK_END)
    if size_bytes > limits.archive_bytes:
        raise ArchiveSizeError(
            ArchiveReason.TOO_LARGE, f"the archive has over {limits.archive_bytes} bytes; submit a smaller bot"
        )
    file.seek(0)
    entries = tuple(_within(_entries(_Reader(file, size_bytes)), limits))
    if not any(entry.path == MANIFEST_NAME for entry in entries):
        raise ArchiveContentError(
            ArchiveReason.NO_MANIFEST, f"the archive has no {MANIFEST_NAME}; submit the directory that holds it"
        )
    return ArchiveListing(entries, size_bytes, sum(entry.size_bytes for entry in entries))


class _Reader:
    """The bytes of an archive; whatever is asked for beyond their end is an error."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file = file
        self._size_bytes = size_bytes

    @property
    def offset(self) -> int:
        return self._file.tell()

    @property
    def left_bytes(self) -> int:
        return self._size_bytes - self._file.tell()

    def read(self, count: int) -> bytes:
        data = self._file.read(count) if count <= self.left_bytes else b""
        if len(data) != count:
            raise ArchiveFormatError(ArchiveReason.TRUNCATED, f"the archive ends too early; {_UPLOAD_AGAIN}")
        return data

    def skip_file(self, size_bytes: int) -> None:
        """Step over the bytes of a file and what fills its last block."""
        if size_bytes > self.left_bytes:
            raise ArchiveFormatError(ArchiveReason.TRUNCATED, f"the archive ends within a file; {_UPLOAD_AGAIN}")
        self._file.seek(size_bytes, os.SEEK_CUR)
        self.read_padding(size_bytes)

    def read_padding(self, size_bytes: int) -> None:
        if any(self.read(form.padding_bytes(size_bytes))):
            raise _not_canonical("there are bytes between two files")


def _within(entries: Iterator[ArchiveEntry], limits: ArchiveLimits) -> Iterator[ArchiveEntry]:
    """Pass the entries on while they stay within the limits and lie side by side."""
    tree, count, total_bytes, last = NameTree(limits.files), 0, 0, ""
    for entry in entries:
        count, total_bytes = count + 1, total_bytes + entry.size_bytes
        _check_sizes(entry, count, total_bytes, limits)
        tree.add(entry.path)
        if entry.path <= last:
            raise _not_canonical(f"{quote_path(entry.path)} is not in the order of the names")
        last = entry.path
        yield entry


def _check_sizes(entry: ArchiveEntry, count: int, total_bytes: int, limits: ArchiveLimits) -> None:
    if count > limits.files:
        raise ArchiveSizeError(
            ArchiveReason.TOO_MANY_FILES, f"the archive holds over {limits.files} files; keep what the bot needs to run"
        )
    if entry.size_bytes > limits.file_bytes:
        raise ArchiveSizeError(
            ArchiveReason.FILE_TOO_LARGE,
            f"{quote_path(entry.path)} has over {limits.file_bytes} bytes; make it smaller",
        )
    if total_bytes > limits.total_bytes:
        raise ArchiveSizeError(
            ArchiveReason.FILES_TOO_LARGE,
            f"the files have over {limits.total_bytes} bytes together; keep what the bot needs to run",
        )


def _entries(reader: _Reader) -> Iterator[ArchiveEntry]:
    while (block := _read_block(reader)) != bytes(form.BLOCK_BYTES):
        entry = _read_entry(reader, block)
        # Before the file is stepped over, so that whoever receives this can refuse a size without trying it.
        yield entry
        reader.skip_file(entry.size_bytes)
    if any(reader.read(form.BLOCK_BYTES)):
        raise _not_canonical("an empty header stands between two files")
    if reader.left_bytes:
        raise ArchiveFormatError(ArchiveReason.TRAILING_BYTES, f"bytes follow the end of the archive; {_PACK_AGAIN}")


def _read_entry(reader: _Reader, block: bytes) -> ArchiveEntry:
    """Return the file whose header begins with `block`, having read the rest of that header."""
    written, told = block, None
    if block[form.KIND] == form.EXTENDED:
        told, read = _read_told_path(reader, _size_bytes(block))
        block = _read_block(reader)
        written += read + block
    _check_kind(block)
    path = _decoded(block[form.NAME].rstrip(b"\0") if told is None else told)
    size_bytes, executable = _size_bytes(block), block[form.MODE] == form.EXECUTABLE
    if written != form.header(path, size_bytes, executable=executable):
        raise _not_canonical(f"{quote_path(path)} has a header with more in it than name, size and executable bit")
    return ArchiveEntry(path, size_bytes, executable, reader.offset)


def _read_block(reader: _Reader) -> bytes:
    is_first, block = reader.offset == 0, reader.read(form.BLOCK_BYTES)
    if block != bytes(form.BLOCK_BYTES):
        if is_first and block[form.MAGIC][:5] != form.USTAR[:5]:
            raise ArchiveFormatError(ArchiveReason.NO_ARCHIVE, f"this is no archive of a bot; {_PACK_AGAIN}")
        if not form.checksum_is_right(block):
            raise ArchiveFormatError(ArchiveReason.DAMAGED, f"a header in the archive is damaged; {_UPLOAD_AGAIN}")
    return block


def _read_told_path(reader: _Reader, size_bytes: int) -> tuple[bytes, bytes]:
    """Return the path that an extended header tells, and all bytes that were read for it."""
    if size_bytes > _MOST_RECORD_BYTES:
        raise _extension("an extended header that is too long")
    record = reader.read(size_bytes)
    found = _RECORD.fullmatch(record)
    if found is None or found[1] != b"path":
        raise _extension("an extended header that says more than a name")
    reader.read_padding(size_bytes)
    return found[2], record + bytes(form.padding_bytes(size_bytes))


def _check_kind(block: bytes) -> None:
    kind = block[form.KIND]
    if kind in _NO_FILES:
        name = block[form.NAME].rstrip(b"\0").decode("utf-8", "replace")
        raise ArchiveFormatError(
            ArchiveReason.NO_FILE,
            f"{quote_path(name)} is {_NO_FILES[kind]}, and a bot holds files alone; {_PACK_AGAIN}",
        )
    if kind != form.FILE:
        raise _extension(_EXTENSIONS.get(kind, f"an entry of kind {kind!r}"))


def _size_bytes(block: bytes) -> int:
    if not _SIZE.fullmatch(block[form.SIZE]):
        raise _extension("a size that is not written as eleven digits")
    return int(block[form.SIZE][:-1], 8)


def _decoded(name: bytes) -> str:
    path = name.decode("utf-8", "surrogateescape")
    check_path(path)
    return path


def _extension(what: str) -> BotArchiveError:
    return ArchiveFormatError(ArchiveReason.EXTENSION, f"the archive has {what}; {_PACK_AGAIN}")


def _not_canonical(what: str) -> BotArchiveError:
    return ArchiveFormatError(ArchiveReason.NOT_CANONICAL, f"{what}; {_PACK_AGAIN}")
