"""Packs a bot's directory into an archive that is the same on every machine for the same files, and compresses it.

For its way an archive is compressed chunk by chunk, each for itself: what arrives needs one chunk of memory. Offsets
always count bytes of the archive itself, so an upload that broke off goes on with any chunk.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arena.hosting.archive.format import (
    END,
    ArchiveFormatError,
    ArchiveLimits,
    ArchiveReason,
    ArchiveSizeError,
    check_paths,
    header,
    padding_bytes,
    quote_path,
)
from arena.hosting.content import BotFile, hash_files, list_files, read_chunks
from engine.translatable import Text, placed

CHUNK_BYTES = 256 << 10
"""The most bytes of the archive in one frame."""
MOST_RATIO = 100
"""How many times its own size a frame may become."""
_UPLOAD_AGAIN = Text("submit the bot again")


@dataclass(frozen=True, slots=True)
class Archive:
    """What is known of an archive once it is packed."""

    sha256: str
    """Of the archive itself, for its way; the identity of the version is `content_hash`."""
    size_bytes: int
    content_hash: str
    files: int


def pack(directory: Path, target: BinaryIO, limits: ArchiveLimits | None = None) -> Archive:
    """Write the files that make up a version into `target`, an empty seekable file, and go back to its beginning.

    Raises BotFilesError if the files cannot be read or change meanwhile, BotArchiveError if no store would take them.
    """
    limits = limits or ArchiveLimits()
    files = list_files(directory, limits.of_version())
    check_paths((file.path for file in files), limits.files)
    digest = hashlib.sha256()

    def write(data: bytes) -> None:
        digest.update(data)
        target.write(data)

    content_hash = hash_files([(file.path, file.executable, _write_file(file, limits, write)) for file in files])
    write(END)
    size_bytes = target.tell()
    target.seek(0)
    if size_bytes > limits.archive_bytes:
        raise ArchiveSizeError(
            ArchiveReason.TOO_LARGE,
            placed(
                directory,
                Text(
                    "the archive has over {bytes} bytes; keep only what the bot needs to run",
                    bytes=limits.archive_bytes,
                ),
            ),
        )
    return Archive(digest.hexdigest(), size_bytes, content_hash, len(files))


def _write_file(file: BotFile, limits: ArchiveLimits, write: Callable[[bytes], None]) -> str:
    """Write one file with its header and return the hash of its bytes."""
    digest = hashlib.sha256()
    size_bytes = file.look.size_bytes
    if size_bytes > limits.file_bytes:
        raise ArchiveSizeError(
            ArchiveReason.FILE_TOO_LARGE,
            Text(
                "{path} has over {bytes} bytes; make it smaller or leave it out",
                path=quote_path(file.path),
                bytes=limits.file_bytes,
            ),
        )
    write(header(file.path, size_bytes, executable=file.executable))
    for chunk in read_chunks(file):
        digest.update(chunk)
        write(chunk)
    write(bytes(padding_bytes(size_bytes)))
    return digest.hexdigest()


def compress_chunk(data: bytes) -> bytes:
    """Return a frame for at most CHUNK_BYTES bytes; `expand_chunk` is the inverse."""
    if len(data) > CHUNK_BYTES:
        raise ValueError(f"a chunk has {len(data)} bytes, and at most {CHUNK_BYTES} are allowed")
    frame = zlib.compress(data)
    # A run of zeros would look like a bomb.
    return frame if len(frame) * MOST_RATIO >= len(data) else zlib.compress(data, zlib.Z_NO_COMPRESSION)


def expand_chunk(frame: bytes) -> bytes:
    """Return the bytes in a frame, never holding more than CHUNK_BYTES of them. Raises ArchiveFormatError."""
    most_bytes = min(CHUNK_BYTES, len(frame) * MOST_RATIO)
    inflater = zlib.decompressobj()
    try:
        # A byte more than is allowed is asked for, so that a frame that holds just as many is seen to end.
        data = inflater.decompress(frame, most_bytes + 1)
    except zlib.error as error:
        raise _damaged() from error
    if len(data) > most_bytes:
        raise ArchiveFormatError(
            ArchiveReason.COMPRESSION_BOMB,
            Text(
                "a part of the upload expands to over {bytes} bytes; {remedy}", bytes=most_bytes, remedy=_UPLOAD_AGAIN
            ),
        )
    if not inflater.eof or inflater.unused_data:
        raise _damaged()
    return data


def _damaged() -> ArchiveFormatError:
    return ArchiveFormatError(
        ArchiveReason.COMPRESSION_DAMAGED, f"a part of the upload is badly compressed; {_UPLOAD_AGAIN}"
    )
