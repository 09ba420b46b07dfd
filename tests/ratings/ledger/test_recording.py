"""What was played is recorded once and whole, and the tallies that are kept up are those that all matches give."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from arena.hosting.runtimes.runtime import RuntimeDescription
from arena.match.replay import dump, load
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.worker_report import HostNote, LeakCheckResult, MatchReport, SeatLogText
from engine.translatable import Text, from_json, to_json
from ratings.errors import FactError, PlanError
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.recording import record_results
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.matches import StoredLog, match_detail, replay_of, seat_log, seen_runtimes
from ratings.read.pool_lookup import MatchScope
from ratings.read.statistics import by_seat
from ratings.read.tournament_report import leak_checks
from ratings.read.tournaments import WholeBlocks, standings, tournament_row, tournament_waves
from ratings.statistics.scores import Firsts, match_points
from ratings.store.database import Database, open_database
from ratings.store.sessions import write
from ratings.values.owners import OwnerLimits
from ratings.values.states import AttemptState, Fared, MatchState
from tests.ratings import book
from tests.ratings.conftest import Filled

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


@pytest.mark.both_databases
def test_what_is_to_be_known_of_an_attempt_that_went_well_is_kept(database: Database, match: LeasedMatch) -> None:
    book.record(database, match, note=HostNote("seat 1 was started again alone", {"starts": [{"seat": 1}]}))
    (attempt,) = match_detail(database, match.match_id).attempts
    assert (attempt.state, attempt.cause) == (AttemptState.FINISHED, None)
    assert (attempt.reason, attempt.evidence) == ("seat 1 was started again alone", {"starts": [{"seat": 1}]})


@pytest.mark.both_databases
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


@pytest.mark.both_databases
def test_what_bots_wrote_is_kept_by_seat_byte_for_byte(database: Database, match: LeasedMatch) -> None:
    noise = bytes(range(256)) * 100
    book.record(database, match, seat_logs=(SeatLogText(0, b"\xff hello\n"), SeatLogText(2, noise, cut_bytes=7)))
    logs = [seat_log(database, match.match_id, seat) for seat in range(3)]
    assert logs == [StoredLog(b"\xff hello\n", 0), None, StoredLog(noise, 7)]
    assert seat_log(database, "unknown", 0) is None


@pytest.mark.both_databases
def test_a_log_goes_with_the_result_or_not_at_all(database: Database, match: LeasedMatch) -> None:
    with pytest.raises(FactError, match="a seat that is not there"):
        book.record(database, match, seat_logs=(SeatLogText(0, b"kept?"), SeatLogText(3, b"whose?")))
    assert seat_log(database, match.match_id, 0) is None
    book.record(database, match)
    book.record(database, match, seat_logs=(SeatLogText(0, b"too late"),))
    assert seat_log(database, match.match_id, 0) is None


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
def test_a_result_recorded_twice_counts_once(database: Database, match: LeasedMatch) -> None:
    assert book.record(database, match)
    before = book.rows(database, *EVERYTHING)
    assert not book.record(database, match)
    assert not book.record(database, match, ranks=(3, 2, 1), replay=b"another")
    assert book.rows(database, *EVERYTHING) == before


@pytest.mark.both_databases
def test_a_result_recorded_twice_in_one_transaction_counts_once(database: Database, match: LeasedMatch) -> None:
    with write(database) as session:
        assert record_results(session, [book.report(match)]) == [True]
        assert record_results(session, [book.report(match)]) == [False]
    assert check(database) == []


@pytest.mark.both_databases
def test_the_first_result_counts_also_that_of_an_attempt_given_up(database: Database, tournament: str) -> None:
    slow = book.take(database, tournament, 1, worker="slow", deadline_us=2, now=1)[0]
    fast = book.take(database, tournament, 1, now=3)[0]
    assert (slow.match_id, slow.attempt, fast.attempt) == (fast.match_id, 1, 2)
    assert book.record(database, slow)
    assert not book.record(database, fast)
    attempts = match_detail(database, slow.match_id).attempts
    assert [attempt.state for attempt in attempts] == [AttemptState.FINISHED, AttemptState.RELEASED]
    assert check(database) == []


@pytest.mark.both_databases
def test_a_match_without_a_valid_result_gives_no_points_and_leaves_its_block_out(
    database: Database, tournament: str
) -> None:
    first, *others = book.take(database, tournament)[:6]
    book.record(database, first, rated=False, ranks=(1, 1, 1), forfeits=(0, 1, 2))
    for match in others:
        book.record(database, match)
    rows = {row.version_id: row for row in standings(database, tournament)}
    for seat in first.seats:
        row = rows[seat.version_id]
        played = sum(seat.version_id in [one.version_id for one in match.seats] for match in others)
        whole = sum(seat.version_id in [one.version_id for one in match.seats] for match in others[2:])
        assert (row.matches, row.forfeits, row.firsts.draws) == (played, 1, 0)
        assert row.whole.possible == whole * 4
    assert check(database) == []
    listed = {row.match.id: [rank for _, rank in row.seats] for row in list_matches(database, limit=None).items}
    assert listed[first.match_id] == [None, None, None]
    version = first.seats[0].version_id
    shared = list_matches(database, MatchFilter(version_id=version, fared=Fared.SHARED), limit=None).items
    assert first.match_id not in [row.match.id for row in shared]
    met = by_seat(database, MatchScope(tournament_id=tournament))
    assert [seat.matches for seat in met] == [3, 3, 3]


@pytest.mark.both_databases
def test_the_level_of_each_seats_sandbox_is_kept(database: Database, match: LeasedMatch) -> None:
    book.record(database, match, sandboxes=("strict", "", "none"))
    assert [row.seat.sandbox for row in match_detail(database, match.match_id).seats] == ["strict", None, "none"]


def noted(match: LeasedMatch, size: int) -> MatchReport:
    """A report in whose replay each seat has one note, which counts for so many bytes."""
    document = {
        "format": "arena.replay",
        "schema": 2,
        "entries": [{"seat": seat, "note": "why"} for seat in range(3)],
        "chance": [],
        "result": {},
        "times": "",
        "record_digest": "ab" * 32,
    }
    return book.report(match, replay=dump(document), record_digest="ab" * 32, note_bytes=(size,) * 3)


def kept_notes(database: Database, match: LeasedMatch) -> list[str]:
    """The bots whose notes are in the replay of a match; the rest of what is told of it fits."""
    detail, document = match_detail(database, match.match_id), load(replay_of(database, match.match_id))
    kept = [entry["seat"] for entry in document["entries"] if "note" in entry]
    missing = [seat for seat in range(3) if seat not in kept]
    assert document.get("notes_left_out", []) == missing
    assert detail.match.record_digest == document["record_digest"]
    assert [seat for seat, row in enumerate(detail.seats) if row.seat.notes_left_out] == missing
    assert [seat for seat, row in enumerate(detail.seats) if row.seat.note_bytes is not None] == kept
    return sorted(detail.seats[seat].bot for seat in kept)


@pytest.fixture
def owned(database: Database) -> list[LeasedMatch]:
    """Matches of two bots of one owner, who may keep a megabyte of notes, and of one that has no owner."""
    versions = [*book.add_bots(database, ("ada", "bob"), owner="lovelace").values()]
    versions += book.add_bots(database, ["cyd"]).values()
    return book.take(database, book.create(database, versions, rates_same_owner=True))


def note(database: Database, match: LeasedMatch, size: int) -> list[str]:
    """Record a match with notes of so many bytes for each seat; whose notes were kept."""
    with write(database) as session:
        assert record_results(session, [noted(match, size)], OwnerLimits(notes_mb=1)) == [True]
        assert record_results(session, [noted(match, size)], OwnerLimits(notes_mb=1)) == [False]
    return kept_notes(database, match)


ALL_NOTES = ["cyd", "lovelace/ada", "lovelace/bob"]


@pytest.mark.hostile("notes-without-end")
@pytest.mark.both_databases
def test_notes_above_the_limit_of_an_owner_are_left_out(database: Database, owned: list[LeasedMatch]) -> None:
    first, second, third = owned
    assert note(database, first, 400_000) == ALL_NOTES
    assert note(database, second, 400_000) == ["cyd"]
    assert find_owner(database, "lovelace").note_bytes == 800_000
    ServiceLedger(database).set_owner_limits("lovelace", {"notes_mb": 2})
    assert note(database, third, 400_000) == ALL_NOTES
    assert find_owner(database, "lovelace").note_bytes == 1_600_000
    assert check(database) == []


@pytest.mark.both_databases
def test_the_limit_counts_within_one_transaction(database: Database, owned: list[LeasedMatch]) -> None:
    with write(database) as session:
        record_results(session, [noted(match, 300_000) for match in owned], OwnerLimits(notes_mb=1))
    assert sum(len(kept_notes(database, match)) - 1 for match in owned) == 3
    assert find_owner(database, "lovelace").note_bytes == 900_000


@pytest.mark.both_databases
def test_the_limit_counts_for_all_who_record_at_once(database: Database) -> None:
    versions = [*book.add_bots(database, ("ada", "bob"), owner="lovelace").values()]
    versions += book.add_bots(database, ["cyd"]).values()
    matches = []
    for number in range(4):  # in pools of their own, so that none waits for the pool of another
        pool = pool_of("foreign_king", "1", 3, time_control=f"{number + 1}s")
        tournament = book.create(database, versions, name=f"t{number}", pool=pool, rates_same_owner=True)
        matches += book.take(database, tournament, 1)
    together = Barrier(len(matches))

    def record(match: LeasedMatch) -> None:
        together.wait()
        with write(database, together=True) as session:
            record_results(session, [noted(match, 200_000)], OwnerLimits(notes_mb=1))

    with ThreadPoolExecutor(len(matches)) as threads:
        list(threads.map(record, matches))
    kept = sum(len(kept_notes(database, match)) - 1 for match in matches)
    assert (kept, find_owner(database, "lovelace").note_bytes) == (5, 1_000_000)


@pytest.mark.both_databases
def test_without_a_limit_all_notes_are_kept(database: Database, owned: list[LeasedMatch]) -> None:
    with write(database) as session:
        record_results(session, [noted(match, 1 << 30) for match in owned], OwnerLimits(notes_mb=0))
    assert [kept_notes(database, match) for match in owned] == [ALL_NOTES] * 3


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


@pytest.mark.both_databases
def test_a_result_that_does_not_fit_is_refused_and_nothing_written(database: Database, match: LeasedMatch) -> None:
    before = book.rows(database, *EVERYTHING)
    for change, message in MISFITS:
        with pytest.raises(FactError, match=message):
            book.record(database, match, **change)
        assert book.rows(database, *EVERYTHING) == before, message


@pytest.mark.both_databases
def test_what_a_bot_said_last_is_stored_whatever_it_said(database: Database, match: LeasedMatch) -> None:
    said = "\0 \ud800 \N{PILE OF POO} ' -- \x1b[2J"
    book.record(database, match, faults=(Fault(0, FaultCause.MALFORMED, 3, said, {"last": said}),))
    (fault,) = match_detail(database, match.match_id).faults
    assert fault.explanation == "\N{REPLACEMENT CHARACTER} ? \N{PILE OF POO} ' -- \x1b[2J"
    assert fault.evidence == {"last": said}


@pytest.mark.both_databases
def test_sentences_are_stored_with_the_text_that_they_are(database: Database, match: LeasedMatch) -> None:
    text = Text("It sent {what}.", what="\0 bytes")
    read = from_json(json.loads(json.dumps(to_json(text))))  # as a report has it that has crossed a process
    book.record(
        database,
        match,
        faults=(Fault(0, FaultCause.MALFORMED, 3, text), Fault(1, FaultCause.MALFORMED, 3, read)),
        leak_checks=(LeakCheckResult(2, LeakVerdict.UNKNOWN, None, read),),
        note=HostNote(Text("It sent {what}.", what="news"), {}),
    )
    detail = match_detail(database, match.match_id)
    stored = [(fault.explanation, fault.explanation_text) for fault in detail.faults]
    stored += [(check.sentence, check.sentence_text) for check in detail.leak_checks]
    what = "\N{REPLACEMENT CHARACTER} bytes"
    assert stored == [(f"It sent {what}.", {"template": "It sent {what}.", "parts": {"what": what}})] * 3
    (attempt,) = detail.attempts
    assert (attempt.reason, attempt.reason_text) == (
        "It sent news.",
        {"template": "It sent {what}.", "parts": {"what": "news"}},
    )


@pytest.mark.both_databases
def test_objects_read_before_show_the_result_after(database: Database, match: LeasedMatch) -> None:
    with write(database) as session:
        before = match_detail(session, match.match_id).match
        assert before.plies is None
        record_results(session, [book.report(match)])
        assert before.plies == 80


@pytest.mark.both_databases
def test_the_runtime_of_each_seat_is_kept(database: Database, match: LeasedMatch) -> None:
    contents = {"version": "3.11", "packages": {"numpy": "2.0"}}
    ledger = Ledger(database)
    ledger.note_runtimes({"aa" * 32: RuntimeDescription("ml", "python", contents)})
    book.record(database, match, runtimes=("aa" * 32, "bb" * 32, ""))
    detail = match_detail(database, match.match_id)
    assert [row.seat.runtime for row in detail.seats] == ["aa" * 32, "bb" * 32, None]
    assert detail.runtime_names == {"aa" * 32: "ml"}


@pytest.mark.both_databases
def test_a_runtime_is_noted_once_and_stays_as_it_was(database: Database) -> None:
    ledger = Ledger(database)
    ledger.note_runtimes({"aa" * 32: RuntimeDescription("ml", "python", {"version": "3.11", "packages": {}})})
    (noted,) = seen_runtimes(database)
    changed, new = RuntimeDescription("other", "node", {}), RuntimeDescription("ml", "python", {})
    ledger.note_runtimes({"aa" * 32: changed, "bb" * 32: new})
    rows = {row.hash: row for row in seen_runtimes(database)}
    assert set(rows) == {"aa" * 32, "bb" * 32}
    assert (rows["aa" * 32].name, rows["aa" * 32].seen_at_us) == ("ml", noted.seen_at_us)


@pytest.mark.both_databases
def test_runtimes_for_other_seats_are_refused(database: Database, match: LeasedMatch) -> None:
    with pytest.raises(FactError, match="2 runtimes for 3 seats"):
        book.record(database, match, runtimes=("aa" * 32, "bb" * 32))


EXAMPLES = settings(max_examples=4)
FIGURES = ("matches", "wins", "shared", "draws", "points", "forfeits", "blocks", "whole", "possible")


def ranks(random: Random, seats: int) -> tuple[int, ...]:
    strength = [random.randrange(3) for _ in range(seats)]
    return tuple(1 + sum(other > mine for other in strength) for mine in strength)


def play_at_random(database: Database, random: Random, tournament: str, bots: list[str]) -> None:
    """Finish matches in random order and batches, lose some for good, withdraw a bot, perhaps cancel it all."""
    ledger, matches = Ledger(database), book.take(database, tournament)
    random.shuffle(matches)
    while matches:
        batch = [matches.pop() for _ in range(min(len(matches), random.randint(1, 4)))]
        lost = [match for match in batch if random.random() < 0.1]
        seats = len(batch[0].seats)
        with write(database) as session:
            for match in lost:
                session.connection().execute(
                    text("UPDATE match SET state = 'void', void_reason = 'lost' WHERE id = :id"), {"id": match.match_id}
                )
        facts = [
            book.report(
                match,
                ranks=ranks(random, seats),
                forfeits=tuple(random.sample(range(seats), random.choice((0, 0, 1, seats)))),
                game_digest=random.choice(("aa", "bb")) * 32,
                leak_checks=[LeakCheckResult(0, random.choice(list(LeakVerdict)), None, "so")]
                if random.random() < 0.3
                else [],
            )
            for match in batch
            if match not in lost
        ]
        ledger.settle(tournament, results=[*facts, *facts])  # a result that comes twice counts once
        if random.random() < 0.05:
            try:
                ledger.withdraw(tournament, random.choice(bots), "left")
            except PlanError:
                continue
        if random.random() < 0.02:
            ledger.cancel(tournament)
            return


def tallied(database: Database, tournament: str) -> list[dict[str, Any]]:
    """What all matches give, entrant by entrant: the plain way."""
    waves = tournament_waves(database, tournament)
    seats = waves.pool.seats
    found = {entrant.version_id: dict.fromkeys(FIGURES, 0) for entrant in waves.entrants}
    for block in (block for wave in waves.waves for block in wave):
        is_whole = all(match.state is MatchState.FINISHED for match in block)
        for version in set(block[0].versions) if is_whole else ():
            found[version]["blocks"] += 1
        for match in (match for match in block if match.state is MatchState.FINISHED):
            points = match_points([rank or 0 for rank in match.ranks])
            for version, rank, gained, did in zip(
                match.versions, match.ranks, points, match.has_forfeited, strict=True
            ):
                own = found[version]
                own["matches"] += 1
                firsts = match.ranks.count(1)
                own["wins" if firsts == 1 else "draws" if firsts == seats else "shared"] += rank == 1
                own["points"] += gained
                own["forfeits"] += did
                own["whole"] += gained if is_whole else 0
                own["possible"] += 2 * (seats - 1) if is_whole else 0
    return [{"version_id": version, **own, "seats": seats} for version, own in found.items()]


@pytest.mark.both_databases
def test_kept_up_tallies_are_those_of_all_matches(filled: Filled, tmp_path: Path) -> None:
    @EXAMPLES
    @given(seed=st.integers(0, 2**32), seats=st.integers(2, 3))
    def they_are(seed: int, seats: int) -> None:
        database = open_database(book.copy_of(filled.with_bots, tmp_path / "copy.db"))
        try:
            compare_tallies(database, list(filled.bots.values()), Random(seed), seats)
        finally:
            database.close()

    they_are()


def compare_tallies(database: Database, entrants: list[str], random: Random, seats: int) -> None:
    tournament = book.create(database, entrants, seats, rated=random.random() < 0.7)
    play_at_random(database, random, tournament, entrants)
    rows = {row.version_id: row for row in standings(database, tournament)}
    for plain in tallied(database, tournament):
        row, met = rows[plain["version_id"]], plain["matches"] * (seats - 1)
        assert (row.matches, row.forfeits) == (plain["matches"], plain["forfeits"])
        assert row.firsts == Firsts(plain["wins"], plain["shared"], plain["draws"])
        assert row.score == (plain["points"] / (2 * met) if met else 0.0)
        assert row.whole == WholeBlocks(plain["blocks"], plain["whole"], plain["possible"])
    assert check_tallies(database) == []
    waves = tournament_waves(database, tournament).waves
    states = Counter(match.state for wave in waves for block in wave for match in block)
    progress = tournament_row(database, tournament).progress
    assert {state: getattr(progress, state.value) for state in MatchState} == {s: states[s] for s in MatchState}


def check_tallies(database: Database) -> list[str]:
    return [problem for problem in check(database) if "tally" in problem or "place" in problem]


@pytest.mark.both_databases
@pytest.mark.usefixtures("all_played")
def test_a_wrong_tally_is_found_and_counted_anew(database: Database, tournament: str) -> None:
    before = book.rows(database, "entrant_tally")
    for sabotage in (
        "UPDATE entrant_tally SET block_points = block_points + 1",
        "DELETE FROM entrant_tally WHERE matches > 0",
    ):
        with write(database) as session:
            session.connection().execute(text(sabotage))
        assert "is not what the facts give" in "".join(check_tallies(database))
        Ledger(database).rebuild()
        assert check_tallies(database) == []
        assert book.rows(database, "entrant_tally") == before
