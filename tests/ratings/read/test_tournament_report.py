"""What is read of a tournament's results: faults, lost matches, and counts against the same counted naively."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from fractions import Fraction
from itertools import combinations
from math import comb
from random import Random
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.result import Fault, FaultCause
from ratings.ledger.leasing import LeasedMatch, LostAttempt
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.bots import bot_detail
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.pool_lookup import MatchScope
from ratings.read.statistics import by_opponent, by_seat, crosstable, lengths, meetings
from ratings.read.tournament_report import (
    LEAST_MATCHES,
    MOST_CHANCE,
    NEARLY_ALL,
    bot_faults,
    chance_of,
    count_lost,
    host_losses,
    suspect,
)
from ratings.read.tournaments import standings
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.values.statistics import Counted, Meeting
from ratings.values.tournament_incidents import HostLoss
from tests.ratings import book

MOST = 100


def record(database: Database, tournament: str, causes: dict[str, str], matches: int = 1000) -> list[str]:
    """Finish matches, in each of which the bots that are named are at fault; return those with a fault, in order."""
    faulty = []
    for match in book.take(database, tournament, matches):
        seats = [seat for seat, one in enumerate(match.seats) if one.bot in causes]
        faults = [Fault(seat, FaultCause(causes[match.seats[seat].bot]), 3, "why", {}) for seat in seats]
        book.record(database, match, forfeits=tuple(seats), faults=faults)
        faulty += [match.match_id] if faults else []
    return faulty


def test_faults_are_counted_by_bot_and_cause_the_most_frequent_first_with_the_last_match(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    faulty = record(database, singles, {"ada": "TIMEOUT", "cyd": "FLOOD"}, 2)
    assert faulty
    later = record(database, singles, {"ada": "TIMEOUT"})
    found = bot_faults(database, singles, MOST)
    rows = list_matches(database, MatchFilter(tournament_id=singles), limit=None).items
    for one in found:
        own = [
            row.match.id
            for row in rows
            if any(row.seats[seat][0] == one.bot and cause == one.cause for seat, cause in row.faults.items())
        ]
        assert one.matches == len(own)
        assert one.match_id == max(own)
    assert {(one.bot, one.version, one.cause) for one in found} == {("ada", 1, "TIMEOUT"), ("cyd", 1, "FLOOD")}
    assert [one.matches for one in found] == sorted((one.matches for one in found), reverse=True)
    assert found[0].match_id in later
    assert bot_faults(database, singles, 1) == found[:1]


def test_a_version_in_two_seats_of_a_match_counts_it_once(database: Database, bots: dict[str, str]) -> None:
    twice = book.create(
        database, [bots["ada"]], 2, blocks=[book.rotations(0, (bots["ada"], bots["ada"]))], rated=False, name="twice"
    )
    record(database, twice, {"ada": "TIMEOUT"})
    (found,) = bot_faults(database, twice, MOST)
    assert found.matches == 2


def test_faults_of_other_tournaments_and_of_what_was_annulled_are_left_out(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    clean = book.create(database, bots.values(), name="clean")
    record(database, clean, {})
    first, *others = record(database, singles, {"ada": "TIMEOUT"})
    assert bot_faults(database, clean, MOST) == ()
    ServiceLedger(database).annul_match(first, why="test", actor="x")
    (found,) = bot_faults(database, singles, MOST)
    assert found.matches == len(others)


@pytest.mark.both_databases
def test_while_a_block_is_open_its_faults_can_be_left_out(database: Database, tournament: str) -> None:
    faulty = record(database, tournament, {"ada": "TIMEOUT"}, 2)
    assert faulty
    assert bot_faults(database, tournament, MOST)
    assert bot_faults(database, tournament, MOST, besides_open=True) == ()


@pytest.mark.both_databases
def test_matches_with_whatever_fault_are_found_in_order_and_in_pages(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    ids = record(database, singles, {"ada": "TIMEOUT", "cyd": "FLOOD"}, 3)
    others = book.create(database, bots.values(), name="others", blocks=book.singles(bots.values()))
    later = record(database, others, {"dan": "FLOOD"})
    record(database, others, {})
    assert ids
    assert later
    for only, wanted in {
        MatchFilter(is_faulty=True): [*ids, *later],
        MatchFilter(is_faulty=True, tournament_id=singles): ids,
        MatchFilter(is_faulty=True, tournament_id=others): later,
        MatchFilter(is_faulty=True, bot_id=_bot(database, "dan")): later,
        MatchFilter(is_faulty=True, version_id=bots["bob"]): [],
    }.items():
        found, after = [], None
        while True:
            page = list_matches(database, only, limit=1, after=after, newest_first=False)
            found += [row.match.id for row in page.items]
            after = page.next
            if after is None:
                break
        assert found == wanted


def _bot(database: Database, name: str) -> str:
    return bot_detail(database, name).bot.id


REQUEST = LeaseRequest("w1", 1000, book.FOREVER // 2)


def lose(match: LeasedMatch, cause: str) -> LostAttempt:
    return LostAttempt(match.match_id, match.attempt, "it was lost", cause)


def play(database: Database, tournament: str, bot: str, cause: str, besides: int) -> None:
    """Lose each match of a bot once and `besides` others too, then play all of them."""
    ledger = Ledger(database)
    leased = ledger.settle(tournament, request=REQUEST).leased
    own = [match for match in leased if bot in {seat.bot for seat in match.seats}]
    others = [match for match in leased if match not in own]
    lost = [*own, *others[:besides]]
    again = ledger.settle(
        tournament,
        lost=[lose(match, cause) for match in lost] + [lose(match, "WORKER_DIED") for match in others[-1:]],
        results=[book.report(match) for match in others[besides:-1]],
        request=REQUEST,
    ).leased
    ledger.settle(tournament, results=[book.report(match) for match in again])


@pytest.mark.both_databases
@pytest.mark.hostile("have-ones-matches-lost-by-the-host")
@pytest.mark.parametrize(("besides", "name"), [(0, "eve"), (1, "eve"), (5, None)])
def test_a_fault_of_the_host_that_meets_one_bots_matches_is_told_with_its_name(
    database: Database, bots: dict[str, str], besides: int, name: str | None
) -> None:
    entrants = [*bots.values(), *book.add_bots(database, ("eve", "fay", "gus", "hal")).values()]
    pairs = [book.rotations(index, pair) for index, pair in enumerate(combinations(entrants, 2))]
    one, other = (book.create(database, entrants, 2, name=name, blocks=pairs) for name in ("one", "other"))
    assert host_losses(database, one) == ()
    play(database, one, "eve", "CHARGE_BOUND", besides)
    bound, died = host_losses(database, one)
    sat_in = 14 if name else 0
    assert bound == HostLoss("CHARGE_BOUND", 14 + besides, 14 + besides, name, 1 if name else None, sat_in)
    assert died == HostLoss("WORKER_DIED", 1, 1)
    assert host_losses(database, other) == ()
    assert count_lost(database, ["CHARGE_BOUND", "STORAGE_FAILED"], since_us=0) == 14 + besides
    assert count_lost(database, ["CHARGE_BOUND", "WORKER_DIED"], since_us=0) == 15 + besides
    assert count_lost(database, ["CHARGE_BOUND"], since_us=book.FOREVER) == 0


SIX = dict.fromkeys("abcdef", 10)
"""Six bots, thirty matches of two."""


@pytest.mark.parametrize(
    ("lost", "named"),
    [
        ([], None),
        (["ab", "ac", "ad", "ae", "af"], None),  # 6 in 1,000 for one bot, and there are six
        (["ab", "ac", "ad", "ae", "af", "ab"], "a"),
        (["ab"] * 3 + ["cd"] * 3, None),
        (["ab", "ac", "ad", "ae", "af", "ab", "ac", "ad", "bc"], None),  # not nearly all
        (["ab", "ac", "ad", "ae", "af", "ab", "ac", "ad", "ae", "bc"], "a"),
    ],
)
def test_the_bot_that_sat_in_nearly_all_lost_matches_is_named(lost: list[str], named: str | None) -> None:
    assert suspect(lost, SIX, 30) == named


def test_who_sat_in_every_match_is_never_named() -> None:
    assert suspect(["ab"] * 20, {"a": 40, "b": 20, "c": 20}, 40) == "b"
    assert suspect(["ab", "ac"] * 10, {"a": 40, "b": 20, "c": 20}, 40) is None


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n))), st.data())
def test_the_chance_is_that_of_drawing_blindly(case: tuple[int, int, int], data: st.DataObject) -> None:
    tried, lost, sat = case
    least = data.draw(st.integers(0, lost))
    ways = sum(comb(sat, met) * comb(tried - sat, lost - met) for met in range(least, lost + 1))
    assert chance_of(least, lost, sat, tried) == pytest.approx(float(Fraction(ways, comb(tried, lost))))


@settings(max_examples=40)
@given(st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=40), st.integers(0, 60))
def test_nobody_is_named_without_the_figures_for_it(lost: list[set[str]], others: int) -> None:
    tried = len(lost) + others
    sat = {name: min(tried, sum(name in match for match in lost) + others // 3) for name in "abcdefgh"}
    found = suspect(lost, sat, tried)
    if found is not None:
        count = sum(found in match for match in lost)
        assert count >= max(LEAST_MATCHES, NEARLY_ALL * len(lost))
        assert chance_of(count, len(lost), sat[found], tried) * len(sat) < MOST_CHANCE
        assert sat[found] < tried


SEATS = 3
BLOCKS = 9

Fact = tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...], int]
"""Of one match: versions by seat, ranks by seat, the seats that forfeited, plies."""


def play_out(database: Database, tournament: str, match: LeasedMatch, kind: str, random: Random) -> Fact | None:
    """None for a match that is void."""
    if kind == "void":
        with write(database) as session:
            book.lose(session, tournament, match)
        return None
    scores = [random.randrange(3) for _ in range(SEATS)]
    ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
    forfeits, plies = tuple(random.sample(range(SEATS), random.randrange(2))), random.randrange(1, 100)
    is_rated = kind != "unrated"
    assert book.record(database, match, ranks=ranks, forfeits=forfeits, plies=plies, decisions=1, rated=is_rated)
    return tuple(seat.version_id for seat in match.seats), ranks, forfeits, plies


def play_some(database: Database, versions: list[str], random: Random) -> tuple[str, list[Fact]]:
    """The tournament, and the matches of its whole blocks; its last block stays open."""
    blocks = [book.rotations(index, random.sample(versions, SEATS)) for index in range(BLOCKS)]
    tournament = book.create(database, versions, blocks=blocks)
    whole: list[Fact] = []
    for _ in blocks[1:]:
        kinds = [random.choice(["played"] * 8 + ["void", "unrated"]) for _ in range(SEATS)]
        facts = [play_out(database, tournament, book.take(database, tournament, 1)[0], kind, random) for kind in kinds]
        if set(kinds) == {"played"}:
            whole += [fact for fact in facts if fact is not None]
    play_out(database, tournament, book.take(database, tournament, 1)[0], "played", random)
    return tournament, whole


def met(facts: list[Fact]) -> Iterator[tuple[str, str, int, int]]:
    """One version, another, the seat of the first, its points: for every two seats of every match."""
    for versions, ranks, _, _ in facts:
        for seat, mine in enumerate(ranks):
            for other, his in enumerate(ranks):
                if other != seat:
                    yield versions[seat], versions[other], seat, 2 if mine < his else int(mine == his)


def check_against(database: Database, scope: MatchScope, facts: list[Fact], versions: list[str]) -> None:
    counts, points = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    ended = Counter[tuple[str, str, int]]()
    for one, other, _, got in met(facts):
        counts[one, other] += 1
        points[one, other] += got
        ended[one, other, got] += 1
    expected = {pair: (counts[pair], points[pair], ended[*pair, 2], ended[*pair, 1]) for pair in counts}
    found = meetings(database, scope, versions)
    assert figures_of(found) == expected
    for version in versions:
        own = by_opponent(database, scope, version)
        mine = {pair: figures for pair, figures in expected.items() if pair[0] == version}
        assert figures_of(own) == mine
        check_seats(database, scope, facts, version)
    check_seats(database, scope, facts, None)
    plies = [fact[3] for fact in facts]
    (spread, *_) = lengths(database, scope)
    assert (spread.matches, spread.least, spread.most) == (len(plies), min(plies), max(plies))
    assert spread.mean == pytest.approx(mean(plies))


def figures_of(found: Iterable[Meeting]) -> dict[tuple[str, str], tuple[int, ...]]:
    """Matches, points, wins and ties of each pair."""
    return {(one.version_id, one.opponent_id): (one.matches, one.points, one.wins, one.ties) for one in found}


def check_seats(database: Database, scope: MatchScope, facts: list[Fact], version: str | None) -> None:
    expected: list[tuple[Any, ...]] = []
    for seat in range(SEATS):
        sat = [fact for fact in facts if version in (None, fact[0][seat])]
        got = [points for one, _, place, points in met(facts) if place == seat and version in (None, one)]
        firsts = Counter(ranks.count(1) for _, ranks, _, _ in sat if ranks[seat] == 1)
        forfeits = sum(seat in forfeited for _, _, forfeited, _ in sat)
        if sat:
            score = pytest.approx(mean(got) / 2)
            expected.append((seat, len(sat), firsts[1], score, forfeits, firsts[2], firsts[SEATS]))
    rows = by_seat(database, scope, version)
    found: list[tuple[Any, ...]] = [astuple(row) for row in rows]
    assert found == expected


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", range(2))
def test_what_is_counted_is_what_was_played_in_whole_blocks(
    database: Database, bots: dict[str, str], seed: int
) -> None:
    versions = list(bots.values())
    tournament, whole = play_some(database, versions, Random(seed))
    check_against(database, MatchScope(tournament_id=tournament), whole, versions)
    check_against(database, MatchScope(pool_id=book.POOL.pool_id), whole, versions)


def test_a_version_that_plays_itself_meets_nobody(database: Database, bots: dict[str, str]) -> None:
    versions = list(bots.values())[:2]
    blocks = [book.rotations(0, [versions[0], versions[1], versions[1]])]
    tournament = book.create(database, versions, blocks=blocks, rated=False)
    book.play_all(database, tournament)
    scope = MatchScope(tournament_id=tournament)
    pairs = [(one.version_id, one.opponent_id) for one in meetings(database, scope, versions)]
    assert sorted(pairs) == sorted([tuple(versions), tuple(reversed(versions))])
    assert [one.opponent_id for one in by_opponent(database, scope, versions[1])] == [versions[0]]


def test_the_crosstable_names_the_best_and_who_met_whom(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    book.play_all(database, tournament)
    found = crosstable(database, MatchScope(tournament_id=tournament), limit=3)
    best = [row.version_id for row in standings(database, tournament)][:3]
    names = {version_id: bot for bot, version_id in bots.items()}
    assert found.versions == tuple(Counted(version_id, names[version_id]) for version_id in best)
    assert found.meetings == meetings(database, MatchScope(tournament_id=tournament), best)
    assert all((one.bot, one.opponent) == (names[one.version_id], names[one.opponent_id]) for one in found.meetings)
