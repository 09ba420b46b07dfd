"""Hands a bot in: packs its directory, sends the archive from where an earlier attempt broke off, and submits it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arena.hosting.archive.packing import Archive, compress_chunk, pack
from arena.model.bots import Submitted, UploadTicket
from arena.model.errors import ClientError, UnknownError
from arena.rpc.errors import UnavailableError, UnreachableError
from arena.rpc.remote import RemoteArena
from arena.v1 import bot_pb2

OnProgress = Callable[[int, int], None]
"""Told how many bytes were sent, of how many."""
OnRetry = Callable[[ClientError, float], None]
"""Told why it did not work, and in how many seconds it is tried again."""

_PAUSES_S = (1.0, 2.0, 4.0, 8.0)
"""How long to wait before each attempt to go on; whatever arrives lets them begin anew."""
_PASSING = (UnreachableError, UnavailableError, UnknownError)
"""What may be otherwise in a moment; an upload is unknown if another submission of the same files was faster."""


@dataclass(slots=True)
class _Handing:
    arena: RemoteArena
    file: BinaryIO
    archive: Archive
    on_progress: OnProgress
    arrived: int = 0
    """How much of the archive the service had when it was asked last."""


def submit(
    arena: RemoteArena,
    directory: Path,
    message: str,
    on_progress: OnProgress,
    predecessor: int | None = None,
    on_retry: OnRetry = lambda _error, _pause_s: None,
) -> Submitted:
    """Submit the bot in a directory and return the version that it became.

    When the connection breaks, or the service is restarted or busy, it is tried again, going on where it broke off; so
    does a later call for the same files. Raises ClientError for what the service refuses, and the errors of packing for
    files that cannot be a bot's.
    """
    with tempfile.TemporaryFile() as file:
        handing = _Handing(arena, file, pack(directory, file), on_progress)
        failures = 0
        while True:
            arrived = handing.arrived
            try:
                archive = handing.archive
                ticket = handing.arena.submissions.begin_upload(archive.sha256, archive.size_bytes)
                handing.arrived = ticket.offset
                handing.on_progress(ticket.offset, archive.size_bytes)
                if ticket.offset < archive.size_bytes:
                    handing.arena.line.upload(_parts(handing.file, ticket, handing.on_progress))
                return arena.submissions.submit_version(
                    ticket.upload, handing.archive.content_hash, message, predecessor
                )
            except _PASSING as error:
                failures = 0 if handing.arrived > arrived else failures
                if failures == len(_PAUSES_S):
                    raise
                on_retry(error, _PAUSES_S[failures])
                time.sleep(_PAUSES_S[failures])
                failures += 1


def _parts(file: BinaryIO, ticket: UploadTicket, on_progress: OnProgress) -> Iterator[bot_pb2.UploadRequest]:
    """Yield what is left of an archive; gRPC asks for a part when there is room to send it."""
    offset = ticket.offset
    file.seek(offset)
    while chunk := file.read(ticket.chunk_bytes):
        yield bot_pb2.UploadRequest(upload=ticket.upload, turn=ticket.turn, offset=offset, chunk=compress_chunk(chunk))
        offset += len(chunk)
        on_progress(offset, ticket.size_bytes)
