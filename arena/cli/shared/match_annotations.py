"""What commands say of matches beside their table: a column for faults, why some do not count, and annulments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.cells import short_match_id
from arena.cli.shared.language import say
from arena.cli.shared.output import print_json
from arena.i18n.sanitize import plain
from arena.model.table_columns import MATCHES, Column, pick

if TYPE_CHECKING:  # a table needs no more than its rows
    from arena.model.matches import MatchSummary
    from ratings.values.tournament_incidents import Annulled

Why = Annotated[str, typer.Option("--why", metavar="TEXT")]
_MOST_NAMED = 10


def match_columns(rows: Sequence[MatchSummary], *titles: str) -> tuple[Column, ...]:
    """Return these columns of a table of matches, with that of the faults if any bot in it was at fault."""
    is_faulty = any(seat.fault for row in rows for seat in row.seats)
    return pick(MATCHES, *titles, *(["faults"] if is_faulty else []))


class Reasons:
    """Collects reasons for matches of a table, and prints them below it.

    If many matches share a reason, only the first are named, so that the end of a long table stays short.
    """

    def __init__(self, text: str) -> None:
        """`text` is the id of a text in the catalogue with places for `match` and `why`."""
        self._text = text
        self._named: dict[str, list[str]] = {}
        self._more = Counter[str]()

    def note(self, match_id: str, why: str) -> None:
        """Add a match with its reason."""
        named = self._named.setdefault(why, [])
        if len(named) < _MOST_NAMED:
            named.append(short_match_id(match_id))
        else:
            self._more[why] += 1

    def print(self) -> None:
        """Print a line for each match that is named, and one for the other matches with the same reason."""
        for why, matches in self._named.items():
            for match in matches:
                typer.echo(say(self._text, match=match, why=plain(why)))
            if why in self._more:
                typer.echo(say("cli_shared.more_alike", count=self._more[why], why=plain(why)))


def annulled_ones() -> Reasons:
    """Return an empty collection of reasons why matches do not count that the organiser annulled."""
    return Reasons("cli_shared.counts_not")


def noting_annulled(matches: Iterable[MatchSummary], annulled: Reasons) -> Iterator[MatchSummary]:
    """Yield the matches, and add those that the organiser annulled to `annulled`."""
    for match in matches:
        if match.annulled is not None:
            annulled.note(match.id, match.annulled)
        yield match


def print_annulled(done: Annulled, *, as_json: bool) -> None:
    """Print how many matches count no more, and in how many pools the ratings were computed anew."""
    if as_json:
        print_json(asdict(done))
    elif not done.matches:
        typer.echo(say("cli_shared.annulled_already", why=done.annulment.why))
    else:
        typer.echo(say("cli_shared.annulled", count=done.matches, pools=len(done.pools)))
