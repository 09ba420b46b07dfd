"""Goes through a whole list of the interface, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from ratings.values.page import Page

T = TypeVar("T")


def all_of(ask: Callable[[str | None], Page[T]], limit: int | None = None) -> Iterator[T]:
    """Yield the items of a list, page by page, given what asks for the page after a cursor; `limit` at most."""
    after: str | None = None
    left = limit
    while left is None or left > 0:
        page = ask(after)
        yield from page.items if left is None else page.items[:left]
        left = None if left is None else left - len(page.items)
        after = page.next
        if after is None:
            return
