"""Copies a database with all that belongs to it into another."""

from __future__ import annotations

from dataclasses import dataclass

from arena.app.store import copy_files, other_key
from arena.cli.shared.errors import CliError
from arena.cli.shared.storage import Storage
from arena.tournament.playing import players_beside
from engine.text import Text
from ratings.ledger.copying import copy_database
from ratings.store.database import Database
from ratings.values.states import OnWorkProgress, WorkStage


@dataclass(frozen=True, slots=True)
class CopiedArena:
    """What was copied."""

    rows: int
    before: int
    """How many of the rows were there already."""
    digest: str
    """The hash of all rows, equal in both databases."""
    versions: int
    """How many versions of bots have their files there."""


def need_quiet(database: Database, place: str) -> None:
    """Raise CliError if somebody plays what lies in a database: what is copied would not be all."""
    if players := players_beside(database):
        (first, *_) = sorted(players, key=lambda player: player.since_us)
        raise CliError(
            Text(
                "command.process_plays_stop_wait_end",
                "process {pid} on {host} plays in {place}; stop it, or wait for its end, then copy",
                pid=first.pid,
                host=first.host,
                place=place,
            )
        )


def copy_all(old: Storage, new: Storage, report: OnWorkProgress) -> CopiedArena:
    """Copy rows and files. Raises the errors of `copy_database`, and CliError if files cannot be copied."""
    if (other := other_key(old.store, new.store)) is not None:
        raise CliError(
            Text(
                "command.key_another_arena_which_seed",
                "{other} is the key of another arena, by which a seed makes other tournaments; move it away, and "
                "copy again",
                other=other,
            )
        )
    versions = 0

    def copy_the_files() -> None:
        nonlocal versions
        try:
            versions = copy_files(old.store, new.store, lambda done, total: report(WorkStage.FILES, done, total))
        except OSError as error:
            raise CliError(
                Text(
                    "command.files_bots_cannot_copied_mend",
                    "the files of the bots cannot be copied ({why}); mend that, and copy again",
                    why=error,
                )
            ) from error

    # The rows come first: a database with something else in it gets no files. It is finished when it has both.
    copied = copy_database(old.database, new.database, report, copy_the_files)
    return CopiedArena(sum(copied.rows.values()), copied.begun_with, copied.digest, versions)
