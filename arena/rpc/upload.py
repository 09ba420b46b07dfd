"""Hands a bot in: packs its directory, sends the archive from where an earlier attempt broke off, and submits it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from arena.hosting.archive.packing import compress_chunk, pack
from arena.model.bots import Submitted, UploadTicket
from arena.model.errors import ClientError, UnknownError
from arena.rpc.errors import UnavailableError, UnreachableError
from arena.rpc.remote_arena import RemoteArena
from arena.v1 import bot_pb2

OnProgress = Callable[[int, int], None]
"""Told how many bytes were sent, of how many."""
OnRetry = Callable[[ClientError, float], None]
"""Told why it did not work, and in how many seconds it is tried again."""

_PAUSES_S = (1.0, 2.0, 4.0, 8.0)
"""How long to wait before each attempt to go on; whatever arrives lets them begin anew."""
_PASSING = (UnreachableError, UnavailableError, UnknownError)
"""What may be otherwise in a moment; an upload is unknown if another submission of the same files was faster."""


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
        archive = pack(directory, file)
        failures = arrived = 0
        while True:
            before = arrived
            try:
                ticket = arena.submissions.begin_upload(archive.sha256, archive.size_bytes)
                arrived = ticket.offset
                on_progress(ticket.offset, archive.size_bytes)
                if ticket.offset < archive.size_bytes:
                    arena.line.upload(_parts(file, ticket, on_progress))
                return arena.submissions.submit_version(ticket.upload, archive.content_hash, message, predecessor)
            except _PASSING as error:
                failures = 0 if arrived > before else failures
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
