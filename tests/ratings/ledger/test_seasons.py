"""The seasons of a ladder: announced, frozen, decided, closed, and the secret that is public only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ratings.errors import AccountError, ArchiveError, LadderError, PlanError, RatingsError
from ratings.ledger.check import check
from ratings.ledger.ladders import LadderPlan, SeasonPlan
from ratings.ledger.ledger import Ledger
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.ledger.tournaments import Planner, WaveLedger
from ratings.read.accounts import list_notices
from ratings.read.exporting import export_tournament
from ratings.read.ladders import find_ladder, open_ladders
from ratings.read.tournaments import published_secret, tournament_row, tournament_waves
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.season import season_of
from ratings.store.sessions import read
from tests.ratings import book
from tests.support.specs import EndlessWaves, GivenWaves

HOUR_US = 3_600_000_000
TABLE = [{"bot": "ada", "exposure": 3.5}]
FINAL = book.plan([], 2, name="king-final", secret="f1")
NEXT = SeasonPlan("autumn", "5ec2e7")


def endless(_: TournamentRecord, pool: PoolRecord) -> Planner:
    return EndlessWaves(pool.seats)


class RoundRobin:
    """Plans the round robin of all entrants, and nothing after it."""

    def plan_ready(self, waves: WaveLedger) -> int:
        entrants = [entrant.version_id for entrant in waves.entrants()]
        return GivenWaves(book.round_robin(entrants, 2)).plan_ready(waves)


def round_robin(_: TournamentRecord, __: PoolRecord) -> Planner:
    return RoundRobin()


@pytest.fixture
def ladders(database: Database) -> Iterator[LadderLedger]:
    """A ladder `king` of two bots, on which nothing was played yet."""
    book.add_bots(database, ("ada", "bob"))
    ledger = LadderLedger(database)
    plan = book.plan([], 2, format="ladder", secret="0123")
    ledger.open_ladder(LadderPlan("king", plan, season="spring"), endless)
    yield ledger
    assert check(database) == []


def tournament_of(database: Database) -> str:
    return open_ladders(database)[0].tournament.id


def present(database: Database) -> int:
    entrants = tournament_waves(database, tournament_of(database)).entrants
    return sum(entrant.withdrawn_wave is None for entrant in entrants)


def told(database: Database) -> list[str]:
    return [notice.sentence for notice in reversed(list_notices(database).items)]


@pytest.mark.both_databases
def test_a_freeze_comes_when_it_was_announced_and_not_before(
    database: Database, ladders: LadderLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_us = 1_900_000_000_000_000
    assert ladders.announce_freeze("king", at_us).freezes_at_us == at_us
    assert told(database) == ["submissions for 'spring' of ladder 'king' close at 2030-03-17 17:46 UTC"]
    with pytest.raises(LadderError, match=r"it was announced that 'spring' .* closes at 2030-03-17 17:46 UTC; wait"):
        ladders.freeze("king")
    monkeypatch.setattr("ratings.ledger.season_ledger.now_us", lambda: at_us)
    assert ladders.freeze("king").frozen_at_us == at_us


def test_a_frozen_season_takes_no_new_version_but_a_withdrawn_one_leaves(
    database: Database, ladders: LadderLedger
) -> None:
    ladders.freeze("king")
    book.add_bots(database, ("cyd",))
    book.add_successor(database, "ada")
    entrants = tournament_waves(database, tournament_of(database)).entrants
    assert [entrant.withdrawn_wave for entrant in entrants] == [None, None]
    ServiceLedger(database).withdraw_version(entrants[1].version_id, actor="operator")
    assert present(database) == 1


def test_the_final_is_of_all_who_are_in_and_ends_the_ladders_own_matches(
    database: Database, ladders: LadderLedger
) -> None:
    ladders.freeze("king")
    book.add_bots(database, ("cyd",))
    season = tournament_of(database)
    final = ladders.start_final("king", FINAL, round_robin)
    assert (final.name, len(tournament_waves(database, final.id).entrants)) == ("king-final", 2)
    assert book.take(database, season) == []
    assert tournament_row(database, season).status == "cancelled"
    with read(database) as session:
        found = season_of(session, final.id)
    assert found is not None
    assert found.final_tournament_id == final.id
    with pytest.raises(LadderError, match="the final of 'spring' of ladder 'king' is not over; wait until it is"):
        ladders.close_season("king", table=TABLE)
    with pytest.raises(LadderError, match="'spring' of ladder 'king' has its final already"):
        ladders.start_final("king", FINAL, round_robin)
    book.play_all(database, final.id)
    assert ladders.close_season("king", table=TABLE).table == TABLE


@pytest.mark.both_databases
def test_the_secret_is_public_when_the_season_is_closed_and_not_before(
    database: Database, ladders: LadderLedger, tmp_path: Path
) -> None:
    season = open_ladders(database)[0].tournament
    ladders.freeze("king")
    final = ladders.start_final("king", FINAL, round_robin)
    book.play_all(database, final.id)
    for tournament in (season, final):
        assert published_secret(database, tournament.id) is None
        with pytest.raises(ArchiveError, match="belongs to a season that is not closed"):
            export_tournament(database, tournament, tmp_path / "early.arena")
    ladders.close_season("king", table=TABLE)
    assert (published_secret(database, season.id), published_secret(database, final.id)) == ("0123", "f1")
    export_tournament(database, season, tmp_path / "season.arena")


def test_a_tournament_apart_has_its_secret_published_when_it_is_over(database: Database, tournament: str) -> None:
    assert published_secret(database, tournament) is None
    book.play_all(database, tournament)
    assert published_secret(database, tournament) == "00ff"


def test_the_next_season_begins_with_those_who_are_active_and_a_secret_of_its_own(
    database: Database, ladders: LadderLedger
) -> None:
    first = tournament_of(database)
    ladders.freeze("king")
    book.add_bots(database, ("cyd",))
    closed = ladders.close_season("king", table=TABLE, following=NEXT, planner=endless)
    assert (closed.number, closed.closed_at_us is not None) == (1, True)
    (running,) = open_ladders(database)
    assert (running.season.number, running.season.name) == (2, "autumn")
    assert (running.tournament.secret, running.tournament.name) == ("5ec2e7", "king-2")
    assert running.pool.id == find_ladder(database, "king").pool.id
    assert present(database) == 3
    assert published_secret(database, first) == "0123"
    assert published_secret(database, running.tournament.id) is None
    assert told(database) == [
        "submissions for 'spring' of ladder 'king' are closed; new versions play in the next one",
        "'spring' of ladder 'king' is over; its table and its secret are public",
        "'autumn' of ladder 'king' is open",
    ]


def test_between_seasons_nothing_is_played_until_one_is_opened(database: Database, ladders: LadderLedger) -> None:
    ladders.close_season("king", table=TABLE)
    assert open_ladders(database) == []
    with pytest.raises(LadderError, match="no season of ladder 'king' is open; open one: arena season open king"):
        ladders.freeze("king")
    opened = ladders.open_season("king", NEXT, endless)
    assert opened.season.number == 2
    assert len(book.take(database, opened.tournament.id)) == 2


def test_closing_a_ladder_publishes_its_seasons_secret(database: Database, ladders: LadderLedger) -> None:
    season = tournament_of(database)
    ladders.close_ladder("king", "enough")
    assert published_secret(database, season) == "0123"


Act = Callable[[LadderLedger, Database], object]


REFUSALS: list[tuple[Act, type[RatingsError], str]] = [
    (lambda led, _: led.announce_freeze("king", 1), LadderError, "1970-01-01 00:00 UTC has passed; announce"),
    (
        lambda led, _: led.start_final("king", FINAL, round_robin),
        LadderError,
        "'spring' of ladder 'king' is not frozen; first: arena season freeze king",
    ),
    (
        lambda led, _: led.open_season("king", NEXT, endless),
        LadderError,
        "'spring' of ladder 'king' is open; close it first: arena season close king",
    ),
    (
        lambda led, _: led.open_season("king", SeasonPlan("", "00"), endless),
        AccountError,
        "is no name for a season",
    ),
]


def test_what_cannot_be_is_refused_in_one_line(database: Database, ladders: LadderLedger) -> None:
    before = book.rows(database, "season", "tournament", "notice")
    for act, kind, message in REFUSALS:
        with pytest.raises(kind, match=message) as refusal:
            act(ladders, database)
        assert len(str(refusal.value).splitlines()) == 1
        assert book.rows(database, "season", "tournament", "notice") == before, message


def test_a_frozen_season_is_not_frozen_or_announced_again(ladders: LadderLedger) -> None:
    ladders.freeze("king")
    for again in (ladders.freeze, lambda name: ladders.announce_freeze(name, now_us() + HOUR_US)):
        with pytest.raises(LadderError, match="'spring' of ladder 'king' is closed to new versions already"):
            again("king")


def test_a_final_without_matches_is_refused_and_nothing_is_written(database: Database, ladders: LadderLedger) -> None:
    ladders.freeze("king")
    for name in ("ada", "bob"):
        Ledger(database).set_disabled(name, disabled=True)
    before = book.rows(database, "season", "tournament", "entrant")
    with pytest.raises(PlanError, match="the final has no matches for 0 bots; close the season without one"):
        ladders.start_final("king", FINAL, round_robin)
    assert book.rows(database, "season", "tournament", "entrant") == before
