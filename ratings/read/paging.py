"""Lists in pages: a page begins behind the last row of the one before it, by the key that its list is sorted by.

No page costs more than another, and what is written meanwhile neither repeats a row nor hides one:

    found = session.exec(one_page(query, order, limit, after)).all()
    return cut(found, order, limit, key=lambda row: (row.id,))
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, tuple_

from engine.translatable import Text
from ratings.errors import PageError
from ratings.values.page import Page

_MOST_CURSOR = 2000
_LARGEST = 2**63 - 1

T = TypeVar("T")
S = TypeVar("S")
Q = TypeVar("Q", bound="Select[*tuple[Any, ...]]")


@dataclass(frozen=True, slots=True)
class Order:
    """How a list is sorted: by columns that together are unique, all of them ascending or all descending."""

    name: str
    """Tells the cursors of one list from those of another."""
    columns: tuple[ColumnElement[Any], ...]
    kinds: tuple[type[str] | type[int], ...]
    """The type of each column's values."""
    is_descending: bool = True


def one_page(query: Q, order: Order, limit: int | None, after: str | None) -> Q:
    """Return the query for the page behind the cursor `after`, with one row more than `limit` to know if more follow.

    A `limit` of `None` gives all that is left. Raises PageError for a limit below 1, and for a cursor that no page of
    this list gave.
    """
    need_rows(limit)
    if after is not None:
        key = _decode(order, after)
        columns: Any = order.columns[0] if len(key) == 1 else tuple_(*order.columns)
        value = key[0] if len(key) == 1 else tuple_(*key)
        query = query.where(columns < value if order.is_descending else columns > value)
    sorted_ = query.order_by(*(column.desc() if order.is_descending else column.asc() for column in order.columns))
    return sorted_ if limit is None else sorted_.limit(limit + 1)


def cut(rows: Sequence[T], order: Order, limit: int | None, key: Callable[[T], tuple[str | int, ...]]) -> Page[T]:
    """Return the page of what the query of `one_page` found; `key` returns the values of the order's columns."""
    if limit is None or len(rows) <= limit:
        return Page(tuple(rows), None)
    return Page(tuple(rows[:limit]), cursor_of(order, key(rows[limit - 1])))


def part_of(items: Sequence[T], name: str, limit: int | None, after: str | None) -> Page[T]:
    """Return a page of a list that had to be computed as a whole; its cursors tell the place at which a page ended.

    Raises PageError.
    """
    order = Order(name, (), (int,))
    start = 0 if after is None else place_of(order, after)
    need_rows(limit)
    end = len(items) if limit is None else start + limit
    return Page(tuple(items[start:end]), cursor_of(order, (end,)) if end < len(items) else None)


def place_of(order: Order, cursor: str) -> int:
    """Return the place, counted from 0, that is the last part of a cursor's key. Raises PageError."""
    place = _decode(order, cursor)[-1]
    if not isinstance(place, int) or place < 0:
        raise PageError(
            Text("{cursor} is no cursor of this list; take the one that the page before gave", cursor=repr(cursor[:60]))
        )
    return place


def each(page: Page[T], make: Callable[[T], S]) -> Page[S]:
    """Return the page with what `make` makes of every item."""
    return Page(tuple(make(item) for item in page.items), page.next)


def need_rows(limit: int | None) -> None:
    """Raise PageError for a page without rows."""
    if limit is not None and limit < 1:
        raise PageError(Text("a page of {rows} rows is impossible; ask for 1 or more", rows=limit))


def cursor_of(order: Order, key: Sequence[str | int]) -> str:
    """Return the cursor of the page behind the row with that key."""
    text = json.dumps([order.name, *key], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def _decode(order: Order, cursor: str) -> list[str | int]:
    key: list[str | int]
    try:
        if len(cursor) > _MOST_CURSOR:
            raise ValueError("it is too long")
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        name, *key = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if name != order.name or len(key) != len(order.kinds):
            raise ValueError("it is of another list")
        if not all(map(_fits, key, order.kinds)):
            raise ValueError("its key is of another kind")
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise PageError(
            Text(
                "{cursor} is no cursor of this list; take the one that the page before gave, or none to begin anew",
                cursor=repr(cursor[:60]),
            )
        ) from error
    return key


def _fits(value: object, kind: type) -> bool:
    """Return whether a database can compare the value with a column of that kind."""
    if isinstance(value, str):
        return kind is str and value.isprintable()  # no lone surrogate, no NUL
    return type(value) is kind is int and abs(value) <= _LARGEST
