"""Makes a new home of an archive: everything is checked before it appears, all at once."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.hosting import building
from arena.hosting.removal import remove_tree
from arena.hosting.store import StoreError, VersionStore
from arena.service.backup.errors import DamagedArchiveError, HomeArchiveError
from arena.service.backup.format import BUILDS, DATABASE, SETTINGS, STORE
from arena.service.backup.own_database import play_own_database
from arena.service.backup.reader import UnpackedArchive, unpack
from arena.service.home import PRIVATE, Home
from engine.os_errors import os_error_text
from engine.text import Text, placed
from ratings.ledger.check import check
from ratings.read.bots import held_versions
from ratings.store.database import Database, make_usable, open_database, upgrade

Report = Callable[[str], None]


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
    _check_empty(directory)
    staging = directory.with_name(f".{directory.name}.restoring-{os.urandom(8).hex()}")
    try:
        staging.mkdir(mode=PRIVATE)
        report(Text("service.unpacking_checking_every_file", "unpacking and checking every file"))
        unpacked, database_was = _fill(archive, staging)
        report(Text("service.checking_database_files_versions", "checking the database and the files of the versions"))
        problems = _problems(Home(staging))
        staging.rename(directory)
        building.fsync(directory.parent)
    except OSError as error:
        raise HomeArchiveError(_explain(directory, error)) from error
    finally:
        remove_tree(str(staging))
    return RestoredHome(Home(directory), unpacked, problems, database_was)


def _check_empty(directory: Path) -> None:
    if not directory.parent.is_dir():
        raise HomeArchiveError(
            Text(
                "service.no_directory_create_first",
                "there is no directory {path}; create it first",
                path=directory.parent,
            )
        )
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise HomeArchiveError(
            Text(
                "service.no_directory_name_new_one",
                "{path} is no directory; name a new one after --home",
                path=directory,
            )
        )
    if directory.is_dir() and any(directory.iterdir()):
        raise HomeArchiveError(
            Text(
                "service.not_empty_name_new_directory",
                "{path} is not empty; name a new directory after --home",
                path=directory,
            )
        )


def _fill(archive: Path, staging: Path) -> tuple[UnpackedArchive, str]:
    unpacked = unpack(archive, staging)
    if not (staging / DATABASE).is_file():
        raise DamagedArchiveError(
            Text(
                "service.holds_no_no_archive_home",
                "{file} holds no {name}: it is no archive of a home; nothing was restored",
                file=archive,
                name=DATABASE,
            )
        )
    for name in (STORE, BUILDS):
        (staging / name).mkdir(mode=PRIVATE, exist_ok=True)
        for path in (staging / name).rglob("*"):
            _open_to_sandboxes(path)
    upgrade(staging / DATABASE)
    database = open_database(staging / DATABASE)
    try:
        make_usable(database)
    finally:
        database.close()
    database_was = play_own_database(staging / SETTINGS)
    building.flush(staging)
    return unpacked, database_was


def _open_to_sandboxes(path: Path) -> None:
    """Give a file of a version the permissions that the store gives: whoever runs the sandbox reads it."""
    path.chmod(0o755 if path.is_dir() else 0o555 if path.stat().st_mode & 0o100 else 0o444)


def _problems(home: Home) -> tuple[str, ...]:
    database = open_database(home.database)
    try:
        return (*check(database), *_file_problems(database, VersionStore(home.store)))
    finally:
        database.close()


def _file_problems(database: Database, store: VersionStore) -> list[str]:
    problems = []
    for version_hash in held_versions(database):
        try:
            store.get(version_hash)
        except StoreError as error:
            problems.append(str(error))
    return problems


def _explain(directory: Path, error: OSError) -> str:
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    why = (
        Text("service.no_room_left_disk", "no room is left on its disk")
        if is_full
        else placed(os_error_text(error), error.filename or directory)
    )
    return Text(
        "service.not_restored_make_room_name",
        "{path} was not restored: {why}; make room or name another directory; nothing was left behind",
        path=directory,
        why=why,
    )
