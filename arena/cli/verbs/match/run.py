"""The command `arena match run`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect, program
from arena.cli.shared.errors import CliError
from arena.cli.shared.hosting import AllowReduced, Sandbox, read_hosting
from arena.cli.shared.match_order import (
    BotNames,
    GameOption,
    MatchTerms,
    SameOwner,
    TournamentName,
    check_machine,
    tournament_request,
)
from arena.cli.shared.options import AsJson, Database, example, parse_names, with_options
from arena.cli.shared.play_tournament import play
from arena.cli.verbs.match.show import print_match
from arena.model.matches import NO_RESULT
from engine.translatable import Text
from ratings.values.states import MatchState

app = typer.Typer()


@app.command(
    epilog=example(
        "arena match run --game foreign_king --bots greedy,search,random --time 100ms",
        "arena match run --game foreign_king --bots greedy,random --seed 7 --option virtual_discs=16",
    )
)
@with_options
def run(
    game: GameOption,
    bots: BotNames,
    terms: MatchTerms,
    rated: Annotated[bool, typer.Option("--rated")] = False,
    same_owner: SameOwner = False,
    name: TournamentName = None,
    sandbox: Sandbox = settings.SANDBOX.default,
    allow_reduced: AllowReduced = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Play one match; the first bot takes seat 0, and so on."""
    hosting = read_hosting(workers=1, sandbox=sandbox, allow_reduced=allow_reduced)
    names = parse_names(bots, "bots")
    order = tournament_request(terms, None, game, names, rated=rated, same_owner=same_owner, name=name)
    with connect(db, makes=True) as connection:
        check_machine(connection, terms.cores, hosting.workers)
        planned = connection.arena.tournaments.create_tournament(order)
        play(connection, planned.id, hosting)
        (row,) = connection.arena.matches.list_matches(planned.id).items
        detail = connection.arena.matches.get_match(row.id)
    print_match(detail, db, as_json=as_json)
    if detail.shown_state == NO_RESULT:
        raise CliError(Text("the match has no valid result: every bot failed before any of them acted"))
    if detail.state is MatchState.VOID:
        raise CliError(
            Text(
                "the match is void: {why}; `{program} doctor` looks for the cause",
                why=detail.void_reason,
                program=program(),
            )
        )
