"""Ladders: who takes part, how they are opened and closed, and what becomes of them when the rules change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.errors import AccountError, LadderError, NotFoundError, RatingsError
from ratings.ledger.check import check
from ratings.ledger.ladders import LadderPlan, SeasonPlan
from ratings.ledger.leasing import release
from ratings.ledger.ledger import Ledger
from ratings.ledger.participation import SUBJECT, Changes
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.ledger.tournaments import Planner, WaveLedger
from ratings.read.accounts import list_notices
from ratings.read.bots import all_versions, find_version
from ratings.read.ladders import find_ladder, list_ladders, open_ladders
from ratings.read.official_table_input import load_results
from ratings.read.tournaments import tournament_waves
from ratings.store.database import Database, open_database
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.season import season_of
from ratings.store.sessions import read, write
from ratings.values.owners import OwnerLimits
from tests.ratings import book
from tests.support.specs import EndlessWaves


def endless(_: TournamentRecord, pool: PoolRecord) -> Planner:
    return EndlessWaves(pool.seats)


def ladder_plan(name: str = "king", **changes: Any) -> LadderPlan:
    return LadderPlan(name, book.plan([], 2, format="ladder", settings={"waves": 0}, **changes), {"matches_per_day": 9})


def submit(database: Database, bot: str, content: str = "aa", owner: str | None = None, **manifest: Any) -> str:
    return Ledger(database).add_version(bot=bot, owner=owner, content_hash=content, manifest=manifest)[0].id


def present(database: Database, name: str = "king") -> list[str]:
    """The versions that are planned in the next wave."""
    (running,) = [one for one in open_ladders(database) if one.ladder.name == name]
    entrants = tournament_waves(database, running.tournament.id).entrants
    return [entrant.version_id for entrant in entrants if entrant.withdrawn_wave is None]


def admit(database: Database, version: str) -> None:
    service = ServiceLedger(database)
    admission = service.request_admission(version)
    assert service.take_admission()
    service.finish_admission(admission.id, is_admitted=True, summary="", findings=[])


def tournament_of(database: Database) -> str:
    return open_ladders(database)[0].tournament.id


def play_on(database: Database) -> int:
    """Play what is planned of the ladder, and plan on; how many matches were planned."""
    tournament = tournament_of(database)
    for match in book.take(database, tournament):
        book.record(database, match)
    with write(database) as session:
        return EndlessWaves(2).plan_ready(WaveLedger(session, tournament))


def test_a_ladder_begins_with_all_who_play_its_game_and_plays_at_once(
    database: Database, ladders: LadderLedger
) -> None:
    bots = [submit(database, name) for name in ("ada", "bob")]
    submit(database, "cyd", games=["rex_romanorum"])
    own = submit(database, "dan", games=["foreign_king"])
    submit(database, "eve", owner="hopper")
    opened = ladders.open_ladder(ladder_plan(), endless)
    assert present(database) == [*bots, own]
    assert (opened.tournament.name, opened.season.name, opened.season.number) == ("king-1", "season 1", 1)
    assert opened.ladder.settings == {"matches_per_day": 9}
    assert play_on(database) == 2
    assert check(database) == []


@pytest.mark.parametrize("count", [0, 1])
def test_a_ladder_may_wait_for_its_bots(database: Database, ladders: LadderLedger, count: int) -> None:
    for number in range(count):
        submit(database, f"bot{number}")
    ladders.open_ladder(ladder_plan(), endless)
    assert play_on(database) == 0
    for name in ("ada", "bob"):
        submit(database, name)
    assert len(present(database)) == 2 + count
    assert play_on(database) == 2


def test_a_promoted_version_takes_its_predecessors_place_from_the_next_wave_on(
    database: Database, ladders: LadderLedger
) -> None:
    other, old = submit(database, "ada"), submit(database, "fox", owner="eve")
    admit(database, old)
    ladders.open_ladder(ladder_plan(), endless)
    new = submit(database, "fox", "bb", owner="eve")
    assert present(database) == [other, old]
    admit(database, new)
    assert present(database) == [other, new]
    assert play_on(database) == 2
    waves = tournament_waves(database, tournament_of(database)).waves
    assert [set(wave[0][0].versions) for wave in waves] == [{other, old}, {other, new}]
    assert {match.state.value for match in waves[0][0]} == {"finished"}


def test_a_rollback_brings_a_version_back_and_its_history_stays(
    database: Database, ladders: LadderLedger, service: ServiceLedger
) -> None:
    other, old = submit(database, "ada"), submit(database, "fox", owner="eve")
    admit(database, old)
    ladders.open_ladder(ladder_plan(), endless)
    play_on(database)
    new = submit(database, "fox", "bb", owner="eve")
    admit(database, new)
    play_on(database)
    service.rollback("eve/fox", actor="eve")
    assert present(database) == [other, old]
    entrants = {one.version_id: one for one in tournament_waves(database, tournament_of(database)).entrants}
    assert (entrants[old].joined_wave, entrants[old].withdrawn_wave, entrants[old].away) == (0, None, ((2, 3),))
    assert (entrants[new].joined_wave, entrants[new].withdrawn_wave) == (2, 3)
    assert check(database) == []


@pytest.mark.both_databases
def test_bots_of_a_ladder_could_have_met_whoever_took_part_at_the_same_time(
    database: Database, ladders: LadderLedger
) -> None:
    names = ["ada", "bob", "cyd", "dan"]
    versions = [submit(database, name) for name in names[:2]]
    opened = ladders.open_ladder(ladder_plan(), endless)
    play_on(database)
    play_on(database)
    for name in names[2:]:
        versions.append(submit(database, name))
        for _ in range(6):
            play_on(database)
    results = load_results(database, opened.tournament.pool_id)
    assert results.order is not None
    assert results.draws is not None
    in_order = np.argsort(results.order)
    draws: list[int] = results.draws[in_order].tolist()
    assert draws == sorted(draws)
    fields = {draw: {results.versions[seat] for seat in results.seats[results.draws == draw].ravel()} for draw in draws}
    assert list(fields.values()) == [set(versions[:2]), set(versions[:3]), set(versions)]
    # A wave of one block was planned ahead when each newcomer came.
    assert [draws.count(draw) for draw in fields] == [6, 12, 10]


def test_who_comes_back_before_another_wave_was_planned_has_missed_nothing(
    database: Database, ladders: LadderLedger, service: ServiceLedger
) -> None:
    submit(database, "ada")
    version = submit(database, "fox")
    ladders.open_ladder(ladder_plan(), endless)
    before = book.rows(database, "entrant")
    for _ in range(3):
        Ledger(database).set_disabled("fox", disabled=True)
        assert version not in present(database)
        Ledger(database).set_disabled("fox", disabled=False)
    assert version in present(database)
    assert book.rows(database, "entrant") == before
    assert check(database) == []


@pytest.mark.parametrize("voids", [True, False])
def test_what_is_planned_of_a_version_that_was_withdrawn_is_void_but_a_disabled_bots_is_played(
    database: Database, ladders: LadderLedger, service: ServiceLedger, voids: bool
) -> None:
    submit(database, "ada")
    version = submit(database, "fox")
    ladders.open_ladder(ladder_plan(), endless)
    if voids:
        service.withdraw_version(version, actor="operator")
    else:
        Ledger(database).set_disabled("fox", disabled=True)
    assert version not in present(database)
    assert len(book.take(database, tournament_of(database))) == (0 if voids else 2)


def test_a_disabled_owners_bots_leave_and_come_back(
    database: Database, ladders: LadderLedger, service: ServiceLedger
) -> None:
    other, version = submit(database, "ada"), submit(database, "fox", owner="eve")
    admit(database, version)
    ladders.open_ladder(ladder_plan(), endless)
    service.set_owner_disabled("eve", disabled=True)
    assert present(database) == [other]
    service.set_owner_disabled("eve", disabled=False)
    assert present(database) == [other, version]


def test_synchronising_again_changes_nothing(database: Database, ladders: LadderLedger) -> None:
    submit(database, "ada")
    opened = ladders.open_ladder(ladder_plan(), endless)
    submit(database, "bob")
    assert ladders.sync_ladder(opened.ladder.id) == Changes()
    assert ladders.sync_ladder("another") == Changes()


EXAMPLES = settings(max_examples=4)
ACTS = st.lists(
    st.tuples(st.sampled_from(["submit", "withdraw", "rollback", "disable", "enable", "play"]), st.integers(0, 2)),
    max_size=12,
)


@pytest.mark.both_databases
def test_whatever_happens_the_active_versions_are_those_in_the_ladder(empty_file: Path, tmp_path: Path) -> None:
    names = ("ada", "bob", "cyd")

    @EXAMPLES
    @given(ACTS)
    def they_are(acts: list[tuple[str, int]]) -> None:
        database = open_database(book.copy_of(begun, tmp_path / "copy.db"))
        for number, (act, which) in enumerate(acts):
            try_act(database, act, names[which], number)
            active = {one.version.id for one in book.active_versions(database) if one.bot.disabled_at_us is None}
            assert set(present(database)) == active
            assert len(present(database)) == len(active)
        assert check(database) == []
        database.close()

    begun = book.copy_of(empty_file, tmp_path / "begun.db")
    database = open_database(begun)
    for name in names:
        submit(database, name)
    LadderLedger(database).open_ladder(ladder_plan(), endless)
    database.close()
    they_are()


def try_act(database: Database, act: str, bot: str, number: int) -> None:
    active = {one.bot.name: one.version.id for one in book.active_versions(database)}
    if act == "submit":
        submit(database, bot, f"content {number}")
    elif act == "withdraw" and bot in active:
        ServiceLedger(database).withdraw_version(active[bot], actor="operator")
    elif act == "rollback":
        try:
            ServiceLedger(database).rollback(bot, actor="operator")
        except RatingsError:
            return
    elif act in ("disable", "enable"):
        Ledger(database).set_disabled(bot, disabled=act == "disable")
    else:
        play_on(database)


def test_a_closed_ladder_plays_no_more_and_its_name_is_free(database: Database, ladders: LadderLedger) -> None:
    for name in ("ada", "bob"):
        submit(database, name)
    first = ladders.open_ladder(ladder_plan(), endless)
    closed = ladders.close_ladder("king", "enough", table=[{"bot": "ada"}])
    assert closed.closed_because == "enough"
    assert open_ladders(database) == []
    assert book.take(database, first.tournament.id) == []
    (season,) = find_ladder(database, "king").seasons
    assert (season.closed_at_us is not None, season.table) == (True, [{"bot": "ada"}])
    second = ladders.open_ladder(ladder_plan(), endless)
    assert second.tournament.name == "king-1-2"
    assert [row.ladder.id for row in list_ladders(database).items] == [second.ladder.id, first.ladder.id]
    assert find_ladder(database, "king").ladder.id == second.ladder.id


@pytest.mark.both_databases
def test_a_ladder_is_set_while_it_is_open(database: Database, ladders: LadderLedger) -> None:
    ladders.open_ladder(ladder_plan(), endless)
    assert ladders.set_ladder_settings("king", {"matches_per_day": 1}).settings == {"matches_per_day": 1}


@pytest.mark.both_databases
def test_new_rules_close_a_ladder_and_the_next_one_begins_with_who_plays_by_them(
    database: Database, ladders: LadderLedger
) -> None:
    both = submit(database, "ada")
    old = submit(database, "fox", owner="eve", rules={"foreign_king": "1"})
    any_rules = submit(database, "owl", owner="eve", rules={"rex_romanorum": "7"})
    early = submit(database, "bob", rules={"foreign_king": "2"})
    for version in (old, any_rules):
        admit(database, version)
    first = ladders.open_ladder(ladder_plan(), endless)
    assert set(present(database)) == {both, old, any_rules}
    assert ladders.close_old_rules("foreign_king", "1", new_secret=lambda: "ff", planner=endless) == []
    (second,) = ladders.close_old_rules("foreign_king", "2", new_secret=lambda: "ff", planner=endless)
    assert (second.ladder.name, second.pool.rules_version, second.tournament.secret) == ("king", "2", "ff")
    assert second.tournament.settings == first.tournament.settings
    assert set(present(database)) == {both, any_rules, early}
    assert [row.ladder.closed_because for row in list_ladders(database).items] == [
        None,
        "foreign_king has rules version 2 now, and this ladder was played by version 1",
    ]
    owner_id = next(one.bot.owner_id for one in book.active_versions(database) if one.bot.owner_id)
    told = [notice.sentence for notice in reversed(list_notices(database, owner_id=owner_id).items)]
    begins = "foreign_king has rules version 2 now, so ladder 'king' begins anew"
    everybody = (
        "foreign_king has rules version 2 now: ladder 'king' was closed and begins anew, "
        "with the bots that play by the new rules"
    )
    assert told == [
        f"{begins}; version 1 of eve/fox states other rules and does not play until you submit a new version",
        f"{begins}; version 1 of eve/owl plays in it",
        everybody,
    ]
    assert len(list_notices(database).items) == 1
    assert len(list_notices(database, everybodys=True).items) == 3


Act = Callable[[LadderLedger, Database], object]


REFUSALS: list[tuple[Act, type[RatingsError], str]] = [
    (lambda led, _: led.open_ladder(ladder_plan("The King"), endless), AccountError, "is no name for a ladder"),
    (
        lambda led, _: led.open_ladder(ladder_plan(), endless),
        LadderError,
        "there is an open ladder 'king' already; close it, or choose another name",
    ),
    (
        lambda led, _: led.open_ladder(ladder_plan("other"), endless),
        LadderError,
        "ladder 'king' has the same game, seats, options and clock; close it, or change one of them",
    ),
    (lambda led, _: led.close_ladder("no", "why"), NotFoundError, "no ladder 'no'; see: arena ladder list"),
    (
        lambda led, _: led.close_ladder("gone", "again"),
        LadderError,
        r"ladder 'gone' is closed \(enough\); open it anew: arena ladder open",
    ),
    (
        lambda _, database: Ledger(database).cancel(tournament_of(database)),
        LadderError,
        "this tournament is 'season 1' of ladder 'king'; close that instead: arena season close king",
    ),
]


def test_what_cannot_be_is_refused_in_one_line(database: Database, ladders: LadderLedger) -> None:
    ladders.open_ladder(ladder_plan("gone"), endless)
    ladders.close_ladder("gone", "enough")
    opened = ladders.open_ladder(ladder_plan(), endless)
    before = book.rows(database, "ladder", "season", "tournament", "entrant", "notice")
    for act, kind, message in REFUSALS:
        with pytest.raises(kind, match=message) as refusal:
            act(ladders, database)
        assert len(str(refusal.value).splitlines()) == 1
        assert book.rows(database, "ladder", "season", "tournament", "entrant", "notice") == before, message
    with read(database) as session:
        season = season_of(session, opened.tournament.id)
    assert season is not None
    assert season.ladder_id == opened.ladder.id


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
