"""The command `arena tournament run gauntlet`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import hosting_options, options, request, settings
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.hosting_options import read_hosting
from arena.cli.verbs.tournament.run.common import Target, Unrated, run_example, run_tournament
from arena.tournament.formats.roundrobin import Gauntlet
from engine.text import Text

app = typer.Typer()


@app.command(
    Gauntlet.name, epilog=run_example("gauntlet --seats 2 --challenger search --bots random,greedy --blocks 20")
)
def gauntlet(
    game: request.GameOption,
    bots: request.BotNames,
    seats: request.Seats,
    challenger: Annotated[str, typer.Option(metavar="BOT")],
    blocks: Annotated[int, typer.Option(min=1, metavar="N")] = 1,
    time: request.TimeText = request.DEFAULT_TIME,
    cores: request.Cores = 1,
    start_limit: request.StartLimit = request.DEFAULT_START_LIMIT,
    option: options.GameOptions = None,
    opening_plies: request.OpeningPlies = None,
    seed: request.Seed = None,
    secret: request.Secret = None,
    unrated: Unrated = False,
    same_owner: request.SameOwner = False,
    name: request.TournamentName = None,
    workers: options.Workers = 0,
    executor: hosting_options.ExecutorName = settings.EXECUTOR.default,
    address: hosting_options.Address = settings.RAY_ADDRESS.default,
    sandbox: hosting_options.Sandbox = settings.SANDBOX.default,
    allow_reduced: hosting_options.AllowReduced = False,
    leak_checks: hosting_options.LeakChecks = settings.LEAK_CHECKS.default,
    warm_memory: hosting_options.WarmMemory = settings.WARM_MEMORY.default,
    db: options.Database = settings.DB.default,
    dry_run: options.DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Let one bot, the challenger, meet every combination of the others."""
    first, *others = options.parse_names(challenger, "challenger")
    if others:
        raise MisuseError(
            Text(
                "command.challenger_names_bots_name_one",
                "--challenger names {count} bots; name one, and its opponents with --bots",
                count=1 + len(others),
            )
        )
    asked = request.Request(
        game=game,
        time=time,
        cores=cores,
        start_limit=start_limit,
        options=option,
        opening_plies=opening_plies,
        seed=seed,
        secret=secret,
    )
    hosting = read_hosting(
        workers=workers,
        sandbox=sandbox,
        allow_reduced=allow_reduced,
        leak_checks=leak_checks,
        warm_memory=warm_memory,
        executor=executor,
        address=address,
    )
    target = Target(db=db, name=name, rated=not unrated, same_owner=same_owner, dry_run=dry_run, as_json=as_json)
    entrants = options.parse_names(bots, "bots")
    run_tournament(Gauntlet(seats, blocks), [first, *entrants], asked, hosting, target)
