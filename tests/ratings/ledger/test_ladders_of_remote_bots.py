"""Ladders of remote bots: who enters by itself, who is a guest, and what becomes of versions that follow."""

from __future__ import annotations

import pytest

from ratings.ledger.absences import SUBJECT
from ratings.ledger.check import check
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import SeasonPlan
from ratings.ledger.leasing import release
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote import RemoteJoin
from ratings.ledger.service import ServiceLedger
from ratings.read.accounts import list_notices
from ratings.read.bots import all_versions, find_version
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.values.owners import OwnerLimits
from tests.ratings import book
from tests.ratings.ledger.laddering import endless, ladder_plan, present, submit

HOMES = book.pool_like(book.POOL, seats=2, remote=True)


def connect_(database: Database, name: str, version: str = "1", owner: str = "ada") -> str:
    return ServiceLedger(database).join_remote(RemoteJoin(owner, name, version, ("*",)), OwnerLimits()).version.id


@pytest.fixture
def homes(database: Database, ladders: LadderLedger) -> str:
    """A hosted bot, and a ladder of remote bots with two of them; the id of its tournament."""
    submit(database, "bob")
    for name in ("fox", "owl"):
        connect_(database, name)
    return ladders.open_ladder(ladder_plan("homes", pool=HOMES), endless).tournament.id


def names(database: Database) -> list[str]:
    return [find_bot(database, version) for version in present(database, "homes")]


def find_bot(database: Database, version: str) -> str:
    return next(one.bot.name for one in all_versions(database) if one.version.id == version)


def test_remote_bots_enter_a_ladder_of_their_own_by_themselves(
    database: Database, homes: str, ladders: LadderLedger
) -> None:
    assert names(database) == ["ada/fox", "ada/owl"]
    connect_(database, "elk", owner="eve")
    assert names(database) == ["ada/fox", "ada/owl", "eve/elk"]
    hosted = ladders.open_ladder(ladder_plan("king"), endless)
    assert hosted.pool.id != HOMES.pool_id
    assert [find_bot(database, version) for version in present(database)] == ["bob"]


@pytest.mark.both_databases
def test_a_hosted_bot_is_a_guest_until_it_is_taken_out(
    database: Database, homes: str, ladders: LadderLedger, service: ServiceLedger
) -> None:
    bob = find_version(database, "bob").version.id
    Ledger(database).join(homes, bob)
    assert names(database) == ["ada/fox", "ada/owl", "bob"]
    service.note_absences({bob: "its runtime is broken"})
    assert names(database) == ["ada/fox", "ada/owl"]
    service.note_absences({bob: None})
    assert names(database) == ["ada/fox", "ada/owl", "bob"], "a guest that can be started again is back"
    submit(database, "bob", "bb")
    assert len(names(database)) == 3, "its next version takes its place"
    Ledger(database).withdraw(homes, find_version(database, "bob").version.id, "it has seen enough")
    submit(database, "bob", "cc")
    assert names(database) == ["ada/fox", "ada/owl"]
    assert check(database) == []


@pytest.mark.both_databases
def test_a_guest_stays_for_the_season_after(database: Database, homes: str, ladders: LadderLedger) -> None:
    Ledger(database).join(homes, find_version(database, "bob").version.id)
    ladders.close_season("homes", table=[], following=SeasonPlan("two", "00"), planner=endless)
    assert names(database) == ["bob", "ada/fox", "ada/owl"]
    ladders.close_ladder("homes", "over")
    ladders.open_ladder(ladder_plan("homes", pool=HOMES), endless)
    assert names(database) == ["ada/fox", "ada/owl"], "another ladder has guests of its own"


def test_the_next_version_of_a_remote_bot_leaves_nothing_to_play_for_the_one_before(
    database: Database, homes: str
) -> None:
    old = find_version(database, "ada/fox").version.id
    planned = [
        match for match in book.take(database, homes, limit=1) if old in {seat.version_id for seat in match.seats}
    ]
    assert planned
    connect_(database, "fox", "2")
    assert names(database) == ["ada/owl", "ada/fox"]
    with write(database) as session:
        release(session, homes)
    ServiceLedger(database).note_absences({old: "it is not connected"})
    assert book.take(database, homes) == []


@pytest.mark.both_databases
def test_in_a_frozen_season_a_remote_bot_that_was_in_it_comes_back_and_no_other_enters(
    database: Database, homes: str, ladders: LadderLedger, service: ServiceLedger
) -> None:
    fox = find_version(database, "ada/fox").version.id
    ladders.freeze("homes")
    service.note_absences({fox: "it is not connected"})
    assert names(database) == ["ada/owl"]
    service.note_absences({fox: None})
    connect_(database, "elk")
    assert names(database) == ["ada/fox", "ada/owl"]
    told = list_notices(database, everybodys=True).items
    assert SUBJECT not in {notice.subject for notice in told}, "whoever runs a bot knows that it is not connected"
