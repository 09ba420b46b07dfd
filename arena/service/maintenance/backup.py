"""Copies a home into one archive while its service runs: a tar file that ends with the hashes of all its files."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from arena.hosting.content import BotFilesError, VersionLimits, list_files, open_file
from arena.hosting.store import VersionStore
from arena.service.home import Home
from arena.service.startup_errors import DaemonError
from engine.translatable import Text
from ratings.errors import DatabaseFullError
from ratings.ledger.copying import copy_database
from ratings.read.bots import held_versions
from ratings.read.retention import HeldCounts, held_counts
from ratings.store.database import backup, open_database, schema_revision
from ratings.store.urls import without_password

FORMAT = 1
HEADER = "arena-home.json"
MANIFEST = "manifest.json"
MANIFEST_HASH = "manifest.sha256"
SETTINGS = "settings.toml"
DATABASE = "arena.db"
KEY = "arena.key"
STORE = "arena.bots"
BUILDS = "builds"
TLS = "tls"
SUFFIXES = {".tar": False, ".tar.gz": True, ".tgz": True}
"""How the name of an archive ends, and whether it is compressed then."""
MOST_SMALL_BYTES = 256 << 20
"""No header and no manifest is larger."""
_HASH = "[0-9a-f]{64}"
_PLACES = re.compile(
    rf"settings\.toml|arena\.db|arena\.key|tls/[a-z]+\.pem|arena\.bots/{_HASH}/.+|builds/{_HASH}-{_HASH}(/.+|\.json|\.log)",
    re.DOTALL,
)
_NO_LIMITS = VersionLimits(files=1 << 40, total_bytes=1 << 60)
_TOLD_EVERY = 100
_COMPRESSION = 4
"""Of zlib's levels: most of what is stored is compressed already."""
_READABLE = 0o600
_EXECUTABLE = 0o700
_URL = re.compile(r"postgres[^\s\"']*")


class HomeArchiveError(DaemonError):
    """A home cannot be backed up or restored."""


class DamagedArchiveError(HomeArchiveError):
    """The file is no archive of a home, or not as it was written."""


def is_place(name: str) -> bool:
    """Return whether a file of that name may lie in a home that is restored: nowhere else, and by no detour."""
    return _PLACES.fullmatch(name) is not None and all(
        part not in ("", ".", "..") and "\0" not in part for part in name.split("/")
    )


Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What an archive holds."""

    counts: HeldCounts
    size_bytes: int
    missing: tuple[str, ...]
    """The hashes of versions whose files the store did not have."""
    has_password: bool
    """Whether the password of a database stands in its settings."""


def back_up_home(home: Home, target: Path, report: Report = lambda _sentence: None) -> BackupSummary:
    """Write everything that a home must not lose into the new file `target`, which only its owner may read.

    `report` is told in sentences how far it is. Uploads that are not finished and log files are left out. Raises
    HomeArchiveError, with nothing left behind, also if the disk is full, and the errors of `open_database`.
    """
    need_book(home)
    if target.exists():
        raise HomeArchiveError(Text("{file} exists already; name a new file", file=target))
    if not target.parent.is_dir():
        raise HomeArchiveError(Text("there is no directory {path}; create it first", path=target.parent))
    is_compressed = next((packed for suffix, packed in SUFFIXES.items() if target.name.endswith(suffix)), None)
    if is_compressed is None:
        raise HomeArchiveError(
            Text(
                "{name} ends neither in .tar nor in .tar.gz; name for example {name_2}.tar",
                name=target.name,
                name_2=target.name,
            )
        )
    with _explained(target), tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as directory:
        unfinished = Path(directory) / "archive"
        home.store.mkdir(mode=0o700, exist_ok=True)
        with VersionStore(home.store).kept(), _new_tar(unfinished, is_compressed=is_compressed) as tar:
            held, missing = _write(home, Path(directory), ArchiveWriter(tar), report)
        # A link never replaces a file that somebody made meanwhile.
        os.link(unfinished, target)
        return BackupSummary(held, target.stat().st_size, missing, holds_password(home.settings_file))


@contextmanager
def _new_tar(path: Path, *, is_compressed: bool) -> Iterator[tarfile.TarFile]:
    """Open a new archive for its owner alone; at the end of the block it is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with ExitStack() as stack:
            packed = gzip.GzipFile("", "wb", _COMPRESSION, file, 0) if is_compressed else None
            inner = file if packed is None else stack.enter_context(packed)
            yield stack.enter_context(tarfile.open(fileobj=inner, mode="w|", format=tarfile.PAX_FORMAT))
        file.flush()
        os.fsync(descriptor)


def need_book(home: Home) -> None:
    """Raise HomeArchiveError if a directory has no database, and so is no home."""
    if not home.has_book:
        raise HomeArchiveError(
            Text(
                "{directory} is no home: it has no {name}; give that of a service",
                directory=home.directory,
                name=home.database.name,
            )
        )


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn what happens to the disk into one line."""
    try:
        yield
    except FileExistsError as error:
        raise HomeArchiveError(Text("{file} exists already; name a new file", file=target)) from error
    except (OSError, DatabaseFullError) as error:
        is_full = isinstance(error, DatabaseFullError) or error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise HomeArchiveError(
            Text(
                "{file} was not written: {why}; make room there, or name a file elsewhere; nothing was left behind",
                file=target,
                why=Text("no room is left on its disk"),
            )
            if is_full
            else Text(
                "{file} was not written: {why}; see to that, or name a file elsewhere; nothing was left behind",
                file=target,
                why=error,
            )
        ) from error


def _write(home: Home, directory: Path, writer: ArchiveWriter, report: Report) -> tuple[HeldCounts, tuple[str, ...]]:
    report(Text("copying the database"))
    file = directory / DATABASE
    database = open_database(home.book, makes=False)
    try:
        if not database.is_on_server:
            backup(database, file)
            copy = open_database(file)
        else:
            copy = open_database(file)
            copy_database(database, copy)
    finally:
        database.close()
    try:
        made_at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        header = {"format": FORMAT, "schema": schema_revision(copy), "made_at": made_at}
        counts, hashes = held_counts(copy), held_versions(copy)
    finally:
        copy.close()
    writer.add_bytes(HEADER, json.dumps(header).encode())
    writer.add_path(SETTINGS, home.settings_file)
    for path in sorted(home.tls.glob("*.pem")):
        writer.add_path(f"{TLS}/{path.name}", path)
    if home.seed_key.is_file():
        writer.add_path(KEY, home.seed_key)
    report(
        Text("packing the database ({megabytes} MB)", megabytes=f"{(directory / DATABASE).stat().st_size / 1e6:.1f}")
    )
    writer.add_path(DATABASE, directory / DATABASE)
    missing = tuple(_write_versions(home, hashes, writer, report))
    known = frozenset(hashes)
    for path in sorted(home.builds.glob("*-*")):
        version_hash, _, _ = path.name.partition("-")
        if version_hash not in known:
            continue
        if path.is_dir():
            _write_directory(path, f"{BUILDS}/{path.name}", writer)
        elif path.suffix in (".json", ".log"):
            writer.add_path(f"{BUILDS}/{path.name}", path)
    writer.finish({**header, "counts": asdict(counts), "missing": list(missing)})
    return counts, missing


def _write_versions(home: Home, hashes: list[str], writer: ArchiveWriter, report: Report) -> Iterator[str]:
    """Write the files of every version, and yield those whose files are not there."""
    for done, version_hash in enumerate(hashes):
        if done % _TOLD_EVERY == 0:
            report(Text("packing versions: {done} of {total}", done=done, total=len(hashes)))
        directory = home.store / version_hash
        if directory.is_dir():
            _write_directory(directory, f"{STORE}/{version_hash}", writer)
        else:
            report(
                Text(
                    "the files of version {version} are not in {directory}, so they are not in the archive",
                    version=version_hash,
                    directory=home.store,
                )
            )
            yield version_hash


def _write_directory(directory: Path, name: str, writer: ArchiveWriter) -> None:
    try:
        for file in list_files(directory, _NO_LIMITS):
            with open_file(file) as opened:
                writer.add_file(f"{name}/{file.path}", opened, executable=file.executable)
    except BotFilesError as error:
        raise HomeArchiveError(
            Text("the home cannot be packed: {why}; `arena db check` tells more", why=error)
        ) from error


class ArchiveWriter:
    """An archive that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._files: dict[str, list[Any]] = {}

    def add_bytes(self, name: str, data: bytes) -> None:
        """Write a small file. Raises OSError."""
        self._add(name, io.BytesIO(data), len(data), executable=False)

    def add_file(self, name: str, file: IO[bytes], *, executable: bool = False) -> None:
        """Write an open file, as long as it is now. Raises OSError, also if it becomes shorter meanwhile."""
        self._add(name, file, os.fstat(file.fileno()).st_size, executable=executable)

    def add_path(self, name: str, path: Path) -> bool:
        """Write a file if there is one, and return whether there is. Raises OSError."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            self.add_file(name, file)
        return True

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest: the hash of every file so far, with further facts. Raises OSError."""
        text = json.dumps({**facts, "files": self._files}, indent=1).encode()
        self.add_bytes(MANIFEST, text)
        self.add_bytes(MANIFEST_HASH, hashlib.sha256(text).hexdigest().encode())

    def _add(self, name: str, file: IO[bytes], size: int, *, executable: bool) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = size
        entry.mode = _EXECUTABLE if executable else _READABLE
        hashed = _Hashed(file)
        self._tar.addfile(entry, hashed)
        self._files[name] = [hashed.digest.hexdigest(), size, executable]


class _Hashed(io.RawIOBase):
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data


_SECTION, _NAME = "service", "database"
_BEGINS = re.compile(rf"\s*[\w.\"' \t]*{_NAME}[\"']?\s*=")


def play_own_database(settings: Path) -> str:
    """Comment out the database that a settings file names; every other byte stays as it is.

    Return that database without its password, or an empty text if none is named. A file that names it within other
    things on its line, or cannot be read, is left alone.
    """
    text = _read(settings)
    named = _named(text)
    if named and (plain := _commented_out(text)) is not None:
        settings.write_bytes(plain.encode())
    return without_password(named)


def holds_password(settings: Path) -> bool:
    """Return whether the password of a database stands in a settings file, be it in a comment."""
    text = _read(settings)
    return any(without_password(url) != url for url in (*_URL.findall(text), _named(text)))


def _read(settings: Path) -> str:
    try:
        return settings.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, UnicodeDecodeError):
        return ""


def _tables(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _named(text: str) -> str:
    section = (_tables(text) or {}).get(_SECTION)
    return str(section.get(_NAME, "")) if isinstance(section, dict) else ""


def _commented_out(text: str) -> str | None:
    """Return the text with `#` before the lines that name the database, or `None` if that would change more."""
    wanted = tomllib.loads(text)
    del wanted[_SECTION][_NAME]
    lines = text.split("\n")
    for first in (number for number, line in enumerate(lines) if _BEGINS.match(line)):
        for behind in range(first + 1, len(lines) + 1):
            parts = [*lines[:first], *(f"# {line}" for line in lines[first:behind]), *lines[behind:]]
            tried = "\n".join(parts)
            if (tables := _tables(tried)) is not None and {_SECTION: {}, **tables} == wanted:
                return tried
    return None
