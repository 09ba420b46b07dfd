"""What an archive of a bot may be: how much it holds, which names its files have, and how their headers are written.

It is a POSIX tar of files alone, with nothing in it but path, size and executable bit. Names are checked alone and
together, so that they work on every kind of file system. There is one way to write a file's header, so that equal files
give equal archives, and a reader can tell whatever was not written here by writing the header again. Every tar program
can read the result. What is refused is an error with a reason that stays the same for programs:

BotArchiveError
├── ArchiveSizeError      it holds more than the limits allow
├── ArchiveNameError      a file in it has a name that no file of a bot may have
├── ArchiveFormatError    it is damaged, or is not what `pack` writes
└── ArchiveContentError   its files are not the version that was announced, or no bot
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from arena.hosting.content import VersionLimits, is_left_out
from engine.translatable import Text

MOST_PATH_BYTES = 1024
MOST_PART_BYTES = 255
MOST_PARTS = 64
_SHOWN_CHARACTERS = 80
# Control characters, invisible ones that turn the text around them, halves of characters, line and paragraph ends.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
BLOCK_BYTES = 512
END = bytes(2 * BLOCK_BYTES)
NAME = slice(0, 100)
MODE = slice(100, 108)
SIZE = slice(124, 136)
CHECKSUM = slice(148, 156)
KIND = slice(156, 157)
MAGIC = slice(257, 265)
PLAIN = b"0000644\0"
EXECUTABLE = b"0000755\0"
USTAR = b"ustar\x0000"
FILE = b"0"
EXTENDED = b"x"
_ZERO_8 = b"0000000\0"
_ZERO_12 = b"00000000000\0"
_BLANK_CHECKSUM = b" " * 8
# What stands in the field for the name where an extended header tells it: a name too long, or not ASCII.
_TOLD_ELSEWHERE = b"pax"


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The most that an archive may hold; sizes are those of the archive before any compression for the way."""

    archive_bytes: int = 544 << 20
    file_bytes: int = 512 << 20
    total_bytes: int = 512 << 20
    """All files together, without headers."""
    files: int = 10_000
    """Files, and as many directories."""

    def of_version(self) -> VersionLimits:
        """Return the same limits for the directory that is packed."""
        return VersionLimits(self.files, self.total_bytes)


def check_path(path: str) -> None:
    """Check the path of one file: relative, with parts joined by `/`. Raises ArchiveNameError."""
    if path.startswith("/"):
        raise ArchiveNameError(
            ArchiveReason.NAME_ABSOLUTE,
            Text("{path} is an absolute path; name it relative to the bot's directory", path=quote_path(path)),
        )
    size_bytes = len(path.encode("utf-8", "surrogatepass"))
    parts = path.split("/")
    if size_bytes > MOST_PATH_BYTES or len(parts) > MOST_PARTS:
        raise ArchiveNameError(
            ArchiveReason.NAME_TOO_LONG,
            Text(
                "{path} has over {bytes} bytes or {parts} parts; shorten it",
                path=quote_path(path),
                bytes=MOST_PATH_BYTES,
                parts=MOST_PARTS,
            ),
        )
    for part in parts:
        _check_part(part, path)


def quote_path(path: str) -> str:
    """Return a path for a message: quoted, without control characters, cut if it is very long."""
    text = repr(path)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."


class NameTree:
    """The files and directories of one archive; it finds what cannot lie side by side on every file system."""

    def __init__(self, most_directories: int) -> None:
        self._most_directories = most_directories
        self._directories = 0
        # (number of the directory above, folded name) -> (name as written, number if it is a directory, else 0)
        self._known: dict[tuple[int, str], tuple[str, int]] = {}

    def add(self, path: str) -> None:
        """Note a file, whose path is checked already. Raises ArchiveNameError or ArchiveSizeError."""
        *above, name = path.split("/")
        inside = 0
        for part in above:
            inside = self._enter(inside, part, path)
        key = (inside, _folded(name))
        if key in self._known:
            raise self._clash(key, name, path)
        self._known[key] = (name, 0)

    def _enter(self, inside: int, part: str, path: str) -> int:
        key = (inside, _folded(part))
        written, number = self._known.get(key, (part, -1))
        if number == -1:
            return self._new_directory(key, part)
        if written != part or number == 0:
            raise self._clash(key, part, path, is_directory=True)
        return number

    def _new_directory(self, key: tuple[int, str], part: str) -> int:
        self._directories += 1
        if self._directories > self._most_directories:
            raise ArchiveSizeError(
                ArchiveReason.TOO_MANY_FILES,
                Text(
                    "the bot has over {count} directories; keep only what it needs to run", count=self._most_directories
                ),
            )
        self._known[key] = (part, self._directories)
        return self._directories

    def _clash(self, key: tuple[int, str], name: str, path: str, *, is_directory: bool = False) -> ArchiveNameError:
        written, number = self._known[key]
        if written != name:
            what = Text(
                "{path} differs from {other} beside it only in ways that some file systems ignore; rename one",
                path=quote_path(path),
                other=quote_path(written),
            )
            return ArchiveNameError(ArchiveReason.NAMES_COLLIDE, what)
        if is_directory != (number > 0):
            what = Text(
                "{path} needs {name} to be a file and a directory; rename one",
                path=quote_path(path),
                name=quote_path(name),
            )
            return ArchiveNameError(ArchiveReason.NAME_FILE_AND_DIRECTORY, what)
        what = Text("{path} is there twice; pack the bot again", path=quote_path(path))
        return ArchiveNameError(ArchiveReason.NAME_TWICE, what)


def check_paths(paths: Iterable[str], most_directories: int) -> None:
    """Check the paths of all files of a bot, alone and together. Raises ArchiveNameError or ArchiveSizeError."""
    tree = NameTree(most_directories)
    for path in paths:
        check_path(path)
        tree.add(path)


def _check_part(part: str, path: str) -> None:
    if not part or part == ".":
        raise ArchiveNameError(
            ArchiveReason.NAME_EMPTY_PART,
            Text("{path} has an empty part; leave it out", path=quote_path(path)),
        )
    if part == "..":
        raise ArchiveNameError(
            ArchiveReason.NAME_LEAVES,
            Text("{path} has a part '..'; leave it out", path=quote_path(path)),
        )
    if len(part.encode("utf-8", "surrogatepass")) > MOST_PART_BYTES:
        raise ArchiveNameError(
            ArchiveReason.NAME_TOO_LONG,
            Text("{path} has a part of over {bytes} bytes; shorten it", path=quote_path(path), bytes=MOST_PART_BYTES),
        )
    if any("\ud800" <= character <= "\udfff" for character in part):
        raise ArchiveNameError(
            ArchiveReason.NAME_NOT_UTF8,
            Text("{path} is not UTF-8; rename it", path=quote_path(path)),
        )
    if not part.isprintable() and any(unicodedata.category(character) in _UNPRINTABLE for character in part):
        raise ArchiveNameError(
            ArchiveReason.NAME_UNPRINTABLE,
            Text("{path} has a control character or an invisible one; rename it", path=quote_path(path)),
        )
    if "\\" in part:
        raise ArchiveNameError(
            ArchiveReason.NAME_BACKSLASH,
            Text("{path} has a backslash; rename it", path=quote_path(path)),
        )
    if is_left_out(part):
        raise ArchiveNameError(
            ArchiveReason.NAME_HIDDEN,
            Text("{path} is hidden, and hidden files are never part of a bot; rename it", path=quote_path(path)),
        )
    if part[-1] in ". ":
        raise ArchiveNameError(
            ArchiveReason.NAME_ENDS_BADLY,
            Text("{path} has a part that ends with a dot or a space; rename it", path=quote_path(path)),
        )


def _folded(name: str) -> str:
    """Return what names have in common that a file system may take for one: Unicode's canonical caseless match."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def header(path: str, size_bytes: int, *, executable: bool) -> bytes:
    """Return all blocks that stand before the bytes of a file. The path is checked and the size below 8 GiB."""
    name, mode = path.encode(), EXECUTABLE if executable else PLAIN
    if len(name) <= NAME.stop and name.isascii():
        return _block(name, mode, size_bytes, FILE)
    record = _record(name)
    extended = _block(_TOLD_ELSEWHERE, PLAIN, len(record), EXTENDED) + record + bytes(padding_bytes(len(record)))
    return extended + _block(_TOLD_ELSEWHERE, mode, size_bytes, FILE)


def padding_bytes(size_bytes: int) -> int:
    """Return how many zero bytes stand after so many bytes, up to the next whole block."""
    return -size_bytes % BLOCK_BYTES


def checksum_is_right(block: bytes) -> bool:
    """Return whether a block of a header carries its own checksum."""
    return block[CHECKSUM] == _checksum(block)


def _block(name: bytes, mode: bytes, size_bytes: int, kind: bytes) -> bytes:
    size = b"%011o\0" % size_bytes
    owner = _ZERO_8 + _ZERO_8
    start = name.ljust(100, b"\0") + mode + owner + size + _ZERO_12
    end = kind + bytes(100) + USTAR + bytes(247)
    return start + _checksum(start + _BLANK_CHECKSUM + end) + end


def _checksum(block: bytes) -> bytes:
    total = sum(block) - sum(block[CHECKSUM]) + sum(_BLANK_CHECKSUM)
    return b"%06o\0 " % total


def _record(name: bytes) -> bytes:
    """Return the record of an extended header that tells a path; it begins with its own length."""
    rest = b" path=" + name + b"\n"
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest


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
