"""What commands print: tables for people, JSON, CSV and Markdown for programs, and events as they happen.

For people tables are drawn on a terminal, and have plain columns in a pipe.
"""

from __future__ import annotations

import enum
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, fields
from functools import partial
from itertools import chain, zip_longest
from textwrap import indent
from typing import Any, TextIO

import typer
from typer._click.globals import get_current_context

from arena.cli.shared.cells import cell_text, heading_of, printable, write_cell
from arena.cli.shared.language import say, translated
from arena.cli.shared.terminal import BETWEEN, fold, is_empty, lay_out, pad, raw_stream, width_of
from arena.i18n.sanitize import plain, write_csv
from arena.model.table_columns import Column

_WITHOUT_STYLES = {"", "dumb", "unknown"}
"""What a terminal is called that shows no bold type."""
KEY = "arena.cli.shared.output"
"""Where the context of a command line notes the form, if it is not JSON."""
Row = Mapping[str, Any]


def format_json(data: Any, indent: int | None = None) -> str:
    """Write `data` as JSON; whatever would steer a terminal is escaped, and reads back as it was."""
    return plain(json.dumps(data, indent=indent, ensure_ascii=False), keep="\n")


def print_json(data: Any, table: str | None = None, longest: str = "", rest: Iterable[Mapping[str, Any]] = ()) -> None:
    """Write `data` for a program: as JSON, or in the form that `--csv` or `--markdown` asks for.

    These write the rows of `data`, or those of the part of it that has the key `table`; of data without any table a row
    for each key with its value.

    The rows of `rest` follow those below the key `longest`, each written as it comes.
    """
    style = wanted_style()
    if style is Style.JSON:
        _print_object(data, longest, rest) if longest else typer.echo(format_json(data, indent=2))
        return
    keys, rows = rows_of(data, table)
    whole = chain(rows, _flat_rows(keys, rest if table == longest else ()))
    if style is Style.CSV:
        _write_csv(keys, whole)
    else:
        write_markdown(keys, ([cell_text(row.get(key)) for key in keys] for row in whole), sys.stdout)


def _print_object(data: Mapping[str, Any], longest: str, rest: Iterable[Mapping[str, Any]]) -> None:
    """Write an object in JSON, and the rows below its key `longest` each as it comes."""
    key = f'\n  "{longest}": '  # no other line begins so: what lies deeper is indented further
    before, after = format_json({**data, longest: []}, indent=2).split(f"{key}[]", 1)
    typer.echo(before + key, nl=False)
    _print_list(chain(data[longest], rest), margin="  ")
    typer.echo(after)


def print_table(
    columns: Sequence[Column],
    rows: Sequence[Any],
    *,
    as_json: bool,
    empty: str | None = None,
    err: bool = False,
    rest: Iterable[Any] = (),
) -> None:
    """Write `rows` for programs, or as a table of the columns; `empty` is said of one without rows.

    A row is a value or a mapping. Programs get all that stands in it; in Markdown, which people read in the end, stand
    the columns.

    With `err` the table is written to stderr. On a terminal it is no wider than that is.
    The rows of `rest` follow, each written as it comes; how wide columns are, and which keys CSV has, `rows` decide.
    """
    if as_json and wanted_style() is Style.MARKDOWN:
        is_right = [column.right for column in columns]
        cells = map(partial(_cells_of, columns), chain(rows, rest))
        write_markdown([heading_of(column) for column in columns], cells, sys.stdout, is_right)
    elif as_json and wanted_style() is Style.CSV:
        _print_csv(columns, rows, rest)
    elif as_json:
        _print_list(map(_facts_of, chain(rows, rest)))
        typer.echo()
    elif not rows:
        typer.echo(say("cli_shared.nothing_yet") if empty is None else empty, err=err)
    else:
        shown_cells = [_cells_of(columns, row) for row in rows]
        stream = sys.stderr if err else sys.stdout
        width = width_of(stream)
        headings = [heading_of(column) for column in columns]
        layout = lay_out([("" if column.is_name else column.title) for column in columns], headings, shown_cells, width)
        shown, left_out = [columns[at] for at in layout.shown], set(range(len(columns))) - set(layout.shown)
        missing: set[int] = set()
        for number, cell in enumerate(chain([headings], shown_cells, map(partial(_cells_of, columns), rest))):
            if number:
                missing |= {at for at in left_out if not is_empty([cell], at)}
            line = [cell[at] for at in layout.shown]
            is_drawn_heading = number == 0 and width is not None
            with _bold(stream) if is_drawn_heading else nullcontext():
                for text in _lines(shown, line, layout.widths, folds=width is not None):
                    typer.echo(text, file=stream)
            if is_drawn_heading:
                typer.echo("─" * min(width or 0, sum(layout.widths) + BETWEEN * (len(shown) - 1)), file=stream)
        if missing:
            names = ", ".join(headings[at] for at in sorted(missing))
            typer.echo(say("cli_shared.columns_left_out", columns=names), file=stream)


def _cells_of(columns: Sequence[Column], row: Any) -> list[str]:
    return [write_cell(column, row) for column in columns]


def _facts_of(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, Mapping) else asdict(row)


def _print_csv(columns: Sequence[Column], rows: Sequence[Any], rest: Iterable[Any]) -> None:
    keys, flat = rows_of(list(map(_facts_of, rows)))
    following = _flat_rows(keys, map(_facts_of, rest))
    _write_csv(keys or [column.key for column in columns], chain(flat, following))


def _flat_rows(keys: Sequence[str], rest: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return further rows flattened for keys that are fixed already; values below a known key stay whole."""
    return (flat_row(row, keys) for row in rest)


def _print_list(rows: Iterable[Mapping[str, Any]], margin: str = "") -> None:
    """Write rows as a list in JSON, in the very form of `print_json`, each as it comes."""
    before = "["
    for row in rows:
        typer.echo(f"{before}\n{indent(format_json(dict(row), indent=2), f'{margin}  ')}", nl=False)
        before = ","
    typer.echo("[]" if before == "[" else f"\n{margin}]", nl=False)


def print_lines(text: str) -> None:
    """Print a foreign text line by line; nothing in it can steer the terminal."""
    for line in text.splitlines():
        typer.echo(printable(line))


def print_note(sentence: str) -> None:
    """Write a sentence about what goes on to stderr, in the language of this process."""
    typer.echo(f"arena: {translated(sentence)}", err=True)


def print_rows(
    columns: Sequence[Column], rows: Sequence[Any], style: Style, *, empty: str, rest: Iterable[Any] = ()
) -> None:
    """Write `rows` in the style that was asked for: all their keys for programs, only the columns for people.

    The rows of `rest` follow as in `print_table`.
    """
    if style is Style.CSV:
        _print_csv(columns, rows, rest)
    else:
        print_table(columns, rows, as_json=style is not Style.PEOPLE, empty=empty, rest=rest)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Write names and values for people, a pair on each line; a name is `cli_fact.<name>` in the catalogue."""
    said = {say(f"cli_fact.{name}"): value for name, value in facts.items()}
    width = max(map(len, said))
    for name, value in said.items():
        typer.echo(f"{name.ljust(width)}  {_fact_text(value)}")


def _fact_text(value: Any) -> str:
    return say("cli_shared.yes" if value else "cli_shared.no") if isinstance(value, bool) else cell_text(value)


def _lines(columns: Sequence[Column], line: Sequence[str], widths: Sequence[int], *, folds: bool) -> Iterator[str]:
    """Yield the lines that a row of a table takes, more than one if some cell is folded."""
    folded = [fold(text, width) if folds else [text] for text, width in zip(line, widths, strict=True)]
    for texts in zip_longest(*folded, fillvalue=""):
        padded = (
            pad(text, width, right=column.right) for text, width, column in zip(texts, widths, columns, strict=True)
        )
        yield (" " * BETWEEN).join(padded).rstrip()


@contextmanager
def _bold(stream: TextIO) -> Iterator[None]:
    """Have a terminal show what is written during the block in bold type, if it can."""
    begin, end = ("", "") if os.environ.get("TERM", "") in _WITHOUT_STYLES else ("\x1b[1m", "\x1b[0m")
    raw_stream(stream).write(begin)
    yield
    raw_stream(stream).write(end)


class Style(enum.Enum):
    """Whom rows are written for."""

    PEOPLE = "people"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def wanted_style() -> Style:
    """Return the form of what is written for programs: JSON, unless `--csv` or `--markdown` asks for another."""
    context = get_current_context(silent=True)
    style: Style = Style.JSON if context is None else context.meta.get(KEY, Style.JSON)
    return style


def rows_of(data: Any, table: str | None = None) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the keys and rows of data as JSON has it.

    A list has a row for each item. Of an object they are the items below the key `table`, or without one its keys with
    their values; of a list of objects with tables those of all, each with what else the object says. The keys of
    objects within are joined by a dot; lists within become a cell of JSON.
    """
    if isinstance(data, Mapping):
        rows = [{"key": key, "value": value} for key, value in _flat(data).items()] if table is None else data[table]
    elif table is None:
        rows = data
    else:
        rows = [
            {**({name: value for name, value in one.items() if name != table}), **row}
            for one in data
            for row in one[table]
        ]
    flat = list(map(flat_row, rows))
    return list(dict.fromkeys(key for row in flat for key in row)), flat


def flat_row(row: Any, keys: Collection[str] = ()) -> dict[str, Any]:
    """Return a row with the keys of objects within joined by dots, and lists within as cells of JSON.

    An object whose own key is among `keys` is such a cell as well: other rows of that column have no object there.
    """
    if not isinstance(row, Mapping):
        return {"value": cell_of(row)}
    whole = {key: cell_of(value) for key, value in row.items() if key in keys and isinstance(value, Mapping)}
    return {**_flat(row), **whole}


def _flat(data: Row, before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            flat.update(_flat(value, f"{before}{key}."))
        else:
            flat[f"{before}{key}"] = cell_of(value)
    return flat


def cell_of(value: Any) -> Any:
    """Return a value as a cell has it: texts, numbers and nothing as they are, the rest as JSON."""
    is_plain = value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _write_csv(keys: Sequence[str], rows: Iterable[Row], *, has_headings: bool = True) -> None:
    """Write a line of headings and a line for each row, for a spreadsheet; what a row lacks becomes an empty cell.

    Without headings the rows go on with a table that was begun.
    """
    lines = ([row.get(key) for key in keys] for row in rows)
    write_csv(chain([keys] if has_headings else [], lines), sys.stdout)


def write_markdown(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    stream: TextIO,
    is_right: Sequence[bool] | None = None,
    *,
    has_headings: bool = True,
) -> None:
    """Write a table as Markdown has it; `is_right` tells which columns stand to the right.

    Without headings the rows go on with a table that was begun.
    """
    rules = ["---:" if right else "---" for right in is_right or [False] * len(headings)]
    head = [map(_escape, headings), rules] if has_headings else []
    for cells in chain(head, (map(_escape, row) for row in rows)):
        stream.write(f"| {' | '.join(cells)} |\n")


def _escape(text: str) -> str:
    """Return the text with nothing in it that ends a cell or begins a tag."""
    return plain(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<")


class EventLines:
    """Writes events one by one. The headings of a table come before the first event and never change."""

    def __init__(self, keys: Sequence[str] | None = None) -> None:
        """`keys` are the columns of the table, by default those of the first event."""
        self._keys = keys
        self._style = wanted_style()
        self._is_begun = False

    def write(self, event: Mapping[str, Any], row: Mapping[str, Any] | None = None) -> None:
        """Write an event, in a table as `row` if that is given.

        What a row lacks stays empty, and what is no text or number becomes a cell of JSON, so that all rows have the
        same columns.
        """
        if self._style is Style.JSON:
            typer.echo(format_json(event))
        else:
            row = event if row is None else row
            if self._keys is None:
                self._keys = list(row)
            cells = {key: cell_of(row.get(key)) for key in self._keys}
            if self._style is Style.CSV:
                _write_csv(self._keys, [cells], has_headings=not self._is_begun)
            else:
                texts = [cell_text(cell) for cell in cells.values()]
                write_markdown(self._keys, [texts], sys.stdout, has_headings=not self._is_begun)
            self._is_begun = True
        sys.stdout.flush()


def keys_of(*kinds: Any) -> list[str]:
    """Return the names of the fields of dataclasses, each once."""
    return list(dict.fromkeys(field.name for kind in kinds for field in fields(kind)))
