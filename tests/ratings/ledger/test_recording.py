from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ratings.errors import FactError
from ratings.ledger.check import check
from ratings.ledger.entry import FaultFact, LeakFact, LeasedMatch, record_result
from ratings.read.leaks import leak_checks
from ratings.read.matches import match_detail, replay_of
from ratings.store.database import Database as Engine
from ratings.store.database import open_database, read, write
from ratings.store.models import AttemptState, MatchState
from tests.ratings import book

EVERYTHING = (
    "match",
    "match_seat",
    "attempt",
    "fault",
    "replay",
    "leak_check",
    "tournament",
    "rating",
    "rating_change",
    "rating_order",
)


@pytest.fixture
def match(engine: Engine, tournament: str) -> LeasedMatch:
    return book.take(engine, tournament, 1)[0]


def test_everything_about_a_match_is_kept(engine: Engine, match: LeasedMatch) -> None:
    fault = FaultFact(2, "TIMEOUT", 17, "took 61 ms of 50 ms", {"charge_us": 61_000, "stderr": "…"})
    details = {"scores": [9, 4, 0], "why": "crown"}
    replay = bytes(range(256))
    book.record(
        engine, match, ranks=(1, 2, 3), forfeits=(2, 1), resigned=(1,), faults=(fault,), details=details, replay=replay
    )
    with read(engine) as session:
        detail = match_detail(session, match.match_id)
        assert replay_of(session, match.match_id) == replay
    assert (detail.match.state, detail.match.details) == (MatchState.FINISHED, details)
    assert (detail.match.plies, detail.match.decisions, detail.match.duration_us) == (80, 60, 250_000)
    assert (detail.match.game_digest, detail.match.record_digest) == ("ab" * 32, "cd" * 32)
    assert [(row.seat.rank, row.seat.forfeit, row.seat.resigned) for row in detail.seats] == [
        (1, None, False),
        (2, 2, True),
        (3, 1, False),
    ]
    (stored,) = detail.faults
    assert (stored.seat, stored.cause, stored.ply) == (2, "TIMEOUT", 17)
    assert (stored.explanation, stored.evidence) == (fault.explanation, fault.evidence)
    assert [attempt.state for attempt in detail.attempts] == [AttemptState.FINISHED]


def test_how_bots_were_kept_and_what_leak_checks_found_is_kept(
    engine: Engine, tournament: str, match: LeasedMatch
) -> None:
    leak = LeakFact(1, "leak", 12, "It remembered.", {"warm": [3], "fresh": [4]})
    book.record(engine, match, sandbox="standard", leak_checks=(LeakFact(0, "equal", None, ""), leak))
    with read(engine) as session:
        detail = match_detail(session, match.match_id)
        summary = leak_checks(session, tournament)
    assert detail.match.sandbox == "standard"
    assert [(check.seat, check.verdict, check.ply) for check in detail.leak_checks] == [
        (0, "equal", None),
        (1, "leak", 12),
    ]
    assert detail.leak_checks[1].evidence == leak.evidence
    assert [(row.check.verdict, row.bot) for row in summary] == [
        (check.verdict, match.seats[check.seat].bot) for check in detail.leak_checks
    ]


def test_a_leak_changes_no_rating(engine: Engine, path: Path, tournament: str, tmp_path: Path) -> None:
    engine.dispose()
    twin = open_database(book.copy_of(path, tmp_path / "twin.db"))
    for database, checks in ((engine, ()), (twin, (LeakFact(0, "leak", 3, "It remembered."),))):
        for match in book.take(database, tournament):
            book.record(database, match, leak_checks=checks)
    assert book.count(twin, "leak_check") == 12
    assert book.rows(twin, "rating", "rating_change") == book.rows(engine, "rating", "rating_change")
    assert check(twin) == []
    twin.dispose()


def test_a_result_recorded_twice_counts_once(engine: Engine, match: LeasedMatch) -> None:
    assert book.record(engine, match)
    before = book.rows(engine, *EVERYTHING)
    assert not book.record(engine, match)
    assert not book.record(engine, match, ranks=(3, 2, 1), replay=b"another")
    assert book.rows(engine, *EVERYTHING) == before


def test_a_result_recorded_twice_in_one_transaction_counts_once(engine: Engine, match: LeasedMatch) -> None:
    with write(engine) as session:
        assert record_result(session, book.fact(match))
        assert not record_result(session, book.fact(match))
    assert check(engine) == []


def test_the_first_result_counts_also_that_of_an_attempt_given_up(engine: Engine, tournament: str) -> None:
    slow = book.take(engine, tournament, 1, deadline_us=2, now=1)[0]
    fast = book.take(engine, tournament, 1, now=3)[0]
    assert (slow.match_id, slow.attempt, fast.attempt) == (fast.match_id, 1, 2)
    assert book.record(engine, slow)
    assert not book.record(engine, fast)
    with read(engine) as session:
        attempts = match_detail(session, slow.match_id).attempts
    assert [attempt.state for attempt in attempts] == [AttemptState.FINISHED, AttemptState.RELEASED]
    assert check(engine) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ranks": (1, 2)}, "2 ranks for 3 seats"),
        ({"ranks": (1, 1, 2)}, "no ranks"),
        ({"ranks": (0, 1, 2)}, "no ranks"),
        ({"forfeits": (3,)}, "seat that is not there"),
        ({"forfeits": (1, 1)}, "one seat twice"),
        ({"faults": (FaultFact(-1, "FLOOD", 0, ""),)}, "seat that is not there"),
        ({"resigned": (9,)}, "seat that is not there"),
        ({"leak_checks": (LeakFact(3, "equal", None, ""),)}, "seat that is not there"),
        ({"replay": b""}, "replay is empty"),
        ({"attempt": 2}, "no attempt 2"),
        ({"match_id": "nothing"}, "there is no match nothing"),
    ],
)
def test_a_result_that_does_not_fit_is_refused_and_nothing_written(
    engine: Engine, match: LeasedMatch, change: dict[str, Any], message: str
) -> None:
    before = book.rows(engine, *EVERYTHING)
    with pytest.raises(FactError, match=message):
        book.record(engine, match, **change)
    assert book.rows(engine, *EVERYTHING) == before


def test_what_a_bot_said_last_is_stored_whatever_it_said(engine: Engine, match: LeasedMatch) -> None:
    said = "\0 \ud800 \N{PILE OF POO} ' -- \x1b[2J"
    book.record(engine, match, faults=(FaultFact(0, "MALFORMED", 3, said, {"last": said}),))
    with read(engine) as session:
        (fault,) = match_detail(session, match.match_id).faults
    assert fault.explanation == "\N{REPLACEMENT CHARACTER} ? \N{PILE OF POO} ' -- \x1b[2J"
    assert fault.evidence == {"last": said}


def test_objects_read_before_show_the_result_after(engine: Engine, match: LeasedMatch) -> None:
    with write(engine) as session:
        before = match_detail(session, match.match_id).match
        assert before.plies is None
        record_result(session, book.fact(match))
        assert before.plies == 80
