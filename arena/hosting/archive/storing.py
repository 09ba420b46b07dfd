"""Brings a checked archive into a store of versions: the whole version or nothing, once however often it comes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from arena.hosting.archive.checking import ArchiveEntry, ArchiveListing, check_archive
from arena.hosting.archive.errors import ArchiveContentError, ArchiveFormatError, ArchiveReason
from arena.hosting.archive.format import ArchiveLimits
from arena.hosting.building import write_file
from arena.hosting.content import hash_files
from arena.hosting.manifest import BotDirectoryError, load_manifest
from arena.hosting.store import StoredVersion, StoreError, VersionStore
from engine.os_errors import os_error_text
from engine.text import Text, with_parts

_CHUNK_BYTES = 1 << 20


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
            Text(
                "hosting.archive_cannot_read_check_disk",
                "the archive cannot be read ({why}); check the disk",
                why=os_error_text(error),
            )
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
                "hosting.archive_holds_version_announced_submit",
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
                Text(
                    "hosting.archive_ends_within_file",
                    "the archive ends within a file; {remedy}",
                    remedy=Text("hosting.submit_bot_again", "submit the bot again"),
                ),
            )
        left -= len(chunk)
        yield chunk
