"""Brings exported tournaments in, after their replays were played again: a file whose ranks were changed stays out.

Anybody can make the chain of hashes of a changed file right again. So the file is first read into a database of its
own, where every replay is compared with what the file says of its match; nobody else waits for that.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arena.app.verifying import problems_of_match
from ratings.errors import ArchiveError
from ratings.ledger.importing import Imported
from ratings.ledger.ledger import Ledger
from ratings.ledger.telling import Stage, Tell
from ratings.read import matches
from ratings.store.database import Database, open_database

_HASH_DIGITS = 64
_LONGEST_END = 1 << 10


@dataclass(frozen=True, slots=True)
class Verified:
    """What the replays of a file say of it."""

    digest: str | None
    """That of the file which was read."""
    matches: int
    """How many matches were played again."""
    without_replay: int
    """How many are finished, and their replays are no longer kept: what is said of them nobody can verify."""


def import_verified(
    database: Database, source: Path, *, name: str | None, digest: str | None, tell: Tell
) -> tuple[Imported, Verified]:
    """Import a tournament if its replays say what the file says. Raises ArchiveError; then nothing was imported."""
    verified = verify_export(source, digest, tell)
    # The file may be another one by now; its digest says so.
    return Ledger(database).import_tournament(source, name=name, digest=verified.digest, tell=tell), verified


def verify_export(source: Path, digest: str | None, tell: Tell) -> Verified:
    """Play all replays of an exported tournament again, and compare everything. Raises ArchiveError."""
    digest = digest or _digest_of(source)
    with (
        tempfile.TemporaryDirectory(prefix="arena-import-") as directory,
        closing(open_database(Path(directory) / "import.db")) as database,
    ):
        imported = Ledger(database).import_tournament(source, digest=digest, tell=tell)
        return _verify(database, imported, str(source), digest, tell)


def _verify(database: Database, imported: Imported, file: str, digest: str | None, tell: Tell) -> Verified:
    verified = without = 0
    for match, stored in matches.replays(database, imported.tournament_id):
        if stored is None:
            without += 1
            continue
        problems = problems_of_match(matches.match_detail(database, match.id), stored)
        if problems:
            raise ArchiveError(
                f"{file} says something else than the replay of match {match.id} ({problems[0]}); nothing was imported"
            )
        verified += 1
        tell(Stage.REPLAYS, verified, imported.matches)
    return Verified(digest, verified, without)


def _digest_of(source: Path) -> str | None:
    """Return the digest with which a file ends, so that it is told if the file changes; `None` if it has none."""
    try:
        with source.open("rb") as file:
            file.seek(-min(_LONGEST_END, file.seek(0, os.SEEK_END)), os.SEEK_END)
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
    except OSError:
        return None  # reading it says why
    return last[:_HASH_DIGITS].decode("ascii", "replace") or None
