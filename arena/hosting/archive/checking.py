"""Checks an archive before a byte of it is unpacked, and brings it into a store of versions.

Checking reads the headers, steps over the files, and trusts nothing. A store gets the whole version or nothing, once
however often it comes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arena.hosting.archive import format as form
from arena.hosting.archive.format import (
    MOST_PATH_BYTES,
    ArchiveContentError,
    ArchiveFormatError,
    ArchiveLimits,
    ArchiveReason,
    ArchiveSizeError,
    BotArchiveError,
    NameTree,
    check_path,
    quote_path,
)
from arena.hosting.atomic_directory import write_file
from arena.hosting.content import hash_files
from arena.hosting.manifest import MANIFEST_NAME, BotDirectoryError, NoExecError, load_manifest
from arena.hosting.store import StoredVersion, StoreError, VersionStore
from engine.os_errors import os_error_text
from engine.translatable import Text, joined, with_parts

_MOST_RECORD_BYTES = MOST_PATH_BYTES + 64
_RECORD = re.compile(rb"[1-9][0-9]{0,3} ([a-zA-Z0-9.]+)=([^\n]*)\n", re.ASCII)
_SIZE = re.compile(rb"[0-7]{11}\0", re.ASCII)
_UPLOAD_AGAIN = Text("submit the bot again")
_PACK_AGAIN = Text("let the arena's own command pack the bot")
_NO_FILES = {
    b"1": Text("a hard link"),
    b"2": Text("a link"),
    b"3": Text("a device"),
    b"4": Text("a device"),
    b"5": Text("a directory of its own"),
    b"6": Text("a pipe"),
}
_EXTENSIONS = {
    b"g": Text("a global header"),
    b"L": Text("a long name of GNU tar"),
    b"K": Text("a long link of GNU tar"),
    b"S": Text("a hole"),
}
_CHUNK_BYTES = 1 << 20


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
            ArchiveReason.TOO_LARGE,
            Text("the archive has over {bytes} bytes; submit a smaller bot", bytes=limits.archive_bytes),
        )
    file.seek(0)
    entries = tuple(_within(_entries(_Reader(file, size_bytes)), limits))
    if not any(entry.path == MANIFEST_NAME for entry in entries):
        raise ArchiveContentError(
            ArchiveReason.NO_MANIFEST,
            Text("the archive has no {file}; submit the directory that holds it", file=MANIFEST_NAME),
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
            raise ArchiveFormatError(
                ArchiveReason.TRUNCATED,
                Text("the archive ends too early; {remedy}", remedy=_UPLOAD_AGAIN),
            )
        return data

    def skip_file(self, size_bytes: int) -> None:
        """Step over the bytes of a file and what fills its last block."""
        if size_bytes > self.left_bytes:
            raise ArchiveFormatError(
                ArchiveReason.TRUNCATED,
                Text("the archive ends within a file; {remedy}", remedy=_UPLOAD_AGAIN),
            )
        self._file.seek(size_bytes, os.SEEK_CUR)
        self.read_padding(size_bytes)

    def read_padding(self, size_bytes: int) -> None:
        if any(self.read(form.padding_bytes(size_bytes))):
            raise _not_canonical(Text("there are bytes between two files"))


def _within(entries: Iterator[ArchiveEntry], limits: ArchiveLimits) -> Iterator[ArchiveEntry]:
    """Pass the entries on while they stay within the limits and lie side by side."""
    tree, count, total_bytes, last = NameTree(limits.files), 0, 0, ""
    for entry in entries:
        count, total_bytes = count + 1, total_bytes + entry.size_bytes
        _check_sizes(entry, count, total_bytes, limits)
        tree.add(entry.path)
        if entry.path <= last:
            raise _not_canonical(Text("{path} is not in the order of the names", path=quote_path(entry.path)))
        last = entry.path
        yield entry


def _check_sizes(entry: ArchiveEntry, count: int, total_bytes: int, limits: ArchiveLimits) -> None:
    if count > limits.files:
        raise ArchiveSizeError(
            ArchiveReason.TOO_MANY_FILES,
            Text("the archive holds over {count} files; keep what the bot needs to run", count=limits.files),
        )
    if entry.size_bytes > limits.file_bytes:
        raise ArchiveSizeError(
            ArchiveReason.FILE_TOO_LARGE,
            Text(
                "{path} has over {bytes} bytes; make it smaller", path=quote_path(entry.path), bytes=limits.file_bytes
            ),
        )
    if total_bytes > limits.total_bytes:
        raise ArchiveSizeError(
            ArchiveReason.FILES_TOO_LARGE,
            Text(
                "the files have over {bytes} bytes together; keep what the bot needs to run", bytes=limits.total_bytes
            ),
        )


def _entries(reader: _Reader) -> Iterator[ArchiveEntry]:
    while (block := _read_block(reader)) != bytes(form.BLOCK_BYTES):
        entry = _read_entry(reader, block)
        # Before the file is stepped over, so that whoever receives this can refuse a size without trying it.
        yield entry
        reader.skip_file(entry.size_bytes)
    if any(reader.read(form.BLOCK_BYTES)):
        raise _not_canonical(Text("an empty header stands between two files"))
    if reader.left_bytes:
        raise ArchiveFormatError(
            ArchiveReason.TRAILING_BYTES,
            joined(Text("bytes follow the end of the archive"), _PACK_AGAIN),
        )


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
        raise _not_canonical(
            Text("{path} has a header with more in it than name, size and executable bit", path=quote_path(path))
        )
    return ArchiveEntry(path, size_bytes, executable, reader.offset)


def _read_block(reader: _Reader) -> bytes:
    is_first, block = reader.offset == 0, reader.read(form.BLOCK_BYTES)
    if block != bytes(form.BLOCK_BYTES):
        if is_first and block[form.MAGIC][:5] != form.USTAR[:5]:
            raise ArchiveFormatError(
                ArchiveReason.NO_ARCHIVE,
                joined(Text("this is no archive of a bot"), _PACK_AGAIN),
            )
        if not form.checksum_is_right(block):
            raise ArchiveFormatError(
                ArchiveReason.DAMAGED,
                Text("a header in the archive is damaged; {remedy}", remedy=_UPLOAD_AGAIN),
            )
    return block


def _read_told_path(reader: _Reader, size_bytes: int) -> tuple[bytes, bytes]:
    """Return the path that an extended header tells, and all bytes that were read for it."""
    if size_bytes > _MOST_RECORD_BYTES:
        raise _extension(Text("an extended header that is too long"))
    record = reader.read(size_bytes)
    found = _RECORD.fullmatch(record)
    if found is None or found[1] != b"path":
        raise _extension(Text("an extended header that says more than a name"))
    reader.read_padding(size_bytes)
    return found[2], record + bytes(form.padding_bytes(size_bytes))


def _check_kind(block: bytes) -> None:
    kind = block[form.KIND]
    if kind in _NO_FILES:
        name = block[form.NAME].rstrip(b"\0").decode("utf-8", "replace")
        raise ArchiveFormatError(
            ArchiveReason.NO_FILE,
            joined(
                Text("{path} is {what}, and a bot holds files alone", path=quote_path(name), what=_NO_FILES[kind]),
                _PACK_AGAIN,
            ),
        )
    if kind != form.FILE:
        raise _extension(_EXTENSIONS.get(kind, Text("an entry of kind {kind}", kind=repr(kind))))


def _size_bytes(block: bytes) -> int:
    if not _SIZE.fullmatch(block[form.SIZE]):
        raise _extension(Text("a size that is not written as eleven digits"))
    return int(block[form.SIZE][:-1], 8)


def _decoded(name: bytes) -> str:
    path = name.decode("utf-8", "surrogateescape")
    check_path(path)
    return path


def _extension(what: str) -> BotArchiveError:
    return ArchiveFormatError(
        ArchiveReason.EXTENSION,
        Text("the archive has {what}; let the arena's own command pack the bot", what=what),
    )


def _not_canonical(what: str) -> BotArchiveError:
    return ArchiveFormatError(ArchiveReason.NOT_CANONICAL, joined(what, _PACK_AGAIN))


def add_archive(
    store: VersionStore, file: BinaryIO, expected_hash: str, limits: ArchiveLimits | None = None
) -> StoredVersion:
    """Store the bot in an archive, which must be the version with the expected content hash, and return it.

    The archive is read to its end even if the version is there already: a hash alone gives nobody a bot. Raises
    BotArchiveError if the archive is refused, StoreError if it cannot be stored; then nothing is left in the store.
    """
    try:
        listing = check_archive(file, limits)
        _check_hash(archive_hash(file, listing), expected_hash)
    except OSError as error:
        raise StoreError(
            Text("the archive cannot be read ({why}); check the disk", why=os_error_text(error))
        ) from error
    if store.renew(expected_hash):
        return store.get(expected_hash)
    return store.add_filled(lambda empty: _fill(empty, file, listing, expected_hash))


def archive_hash(file: BinaryIO, listing: ArchiveListing) -> str:
    """Return the content hash of the version in a checked archive without unpacking it. Raises OSError."""
    return hash_files((entry.path, entry.executable, _hash_entry(file, entry)) for entry in listing.entries)


def unpack(file: BinaryIO, listing: ArchiveListing, directory: Path) -> str:
    """Write the files of a checked archive into an empty directory and return their content hash. Raises OSError."""
    return hash_files(
        (
            entry.path,
            entry.executable,
            write_file(directory / entry.path, _chunks(file, entry), executable=entry.executable),
        )
        for entry in listing.entries
    )


def _fill(empty: Path, file: BinaryIO, listing: ArchiveListing, expected_hash: str) -> str:
    _check_hash(unpack(file, listing, empty), expected_hash)
    try:
        load_manifest(empty)
    except NoExecError as error:
        raise StoreError(str(error)) from error
    except BotDirectoryError as error:
        # The sender has never seen the directory that the message names.
        message = with_parts(str(error), lambda part: part.replace(f"{empty}/", "").replace(str(empty), "the bot"))
        raise ArchiveContentError(ArchiveReason.BAD_MANIFEST, message) from error
    return expected_hash


def _check_hash(found: str, expected: str) -> None:
    if found != expected:
        raise ArchiveContentError(
            ArchiveReason.WRONG_CONTENT,
            Text(
                "the archive holds version {found}, and {announced} was announced; submit the bot again",
                found=found[:12],
                announced=repr(expected[:12]),
            ),
        )


def _hash_entry(file: BinaryIO, entry: ArchiveEntry) -> str:
    digest = hashlib.sha256()
    for chunk in _chunks(file, entry):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(file: BinaryIO, entry: ArchiveEntry) -> Iterator[bytes]:
    file.seek(entry.data_offset)
    left = entry.size_bytes
    while left:
        chunk = file.read(min(_CHUNK_BYTES, left))
        if not chunk:
            raise ArchiveFormatError(
                ArchiveReason.TRUNCATED,
                Text("the archive ends within a file; {remedy}", remedy=Text("submit the bot again")),
            )
        left -= len(chunk)
        yield chunk
