"""`arena tournament`: plan, play, stop, go on, look at. Each verb has a file of its own in `verbs/tournament`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example

app = typer.Typer(epilog=example("arena tournament list", "arena tournament run round-robin --help"))
VERBS = {
    "export": ["export"],
    "import_": ["import"],
    "list_": ["list"],
    "show": ["show"],
    "watch": ["watch"],
    "standings": ["standings"],
    "leaks": ["leaks"],
    "resume": ["resume"],
    "cancel": ["cancel"],
    "join": ["join"],
    "withdraw": ["withdraw"],
    "run": ["run"],
}
