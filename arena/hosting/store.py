"""Keeps versions of bots: immutable directories named by the hash of their content. Files only, no database.

BotDirectoryError (manifest.py)
└── BotFilesError     a link that leaves the directory, a device, too many or too large files
StoreError            a version that is not in the store, or was changed there
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from arena.hosting.manifest import BotDirectoryError, BotManifest, load_manifest

STORE_SUFFIX = ".bots"
IGNORED_DIRECTORY = "__pycache__"
_CHUNK_BYTES = 1 << 20
_ADD_AGAIN = "remove that directory and add the bot again"
_CHECK_PERMISSIONS = "check its permissions"
# Directories under construction, hidden so that none is mistaken for a version.
_BUILDING_PREFIX = ".adding-"
_ABANDONED_AFTER_S = 3600


class BotFilesError(BotDirectoryError):
    """The files of a bot cannot be stored."""


class StoreError(Exception):
    """A version is not in the store, or was changed there."""


@dataclass(frozen=True, slots=True)
class VersionLimits:
    """How much one version may hold."""

    files: int = 10_000
    total_bytes: int = 512 << 20


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version in the store."""

    hash: str
    directory: Path
    manifest: BotManifest


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    """Relative to the bot's directory, with parts joined by `/`."""
    source: Path
    executable: bool


def content_hash(directory: Path, limits: VersionLimits | None = None) -> str:
    """Return the identity of a version: SHA-256 (hex) of the sorted list of (path, executable bit, file hash).

    Hidden files and `__pycache__` do not count. Raises BotFilesError.
    """
    files = _files(directory, limits or VersionLimits())
    return _hash_of((file, _hash_file(file.source)) for file in files)


class VersionStore:
    """A directory of versions. Adding is atomic and may be done by several processes at once."""

    def __init__(self, root: Path, limits: VersionLimits | None = None) -> None:
        self.root = root
        self._limits = limits or VersionLimits()

    @classmethod
    def of_database(cls, database: Path) -> VersionStore:
        """Return the store that belongs to a database file: `X.bots` beside `X.db`."""
        return cls(database.with_suffix(STORE_SUFFIX))

    def directory(self, version_hash: str) -> Path:
        """Return where a version lies, or would lie."""
        return (self.root / version_hash).absolute()

    def add(self, directory: Path) -> StoredVersion:
        """Copy a bot into the store and return its version; nothing changes if it is there already.

        Raises ManifestError or BotFilesError if the directory holds no bot, StoreError if the copy cannot be made.
        """
        load_manifest(directory)
        files = _files(directory, self._limits)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self._remove_abandoned()
            return self._add_files(files)
        except OSError as error:
            raise StoreError(
                f"{self.root}: the bot cannot be stored ({error.strerror}); check space and permissions there"
            ) from error

    def get(self, version_hash: str) -> StoredVersion:
        """Return the version with that hash, after checking its files. Raises StoreError."""
        directory = self.directory(version_hash)
        if not directory.is_dir():
            raise StoreError(f"{directory}: the files of this version are missing; add the bot again")
        try:
            unchanged = content_hash(directory, self._limits) == version_hash
            manifest = load_manifest(directory)
        except (BotDirectoryError, OSError) as error:
            raise StoreError(f"{directory}: the stored files are damaged: {error}; {_ADD_AGAIN}") from error
        if not unchanged:
            raise StoreError(f"{directory}: the stored files were changed; {_ADD_AGAIN}")
        return StoredVersion(version_hash, directory, manifest)

    def _add_files(self, files: list[_File]) -> StoredVersion:
        building = Path(tempfile.mkdtemp(prefix=_BUILDING_PREFIX, dir=self.root))
        try:
            version_hash = _hash_of([(file, _copy(file, building)) for file in files])
            for inner in (building, *building.rglob("*/")):
                inner.chmod(0o755)  # whatever the umask: if root runs the sandbox, another user reads them
            _rename_unless_there(building, self.directory(version_hash))
        finally:
            shutil.rmtree(building, ignore_errors=True)
        return self.get(version_hash)

    def _remove_abandoned(self) -> None:
        """Remove old half-made copies that killed processes left; a recent one may still be in the making."""
        for left in self.root.glob(f"{_BUILDING_PREFIX}*"):
            with suppress(FileNotFoundError):  # finished meanwhile
                if time.time() - left.stat().st_mtime > _ABANDONED_AFTER_S:
                    shutil.rmtree(left, ignore_errors=True)


def _files(directory: Path, limits: VersionLimits) -> list[_File]:
    """Return the files that make up a bot, sorted by path. Raises BotFilesError."""
    try:
        return sorted(_limited(directory, limits), key=lambda file: file.path)
    except OSError as error:
        raise BotFilesError(f"{error.filename}: cannot be read ({error.strerror}); {_CHECK_PERMISSIONS}") from error


def _limited(directory: Path, limits: VersionLimits) -> list[_File]:
    files: list[_File] = []
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


def _walk(directory: Path, root: Path, prefix: str) -> Iterator[_File]:
    with os.scandir(directory) as scan:
        entries = list(scan)
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if entry.name.startswith(".") or entry.name == IGNORED_DIRECTORY:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), root, f"{path}/")
        else:
            yield _regular_file(entry, root, path)


def _regular_file(entry: os.DirEntry[str], root: Path, path: str) -> _File:
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
    return _File(path, Path(entry.path), bool(mode & stat.S_IXUSR))


def _hash_file(path: Path) -> str:
    with _open(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise BotFilesError(f"{path}: cannot be read ({error.strerror}); {_CHECK_PERMISSIONS}") from error


def _hash_of(files: Iterator[tuple[_File, str]] | list[tuple[_File, str]]) -> str:
    """Return the hash of (path, executable bit, file hash) as JSON lines; the files must be sorted."""
    digest = hashlib.sha256()
    for file, file_hash in files:
        digest.update(json.dumps([file.path, file.executable, file_hash]).encode() + b"\n")
    return digest.hexdigest()


def _copy(file: _File, directory: Path) -> str:
    """Copy one file, read-only, and return the hash of the bytes written, whatever happens to the source meanwhile."""
    target = directory / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with _open(file.source) as source, target.open("xb") as copy:
        while chunk := source.read(_CHUNK_BYTES):
            digest.update(chunk)
            copy.write(chunk)
    target.chmod(0o555 if file.executable else 0o444)
    return digest.hexdigest()


def _rename_unless_there(building: Path, target: Path) -> None:
    try:
        building.rename(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
