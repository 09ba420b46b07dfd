"""`arena replay`: matches as they were played. Each verb has a file of its own in `verbs/replay`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example
from arena.cli.verbs.replay import html, show, verify

app = typer.Typer(epilog=example("arena replay show 3f9a01c2", "arena replay verify --all"))
for verb in (show, html, verify):
    app.add_typer(verb.app)
