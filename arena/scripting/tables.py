"""Tables of typed rows, as notebooks and scripts get them: printed, shown in HTML, and made frames of pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any, Final, Generic, TypeVar, overload

from arena.model.columns import Column, ColumnKind
from arena.model.matches import SeatSummary
from arena.scripting.errors import need_package

T = TypeVar("T")

_MOST_SHOWN = 100
"""So many rows are shown; the table has them all."""
_SHOWN_DIGITS = 8
_HEADINGS: Final[Mapping[str, str]] = {"ended": "end", "note": "", "progress": "matches", "seats_rank": "bots"}
"""What stands above columns that are not called by their titles."""


def _players_text(seats: Sequence[SeatSummary]) -> str:
    return ", ".join(f"{seat.bot} ({seat.rank or '-'}{f' {seat.fault}' if seat.fault else ''})" for seat in seats)


_WRITERS: Final[Mapping[ColumnKind, Callable[[Any], str]]] = {
    ColumnKind.WORDS: ", ".join,
    ColumnKind.MATCH: lambda match_id: match_id[-_SHOWN_DIGITS:],
    ColumnKind.VERSION: lambda version: version[0][:_SHOWN_DIGITS],
    ColumnKind.PLAYERS: _players_text,
    ColumnKind.SHARE: "{:.3f}".format,
    ColumnKind.CHANCE: "{:.0%}".format,
    ColumnKind.RATING: "{:.2f}".format,
    ColumnKind.ELO: "{:.0f}".format,
}
"""How the kinds of columns are written that do not stand there as they are."""


def _heading_of(column: Column) -> str:
    return column.title if column.is_name else _HEADINGS.get(column.title, column.title.replace("_", " "))


def _write_cell(column: Column, row: Any) -> str:
    value = column.value(row)
    return "-" if value is None else (column.write or _WRITERS.get(column.kind, str))(value)


@dataclass(frozen=True, slots=True, repr=False)
class ResultTable(Sequence[T], Generic[T]):
    """Rows of one type in their order. `rows` are the values themselves; every field of theirs is in `to_pandas()`."""

    title: str
    rows: tuple[T, ...]
    kind: type[T]
    """What each row is."""
    columns: tuple[Column, ...] = field(compare=False)
    """What is shown of it."""
    notes: tuple[str, ...] = ()
    """What is said below it."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each row and a column for each field. Raises MissingPackageError."""
        names = [one.name for one in fields(self.kind)]  # type: ignore[arg-type]
        return data_frame([[getattr(row, name) for name in names] for row in self.rows], names)

    def _repr_html_(self) -> str:
        return html_table(self.title, *self._cells(), self.notes)

    def __repr__(self) -> str:
        return text_table(self.title, *self._cells(), self.notes)

    def _cells(self) -> tuple[list[str], list[list[str]], list[bool]]:
        heads = list(map(_heading_of, self.columns))
        cells = [[_write_cell(column, row) for column in self.columns] for row in self.rows]
        return heads, cells, [column.right for column in self.columns]


def data_frame(rows: Sequence[Sequence[Any]], columns: Sequence[str], index: Sequence[str] | None = None) -> Any:
    """Return a DataFrame. Raises MissingPackageError if pandas is not installed."""
    pandas = need_package("pandas", "DataFrame", "to_pandas()", "install it: pip install pandas")
    return pandas.DataFrame([list(row) for row in rows], columns=list(columns), index=index)


def html_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], notes: Sequence[str] = ()
) -> str:
    """Return a table in HTML; whatever stands in it is escaped."""
    aligned = ["right" if one else "left" for one in right]
    head = "".join(_cell("th", text, side) for text, side in zip(heads, aligned, strict=True))
    body = "".join(
        "<tr>" + "".join(_cell("td", text, side) for text, side in zip(row, aligned, strict=True)) + "</tr>"
        for row in rows[:_MOST_SHOWN]
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in [*_cut(len(rows)), *notes])
    return (
        f'<div><table><caption style="caption-side:top;text-align:left"><b>{escape(title)}</b></caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def text_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], notes: Sequence[str] = ()
) -> str:
    """Return a table as lines of text; what cannot be printed is shown as escapes."""
    shown = [[_printable(text) for text in row] for row in [heads, *rows[:_MOST_SHOWN]]]
    widths = [max(len(row[place]) for row in shown) for place in range(len(heads))]
    lines = [
        "  ".join(
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in shown
    ]
    return "\n".join([_printable(title), *lines, *_cut(len(rows)), *map(_printable, notes)])


def _cell(tag: str, text: str, side: str) -> str:
    return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'


def _cut(rows: int) -> list[str]:
    return [f"... {rows - _MOST_SHOWN} more rows"] if rows > _MOST_SHOWN else []


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
