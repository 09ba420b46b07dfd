"""Receives bots: an upload arrives in parts within its owner's limits, and becomes a version to be admitted."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import grpc

from arena.app.accounts import StoredUsage
from arena.app.policy import Viewer
from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.format import BotArchiveError
from arena.hosting.archive.packing import CHUNK_BYTES, expand_chunk
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadError,
    UploadMissingError,
    UploadReason,
    UploadRefusedError,
)
from arena.hosting.uploads.resumable_uploads import UploadArea, upload_id
from arena.hosting.uploads.upload_records import PastUpload, Upload, UploadHistory
from arena.model.accounts import OwnerUsage
from arena.model.bots import Admission, Submitted, UploadTicket
from arena.service.server.authentication import CALLER, Caller
from arena.service.server.calls import Threads
from arena.service.server.errors import CallError
from arena.service.task_supervision import NO_SANDBOX, sandbox_problem
from arena.v1 import bot_pb2
from engine.translatable import Text, with_parts
from ratings.errors import AdmissionError, BotError, LimitError
from ratings.ledger.bots import NewVersion
from ratings.ledger.service_ledger import ServiceLedger, Submission
from ratings.store.database import Database
from ratings.values.owners import LIMITS, OPERATOR, OwnerLimits, stored_bot_name

_HOUR_S = 3600.0
_REFUSALS = (BotArchiveError, UploadDamagedError, CallError, BotError, LimitError, AdmissionError)
"""What is said of an archive for good; after anything else the same archive may be taken another time."""


class UploadCounter:
    """Counts the uploads that each owner began within the last hour; what is counted outlives the service."""

    def __init__(self, history: UploadHistory, clock: Callable[[], float] = time.time) -> None:
        self._history = history
        self._clock = clock

    def within_the_hour(self, owner: str) -> int:
        """Return how many uploads an owner began within the last hour."""
        now = self._clock()
        with self._history.changing(owner, now) as past:
            return len(_lately(past, now))

    @contextmanager
    def counted(self, owner: str, upload: str, size_bytes: int, most: int) -> Iterator[None]:
        """Count the upload that the block begins, unless it raises.

        Raises CallError (RESOURCE_EXHAUSTED) before the block if that is more than `most`; 0 stands for no limit.
        """
        now = self._clock()
        with self._history.changing(owner, now) as past:
            begun = _lately(past, now)
            if most and len(begun) >= most:
                wait_s = begun[-most] + _HOUR_S - now
                raise CallError(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    "UPLOADS_PER_HOUR",
                    Text(
                        "the organiser allows {most} uploads an hour, and they are used up; try again in {minutes} min",
                        most=most,
                        minutes=max(1, round(wait_s / 60)),
                    ),
                    {"retry_after_s": str(max(1, round(wait_s)))},
                )
            yield
            past.append(PastUpload(upload, size_bytes, now))


def _lately(past: Sequence[PastUpload], now_s: float) -> list[float]:
    return [one.begun_s for one in past if one.begun_s > now_s - _HOUR_S]


@dataclass(frozen=True, slots=True)
class SubmissionServices:
    """Where uploads arrive, and where they go."""

    database: Database
    programs: StoredPrograms
    uploads: UploadArea
    quotas: OwnerQuotas
    counter: UploadCounter
    read_admission: Callable[[Viewer, str], Admission]
    """Reads an admission the way that a caller sees it."""


class LocalSubmissions:
    """The part of the interface that hands bots in, for one caller."""

    def __init__(self, services: SubmissionServices, viewer: Viewer) -> None:
        self._services = services
        self._viewer = viewer

    def begin_upload(self, archive_sha256: str, size_bytes: int) -> UploadTicket:
        services, owner = self._services, _holder(self._viewer)
        name = upload_id(owner, archive_sha256)
        with services.quotas.held(self._viewer.owner_name) as limits:
            if _is_begun(services.uploads, name):
                upload = services.uploads.begin(owner, archive_sha256, size_bytes)
            else:
                services.quotas.check_begin(owner, limits, size_bytes)
                with services.counter.counted(owner, name, size_bytes, limits.uploads_per_hour):
                    upload = services.uploads.begin(owner, archive_sha256, size_bytes)
        return UploadTicket(upload.id, upload.turn, upload.offset, upload.size_bytes, CHUNK_BYTES)

    def submit_version(
        self, upload: str, content_hash: str, message: str = "", predecessor: int | None = None
    ) -> Submitted:
        services, viewer, owner = self._services, self._viewer, self._viewer.owner_name
        own_upload(services.uploads, viewer, upload)
        try:
            with services.uploads.open_whole(upload) as archive:
                stored = add_archive(services.programs.store, archive, content_hash)
            manifest = stored.manifest
            try:
                services.programs.runtimes.check_bot(manifest, stored.directory, is_stranger=owner is not None)
            except BotDirectoryError as error:
                # The sender has never seen the directory that the message names.
                text = with_parts(
                    str(error),
                    lambda part: part.replace(f"{stored.directory}/", "").replace(str(stored.directory), "the bot"),
                )
                raise CallError(grpc.StatusCode.INVALID_ARGUMENT, "BOT_DIRECTORY", text) from error
            new = NewVersion(
                manifest.name, stored.hash, manifest.to_json(), owner, message, predecessor, actor=owner or OPERATOR
            )
            made = self._submit(upload, new)
        except _REFUSALS as error:  # after anything else the same bytes may do another time
            self._end(upload, error=str(error))
            raise
        return Submitted(
            bot=stored_bot_name(owner, manifest.name),
            number=made.version.number,
            version_id=made.version.id,
            content_hash=stored.hash,
            new=made.is_new,
            admission=None if made.admission is None else services.read_admission(viewer, made.admission.id),
        )

    def _submit(self, upload: str, new: NewVersion) -> Submission:
        """Write a new version, and give up the upload that it was, while no other call uses up the room it needs."""
        is_owned = self._viewer.owner_name is not None
        services, why = self._services, (NO_SANDBOX if is_owned and sandbox_problem(self._services.programs) else None)
        with services.quotas.held(new.owner) as limits:
            services.quotas.check_submit(_holder(self._viewer), limits, upload, new.content_hash)
            made = ServiceLedger(services.database).submit_version(new, most_versions=limits.versions or None, why=why)
            name = stored_bot_name(new.owner, new.bot)
            self._end(upload, sentence=f"{name} version {made.version.number}")
        return made

    def _end(self, upload: str, *, sentence: str = "", error: str | None = None) -> None:
        """Remember what became of an upload and discard it; what the disk does not let go is swept later."""
        uploads = self._services.uploads
        with suppress(OSError):  # before the upload is gone, so that it can be looked at in each moment
            uploads.history.note_end(_holder(self._viewer), upload, sentence, error)
        with suppress(UploadError):
            uploads.discard(upload)


def _holder(viewer: Viewer) -> str:
    """Return under whose name uploads are kept; no owner can have the operator's."""
    return viewer.owner_name or OPERATOR


def _is_begun(uploads: UploadArea, upload: str) -> bool:
    with suppress(UploadMissingError):
        uploads.get(upload)
        return True
    return False


def own_upload(uploads: UploadArea, viewer: Viewer, upload: str) -> Upload:
    """Return an upload of the caller. Raises UploadMissingError, and CallError for the upload of somebody else."""
    found = uploads.get(upload)
    if found.owner != _holder(viewer):
        # The same answer as for one that does not exist: whether it does is nobody else's business.
        raise CallError(
            grpc.StatusCode.NOT_FOUND,
            "UPLOAD_MISSING",
            Text("there is no upload {upload}; begin it with BeginUpload", upload=repr(upload)),
        )
    return found


_NO_LIMITS = OwnerLimits(*(0 for _ in LIMITS))


class OwnerQuotas:
    """What owners may hand in. What is checked while an owner is `held` stays true until it is let go."""

    def __init__(self, stored: StoredUsage, uploads: UploadArea, counted: Callable[[str], int]) -> None:
        """`counted` returns how many uploads an owner began within the last hour."""
        self._stored = stored
        self._uploads = uploads
        self._counted = counted
        self._locks: dict[str | None, threading.Lock] = {}

    @contextmanager
    def held(self, owner: str | None) -> Iterator[OwnerLimits]:
        """Keep other calls of an owner from checking and using his limits, which are given. Raises NotFoundError.

        The organiser, who is `None`, has no limits.
        """
        with self._locks.setdefault(owner, threading.Lock()):
            yield _NO_LIMITS if owner is None else self._stored.limits_of(owner)

    def check_begin(self, owner: str, limits: OwnerLimits, size_bytes: int) -> None:
        """Check that another upload of that size may begin. Raises UploadRefusedError, CallError."""
        if limits.archive_mb and size_bytes > limits.archive_bytes:
            message = Text(
                "the archive has {bytes} bytes, and {most} are allowed; make the bot smaller",
                bytes=size_bytes,
                most=limits.archive_bytes,
            )
            raise UploadRefusedError(UploadReason.TOO_LARGE, message)
        if limits.stored_mb:
            used = sum(self._stored.sizes_of(owner).values()) + _announced(self._uploads.uploads(owner))
            _check_stored(owner, limits, used, size_bytes)

    def check_submit(self, owner: str, limits: OwnerLimits, upload: str, content_hash: str) -> None:
        """Check that what an upload has become still fits beside everything else. Raises CallError."""
        sizes = self._stored.sizes_of(owner) if limits.stored_mb else {}
        if content_hash in sizes or not limits.stored_mb:
            return
        others = [one for one in self._uploads.uploads(owner) if one.id != upload]
        _check_stored(owner, limits, sum(sizes.values()) + _announced(others), self._stored.size(content_hash))

    def usage(self, owner: str) -> OwnerUsage:
        """Return what an owner has and may have, with what is on its way here. Raises NotFoundError."""
        usage = self._stored.usage(owner)
        on_the_way = _announced(self._uploads.uploads(owner))
        return replace(usage, stored_bytes=usage.stored_bytes + on_the_way, uploads_last_hour=self._counted(owner))


def _announced(uploads: Iterable[Upload]) -> int:
    """Return what uploads take once they are whole."""
    return sum(upload.size_bytes for upload in uploads)


def _check_stored(owner: str, limits: OwnerLimits, used_bytes: int, more_bytes: int) -> None:
    if used_bytes + more_bytes > limits.stored_bytes:
        message = Text(
            "{owner} has {used} of {allowed} MB stored, and this bot takes {more} MB; make it smaller, or ask the "
            "organiser for more: arena owner limit {name} --stored-mb N",
            owner=repr(owner),
            used=_megabytes(used_bytes),
            allowed=limits.stored_mb,
            more=_megabytes(more_bytes),
            name=owner,
        )
        facts = {"used_bytes": str(used_bytes), "allowed_bytes": str(limits.stored_bytes)}
        raise CallError(grpc.StatusCode.RESOURCE_EXHAUSTED, "STORED_BYTES", message, facts)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):.1f}"


LookAgain = Callable[[Caller], Awaitable[None]]
"""Raises AccessDeniedError if whoever opened a stream may not call any more."""


class UploadHandler:
    """Answers the call that sends an archive. `look_again` is asked before each part is stored."""

    def __init__(self, threads: Threads, uploads: UploadArea, look_again: LookAgain) -> None:
        self._threads = threads
        self._uploads = uploads
        self._look_again = look_again

    def handler(self) -> grpc.RpcMethodHandler[Any, Any]:
        """Return the handler of BotService.Upload."""
        return grpc.stream_unary_rpc_method_handler(
            self._upload, bot_pb2.UploadRequest.FromString, bot_pb2.UploadResponse.SerializeToString
        )

    async def _upload(self, requests: AsyncIterator[bot_pb2.UploadRequest], _context: object) -> bot_pb2.UploadResponse:
        caller = CALLER.get()
        first: bot_pb2.UploadRequest | None = None
        offset = 0
        async for request in requests:
            if first is None:
                first, offset = request, request.offset
                await self._threads.run(own_upload, self._uploads, caller.viewer, first.upload)
            if request.chunk:
                await self._look_again(caller)
                offset = await self._threads.run(self._append, first, offset, request.chunk)
        return bot_pb2.UploadResponse(offset=offset)

    def _append(self, first: bot_pb2.UploadRequest, offset: int, frame: bytes) -> int:
        return self._uploads.append(first.upload, offset, expand_chunk(frame), first.turn)
