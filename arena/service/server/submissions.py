"""Takes bots in: an upload is begun, its archive arrives in parts, and becomes a version that waits to be admitted."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import grpc

from arena.client.here.viewer import Viewer
from arena.client.values.admissions import Admission
from arena.client.values.uploads import Submitted, UploadTicket
from arena.hosting.archive.storing import add_archive
from arena.hosting.archive.transport import CHUNK_BYTES, expand_chunk
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoredVersion
from arena.hosting.uploads.area import UploadArea
from arena.hosting.uploads.disk import Upload
from arena.service.server.allowances import Allowances
from arena.service.server.callers import CALLER
from arena.service.server.errors import CallError
from arena.service.server.threads import Threads
from arena.v1 import bot_pb2
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.read.admissions import is_admitted
from ratings.store.database import Database
from ratings.store.models import Version
from ratings.store.names import OPERATOR

_HOUR_S = 3600.0
_ADMISSION_LIMIT = "the organiser allows {most} uploads an hour, and they are used up; try again in {wait_min} min"


class AdmissionReader(Protocol):
    """Reads an admission the way that a caller sees it."""

    def __call__(self, viewer: Viewer, admission: str) -> Admission:
        """Return the admission of that id."""


class Counter:
    """Counts what each owner did within the last hour."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done: dict[str, deque[float]] = {}

    def counted(self, owner: str) -> int:
        """Return how many an owner began within the last hour."""
        return len(self._within_the_hour(owner))

    def count(self, owner: str, most: int) -> None:
        """Count one more. Raises CallError (RESOURCE_EXHAUSTED) if that is more than `most`; 0 stands for no limit."""
        done = self._within_the_hour(owner)
        now = self._clock()
        if most and len(done) >= most:
            wait_s = done[-most] + _HOUR_S - now
            raise CallError(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "UPLOADS_PER_HOUR",
                _ADMISSION_LIMIT.format(most=most, wait_min=max(1, round(wait_s / 60))),
                {"retry_after_s": str(max(1, round(wait_s)))},
            )
        done.append(now)

    def _within_the_hour(self, owner: str) -> deque[float]:
        done = self._done.setdefault(owner, deque())
        while done and done[0] <= self._clock() - _HOUR_S:
            done.popleft()
        return done


@dataclass(frozen=True, slots=True)
class Intake:
    """Where uploads arrive, and where they go."""

    database: Database
    programs: StoredPrograms
    uploads: UploadArea
    allowances: Allowances
    counter: Counter
    read_admission: AdmissionReader


class SubmissionsHere:
    """The part of the interface that hands bots in, for one caller."""

    def __init__(self, intake: Intake, viewer: Viewer) -> None:
        self._intake = intake
        self._viewer = viewer

    def begin_upload(self, archive_sha256: str, size_bytes: int) -> UploadTicket:
        """Announce an archive; if a part of it arrived before, the ticket says where to go on."""
        upload = self._begin(archive_sha256, size_bytes)
        return UploadTicket(upload.id, upload.turn, upload.offset, upload.size_bytes, CHUNK_BYTES)

    def _begin(self, archive_sha256: str, size_bytes: int) -> Upload:
        uploads, owner = self._intake.uploads, self._viewer.owner_name
        if owner is None:
            return uploads.begin(OPERATOR, archive_sha256, size_bytes)
        allowances = self._intake.allowances
        with allowances.held(owner) as limits:
            if not allowances.goes_on(owner, archive_sha256):
                allowances.check_begin(owner, limits, size_bytes)
                self._intake.counter.count(owner, limits.uploads_per_hour)
            return uploads.begin(owner, archive_sha256, size_bytes)

    def submit_version(
        self, upload: str, content_hash: str, message: str = "", predecessor: int | None = None
    ) -> Submitted:
        """Make a version of an archive that arrived whole, and queue it to be admitted."""
        intake, viewer = self._intake, self._viewer
        own_upload(intake.uploads, viewer, upload)
        with intake.uploads.finish(upload).open("rb") as archive:
            stored = add_archive(intake.programs.store, archive, content_hash)
        self._check(stored)
        with self._room(upload, stored) as most_versions:
            version, is_new = Ledger(intake.database).add_version(
                bot=stored.manifest.name,
                owner=viewer.owner_name,
                content_hash=stored.hash,
                manifest=stored.manifest.to_json(),
                message=message,
                predecessor=predecessor,
                most_versions=most_versions,
                actor=viewer.owner_name or OPERATOR,
            )
            admission = self._request_admission(version)
            intake.uploads.discard(upload)  # what it has become takes its room
        return Submitted(
            bot=_bot_name(viewer, stored),
            number=version.number,
            version_id=version.id,
            content_hash=stored.hash,
            new=is_new,
            admission=admission,
        )

    @contextmanager
    def _room(self, upload: str, stored: StoredVersion) -> Iterator[int | None]:
        """Give how many versions the caller may have, while no other call of his uses up the room that this needs."""
        owner, allowances = self._viewer.owner_name, self._intake.allowances
        if owner is None:
            yield None
            return
        with allowances.held(owner) as limits:
            allowances.check_submit(owner, limits, upload, stored.hash)
            yield limits.versions or None

    def _check(self, stored: StoredVersion) -> None:
        """Raise CallError if the bot cannot run here: its runtime is unknown, or a stranger's asks for too much."""
        is_stranger = self._viewer.owner_name is not None
        try:
            self._intake.programs.runtimes.check_bot(stored.manifest, stored.directory, is_stranger=is_stranger)
        except BotDirectoryError as error:
            # The sender has never seen the directory that the message names.
            text = str(error).replace(f"{stored.directory}/", "").replace(str(stored.directory), "the bot")
            raise CallError(grpc.StatusCode.INVALID_ARGUMENT, "BOT_DIRECTORY", text) from error

    def _request_admission(self, version: Version) -> Admission | None:
        """Return the admission that a version of an owner waits for, or `None` if it needs none."""
        if self._viewer.owner_name is None or is_admitted(self._intake.database, version.id):
            return None
        admission = ServiceLedger(self._intake.database).request_admission(version.id)
        return self._intake.read_admission(self._viewer, admission.id)


def _bot_name(viewer: Viewer, stored: StoredVersion) -> str:
    name = stored.manifest.name
    return name if viewer.owner_name is None else f"{viewer.owner_name}/{name}"


def _holder(viewer: Viewer) -> str:
    """Return under whose name uploads are kept; no owner can have the operator's."""
    return viewer.owner_name or OPERATOR


def own_upload(uploads: UploadArea, viewer: Viewer, upload: str) -> Upload:
    """Return an upload of the caller. Raises UploadMissingError, and CallError for the upload of somebody else."""
    found = uploads.get(upload)
    if found.owner != _holder(viewer):
        # The same answer as for one that does not exist: whether it does is nobody else's business.
        raise CallError(
            grpc.StatusCode.NOT_FOUND, "UPLOAD_MISSING", f"there is no upload {upload!r}; begin it with BeginUpload"
        )
    return found


class UploadHandler:
    """Answers the call that sends an archive."""

    def __init__(self, threads: Threads, uploads: UploadArea) -> None:
        self._threads = threads
        self._uploads = uploads

    def handler(self) -> grpc.RpcMethodHandler[Any, Any]:
        """Return the handler of BotService.Upload."""
        return grpc.stream_unary_rpc_method_handler(
            self._upload, bot_pb2.UploadRequest.FromString, bot_pb2.UploadResponse.SerializeToString
        )

    async def _upload(self, requests: AsyncIterator[bot_pb2.UploadRequest], _context: object) -> bot_pb2.UploadResponse:
        viewer = CALLER.get().viewer
        first: bot_pb2.UploadRequest | None = None
        offset = 0
        async for request in requests:
            if first is None:
                first, offset = request, request.offset
                await self._threads.run(own_upload, self._uploads, viewer, first.upload)
            if request.chunk:
                offset = await self._threads.run(self._append, first, offset, request.chunk)
        return bot_pb2.UploadResponse(offset=offset)

    def _append(self, first: bot_pb2.UploadRequest, offset: int, frame: bytes) -> int:
        return self._uploads.append(first.upload, offset, expand_chunk(frame), first.turn)
