"""`arena bot test` and `watch`: test a bot here once, or again after every change of its files."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.connect import refuse_server
from arena.cli.shared.errors import FAILED, report
from arena.cli.shared.interrupt import InterruptedRunError, run_interruptibly
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, example, with_options
from arena.cli.verbs.bot.test_options import BotTestOptions
from arena.cli.verbs.bot.testing import open_test, print_test, print_test_json
from arena.trial.local_test import Snapshot, changed_files, take_snapshot
from engine.translatable import Text

app = typer.Typer()
LOOK_EVERY_S = 0.5
MOST_CHANGED_WITHIN = 3
"""After so many tests in a row within which files changed it is the bot that writes them, and they do not count."""
_SHOWN_FILES = 3
_STOPPED = Text("no longer watched")


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
    """Test a bot on this machine against the sample bots."""
    refuse_server(context)
    with open_test(wishes) as test:
        tested = run_interruptibly(test, "nothing is told of this test")
    if as_json:
        print_test_json(tested)
    else:
        print_test(tested)
    if not tested.is_fine:
        raise typer.Exit(FAILED)


@app.command(epilog=example("arena bot watch my-bot", "arena bot watch my-bot --quick --game foreign_king"))
@with_options
def watch(context: typer.Context, wishes: BotTestOptions) -> None:
    """Test a bot now and after every change to its files."""
    refuse_server(context)
    with open_test(wishes) as test:

        def run() -> None:
            print_test(run_interruptibly(test, _STOPPED))
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # also while nothing runs it ends in order

        watch_and(wishes.directory, run)


def watch_and(directory: Path, test: Callable[[], None], wait: Callable[[float], None] = time.sleep) -> None:
    """Call `test` now and after each change of the directory. Raises InterruptedRunError on Ctrl-C.

    What goes wrong in a test is told in a line, and the next change is waited for.
    """
    try:
        changed: Sequence[str] = ()
        in_a_row = 0
        while True:
            before = take_snapshot(directory)
            more = say("cli_bot.and_more", count=len(changed) - _SHOWN_FILES) if len(changed) > _SHOWN_FILES else ""
            why = say("cli_bot.changed", files=", ".join(changed[:_SHOWN_FILES]), more=more) if changed else ""
            typer.echo(f"\n{'=' * 20} {time.strftime('%H:%M:%S')} {printable(directory.name + why)} {'=' * 20}")
            try:
                test()
            except InterruptedRunError:
                raise
            except Exception as error:  # half-written files are usual here: the author mends them, and it goes on
                report(error)
            after = take_snapshot(directory)
            within = changed_files(before, after)
            in_a_row = in_a_row + 1 if within else 0
            if in_a_row >= MOST_CHANGED_WITHIN:
                before, in_a_row = after, 0
                shown = printable(", ".join(within[:_SHOWN_FILES]))
                typer.echo("\n" + say("cli_bot.not_tested_again", tests=MOST_CHANGED_WITHIN, files=shown), err=True)
            typer.echo("\n" + say("cli_bot.watching", directory=printable(str(directory))), err=True)
            changed = wait_for_change(directory, before, wait)
    except KeyboardInterrupt:
        raise InterruptedRunError(_STOPPED) from None


def wait_for_change(directory: Path, before: Snapshot, wait: Callable[[float], None]) -> list[str]:
    """Return which files have changed since `before`, as soon as they stay as they are for a look."""
    last = take_snapshot(directory)
    while True:
        wait(LOOK_EVERY_S)
        now = take_snapshot(directory)
        if now == last and (changed := changed_files(before, now)):
            return changed
        last = now
