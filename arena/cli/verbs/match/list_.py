"""The command `arena match list`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.lookup import find_tournament
from arena.cli.shared.matches import format_seats, short_match_id
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, print_table
from arena.cli.shared.storage import Storage, open_existing_storage
from ratings.read import matches
from ratings.read.matches import MatchRow
from ratings.read.tournaments import list_tournaments
from ratings.store.states import MatchState

app = typer.Typer()

_COLUMNS = (
    Column("id", "MATCH", write=short_match_id),
    Column("tournament", "TOURNAMENT"),
    Column("block", "BLOCK", right=True),
    Column("seats", "SEATS (RANK)", write=format_seats),
    Column("attempt", "ATTEMPTS", right=True),
    Column("sandbox", "SANDBOX"),
    Column("state", "STATE"),
    Column("void_reason", "REASON"),
)


@app.command("list", epilog=example("arena match list monday", "arena match list --state void --json"))
def list_matches(
    tournament: Annotated[
        str | None, typer.Argument(metavar="TOURNAMENT", help="Its name or id; all tournaments by default.")
    ] = None,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only matches in it: planned, leased, finished or void.")
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List matches: seats, attempts, why one is void."""
    wanted = _parse_state(state)
    with open_existing_storage(db) as storage:
        found = _read_matches(storage, tournament, wanted)
    rows = [_facts(name, row) for name, row in found]
    print_table(_COLUMNS, rows, as_json=as_json, empty="no such matches")


def _parse_state(text: str | None) -> MatchState | None:
    try:
        return None if text is None else MatchState(text)
    except ValueError:
        states = ", ".join(state.value for state in MatchState)
        raise MisuseError(f"--state {text!r} is no state of a match; there are {states}") from None


def _read_matches(storage: Storage, tournament: str | None, state: MatchState | None) -> list[tuple[str, MatchRow]]:
    """Return the matches of one tournament, or of all, each with the name of its tournament."""
    database = storage.database
    if tournament is None:
        chosen = [row.tournament for row in list_tournaments(database)]
    else:
        chosen = [find_tournament(database, tournament)]
    return [(one.name, row) for one in chosen for row in matches.list_matches(database, one.id, state=state)]


def _facts(tournament: str, row: MatchRow) -> dict[str, Any]:
    match = row.match
    return {
        "id": match.id,
        "tournament": tournament,
        "block": row.block_index,
        "rotation": match.rotation,
        "seats": [{"bot": bot, "rank": rank} for bot, rank in row.seats],
        "attempt": match.attempt,
        "sandbox": match.sandbox,
        "state": match.state.value,
        "void_reason": match.void_reason,
    }
