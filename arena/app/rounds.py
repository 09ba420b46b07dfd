"""The rounds of a tournament, and how its answer grew, as anybody may see them: they rest on whole blocks alone."""

from __future__ import annotations

from collections.abc import Mapping

from arena.app.place import Place
from arena.model.answers import ConfidencePoint
from arena.model.page import MOST_LIMIT, Page
from arena.model.pairings import Paired, Pairing
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.rounds import Met, pairings
from arena.tournament.formats.swiss import Swiss
from arena.tournament.stored import format_of, situation_of
from ratings.read.crosstable import names
from ratings.read.paging import part_of
from ratings.read.tournaments import tournament_row
from ratings.read.waves import tournament_waves

_MOST_POINTS = 24
"""At so many moments the answer of an adaptive tournament is computed anew: each is a fit of all its matches."""


def list_pairings(place: Place, tournament_id: str, limit: int | None, after: str | None) -> Page[Pairing]:
    """Return a page of who met whom; nothing for a format without rounds. Raises PageError."""
    row = tournament_row(place.database, tournament_id)
    form = format_of(row.tournament, row.pool)
    met: list[Met] = []
    if isinstance(form, Knockout | Swiss):
        met = pairings(form, situation_of(tournament_waves(place.database, tournament_id)))
    page = part_of(met, "pairings", limit, after)
    known = names(place.database, sorted({entrant for one in page.items for entrant in one.entrants}))
    return Page(tuple(_pairing(one, known) for one in page.items), page.next)


def list_confidence(place: Place, tournament_id: str) -> tuple[ConfidencePoint, ...]:
    """Return how sure an adaptive tournament was of its answer, at a few moments; nothing of any other."""
    row = tournament_row(place.database, tournament_id)
    form = format_of(row.tournament, row.pool)
    if not isinstance(form, Adaptive):
        return ()
    answers = form.answers(situation_of(tournament_waves(place.database, tournament_id)), _MOST_POINTS)
    known = names(place.database, sorted({leader for _, answer in answers for leader in answer.leaders[:MOST_LIMIT]}))
    return tuple(
        ConfidencePoint(blocks, answer.confidence, tuple(known[leader] for leader in answer.leaders[:MOST_LIMIT]))
        for blocks, answer in answers
    )


def _pairing(met: Met, known: Mapping[str, str]) -> Pairing:
    entrants = (
        Paired(entrant, known[entrant], points, lost, None if met.ahead is None else entrant in met.ahead)
        for entrant, points, lost in zip(met.entrants, met.points, met.lost, strict=True)
    )
    return Pairing(met.round, tuple(entrants), met.blocks, met.ahead is not None)
