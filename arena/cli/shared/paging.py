"""Lists in pages: the options that choose a page, and the line below a table that was cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

import typer

from arena.cli.shared.connect import next_command
from arena.cli.shared.language import say
from arena.cli.shared.output import Style, print_rows, print_table, wanted_style
from arena.model.table_columns import Column
from ratings.values.page import DEFAULT_LIMIT, MOST_LIMIT, Page

T = TypeVar("T")
Limit = Annotated[int, typer.Option("--limit", min=0, metavar="N")]
After = Annotated[str | None, typer.Option("--after", metavar="CURSOR")]
Best = Annotated[int, typer.Option("--limit", min=0, metavar="N")]
DEFAULT = DEFAULT_LIMIT


def rows_wanted(limit: int) -> int | None:
    """Return how many rows `--limit` asks for, `None` for all."""
    return limit or None


def ask_for(ask: Callable[[int, str | None], Page[T]], limit: int, after: str | None) -> tuple[Page[T], Iterator[T]]:
    """Return the page that was asked for, and what follows it if `limit` is 0, which means all.

    What follows is asked for page by page while it is taken, so that a list of any length takes the memory of one page.
    Whoever takes it keeps the connection open.
    """
    if limit:
        return ask(limit, after), iter(())
    first = ask(MOST_LIMIT, after)
    while first.next is not None and not first.items:  # a page may lose all its rows to what its reader may not see
        first = ask(MOST_LIMIT, first.next)
    return Page(first.items), _following(ask, first.next)


def _following(ask: Callable[[int, str | None], Page[T]], cursor: str | None) -> Iterator[T]:
    while cursor is not None:
        page = ask(MOST_LIMIT, cursor)
        yield from page.items
        cursor = page.next


def print_page(
    columns: Sequence[Column],
    rows: Sequence[Any],
    more: str | None,
    *,
    as_json: bool,
    empty: str | None = None,
    rest: Iterable[Any] = (),
) -> None:
    """Write a page of a list like `print_table`; `more` is the command line that gives the next page, if there is one.

    People read it below the table. Programs get it on stderr, for what they read is the list alone.
    """
    print_table(columns, rows, as_json=as_json, empty=empty, rest=rest)
    print_more(more, as_json=as_json)


def print_rows_of_page(
    columns: Sequence[Column],
    rows: Sequence[Any],
    more: str | None,
    style: Style,
    *,
    empty: str,
    rest: Iterable[Any] = (),
) -> None:
    """Write a page in a style, and how to see the next one: below a table, on stderr beside the other forms."""
    print_rows(columns, rows, style, empty=empty, rest=rest)
    print_more(more, as_json=style is not Style.PEOPLE)


def print_more(more: str | None, *, as_json: bool, what: str | None = None) -> None:
    """Say how to see the next page, if there is one; `what` there is more of, for a command with several lists."""
    if more is not None:
        typer.echo(say("cli_shared.there_are", what=what or say("cli_shared.more"), command=more), err=as_json)


def more_command(
    *words: str, limit: int, cursor: str | None, as_json: bool = False, as_csv: bool = False, db: str
) -> str | None:
    """Return the command line that gives the page after this one, or `None` if there is no cursor for it."""
    if cursor is None:
        return None
    style = [*([f"--{wanted_style().value}"] if as_json else []), *(["--csv"] if as_csv else [])]
    return next_command(*words, "--limit", str(limit), "--after", cursor, *style, db=db)


def options_given(**options: object) -> list[str]:
    """Return the words of those options that were given: of `pool="3f2a"` these are `--pool 3f2a`."""
    return [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
