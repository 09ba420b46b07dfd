from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from ratings.errors import AccountError, AdmissionError, BotError, BotKindError, LimitError
from ratings.ledger import remote_bots as remote
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import JoinedVersion, RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner, stored_versions
from ratings.read.active_versions import active_version, bot_events
from ratings.read.admissions import unadmitted
from ratings.read.bots import find_version, held_versions, list_bots
from ratings.read.retention import removable_versions
from ratings.read.tournaments import owned_entrants, tournament_row
from ratings.store.database import Database
from ratings.store.models import PoolRecord, VersionRecord
from ratings.store.sessions import write
from ratings.values.owners import OwnerLimits
from ratings.values.states import BotEventKind
from tests.ratings.book import POOL, add_bots, create, pool_like, take

FOX = RemoteJoin("ada", "fox", "1.0", ("foreign_king",))
NEXT = replace(FOX, version="1.1")
REMOTE_POOL = pool_like(POOL, remote=True)


def join(database: Database, wanted: RemoteJoin = FOX, **limits: int) -> JoinedVersion:
    return ServiceLedger(database).join_remote(wanted, OwnerLimits(**limits))


def test_a_bot_and_its_version_are_made_at_the_first_join_and_found_at_the_next(database: Database) -> None:
    first, again = join(database), join(database)
    assert (first.is_new, first.has_changed, again.is_new, again.has_changed) == (True, True, False, False)
    assert first.version == again.version
    (row,) = list_bots(database).items
    assert (row.bot.name, row.bot.remote, row.owner, row.versions) == ("ada/fox", True, "ada", 1)
    assert row.newest.content_hash == hashlib.sha256(b"remote\0ada/fox\x001.0").hexdigest()
    assert row.newest.manifest == {"remote": True, "name": "fox", "version": "1.0", "games": ["foreign_king"]}


def test_the_version_that_joins_is_the_active_one_without_any_admission(database: Database) -> None:
    one, two = join(database).version, join(database, NEXT).version
    assert (one.number, two.number) == (1, 2)
    assert active_version(database, "ada/fox") == two
    assert join(database).has_changed, "the author has gone back to the version before"
    assert active_version(database, "ada/fox") == one
    assert unadmitted(database, [one.id, two.id]) == []
    kinds = [row.event.kind for row in bot_events(database, "ada/fox").items]
    submitted, promoted = BotEventKind.SUBMITTED, BotEventKind.PROMOTED
    assert kinds == [promoted, promoted, submitted, promoted, submitted]
    with pytest.raises(AdmissionError, match="plays without being admitted"):
        ServiceLedger(database).request_admission(one.id)


def test_a_bot_is_hosted_or_remote_for_ever(database: Database) -> None:
    join(database)
    with pytest.raises(BotKindError, match=r"'ada/fox' is remote: .* choose another name"):
        Ledger(database).add_version(bot="fox", owner="ada", content_hash="aa", manifest={})
    add_bots(database, ["owl"], owner="ada")
    with pytest.raises(BotKindError, match=r"'ada/owl' is hosted: .* join under another name"):
        join(database, replace(FOX, name="owl"))
    assert [row.versions for row in list_bots(database).items] == [1, 1]


def test_nobody_chooses_the_version_of_a_remote_bot_but_its_author(database: Database) -> None:
    one = join(database).version
    join(database, NEXT)
    ledger = ServiceLedger(database)
    with pytest.raises(BotError, match="plays with the version that joined last"):
        ledger.promote(one.id, actor="ada")
    with pytest.raises(BotError, match="plays with the version that joined last"):
        ledger.rollback("ada/fox", actor="ada")


@pytest.mark.both_databases
def test_a_join_that_is_refused_leaves_nothing_behind(database: Database) -> None:
    for wrong in (replace(FOX, name="Fox"), replace(FOX, name="a/b")):
        with pytest.raises(AccountError, match="is no name for a bot"):
            join(database, wrong)
    assert list(list_bots(database).items) == []


@pytest.mark.parametrize("deed", ["disabled", "withdrawn", "annulled", "owner"])
def test_what_may_not_play_cannot_join(database: Database, deed: str) -> None:
    version, ledger = join(database).version, ServiceLedger(database)
    if deed == "disabled":
        Ledger(database).set_disabled("ada/fox", disabled=True)
    elif deed == "withdrawn":
        ledger.withdraw_version(version.id, actor="ada")
    elif deed == "annulled":
        ledger.annul_version(version.id, why="copied", actor="operator")
    else:
        ledger.set_owner_disabled("ada", disabled=True)
    with pytest.raises((BotError, AccountError), match=f"{'is disabled' if deed == 'owner' else deed}"):
        join(database)


def test_a_version_never_changes_its_games(database: Database) -> None:
    join(database)
    with pytest.raises(BotError, match=r"joined for foreign_king before, .* give it another version"):
        join(database, replace(FOX, games=("rex_romanorum",)))
    assert join(database, replace(FOX, games=("rex_romanorum",), version="2")).is_new


def test_a_version_of_which_an_import_told_nothing_but_its_hash_joins_for_every_game(database: Database) -> None:
    version = join(database).version
    with write(database) as session:
        session.get_one(VersionRecord, version.id).manifest = {}
    with pytest.raises(BotError, match=r"version '1.0' of 'ada/fox' joined for \* before, .* give it another version"):
        join(database)
    assert not join(database, replace(FOX, games=("*",))).is_new


def test_an_owner_has_so_many_versions_and_so_many_new_ones_an_hour(database: Database) -> None:
    join(database, versions=1)
    with pytest.raises(LimitError, match="owner 'ada' has 1 versions, and 1 is the limit"):
        join(database, NEXT, versions=1)
    with pytest.raises(LimitError, match="1 new versions of remote bots an hour are allowed"):
        join(database, NEXT, uploads_per_hour=1)
    assert not join(database, versions=1, uploads_per_hour=1).is_new, "an old one may always come back"
    assert find_version(database, "ada/fox").version.number == 1


def test_a_bot_that_changes_its_version_all_the_time_is_stopped(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert remote.MOST_CHANGES == 60
    monkeypatch.setattr(remote, "MOST_CHANGES", 6)
    for _ in range(3):
        join(database)
        join(database, NEXT)
    with pytest.raises(LimitError, match="stay with the version that joined last"):
        join(database)
    assert not join(database, NEXT).has_changed


@pytest.mark.both_databases
def test_remote_versions_have_no_files_to_be_kept_packed_or_counted(database: Database) -> None:
    version = join(database).version
    ServiceLedger(database).withdraw_version(version.id, actor="ada")
    add_bots(database, ["owl"], owner="ada")
    assert held_versions(database) == ["owl1"] == stored_versions(database, find_owner(database, "ada").id)
    assert removable_versions(database, 2**62) == []


def entrants(database: Database) -> list[str]:
    return [join(database).version.id, *add_bots(database, ["a", "b"]).values()]


def test_remote_bots_only_play_in_remote_pools_and_their_seats_say_so(database: Database) -> None:
    versions = entrants(database)
    with pytest.raises(BotError, match="'ada/fox' is remote, and this is played by hosted bots"):
        create(database, versions)
    tournament = create(database, versions, pool=REMOTE_POOL)
    assert tournament_row(database, tournament).pool.remote
    seats = {(seat.bot, seat.is_remote) for match in take(database, tournament) for seat in match.seats}
    assert seats == {("ada/fox", True), ("a", False), ("b", False)}
    assert owned_entrants(database, tournament) == {False}, "no sandbox is needed for a bot that runs elsewhere"
    assert check(database) == []


def test_a_remote_bot_cannot_join_a_tournament_of_hosted_ones_late(database: Database) -> None:
    late = join(database).version.id
    tournament = create(database, add_bots(database, "abc").values())
    with pytest.raises(BotError, match="is remote"):
        Ledger(database).join(tournament, late)


@pytest.mark.both_databases
def test_the_check_finds_a_remote_bot_in_a_pool_of_hosted_ones(database: Database) -> None:
    tournament = create(database, entrants(database), pool=REMOTE_POOL)
    with write(database) as session:
        session.get_one(PoolRecord, REMOTE_POOL.pool_id).remote = False
    assert check(database) == [f"tournament {tournament}: ada/fox is remote, and its pool is for hosted bots"]
