"""What people are told of a ladder that rests, or of which nothing is rated."""

from __future__ import annotations

import typer

from arena.cli.shared.saying import told
from arena.model.ladders import Ladder


def print_note(ladder: Ladder) -> None:
    """Write what there is to say of a ladder in one line, if there is something."""
    if ladder.note is not None:
        typer.echo(f"{ladder.name}: {told(ladder.note)}")
