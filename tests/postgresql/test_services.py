"""Of two services that share a database one does what must not be done twice, and the other after its end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.service.activities.activity_set import LeaderActivities
from arena.service.logs import get_logger
from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.locks import SERVICE, players_beside, service_of
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.advisory_lock import ServerLock
from ratings.store.database import Database, open_database
from ratings.values.states import Scope
from tests.support.patience import ANY_TIME, PATIENCE_S, PATIENT
from tests.support.places import CHOICES, Place, Served, serving, write_quick_bot
from tests.support.postgres import run_sql
from tests.support.processes import wait_until
from tests.support.remote_bots import Crowd


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


PLAYED = 'arena_matches_total{activity="ladder"}'
TAKES, LEAVES = "looks after remote bots and people", "leaves remote bots and people to another service"
PACE = ("--matches-per-day", "0")
NAMES = ("fox", "owl")
BOTS = tuple(f"ada/{name}" for name in NAMES)
LEADS, FOLLOWS = "looks after admissions, ladders and seasons", "leaves admissions, ladders and seasons to another"


@pytest.fixture
def places(url: str, tmp_path: Path) -> list[Place]:
    """Two homes whose commands and services have one database, and one directory for the files of bots."""
    made = []
    (tmp_path / "versions").mkdir()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        place = Place(tmp_path / name)
        place.environment |= {"ARENA_DB": url, "ARENA_STORE": str(tmp_path / "versions")}
        made.append(place)
    for choice in CHOICES:
        made[0].ok("bot", "add", write_quick_bot(tmp_path / choice, choice))
    return made


def plan_remote(place: Place, url: str, blocks: int) -> str:
    """Create a tournament of the two remote bots; its id."""
    database = open_database(url)
    programs = StoredPrograms(VersionStore(Path(place.environment["ARENA_STORE"])))
    terms = TournamentTerms(game="foreign_king", seats=2, clock=PATIENT, options={}, same_owner=True)
    try:
        form = RoundRobin(2, blocks)
        return create_tournament(database, programs, terms, form, bots=BOTS, choose_name=lambda _: "monday").id
    finally:
        database.close()


def token_of_ada(url: str) -> str:
    database = open_database(url)
    try:
        ledger = ServiceLedger(database)
        ledger.add_owner("ada")
        return ledger.new_token("ada", name="home", scope=Scope.PLAYER).secret
    finally:
        database.close()


def gathered(place: Place, served: Served, token: str) -> Crowd:
    port = int(served.addresses["play"].rpartition(":")[2])
    return Crowd(port, place.directory / "tls" / "cert.pem", token, NAMES)


def bots(place: Place) -> set[str]:
    return {row["name"] for row in place.ok("bot", "list", "--json").json}


def matches(place: Place, state: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = place.ok("match", "list", "--state", state, "--json").json
    return found


@pytest.mark.host_fault("service-killed")
def test_remote_bots_are_taken_by_one_service_and_by_the_other_after_its_end(places: list[Place], url: str) -> None:
    one, two = places
    token = token_of_ada(url)
    words = ("--database", url, "--tls-self-signed", "--workers", "1", "--play-address", "127.0.0.1:0")
    patience = ("--remote-patience", f"{PATIENCE_S:g}")
    # Neither looks after hosted ladders: who does so and who takes remote bots are two things.
    database = open_database(url)
    lock = ServerLock(database, SERVICE)
    assert lock.take()
    with serving(one, *words, *patience) as first:
        first.terminal.wait_for(TAKES)
        with serving(two, *words, *patience) as second:
            second.terminal.wait_for(LEAVES)
            with gathered(two, second, token) as crowd:
                wait_until(lambda: "ELSEWHERE" in crowd.reasons)
                assert bots(one) == set(CHOICES)
            with gathered(one, first, token) as crowd:
                crowd.release()
                wait_until(lambda: bots(one) == {*CHOICES, *BOTS})
                plan_remote(one, url, 2)
                wait_until(lambda: len(matches(one, "finished")) == 4)
                one.ok(
                    "ladder",
                    "open",
                    "homes",
                    "--game",
                    "foreign_king",
                    "--seats",
                    "2",
                    "--remote",
                    "--same-owner",
                    *PACE,
                    *ANY_TIME,
                )
                wait_until(lambda: played(first) >= 4)
            os.kill(first.pid, signal.SIGKILL)
            second.terminal.wait_for(TAKES)
            with gathered(two, second, token) as crowd:
                crowd.release()
                wait_until(lambda: played(second) >= 4)
                one.ok("ladder", "close", "homes", "--why", "the class is over")
                wait_until(lambda: not matches(one, "leased"))
            assert second.stop() == 0
    lock.free()
    database.close()
    assert not one.ok("match", "list", "--fault", "--json").json
    one.ok("db", "check")


def played(served: Served) -> int:
    return int(served.metric(PLAYED))


@pytest.mark.host_fault("service-killed")
def test_a_ladder_goes_on_with_the_other_service_when_the_one_that_played_it_is_killed(
    places: list[Place], url: str
) -> None:
    one, two = places
    one.ok("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2", *PACE, *ANY_TIME)
    words = ("--database", url, "--workers", "1")
    with serving(two, *words) as other, serving(one, *words) as first:
        pair = [first, other]
        wait_until(lambda: sum(map(played, pair)) >= 4)
        leader = max(pair, key=played)
        (follower,) = [served for served in pair if served is not leader]
        assert played(follower) == 0
        leader.terminal.wait_for(LEADS)
        follower.terminal.wait_for(FOLLOWS)
        os.kill(leader.pid, signal.SIGKILL)
        wait_until(lambda: played(follower) >= 4)
        one.ok("ladder", "close", "king2", "--why", "the class is over")
        wait_until(lambda: not one.ok("match", "list", "--state", "leased", "--json").json)
        assert follower.stop() == 0
    assert one.ok("ladder", "list", "--json").json[0]["state"] == "closed"
    one.ok("db", "check")
