"""What is asked and written every day goes by indexes: no table that grows with the matches is read whole or sorted.

The statements are those that the real reads and writes send, taken down on their way to the database, so that this
cannot drift from them; SQLite tells of each how it would go about it. It chooses by the schema alone, for no statistics
are kept, and so a small database shows what a large one would do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from arena.app.arena import LocalArena
from arena.app.bot_store import add_bot
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.result import Fault, FaultCause, LeakVerdict
from arena.match.worker_report import LeakCheckResult, SeatLogText
from arena.model.tournament_requests import TournamentRequest
from arena.tournament.planner import FormatPlanner, planner_of
from ratings.ledger.leasing import LostAttempt
from ratings.ledger.ledger import LeaseRequest, Ledger, Settlement
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.tournaments import tournament_row, unfinished_tournaments
from ratings.store.database import Database, open_database
from ratings.values.states import Fared, MatchState
from tests.cli.support import write_bot
from tests.ratings import book

GROWING = {
    "attempt",
    "block",
    "fault",
    "leak_check",
    "match",
    "match_seat",
    "rating_change",
    "rating_order",
    "replay",
    "seat_log",
    "wave",
}
"""The tables that grow with every match."""
BOTS = ("ada", "bob", "cyd", "dan")
REQUEST = LeaseRequest(worker="w1", limit=4, duration_us=10**12)


@dataclass
class Book:
    """An open database with a ladder of which some matches are over, and the statements that it is sent."""

    database: Database
    arena: LocalArena
    tournament: str
    match: str = ""
    sent: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.database)

    @property
    def planner(self) -> FormatPlanner:
        row = tournament_row(self.database, self.tournament)
        return planner_of(row.tournament, row.pool)

    def settle(self, settled: Settlement, **facts: Any) -> Settlement:
        """Record what was leased, and lease what comes next, planned if need be."""
        results = [book.report(match, ranks=(1, 2), **facts) for match in settled.leased]
        return self.ledger.settle(self.tournament, results=results, request=REQUEST, planner=self.planner)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    directory = tmp_path_factory.mktemp("plans")
    database = open_database(directory / "arena.db")
    programs = StoredPrograms(VersionStore(directory / "arena.bots"))
    for name in BOTS:
        add_bot(database, programs, write_bot(directory / name, name), None, lambda *_: None)
    arena = LocalArena(database, programs)
    request = TournamentRequest(
        format="ladder",
        settings={"waves": 0},
        game="foreign_king",
        seats=2,
        bots=BOTS,
        time="50ms",
        start_limit="10s",
        name="long",
    )
    played = Book(database, arena, arena.tournaments.create_tournament(request).id)
    _play(played)
    event.listen(database.engine, "before_cursor_execute", lambda *of: played.sent.append((of[2], of[3])))
    yield played
    database.close()


def _play(played: Book) -> None:
    """Play two waves, with all that can be recorded of a match."""
    settled = played.ledger.start_run(played.tournament, REQUEST, played.planner)
    played.match = settled.leased[0].match_id
    for _ in range(2):
        settled = played.settle(
            settled,
            forfeits=(1,),
            faults=[Fault(1, FaultCause.TIMEOUT, 3, "late", {})],
            leak_checks=[LeakCheckResult(0, LeakVerdict.EQUAL, None, "as before", {})],
            seat_logs=[SeatLogText(0, b"log", 0)],
        )


PAGES: dict[str, Callable[[LocalArena, str | None], Any]] = {
    "tournaments": lambda arena, after: arena.tournaments.list_tournaments(1, after),
    "leak checks": lambda arena, after: arena.tournaments.list_leak_checks("long", 1, after),
    "matches": lambda arena, after: arena.matches.list_matches(limit=1, after=after),
    "of a tournament": lambda arena, after: arena.matches.list_matches("long", limit=1, after=after),
    "in a state": lambda arena, after: arena.matches.list_matches(state=MatchState.FINISHED, limit=1, after=after),
    "of a tournament in a state": lambda arena, after: arena.matches.list_matches(
        "long", state=MatchState.FINISHED, limit=1, after=after
    ),
    "of a bot": lambda arena, after: arena.matches.list_matches(bot="ada", limit=1, after=after),
    "of a version": lambda arena, after: arena.matches.list_matches(bot=_version(arena), limit=1, after=after),
    "of a bot in a tournament": lambda arena, after: arena.matches.list_matches(
        "long", bot="ada", limit=1, after=after
    ),
    "with a fault": lambda arena, after: arena.matches.list_matches(fault="TIMEOUT", limit=1, after=after),
    "with a fault in a tournament": lambda arena, after: arena.matches.list_matches(
        "long", fault="TIMEOUT", limit=1, after=after
    ),
    "with any fault": lambda arena, after: arena.matches.list_matches(fault="any", limit=1, after=after),
    "with any fault in a tournament": lambda arena, after: arena.matches.list_matches(
        "long", fault="any", limit=1, after=after
    ),
    "with any fault of a bot": lambda arena, after: arena.matches.list_matches(
        bot="ada", fault="any", limit=1, after=after
    ),
    "with a fault of a bot": lambda arena, after: arena.matches.list_matches(
        bot="ada", fault="TIMEOUT", limit=1, after=after
    ),
    "of a bot against another": lambda arena, after: arena.matches.list_matches(
        bot="ada", opponent="bob", limit=1, after=after
    ),
    "of a bot against a version": lambda arena, after: arena.matches.list_matches(
        bot="bob", opponent=_version(arena), limit=1, after=after
    ),
    "that a bot lost": lambda arena, after: arena.matches.list_matches(
        bot="ada", fared=Fared.LOST, limit=1, after=after
    ),
    "of a length": lambda arena, after: arena.matches.list_matches(least_plies=1, limit=1, after=after),
    "of a length in a tournament": lambda arena, after: arena.matches.list_matches(
        "long", most_plies=1000, limit=1, after=after
    ),
    "of a pool": lambda arena, after: arena.matches.list_matches(pool=_pool(arena), limit=1, after=after),
    "finished, of a pool": lambda arena, after: arena.matches.list_matches(
        pool=_pool(arena), state=MatchState.FINISHED, limit=1, after=after
    ),
    "void, of a pool": lambda arena, after: arena.matches.list_matches(
        pool=_pool(arena), state=MatchState.VOID, limit=1, after=after
    ),
    "with any fault in a pool": lambda arena, after: arena.matches.list_matches(
        pool=_pool(arena), fault="any", limit=1, after=after
    ),
    "history": lambda arena, after: arena.statistics.list_history("ada", limit=1, after=after),
    "leaderboard": lambda arena, after: arena.leaderboards.list_leaderboards(limit=1, after=after).boards[0],
    "leaderboard by a column": lambda arena, after: arena.overview.sort_leaderboard(
        _pool(arena), "matches", name="a", limit=1, after=after
    ),
    "bots": lambda arena, after: arena.bots.list_bots(1, after),
    "bots by name": lambda arena, after: arena.overview.search_bots("", 1, after),
    "versions": lambda arena, after: arena.bots.list_versions("ada", 1, after),
    "events": lambda arena, after: arena.bots.list_events("ada", 1, after),
    "ladders": lambda arena, after: arena.ladders.list_ladders(1, after),
    "notices": lambda arena, after: arena.account.list_notices(1, after),
    "annulments": lambda arena, after: arena.annulments.list_annulments(1, after),
    "admissions": lambda arena, after: arena.admissions.list_admissions(limit=1, after=after),
}
HAVE_TWO_PAGES = PAGES.keys() - {
    *("ladders", "notices", "annulments", "admissions", "versions", "tournaments", "void, of a pool")
}
DEEDS: dict[str, Callable[[Book], Any]] = {
    "a tournament is shown": lambda book: book.arena.tournaments.get_tournament("long"),
    "its table is shown": lambda book: book.arena.tournaments.list_standings("long"),
    "its progress is asked for": lambda book: book.arena.tournaments.get_progress("long"),
    "a match is shown": lambda book: book.arena.matches.get_match(book.match),
    "its logs are shown": lambda book: book.arena.matches.get_logs(book.match),
    "a match is watched": lambda book: book.arena.watchable.look(book.match, 0),
    "a bot is shown": lambda book: book.arena.bots.get_bot("ada"),
    "the newest versions are shown": lambda book: book.arena.overview.list_newest(6),
    "running tournaments are shown": lambda book: book.arena.overview.list_running(6),
    "its places are shown": lambda book: book.arena.overview.list_standings("ada"),
    "its rating curve is drawn": lambda book: book.arena.overview.get_record(*_rated(book.arena), 100),
    "its faults are counted": lambda book: book.arena.overview.count_faults(*_rated(book.arena)),
    "what bots did lately is shown": lambda book: book.arena.overview.list_forms(
        _rated(book.arena)[0], [_rated(book.arena)[1]]
    ),
    "the service looks for work": lambda book: unfinished_tournaments(book.database),
    "a run starts, results are recorded and rated, a wave is planned, and matches are leased": lambda book: book.settle(
        book.ledger.start_run(book.tournament, REQUEST, book.planner)
    ),
    "a match is lost": lambda book: book.ledger.settle(
        book.tournament,
        lost=[
            LostAttempt(one.match_id, one.attempt, "worker died")
            for one in book.ledger.settle(book.tournament, request=REQUEST).leased
        ],
    ),
    "a bot is withdrawn": lambda book: book.arena.tournaments.withdraw_bot("long", "dan"),
    "a match is annulled": lambda book: ServiceLedger(book.database).annul_match(book.match, why="test", actor="x"),
    "a tournament is cancelled": lambda book: book.ledger.cancel(book.tournament),
}


def _version(arena: LocalArena) -> str:
    return f"ada@{arena.bots.find_version('ada').content_hash}"


def _rated(arena: LocalArena) -> tuple[str, str]:
    return _pool(arena), arena.bots.find_version("ada").version_id


def _pool(arena: LocalArena) -> str:
    return arena.tournaments.get_tournament("long").pool.pool_id


def faults_of(database: Path, sent: Sequence[tuple[str, Any]]) -> list[str]:
    """What is wrong with the way in which SQLite would go about each statement."""
    connection = sqlite3.connect(database)
    try:
        return [fault for statement, values in sent for fault in _faults_of(connection, statement, values)]
    finally:
        connection.close()


def _faults_of(connection: sqlite3.Connection, statement: str, values: Any) -> Iterator[str]:
    if not statement.lstrip().upper().startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")):
        return
    one = values[0] if isinstance(values, list) else values  # of a statement that is sent for many rows
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", one)]
    is_page = "LIMIT ?" in statement
    is_sorted = any("TEMP B-TREE FOR ORDER BY" in step or "TEMP B-TREE FOR GROUP BY" in step for step in plan)
    for step in plan:
        words = step.split()
        in_order = "USING" in words and is_page and not is_sorted  # it stops when the page is full
        if words[0] == "SCAN" and words[1] in GROWING and not in_order:
            yield f"{step}: {' '.join(statement.split())}"
    if is_sorted and is_page and any(step.split()[1] in GROWING for step in plan):
        yield f"sorts a list to cut a page from it: {' '.join(statement.split())}"


def test_a_page_reads_little_more_than_its_rows(ladder: Book) -> None:
    for name, page in PAGES.items():
        first = page(ladder.arena, None)
        assert (first.next is not None) is (name in HAVE_TWO_PAGES), name
        for after in (None, first.next):
            ladder.sent.clear()
            page(ladder.arena, after)
            assert ladder.sent, name
            assert not faults_of(Path(str(ladder.database.engine.url.database)), ladder.sent), name


def test_what_is_done_all_the_time_reads_no_table_whole(ladder: Book) -> None:
    for name, do in DEEDS.items():
        ladder.sent.clear()
        do(ladder)
        assert ladder.sent, name
        assert not faults_of(Path(str(ladder.database.engine.url.database)), ladder.sent), name


def test_a_table_that_is_read_whole_or_sorted_is_noticed(ladder: Book) -> None:
    path = Path(str(ladder.database.engine.url.database))
    assert faults_of(path, [("SELECT plies FROM match", ())])
    assert faults_of(path, [("UPDATE match SET plies = 1 WHERE plies = ?", (2,))])
    assert faults_of(path, [("SELECT id FROM match WHERE tournament_id = ? ORDER BY plies LIMIT ?", ("x", 1))])
    assert not faults_of(path, [("SELECT id FROM match ORDER BY id LIMIT ?", (1,))])
