"""Signs the end of a tournament: once it is over and its secret is public, with its table and its secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.tournament.seed_key import SeedKey
from arena.tournament.stored import format_of, table_situation
from ratings.ledger.ledger import Ledger
from ratings.read.proofs import commitment_of
from ratings.read.tournament_report import tournament_report
from ratings.read.tournaments import EntrantRow, published_secret
from ratings.store.database import Database


def close_proof(database: Database, tournament_id: str, store: Path) -> None:
    """Sign table and secret of a tournament that is over, by the key beside the `store` of its bots.

    Nothing happens to one that carries no proof, whose secret is not public yet, or whose end is signed as it is now.
    Raises NotFoundError, RequestError without a sound key, DatabaseError.
    """
    if commitment_of(database, tournament_id) is None or published_secret(database, tournament_id) is None:
        return
    signer = SeedKey.beside(store).signing_key()
    Ledger(database, signer=signer).close_proof(tournament_id, table_of(database, tournament_id))


def table_of(database: Database, tournament_id: str) -> list[dict[str, Any]]:
    """Return the table of a tournament, best first, as its proof states it: counts alone, which are exact."""
    report = tournament_report(database, tournament_id)
    form, rows = format_of(report.row.tournament, report.row.pool), {row.version_id: row for row in report.entrants}
    if form is None:  # a single match has no blocks and no points to tell
        return [_line(row, place, 0, 0) for place, row in enumerate(report.entrants, start=1)]
    standings = form.standings(table_situation(database, form, report))
    return [_line(rows[line.entrant], line.place, line.blocks, line.points) for line in standings]


def _line(row: EntrantRow, place: int, blocks: int, points: int) -> dict[str, Any]:
    return {
        "place": place,
        "bot": row.bot,
        "version": row.content_hash,
        "matches": row.matches,
        **row.firsts._asdict(),
        "blocks": blocks,
        "points": points,
        "forfeits": row.forfeits,
    }
