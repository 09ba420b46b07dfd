"""`arena cluster`: the machines of a Ray cluster, as far as they play."""

from __future__ import annotations

import typer

from arena.cli.shared.options import example

app = typer.Typer(epilog=example("arena cluster show", "arena cluster show --address 127.0.0.1:6379 --json"))

VERBS = {"show": ("show",)}
