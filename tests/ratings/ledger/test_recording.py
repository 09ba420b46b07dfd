from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.runtimes.runtime import RuntimeDescription
from arena.match.leak_verdict import LeakVerdict
from arena.match.report import HostNote, LeakCheckResult, SeatLogText
from arena.match.result import Fault, FaultCause
from engine.text import Text, from_json, to_json
from ratings.errors import FactError
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import Ledger
from ratings.ledger.recording import record_results
from ratings.read.matches import StoredLog, match_detail, replay_of, seat_log, seen_runtimes
from ratings.read.tournament_report import leak_checks
from ratings.store.database import Database, open_database
from ratings.store.sessions import write
from ratings.values.states import AttemptState, MatchState
from tests.ratings import book

pytestmark = pytest.mark.both_databases

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
def match(database: Database, tournament: str) -> LeasedMatch:
    return book.take(database, tournament, 1)[0]


def test_what_is_to_be_known_of_an_attempt_that_went_well_is_kept(database: Database, match: LeasedMatch) -> None:
    book.record(database, match, note=HostNote("seat 1 was started again alone", {"starts": [{"seat": 1}]}))
    (attempt,) = match_detail(database, match.match_id).attempts
    assert (attempt.state, attempt.cause) == (AttemptState.FINISHED, None)
    assert (attempt.reason, attempt.evidence) == ("seat 1 was started again alone", {"starts": [{"seat": 1}]})


def test_everything_about_a_match_is_kept(database: Database, match: LeasedMatch) -> None:
    fault = Fault(2, FaultCause.TIMEOUT, 17, "took 61 ms of 50 ms", {"charge_us": 61_000, "stderr": "…"})
    details = {"scores": [9, 4, 0], "why": "crown"}
    replay = bytes(range(256))
    book.record(
        database,
        match,
        ranks=(1, 2, 3),
        forfeits=(2, 1),
        resigned=(1,),
        faults=(fault,),
        details=details,
        replay=replay,
    )
    detail = match_detail(database, match.match_id)
    assert replay_of(database, match.match_id) == replay
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


def test_what_bots_wrote_is_kept_by_seat_byte_for_byte(database: Database, match: LeasedMatch) -> None:
    noise = bytes(range(256)) * 100
    book.record(database, match, seat_logs=(SeatLogText(0, b"\xff hello\n"), SeatLogText(2, noise, cut_bytes=7)))
    logs = [seat_log(database, match.match_id, seat) for seat in range(3)]
    assert logs == [StoredLog(b"\xff hello\n", 0), None, StoredLog(noise, 7)]
    assert seat_log(database, "unknown", 0) is None


def test_a_log_goes_with_the_result_or_not_at_all(database: Database, match: LeasedMatch) -> None:
    with pytest.raises(FactError, match="a seat that is not there"):
        book.record(database, match, seat_logs=(SeatLogText(0, b"kept?"), SeatLogText(3, b"whose?")))
    assert seat_log(database, match.match_id, 0) is None
    book.record(database, match)
    book.record(database, match, seat_logs=(SeatLogText(0, b"too late"),))
    assert seat_log(database, match.match_id, 0) is None


def test_how_bots_were_kept_and_what_leak_checks_found_is_kept(
    database: Database, tournament: str, match: LeasedMatch
) -> None:
    leak = LeakCheckResult(1, LeakVerdict.LEAK, 12, "It remembered.", {"warm": [3], "fresh": [4]})
    book.record(
        database, match, sandbox="standard", leak_checks=(LeakCheckResult(0, LeakVerdict.EQUAL, None, ""), leak)
    )
    detail = match_detail(database, match.match_id)
    summary = leak_checks(database, tournament)
    assert detail.match.sandbox == "standard"
    assert [(check.seat, check.verdict, check.ply) for check in detail.leak_checks] == [
        (0, "equal", None),
        (1, "leak", 12),
    ]
    assert detail.leak_checks[1].evidence == leak.evidence
    assert [(row.check.verdict, row.bot) for row in summary.items] == [
        (check.verdict, match.seats[check.seat].bot) for check in detail.leak_checks
    ]


def test_a_leak_changes_no_rating(database: Database, path: Path, tournament: str, tmp_path: Path) -> None:
    database.close()
    twin = open_database(book.copy_of(path, tmp_path / "twin.db"))
    for book_, checks in ((database, ()), (twin, (LeakCheckResult(0, LeakVerdict.LEAK, 3, "It remembered."),))):
        for match in book.take(book_, tournament):
            book.record(book_, match, leak_checks=checks)
    assert book.count(twin, "leak_check") == 12
    assert book.rows(twin, "rating", "rating_change") == book.rows(database, "rating", "rating_change")
    assert check(twin) == []
    twin.close()


def test_a_result_recorded_twice_counts_once(database: Database, match: LeasedMatch) -> None:
    assert book.record(database, match)
    before = book.rows(database, *EVERYTHING)
    assert not book.record(database, match)
    assert not book.record(database, match, ranks=(3, 2, 1), replay=b"another")
    assert book.rows(database, *EVERYTHING) == before


def test_a_result_recorded_twice_in_one_transaction_counts_once(database: Database, match: LeasedMatch) -> None:
    with write(database) as session:
        assert record_results(session, [book.report(match)]) == [True]
        assert record_results(session, [book.report(match)]) == [False]
    assert check(database) == []


def test_the_first_result_counts_also_that_of_an_attempt_given_up(database: Database, tournament: str) -> None:
    slow = book.take(database, tournament, 1, worker="slow", deadline_us=2, now=1)[0]
    fast = book.take(database, tournament, 1, now=3)[0]
    assert (slow.match_id, slow.attempt, fast.attempt) == (fast.match_id, 1, 2)
    assert book.record(database, slow)
    assert not book.record(database, fast)
    attempts = match_detail(database, slow.match_id).attempts
    assert [attempt.state for attempt in attempts] == [AttemptState.FINISHED, AttemptState.RELEASED]
    assert check(database) == []


MISFITS: list[tuple[dict[str, Any], str]] = [
    ({"ranks": (1, 2)}, "2 ranks for 3 seats"),
    ({"ranks": (1, 1, 2)}, "no ranks"),
    ({"ranks": (0, 1, 2)}, "no ranks"),
    ({"forfeits": (3,)}, "seat that is not there"),
    ({"forfeits": (1, 1)}, "one seat twice"),
    ({"faults": (Fault(-1, FaultCause.FLOOD, 0, ""),)}, "seat that is not there"),
    ({"resigned": (9,)}, "seat that is not there"),
    ({"leak_checks": (LeakCheckResult(3, LeakVerdict.EQUAL, None, ""),)}, "seat that is not there"),
    ({"replay": b""}, "replay is empty"),
    ({"attempt": 2}, "no attempt 2"),
    ({"match_id": "nothing"}, "there is no match nothing"),
]


def test_a_result_that_does_not_fit_is_refused_and_nothing_written(database: Database, match: LeasedMatch) -> None:
    before = book.rows(database, *EVERYTHING)
    for change, message in MISFITS:
        with pytest.raises(FactError, match=message):
            book.record(database, match, **change)
        assert book.rows(database, *EVERYTHING) == before, message


def test_what_a_bot_said_last_is_stored_whatever_it_said(database: Database, match: LeasedMatch) -> None:
    said = "\0 \ud800 \N{PILE OF POO} ' -- \x1b[2J"
    book.record(database, match, faults=(Fault(0, FaultCause.MALFORMED, 3, said, {"last": said}),))
    (fault,) = match_detail(database, match.match_id).faults
    assert fault.explanation == "\N{REPLACEMENT CHARACTER} ? \N{PILE OF POO} ' -- \x1b[2J"
    assert fault.evidence == {"last": said}


def test_sentences_are_stored_with_the_text_that_they_are(database: Database, match: LeasedMatch) -> None:
    text = Text("matches.it_sent", "It sent {what}.", what="\0 bytes")
    read = from_json(json.loads(json.dumps(to_json(text))))  # as a report has it that has crossed a process
    book.record(
        database,
        match,
        faults=(Fault(0, FaultCause.MALFORMED, 3, text), Fault(1, FaultCause.MALFORMED, 3, read)),
        leak_checks=(LeakCheckResult(2, LeakVerdict.UNKNOWN, None, read),),
        note=HostNote(Text("matches.it_sent", "It sent {what}.", what="news"), {}),
    )
    detail = match_detail(database, match.match_id)
    stored = [(fault.explanation, fault.explanation_text) for fault in detail.faults]
    stored += [(check.sentence, check.sentence_text) for check in detail.leak_checks]
    what = "\N{REPLACEMENT CHARACTER} bytes"
    assert stored == [(f"It sent {what}.", {"id": "matches.it_sent", "parts": {"what": what}})] * 3
    (attempt,) = detail.attempts
    assert (attempt.reason, attempt.reason_text) == (
        "It sent news.",
        {"id": "matches.it_sent", "parts": {"what": "news"}},
    )


def test_objects_read_before_show_the_result_after(database: Database, match: LeasedMatch) -> None:
    with write(database) as session:
        before = match_detail(session, match.match_id).match
        assert before.plies is None
        record_results(session, [book.report(match)])
        assert before.plies == 80


def test_the_runtime_of_each_seat_is_kept(database: Database, match: LeasedMatch) -> None:
    contents = {"version": "3.11", "packages": {"numpy": "2.0"}}
    ledger = Ledger(database)
    ledger.note_runtimes({"aa" * 32: RuntimeDescription("ml", "python", contents)})
    book.record(database, match, runtimes=("aa" * 32, "bb" * 32, ""))
    detail = match_detail(database, match.match_id)
    assert [row.seat.runtime for row in detail.seats] == ["aa" * 32, "bb" * 32, None]
    assert detail.runtime_names == {"aa" * 32: "ml"}


def test_a_runtime_is_noted_once_and_stays_as_it_was(database: Database) -> None:
    ledger = Ledger(database)
    ledger.note_runtimes({"aa" * 32: RuntimeDescription("ml", "python", {"version": "3.11", "packages": {}})})
    (noted,) = seen_runtimes(database)
    changed, new = RuntimeDescription("other", "node", {}), RuntimeDescription("ml", "python", {})
    ledger.note_runtimes({"aa" * 32: changed, "bb" * 32: new})
    rows = {row.hash: row for row in seen_runtimes(database)}
    assert set(rows) == {"aa" * 32, "bb" * 32}
    assert (rows["aa" * 32].name, rows["aa" * 32].seen_at_us) == ("ml", noted.seen_at_us)


def test_runtimes_for_other_seats_are_refused(database: Database, match: LeasedMatch) -> None:
    with pytest.raises(FactError, match="2 runtimes for 3 seats"):
        book.record(database, match, runtimes=("aa" * 32, "bb" * 32))
