"""Of the services that share a database one does what must not be done twice, and another after its end."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from arena.service.activities.activity_set import LeaderActivities
from arena.service.logs import get_logger
from arena.tournament.locks import SERVICE, players_beside, service_of
from ratings.store.advisory_lock import ServerLock
from ratings.store.database import Database, open_database
from tests.support.postgres import run_sql


class Work:
    """An activity that notes what is asked of it."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def look(self) -> None:
        self.done.append("look")

    async def close(self) -> None:
        self.done.append("close")

    def begin(self) -> None:
        self.done.append("begin")


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = open_database(url)
    yield opened
    opened.close()


def leading(database: Database) -> tuple[LeaderActivities, Work]:
    work = Work()
    return LeaderActivities(ServerLock(database, SERVICE), [work], work.begin, get_logger("test")), work


async def test_one_leads_and_the_other_takes_over(database: Database, url: str) -> None:
    other = open_database(url)
    (first, one), (second, two) = leading(database), leading(other)
    for _ in range(2):
        await first.look()
        await second.look()
    assert one.done == ["begin", "look", "look"]
    assert two.done == ["close"], "it ends what it never began, once"
    assert service_of(other) is not None
    assert service_of(other) == service_of(database)
    assert players_beside(database)
    await first.close()
    await second.look()
    assert two.done == ["close", "begin", "look"]
    await second.close()
    assert service_of(database) is None
    other.close()


async def test_who_asks_knows_the_other_before_anything_begins_and_as_long_as_it_has_the_lock(
    database: Database, url: str
) -> None:
    other = open_database(url)
    (first, one), (second, _) = leading(database), leading(other)
    await first.settle()
    await second.settle()
    assert (first.other, one.done) == (None, [])
    assert second.other is not None
    assert second.other.pid == os.getpid()
    await first.look()
    await second.look()
    assert (first.other, one.done) == (None, ["begin", "look"])
    assert second.other is not None
    await first.close()
    await second.look()
    assert second.other is None
    await second.close()
    other.close()


async def test_who_lost_the_lock_ends_what_it_did(database: Database, url: str) -> None:
    other = open_database(url)
    (first, one), (second, two) = leading(database), leading(other)
    await first.look()
    name = url.rpartition("/")[2]
    other.close()
    run_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    await second.look()
    assert two.done == ["begin", "look"]
    await first.look()
    assert one.done == ["begin", "look", "close"]
    await second.close()
    await first.look()
    assert one.done[-2:] == ["begin", "look"]
    await first.close()
    other.close()
