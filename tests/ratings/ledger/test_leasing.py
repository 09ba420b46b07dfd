from __future__ import annotations

import pytest

from ratings.errors import FactError, NotFoundError
from ratings.ledger.check import check
from ratings.ledger.entry import Progress, cancel, lease, progress, record_host_failure, release
from ratings.read.matches import match_detail
from ratings.read.tournaments import list_tournaments
from ratings.store.database import Database as Engine
from ratings.store.database import read, write
from ratings.store.models import AttemptState, MatchState
from tests.ratings import book


def progress_of(engine: Engine, tournament: str) -> Progress:
    with read(engine) as session:
        return progress(session, tournament)


def fail(engine: Engine, match_id: str, attempt: int) -> bool:
    with write(engine) as session:
        return record_host_failure(session, match_id=match_id, attempt=attempt, reason="worker died")


def test_matches_are_leased_once_in_schedule_order(engine: Engine, tournament: str) -> None:
    first = book.take(engine, tournament, 5)
    second = book.take(engine, tournament, 100)
    assert [match.position for match in first + second] == list(range(12))
    assert book.take(engine, tournament) == []
    assert progress_of(engine, tournament) == Progress(planned=0, leased=12, finished=0, void=0)


def test_a_lease_that_ran_out_is_a_new_attempt(engine: Engine, tournament: str) -> None:
    late, _ = book.take(engine, tournament, 2, deadline_us=500, now=100)
    assert book.take(engine, tournament, 1, now=499)[0].position == 2
    again = book.take(engine, tournament, 1, now=500)[0]
    assert (again.match_id, again.attempt) == (late.match_id, 2)
    with read(engine) as session:
        attempts = match_detail(session, late.match_id).attempts
    assert [attempt.state for attempt in attempts] == [AttemptState.EXPIRED, AttemptState.RUNNING]


def test_after_three_lost_attempts_a_match_is_void(engine: Engine, tournament: str) -> None:
    for attempt in (1, 2, 3):
        match = book.take(engine, tournament, 1)[0]
        assert (match.position, match.attempt) == (0, attempt)
        assert fail(engine, match.match_id, attempt) is (attempt < 3)
    assert book.take(engine, tournament, 1)[0].position == 1
    with read(engine) as session:
        detail = match_detail(session, match.match_id)
    assert (detail.match.state, detail.match.void_reason) == (
        MatchState.VOID,
        "3 attempts failed; the last: worker died",
    )
    assert [attempt.reason for attempt in detail.attempts] == ["worker died"] * 3
    assert check(engine) == []


def test_a_failed_attempt_keeps_its_cause_and_evidence(engine: Engine, tournament: str) -> None:
    (match,) = book.take(engine, tournament, 1)
    evidence = {"ended": "SIGKILL", "stderr": "\0 \N{PILE OF POO}"}
    with write(engine) as session:
        assert record_host_failure(
            session,
            match_id=match.match_id,
            attempt=1,
            reason="its worker ended",
            cause="WORKER_DIED",
            evidence=evidence,
        )
    book.take(engine, tournament, 1)
    with read(engine) as session:
        failed, running = match_detail(session, match.match_id).attempts
    assert (failed.state, failed.cause, failed.reason, failed.evidence) == (
        AttemptState.FAILED,
        "WORKER_DIED",
        "its worker ended",
        evidence,
    )
    assert (running.state, running.cause, running.evidence) == (AttemptState.RUNNING, None, None)


def test_the_cause_of_a_lease_that_ran_out_is_named(engine: Engine, tournament: str) -> None:
    (late,) = book.take(engine, tournament, 1, deadline_us=500, now=100)
    book.take(engine, tournament, 1, now=500)
    with read(engine) as session:
        assert match_detail(session, late.match_id).attempts[0].cause == "LEASE_EXPIRED"


def test_a_registered_owner_is_known_where_a_match_is_leased(engine: Engine) -> None:
    versions = [*book.add_bots(engine, ("ada", "bob")).values(), *book.add_bots(engine, ("eve",), "somebody").values()]
    match = book.take(engine, book.create(engine, versions), 1)[0]
    assert {seat.bot: seat.owner_id is None for seat in match.seats} == {"ada": True, "bob": True, "eve": False}


def test_leases_that_run_out_three_times_make_a_match_void_too(engine: Engine, tournament: str) -> None:
    for instant in (1, 2, 3):
        assert book.take(engine, tournament, 1, deadline_us=instant + 1, now=instant)[0].position == 0
    assert book.take(engine, tournament, 1, now=4)[0].position == 1
    assert progress_of(engine, tournament).void == 1
    assert check(engine) == []


def test_a_failure_reported_twice_counts_once(engine: Engine, tournament: str) -> None:
    match = book.take(engine, tournament, 1)[0]
    assert fail(engine, match.match_id, 1)
    assert fail(engine, match.match_id, 1)
    again = book.take(engine, tournament, 1)[0]
    assert fail(engine, match.match_id, 1)
    assert progress_of(engine, tournament).leased == 1
    assert book.record(engine, again)
    assert not fail(engine, match.match_id, 1)
    assert not fail(engine, match.match_id, 2)


def test_an_unknown_attempt_cannot_fail(engine: Engine, tournament: str) -> None:
    match = book.take(engine, tournament, 1)[0]
    with pytest.raises(FactError, match="no attempt 7"):
        fail(engine, match.match_id, 7)


def test_released_matches_are_planned_again_without_blame(engine: Engine, tournament: str) -> None:
    for _ in range(5):
        matches = book.take(engine, tournament, 3)
        with write(engine) as session:
            assert release(session, tournament_id=tournament) == 3
    assert [match.position for match in matches] == [0, 1, 2]
    assert book.take(engine, tournament, 1)[0].attempt == 6
    assert progress_of(engine, tournament) == Progress(planned=11, leased=1, finished=0, void=0)


def test_only_the_matches_of_one_worker_or_those_named_are_released(engine: Engine, tournament: str) -> None:
    with write(engine) as session:
        ours = lease(session, tournament_id=tournament, limit=2, worker="w1", deadline_us=book.FOREVER)
        lease(session, tournament_id=tournament, limit=3, worker="w2", deadline_us=book.FOREVER)
        assert release(session, tournament_id=tournament, worker="w2") == 3
        assert release(session, tournament_id=tournament, match_ids=[ours[1].match_id]) == 1
    assert progress_of(engine, tournament) == Progress(planned=11, leased=1, finished=0, void=0)


def test_cancelling_voids_what_is_left_and_keeps_what_was_played(engine: Engine, tournament: str) -> None:
    played, skipped, running = book.take(engine, tournament, 3)
    book.record(engine, played)
    book.record(engine, running)
    with write(engine) as session:
        assert cancel(session, tournament) == 10
        assert cancel(session, tournament) == 0
        assert [row.status for row in list_tournaments(session)] == ["cancelled"]
    assert progress_of(engine, tournament) == Progress(planned=0, leased=0, finished=2, void=10)
    assert not book.record(engine, skipped)
    assert book.count(engine, "rating_order") == 12
    assert check(engine) == []


def test_a_finished_tournament_stays_finished_when_cancelled(engine: Engine, tournament: str) -> None:
    book.play_all(engine, tournament)
    with write(engine) as session:
        assert cancel(session, tournament) == 0
        assert [row.status for row in list_tournaments(session)] == ["finished"]


def test_an_unknown_tournament_cannot_be_cancelled(engine: Engine) -> None:
    with pytest.raises(NotFoundError), write(engine) as session:
        cancel(session, "nothing")
