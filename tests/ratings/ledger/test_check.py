"""Every thing that must hold, broken by hand: the check finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratings.ledger.check import check
from ratings.store.database import Database, open_database
from ratings.store.service import Annulment
from ratings.store.sessions import write
from tests.ratings import book


@pytest.fixture
def played(database: Database, tournament: str) -> Database:
    """Ten of twelve matches are played, one is leased, one is planned: three blocks of four are rated."""
    for match in book.take(database, tournament, 11)[:10]:
        book.record(database, match)
    with write(database) as session:
        session.add(Annulment(id="a1", why="nothing yet", actor="operator", at_us=1))
    return database


def test_a_sound_book_has_no_problems(played: Database) -> None:
    assert check(played) == []


def test_an_empty_book_has_no_problems(database: Database) -> None:
    assert check(database) == []


FINISHED = "(SELECT id FROM match WHERE state = 'finished' ORDER BY position LIMIT 1)"
ANNUL = (
    "INSERT INTO annulled_block (block_id, annulment_id) "
    f"SELECT block_id, (SELECT id FROM annulment) FROM match WHERE id = {FINISHED}"
)


@pytest.mark.parametrize(
    ("sabotage", "finding"),
    [
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
        ("UPDATE rating SET mu = mu + 1e-12", "rating of"),
        ("UPDATE rating SET matches = matches + 1", "rating of"),
        ("UPDATE rating_change SET mu_after = 0 WHERE rating_seq = 3", "seat 2 is not what the facts give"),
        (f"UPDATE match_seat SET rank = 4 - rank WHERE match_id = {FINISHED}", "is not what the facts give"),
        (f"UPDATE match_seat SET rank = 3 WHERE match_id = {FINISHED}", "are no ranks"),
        ("UPDATE rating_order SET verdict = 'annulled' WHERE rating_seq = 3", "annulled, but its block is not"),
        (ANNUL, "its block is annulled, but it is not"),
        ("DELETE FROM active_version", "its active version is not the one that follows from its events"),
        ("DELETE FROM bot_event WHERE kind = 'promoted'", "its active version is not the one that follows"),
        ("UPDATE alembic_version SET version_num = '0000'", "the schema is 0000"),
    ],
)
def test_what_does_not_hold_is_found(played: Database, sabotage: str, finding: str) -> None:
    with write(played) as session:
        session.connection().exec_driver_sql(sabotage)
    assert any(finding in problem for problem in check(played)), check(played)


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
