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

from arena.hosting.manifest import BotDirectoryError

IGNORED_DIRECTORY = "__pycache__"
_CHECK_PERMISSIONS = "check its permissions"


class BotFilesError(BotDirectoryError):
    """The files of a bot cannot be stored."""


@dataclass(frozen=True, slots=True)
class VersionLimits:
    """How much one version may hold."""

    files: int = 10_000
    total_bytes: int = 512 << 20


@dataclass(frozen=True, slots=True)
class BotFile:
    """One file of a version."""

    path: str
    """Relative to the bot's directory, with parts joined by `/`."""
    source: Path
    executable: bool


def content_hash(directory: Path, limits: VersionLimits | None = None) -> str:
    """Return the identity of a version: SHA-256 (hex) of the sorted list of (path, executable bit, file hash).

    Hidden files and `__pycache__` do not count. Raises BotFilesError.
    """
    files = list_files(directory, limits or VersionLimits())
    return hash_files((file.path, file.executable, _hash_file(file.source)) for file in files)


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
    """Return the files that make up a bot, sorted by path. Raises BotFilesError."""
    try:
        return sorted(_limited(directory, limits), key=lambda file: file.path)
    except OSError as error:
        raise BotFilesError(f"{error.filename}: cannot be read ({error.strerror}); {_CHECK_PERMISSIONS}") from error


def open_file(path: Path) -> BufferedReader:
    """Return a file of a bot, opened for reading. Raises BotFilesError."""
    try:
        return path.open("rb")
    except OSError as error:
        raise BotFilesError(f"{path}: cannot be read ({error.strerror}); {_CHECK_PERMISSIONS}") from error


def _limited(directory: Path, limits: VersionLimits) -> list[BotFile]:
    files: list[BotFile] = []
    total_bytes = 0
    for file in _walk(directory.absolute(), directory.resolve(), ""):
        files.append(file)
        total_bytes += file.source.stat().st_size
        if len(files) > limits.files:
            raise BotFilesError(f"{directory}: holds over {limits.files} files; keep only what the bot needs to run")
        if total_bytes > limits.total_bytes:
            raise BotFilesError(
                f"{directory}: holds over {limits.total_bytes >> 20} MiB; keep only what the bot needs to run"
            )
    return files


def _walk(directory: Path, root: Path, prefix: str) -> Iterator[BotFile]:
    with os.scandir(directory) as scan:
        entries = list(scan)
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if is_left_out(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), root, f"{path}/")
        else:
            yield _regular_file(entry, root, path)


def _regular_file(entry: os.DirEntry[str], root: Path, path: str) -> BotFile:
    """Return a file; a link to a file of the same bot is stored as that file. Raises BotFilesError."""
    if entry.is_symlink():
        target = Path(os.path.realpath(entry.path))  # unlike Path.resolve, it does not raise for a loop
        if not target.is_relative_to(root):
            raise BotFilesError(f"{entry.path}: is a link that leaves the bot's directory; put a copy in its place")
        if not target.is_file():
            raise BotFilesError(f"{entry.path}: is a link to no file of the bot; put a copy in its place")
    mode = entry.stat().st_mode
    if not stat.S_ISREG(mode):
        raise BotFilesError(f"{entry.path}: is neither a file nor a directory; remove it")
    return BotFile(path, Path(entry.path), bool(mode & stat.S_IXUSR))


def _hash_file(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
