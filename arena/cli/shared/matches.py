"""How a match is named on the command line, and how its id and its seats are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared.output import Column, printable
from arena.cli.shared.saying import named, say

if TYPE_CHECKING:  # how a match is named is asked by more than by lists of matches
    from arena.client.values.matches import MatchSummary

MatchId = Annotated[str, typer.Argument(metavar="MATCH")]

_SHOWN_DIGITS = 8


def short_match_id(match_id: str) -> str:
    """Return the end of a match's id, which is what people are shown: ids of one moment begin alike."""
    return match_id[-_SHOWN_DIGITS:]


def format_seats(seats: Sequence[Mapping[str, Any]]) -> str:
    """Write who sat where, with the rank in brackets and a mark at a fault, for a table: `greedy(1) random(2)!`."""
    return " ".join(f"{seat['bot']}({seat['rank'] or '-'}){'!' if seat.get('fault') else ''}" for seat in seats)


def format_faults(seats: Sequence[Mapping[str, Any]]) -> str:
    """Write which bots were at fault and why, for a table: `random: TIMEOUT`."""
    return ", ".join(f"{seat['bot']}: {named('fault.', seat['fault'])}" for seat in seats if seat.get("fault"))


def with_faults(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Return the columns of a table of matches, and one that tells the faults if some bot in it was at fault."""
    is_faulty = any(seat.get("fault") for row in rows for seat in row["seats"])
    return [*columns, *([Column("seats", "faults", write=format_faults)] if is_faulty else [])]


def noting_annulled(matches: Iterable[MatchSummary], annulled: list[MatchSummary]) -> Iterator[MatchSummary]:
    """Yield the matches, and add those to the list that the organiser annulled."""
    for match in matches:
        if match.annulled is not None:
            annulled.append(match)
        yield match


def print_annulled(matches: Sequence[MatchSummary]) -> None:
    """Say of each match that the organiser annulled why it does not count."""
    for match in matches:
        if match.annulled is not None:
            typer.echo(say("cli_shared.counts_not", match=short_match_id(match.id), why=printable(match.annulled)))
