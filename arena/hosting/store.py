"""Keeps versions of bots: immutable directories named by the hash of their content. Files only, no database.

A version's directory appears at once with all its files, which are read-only, and never changes after that until it
disappears at once. So whoever copies the store while it is used copies whole versions, and a name that was copied once
need never be copied again; hidden names in the store are no versions. The time of a version's directory tells when it
was last added.

BotDirectoryError (manifest.py)
└── BotFilesError (content.py)   a link that leaves the directory, a device, too many or too large files
StoreError                       a version that is not in the store, was changed there, or cannot be stored
"""

from __future__ import annotations

import fcntl
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from arena.hosting import atomic_directory
from arena.hosting.content import BotFile, VersionLimits, content_hash, hash_files, list_files, read_chunks
from arena.hosting.manifest import BotDirectoryError, BotManifest, NoExecError, load_manifest
from engine.os_errors import os_error_text
from engine.translatable import Text, placed

STORE_SUFFIX = ".bots"
ABANDONED_AFTER_S = 3600.0
_ADD_AGAIN = Text("remove that directory and add the bot again")
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)


class StoreError(Exception):
    """A version is not in the store, was changed there, or cannot be stored."""

    kind: ClassVar[str] = "unavailable"
    reason: ClassVar[str] = "STORE"


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version in the store."""

    hash: str
    directory: Path
    manifest: BotManifest


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
        files = list_files(directory, self._limits)
        return self.add_filled(lambda empty: hash_files([copy_file(file, empty) for file in files]))

    def add_filled(self, fill: Callable[[Path], str]) -> StoredVersion:
        """Store the files that `fill` writes into the empty directory it is given; it returns their content hash.

        Nothing is stored if `fill` raises, and nothing changes if that version is there already. Raises StoreError if
        the files cannot be written; other errors of `fill` pass.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self.sweep(ABANDONED_AFTER_S)
            with atomic_directory.building_directory(self.root) as directory:
                version_hash = fill(directory)
                atomic_directory.publish(directory, self.directory(version_hash))
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text(
                        "the bot cannot be stored ({why}); check space and permissions there", why=os_error_text(error)
                    ),
                )
            ) from error
        return self.get(version_hash)

    def get(self, version_hash: str) -> StoredVersion:
        """Return the version with that hash, after checking its files. Raises StoreError."""
        directory = self.directory(version_hash)
        if not directory.is_dir():
            raise StoreError(
                placed(
                    directory,
                    Text("the files of this version are missing; add the bot again"),
                )
            )
        try:
            unchanged = content_hash(directory, self._limits) == version_hash
            manifest = load_manifest(directory)
        except NoExecError as error:
            raise StoreError(str(error)) from error
        except (BotDirectoryError, OSError) as error:
            raise StoreError(
                placed(
                    directory,
                    Text("the stored files are damaged: {why}; {remedy}", why=error, remedy=_ADD_AGAIN),
                )
            ) from error
        if not unchanged:
            raise StoreError(
                placed(
                    directory,
                    Text("the stored files were changed; {remedy}", remedy=_ADD_AGAIN),
                )
            )
        return StoredVersion(version_hash, directory, manifest)

    def hashes(self) -> list[str]:
        """Return the hashes of all versions in the store, sorted, unchecked. Raises StoreError."""
        try:
            return sorted(path.name for path in self.root.iterdir() if _HASH.fullmatch(path.name))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text("cannot be read ({why}); check its permissions", why=os_error_text(error)),
                )
            ) from error

    def stored_bytes(self, version_hash: str) -> int:
        """Return the sum of the sizes of a version's files; 0 if it is not in the store. Raises StoreError."""
        directory = self.directory(version_hash)
        try:
            return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        except OSError as error:
            raise StoreError(
                placed(
                    directory,
                    Text("cannot be read ({why}); check its permissions", why=os_error_text(error)),
                )
            ) from error

    def remove(self, version_hash: str) -> bool:
        """Remove a version, at once for everybody who looks; return whether it was there. Raises StoreError.

        The caller knows that nothing refers to it any more and that nobody is adding it at this moment.
        """
        if not _HASH.fullmatch(version_hash):
            raise StoreError(Text("{text} is no hash of a version; name one in full", text=repr(version_hash)))
        try:
            return atomic_directory.unpublish(self.directory(version_hash))
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text(
                        "{version} cannot be removed ({why}); check the permissions there",
                        version=version_hash,
                        why=os_error_text(error),
                    ),
                )
            ) from error

    def discard(self, version_hash: str, is_used: Callable[[str], bool]) -> bool:
        """Remove a version unless it is used, which is asked while nobody can add it; return whether it was removed.

        Whoever has stored it but not yet written down that it is used must add it again. Raises StoreError.
        """
        try:
            return atomic_directory.unpublish_unless(self.directory(version_hash), is_used, 0.0)
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text(
                        "{version} cannot be removed ({why}); check the permissions there",
                        version=version_hash,
                        why=os_error_text(error),
                    ),
                )
            ) from error

    def renew(self, version_hash: str) -> bool:
        """Have a version count as added now; return whether it is in the store. Raises StoreError."""
        try:
            return atomic_directory.renew(self.directory(version_hash))
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text("cannot be used ({why}); check its permissions", why=os_error_text(error)),
                )
            ) from error

    def collect(self, is_used: Callable[[str], bool], older_than_s: float = ABANDONED_AFTER_S) -> list[str]:
        """Remove the versions that are not used and were last added so long ago; return their hashes.

        `is_used` is asked while nobody can add the version. So whoever adds one has `older_than_s` seconds to write
        down that it is used, also one that lay in the store unused before. Raises StoreError.
        """
        try:
            return [
                name
                for name in self.hashes()
                if atomic_directory.unpublish_unless(self.directory(name), is_used, older_than_s)
            ]
        except OSError as error:
            raise StoreError(
                placed(
                    self.root,
                    Text("versions cannot be removed ({why}); check the permissions there", why=os_error_text(error)),
                )
            ) from error

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Have nobody collect versions as long as the block runs; versions may be added. Raises OSError."""
        with atomic_directory.locked(self.root, fcntl.LOCK_SH):
            yield

    def sweep(self, older_than_s: float) -> None:
        """Remove what killed processes left half made, unless it was touched in the last `older_than_s` seconds."""
        atomic_directory.sweep(self.root, older_than_s)


def copy_file(file: BotFile, directory: Path) -> tuple[str, bool, str]:
    """Copy one file and return its part of the hash: of the bytes written, whatever happens to the source meanwhile."""
    file_hash = atomic_directory.write_file(directory / file.path, read_chunks(file), executable=file.executable)
    return file.path, file.executable, file_hash
