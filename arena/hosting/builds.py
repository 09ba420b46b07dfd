"""Keeps what build commands made: for each version and runtime a directory that never changes. Files only.

`<version>-<runtime>/` holds the files, `.json` beside it their hash, `.log` what the command said, also if it failed.
A directory appears at once with all its files, after its record.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path

from arena.hosting import atomic_directory
from arena.hosting.content import BotFilesError, VersionLimits, content_hash, hash_files, list_files
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.store import StoreError, copy_file
from engine.translatable import Text, placed

BUILDS_SUFFIX = ".builds"
BUILD_LIMITS = VersionLimits(files=20_000, total_bytes=512 << 20)
_NAME = re.compile(r"[0-9a-f]{64}-[0-9a-f]{64}", re.ASCII)
_FILES = "files"
_LONGEST_PATH = 1024
_AGE_S = 1_000_000_000  # when all files of a private copy were changed last: long ago, in seconds since 1970


class BuildMissingError(StoreError):
    """A version is not built for its runtime as that is now; the message says how to build it."""


@dataclass(frozen=True, slots=True)
class Built:
    """What the build command of a version made."""

    version: str
    """The content hash of the version."""
    runtime: str
    """The hash of the runtime in which it was built."""
    hash: str
    """The content hash of what is there now."""
    directory: Path
    seconds: float
    """How long the command ran."""


@dataclass(frozen=True, slots=True)
class BuildText:
    """What the last try to build a version said."""

    runtime: str
    """The hash of the runtime in which that was tried."""
    written_at_us: int
    text: str


class BuildStore:
    """A directory of built versions. Several processes may use it at once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def directory(self, version: str, runtime: str) -> Path:
        """Return where a built version lies, or would lie."""
        return (self.root / f"{version}-{runtime}").absolute()

    def get(self, version: str, runtime: str) -> Built | None:
        """Return what was built, after checking its files; None if it was not built. Raises StoreError."""
        directory = self.directory(version, runtime)
        if not directory.is_dir():
            return None
        remedy = Text("remove that directory, then it is built again")
        try:
            record = json.loads(self._beside(directory, "json").read_text(encoding="ascii"))
            unchanged = content_hash(directory, BUILD_LIMITS) == record["hash"]
        except (BotDirectoryError, OSError, ValueError, KeyError) as error:
            why = Text("the built files are damaged: {why}; {remedy}", why=error, remedy=remedy)
            raise StoreError(placed(directory, why)) from error
        if not unchanged:
            raise StoreError(placed(directory, Text("the built files were changed; {remedy}", remedy=remedy)))
        return Built(version, runtime, record["hash"], directory, record["seconds"])

    def log(self, version: str, runtime: str) -> str | None:
        """Return what the last try to build a version said, also one that failed; None if there was none."""
        try:
            return self._beside(self.directory(version, runtime), "log").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def newest_log(self, version: str) -> BuildText | None:
        """Return what the last try to build a version said in whichever runtime; None if there was none."""
        found = [text for path in self.root.glob(f"{version}-*.log") if (text := _read_text(path)) is not None]
        return max(found, key=attrgetter("written_at_us"), default=None)

    def write_log(self, version: str, runtime: str, text: str) -> None:
        """Keep what a try to build a version said, in place of an earlier one. Raises OSError."""
        _write(self._beside(self.directory(version, runtime), "log"), text.encode("utf-8", "replace"))

    @contextmanager
    def workplace(self, source: Path) -> Iterator[Path]:
        """Give a private copy of a directory, which its owner may change, and remove it at the end. Raises OSError.

        All files are of one age, so that a build does not depend on when they were stored.
        """
        with atomic_directory.building_directory(self.root) as place:
            files = place / _FILES
            shutil.copytree(source, files)
            for path in (files, *files.rglob("*")):
                path.chmod(path.stat().st_mode | 0o200)
                os.utime(path, (_AGE_S, _AGE_S))
            yield files

    def keep(self, version: str, runtime: str, files: Path, seconds: float) -> Built:
        """Store the files that a build left, and return them as they are stored. The caller has locked the build.

        Raises BotFilesError if they cannot be stored, OSError if this machine cannot.
        """
        target = self.directory(version, runtime)
        found = list_files(files, BUILD_LIMITS)
        if longest := next((file.path for file in found if len(os.fsencode(file.path)) > _LONGEST_PATH), None):
            why = Text("is a path of over {bytes} bytes; choose shorter names", bytes=_LONGEST_PATH)
            raise BotFilesError(placed(f"{longest[:60]}...", why))
        with atomic_directory.building_directory(self.root) as output:
            built_hash = hash_files([copy_file(file, output) for file in found])
            if built_hash == version:
                raise BotFilesError(Text("it made no new file and changed none; let it write into the bot's directory"))
            built = Built(version, runtime, built_hash, target, seconds)
            _write(self._beside(target, "json"), json.dumps({**asdict(built), "directory": target.name}).encode())
            atomic_directory.publish(output, target)
        return built

    @contextmanager
    def lock(self, version: str, runtime: str) -> Iterator[bool]:
        """Tell whether nobody else builds the same now; then nobody does until the block ends. Raises OSError."""
        self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        path = self._beside(self.directory(version, runtime), "lock")
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            is_ours = True
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_ours = False
            yield is_ours
        finally:
            os.close(descriptor)

    def versions(self) -> frozenset[str]:
        """Return the versions of which something was built, or only a log is there."""
        found = (path.name.partition(".")[0] for path in self.root.glob("*"))
        return frozenset(name.partition("-")[0] for name in found if _NAME.fullmatch(name))

    def remove(self, version: str) -> int:
        """Remove what was built of a version, with its logs, and return in how many runtimes that was. Raises OSError.

        The caller knows that nobody needs or builds it any more.
        """
        removed = 0
        for path in self.root.glob(f"{version}-*"):
            if _NAME.fullmatch(path.name):
                removed += atomic_directory.unpublish(path)
            else:
                path.unlink(missing_ok=True)
        return removed

    def stored_bytes(self) -> int:
        """Return the sum of the sizes of all files."""
        sizes = 0
        for path in self.root.rglob("*"):
            with suppress(FileNotFoundError):
                sizes += path.stat().st_size if path.is_file() else 0
        return sizes

    def sweep(self) -> None:
        """Remove what killed processes left half made."""
        atomic_directory.sweep(self.root, 0)

    def _beside(self, directory: Path, suffix: str) -> Path:
        return directory.with_name(f"{directory.name}.{suffix}")


def _read_text(path: Path) -> BuildText | None:
    """Return a log, or None if it was removed meanwhile."""
    try:
        with path.open(encoding="utf-8") as file:
            return BuildText(path.stem.partition("-")[2], os.fstat(file.fileno()).st_mtime_ns // 1000, file.read())
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is there with all its content or not at all."""
    unfinished = path.with_name(f".{path.name}")
    unfinished.write_bytes(data)
    unfinished.replace(path)
