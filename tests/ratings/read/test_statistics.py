"""Crosstable, results by opponent and by seat, lengths: against the same counted naively from plain facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from random import Random
from statistics import mean
from typing import Any

import pytest

from ratings.ledger.leasing import LeasedMatch
from ratings.read.pools import MatchScope
from ratings.read.statistics import by_opponent, by_seat, crosstable, lengths, meetings
from ratings.read.tournaments import standings
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.values.statistics import Counted, Meeting
from tests.ratings import book

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


def play_some(database: Database, versions: list[str], random: Random) -> tuple[str, list[Fact], list[Fact]]:
    """The tournament, the matches of its whole blocks, and those of them that are rated; its last block stays open."""
    blocks = [book.rotations(index, random.sample(versions, SEATS)) for index in range(BLOCKS)]
    tournament = book.create(database, versions, blocks=blocks)
    whole: list[Fact] = []
    rated: list[Fact] = []
    for _ in blocks[1:]:
        kinds = [random.choice(["played"] * 8 + ["void", "unrated"]) for _ in range(SEATS)]
        facts = [play_out(database, tournament, book.take(database, tournament, 1)[0], kind, random) for kind in kinds]
        if "void" not in kinds:
            whole += [fact for fact in facts if fact is not None]
            rated += [fact for fact in facts if fact is not None and "unrated" not in kinds]
    play_out(database, tournament, book.take(database, tournament, 1)[0], "played", random)
    return tournament, whole, rated


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
    tournament, whole, rated = play_some(database, versions, Random(seed))
    check_against(database, MatchScope(tournament_id=tournament), whole, versions)
    check_against(database, MatchScope(pool_id=book.POOL.pool_id), rated, versions)


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
