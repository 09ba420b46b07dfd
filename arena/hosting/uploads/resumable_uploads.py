"""Keeps archives that are on their way here, so that a broken upload goes on where it stopped.

Threads and processes may use one area together, and may be killed at any moment.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from arena.hosting.atomic_directory import fsync, locked
from arena.hosting.removal import remove_tree
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadInvalidError,
    UploadMissingError,
    UploadOffsetError,
    UploadReason,
    UploadRefusedError,
    UploadSupersededError,
    missing,
    space,
    storing,
)
from arena.hosting.uploads.upload_records import (
    Upload,
    UploadHistory,
    data_path,
    locked_data,
    make_upload,
    read_upload,
    sha256_of,
    write_through,
    write_upload,
)
from engine.translatable import Text

_ID_DIGITS = 32
_ID = re.compile(rf"[0-9a-f]{{{_ID_DIGITS}}}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
# What is not an upload yet, or no more; hidden, so that it is not mistaken for one.
_UNMADE_PREFIX = ".unmade-"
_HISTORY = ".history"
_TURN_BITS = 48


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much an area takes; bytes count as announced, whether they have arrived or not."""

    archive_bytes: int = 544 << 20
    unfinished_per_owner: int = 4
    owner_bytes: int = 1 << 30
    total_bytes: int = 16 << 30
    free_bytes: int = 1 << 30
    """What stays free on the disk when everything announced has arrived."""


def upload_id(owner: str, archive_sha256: str) -> str:
    """Return the id of an owner's upload of an archive, the same whenever it is begun."""
    return hashlib.sha256(json.dumps([owner, archive_sha256]).encode()).hexdigest()[:_ID_DIGITS]


class UploadArea:
    """A directory of uploads. Every method may block on the disk."""

    def __init__(self, root: Path, limits: UploadLimits | None = None) -> None:
        self.root = root
        self.history = UploadHistory(root / _HISTORY)
        """Which uploads were begun lately, as far as those who begin them write it down."""
        self._limits = limits or UploadLimits()

    def begin(self, owner: str, archive_sha256: str, size_bytes: int) -> Upload:
        """Begin an upload, or take over the one of this archive that was begun before; it goes on at its `offset`.

        Raises UploadRefusedError or UploadSpaceError.
        """
        if not _SHA256.fullmatch(archive_sha256) or size_bytes < 1:
            message = "an upload is announced with a SHA-256 (64 digits of 0-9a-f) and a size; submit the bot again"
            raise UploadInvalidError(UploadReason.INVALID, message)
        if size_bytes > self._limits.archive_bytes:
            message = Text(
                "the archive has {bytes} bytes, and {most} are allowed; make the bot smaller",
                bytes=size_bytes,
                most=self._limits.archive_bytes,
            )
            raise UploadRefusedError(UploadReason.TOO_LARGE, message)
        turn = secrets.randbits(_TURN_BITS)
        announced = Upload(upload_id(owner, archive_sha256), owner, archive_sha256, size_bytes, turn)
        with storing(), self._locked():
            with suppress(UploadMissingError):
                directory = self._directory(announced.id)
                with locked_data(directory) as data:
                    upload = read_upload(directory)
                    if upload.size_bytes != announced.size_bytes:
                        message = Text(
                            "the upload of this archive was begun with {bytes} bytes; submit the bot again",
                            bytes=upload.size_bytes,
                        )
                        raise UploadInvalidError(UploadReason.INVALID, message)
                    upload = replace(upload, turn=announced.turn)
                    write_upload(directory, upload)
                    os.utime(data)
                    return upload
            self._check_limits(announced)
            unmade, directory = self._unmade(announced.id), self._directory(announced.id)
            remove_tree(str(directory))  # what cannot be read, or it would have been taken over
            try:
                make_upload(unmade, announced)
                unmade.rename(directory)
            finally:
                remove_tree(str(unmade))
            fsync(self.root)
            return announced

    def get(self, upload_id: str) -> Upload:
        """Return an upload. Raises UploadMissingError."""
        with storing():
            return read_upload(self._directory(upload_id))

    def append(self, upload_id: str, offset: int, chunk: bytes, turn: int) -> int:
        """Store a piece that begins at `offset` and return the next offset; then the piece is on the disk.

        Raises UploadError; what is stored stays a beginning of the archive.
        """
        directory = self._directory(upload_id)
        with storing(), locked_data(directory) as data:
            upload = read_upload(directory)
            if turn != upload.turn:
                message: str = Text(
                    "another submission of this bot goes on with the upload; watch that one, or submit again"
                )
                raise UploadSupersededError(UploadReason.SUPERSEDED, message)
            if offset != upload.offset:
                message = f"the piece begins at byte {offset}, and {upload.offset} are stored; go on there"
                raise UploadOffsetError(message, upload.offset)
            if offset + len(chunk) > upload.size_bytes:
                message = Text(
                    "more arrives than the {bytes} bytes that were announced; submit the bot again",
                    bytes=upload.size_bytes,
                )
                raise UploadInvalidError(UploadReason.OVERRUN, message)
            self._check_space(len(chunk))
            write_through(data, offset, chunk)
        return offset + len(chunk)

    def finish(self, upload_id: str) -> Path:
        """Return the file with the whole archive; this may be called again, and the upload stays until it is discarded.

        Raises UploadOffsetError if bytes are missing, UploadDamagedError if they are not those that were announced.
        """
        directory = self._directory(upload_id)
        with storing(), locked_data(directory) as data:
            upload = read_upload(directory)
            if upload.offset != upload.size_bytes:
                message = Text(
                    "{count} of {total} bytes have arrived; go on there", count=upload.offset, total=upload.size_bytes
                )
                raise UploadOffsetError(message, upload.offset)
            is_right = sha256_of(data) == upload.sha256
            os.utime(data)
        if is_right:
            return data_path(directory)
        message = Text("what arrived is not the archive that was announced, its SHA-256 differs; submit the bot again")
        raise UploadDamagedError(UploadReason.DAMAGED, message)

    def open_whole(self, upload_id: str) -> BinaryIO:
        """Open the file with the whole archive for reading.

        Raises what `finish` raises, and UploadMissingError if somebody else discards the upload just now.
        """
        try:
            return self.finish(upload_id).open("rb")
        except FileNotFoundError as error:
            raise missing() from error

    def discard(self, upload_id: str) -> None:
        """Remove an upload; nothing happens if there is none. Raises UploadSpaceError if it cannot be removed."""
        with suppress(UploadMissingError), storing(), self._locked():
            self._remove(self._directory(upload_id))

    def uploads(self, owner: str | None = None) -> tuple[Upload, ...]:
        """Return the uploads of one owner or of all, in the order of their ids. Raises UploadSpaceError."""
        found = []
        for directory in self._directories():
            with suppress(UploadMissingError), storing():
                found.append(read_upload(directory))
        return tuple(upload for upload in found if owner is None or upload.owner == owner)

    def stored_bytes(self, owner: str | None = None) -> int:
        """Return how many bytes of the uploads of one owner, or of all, have arrived. Raises UploadSpaceError."""
        return sum(upload.offset for upload in self.uploads(owner))

    def sweep(self, older_than_s: float) -> int:
        """Remove uploads that nothing has touched for so long, and what killed processes left; return how many."""
        with storing(), self._locked():
            for left in self.root.glob(f"{_UNMADE_PREFIX}*"):
                remove_tree(str(left))
            self.history.sweep()
            old = [directory for directory in self._directories() if _age_s(directory) >= older_than_s]
            for directory in old:
                self._remove(directory)
            return len(old)

    def _directory(self, upload_id: str) -> Path:
        if not _ID.fullmatch(upload_id):
            raise missing()
        return self.root / upload_id

    def _directories(self) -> list[Path]:
        return sorted(path for path in self.root.glob("[0-9a-f]*") if _ID.fullmatch(path.name))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep others from making and removing uploads."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self.root, fcntl.LOCK_EX):
            yield

    def _check_limits(self, announced: Upload) -> None:
        others = self.uploads()
        own = [upload for upload in others if upload.owner == announced.owner]
        if len(own) >= self._limits.unfinished_per_owner:
            message = Text("{count} uploads of yours are unfinished; finish one of them first", count=len(own))
            raise UploadRefusedError(UploadReason.TOO_MANY, message)
        if _announced_bytes(own) + announced.size_bytes > self._limits.owner_bytes:
            message = Text(
                "your unfinished uploads would have over {bytes} bytes; finish one first",
                bytes=self._limits.owner_bytes,
            )
            raise UploadRefusedError(UploadReason.OWNER_FULL, message)
        if _announced_bytes(others) + announced.size_bytes > self._limits.total_bytes:
            message = Text("too much is being uploaded by everybody together; submit again later")
            raise UploadRefusedError(UploadReason.AREA_FULL, message)
        self._check_space(_announced_bytes((*others, announced)) - sum(upload.offset for upload in others))

    def _check_space(self, coming_bytes: int) -> None:
        if shutil.disk_usage(self.root).free - coming_bytes < self._limits.free_bytes:
            raise space(Text("the disk of the service is nearly full"))

    def _remove(self, directory: Path) -> None:
        unmade = self._unmade(directory.name)
        with ExitStack() as held, suppress(FileNotFoundError):
            with suppress(UploadMissingError):  # damaged, but a directory
                held.enter_context(locked_data(directory))
            directory.rename(unmade)
            remove_tree(str(unmade))

    def _unmade(self, upload_id: str) -> Path:
        """Return the name of an upload that others do not see, after removing what a killed process left there."""
        unmade = self.root / f"{_UNMADE_PREFIX}{upload_id}"
        remove_tree(str(unmade))
        return unmade


def _announced_bytes(uploads: Iterable[Upload]) -> int:
    return sum(upload.size_bytes for upload in uploads)


def _age_s(directory: Path) -> float:
    with suppress(FileNotFoundError):
        return time.time() - data_path(directory).stat().st_mtime
    return float("inf")
