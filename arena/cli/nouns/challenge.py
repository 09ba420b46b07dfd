"""`arena challenge`: a bot of one's own against others, whoever they belong to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect, service_name
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.match_order import DEFAULT_START_LIMIT, GameOption, OpeningPlies, Seed, StartLimit
from arena.cli.shared.options import AsJson, Database, GameOptions, example, parse_assignments
from arena.cli.shared.output import print_json
from arena.cli.shared.play_tournament import announce, follow, report_run
from arena.cli.shared.results import print_end
from arena.model.tournament_requests import ChallengeRequest
from engine.translatable import Text

app = typer.Typer()


@app.command(
    epilog=example(
        "arena challenge ada/fox --with owl --game foreign_king",
        "arena --server club challenge ada/fox eve/elk --with owl --game rex_romanorum --blocks 2 --time 1s",
    )
)
def challenge(
    bots: Annotated[list[str], typer.Argument(metavar="BOT...")],
    own: Annotated[str, typer.Option("--with", metavar="MY_BOT")],
    game: GameOption,
    seats: Annotated[int | None, typer.Option("--seats", metavar="N")] = None,
    blocks: Annotated[int, typer.Option("--blocks", min=1, metavar="N")] = 5,
    time: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    start_limit: StartLimit = DEFAULT_START_LIMIT,
    option: GameOptions = None,
    opening_plies: OpeningPlies = None,
    seed: Seed = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait")] = True,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Play your bot against other bots, unrated."""
    if service_name(db) is None:
        raise MisuseError(
            Text(
                "a challenge is played by a service; name one with --server, or play here: arena tournament run "
                "gauntlet"
            )
        )
    request = ChallengeRequest(
        bot=own,
        opponents=tuple(bots),
        game=game,
        seats=len(bots) + 1 if seats is None else seats,
        blocks=blocks,
        time=time or "",
        start_limit=start_limit,
        options=parse_assignments(option),
        opening_plies=opening_plies,
        seed=seed,
    )
    with connect(db) as connection:
        planned = connection.arena.tournaments.challenge_bot(request)
        announce(planned)
        if wait:
            follow(connection, planned.id)
            detail = connection.arena.tournaments.get_tournament(planned.id)
            report_run(connection, detail)
            print_end(connection, detail, as_json=as_json)
        elif as_json:
            print_json(asdict(planned))
        else:
            typer.echo(
                say("cli_challenge.shows_progress", command=connection.command("tournament", "show", planned.name))
            )
