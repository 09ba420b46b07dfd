"""Makes a new home from an archive: every hash is checked before the home appears, all at once."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from arena.hosting.atomic_directory import flush, fsync
from arena.hosting.removal import remove_tree
from arena.hosting.store import StoreError, VersionStore
from arena.service.home import PRIVATE, Home
from arena.service.maintenance.backup import (
    BUILDS,
    DATABASE,
    FORMAT,
    HEADER,
    MANIFEST,
    MANIFEST_HASH,
    MOST_SMALL_BYTES,
    SETTINGS,
    STORE,
    DamagedArchiveError,
    HomeArchiveError,
    is_place,
    play_own_database,
)
from engine.os_errors import os_error_text
from engine.translatable import Text, placed
from ratings.ledger.check import check
from ratings.read.bots import held_versions
from ratings.store.database import knows_schema, make_usable, open_database, upgrade

Report = Callable[[str], None]
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class RestoredHome:
    """A home that was restored."""

    home: Home
    archive: UnpackedArchive
    problems: tuple[str, ...]
    """What is wrong with the database and the versions' files, as `arena db check` says it."""
    database_was: str
    """The database that the settings named in place of the file, without its password; empty if they named none."""


def restore_home(archive: Path, directory: Path, report: Report = lambda _sentence: None) -> RestoredHome:
    """Make a home in the empty or new directory of what `back_up_home` wrote, which plays the database that it holds.

    Raises HomeArchiveError, with nothing made, for a directory that is not empty, and an archive that is damaged, of
    another program, or newer than this one.
    """
    directory = directory.absolute()
    if not directory.parent.is_dir():
        raise HomeArchiveError(Text("there is no directory {path}; create it first", path=directory.parent))
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise HomeArchiveError(Text("{path} is no directory; name a new one after --home", path=directory))
    if directory.is_dir() and any(directory.iterdir()):
        raise HomeArchiveError(Text("{path} is not empty; name a new directory after --home", path=directory))
    staging = directory.with_name(f".{directory.name}.restoring-{os.urandom(8).hex()}")
    try:
        staging.mkdir(mode=PRIVATE)
        report(Text("unpacking and checking every file"))
        unpacked, database_was = _fill(archive, staging)
        report(Text("checking the database and the files of the versions"))
        problems = _problems(Home(staging))
        staging.rename(directory)
        fsync(directory.parent)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        why = (
            Text("no room is left on its disk")
            if is_full
            else placed(os_error_text(error), error.filename or directory)
        )
        raise HomeArchiveError(
            Text(
                "{path} was not restored: {why}; make room or name another directory; nothing was left behind",
                path=directory,
                why=why,
            )
        ) from error
    finally:
        remove_tree(str(staging))
    return RestoredHome(Home(directory), unpacked, problems, database_was)


def _fill(archive: Path, staging: Path) -> tuple[UnpackedArchive, str]:
    unpacked = unpack(archive, staging)
    if not (staging / DATABASE).is_file():
        raise DamagedArchiveError(
            Text(
                "{file} holds no {name}: it is no archive of a home; nothing was restored", file=archive, name=DATABASE
            )
        )
    for name in (STORE, BUILDS):
        (staging / name).mkdir(mode=PRIVATE, exist_ok=True)
        for path in (staging / name).rglob("*"):
            # As in the store: whoever runs the sandbox reads it.
            path.chmod(0o755 if path.is_dir() else 0o555 if path.stat().st_mode & 0o100 else 0o444)
    upgrade(staging / DATABASE)
    database = open_database(staging / DATABASE)
    try:
        make_usable(database)
    finally:
        database.close()
    database_was = play_own_database(staging / SETTINGS)
    flush(staging)
    return unpacked, database_was


def _problems(home: Home) -> tuple[str, ...]:
    database = open_database(home.database)
    try:
        store = VersionStore(home.store)
        problems = []
        for version_hash in held_versions(database):
            try:
                store.get(version_hash)
            except StoreError as error:
                problems.append(str(error))
        return (*check(database), *problems)
    finally:
        database.close()


@dataclass(frozen=True, slots=True)
class UnpackedArchive:
    """What an archive says of itself."""

    made_at: str
    counts: Mapping[str, int]
    missing: tuple[str, ...]
    """The versions whose files it does not have, because the home had them not."""


def unpack(archive: Path, directory: Path) -> UnpackedArchive:
    """Write the files of an archive below an empty directory.

    Raises DamagedArchiveError for a file that is no archive of a home, or not as it was written, HomeArchiveError for
    one of a newer arena; what was written by then is to be thrown away.
    """
    with _explained(archive), tarfile.open(archive, "r|*") as tar:
        return _Unpacking(archive, directory).run(tar)


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise HomeArchiveError(
            Text("there is no file {file}; name an archive", file=error.filename or archive)
        ) from error
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise DamagedArchiveError(
            Text(
                "{file} is no archive of a home, or it was cut off or changed ({why}); nothing was restored",
                file=archive,
                why=error,
            )
        ) from error
    except UnicodeError as error:
        raise DamagedArchiveError(
            Text("{file} is no archive of a home: {why}; nothing was restored", file=archive, why=error)
        ) from error


class _Unpacking:
    """One archive that is being unpacked: what was written so far."""

    def __init__(self, archive: Path, directory: Path) -> None:
        self._archive = archive
        self._directory = directory
        self._found: dict[str, list[Any]] = {}

    def run(self, tar: tarfile.TarFile) -> UnpackedArchive:
        """Unpack everything, and check it against the manifest."""
        members = iter(tar)
        self._check_header(self._read_small(tar, next(members, None), HEADER))
        for member in members:
            if member.name == MANIFEST:
                manifest = self._read_small(tar, member, MANIFEST)
                digest = self._read_small(tar, next(members, None), MANIFEST_HASH)
                return self._check_manifest(manifest, digest.decode("ascii", "replace"))
            self._write(tar, member)
        raise self._refusal(Text("its end is missing"))

    def _read_small(self, tar: tarfile.TarFile, member: tarfile.TarInfo | None, name: str) -> bytes:
        if member is None or member.name != name or not member.isreg() or member.size > MOST_SMALL_BYTES:
            raise self._refusal(Text("it has no {name} where one must be", name=name))
        data = _open(tar, member).read()
        self._found[name] = [hashlib.sha256(data).hexdigest(), len(data), False]
        return data

    def _check_header(self, data: bytes) -> None:
        header = self._parse(data, HEADER)
        form, schema = header.get("format"), header.get("schema")
        if form != FORMAT or not isinstance(schema, str) or not knows_schema(schema):
            raise HomeArchiveError(
                Text(
                    "{file} has format {form} and schema {schema}, which this arena does not know: it is older "
                    "than the archive; update it (git pull, make setup)",
                    file=self._archive,
                    form=form,
                    schema=schema,
                )
            )

    def _parse(self, data: bytes, name: str) -> dict[str, Any]:
        try:
            said = json.loads(data)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise self._refusal(Text("its {name} cannot be read", name=name))
        return said

    def _write(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        if not member.isreg() or not is_place(member.name) or member.name in self._found:
            raise self._refusal(Text("it holds {name}, which no archive of a home holds", name=repr(member.name)))
        executable = bool(member.mode & 0o100)
        target = self._directory / member.name
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            source = _open(tar, member)
            hashed = hashlib.sha256()
            while data := source.read(_CHUNK_BYTES):
                hashed.update(data)
                file.write(data)
            digest = hashed.hexdigest()
            os.fchmod(descriptor, 0o700 if executable else 0o600)
        self._found[member.name] = [digest, member.size, executable]

    def _check_manifest(self, text: bytes, digest: str) -> UnpackedArchive:
        if hashlib.sha256(text).hexdigest() != digest:
            raise self._refusal(Text("its {name} was changed", name=MANIFEST))
        manifest = self._parse(text, MANIFEST)
        told = manifest["files"]
        for name in sorted(told.keys() | self._found.keys() - {MANIFEST, MANIFEST_HASH}):
            if name not in self._found:
                raise self._refusal(Text("{name} is missing in it", name=name))
            if told.get(name) != self._found[name]:
                raise self._refusal(Text("{name} was changed in it", name=name))
        return UnpackedArchive(manifest["made_at"], manifest["counts"], tuple(manifest["missing"]))

    def _refusal(self, why: str) -> DamagedArchiveError:
        return DamagedArchiveError(
            Text(
                "{file} is no archive of a home as it was written: {why}; nothing was restored; take another backup",
                file=self._archive,
                why=why,
            )
        )


def _open(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    return tar.extractfile(member) or io.BytesIO()
