"""Every thing that must hold, broken by hand: the check finds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest import mock

import pytest

from ratings.ledger import check as checking
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_for
from ratings.store import schema
from ratings.store.database import Database, open_database
from ratings.store.models import AnnulmentRecord
from ratings.store.sessions import write
from ratings.values.states import WorkStage
from tests.ratings import book


@pytest.fixture
def played(database: Database, tournament: str) -> Database:
    """Ten of twelve matches are played, one is leased, one is planned: three blocks of four are rated."""
    for match in book.take(database, tournament, 11)[:10]:
        book.record(database, match)
    book.add_successor(database, "dan")
    with write(database) as session:
        pool_for(session, book.pool_like(book.POOL, seats=4))
        session.add(AnnulmentRecord(id="a1", why="nothing yet", actor="operator", at_us=1))
    return database


def test_a_sound_book_has_no_problems(played: Database) -> None:
    assert check(played) == []


def test_two_versions_that_first_meet_one_another_both_begin_from_the_same_predecessor(
    database: Database, bots: dict[str, str]
) -> None:
    """Live rating knows of neither what it has only from this match, so the check must not, either."""
    book.play_all(database, book.create(database, bots.values()))
    second = book.add_successor(database, "ada")
    third, _ = Ledger(database).add_version(bot="ada", content_hash="ada3", manifest={})
    book.play_all(database, book.create(database, [second, third.id, bots["bob"]], name="second"))
    assert check(database) == []


def test_an_empty_book_has_no_problems(database: Database) -> None:
    assert check(database) == []


def break_by_hand(database: Database, sabotage: str) -> None:
    with write(database) as session:
        session.connection().exec_driver_sql(sabotage)


class _UndoneError(Exception):
    """Takes back what was broken."""


@contextmanager
def broken_meanwhile(database: Database, sabotage: str) -> Iterator[None]:
    """In this block the check reads what was broken; then it is as it was."""
    try:
        with write(database) as session, mock.patch.object(checking, "read", return_value=nullcontext(session)):
            session.connection().exec_driver_sql(sabotage)
            yield
            raise _UndoneError
    except _UndoneError:
        pass


FINISHED = "(SELECT id FROM match WHERE state = 'finished' ORDER BY position LIMIT 1)"
ANNUL = (
    "INSERT INTO annulled_block (block_id, annulment_id) "
    f"SELECT block_id, (SELECT id FROM annulment) FROM match WHERE id = {FINISHED}"
)

FAULT = (
    "INSERT INTO fault (match_id, number, seat, cause, ply, explanation, evidence, tournament_id, version_id) "
    "SELECT m.id, 0, 0, 'TIMEOUT', 1, 'late', '{}', m.tournament_id, s.version_id "
    f"FROM match m JOIN match_seat s ON s.match_id = m.id AND s.seat = 1 WHERE m.id = {FINISHED}"
)
"""A fault in a seat, with the version of another."""
OF_A_CHANGE = "pool_id, version_id, rating_seq, mu_before, sigma_before, mu_after, sigma_after"
A_CHANGE = "FROM rating_change WHERE rating_seq = 3 AND seat = 0"
STRAY = f"INSERT INTO rating_change SELECT match_id, 7, {OF_A_CHANGE} {A_CHANGE}"
"""A change of a seat that no match has."""
UNRATED = f"INSERT INTO rating_change SELECT (SELECT id FROM match WHERE position = 11), 0, {OF_A_CHANGE} {A_CHANGE}"
"""A change by a match that nobody has rated."""
NEW = "(SELECT id FROM version WHERE number = 2)"
UNRATED_VERSION = f"INSERT INTO rating SELECT pool_id, {NEW}, 1, 1, 1, 1, 1, 1, 1, 1 FROM rating LIMIT 1"
"""A rating of a version that has not played."""
ELSEWHERE = "UPDATE rating_change SET pool_id = (SELECT id FROM pool WHERE seats = 4) WHERE rating_seq = 3 AND seat = 0"
"""A change that is said to belong to another pool."""


SABOTAGE = [
    (f"DELETE FROM replay WHERE match_id = {FINISHED}", "finished without a replay"),
    (f"DELETE FROM match_seat WHERE match_id = {FINISHED} AND seat = 2", "2 seats instead of 3"),
    (f"UPDATE match_seat SET rank = NULL WHERE match_id = {FINISHED} AND seat = 1", "finished without ranks"),
    (f"UPDATE match SET game_digest = NULL WHERE id = {FINISHED}", "finished without game_digest"),
    (f"UPDATE match SET state = 'planned' WHERE id = {FINISHED}", "ranks, but not finished"),
    (f"UPDATE match SET state = 'void' WHERE id = {FINISHED}", "a replay, but not finished"),
    (f"UPDATE attempt SET state = 'failed' WHERE match_id = {FINISHED}", "finished with 0 finished attempts"),
    ("UPDATE attempt SET state = 'released' WHERE state = 'running'", "leased with 0 running attempts"),
    ("DELETE FROM rating_order WHERE rating_seq = 4", "the order of rating goes to 9 with 8 entries"),
    ("UPDATE tournament SET rated_through = 8", "rated through 8, but 9 matches in the order"),
    ("UPDATE match SET state = 'void' WHERE position > 9", "match 9 and its block are over and not rated"),
    (
        "UPDATE match SET position = 100 WHERE position = 11",
        "12 matches, but the last place in the schedule is 100",
    ),
    (f"UPDATE match SET replay_removed_at_us = 1 WHERE id = {FINISHED}", "a replay that is said to be removed"),
    (f"UPDATE match SET plies = NULL WHERE id = {FINISHED}", "finished without plies"),
    ("UPDATE bot SET remote = true WHERE name = 'ada'", "ada is remote, and its pool is for hosted bots"),
    ("UPDATE entrant_tally SET wins = wins + 1", "the tally of version"),
    ("DELETE FROM entrant_tally", "the tally of version"),
    ("UPDATE rating SET mu = mu + 1e-12", "rating of"),
    ("UPDATE rating SET matches = matches + 1", "rating of"),
    ("UPDATE rating_change SET mu_after = 0 WHERE rating_seq = 3", "seat 2 is not what the facts give"),
    ("DELETE FROM rating_change WHERE rating_seq = 3 AND seat = 1", "rating_change of"),
    (STRAY, "seat 7 is not what the facts give"),
    (UNRATED, "seat 0 is not what the facts give"),
    (ELSEWHERE, "seat 0 is not what the facts give"),
    ("DELETE FROM rating WHERE matches = (SELECT max(matches) FROM rating)", "rating of"),
    (
        UNRATED_VERSION,
        "rating of dan version 2",
    ),
    (f"UPDATE match_seat SET rank = 4 - rank WHERE match_id = {FINISHED}", "is not what the facts give"),
    (f"UPDATE match_seat SET rank = 3 WHERE match_id = {FINISHED}", "are no ranks"),
    ("UPDATE rating_order SET verdict = 'annulled' WHERE rating_seq = 3", "annulled, but its block is not"),
    (ANNUL, "its block is annulled, but it is not"),
    ("UPDATE match SET pool_id = '' WHERE position = 3", "another pool than its tournament has"),
    (FAULT, "a fault with another tournament or version than that of its seat"),
    ("UPDATE attempt SET tournament_id = 'x' WHERE state = 'finished'", "a lost attempt with another tournament"),
    ("UPDATE attempt SET cause = 'KILLED' WHERE state = 'running'", "a lost attempt with another tournament"),
    ("DELETE FROM active_version", "its active version is not the one that follows from its events"),
    ("DELETE FROM bot_event WHERE kind = 'promoted'", "its active version is not the one that follows"),
]


@pytest.mark.both_databases
def test_what_does_not_hold_is_found(played: Database) -> None:
    missed = {}
    for sabotage, finding in SABOTAGE:
        with broken_meanwhile(played, sabotage):
            problems = check(played)
        if not any(finding in problem for problem in problems):
            missed[sabotage] = (finding, problems)
    assert missed == {}
    assert check(played) == []


def test_another_schema_is_found(played: Database) -> None:
    break_by_hand(played, "UPDATE alembic_version SET version_num = '0000'")
    assert check(played) == ["the schema is 0000, not " + schema.HEAD]


def test_references_to_nothing_are_found(played: Database) -> None:
    with played.engine.connect() as connection:
        assert connection.connection.driver_connection is not None
        connection.connection.driver_connection.execute("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("UPDATE match_seat SET version_id = 'nobody' WHERE seat = 0")
        connection.commit()
    assert any("match_seat refers to a row of version that is not there" in problem for problem in check(played))


@pytest.mark.host_fault("database-damaged")
def test_damaged_pages_are_found(path: Path) -> None:
    database = open_database(path)
    book.play_all(database, book.create(database, book.add_bots(database, ("ada", "bob", "cyd", "dan")).values()))
    database.close()
    content = bytearray(path.read_bytes())
    place = content.rindex(b"replay of ") // 4096 * 4096
    content[place : place + 4096] = bytes(4096)
    path.write_bytes(content)
    database = open_database(path)
    assert any(problem.startswith("integrity:") for problem in check(database))
    database.close()


DERIVED = [
    "UPDATE rating SET mu = mu + 1e-12",
    "UPDATE rating SET points = points + 1",
    "DELETE FROM rating",
    UNRATED_VERSION,
    "UPDATE rating_change SET mu_after = 0 WHERE rating_seq = 3",
    "DELETE FROM rating_change WHERE rating_seq > 2",
    "DELETE FROM rating_change",
    STRAY,
    UNRATED,
    ELSEWHERE,
    "DELETE FROM entrant_tally",
    "UPDATE entrant_tally SET wins = wins + 1",
]


@pytest.mark.both_databases
def test_a_rebuild_mends_whatever_follows_from_the_facts(played: Database) -> None:
    derived = ("rating", "rating_change", "entrant_tally")
    before = book.rows(played, *derived)
    for sabotage in DERIVED:
        break_by_hand(played, sabotage)
        assert book.rows(played, *derived) != before, sabotage
        Ledger(played).rebuild()
        assert book.rows(played, *derived) == before, sabotage
    assert check(played) == []


@pytest.mark.both_databases
def test_a_rebuild_of_a_sound_book_writes_no_rating_anew(played: Database) -> None:
    """So that it takes little room in the log, however large the book is."""
    with write(played) as session:
        act = "BEGIN SELECT RAISE(ABORT, 'a right row was touched'); END"
        if played.is_on_server:
            function = "BEGIN RAISE EXCEPTION 'a right row was touched'; END"
            session.connection().exec_driver_sql(
                f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $${function}$$"
            )
            act = "FOR EACH ROW EXECUTE FUNCTION refuse()"
        for event in ("INSERT", "DELETE", "UPDATE"):
            for table in ("rating", "rating_change"):
                session.connection().exec_driver_sql(
                    f"CREATE TRIGGER no_{event}_{table} BEFORE {event} ON {table} {act}"
                )
    assert Ledger(played).rebuild() == 9


def test_a_check_tells_what_it_looks_at_and_how_much_of_it_is_done(played: Database) -> None:
    told: list[tuple[WorkStage, int, int]] = []
    assert check(played, lambda *place: told.append(place)) == []
    assert [stage for stage, _, _ in told] == [
        *(WorkStage.PAGES, WorkStage.FACTS, WorkStage.TALLIES),
        *2 * [WorkStage.RATINGS],
    ]
    assert told[-1] == (WorkStage.RATINGS, 9, 9)


@pytest.mark.both_databases
def test_no_more_than_ten_of_a_kind_are_told(played: Database) -> None:
    with broken_meanwhile(played, "UPDATE rating_change SET mu_after = 0"):
        assert len([problem for problem in check(played) if "rating_change" in problem]) == 10
