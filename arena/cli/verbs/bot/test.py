"""The command `arena bot test`."""

from __future__ import annotations

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import FAILED
from arena.cli.shared.hosting_options import AUTO
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.options import AsJson, Workers, example
from arena.cli.shared.places import refuse_server
from arena.cli.shared.request import DEFAULT_START_LIMIT, DEFAULT_TIME, Seed, StartLimit
from arena.cli.shared.runtimes import RuntimesFile, local_runtimes
from arena.cli.verbs.bot.test_options import (
    DEFAULT_AGAINST,
    Against,
    Directory,
    Game,
    Keep,
    Matches,
    Quick,
    SeatsOnly,
    TestSandbox,
    Time,
    Wishes,
    announce,
    find_test_level,
    place_to_keep,
)
from arena.cli.verbs.bot.test_report import print_test, print_test_json
from arena.cli.verbs.bot.testing import run_test
from arena.trial.preparing import temporary_store

app = typer.Typer()


@app.command(
    "test",
    epilog=example(
        "arena bot test my-bot",
        "arena bot test my-bot --quick",
        "arena bot test my-bot --game foreign_king --seats 2 --against search --matches 20 --time 50ms",
    ),
)
def play_here(
    context: typer.Context,
    directory: Directory,
    game: Game = None,
    seats: SeatsOnly = None,
    against: Against = DEFAULT_AGAINST,
    matches: Matches = 0,
    quick: Quick = False,
    time: Time = DEFAULT_TIME,
    start_limit: StartLimit = DEFAULT_START_LIMIT,
    seed: Seed = None,
    workers: Workers = 0,
    sandbox: TestSandbox = AUTO,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    keep: Keep = None,
    as_json: AsJson = False,
) -> None:
    """Play a bot here against the samples.

    Its author is told what is wrong with it, how long it thinks, and how strong it is. It plays every game that its
    bot.toml claims, in every number of seats, by the arena's own referee, clock and sandbox. No database is needed, and
    none is changed. The exit code is 1 if the bot did something wrong.
    """
    refuse_server(context)
    wishes = Wishes(
        game=game,
        seats=seats,
        against=against,
        matches=matches,
        quick=quick,
        time=time,
        start_limit=start_limit,
        seed=seed,
    )
    wishes.check(directory)
    place = place_to_keep(directory, keep)
    level = find_test_level(sandbox)
    with temporary_store(local_runtimes(runtimes), level.name) as programs:
        announce(directory, level)
        work = run_test(directory, wishes, programs, place, workers)
        tested = run_interruptibly(work, "nothing is told of this test")
    if as_json:
        print_test_json(tested)
    else:
        print_test(tested)
    if not tested.is_fine:
        raise typer.Exit(FAILED)
