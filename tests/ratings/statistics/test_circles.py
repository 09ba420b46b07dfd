"""Circles: told where there are any, rarely elsewhere, whatever the order of the matches."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ratings.statistics.circles import Pairs, meetings, mixture_of, pair_odds, unbeaten
from ratings.statistics.official_table import ELO_PER_UNIT, official_table
from ratings.statistics.results import Floats, Ints, Results, count
from tests.support.simulations.circles import HONEST, Kind, circles_in, played, seen, with_circles
from tests.support.simulations.fields import Field, drawn_tables, play

RING = Kind("", 2, 6, 1500, elo=200.0, near=True)


def rounds(*wins: tuple[str, str], blocks: int, per_block: int = 2, lost: int = 0) -> Results:
    """So many blocks of each pair, in both seats by turns, the first of a pair ahead in all but the last `lost`."""
    names = sorted({name for pair in wins for name in pair})
    seats, ranks, labels = [], [], []
    for pair, (winner, loser) in enumerate(wins):
        for block in range(blocks):
            for match in range(per_block):
                is_first = match % 2 == 0
                ahead, behind = (winner, loser) if block < blocks - lost else (loser, winner)
                seats.append([names.index(winner), names.index(loser)][:: 1 if is_first else -1])
                ranks.append([1 if names[seat] == ahead else 2 for seat in seats[-1]])
                labels.append(pair * blocks + block)
                assert behind != ahead
    return Results(tuple(names), np.array(seats), np.array(ranks), np.array(labels), np.arange(len(seats)))


def rearranged(results: Results, seed: int) -> Results:
    """The same matches in another order, the versions listed in another order too."""
    random = np.random.default_rng(seed)
    order, names = random.permutation(len(results.seats)), random.permutation(len(results.versions))
    place: Ints = np.argsort(names)
    return Results(
        tuple(results.versions[index] for index in names),
        place[results.seats[order]],
        results.ranks[order],
        results.blocks[order] * 3 + 1,
        results.plans[order],
    )


def test_three_that_beat_each_other_are_told_as_a_circle() -> None:
    found = circles_in(rounds(("a", "b"), ("b", "c"), ("c", "a"), blocks=40, lost=8))
    (circle,) = found.told
    assert circle.versions == ("a", "b", "c")
    assert circle.shares == pytest.approx((0.8, 0.8, 0.8), abs=0.02)
    assert circle.blocks == (40, 40, 40)
    assert circle.elo == pytest.approx(400 * np.log10(4), abs=25)
    assert circle.chance < 0.001
    assert (found.count, found.asked) == (1, 1)


def test_the_other_way_round_is_another_circle() -> None:
    (circle,) = circles_in(rounds(("b", "a"), ("c", "b"), ("a", "c"), blocks=40, lost=8)).told
    assert circle.versions == ("a", "c", "b")


def test_who_beats_all_is_in_no_circle() -> None:
    assert circles_in(rounds(("a", "b"), ("b", "c"), ("a", "c"), blocks=40, lost=8)).told == ()


def test_a_step_that_is_not_sure_by_itself_makes_no_circle() -> None:
    sure = rounds(("a", "b"), ("b", "c"), blocks=200, lost=10)
    unsure = rounds(("c", "a"), ("b", "d"), blocks=20, lost=9)
    names = ("a", "b", "c", "d")
    place = np.array([names.index(name) for name in sure.versions])
    both = Results(
        names,
        np.concatenate([place[sure.seats], unsure.seats]),
        np.concatenate([sure.ranks, unsure.ranks]),
        np.concatenate([sure.blocks, unsure.blocks + 10_000]),
        np.arange(len(sure.seats) + len(unsure.seats)),
    )
    assert circles_in(both).asked == 1
    assert circles_in(both).told == ()


def test_many_matches_of_few_blocks_are_few_witnesses() -> None:
    found = circles_in(rounds(("a", "b"), ("b", "c"), ("c", "a"), blocks=3, per_block=200))
    assert (found.told, found.asked) == ((), 0)


def test_a_good_seat_is_no_strength() -> None:
    # Everybody wins in seat 0, and each of the three always sat there against the next.
    one_sided = rounds(("a", "b"), ("b", "c"), ("c", "a"), blocks=60, per_block=1)
    assert circles_in(one_sided).asked == 0


def test_any_order_of_the_same_matches_tells_the_identical_circles() -> None:
    for kind in (RING, Kind("", 3, 6, 800, elo=200.0, near=True)):
        results = played(kind, 1)
        found = circles_in(results)
        assert found.told
        assert circles_in(rearranged(results, seed=1)) == found


def test_any_order_of_the_same_matches_gives_the_identical_mixture() -> None:
    results = played(RING, 1)
    table = official_table(results, with_mixture=True)
    assert official_table(rearranged(results, seed=1), with_mixture=True).rows == table.rows
    assert table.circles == circles_in(results)


def test_how_much_is_computed_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    results = played(RING, 1)
    whole = circles_in(results)
    monkeypatch.setattr("ratings.statistics.circles._MATCHES_AT_ONCE", 7)
    assert circles_in(results) == whole


@pytest.mark.parametrize("seats", [2, 4])
def test_the_scores_of_pairs_are_those_counted_one_by_one(seats: int) -> None:
    random = np.random.default_rng(seats)
    field = Field(random.normal(0, 0.5, 6), np.linspace(0.3, -0.3, seats), np.linspace(-0.5, -2.0, seats - 1))
    results = play(field, drawn_tables(random, 6, seats, 30), random)
    found = meetings(count(results))
    for one, other in combinations(range(6), 2):
        points: dict[int, list[float]] = {}
        for block, who, ranks in zip(results.blocks.tolist(), results.seats.tolist(), results.ranks, strict=True):
            if one in who and other in who:
                behind = int(ranks[who.index(other)]) - int(ranks[who.index(one)])
                points.setdefault(block, []).append(0.5 + 0.5 * np.sign(behind))
        assert sorted(found.of(one, other)[1]) == pytest.approx(sorted(map(np.mean, points.values())))
        assert sorted(found.of(other, one)[1]) == pytest.approx(sorted(1 - np.mean(each) for each in points.values()))


def test_two_copies_at_a_table_are_no_meeting_and_each_meets_the_others() -> None:
    seats = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    ranks = np.array([[1, 3, 2], [1, 2, 3], [1, 2, 2]])
    found = meetings(count(Results(("a", "b"), seats, ranks, np.zeros(3, np.int64), np.arange(3))))
    assert found.pairs.tolist() == [1]  # a against b
    assert found.scores.tolist() == [pytest.approx((1 + 0 + 1 + 0 + 0 + 0) / 6)]


@pytest.mark.parametrize("kind", [*HONEST[:4], HONEST[8], HONEST[10], HONEST[11]], ids=lambda kind: kind.name)
def test_fields_without_circles_hardly_ever_tell_one(kind: Kind) -> None:
    # A small share of `benchmarks.simulated_fields circles` (200 simulations); these seeds are its first.
    assert seen(kind, 25).told <= 1


@pytest.mark.parametrize("kind", [*with_circles(200.0)[:5:2], with_circles(200.0)[6]], ids=lambda kind: kind.name)
def test_circles_of_200_elo_are_found(kind: Kind) -> None:
    found = seen(kind, 8)
    assert found.right >= 6
    assert found.wrong <= 1


def game(*rows: tuple[float, ...]) -> Floats:
    return np.array(rows, np.float64)


def pairs(scores: Floats, blocks: int) -> Pairs:
    """Pairs that scored so in so many blocks."""
    return Pairs(scores, np.full(scores.shape, 0.1 / max(blocks, 1)), np.full(scores.shape, blocks))


def test_three_that_go_round_share_the_mixture_by_how_much_the_others_win_from_each_other() -> None:
    # Of a beats b by 1, b beats c by 3 and c beats a by 2, the shares are 3 : 2 : 1, what the other two play for.
    shares = unbeaten(game((0, 1, -2), (-1, 0, 3), (2, -3, 0)))
    assert shares == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-3)


def test_without_circles_the_best_is_the_mixture_and_the_others_are_as_far_below_as_their_numbers() -> None:
    strengths = np.array([0.2, 1.0, -0.7])
    found = mixture_of(pairs(np.full((3, 3), 0.5), 0), strengths, None, np.zeros(3, np.int64))
    assert found.shares == pytest.approx([0, 1, 0], abs=1e-3)
    assert found.gains == pytest.approx(strengths - 1.0, abs=1e-3)


def test_a_copy_changes_nothing_and_shares_with_its_twin() -> None:
    ring = game((0, 1, -2), (-1, 0, 3), (2, -3, 0))
    place = [0, 1, 2, 1]
    shares = unbeaten(ring[np.ix_(place, place)])
    assert shares[1] == pytest.approx(shares[3])
    assert [shares[0], shares[1] + shares[3], shares[2]] == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-3)


def test_groups_that_never_met_have_mixtures_of_their_own() -> None:
    strengths, groups = np.array([0.5, 0.0, 2.0, 1.0]), np.array([0, 0, 1, 1])
    found = mixture_of(pairs(np.full((4, 4), 0.5), 0), strengths, None, groups)
    assert found.shares == pytest.approx([1, 0, 1, 0], abs=1e-3)
    assert found.gains == pytest.approx([0, -0.5, 0, -1.0], abs=1e-3)


def test_luck_of_pairs_is_drawn_towards_the_numbers_and_many_blocks_are_believed() -> None:
    strengths = np.zeros(6)
    lucky = np.full((6, 6), 0.5)
    lucky[0, 1], lucky[1, 0] = 0.6, 0.4
    few, many = (pair_odds(pairs(lucky, blocks), strengths, None)[0, 1] for blocks in (5, 5000))
    assert few == 0.0
    assert many == pytest.approx(np.log(0.6 / 0.4), abs=0.05)


def test_ties_are_no_reason_to_think_a_pair_nearer_than_it_is() -> None:
    strengths, log_tie = np.array([0.5, -0.5]), 2.0
    tied = np.exp(log_tie)
    share = (np.exp(0.5) + tied / 2) / (np.exp(0.5) + np.exp(-0.5) + tied)
    scores = game((0.5, share), (1 - share, 0.5))
    assert pair_odds(pairs(scores, 4000), strengths, log_tie)[0, 1] == pytest.approx(1.0, abs=0.01)


def test_in_the_table_of_a_circle_its_bots_are_the_mixture_and_equal() -> None:
    # Three equal bots that go round, 200 Elo a step, far above the others.
    kind = Kind("", 2, 6, 1500, deviation=0.1, elo=200.0, near=True, lead=1.0)
    table = official_table(played(kind, 3), with_mixture=True)
    by_name = {row.version: row for row in table.rows}
    inside = [by_name[f"bot00{place}"] for place in range(3)]
    assert sum(row.mixture_share or 0 for row in table.rows) == pytest.approx(1)
    assert all((row.mixture_share or 0) > 0.1 for row in inside)
    assert [row.mixture_elo for row in inside] == pytest.approx([0, 0, 0], abs=1)
    assert all((row.mixture_elo or 0) < 1 for row in table.rows)


def test_without_being_asked_the_table_has_no_mixture() -> None:
    assert official_table(played(Kind("", 2, 4, 60), 1)).rows[0].mixture_share is None


def test_in_a_table_without_circles_the_mixture_says_what_the_numbers_say() -> None:
    rows = official_table(played(Kind("", 2, 6, 900, deviation=1.0), 2), with_mixture=True).rows
    assert rows[0].mixture_share == pytest.approx(1, abs=0.01)
    told = [row.mixture_elo for row in rows]
    assert told == pytest.approx([ELO_PER_UNIT * (row.strength - rows[0].strength) for row in rows], abs=60)
    assert told == sorted(told, key=lambda elo: -(elo or 0))
