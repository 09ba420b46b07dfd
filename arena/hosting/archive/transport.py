"""Compresses an archive for its way, chunk by chunk, each for itself: what arrives needs one chunk of memory.

Offsets always count bytes of the archive itself, so an upload that broke off goes on with any chunk.
"""

from __future__ import annotations

import zlib

from arena.hosting.archive.errors import ArchiveFormatError, ArchiveReason
from engine.text import Text

CHUNK_BYTES = 256 << 10
"""The most bytes of the archive in one frame."""
MOST_RATIO = 100
"""How many times its own size a frame may become."""
_UPLOAD_AGAIN = Text("hosting.submit_bot_again", "submit the bot again")


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
                "hosting.part_upload_expands_over_bytes",
                "a part of the upload expands to over {bytes} bytes; {remedy}",
                bytes=most_bytes,
                remedy=_UPLOAD_AGAIN,
            ),
        )
    if not inflater.eof or inflater.unused_data:
        raise _damaged()
    return data


def _damaged() -> ArchiveFormatError:
    return ArchiveFormatError(
        ArchiveReason.COMPRESSION_DAMAGED, f"a part of the upload is badly compressed; {_UPLOAD_AGAIN}"
    )
