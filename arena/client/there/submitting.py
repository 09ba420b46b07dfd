"""Hands a bot in: packs its directory, sends the archive from where an earlier attempt broke off, and submits it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from arena.client.there.errors import UnreachableError
from arena.client.there.remote import ArenaThere
from arena.client.values.uploads import Submitted, UploadTicket
from arena.hosting.archive.packing import Archive, pack
from arena.hosting.archive.transport import compress_chunk
from arena.v1 import bot_pb2

OnProgress = Callable[[int, int], None]
"""Told how many bytes were sent, of how many."""

_TRIES = 5
_PAUSE_S = 1.0


def submit(
    arena: ArenaThere, directory: Path, message: str, on_progress: OnProgress, predecessor: int | None = None
) -> Submitted:
    """Submit the bot in a directory and return the version that it became.

    When the connection breaks, it is tried again, going on where it broke off; so does a later call for the same files.
    Raises ClientError for what the service refuses, and the errors of packing for files that cannot be a bot's.
    """
    with tempfile.TemporaryFile() as file:
        archive = pack(directory, file)
        ticket = _send(arena, file, archive, on_progress)
        return arena.submissions.submit_version(ticket.upload, archive.content_hash, message, predecessor)


def _send(arena: ArenaThere, file: BinaryIO, archive: Archive, on_progress: OnProgress) -> UploadTicket:
    for tries_left in reversed(range(_TRIES)):
        try:
            ticket = arena.submissions.begin_upload(archive.sha256, archive.size_bytes)
            on_progress(ticket.offset, archive.size_bytes)
            if ticket.offset < archive.size_bytes:
                arena.line.upload(_parts(file, ticket, on_progress))
            return ticket
        except UnreachableError:
            if not tries_left:
                raise
            time.sleep(_PAUSE_S)
    raise AssertionError("the last try returns or raises")


def _parts(file: BinaryIO, ticket: UploadTicket, on_progress: OnProgress) -> Iterator[bot_pb2.UploadRequest]:
    """Yield what is left of an archive; gRPC asks for a part when there is room to send it."""
    offset = ticket.offset
    file.seek(offset)
    while chunk := file.read(ticket.chunk_bytes):
        yield bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn, offset=offset, chunk=compress_chunk(chunk))
        offset += len(chunk)
        on_progress(offset, ticket.size_bytes)
