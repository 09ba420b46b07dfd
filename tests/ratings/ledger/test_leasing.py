from __future__ import annotations

import pytest

from ratings.errors import FactError, NotFoundError
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedSeat, LostAttempt, lease, release
from ratings.ledger.ledger import Ledger
from ratings.read.matches import match_detail
from ratings.read.tournaments import list_tournaments, tournament_row
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.store.waves import Progress
from ratings.values.states import AttemptState, MatchState
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def progress_of(database: Database, tournament: str) -> Progress:
    return tournament_row(database, tournament).progress


def fail(database: Database, match_id: str, attempt: int) -> bool:
    return lose(database, LostAttempt(match_id, attempt, "worker died"))


def lose(database: Database, attempt: LostAttempt) -> bool:
    """Whether the match will be played again."""
    (again,) = Ledger(database).settle("any", lost=[attempt]).played_again
    return again


def test_matches_are_leased_once_in_schedule_order(database: Database, tournament: str) -> None:
    first = book.take(database, tournament, 5)
    second = book.take(database, tournament, 100)
    assert [match.position for match in first + second] == list(range(12))
    assert book.take(database, tournament) == []
    assert progress_of(database, tournament) == Progress(planned=0, leased=12, finished=0, void=0)


def test_a_lease_that_ran_out_is_a_new_attempt(database: Database, tournament: str) -> None:
    late, _ = book.take(database, tournament, 2, worker="gone", deadline_us=500, now=100)
    assert book.take(database, tournament, 1, now=499)[0].position == 2
    again = book.take(database, tournament, 1, now=500)[0]
    assert (again.match_id, again.attempt) == (late.match_id, 2)
    attempts = match_detail(database, late.match_id).attempts
    assert [attempt.state for attempt in attempts] == [AttemptState.EXPIRED, AttemptState.RUNNING]


@pytest.mark.host_fault("clock-jumps-forward")
def test_the_lease_of_who_asks_for_more_never_runs_out(database: Database, tournament: str) -> None:
    (held,) = book.take(database, tournament, 1, deadline_us=500, now=100)
    assert [match.position for match in book.take(database, tournament, 2, now=10**15)] == [1, 2]
    assert [attempt.state for attempt in match_detail(database, held.match_id).attempts] == [AttemptState.RUNNING]


def test_after_three_lost_attempts_a_match_is_void(database: Database, tournament: str) -> None:
    for attempt in (1, 2, 3):
        match = book.take(database, tournament, 1)[0]
        assert (match.position, match.attempt) == (0, attempt)
        assert fail(database, match.match_id, attempt) is (attempt < 3)
    assert book.take(database, tournament, 1)[0].position == 1
    detail = match_detail(database, match.match_id)
    assert (detail.match.state, detail.match.void_reason) == (
        MatchState.VOID,
        "3 attempts failed; the last: worker died",
    )
    assert detail.match.void_reason_text == {
        "template": "{count} attempts failed; the last: {why}",
        "parts": {"count": 3, "why": "worker died"},
    }
    assert [attempt.reason for attempt in detail.attempts] == ["worker died"] * 3
    assert check(database) == []


def test_a_failed_attempt_keeps_its_cause_and_evidence(database: Database, tournament: str) -> None:
    (match,) = book.take(database, tournament, 1)
    evidence = {"ended": "SIGKILL", "stderr": "\0 \N{PILE OF POO}"}
    assert lose(database, LostAttempt(match.match_id, 1, "its worker ended", "WORKER_DIED", evidence))
    book.take(database, tournament, 1)
    failed, running = match_detail(database, match.match_id).attempts
    assert (failed.state, failed.cause, failed.reason, failed.evidence) == (
        AttemptState.FAILED,
        "WORKER_DIED",
        "its worker ended",
        evidence,
    )
    assert (running.state, running.cause, running.evidence) == (AttemptState.RUNNING, None, None)


def test_the_cause_of_a_lease_that_ran_out_is_named(database: Database, tournament: str) -> None:
    (late,) = book.take(database, tournament, 1, worker="gone", deadline_us=500, now=100)
    book.take(database, tournament, 1, now=500)
    assert match_detail(database, late.match_id).attempts[0].cause == "LEASE_EXPIRED"


def test_a_registered_owner_is_known_where_a_match_is_leased(database: Database) -> None:
    versions = [
        *book.add_bots(database, ("ada", "bob")).values(),
        *book.add_bots(database, ("eve",), "somebody").values(),
    ]
    match = book.take(database, book.create(database, versions), 1)[0]
    assert {seat.bot: seat.owner_id is None for seat in match.seats} == {
        "ada": True,
        "bob": True,
        "somebody/eve": False,
    }


def test_a_seat_is_a_hosted_bots_without_an_owner_unless_it_is_said() -> None:
    seat = LeasedSeat("v1", "ab", "ada")
    assert (seat.owner_id, seat.is_remote) == (None, False)


@pytest.mark.host_fault("host-fails-one-match-three-times")
def test_leases_that_run_out_three_times_make_a_match_void_too(database: Database, tournament: str) -> None:
    for instant in (1, 2, 3):
        (late,) = book.take(database, tournament, 1, worker=f"w{instant}", deadline_us=instant + 1, now=instant)
        assert late.position == 0
    assert book.take(database, tournament, 1, worker="w4", now=4)[0].position == 1
    assert progress_of(database, tournament).void == 1
    assert check(database) == []


def test_a_failure_reported_twice_counts_once(database: Database, tournament: str) -> None:
    match = book.take(database, tournament, 1)[0]
    assert fail(database, match.match_id, 1)
    assert fail(database, match.match_id, 1)
    again = book.take(database, tournament, 1)[0]
    assert fail(database, match.match_id, 1)
    assert progress_of(database, tournament).leased == 1
    assert book.record(database, again)
    assert not fail(database, match.match_id, 1)
    assert not fail(database, match.match_id, 2)


def test_an_unknown_attempt_cannot_fail(database: Database, tournament: str) -> None:
    match = book.take(database, tournament, 1)[0]
    with pytest.raises(FactError, match="no attempt 7"):
        fail(database, match.match_id, 7)


def test_released_matches_are_planned_again_without_blame(database: Database, tournament: str) -> None:
    for _ in range(5):
        matches = book.take(database, tournament, 3)
        assert Ledger(database).release(tournament) == 3
    assert [match.position for match in matches] == [0, 1, 2]
    assert book.take(database, tournament, 1)[0].attempt == 6
    assert progress_of(database, tournament) == Progress(planned=11, leased=1, finished=0, void=0)


def test_only_the_matches_of_one_worker_are_released(database: Database, tournament: str) -> None:
    with write(database) as session:
        lease(session, tournament_id=tournament, limit=2, worker="w1", deadline_us=book.FOREVER)
        lease(session, tournament_id=tournament, limit=3, worker="w2", deadline_us=book.FOREVER)
        assert release(session, tournament, worker="w2") == 3
    assert progress_of(database, tournament) == Progress(planned=10, leased=2, finished=0, void=0)


def test_a_match_that_was_leased_anew_is_released_by_who_knows_only_of_the_lease_before(
    database: Database, tournament: str
) -> None:
    first, second = book.take(database, tournament, 2)
    assert lose(database, LostAttempt(first.match_id, 1, "its worker ended", counts=False))
    (again,) = book.take(database, tournament, 1)
    assert (again.match_id, again.attempt) == (first.match_id, 2)
    known = {(first.match_id, 1), (second.match_id, 1)}
    assert Ledger(database).release(tournament, worker="w1", besides=known) == 1
    assert progress_of(database, tournament) == Progress(planned=11, leased=1, finished=0, void=0)


def test_cancelling_voids_what_is_left_and_keeps_what_was_played(database: Database, tournament: str) -> None:
    played, skipped, running = book.take(database, tournament, 3)
    book.record(database, played)
    book.record(database, running)
    assert Ledger(database).cancel(tournament) == 10
    assert Ledger(database).cancel(tournament) == 0
    assert [row.status for row in list_tournaments(database).items] == ["cancelled"]
    assert progress_of(database, tournament) == Progress(planned=0, leased=0, finished=2, void=10)
    assert not book.record(database, skipped)
    assert book.count(database, "rating_order") == 12
    assert check(database) == []


@pytest.mark.usefixtures("all_played")
def test_a_finished_tournament_stays_finished_when_cancelled(database: Database, tournament: str) -> None:
    assert Ledger(database).cancel(tournament) == 0
    assert [row.status for row in list_tournaments(database).items] == ["finished"]


def test_an_unknown_tournament_cannot_be_cancelled(database: Database) -> None:
    with pytest.raises(NotFoundError):
        Ledger(database).cancel("nothing")
