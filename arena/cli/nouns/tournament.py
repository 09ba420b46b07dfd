"""`arena tournament`: plan, play, stop, go on, look at. Each verb has a file of its own in `verbs/tournament`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example, print_help_without_verb
from arena.cli.verbs.tournament import (
    cancel,
    export,
    import_,
    join,
    leaks,
    list_,
    resume,
    show,
    standings,
    watch,
    withdraw,
)
from arena.cli.verbs.tournament.run import adaptive, gauntlet, knockout, ladder, round_robin, sample, swiss

app = typer.Typer(epilog=example("arena tournament list", "arena tournament run round-robin --help"))
for verb in (export, import_, list_, show, watch, standings, leaks, resume, cancel, join, withdraw):
    app.add_typer(verb.app)

run = typer.Typer()
run.callback(invoke_without_command=True)(print_help_without_verb)
for form in (round_robin, sample, gauntlet, swiss, knockout, adaptive, ladder):
    run.add_typer(form.app)
app.add_typer(
    run,
    name="run",
    epilog=example("arena tournament run round-robin --game foreign_king --seats 3 --bots random,greedy,search"),
)
