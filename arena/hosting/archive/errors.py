"""Errors about an archive, each with a reason that stays the same for programs.

BotArchiveError
├── ArchiveSizeError      it holds more than the limits allow
├── ArchiveNameError      a file in it has a name that no file of a bot may have
├── ArchiveFormatError    it is damaged, or is not what `pack` writes
└── ArchiveContentError   its files are not the version that was announced, or no bot
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar


class ArchiveReason(StrEnum):
    """Why an archive is refused; the values never change."""

    TOO_LARGE = "ARCHIVE_TOO_LARGE"
    FILE_TOO_LARGE = "ARCHIVE_FILE_TOO_LARGE"
    FILES_TOO_LARGE = "ARCHIVE_FILES_TOO_LARGE"
    TOO_MANY_FILES = "ARCHIVE_TOO_MANY_FILES"

    NAME_EMPTY_PART = "ARCHIVE_NAME_EMPTY_PART"
    NAME_ABSOLUTE = "ARCHIVE_NAME_ABSOLUTE"
    NAME_LEAVES = "ARCHIVE_NAME_LEAVES"
    NAME_TOO_LONG = "ARCHIVE_NAME_TOO_LONG"
    NAME_NOT_UTF8 = "ARCHIVE_NAME_NOT_UTF8"
    NAME_UNPRINTABLE = "ARCHIVE_NAME_UNPRINTABLE"
    NAME_BACKSLASH = "ARCHIVE_NAME_BACKSLASH"
    NAME_ENDS_BADLY = "ARCHIVE_NAME_ENDS_BADLY"
    NAME_HIDDEN = "ARCHIVE_NAME_HIDDEN"
    NAME_TWICE = "ARCHIVE_NAME_TWICE"
    NAME_FILE_AND_DIRECTORY = "ARCHIVE_NAME_FILE_AND_DIRECTORY"
    NAMES_COLLIDE = "ARCHIVE_NAMES_COLLIDE"

    NO_ARCHIVE = "ARCHIVE_NO_ARCHIVE"
    TRUNCATED = "ARCHIVE_TRUNCATED"
    DAMAGED = "ARCHIVE_DAMAGED"
    TRAILING_BYTES = "ARCHIVE_TRAILING_BYTES"
    NO_FILE = "ARCHIVE_NO_FILE"
    EXTENSION = "ARCHIVE_EXTENSION"
    NOT_CANONICAL = "ARCHIVE_NOT_CANONICAL"
    COMPRESSION_DAMAGED = "ARCHIVE_COMPRESSION_DAMAGED"
    COMPRESSION_BOMB = "ARCHIVE_COMPRESSION_BOMB"

    NO_MANIFEST = "ARCHIVE_NO_MANIFEST"
    BAD_MANIFEST = "ARCHIVE_BAD_MANIFEST"
    WRONG_CONTENT = "ARCHIVE_WRONG_CONTENT"


class BotArchiveError(Exception):
    """An archive is refused; the message is one line that ends with the remedy."""

    kind: ClassVar[str] = "misuse"

    def __init__(self, reason: ArchiveReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ArchiveSizeError(BotArchiveError):
    """The archive holds more than the limits allow."""


class ArchiveNameError(BotArchiveError):
    """A file in the archive has a name that no file of a bot may have."""


class ArchiveFormatError(BotArchiveError):
    """The archive is damaged, or is not what `pack` writes."""


class ArchiveContentError(BotArchiveError):
    """The files in the archive are not the version that was announced, or no bot."""
