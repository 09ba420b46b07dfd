"""What is planned does not depend on how many results come at once."""

from __future__ import annotations

import pytest

from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from arena.tournament.stored import wave_of
from ratings.ledger.ledger import LeaseRequest
from ratings.read.tournaments import tournament_row, tournament_waves
from tests.ratings.book import FOREVER, report
from tests.tournament.book import BOTS, Book


def orders(book: Book, name: str, seats: int, *, at_once: bool) -> list[list[tuple[int, ...]]]:
    """The blocks of the first four waves of a ladder, entrants by place; the first two are played, together or not."""
    tournament = book.plan_format(LadderFormat(seats, 6), bots=BOTS, name=name)
    row = tournament_row(book.database, tournament.id)
    planner = planner_of(row.tournament, row.pool)
    leased = book.ledger.start_run(tournament.id, LeaseRequest("w1", 100, FOREVER), planner).leased
    first = tournament_waves(book.database, tournament.id).waves[0]
    steps = [[one for one in leased if (one.block_index < len(first)) == is_first] for is_first in (True, False)]
    for results in [[*steps[0], *steps[1]]] if at_once else steps:
        book.ledger.settle(tournament.id, results=[report(one) for one in results], planner=planner)
    waves = tournament_waves(book.database, tournament.id)
    place = {entrant.version_id: number for number, entrant in enumerate(waves.entrants)}
    return [[tuple(place[one] for one in block.order) for block in wave_of(wave)] for wave in waves.waves[:4]]


@pytest.mark.both_databases
def test_two_waves_that_end_at_once_are_planned_on_as_if_one_had_ended_before_the_other(book: Book) -> None:
    one_by_one, at_once = (orders(book, f"{way}", 2, at_once=way) for way in (False, True))
    assert len(one_by_one) == 4
    assert at_once == one_by_one
