"""No process can be started for a while, for real: the user's limit is reached in the middle of a tournament."""

import sqlite3
import time
from contextlib import closing

import pytest

from tests.support.crowd import SmallUser
from tests.support.places import CHOICES, Place

BLOCKS = 8
MATCHES = 3 * BLOCKS
SHORTAGE_S = 10.0
ORDER = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", ",".join(CHOICES)]
ORDER += ["--blocks", str(BLOCKS), "--seed", "11", "--name", "monday", "--time", "2s", "--workers", "2"]
COLD = ["--warm-memory", "0"]
"""So every match starts its bots."""


def faults(place: Place) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(place.db)) as connection:
        return connection.execute("SELECT * FROM fault").fetchall()


@pytest.mark.host_fault("no-process-for-a-while")
def test_a_real_shortage_of_processes_costs_no_match_and_no_bot(field: Place) -> None:
    database = field.db.read_bytes()
    field.ok(*ORDER)
    undisturbed = field.table()
    field.put_back(database)
    user = SmallUser(field.directory)
    with field.on_terminal(*ORDER, *COLD, through=user.words) as terminal:
        terminal.wait_for(rf"[1-5]/{MATCHES} matches, ")
        with user.crowded():
            time.sleep(SHORTAGE_S)
            assert field.counts()["finished"] < MATCHES, "it was over before it mattered"
        assert terminal.end() == 0, terminal.text
    assert field.counts() == {"finished": MATCHES}
    assert field.table() == undisturbed
    assert faults(field) == []
    field.ok("db", "check")
