"""`arena match`: single matches. Each verb has a file of its own in `verbs/match`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example
from arena.cli.verbs.match import annul, list_, log, run, show, watch

app = typer.Typer(epilog=example("arena match show 3f9a01c2"))
for verb in (run, show, watch, log, list_, annul):
    app.add_typer(verb.app)
