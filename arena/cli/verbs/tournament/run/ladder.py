"""The command `arena tournament run ladder`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import hosting_options, options, request, settings
from arena.cli.shared.hosting_options import read_hosting
from arena.cli.verbs.tournament.run.common import RetireAfter, Target, Unrated, run_example, run_tournament
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.swiss import RETIRE_AFTER

app = typer.Typer()


@app.command(
    LadderFormat.name,
    epilog=run_example(
        "ladder --seats 2 --bots random,greedy,search --waves 50",
        "ladder --seats 3 --bots random,greedy,search --waves 0",
    ),
)
def ladder(
    game: request.GameOption,
    bots: request.BotNames,
    seats: request.Seats,
    waves: Annotated[int, typer.Option(min=0, metavar="N")] = 10,
    retire_after: RetireAfter = RETIRE_AFTER,
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
    """Go on and on: bots near in strength meet, each plays equally often, others join and withdraw meanwhile."""
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
    run_tournament(LadderFormat(seats, waves, retire_after), entrants, asked, hosting, target)
