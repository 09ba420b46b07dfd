"""How a match is named on the command line, and how its id and its seats are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.saying import named, say
from arena.i18n.plain import plain
from arena.model.columns import MATCHES, Column, pick

if TYPE_CHECKING:  # how a match is named is asked by more than by lists of matches
    from arena.model.matches import MatchSummary, SeatSummary

MatchId = Annotated[str, typer.Argument(metavar="MATCH")]

_SHOWN_DIGITS = 8
_MOST_NAMED = 10


def short_match_id(match_id: str) -> str:
    """Return the end of a match's id, which is what people are shown: ids of one moment begin alike."""
    return match_id[-_SHOWN_DIGITS:]


def format_seats(seats: Sequence[SeatSummary]) -> str:
    """Write who sat where, with the rank in brackets and a mark at a fault, for a table: `greedy(1) random(2)!`."""
    return " ".join(f"{seat.bot}({seat.rank or '-'}){'!' if seat.fault else ''}" for seat in seats)


def format_faults(seats: Sequence[SeatSummary]) -> str:
    """Write which bots were at fault and why, for a table: `random: TIMEOUT`."""
    return ", ".join(f"{seat.bot}: {named('fault.', seat.fault)}" for seat in seats if seat.fault)


def match_columns(rows: Sequence[MatchSummary], *titles: str) -> tuple[Column, ...]:
    """Return columns of a table of matches, and the one that tells the faults if some bot in it was at fault."""
    is_faulty = any(seat.fault for row in rows for seat in row.seats)
    return pick(MATCHES, *titles, *(["faults"] if is_faulty else []))


class Reasons:
    """What is said below a table of matches of some of them: why each is as it is.

    Of a reason that many share the first are named, so that a table of any length has a short end.
    """

    def __init__(self, text: str) -> None:
        """Say it with this text of the catalogue, which has a place for `match` and for `why`."""
        self._text = text
        self._named: dict[str, list[str]] = {}
        self._more = Counter[str]()

    def note(self, match_id: str, why: str) -> None:
        """Take in a match and its reason."""
        named = self._named.setdefault(why, [])
        if len(named) < _MOST_NAMED:
            named.append(short_match_id(match_id))
        else:
            self._more[why] += 1

    def print(self) -> None:
        """Write a line for each match that is named, and one for the others of its reason."""
        for why, matches in self._named.items():
            for match in matches:
                typer.echo(say(self._text, match=match, why=plain(why)))
            if why in self._more:
                typer.echo(say("cli_shared.more_alike", count=self._more[why], why=plain(why)))


def annulled_ones() -> Reasons:
    """Return what says of matches that the organiser annulled why they do not count."""
    return Reasons("cli_shared.counts_not")


def noting_annulled(matches: Iterable[MatchSummary], annulled: Reasons) -> Iterator[MatchSummary]:
    """Yield the matches, and note those that the organiser annulled."""
    for match in matches:
        if match.annulled is not None:
            annulled.note(match.id, match.annulled)
        yield match
