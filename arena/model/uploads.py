"""Uploads: how an archive with the files of a bot reaches a service, and what it becomes there."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.admissions import Admission


@dataclass(frozen=True, slots=True)
class UploadTicket:
    """An upload that may begin, or go on where it broke off."""

    upload: str
    """Its id."""
    turn: int
    """Another number whenever it is begun: whoever began it last may send, and nobody else."""
    offset: int
    """How many bytes of the archive the service has."""
    size_bytes: int
    chunk_bytes: int
    """How many bytes of the archive one message may carry at most, before they are compressed."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A version that was submitted."""

    bot: str
    number: int
    """The number of the version."""
    version_id: str
    content_hash: str
    new: bool
    """False if the same files had been submitted before."""
    admission: Admission | None = None
    """The checks that it must pass; `None` if it passed them before."""
