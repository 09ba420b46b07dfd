from __future__ import annotations

import pytest

from ratings.ledger.ledger import Ledger
from ratings.read.unfinished import present_entrants, unfinished_tournaments
from ratings.store.database import Database
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def test_what_is_left_to_play_is_neither_over_nor_cancelled(database: Database, bots: dict[str, str]) -> None:
    done, cancelled, begun, fresh = (book.create(database, bots.values(), name=name) for name in "abcd")
    book.play_all(database, done)
    Ledger(database).cancel(cancelled)
    book.record(database, book.take(database, begun, 1)[0])
    assert [one.id for one in unfinished_tournaments(database)] == [begun, fresh]
    assert [one.name for one in unfinished_tournaments(database)] == ["c", "d"]


def test_present_is_who_has_not_withdrawn_in_the_order_of_entry(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    first, *others = bots.values()
    Ledger(database).withdraw(tournament, first, "left")
    assert present_entrants(database, tournament) == tuple(others)
