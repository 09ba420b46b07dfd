"""`arena replay`: matches as they were played. Each verb has a file of its own in `verbs/replay`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example

app = typer.Typer(epilog=example("arena replay show 3f9a01c2", "arena replay verify --all"))
VERBS = {"show": ["show"], "html": ["html"], "verify": ["verify"], "dataset": ["dataset"]}
