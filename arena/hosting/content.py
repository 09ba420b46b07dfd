"""Says which files of a directory make up a version of a bot, and what its identity is. Reads files, writes none."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from arena.hosting.manifest import BotDirectoryError
from arena.hosting.safe_open import open_directory, open_inner, open_regular, without_links
from engine.os_errors import os_error_text
from engine.translatable import Text, placed

IGNORED_DIRECTORY = "__pycache__"
MOST_DEPTH = 64
"""No file of a bot lies below more directories, its own included."""
MOST_ENTRIES = 1_000_000
"""No directory is looked through further, whatever lies in it."""
_CHUNK_BYTES = 1 << 20
_NO_LINK = Text("is a link to no file of the bot; put a copy in its place")
_CHECK_PERMISSIONS = Text("check its permissions")


class BotFilesError(BotDirectoryError):
    """The files of a bot cannot be stored."""

    reason = "BOT_FILES"


@dataclass(frozen=True, slots=True)
class VersionLimits:
    """How much one version may hold."""

    files: int = 10_000
    total_bytes: int = 512 << 20


class FileIdentity(NamedTuple):
    """What a file was when it was looked at: another one in its place, or one that grew, is told by it."""

    device: int
    inode: int
    size_bytes: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        """Return what was seen."""
        return cls(status.st_dev, status.st_ino, status.st_size)


@dataclass(frozen=True, slots=True)
class BotFile:
    """One file of a version."""

    path: str
    """Relative to the bot's directory, with parts joined by `/`."""
    executable: bool
    directory: Path
    """The bot's."""
    real_path: str
    """Where its content lies in it, without a link on the way."""
    look: FileIdentity

    @property
    def source(self) -> Path:
        """Where it lies, for people."""
        return self.directory / self.path


def content_hash(directory: Path, limits: VersionLimits | None = None) -> str:
    """Return the identity of a version: SHA-256 (hex) of the sorted list of (path, executable bit, file hash).

    Hidden files and `__pycache__` do not count. Raises BotFilesError.
    """
    files = list_files(directory, limits or VersionLimits())
    return hash_files((file.path, file.executable, _hash_file(file)) for file in files)


def hash_files(files: Iterable[tuple[str, bool, str]]) -> str:
    """Return the hash of (path, executable bit, file hash) as JSON lines; the files must be sorted by path."""
    digest = hashlib.sha256()
    for path, executable, file_hash in files:
        digest.update(json.dumps([path, executable, file_hash]).encode() + b"\n")
    return digest.hexdigest()


def is_left_out(name: str) -> bool:
    """Return whether a file or directory of this name is never part of a version."""
    return name.startswith(".") or name == IGNORED_DIRECTORY


def list_files(directory: Path, limits: VersionLimits) -> list[BotFile]:
    """Return the files that make up a bot, sorted by path, as they are now. Raises BotFilesError."""
    files, total_bytes = list[BotFile](), 0
    try:
        for file in _Walk(directory).files():
            files.append(file)
            total_bytes += file.look.size_bytes
            if len(files) > limits.files:
                why = Text("holds over {count} files; keep only what the bot needs to run", count=limits.files)
                raise BotFilesError(placed(directory, why))
            if total_bytes > limits.total_bytes:
                most_mb = limits.total_bytes >> 20
                why = Text("holds over {count} MiB; keep only what the bot needs to run", count=most_mb)
                raise BotFilesError(placed(directory, why))
    except OSError as error:
        raise _unreadable(error.filename or directory, error) from error
    return sorted(files, key=lambda file: file.path)


def open_file(file: BotFile) -> BufferedReader:
    """Return a file of a bot, opened for reading: that which was listed, and nothing that has taken its place since.

    Raises BotFilesError.
    """
    try:
        opened = os.fdopen(open_regular(file.directory, file.real_path), "rb")
    except PermissionError as error:
        raise _unreadable(file.source, error) from error
    except OSError as error:
        raise changed(file) from error
    if FileIdentity.of(os.fstat(opened.fileno())) == file.look:
        return opened
    opened.close()
    raise changed(file)


def _unreadable(place: object, error: OSError) -> BotFilesError:
    problem = Text("cannot be read ({why}); {remedy}", why=os_error_text(error), remedy=_CHECK_PERMISSIONS)
    return BotFilesError(placed(place, problem))


def read_chunks(file: BotFile) -> Iterator[bytes]:
    """Yield the content of a file, which is exactly as long as it was when it was listed. Raises BotFilesError."""
    left = file.look.size_bytes
    with open_file(file) as source:
        # One byte more is asked for than is wanted, which finds a file that grew.
        while chunk := source.read(min(_CHUNK_BYTES, left + 1)):
            left -= len(chunk)
            if left < 0:
                break
            yield chunk
    if left:
        raise changed(file)


def changed(file: BotFile) -> BotFilesError:
    """Return the error for a file that is no more what was listed."""
    return BotFilesError(placed(file.source, Text("changed while it was read; try again when nothing writes there")))


class _Walk:
    """One walk through a directory, each directory in it opened by its name in the one above, no link followed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._owner = -1
        self._entries = 0

    def files(self) -> Iterator[BotFile]:
        """Yield every file. Raises BotFilesError, OSError."""
        root = open_directory(self._directory)
        self._owner = os.fstat(root).st_uid
        yield from self._below(root, "", 1)

    def _below(self, place: int, prefix: str, depth: int) -> Iterator[BotFile]:
        """Yield the files below an open directory, which is closed at the end."""
        try:
            for entry in self._scan(place, prefix):
                path = f"{prefix}{entry.name}"
                if not entry.is_dir(follow_symlinks=False):
                    yield self._file(entry, path)
                elif depth >= MOST_DEPTH:
                    why = Text("is deeper than {most} directories; keep what the bot needs to run", most=MOST_DEPTH)
                    raise BotFilesError(placed(self._directory, why))
                else:
                    yield from self._below(open_inner(place, entry.name), f"{path}/", depth + 1)
        finally:
            os.close(place)

    def _scan(self, place: int, prefix: str) -> list[os.DirEntry[str]]:
        found = []
        with os.scandir(place) as scan:
            for entry in scan:
                self._entries += 1
                if self._entries > MOST_ENTRIES:
                    why = Text("over {most} entries; keep only what the bot needs to run", most=MOST_ENTRIES)
                    raise BotFilesError(placed(self._directory / prefix, why))
                if not is_left_out(entry.name):
                    found.append(entry)
        return found

    def _file(self, entry: os.DirEntry[str], path: str) -> BotFile:
        """Return a file; a link to a file of the same bot is stored as that file. Raises BotFilesError."""
        source, real_path = self._directory / path, path
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            inside = without_links(self._directory, path)
            if inside is None:
                why = Text("is a link that leaves the bot's directory; put a copy in its place")
                raise BotFilesError(placed(source, why))
            real_path = inside
            try:
                status = (self._directory / inside).lstat()
            except OSError:
                raise BotFilesError(placed(source, _NO_LINK)) from None
            if not stat.S_ISREG(status.st_mode):
                raise BotFilesError(placed(source, _NO_LINK))
        if not stat.S_ISREG(status.st_mode):
            raise BotFilesError(placed(source, Text("is neither a file nor a directory; remove it")))
        if status.st_nlink > 1 and status.st_uid != self._owner:
            why = Text("is a second name of another user's file; put a copy in its place")
            raise BotFilesError(placed(source, why))
        return BotFile(path, bool(status.st_mode & stat.S_IXUSR), self._directory, real_path, FileIdentity.of(status))


def _hash_file(file: BotFile) -> str:
    digest = hashlib.sha256()
    for chunk in read_chunks(file):
        digest.update(chunk)
    return digest.hexdigest()
