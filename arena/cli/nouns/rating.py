"""`arena rating`: the ratings against the results they come from. Each verb has a file of its own in `verbs/rating`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example

app = typer.Typer(epilog=example("arena rating rebuild --check"))
VERBS = {"official": ["official"], "fairplay": ["fairplay"], "rebuild": ["rebuild"]}
