"""Writes for programs what happens, as it happens: a JSON object on each line, or a row of one table that grows."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import typer

from arena.cli.shared.cells import cell_text
from arena.cli.shared.output import format_json
from arena.cli.shared.styles import Style, wanted_style
from arena.cli.shared.tabular import cell_of, write_csv, write_markdown


class EventLines:
    """Writes events one by one; of a table the headings come before the first, and never change."""

    def __init__(self, keys: Sequence[str] | None = None) -> None:
        """Begin. `keys` are the columns of the table; without them they are those of the first event."""
        self._keys = keys
        self._style = wanted_style()
        self._is_begun = False

    def write(self, event: Mapping[str, Any], row: Mapping[str, Any] | None = None) -> None:
        """Write an event; `row` is what a table says of it, if that is not the event itself.

        What a row lacks stays empty, and what is no text or number becomes a cell of JSON, so that all rows have the
        same columns.
        """
        if self._style is Style.JSON:
            typer.echo(format_json(event))
        else:
            self._write_row(event if row is None else row)
        sys.stdout.flush()

    def _write_row(self, row: Mapping[str, Any]) -> None:
        if self._keys is None:
            self._keys = list(row)
        cells = {key: cell_of(row.get(key)) for key in self._keys}
        if self._style is Style.CSV:
            write_csv(self._keys, [cells], sys.stdout, has_headings=not self._is_begun)
        else:
            texts = [cell_text(cell) for cell in cells.values()]
            write_markdown(self._keys, [texts], sys.stdout, has_headings=not self._is_begun)
        self._is_begun = True


def keys_of(*kinds: Any) -> list[str]:
    """Return the names of the fields of dataclasses, each once."""
    return list(dict.fromkeys(field.name for kind in kinds for field in fields(kind)))
