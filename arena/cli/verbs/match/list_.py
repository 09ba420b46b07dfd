"""The command `arena match list`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.matches import format_seats, print_annulled, short_match_id
from arena.cli.shared.options import AsJson, Database, PoolOption, example
from arena.cli.shared.output import Column, write_named, write_told
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.cli.shared.saying import say
from ratings.store.states import MatchState

app = typer.Typer()

_COLUMNS = (
    Column("id", "match", write=short_match_id),
    Column("tournament", "tournament"),
    Column("block", "block", right=True),
    Column("seats", "seats_rank", write=format_seats),
    Column("attempt", "attempts", right=True),
    Column("sandbox", "sandbox", write=write_named("cli_state.sandbox_")),
    Column("state", "state", write=write_named("search.state_")),
    Column("void_reason", "reason", write=write_told),
)


@app.command("list", epilog=example("arena match list monday", "arena match list --bot greedy --state void"))
def list_matches(
    tournament: Annotated[str | None, typer.Argument(metavar="TOURNAMENT")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE")] = None,
    bot: Annotated[str | None, typer.Option(metavar="BOT")] = None,
    fault: Annotated[str | None, typer.Option(metavar="CAUSE")] = None,
    pool: PoolOption = None,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List matches, those planned last first."""
    asked = {"--state": state, "--bot": bot, "--fault": fault, "--pool": pool}
    wanted = _parse_state(state)
    with connect(db) as connection:
        page = connection.arena.matches.list_matches(tournament, wanted, bot, fault, pool, rows_wanted(limit), after)
    words = [
        *([tournament] if tournament else []),
        *(word for name, text in asked.items() if text for word in (name, text)),
    ]
    more = more_command("match", "list", *words, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_COLUMNS, [asdict(row) for row in page.items], more, as_json=as_json, empty=say("cli_match.none_such"))
    if not as_json:
        print_annulled(page.items)


def _parse_state(text: str | None) -> MatchState | None:
    try:
        return None if text is None else MatchState(text)
    except ValueError:
        states = ", ".join(state.value for state in MatchState)
        raise MisuseError(f"--state {text!r} is no state of a match; there are {states}") from None
