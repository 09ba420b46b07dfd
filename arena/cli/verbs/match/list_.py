"""The command `arena match list`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.lookup import find_tournament, find_version
from arena.cli.shared.matches import format_seats, short_match_id
from arena.cli.shared.options import AsJson, Database, PoolOption, example
from arena.cli.shared.output import Column
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.cli.shared.storage import open_existing_storage
from ratings.read import match_list
from ratings.read.match_list import MatchFilter, MatchRow
from ratings.read.pools import find_pool
from ratings.store.database import Database as StoredDatabase
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


@app.command("list", epilog=example("arena match list monday", "arena match list --bot greedy --state void"))
def list_matches(
    tournament: Annotated[
        str | None, typer.Argument(metavar="TOURNAMENT", help="Its name or id; all tournaments by default.")
    ] = None,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only matches in it: planned, leased, finished or void.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="BOT", help="Only those of a bot, or of name@hash for one version of it.")
    ] = None,
    fault: Annotated[
        str | None, typer.Option(metavar="CAUSE", help="Only those with such a fault, of the bot if one is named.")
    ] = None,
    pool: PoolOption = None,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List matches, those planned last first.

    With their seats, attempts, why one is void. With --json, the command for the next page is written to stderr.
    """
    asked = {"--state": state, "--bot": bot, "--fault": fault, "--pool": pool}
    wanted = _parse_state(state)
    with open_existing_storage(db) as storage:
        only = _filter(storage.database, tournament, bot, pool, state=wanted, cause=fault)
        page = match_list.list_matches(storage.database, only, limit=rows_wanted(limit), after=after)
    words = [
        *([tournament] if tournament else []),
        *(word for name, text in asked.items() if text for word in (name, text)),
    ]
    more = more_command("match", "list", *words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_COLUMNS, [_facts(row) for row in page.items], more, as_json=as_json, empty="no such matches")


def _filter(
    database: StoredDatabase,
    tournament: str | None,
    bot: str | None,
    pool: str | None,
    *,
    state: MatchState | None,
    cause: str | None,
) -> MatchFilter:
    """Return which matches are wanted. Raise MisuseError for names that do not exist."""
    found = None if bot is None else find_version(database, bot)
    return MatchFilter(
        tournament_id=None if tournament is None else find_tournament(database, tournament).id,
        pool_id=None if pool is None else find_pool(database, pool).id,
        bot_id=found.bot.id if found and bot and "@" not in bot else None,
        version_id=found.version.id if found and bot and "@" in bot else None,
        state=state,
        cause=cause,
    )


def _parse_state(text: str | None) -> MatchState | None:
    try:
        return None if text is None else MatchState(text)
    except ValueError:
        states = ", ".join(state.value for state in MatchState)
        raise MisuseError(f"--state {text!r} is no state of a match; there are {states}") from None


def _facts(row: MatchRow) -> dict[str, Any]:
    match = row.match
    return {
        "id": match.id,
        "tournament": row.tournament,
        "block": row.block_index,
        "rotation": match.rotation,
        "seats": [{"bot": bot, "rank": rank} for bot, rank in row.seats],
        "attempt": match.attempt,
        "sandbox": match.sandbox,
        "state": match.state.value,
        "void_reason": match.void_reason,
    }
