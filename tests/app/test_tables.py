"""Tables: matches that the program of the pages opens for people, with whoever can play now."""

from pathlib import Path
from typing import Any

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.model.human_play import GUEST_VERSION, TableRequest
from engine.core import OptionsError, SeatsError
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import Database
from ratings.values.owners import OwnerLimits
from ratings.values.states import Scope
from tests.cli.support import write_bot


@pytest.fixture
def connected(database: Database) -> set[str]:
    """The hashes of the remote versions that are connected: two guests."""
    ledger = ServiceLedger(database)
    ledger.ensure_people()
    joins = [RemoteJoin("people", f"guest-{number}", GUEST_VERSION, ("*",)) for number in (1, 2)]
    return {ledger.join_remote(join, OwnerLimits()).version.content_hash for join in joins}


@pytest.fixture
def arena(database: Database, tmp_path: Path, connected: set[str]) -> LocalArena:
    """An arena with the sample `fox` and a bot of ann that was not admitted, as its organiser asks it."""
    store = VersionStore(tmp_path / "arena.bots")
    for owner in (None, "ann"):
        stored = store.add(write_bot(tmp_path / f"{owner}", "fox", body=f"# {owner}"))
        manifest = stored.manifest.to_json()
        Ledger(database).add_version(bot="fox", owner=owner, content_hash=stored.hash, manifest=manifest)
    return LocalArena(database, StoredPrograms(store), Viewer(), is_connected=connected.__contains__)


def order(*bots: str, **changes: Any) -> TableRequest:
    people = tuple("Anna" if bot.startswith("people/") else "" for bot in bots)
    return TableRequest(**{"game": "foreign_king", "bots": bots, "people": people, "time": "600+30", **changes})


def test_a_table_is_one_unrated_match_with_everybody_in_the_seat_that_was_asked_for(arena: LocalArena) -> None:
    opened = arena.tables.open_table(order("fox", "people/guest-2", "fox"))
    found = arena.matches.get_match(opened.match_id)
    assert [seat.bot for seat in found.seats] == ["fox", "people/guest-2", "fox"]
    assert [seat.person for seat in found.seats] == [None, "Anna", None]
    table = arena.tournaments.get_tournament(opened.tournament)
    assert (table.summary.rated, table.summary.total, table.summary.time_control) == (False, 1, "600+30")
    assert table.settings["opening_plies"] == 0
    assert arena.tables.open_table(order("people/guest-1", "fox")).tournament == "table-2"


def test_a_rated_table_counts_in_a_pool_of_remote_bots(arena: LocalArena) -> None:
    opened = arena.tables.open_table(order("people/guest-1", "fox", rated=True))
    found = arena.tournaments.get_tournament(opened.tournament)
    assert (found.summary.rated, found.pool.remote) == (True, True)


def test_two_people_sit_at_one_table(arena: LocalArena) -> None:
    opened = arena.tables.open_table(order("people/guest-1", "people/guest-2", people=("Anna", "<b>Bob</b>")))
    assert [seat.person for seat in arena.matches.get_match(opened.match_id).seats] == ["Anna", "<b>Bob</b>"]


NO_TABLES = [
    (order("fox", "fox"), "at a table sits a person"),
    (order("people/guest-1", "fox", people=("", "Anna")), "every person has a name"),
    (order("people/guest-1", "fox", people=("Anna",)), "2 seats and 1 names"),
    (order("people/guest-1", "fox", people=("A" * 41, "")), "at most 40 characters"),
    (order("people/guest-1", "fox", people=("A\nB", "")), "that can be shown"),
    (order("people/guest-1", "people/guest-1"), "choose each once"),
    (order("people/guest-1", "ann/fox"), "no version of ann/fox has been admitted"),
]


def test_what_is_no_table_is_refused(arena: LocalArena) -> None:
    for request, why in NO_TABLES:
        with pytest.raises(RefusedError, match=why):
            arena.tables.open_table(request)
    assert arena.tournaments.list_tournaments().items == ()


def test_what_the_game_does_not_have_is_refused_by_its_own_words(arena: LocalArena) -> None:
    with pytest.raises(UnknownError):
        arena.tables.open_table(order("people/guest-1", "wolf"))
    with pytest.raises(UnknownError):
        arena.tables.open_table(order("people/guest-1", "fox", game="chess"))
    with pytest.raises(SeatsError):
        arena.tables.open_table(order("people/guest-1", *["fox"] * 9))
    with pytest.raises(OptionsError):
        arena.tables.open_table(order("people/guest-1", "fox", options={"colour": "red"}))


def test_a_guest_who_is_not_there_cannot_sit_down(arena: LocalArena, connected: set[str]) -> None:
    connected.clear()
    with pytest.raises(RefusedError, match="is not connected now"):
        arena.tables.open_table(order("people/guest-1", "fox"))


def test_only_the_organiser_opens_tables_for_people(database: Database, arena: LocalArena) -> None:
    for scope in (Scope.VIEWER, Scope.COMPETITOR):
        asked = LocalArena(database, StoredPrograms(VersionStore(Path("none"))), Viewer(scope, "1", "ann"))
        with pytest.raises(ForbiddenError):
            asked.tables.open_table(order("people/guest-1", "fox"))
