"""What commands print: tables for people (drawn on a terminal, plain columns in a pipe), JSON for programs."""

from __future__ import annotations

import csv
import enum
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import typer

from arena.cli.shared.saying import named, say, told
from arena.cli.shared.terminal import unguarded
from arena.words.plain import plain

_BETWEEN = 3
"""The characters between two columns of a drawn table; its two edges are one each."""


def printable(text: str) -> str:
    """Return the text as one line in which nothing steers a terminal: bots may have written it."""
    return plain(text)


def _text(value: Any) -> str:
    return "-" if value is None else printable(str(value))


def write_told(sentence: str | None) -> str:
    """Write a sentence that the program keeps in English, in the language of this process."""
    return _text(None if sentence is None else told(sentence))


def write_named(family: str) -> Callable[[str | None], str]:
    """Return what writes a value as the catalogue calls it below `family`, such as `search.state_`."""
    return lambda value: _text(None if value is None else named(family, value))


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: which key of the rows it shows, its heading, and how a value is aligned and written."""

    key: str
    title: str
    """The heading `cli_heading.<title>` of the catalogue; or a name, which no catalogue knows, if `is_name` is true."""
    right: bool = False
    write: Callable[[Any], str] = _text
    is_name: bool = False

    @property
    def heading(self) -> str:
        """Return what stands above the column."""
        return printable(self.title) if self.is_name else say(f"cli_heading.{self.title}")


class Style(enum.Enum):
    """Whom rows are written for."""

    PEOPLE = "people"
    JSON = "json"
    CSV = "csv"


def format_json(data: Any, indent: int | None = None) -> str:
    """Write `data` as JSON; whatever would steer a terminal is escaped, and reads back as it was."""
    return plain(json.dumps(data, indent=indent, ensure_ascii=False), keep="\n")


def print_json(data: Any) -> None:
    """Write `data` as JSON, for a program."""
    typer.echo(format_json(data, indent=2))


def print_table(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    empty: str | None = None,
    err: bool = False,
) -> None:
    """Write `rows` as JSON with all their keys, or as a table of the columns; `empty` is said of one without rows.

    With `err` the table is written to stderr.
    """
    if as_json:
        print_json([dict(row) for row in rows])
    elif not rows:
        typer.echo(say("cli_shared.nothing_yet") if empty is None else empty, err=err)
    else:
        cells = [[column.write(row[column.key]) for column in columns] for row in rows]
        stream = sys.stderr if err else sys.stdout
        (_print_drawn if stream.isatty() and _fits(columns, cells) else _print_plain)(columns, cells, stream)


def print_lines(text: str) -> None:
    """Write a text of somebody else's line by line, so that nothing in it reaches the terminal as a command."""
    for line in text.splitlines():
        typer.echo(printable(line))


def print_csv(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a line of headings and a line for each row, for a spreadsheet; `None` becomes an empty cell."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(keys)
    writer.writerows([["" if row[key] is None else row[key] for key in keys] for row in rows])


def print_rows(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], style: Style, *, empty: str) -> None:
    """Write `rows` in the style that was asked for: all their keys for programs, only the columns for people."""
    if style is Style.CSV:
        print_csv(list(rows[0]) if rows else [column.key for column in columns], rows)
    else:
        print_table(columns, rows, as_json=style is Style.JSON, empty=empty)


def yes_or_no(value: Any) -> str:
    """Write a truth value as yes or no, the way options of games are written; write anything else as it is."""
    return ("yes" if value else "no") if isinstance(value, bool) else _text(value)


def format_two_places(value: float) -> str:
    """Write a figure with two decimal places."""
    return f"{value:.2f}"


def format_percent(value: float | None) -> str:
    """Write a share of 1 as a percentage, or `-` if it is not known."""
    return "-" if value is None else f"{100 * value:.1f}%"


def print_facts(facts: Mapping[str, Any]) -> None:
    """Write names and values for people, a pair on each line; a name is `cli_fact.<name>` in the catalogue."""
    said = {say(f"cli_fact.{name}"): value for name, value in facts.items()}
    width = max(map(len, said))
    for name, value in said.items():
        typer.echo(f"{name.ljust(width)}  {_fact_text(value)}")


def _fact_text(value: Any) -> str:
    return say("cli_shared.yes" if value else "cli_shared.no") if isinstance(value, bool) else _text(value)


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(text) for text in (column.heading, *texts)) for column, *texts in zip(columns, *cells, strict=True)]


def _fits(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> bool:
    """Return whether a drawn table would stand on this terminal with no name cut off: people copy them."""
    return sum(_widths(columns, cells)) + _BETWEEN * (len(columns) - 1) + 2 <= shutil.get_terminal_size().columns


def _print_plain(columns: Sequence[Column], cells: Sequence[Sequence[str]], stream: TextIO) -> None:
    lines = [[column.heading for column in columns], *cells]
    widths = _widths(columns, cells)
    for line in lines:
        padded = [
            text.rjust(width) if column.right else text.ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        ]
        typer.echo("  ".join(padded).rstrip(), file=stream)


def _print_drawn(columns: Sequence[Column], cells: Sequence[Sequence[str]], stream: TextIO) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column.heading, justify="right" if column.right else "left")
    for line in cells:
        table.add_row(*map(Text, line))
    Console(file=unguarded(stream)).print(table)


def format_instant(microseconds: int | None) -> str:
    """Write an instant for people: UTC, to the second, or `-` if there is none."""
    if microseconds is None:
        return "-"
    from datetime import UTC, datetime

    return datetime.fromtimestamp(microseconds / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


def format_duration(seconds: float) -> str:
    """Write a duration for people: 8 s, 2 min 5 s, 3 h 2 min."""
    minutes, left = divmod(max(0, round(seconds)), 60)
    if minutes == 0:
        return f"{left} s"
    return f"{minutes} min {left} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
