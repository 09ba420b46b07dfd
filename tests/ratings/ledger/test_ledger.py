"""The entry point of everything that writes: each of its methods is one transaction, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ratings.errors import BotError, FactError, NotFoundError, PlanError
from ratings.ledger.check import check
from ratings.ledger.leasing import LostAttempt
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.ledger.tournaments import WaveLedger
from ratings.read.tournaments import find_tournament, tournament_row, tournament_waves
from ratings.statistics.blocks import Block
from ratings.store.database import Database
from ratings.store.waves import Progress
from ratings.values.states import MatchState
from tests.ratings import book

ALL = LeaseRequest("w1", limit=100, duration_us=book.FOREVER // 2)
EVERYTHING = ("tournament", "wave", "block", "match", "match_seat", "attempt", "replay", "rating", "rating_order")


class OneByOne:
    """Plans blocks one a wave, each when the one before is over, and notes what it was told."""

    def __init__(self, orders: list[tuple[str, ...]]) -> None:
        self.orders = orders
        self.entrants: list[str] = []

    def plan_ready(self, waves: WaveLedger) -> int:
        planned = waves.planned()
        if waves.first_open_block() is not None or not waves.has_more_waves():
            return 0
        self.entrants = [version.version_id for version in waves.entrants()]
        assert all(match.state is not MatchState.PLANNED for wave in planned for (match, *_) in waves.played(wave))
        index = len(planned)
        blocks = [Block(index, self.orders[index])] if index < len(self.orders) else []
        assert waves.add_wave(index, blocks)
        return sum(len(block.rotations()) for block in blocks)


@pytest.fixture
def planner(bots: dict[str, str]) -> OneByOne:
    return OneByOne([tuple(list(bots.values())[:3]), tuple(list(bots.values())[1:])])


@pytest.fixture
def stepwise(database: Database, bots: dict[str, str], planner: OneByOne) -> str:
    """A tournament of two waves, the first of which is planned."""
    return Ledger(database).create_tournament(book.plan(bots.values()), planner).id


def progress(database: Database, tournament: str) -> Progress:
    return tournament_row(database, tournament).progress


@pytest.mark.host_fault("command-killed")
def test_a_run_begins_with_the_leases_of_whoever_had_them(database: Database, tournament: str) -> None:
    book.take(database, tournament, 5)
    begun = Ledger(database).start_run(tournament, LeaseRequest("w2", 3, 1_000_000))
    assert [(match.position, match.attempt) for match in begun.leased] == [(0, 2), (1, 2), (2, 2)]
    assert (begun.recorded, begun.played_again, begun.planned) == ((), (), 0)
    assert progress(database, tournament) == Progress(planned=9, leased=3, finished=0, void=0)


def test_results_are_recorded_and_the_next_wave_planned_and_leased_at_once(
    database: Database, stepwise: str, planner: OneByOne
) -> None:
    ledger = Ledger(database)
    begun = ledger.start_run(stepwise, ALL, planner)
    assert (begun.planned, len(begun.leased)) == (0, 3)
    facts = [book.report(match) for match in begun.leased]
    waiting = ledger.settle(stepwise, results=facts[:2], request=ALL, planner=planner)
    assert (waiting.recorded, waiting.planned, waiting.leased) == ((True, True), 0, ())
    settled = ledger.settle(stepwise, results=facts[1:], request=ALL, planner=planner)
    assert (settled.recorded, settled.planned) == ((False, True), 3)
    assert [match.block_index for match in settled.leased] == [1, 1, 1]
    assert progress(database, stepwise) == Progress(planned=0, leased=3, finished=3, void=0, more_waves=True)
    ended = ledger.settle(stepwise, results=[book.report(match) for match in settled.leased], planner=planner)
    assert (ended.planned, ended.leased) == (0, ())
    assert progress(database, stepwise).is_over
    assert check(database) == []


def test_lost_attempts_are_recorded_with_the_results(database: Database, tournament: str) -> None:
    ledger = Ledger(database)
    first, second = ledger.start_run(tournament, LeaseRequest("w1", 2, 1_000_000)).leased
    lost = [LostAttempt(first.match_id, attempt, "worker died") for attempt in (1, 1)]
    settled = ledger.settle(tournament, results=[book.report(second)], lost=lost, request=ALL)
    assert (settled.recorded, settled.played_again) == ((True,), (True, True))
    assert (settled.leased[0].position, settled.leased[0].attempt) == (0, 2)


@pytest.mark.parametrize("is_lost", [True, False])
def test_what_does_not_fit_undoes_the_whole_step(database: Database, tournament: str, is_lost: bool) -> None:
    first, second = book.take(database, tournament, 2)
    before = book.rows(database, *EVERYTHING)
    facts, lost = [book.report(first)], [LostAttempt("nothing", 1, "worker died")]
    with pytest.raises(FactError):
        Ledger(database).settle(
            tournament,
            results=facts if is_lost else [*facts, book.report(second, ranks=(1, 1, 2))],
            lost=lost if is_lost else [],
            request=ALL,
        )
    assert book.rows(database, *EVERYTHING) == before


def test_a_planner_that_fails_undoes_the_result_it_followed(database: Database, stepwise: str) -> None:
    class Failing:
        def plan_ready(self, waves: WaveLedger) -> int:  # noqa: ARG002
            raise RuntimeError("no idea")

    matches = book.take(database, stepwise)
    before = book.rows(database, *EVERYTHING)
    with pytest.raises(RuntimeError):
        Ledger(database).settle(stepwise, results=[book.report(match) for match in matches], planner=Failing())
    assert book.rows(database, *EVERYTHING) == before


def test_a_wave_is_written_once(database: Database, bots: dict[str, str], stepwise: str) -> None:
    class Eager:
        answers: list[bool]

        def plan_ready(self, waves: WaveLedger) -> int:
            block = Block(7, tuple(list(bots.values())[:3]))
            self.answers = [waves.add_wave(0, [block]), waves.add_wave(1, [block]), waves.add_wave(1, [block])]
            return 3

    Ledger(database).settle(stepwise, planner=(eager := Eager()))
    assert eager.answers == [False, True, False]
    assert [len(wave) for wave in tournament_waves(database, stepwise).waves] == [1, 1]


def test_a_cancelled_tournament_takes_no_wave(database: Database, stepwise: str, planner: OneByOne) -> None:
    Ledger(database).cancel(stepwise)
    assert Ledger(database).settle(stepwise, planner=planner).planned == 0
    assert progress(database, stepwise) == Progress(planned=0, leased=0, finished=0, void=3)


def test_who_joins_is_planned_from_the_next_wave_on(database: Database, stepwise: str, planner: OneByOne) -> None:
    new = book.add_bots(database, ["eve"])["eve"]
    assert Ledger(database).join(stepwise, new) == 1
    Ledger(database).settle(
        stepwise, results=[book.report(match) for match in book.take(database, stepwise)], planner=planner
    )
    assert planner.entrants[-1] == new
    entrant = tournament_waves(database, stepwise).entrants[-1]
    assert (entrant.version_id, entrant.joined_wave, entrant.withdrawn_wave) == (new, 1, None)


def test_who_withdraws_plays_no_more(database: Database, bots: dict[str, str], tournament: str) -> None:
    assert Ledger(database).withdraw(tournament, bots["ada"], "ada withdrew") == 9
    assert progress(database, tournament) == Progress(planned=3, leased=0, finished=0, void=9)
    entrant, *others = tournament_waves(database, tournament).entrants
    assert (entrant.withdrawn_wave, [other.withdrawn_wave for other in others]) == (1, [None] * 3)
    assert check(database) == []


Verb = Callable[[Ledger, str, str], Any]


def join(ledger: Ledger, tournament: str, version: str) -> int:
    return ledger.join(tournament, version)


def withdraw(ledger: Ledger, tournament: str, version: str) -> int:
    return ledger.withdraw(tournament, version, "it withdrew")


@pytest.mark.parametrize("verb", [join, withdraw])
def test_nobody_joins_or_leaves_what_is_over(
    database: Database, bots: dict[str, str], tournament: str, stepwise: str, verb: Verb
) -> None:
    ledger = Ledger(database)
    book.play_all(database, tournament)
    ledger.cancel(stepwise)
    for over, message in ((tournament, "is finished; nobody can"), (stepwise, "was cancelled; nobody can")):
        with pytest.raises(PlanError, match=message):
            verb(ledger, over, bots["ada"])
    with pytest.raises(NotFoundError, match="no tournament nothing"):
        verb(ledger, "nothing", bots["ada"])


def test_who_cannot_join_or_leave_is_refused(database: Database, bots: dict[str, str], stepwise: str) -> None:
    ledger = Ledger(database)
    strangers = book.add_bots(database, ["eve", "fox"])
    ledger.set_disabled("fox", disabled=True)
    with pytest.raises(BotError, match="'fox' is disabled"):
        ledger.join(stepwise, strangers["fox"])
    with pytest.raises(PlanError, match="has entered already"):
        ledger.join(stepwise, bots["ada"])
    with pytest.raises(NotFoundError, match="is not entered"):
        ledger.withdraw(stepwise, strangers["eve"], "it withdrew")
    ledger.withdraw(stepwise, bots["ada"], "it withdrew")
    with pytest.raises(PlanError, match="has withdrawn already"):
        ledger.withdraw(stepwise, bots["ada"], "it withdrew")


def test_all_pools_or_one_are_rebuilt(database: Database, bots: dict[str, str]) -> None:
    two, three = (book.create(database, list(bots.values())[:3], seats=seats) for seats in (2, 3))
    matches = [book.play_all(database, tournament) for tournament in (two, three)]
    before = book.rows(database)
    assert Ledger(database).rebuild() == sum(matches)
    assert Ledger(database).rebuild(find_tournament(database, two).pool_id) == matches[0]
    assert book.rows(database) == before
    with pytest.raises(NotFoundError, match="no pool nothing"):
        Ledger(database).rebuild("nothing")
