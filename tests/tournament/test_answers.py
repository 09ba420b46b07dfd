"""The answer at which a tournament stops stays, whatever its last wave brings, which was under way then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from arena.app.tournaments import make_table
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.model.answers import BestKnown
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.swiss import Swiss
from ratings.ledger.check import check
from ratings.ledger.service import ServiceLedger
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournament_report import tournament_report
from ratings.read.tournaments import tournament_waves
from ratings.store.models import TournamentRecord
from ratings.store.sessions import write
from tests.tournament.book import BOTS, Book
from tests.tournament.scripted_executor import ScriptedExecutor, report_of
from tests.tournament.test_waves import play

TURNED = text("UPDATE match_seat SET rank = 3 - rank WHERE match_id = :it")
FORM = Adaptive(2, "winner known at 80%", 200)


class Orderly(ScriptedExecutor):
    """The version that comes first among `strength` wins."""

    def __init__(self, strength: list[str]) -> None:
        super().__init__()
        self._strength = strength

    async def run(self, spec: MatchSpec) -> MatchReport:
        await super().run(spec)
        places = [self._strength.index(seat.version) for seat in spec.seats]
        ranks = tuple(1 + sum(other < own for other in places) for own in places)
        report = report_of(spec)
        return replace(report, result=replace(report.result, ranks=ranks, forfeits=(), faults=(), by_rules=True))


def matches_of_last_wave(book: Book, tournament: TournamentRecord) -> list[str]:
    waves = tournament_waves(book.database, tournament.id).waves
    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    return [row.match.id for row in rows][-2 * len(waves[-1]) :]


def found(book: Book, tournament: TournamentRecord) -> BestKnown:
    best = make_table(book.database, tournament_report(book.database, tournament.id)).best
    assert best is not None
    return best


@pytest.fixture
async def answered(book: Book) -> tuple[TournamentRecord, BestKnown]:
    """A tournament that knew its answer, and whose last wave then said the contrary."""
    tournament = book.plan_format(FORM)
    hashes = {row.bot: row.content_hash for row in tournament_report(book.database, tournament.id).entrants}
    await play(book, tournament, Orderly([hashes[bot] for bot in BOTS]))
    best = found(book, tournament)
    assert (best.is_known, best.leader_names) == (True, (BOTS[0],))
    with write(book.database) as session:
        for match in matches_of_last_wave(book, tournament):
            session.connection().execute(TURNED, {"it": match})
    return tournament, best


@pytest.mark.both_databases
async def test_what_the_last_wave_brings_does_not_change_it_and_where_it_was_not_recorded_it_is_found_again(
    book: Book, answered: tuple[TournamentRecord, BestKnown]
) -> None:
    tournament, best = answered
    assert not FORM.answer(book.situation(tournament)).is_known, "the test would show nothing"
    assert found(book, tournament) == best
    with write(book.database) as session:
        session.connection().execute(text("UPDATE tournament SET answer = NULL"))
    again = found(book, tournament)
    assert (again.is_known, again.leaders) == (True, best.leaders)


async def test_an_answer_that_rests_on_annulled_matches_is_not_kept(
    book: Book, answered: tuple[TournamentRecord, BestKnown]
) -> None:
    tournament, best = answered
    first = list_matches(book.database, MatchFilter(tournament.id), limit=1, newest_first=False).items[0]
    ServiceLedger(book.database).annul_match(first.match.id, why="the machine was out of memory", actor="operator")
    assert tournament_report(book.database, tournament.id).answer is None
    assert found(book, tournament).confidence != best.confidence


@pytest.mark.parametrize("form", [Adaptive(2, "winner known at 99.9%", 8), Swiss(2, 2)], ids=["limit", "another"])
async def test_nothing_is_recorded_where_nothing_is_known(book: Book, form: Adaptive | Swiss) -> None:
    tournament = book.plan_format(form)
    await play(book, tournament)
    assert tournament_report(book.database, tournament.id).answer is None
    assert check(book.database) == []
