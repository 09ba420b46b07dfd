"""The official table: true, independent of order, and steady at the edges."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from math import isfinite, isnan, log
from statistics import NormalDist

import numpy as np
import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.official_table import ELO_MEAN, ELO_PER_UNIT, FittedTable, official_table
from ratings.statistics.results import Bools, Ints, Results, count
from ratings.values.statistics import OfficialRow
from tests.support.simulations import schedules
from tests.support.simulations.fields import Field, all_tables, drawn_tables, play
from tests.support.simulations.official import KINDS, Kind, coverage, strengths_in


def results_of(*matches: tuple[str, tuple[int, ...]], times: int = 1) -> Results:
    """Matches as ("ab", ranks), every one a block of its own, none repeating another."""
    every = [match for match in matches for _ in range(times)]
    names = sorted({name for who, _ in every for name in who})
    seats = np.array([[names.index(name) for name in who] for who, _ in every])
    return Results(
        tuple(names), seats, np.array([ranks for _, ranks in every]), np.arange(len(every)), np.arange(len(every))
    )


def field(bots: int = 8, seats: int = 3, seed: int = 1) -> Field:
    strengths = np.random.default_rng(seed).normal(0, 0.8, bots)
    return Field(strengths - strengths.mean(), np.linspace(0.3, -0.3, seats), -0.5 - np.arange(seats - 1.0))


def played(blocks: int = 60, seats: int = 3, seed: int = 1) -> Results:
    random = np.random.default_rng(seed)
    return play(field(seats=seats), drawn_tables(random, 8, seats, blocks), random)


def rearranged(results: Results, order: Ints, names: Ints) -> Results:
    """The same matches in another order, the versions listed in another order too."""
    place = np.argsort(names)
    return Results(
        tuple(results.versions[index] for index in names),
        place[results.seats[order]],
        results.ranks[order] * 7,  # only who is before whom counts
        results.blocks[order] * 3 + 1,
        results.plans[order],
    )


def ends(row: OfficialRow) -> tuple[float, float]:
    """The ends of an interval that has both."""
    assert row.low is not None
    assert row.high is not None
    return row.low, row.high


def width(row: OfficialRow) -> float:
    low, high = ends(row)
    return high - low


def assert_identical(one: FittedTable, other: FittedTable) -> None:
    assert one.rows == other.rows
    assert one.seats == other.seats
    assert np.array_equal(one.stronger, other.stronger, equal_nan=True)
    assert np.array_equal(one.covariance, other.covariance)


def test_two_bots_without_ties_have_the_odds_of_their_results() -> None:
    won = [("ab", (1, 2)), ("ba", (2, 1))] * 3
    table = official_table(results_of(*won, ("ab", (2, 1)), ("ba", (1, 2)), times=100))
    best, worst = table.rows
    assert (best.version, worst.version) == ("a", "b")
    assert best.strength - worst.strength == pytest.approx(log(3), abs=0.01)
    assert best.elo - worst.elo == pytest.approx(400 * log(3) / log(10), abs=2)
    assert best.matches == worst.matches == table.matches == 800


def test_ties_follow_davidson() -> None:
    # Equal strengths, half the matches tied: delta / (2 + delta) = 1/2, and nobody is stronger.
    table = official_table(results_of(("ab", (1, 2)), ("ab", (2, 1)), ("ab", (1, 1)), ("ab", (1, 1)), times=50))
    assert [row.strength for row in table.rows] == pytest.approx([0, 0], abs=1e-9)
    assert table.stronger == pytest.approx(np.full((2, 2), 0.5))


def test_the_first_seat_gets_its_advantage_and_the_bots_do_not() -> None:
    table = official_table(results_of(("ab", (1, 2)), ("ba", (1, 2)), ("ab", (1, 2)), ("ba", (2, 1)), times=100))
    assert table.seats[0].advantage > 0.2 > -0.2 > table.seats[1].advantage
    assert table.seats[0].low > 0


@pytest.mark.parametrize("seats", [2, 4])
def test_any_order_of_the_same_matches_gives_the_identical_table(seats: int) -> None:
    results = played(seats=seats)
    whole = official_table(results)
    for seed in range(5):
        random = np.random.default_rng(seed)
        order, names = random.permutation(len(results.seats)), random.permutation(8)
        assert_identical(whole, official_table(rearranged(results, order, names)))


def test_matches_that_repeat_another_by_plan_count_once() -> None:
    results = played()
    twice = Results(
        results.versions,
        np.concatenate([results.seats] * 2),
        np.concatenate([results.ranks] * 2),
        np.concatenate([results.blocks, results.blocks + 1000]),
        np.concatenate([results.plans] * 2),
    )
    table = official_table(twice)
    assert table.repeats == table.matches == len(results.seats)
    assert_identical(table, official_table(results))


def test_the_same_plan_for_other_bots_is_no_repeat() -> None:
    results = played()
    _, seating = np.unique(results.seats, axis=0, return_inverse=True)
    firsts = np.sort(np.unique(seating, return_index=True)[1])
    once = results.where(np.isin(np.arange(len(seating)), firsts))
    same = replace(once, plans=np.zeros_like(once.plans))
    assert official_table(same).matches == len(firsts)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_of_the_repeats_by_schedule_counts_whatever_the_order_of_rows(seed: int) -> None:
    # Every match three times: in a block of its own, with others of its old block, and with those of the next.
    once = played()
    matches = len(once.seats)
    random = np.random.default_rng(seed)
    thrice = Results(
        once.versions,
        np.concatenate([once.seats] * 3),
        np.concatenate([once.ranks] * 3),
        np.concatenate([10_000 + np.arange(matches), once.blocks, 5_000 + (np.arange(matches) + 1) // 3]),
        np.concatenate([np.arange(matches)] * 3),
        order=random.permutation(3 * matches),
    )
    table = official_table(thrice)
    assert (table.matches, table.repeats, table.unsteady) == (matches, 2 * matches, ())
    for _ in range(5):
        order = random.permutation(3 * matches)
        assert thrice.order is not None
        shuffled = rearranged(thrice, order, random.permutation(8))
        assert_identical(table, official_table(replace(shuffled, order=thrice.order[order])))


def repeated_by(liars: set[str], times: int = 3, seed: int = 1) -> Results:
    """Every match several times by plan: as it was the first time, but where a liar sits."""
    once, again = played(seed=seed), played(seed=seed + 100)
    lying = np.isin(once.seats, [once.versions.index(name) for name in liars])
    lies: Bools = np.broadcast_to(np.asarray(lying.any(axis=1))[:, None], once.ranks.shape)
    matches = len(once.seats)
    return Results(
        once.versions,
        np.concatenate([once.seats] * times),
        np.concatenate([once.ranks, *[np.where(lies, again.ranks, once.ranks)] * (times - 1)]),
        np.concatenate([once.blocks + 1000 * copy for copy in range(times)]),
        np.concatenate([np.arange(matches)] * times),
    )


@pytest.mark.parametrize("liars", [{"bot003"}, {"bot001", "bot006"}])
def test_a_bot_whose_repeats_differ_is_named_and_all_that_it_plays_counts(liars: set[str]) -> None:
    results = repeated_by(liars)
    table = official_table(results)
    assert set(table.unsteady) == liars
    lying = np.isin(results.seats, [results.versions.index(name) for name in liars])
    theirs = int(np.count_nonzero(lying.any(axis=1)))
    assert table.matches == theirs + (len(lying) - theirs) // 3
    assert table.repeats == len(lying) - table.matches


def test_no_result_decides_which_copy_of_a_repeat_counts() -> None:
    # Two equal bots, each seed five times by plan, and the outcome of every copy a coin of its own.
    random = np.random.default_rng(1)
    seats = np.tile([[0, 1], [1, 0]], (500, 1))
    won = random.random(1000) < 0.5
    ranks = np.where(won[:, None], [[1, 2]], [[2, 1]])
    plans = np.tile(np.arange(200), 5)
    table = official_table(Results(("a", "b"), seats, ranks, np.arange(1000) // 2, plans))
    assert table.unsteady == ("a", "b")
    assert (table.matches, table.repeats) == (1000, 0)
    assert abs(table.rows[0].elo - table.rows[1].elo) < 40
    assert abs(table.seats[0].advantage) < 0.15


def test_who_was_drawn_from_one_field_could_have_met_each() -> None:
    seats = np.array([[0, 1], [1, 2], [2, 3], [0, 1]])
    ranks, numbers = np.array([[1, 2]] * 4), np.arange(4)
    results = Results(("a", "b", "c", "d"), seats, ranks, numbers, numbers)
    assert count(results).met.tolist() == [[0, 1, 0, 0], [2 / 3, 0, 1 / 3, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]]
    one_draw = count(replace(results, draws=np.array([5, 5, 5, 5]))).met
    assert one_draw == pytest.approx((np.ones((4, 4)) - np.eye(4)) / 3, abs=1e-5)
    # In the second draw, a and b are alone.
    two_draws = count(replace(results, draws=np.array([0, 0, 0, 9]))).met
    assert two_draws[0] == pytest.approx([0, 1 / 6 + 1 / 2, 1 / 6, 1 / 6], abs=1e-5)


def test_differences_add_up_along_a_chain_of_neighbours() -> None:
    # Each wins three quarters against the next, and nobody else meets: 191 Elo a step.
    won, lost = (1, 2), (2, 1)
    steps = [(one + other, other + one) for one, other in pairwise("abcdefgh")]
    played = [match for one, two in steps for match in ((one, won), (two, lost)) * 3 + ((one, lost), (two, won))]
    table = official_table(results_of(*played, times=10))
    assert [row.version for row in table.rows] == list("abcdefgh")
    assert table.rows[0].elo - table.rows[-1].elo == pytest.approx(7 * 400 * log(3) / log(10), rel=0.05)


def test_one_anchor_moves_all_alike() -> None:
    sample = next(kind for kind in KINDS if kind.name.startswith("eras: each version 150")).sample
    random = np.random.default_rng(1)
    drawn = sample(random)
    results = schedules.results_of(drawn, KINDS[0].field(drawn.strengths), random)
    free = {row.version: row.elo for row in official_table(results).rows}
    anchored = {row.version: row.elo for row in official_table(results, {"bot004": 1800.0}).rows}
    shifts = [anchored[version] - free[version] for version in free]
    assert shifts == pytest.approx([shifts[0]] * len(shifts), abs=0.5)


def test_a_lucky_win_of_a_far_weaker_bot_moves_no_table() -> None:
    random = np.random.default_rng(4)
    strengths = np.append(random.normal(0, 0.5, 7), -1200 / ELO_PER_UNIT)
    weak = Field(strengths, np.zeros(4), np.zeros(0))
    results = play(weak, drawn_tables(random, 8, 4, 60), random)
    mine = np.flatnonzero((results.seats == 7).any(axis=1))
    results.ranks[mine] = np.where(results.seats[mine] == 7, 4, results.ranks[mine])
    without = {row.version: row for row in official_table(results).rows}
    ranks = results.ranks.copy()
    ranks[mine[0]] = 5 - ranks[mine[0]]  # the weak one first, just once
    with_it = {row.version: row for row in official_table(replace(results, ranks=ranks)).rows}
    for version in results.versions[:7]:
        assert with_it[version].elo == pytest.approx(without[version].elo, abs=20)
        assert width(with_it[version]) < 1.15 * width(without[version])
    assert with_it["bot007"].low is None


@pytest.mark.parametrize("seed", range(40))
def test_every_field_has_a_table_without_a_warning(seed: int) -> None:
    random = np.random.default_rng(seed)
    bots, seats, matches = int(random.integers(1, 9)), int(random.integers(2, 6)), int(random.choice([1, 3, 30, 2000]))
    sitting = random.integers(0, bots, (matches, seats))
    ranks = (
        np.ones_like(sitting),  # all ties
        sitting + 1,  # by number alone
        np.tile(np.arange(seats), (matches, 1)),  # by seat alone
        random.integers(1, 3, sitting.shape),
        np.where(random.random((matches, 1)) < 0.01, -sitting, sitting),  # upsets are rare
    )[seed % 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers = np.arange(matches)
        table = official_table(Results(tuple("abcdefgh"), sitting, ranks, numbers // seats, numbers))
    assert all(isfinite(row.strength) for row in table.rows)


def test_known_strengths_are_found() -> None:
    random = np.random.default_rng(5)
    true = field(seats=4)
    table = official_table(play(true, drawn_tables(random, 8, 4, 4000), random))
    assert strengths_in(table, true) == pytest.approx(true.strengths, abs=0.1)
    assert [seat.advantage for seat in table.seats] == pytest.approx(true.seat_effects, abs=0.06)
    assert table.dispersion == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if kind is KINDS[0] else [pytest.mark.needs("minutes")]) for kind in KINDS[::5]],
    ids=lambda kind: kind.name,
)
def test_the_intervals_hold_the_truth_about_as_often_as_they_say(kind: Kind) -> None:
    # A small share of `benchmarks.simulated_fields official` (200 simulations); these seeds are its first.
    seen = coverage(kind, 15)
    assert 0.86 <= seen.strengths.value <= 1.0
    assert seen.ranks.value >= 0.97


def test_anchors_stay_where_they_are_and_carry_the_others() -> None:
    results = played()
    free = {row.version: row for row in official_table(results).rows}
    table = official_table(results, {"bot000": 2000.0, "nobody": 1.0})
    rows = {row.version: row for row in table.rows}
    assert rows["bot000"].is_anchor
    assert rows["bot000"].elo == rows["bot000"].elo_low == rows["bot000"].elo_high == pytest.approx(2000.0)
    shift = rows["bot000"].strength - free["bot000"].strength
    assert rows["bot001"].strength - free["bot001"].strength == pytest.approx(shift, abs=0.05)
    assert not rows["bot001"].is_anchor


def test_a_bot_that_won_everything_gets_a_finite_strength_and_no_upper_end() -> None:
    table = official_table(results_of(("ab", (1, 2)), ("ba", (2, 1)), ("bc", (1, 2)), ("cb", (1, 2)), times=10))
    best = table.rows[0]
    assert best.version == "a"
    assert 1 < best.strength < 8
    assert best.low is not None
    assert 1 < best.low < best.strength
    assert best.high is None


def test_fields_that_never_met_are_told_apart() -> None:
    table = official_table(results_of(("ab", (1, 2)), ("ba", (2, 1)), ("cd", (1, 2)), ("de", (1, 2)), times=20))
    assert table.groups == 2
    assert not table.is_connected
    assert {row.version: row.group for row in table.rows} == {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}
    by_name = {row.version: place for place, row in enumerate(table.rows)}
    assert isnan(table.stronger[by_name["a"], by_name["c"]])
    assert table.stronger[by_name["a"], by_name["b"]] > 0.99
    # Nothing compares the two groups, so any rank among the others is possible.
    assert table.rows[by_name["a"]].best_rank == 1
    assert table.rows[by_name["a"]].worst_rank == 4


def test_a_group_without_an_anchor_keeps_its_own_zero_whatever_anchors_others_have() -> None:
    apart = results_of(
        ("ab", (1, 2)), ("ba", (1, 2)), ("ba", (2, 1)), ("cd", (1, 2)), ("dc", (1, 2)), ("cd", (2, 1)), times=20
    )
    rows = {row.version: row for row in official_table(apart, {"a": 2600.0}).rows}
    assert rows["a"].elo == pytest.approx(2600.0)
    assert rows["c"].elo + rows["d"].elo == pytest.approx(3000.0)


def test_chances_and_rank_ranges_fit_together() -> None:
    table = official_table(played(blocks=300))
    assert table.stronger + table.stronger.T == pytest.approx(np.ones((8, 8)))
    for row in table.rows:
        assert row.best_rank <= row.rank <= row.worst_rank
        low, high = ends(row)
        assert low < row.strength < high
        assert row.elo == pytest.approx(ELO_MEAN + ELO_PER_UNIT * row.strength)
    assert [row.rank for row in table.rows] == list(range(1, 9))


def test_figures_are_elos_with_1500_for_the_average() -> None:
    rows = official_table(played(blocks=300)).rows
    assert sum(row.elo for row in rows) / len(rows) == pytest.approx(1500.0)
    ahead, behind = rows[0], rows[-1]
    odds = 10 ** ((ahead.elo - behind.elo) / 400)
    assert odds == pytest.approx(np.exp(ahead.strength - behind.strength))


def test_an_interval_is_about_the_mean_of_those_who_are_compared() -> None:
    played = [("ab", (1, 2)), ("ba", (2, 1)), ("ab", (1, 2)), ("ba", (2, 1)), ("ab", (2, 1)), ("ba", (1, 2))]
    table = official_table(results_of(*played, times=60), confidence=0.95)
    ahead, behind = table.rows
    spread = (ahead.strength - behind.strength) / NormalDist().inv_cdf(float(table.stronger[0, 1]))
    # Of two, each is half of their difference away from the mean; after so many matches the priors add little.
    half = NormalDist().inv_cdf(0.975) * spread / 2
    for row in (ahead, behind):
        low, high = ends(row)
        assert high - row.strength == pytest.approx(half, rel=0.06)
        assert row.strength - low == pytest.approx(half, rel=0.06)


def test_who_never_won_moves_nobody_and_widens_no_interval() -> None:
    won, lost = (1, 2), (2, 1)
    among = [
        match
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
        for match in [(one + other, won), (other + one, lost)] * 120 + [(one + other, lost), (other + one, won)] * 80
    ]
    beaten = [match for name in "abc" for match in ((name + "z", won), ("z" + name, lost))] * 20
    without = {row.version: row for row in official_table(results_of(*among)).rows}
    with_it = {row.version: row for row in official_table(results_of(*among, *beaten)).rows}
    assert with_it["z"].low is None
    assert with_it["z"].high is not None
    assert with_it["z"].high < min(ends(with_it[name])[0] for name in "abc")
    assert with_it["z"].elo_interval == f"..{with_it['z'].elo_high:.0f}"
    for name, row in without.items():
        assert with_it[name].elo == pytest.approx(row.elo, abs=3)
        assert width(with_it[name]) < 1.1 * width(row)


def test_who_beat_only_each_other_far_below_moves_nobody() -> None:
    won, lost = (1, 2), (2, 1)
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("y", "z")]
    among = [
        match
        for one, other in pairs
        for match in [(one + other, won), (other + one, lost)] * 60 + [(one + other, lost), (other + one, won)] * 40
    ]
    below = [match for name in "abc" for low in "yz" for match in ((name + low, won), (low + name, lost))] * 20
    rows = {row.version: row for row in official_table(results_of(*among, *below)).rows}
    assert sum(rows[name].elo for name in "abc") / 3 == pytest.approx(1500)
    assert all(width(rows[name]) * ELO_PER_UNIT < 150 for name in "abc")
    assert [rows[name].low for name in "yz"] == [None, None]


def test_where_nobody_both_won_and_lost_the_mean_is_that_of_all() -> None:
    ahead, behind = official_table(results_of(("ab", (1, 2)), ("ba", (2, 1)), times=12)).rows
    assert ahead.strength == pytest.approx(-behind.strength)


def test_the_range_of_a_rank_shares_its_doubt_among_all_others() -> None:
    results = played(blocks=30)
    table = official_table(results)
    # Of eight bots each is in doubt with seven, so one of them is left out where the chance of its being on the other
    # side is below a seventh of half the doubt: with a little more confidence than that it is not, with less it is.
    place, other = next(
        (place, other)
        for place in range(8)
        for other in range(place + 1, 8)
        if 0.01 < table.stronger[other, place] < 0.05
    )
    limit = 1 - 2 * 7 * float(table.stronger[other, place])
    surer, less_sure = (official_table(results, confidence=limit + more).rows for more in (1e-6, -1e-6))
    assert less_sure[place].worst_rank == surer[place].worst_rank - 1
    assert less_sure[other].best_rank == surer[other].best_rank + 1


def test_how_much_is_computed_at_once_changes_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    results = played(blocks=40)
    whole = official_table(results)
    monkeypatch.setattr("ratings.statistics.covariance._TALL", 7)
    parts = official_table(results)
    for one, other in zip(whole.rows, parts.rows, strict=True):
        assert one.version == other.version
        assert ends(one) == pytest.approx(ends(other))


def test_more_confidence_makes_wider_intervals() -> None:
    results = played()
    narrow, wide = official_table(results, confidence=0.8).rows[0], official_table(results, confidence=0.99).rows[0]
    assert ends(wide)[0] < ends(narrow)[0]
    assert ends(wide)[1] > ends(narrow)[1]
    assert wide.strength == narrow.strength


def test_luck_of_the_block_widens_the_intervals() -> None:
    random = np.random.default_rng(3)
    strengths = np.zeros(6)
    lucky = Field(strengths, np.zeros(2), np.zeros(0), luck=3.0)
    table = official_table(play(lucky, all_tables(6, 2, 30), random))
    assert table.dispersion > 1.3


def test_two_copies_of_a_version_may_sit_at_one_table() -> None:
    table = official_table(results_of(("aab", (1, 2, 3)), ("aba", (1, 2, 3)), ("baa", (3, 1, 1)), times=10))
    assert table.rows[0].version == "a"
    assert table.rows[0].matches == 60


def test_no_matches_make_an_empty_table() -> None:
    none = np.zeros((0, 2), np.int64)
    table = official_table(Results(("a", "b"), none, none, none[:, 0], none[:, 0]))
    assert table.rows == ()
    assert table.matches == 0


def test_results_that_do_not_fit_are_refused() -> None:
    seats = np.array([[0, 1]])
    one = np.array([0])
    with pytest.raises(ResultsError, match="ranks"):
        Results(("a", "b"), seats, np.array([[1, 2, 3]]), one, one)
    with pytest.raises(ResultsError, match="blocks"):
        Results(("a", "b"), seats, seats + 1, np.array([0, 1]), one)
    with pytest.raises(ResultsError, match="not in the list"):
        Results(("a",), seats, seats + 1, one, one)
    with pytest.raises(ResultsError, match="twice"):
        Results(("a", "a"), seats, seats + 1, one, one)
    with pytest.raises(ResultsError, match=r"\(matches, seats\)"):
        Results(("a",), np.array([[0]]), np.array([[1]]), one, one)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1.5, 95, -0.5])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ResultsError, match="confidence"):
        official_table(results_of(("ab", (1, 2))), confidence=confidence)


@pytest.mark.parametrize("elo", [float("nan"), float("inf"), 1e5, -1e5])
def test_an_anchor_without_a_bearable_number_is_refused(elo: float) -> None:
    with pytest.raises(ResultsError, match="anchor"):
        official_table(results_of(("ab", (1, 2))), {"a": elo})


def test_an_anchor_may_be_negative_and_the_seats_margins_are_as_wide_to_both_sides() -> None:
    table = official_table(results_of(("ab", (1, 2)), ("ba", (1, 2)), ("ab", (2, 1)), times=20), {"a": -500.0})
    assert {row.version: row.elo for row in table.rows}["a"] == pytest.approx(-500.0)
    for seat in table.seats:
        assert seat.high - seat.advantage == pytest.approx(seat.advantage - seat.low)
        assert seat.low < seat.advantage < seat.high
