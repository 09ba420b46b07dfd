"""What commands print: tables for people (drawn on a terminal, plain columns in a pipe), JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TextIO

import typer

from arena.cli.shared.layout import BETWEEN, fold, is_empty, lay_out, pad
from arena.cli.shared.saying import named, say, told
from arena.cli.shared.styles import Style, wanted_style
from arena.cli.shared.tabular import rows_of, write_csv, write_markdown
from arena.cli.shared.terminal import unguarded, width_of
from arena.words.plain import plain

_WITHOUT_STYLES = {"", "dumb", "unknown"}
"""What a terminal is called that shows no bold type."""


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


def format_json(data: Any, indent: int | None = None) -> str:
    """Write `data` as JSON; whatever would steer a terminal is escaped, and reads back as it was."""
    return plain(json.dumps(data, indent=indent, ensure_ascii=False), keep="\n")


def print_json(data: Any, table: str | None = None) -> None:
    """Write `data` for a program: as JSON, or in the form that `--csv` or `--markdown` asks for.

    These write the rows of `data`, or those of the part of it that has the key `table`; of data without any table a row
    for each key with its value.
    """
    style = wanted_style()
    if style is Style.JSON:
        typer.echo(format_json(data, indent=2))
        return
    keys, rows = rows_of(data, table)
    if style is Style.CSV:
        write_csv(keys, rows, sys.stdout)
    else:
        write_markdown(keys, [[_text(row.get(key)) for key in keys] for row in rows], sys.stdout)


def print_table(
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    empty: str | None = None,
    err: bool = False,
) -> None:
    """Write `rows` for programs, or as a table of the columns; `empty` is said of one without rows.

    Programs get all keys of the rows; in Markdown, which people read in the end, stand the columns.

    With `err` the table is written to stderr. On a terminal it is no wider than that is: see `arena.cli.shared.layout`.
    """
    if as_json and wanted_style() is Style.MARKDOWN:
        is_right = [column.right for column in columns]
        write_markdown([column.heading for column in columns], _cells(columns, rows), sys.stdout, is_right)
    elif as_json and not rows and wanted_style() is Style.CSV:
        write_csv([column.key for column in columns], [], sys.stdout)
    elif as_json:
        print_json([dict(row) for row in rows])
    elif not rows:
        typer.echo(say("cli_shared.nothing_yet") if empty is None else empty, err=err)
    else:
        _print_cells(columns, _cells(columns, rows), sys.stderr if err else sys.stdout)


def _cells(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [[printable(column.write(row[column.key])) for column in columns] for row in rows]


def print_lines(text: str) -> None:
    """Write a text of somebody else's line by line, so that nothing in it reaches the terminal as a command."""
    for line in text.splitlines():
        typer.echo(printable(line))


def print_rows(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], style: Style, *, empty: str) -> None:
    """Write `rows` in the style that was asked for: all their keys for programs, only the columns for people."""
    if style is Style.CSV:
        keys, flat = rows_of([dict(row) for row in rows])
        write_csv(keys or [column.key for column in columns], flat, sys.stdout)
    else:
        print_table(columns, rows, as_json=style is not Style.PEOPLE, empty=empty)


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


def _print_cells(columns: Sequence[Column], cells: Sequence[Sequence[str]], stream: TextIO) -> None:
    """Write a table: on a terminal with a line below its headings and no wider than that is, else in plain columns."""
    width = width_of(stream)
    headings = [column.heading for column in columns]
    layout = lay_out([_title(column) for column in columns], headings, cells, width)
    shown = [columns[at] for at in layout.shown]
    lines = [[line[at] for at in layout.shown] for line in [headings, *cells]]
    for number, line in enumerate(lines):
        is_drawn_heading = number == 0 and width is not None
        with _bold(stream) if is_drawn_heading else nullcontext():
            for text in _lines(shown, line, layout.widths):
                typer.echo(text, file=stream)
        if is_drawn_heading:
            typer.echo("─" * min(width or 0, sum(layout.widths) + BETWEEN * (len(shown) - 1)), file=stream)
    missing = [at for at in range(len(columns)) if at not in layout.shown and not is_empty(cells, at)]
    if missing:
        names = ", ".join(headings[at] for at in missing)
        typer.echo(say("cli_shared.columns_left_out", columns=names), file=stream)


def _title(column: Column) -> str:
    return "" if column.is_name else column.title


def _lines(columns: Sequence[Column], line: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines that a row of a table takes, more than one if some cell is folded."""
    folded = [fold(text, width) for text, width in zip(line, widths, strict=True)]
    for texts in zip_longest(*folded, fillvalue=""):
        padded = (
            pad(text, width, right=column.right) for text, width, column in zip(texts, widths, columns, strict=True)
        )
        yield (" " * BETWEEN).join(padded).rstrip()


@contextmanager
def _bold(stream: TextIO) -> Iterator[None]:
    """Have a terminal show what is written during the block in bold type, if it can."""
    begin, end = ("", "") if os.environ.get("TERM", "") in _WITHOUT_STYLES else ("\x1b[1m", "\x1b[0m")
    unguarded(stream).write(begin)
    yield
    unguarded(stream).write(end)


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
