"""The command `arena bot test`."""

from __future__ import annotations

import typer

from arena.cli.shared.connect import refuse_server
from arena.cli.shared.errors import FAILED
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.options import AsJson, example, with_options
from arena.cli.verbs.bot.test_options import BotTestOptions
from arena.cli.verbs.bot.test_report import print_test, print_test_json
from arena.cli.verbs.bot.testing import open_test

app = typer.Typer()


@app.command(
    "test",
    epilog=example(
        "arena bot test my-bot",
        "arena bot test my-bot --quick",
        "arena bot test my-bot --game foreign_king --seats 2 --against search --matches 20 --time 50ms",
    ),
)
@with_options
def play_here(context: typer.Context, wishes: BotTestOptions, as_json: AsJson = False) -> None:
    """Play a bot here against the samples."""
    refuse_server(context)
    with open_test(wishes) as test:
        tested = run_interruptibly(test, "nothing is told of this test")
    if as_json:
        print_test_json(tested)
    else:
        print_test(tested)
    if not tested.is_fine:
        raise typer.Exit(FAILED)
