"""`arena tournament run`: plan and play a tournament, by a verb for each format."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example, print_help_without_verb
from arena.cli.verbs.tournament.run import adaptive, gauntlet, knockout, ladder, round_robin, sample, swiss

app = typer.Typer(
    epilog=example("arena tournament run round-robin --game foreign_king --seats 3 --bots random,greedy,search")
)
app.callback(invoke_without_command=True)(print_help_without_verb)
for form in (round_robin, sample, gauntlet, swiss, knockout, adaptive, ladder):
    app.add_typer(form.app)
