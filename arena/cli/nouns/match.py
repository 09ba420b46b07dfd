"""`arena match`: single matches. Each verb has a file of its own in `verbs/match`."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example

app = typer.Typer(epilog=example("arena match show 3f9a01c2"))
VERBS = {
    "run": ["run"],
    "show": ["show"],
    "watch": ["watch"],
    "log": ["log"],
    "list_": ["list"],
    "annul": ["annul"],
}
