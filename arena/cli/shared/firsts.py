"""The columns of first ranks: alone, shared with some of the others, and level with all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.cli.shared.output import Column

TOGETHER = (Column("shared", "shared", right=True), Column("draws", "draws", right=True))
"""Those in which it was first together with others."""
FIRSTS = (Column("wins", "wins", right=True), *TOGETHER)
"""Each match counts in one of them, or in none."""


def without_empty(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Return the columns of a table without those of `shared` and `draws` that count nothing in any of its rows.

    There are no draws in most games, and with two seats nothing is shared but a draw.
    """
    nothing = [column for column in TOGETHER if rows and not any(row[column.key] for row in rows)]
    return [column for column in columns if column not in nothing]
