"""Matches that were annulled: they stay as they were, and count for nothing any more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import col, select

from ratings.errors import BotError, NotFoundError, PlanError, RatingsError
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.active_versions import active_version, bot_events
from ratings.read.exporting import export_tournament
from ratings.read.matches import annulments_of, list_annulments, match_detail, replay_of
from ratings.read.official_table_input import load_results
from ratings.read.pool_lookup import MatchScope
from ratings.read.statistics import crosstable
from ratings.read.tournaments import standings, tournament_row, tournament_waves
from ratings.store.database import Database, open_database
from ratings.store.ladder_queries import annulled
from ratings.store.models import MatchRecord, MatchSeatRecord, PoolRecord
from ratings.store.rating import RatingOrderRecord
from ratings.store.sessions import read, write
from ratings.values.states import RatingVerdict
from tests.ratings import book

WHY = "it was played with a broken clock"


def matches_of(database: Database) -> list[str]:
    """Every match by id, in the order of the schedules."""
    with read(database) as session:
        return list(session.exec(select(MatchRecord.id).order_by(MatchRecord.tournament_id, col(MatchRecord.position))))


def verdicts(database: Database) -> list[RatingVerdict]:
    with read(database) as session:
        return list(session.exec(select(col(RatingOrderRecord.verdict)).order_by(col(RatingOrderRecord.rating_seq))))


def pool_of(database: Database) -> str:
    with read(database) as session:
        return session.exec(select(PoolRecord.id)).one()


def annul(service: ServiceLedger, match_id: str) -> int:
    return service.annul_match(match_id, why=WHY, actor="operator").matches


@pytest.mark.usefixtures("all_played")
def test_a_match_is_annulled_with_its_block_and_the_others_are_rated_as_if_it_had_not_been(
    database: Database, service: ServiceLedger, tournament: str
) -> None:
    third = matches_of(database)[6]
    done = service.annul_match(third, why=WHY, actor="operator")
    assert (done.matches, done.pools) == (3, (pool_of(database),))
    assert verdicts(database) == [RatingVerdict.RATED] * 6 + [RatingVerdict.ANNULLED] * 3 + [RatingVerdict.RATED] * 3
    assert check(database) == []
    assert book.count(database, "rating_change") == 9 * 3


@pytest.mark.both_databases
@pytest.mark.usefixtures("all_played")
def test_an_annulled_match_stays_as_it_was_and_is_told_wherever_it_is_shown(
    database: Database, service: ServiceLedger
) -> None:
    first, second, third, other, *_ = matches_of(database)
    facts, derived = ("match", "match_seat", "replay", "attempt", "block"), ("rating", "rating_change", "rating_order")
    before = book.rows(database, *facts)
    annul(service, second)
    assert book.rows(database, *facts) == before
    assert replay_of(database, second)
    assert all(seat.change is None for seat in match_detail(database, second).seats)
    found = annulments_of(database, [first, second, third, other])
    assert {match_id: (one.match, one.why, one.actor) for match_id, one in found.items()} == dict.fromkeys(
        (first, second, third), (second, WHY, "operator")
    )
    assert [one.match for one in list_annulments(database).items] == [second]
    once = book.rows(database, "annulment", "annulled_block", *derived)
    assert annul(service, second) == annul(service, third) == 0
    assert book.rows(database, "annulment", "annulled_block", *derived) == once, "annulling again changes nothing"
    assert Ledger(database).rebuild() == 9
    assert book.rows(database, *derived) == {name: once[name] for name in derived}


@pytest.mark.usefixtures("all_played")
def test_annulled_matches_are_in_no_table(database: Database, service: ServiceLedger, tournament: str) -> None:
    before = load_results(database, pool_of(database))
    annul(service, matches_of(database)[0])
    assert (len(before.ranks), len(load_results(database, pool_of(database)).ranks)) == (12, 9)
    for scope in (MatchScope(tournament_id=tournament), MatchScope(pool_id=pool_of(database))):
        assert sum(meeting.matches for meeting in crosstable(database, scope, 9).meetings) == 9 * 6


def test_a_match_can_be_annulled_before_its_block_is_over(
    database: Database, service: ServiceLedger, tournament: str
) -> None:
    first, *others = book.take(database, tournament)
    book.record(database, first)
    assert annul(service, first.match_id) == 3
    assert verdicts(database) == []
    for match in others:
        book.record(database, match)
    assert verdicts(database) == [RatingVerdict.ANNULLED] * 3 + [RatingVerdict.RATED] * 9
    assert check(database) == []


def test_an_unrated_match_is_annulled_too(database: Database, service: ServiceLedger, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values(), rated=False)
    book.play_all(database, tournament)
    done = service.annul_match(matches_of(database)[0], why=WHY, actor="operator")
    assert (done.matches, done.pools) == (3, ())
    assert sum(row.matches for row in standings(database, tournament)) == 9 * 3
    assert sum(one.matches for one in crosstable(database, MatchScope(tournament_id=tournament), 9).meetings) == 9 * 6


@pytest.mark.both_databases
@pytest.mark.usefixtures("all_played")
def test_a_version_is_annulled_everywhere_and_for_good(
    database: Database, service: ServiceLedger, bots: dict[str, str], tournament: str
) -> None:
    book.play_all(database, book.create(database, bots.values(), seats=2, name="other"))
    done = service.annul_version(bots["ada"], why="it cheated", actor="operator")
    assert done.matches == 9 + 4
    assert len(done.pools) == 2
    with read(database) as session:
        rated = session.exec(
            select(MatchSeatRecord.version_id)
            .join(RatingOrderRecord, col(RatingOrderRecord.match_id) == MatchSeatRecord.match_id)
            .where(RatingOrderRecord.verdict == RatingVerdict.RATED)
        ).all()
    assert bots["ada"] not in rated
    assert check(database) == []
    (found,) = list_annulments(database).items
    assert (found.version, found.why) == (bots["ada"], "it cheated")
    assert active_version(database, "ada") is None
    event = bot_events(database, "ada", limit=1).items[0].event
    assert (event.kind.value, event.message) == ("annulled", "it cheated")
    with pytest.raises(BotError, match="version 1 of 'ada' was annulled by the organiser; submit a new version"):
        service.promote(bots["ada"], actor="operator")
    with pytest.raises(BotError, match="version 1 of 'ada' was annulled; leave it out, or enter another version"):
        book.create(database, bots.values(), name="third")
    again = service.annul_version(bots["ada"], why="twice", actor="operator")
    assert (again.annulment.id, again.matches) == (done.annulment.id, 0)


def test_an_annulled_version_leaves_what_is_not_over(
    database: Database, service: ServiceLedger, bots: dict[str, str], tournament: str
) -> None:
    first, *_ = book.take(database, tournament, 1)
    book.record(database, first)
    service.annul_version(bots["ada"], why="it cheated", actor="operator")
    left = book.take(database, tournament)
    assert len(left) == 3
    assert bots["ada"] not in {seat.version_id for match in left for seat in match.seats}
    for match in left:
        book.record(database, match)
    assert sorted(set(verdicts(database))) == [RatingVerdict.ANNULLED, RatingVerdict.RATED]
    entrants = {one.version_id: one for one in tournament_waves(database, tournament).entrants}
    assert entrants[bots["ada"]].withdrawn_wave == 1
    assert check(database) == []


def test_a_version_whose_predecessor_is_annulled_starts_as_a_newcomer(
    database: Database, service: ServiceLedger
) -> None:
    bots = book.add_bots(database, ("ada", "bob", "cyd"))
    book.play_all(database, book.create(database, bots.values()))
    new = book.add_successor(database, "ada")
    book.play_all(database, book.create(database, [new, bots["bob"], bots["cyd"]], name="second"))
    service.annul_version(bots["ada"], why="it cheated", actor="operator")
    with read(database) as session:
        pool = session.exec(select(PoolRecord)).one()
    first = min(row for row in book.rows(database, "rating_change")["rating_change"] if new in row)
    assert repr(pool.mu) in first
    assert check(database) == []


@pytest.mark.usefixtures("all_played")
def test_annulments_go_along_with_an_exported_tournament(
    database: Database, service: ServiceLedger, bots: dict[str, str], tournament: str, empty_file: Path, tmp_path: Path
) -> None:
    annul(service, next(one for one in reversed(matches_of(database))))
    service.annul_version(bots["ada"], why="it cheated", actor="operator")
    export(database, tournament, tmp_path / "test.arena")
    other = open_database(book.copy_of(empty_file, tmp_path / "other.db"))
    imported = Ledger(other).import_tournament(tmp_path / "test.arena")
    assert imported.same_ratings
    names = ("annulment", "annulled_block", "rating_order", "rating", "rating_change")
    assert book.rows(other, *names) == book.rows(database, *names)
    with read(other) as session:  # what was annulled elsewhere concerns the imported matches alone
        assert annulled(session, [bots["ada"]]) == set()
    assert check(other) == []
    other.close()


@pytest.mark.usefixtures("all_played")
def test_what_an_annulled_version_played_elsewhere_does_not_count_here_either(
    database: Database, bots: dict[str, str], tournament: str, empty_file: Path, tmp_path: Path
) -> None:
    export(database, tournament, tmp_path / "test.arena")
    other = open_database(book.copy_of(empty_file, tmp_path / "other.db"))
    here = book.add_bots(other, ("ada",))["ada"]
    ServiceLedger(other).annul_version(here, why="it cheated", actor="operator")
    assert Ledger(other).import_tournament(tmp_path / "test.arena").rated == 3
    assert sorted(verdicts(other)) == [RatingVerdict.ANNULLED] * 9 + [RatingVerdict.RATED] * 3
    assert check(other) == []
    other.close()


def export(database: Database, tournament: str, target: Path) -> None:
    export_tournament(database, tournament_row(database, tournament).tournament, target)


EXAMPLES = settings(max_examples=3)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("play"), st.integers(1, 5)),
        st.tuples(st.just("annul"), st.integers(0, 23)),
        st.tuples(st.just("annul version"), st.integers(0, 4)),
        st.tuples(st.just("lose"), st.integers(0, 0)),
    ),
    max_size=14,
)


@pytest.fixture(scope="module")
def prepared(empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[str]]:
    """A closed database with two tournaments in one pool, their ids, and the versions in them."""
    path = book.copy_of(empty_file, tmp_path_factory.mktemp("annulled") / "prepared.db")
    database = open_database(path)
    bots = list(book.add_bots(database, ("ada", "bob", "cyd", "dan")).values())
    second = [book.add_successor(database, "ada"), *bots[1:]]
    tournaments = [book.create(database, bots, name="one"), book.create(database, second, name="two")]
    database.close()
    return path, tournaments, [*bots, second[0]]


@pytest.mark.both_databases
def test_whatever_is_annulled_and_when_the_book_stays_sound(prepared: tuple[Path, list[str], list[str]]) -> None:
    path, tournaments, versions = prepared

    @EXAMPLES
    @given(acts=ACTS)
    def it_stays_sound(acts: list[tuple[str, int]]) -> None:
        database = open_database(book.copy_of(path, path.with_name("copy.db")))
        every = matches_of(database)
        service = ServiceLedger(database)
        for number, (act, which) in enumerate([*acts, ("play", 12), ("play", 12)]):
            tournament = tournaments[number % 2]
            if act == "annul":
                annul(service, every[which % len(every)])
            elif act == "annul version":
                service.annul_version(versions[which], why=WHY, actor="operator")
            elif act == "play":
                for match in book.take(database, tournament, which):
                    book.record(database, match)
            elif taken := book.take(database, tournament, 1):
                with write(database) as session:
                    book.lose(session, tournament, taken[0])
            assert check(database) == []
        database.close()

    it_stays_sound()


Act = Callable[[ServiceLedger], object]


def test_what_cannot_be_annulled_is_named(service: ServiceLedger) -> None:
    refused: list[tuple[Act, type[RatingsError], str]] = [
        (lambda led: led.annul_match("x", why=WHY, actor="o"), NotFoundError, "no match x; see: arena match list"),
        (lambda led: led.annul_version("x", why=WHY, actor="o"), NotFoundError, "no version x; see: arena bot list"),
        (lambda led: led.annul_match("x", why=" ", actor="o"), PlanError, "an annulment needs a reason that people"),
    ]
    for act, kind, message in refused:
        with pytest.raises(kind, match=message):
            act(service)
