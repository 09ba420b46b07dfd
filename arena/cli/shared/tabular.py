"""Data as tables without a terminal: rows of JSON, and how CSV and Markdown write them."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TextIO

Row = Mapping[str, Any]


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
        rows = [{**_without(one, table), **row} for one in data for row in one[table]]
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


def _without(data: Row, key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


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


def write_csv(keys: Sequence[str], rows: Iterable[Row], stream: TextIO, *, has_headings: bool = True) -> None:
    """Write a line of headings and a line for each row, for a spreadsheet; what a row lacks becomes an empty cell.

    Without headings the rows go on with a table that was begun.
    """
    writer = csv.writer(stream, lineterminator="\n")
    if has_headings:
        writer.writerow(keys)
    writer.writerows(["" if row.get(key) is None else row[key] for key in keys] for row in rows)


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
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<")
