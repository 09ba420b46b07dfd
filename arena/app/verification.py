"""Plays stored matches again and compares all that is said of them; so is a file that is to be imported."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.match.replay import load
from arena.match.verify import verify
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.stored import blocks_per_seed, check_stored, clock_of, options_of
from engine.translatable import Text
from ratings.errors import ArchiveError
from ratings.read import matches
from ratings.read.matches import StoredMatch
from ratings.store.database import Database, open_database
from ratings.values.states import OnWorkProgress, WorkStage

if TYPE_CHECKING:
    from ratings.ledger.tournament_import import Imported

_HASH_DIGITS = 64
_LONGEST_END = 1 << 10


def problems_of_match(detail: StoredMatch, stored: bytes | None, *, is_whole: bool = True) -> list[str]:
    """Return what is wrong with a stored match: with its replay, or between its replay and the database.

    The replay is not whole if the evidence of its faults is withheld.
    """
    if stored is None:
        return [Text("finished without a replay")]
    problems = verify(stored, is_whole=is_whole)
    if problems:
        return problems
    document = load(stored)
    facts = {**_plan_facts(detail, document), **_seed_facts(detail, document), **_result_facts(detail, document)}
    return [
        Text("{name}: {one} in the database, {other} in the replay", name=name, one=in_database, other=in_replay)
        for name, (in_database, in_replay) in facts.items()
        if in_database != in_replay
    ]


def _plan_facts(detail: StoredMatch, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what was to be played, as (in the database, in the replay)."""
    pool, block = detail.pool, detail.block
    return {
        "match": (detail.match.id, document["match_id"]),
        "versions": ([row.version.content_hash for row in detail.seats], [row["version"] for row in document["seats"]]),
        "game": ((pool.game, pool.rules_version), (document["game"], document["rules_version"])),
        "options": (options_of(detail.tournament, pool, block.index), document["options"]),
        "cores": (pool.cores, document["cores"]),
        "seats": (pool.seats, len(document["seats"])),
        "bots": ([row.bot for row in detail.seats], [row["name"] for row in document["seats"]]),
        "clock": (clock_of(detail.tournament, pool).to_json(), document["clock"]),
        "chance seed": (_chance_seed(detail, block.chance_seed), document["chance_seed"]),
        "opening": (block.opening, document["opening"]),
    }


def _chance_seed(detail: StoredMatch, of_block: int) -> int:
    if not detail.pool.remote:
        return of_block
    secret = bytes.fromhex(detail.tournament.secret)
    return seeds.match_chance_seed(secret, detail.block.index, detail.match.rotation)


def _seed_facts(detail: StoredMatch, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the seeds, as (what follows from the secret of the tournament, in the replay)."""
    secret = bytes.fromhex(detail.tournament.secret)
    number = detail.block.index // blocks_per_seed(detail.tournament, detail.pool)
    places = range(len(detail.seats))
    return {
        "chance seed by the secret": (_chance_seed(detail, seeds.chance_seed(secret, number)), document["chance_seed"]),
        "bots' seeds by the secret": (
            [seeds.bot_seed(secret, number, detail.match.rotation, seat) for seat in places],
            [seat["seed"] for seat in document["seats"]],
        ),
    }


def _result_facts(detail: StoredMatch, document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return how it was played and ended, as (in the database, in the replay)."""
    match, result, entries = detail.match, document["result"], document["entries"]
    forfeits = sorted((row.seat.forfeit, row.seat.seat) for row in detail.seats if row.seat.forfeit is not None)
    return {
        "ranks": ([row.seat.rank for row in detail.seats], result["ranks"]),
        "by rules": (match.by_rules, result["by_rules"]),
        "rated": (match.rated, result["rated"]),
        "details": (match.details, result["details"]),
        "forfeits": ([seat for _, seat in forfeits], [seat for seat, _ in result["forfeits"]]),
        "resigned": ([row.seat.seat for row in detail.seats if row.seat.resigned], sorted(result["resigned"])),
        "faults": (
            [[fault.seat, fault.cause, fault.ply] for fault in detail.faults],
            [[fault["seat"], fault["cause"], fault["ply"]] for fault in result["faults"]],
        ),
        "plies": (match.plies, len(entries)),
        "decisions": (match.decisions, sum(entry["by"] == "bot" for entry in entries)),
        "start": (match.started_at_us, document["started_at_us"]),
        "duration": (match.duration_us, document["duration_us"]),
        "game digest": (match.game_digest, document["game_digest"]),
        "record digest": (match.record_digest, document["record_digest"]),
    }


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
    database: Database, source: Path, *, name: str | None, digest: str | None, report: OnWorkProgress
) -> tuple[Imported, Verified]:
    """Import a tournament if its replays say what the file says. Raises ArchiveError; then nothing was imported."""
    verified = verify_export(source, digest, report)
    # The file may be another one by now; its digest says so.
    from ratings.ledger.ledger import Ledger  # only importing writes

    ledger, digest = Ledger(database), verified.digest
    return ledger.import_tournament(source, name=name, digest=digest, report=report, check=check_stored), verified


def verify_export(source: Path, digest: str | None, report: OnWorkProgress) -> Verified:
    """Play all replays of an exported tournament again, and compare everything. Raises ArchiveError."""
    digest = digest or _digest_of(source)
    with imported_apart(source, digest, report) as (database, imported):
        verified = without = 0
        for match, stored in matches.replays(database, imported.tournament_id):
            if stored is None:
                without += 1
                continue
            detail = matches.match_detail(database, match.id)
            problems = problems_of_match(detail, stored, is_whole=not (imported.is_public and detail.faults))
            if problems:
                raise ArchiveError(
                    Text(
                        "{file} says something else than the replay of match {match} ({problem}); nothing was imported",
                        file=str(source),
                        match=match.id,
                        problem=problems[0],
                    )
                )
            verified += 1
            report(WorkStage.REPLAYS, verified, imported.matches)
        return Verified(digest, verified, without)


@contextmanager
def imported_apart(source: Path, digest: str | None, report: OnWorkProgress) -> Iterator[tuple[Database, Imported]]:
    """Yield a database of its own with an exported tournament in it, and nothing else. Raises ArchiveError."""
    from ratings.ledger.ledger import Ledger  # only importing writes

    with (
        tempfile.TemporaryDirectory(prefix="arena-import-") as directory,
        closing(open_database(Path(directory) / "import.db")) as database,
    ):
        yield database, Ledger(database).import_tournament(source, digest=digest, report=report, check=check_stored)


def _digest_of(source: Path) -> str | None:
    """Return the digest with which a file ends, so that it is told if the file changes; `None` if it has none."""
    try:
        with source.open("rb") as file:
            file.seek(-min(_LONGEST_END, file.seek(0, os.SEEK_END)), os.SEEK_END)
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
    except OSError:
        return None  # reading it says why
    return last[:_HASH_DIGITS].decode("ascii", "replace") or None
