"""Keeps owners within their limits while they hand bots in, however many of their calls run at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import grpc

from arena.app.accounts import StoredUsage
from arena.hosting.uploads.area import UploadArea
from arena.hosting.uploads.disk import Upload
from arena.hosting.uploads.errors import UploadReason, UploadRefusedError
from arena.model.accounts import OwnerUsage
from arena.service.server.errors import CallError
from engine.text import Text
from ratings.values.owners import LIMITS, OwnerLimits

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
                "hosting.archive_bytes_allowed_make_bot",
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
            "matches.mb_stored_bot_takes_mb",
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
