"""Who is paired with whom: knockout tournaments with their ties, seeding and eliminations, and Swiss rounds."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.i18n.catalogue import translate
from arena.tournament.formats.format import BlockState, CircularOrder, Entrant, Format, PlayedBlock, Situation
from arena.tournament.formats.knockout import MOST_EXTRA, Knockout
from arena.tournament.formats.pairing import Matching, pair, rematches, seat_tables
from arena.tournament.formats.past_pairings import Met, pairings
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.formats.swiss import Swiss, usual_rounds
from ratings.statistics.blocks import rotations
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, plan_wave, play, standings


def places(played: Played) -> dict[str, int]:
    return {row.entrant: row.place for row in standings(played.form, played.entrants, played.waves, SEED)}


def statuses(played: Played) -> dict[str, str]:
    return {row.entrant: row.status for row in standings(played.form, played.entrants, played.waves, SEED)}


@settings(max_examples=12)
@given(st.integers(2, 5), st.integers(0, 14), st.integers(1, 3), st.integers(0, 1000))
def test_there_is_one_winner(seats: int, more: int, best_of: int, seed: int) -> None:
    played = play(Knockout(seats, best_of=best_of), field_of(seats + more), Random(seed), Chances(void=0.1))
    assert Counter(statuses(played).values())["winner"] == 1
    assert Counter(places(played).values())[1] == 1


@settings(max_examples=12)
@given(st.integers(2, 9), st.integers(1, 2), st.integers(0, 1000))
def test_with_decided_ties_everybody_but_the_winner_loses_its_lives(size: int, lives: int, seed: int) -> None:
    played = play(Knockout(2, lives), field_of(size), Random(seed), Chances(ties=False))
    losses: Counter[str] = Counter()
    tied = 0
    for block in played.blocks:
        first = sum(ranks[turn] == 1 for turn, ranks in enumerate(block.ranks))  # turn 0: seat 0, turn 1: seat 1
        if first == 1:
            tied += 1
        else:
            losses[block.order[first == 2]] += 1
    if not tied:
        (winner,) = [entrant for entrant, place in places(played).items() if place == 1]
        assert losses.pop(winner, 0) < lives
        assert set(losses.values()) == {lives}
        assert len(losses) == size - 1


@pytest.mark.parametrize(("size", "ties"), [(2, [1]), (8, [4, 2, 1]), (5, [1, 2, 1]), (6, [2, 2, 1]), (7, [3, 2, 1])])
def test_byes_are_in_the_first_round_only(size: int, ties: list[int]) -> None:
    played = play(Knockout(2), field_of(size), Random(1), Chances(ties=False))
    groups = [{frozenset(block.order) for block in wave} for wave in played.waves]
    distinct: list[set[frozenset[str]]] = []
    for group in groups:  # a tie that is equal goes on in the next wave
        if not distinct or not group <= distinct[-1]:
            distinct.append(group)
    assert [len(group) for group in distinct] == ties


def won_by(order: tuple[str, ...], winner: str) -> PlayedBlock:
    ranks = [tuple(1 if entrant == winner else 2 for entrant in sitting) for sitting in rotations(order)]
    return PlayedBlock(order, BlockState.WHOLE, tuple(ranks), (frozenset(), frozenset()))


def test_seeds_in_the_order_of_entry_meet_late() -> None:
    form, entrants = Knockout(2, drawn=False), field_of(8)
    waves: list[tuple[PlayedBlock, ...]] = []
    while orders := plan_wave(form, entrants, waves, SEED):
        waves.append(tuple(won_by(order, min(order)) for order in orders))  # the higher seed wins
    assert [sorted(map(sorted, (block.order for block in wave))) for wave in waves] == [
        [["bot0", "bot7"], ["bot1", "bot6"], ["bot2", "bot5"], ["bot3", "bot4"]],
        [["bot0", "bot3"], ["bot1", "bot2"]],
        [["bot0", "bot1"]],
    ]
    table = [(row.entrant, row.place) for row in standings(form, entrants, waves, SEED)]
    assert table == [
        ("bot0", 1), ("bot1", 2), ("bot2", 3), ("bot3", 3), ("bot4", 5), ("bot5", 5), ("bot6", 5), ("bot7", 5),
    ]  # fmt: skip


def test_best_of_five_plays_three_blocks_when_one_wins_them_all() -> None:
    form, entrants = Knockout(2, best_of=5), field_of(2)
    first = plan_wave(form, entrants, [], SEED)
    assert len(first) == 3
    clear = tuple(won_by(order, "bot0") for order in first)
    assert plan_wave(form, entrants, [clear], SEED) == ()
    close = (won_by(first[0], "bot0"), won_by(first[1], "bot1"), won_by(first[2], "bot0"))
    assert len(plan_wave(form, entrants, [close], SEED)) == 1


def test_an_equal_tie_goes_on_for_three_blocks_and_then_the_higher_seed_wins() -> None:
    form, entrants = Knockout(2, drawn=False), field_of(2)
    waves: list[tuple[PlayedBlock, ...]] = []
    while orders := plan_wave(form, entrants, waves, SEED):
        waves.append(
            tuple(PlayedBlock(order, BlockState.WHOLE, ((1, 1), (1, 1)), (frozenset(),) * 2) for order in orders)
        )
    assert len(waves) == 1 + MOST_EXTRA
    assert [row.entrant for row in standings(form, entrants, waves, SEED)] == ["bot0", "bot1"]


def test_void_blocks_are_played_again() -> None:
    form, entrants = Knockout(2), field_of(2)
    (order,) = plan_wave(form, entrants, [], SEED)
    void = (PlayedBlock(order, BlockState.VOID),)
    assert len(plan_wave(form, entrants, [void], SEED)) == 1
    assert plan_wave(form, entrants, [void] * (1 + MOST_EXTRA), SEED) == ()


def test_who_withdraws_loses_to_the_other() -> None:
    form = Knockout(2, best_of=3, drawn=False)
    first = plan_wave(form, field_of(4), [], SEED)
    wave = tuple(PlayedBlock(order, BlockState.VOID) for order in first)
    entrants = [Entrant("bot0", withdrawn=1), *field_of(4)[1:]]
    (again, *_) = plan_wave(form, entrants, [wave], SEED)
    assert set(again) == {"bot1", "bot2"}  # the other tie is still open, bot3 waits for it


def test_at_tables_the_better_half_stays() -> None:
    played = play(Knockout(4), field_of(16), Random(1), Chances(ties=False))
    assert Counter(places(played).values())[1] == 1
    assert {len({entrant for block in wave for entrant in block.order}) for wave in played.waves} >= {16, 8, 4}


def met_in(played: Played) -> list[Met]:
    return pairings(played.form, Situation(tuple(played.entrants), tuple(played.waves), SEED))


def winners(played: Played) -> list[str]:
    return [row.entrant for row in standings(played.form, played.entrants, played.waves, SEED) if row.place == 1]


@settings(max_examples=8)
@given(st.integers(2, 9), st.integers(1, 2), st.integers(1, 3), st.integers(0, 1000))
def test_everybody_is_in_every_round_of_a_knockout_until_it_has_lost_its_lives(
    size: int, lives: int, best_of: int, seed: int
) -> None:
    played = play(Knockout(2, lives, best_of), field_of(size), Random(seed), Chances(void=0.1))
    lost: Counter[str] = Counter()
    rounds: dict[int, list[Met]] = {}
    for one in met_in(played):
        rounds.setdefault(one.round, []).append(one)
    for number in sorted(rounds):
        active = {entrant for entrant in (row.id for row in played.entrants) if lost[entrant] < lives}
        assert sorted(entrant for one in rounds[number] for entrant in one.entrants) == sorted(active)
        for one in rounds[number]:
            assert one.lost == tuple(lost[entrant] for entrant in one.entrants)
            assert one.ahead is not None
            assert len(one.ahead) == 1
        lost.update(entrant for one in rounds[number] for entrant in one.entrants if entrant not in (one.ahead or ()))
    assert [entrant for entrant in (row.id for row in played.entrants) if lost[entrant] < lives] == winners(played)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_swiss_tournament_has_its_rounds_with_byes(seats: int) -> None:
    played = play(Swiss(seats, rounds=3, blocks=2), field_of(7), Random(3), Chances())
    met = met_in(played)
    assert {one.round for one in met} == {1, 2, 3}
    for number in (1, 2, 3):
        assert Counter(len(one.entrants) for one in met if one.round == number) == {seats: 7 // seats, 1: 1}
    assert all(one.blocks == 2 for one in met if len(one.entrants) > 1)


@pytest.mark.parametrize("form", [Swiss(3, rounds=3, blocks=2), Swiss(2, rounds=4), Knockout(2, 2, 2), Knockout(3)])
def test_points_are_those_of_the_whole_blocks_between_them(form: Format) -> None:
    # Two for everybody whom a bot was before, one for everybody with whom it shares a rank.
    played = play(form, field_of(7), Random(3), Chances(void=0.2))
    met = [one for one in met_in(played) if len(one.entrants) > 1]
    for number in {one.round for one in met}:
        for one in (one for one in met if one.round == number):
            expected = Counter(dict.fromkeys(one.entrants, 0))
            pairs = [other for other in met if set(other.entrants) == set(one.entrants)]
            if len(pairs) > 1:
                continue  # they met in several rounds
            blocks = [block for block in played.blocks if set(block.order) == set(one.entrants) and block.is_whole]
            for block in blocks:
                for turn, ranks in enumerate(block.ranks):
                    sitting = block.order[turn:] + block.order[:turn]
                    assert sitting in block.rotations()
                    for entrant, rank in zip(block.rotations()[turn], ranks, strict=True):
                        expected[entrant] += sum(2 if rank < other else rank == other for other in ranks) - 1
            assert one.blocks == len(blocks)
            assert dict(zip(one.entrants, one.points, strict=True)) == dict(expected)
    assert any(sum(one.points) for one in met)


def test_an_open_pairing_says_nothing_of_who_is_ahead() -> None:
    form: Format = Swiss(2, rounds=1)
    played = play(form, field_of(4), Random(3), Chances())
    open_wave = tuple(type(block)(block.order) for block in played.waves[0])
    met = pairings(form, Situation(tuple(played.entrants), (open_wave,), SEED))
    assert [(one.ahead, one.points, one.blocks) for one in met] == [(None, (0, 0), 0)] * 2


def test_other_formats_have_no_rounds() -> None:
    played = play(RoundRobin(2), field_of(4), Random(3), Chances())
    assert met_in(played) == []


def can_be_paired(entrants: Sequence[str], met: Counter[frozenset[str]]) -> bool:
    """Whether all can be paired without a rematch, by trying everything."""
    if not entrants:
        return True
    first, *others = entrants
    return any(
        not met[frozenset((first, other))] and can_be_paired([one for one in others if one != other], met)
        for other in others
    )


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(1, 9), st.integers(0, 1000), st.sampled_from([0.0, 0.4]))
def test_nobody_meets_again_while_it_can_be_avoided(size: int, rounds: int, seed: int, leaving: float) -> None:
    def look(played: Played, orders: tuple[CircularOrder, ...]) -> None:
        met = Counter(frozenset(block.order) for block in played.blocks)
        again = [order for order in orders if met[frozenset(order)]]
        playing = [entrant for order in orders for entrant in order]
        assert not again or not can_be_paired(playing, met)

    chances = Chances(void=0.1, withdrawal=leaving, late_entry=leaving)
    play(Swiss(2, rounds, retire_after=0), field_of(size), Random(seed), chances, look)


@settings(max_examples=20)
@given(st.integers(3, 5), st.integers(0, 8), st.integers(1, 5), st.integers(0, 1000))
def test_at_tables_no_swap_would_save_a_rematch(seats: int, more: int, rounds: int, seed: int) -> None:
    def look(played: Played, orders: tuple[CircularOrder, ...]) -> None:
        met: Counter[frozenset[str]] = Counter()
        for block in played.blocks:
            met.update(frozenset(two) for two in itertools.combinations(block.order, 2))

        def burden(*tables: Sequence[str]) -> int:
            return sum(rematches(table, lambda one, other: met[frozenset((one, other))]) for table in tables)

        for first, second in itertools.combinations(orders, 2):
            for seat, place in itertools.product(range(seats), repeat=2):
                one, other = list(first), list(second)
                one[seat], other[place] = other[place], one[seat]
                assert burden(one, other) >= burden(first, second)

    play(Swiss(seats, rounds), field_of(seats + more), Random(seed), on_plan=look)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(0, 8), st.integers(1, 6), st.integers(0, 1000))
def test_blocks_and_byes_are_shared_out_evenly(seats: int, more: int, rounds: int, seed: int) -> None:
    played = play(Swiss(seats, rounds), field_of(seats + more), Random(seed))
    counts = played.blocks_by_entrant()
    assert len(played.waves) == rounds
    assert max(counts.values()) - min(counts.values()) <= 1


def test_the_best_meet_the_best() -> None:
    played = play(Swiss(2, 3), field_of(8), Random(3), Chances(ties=False))
    rows = standings(played.form, played.entrants, played.waves[:2], SEED)
    points = {row.entrant: row.points for row in rows}
    assert all(abs(points[one] - points[other]) <= 4 for one, other in (block.order for block in played.waves[2]))


def test_a_bye_counts_as_a_win_and_is_told() -> None:
    played = play(Swiss(2, 1), field_of(3), Random(1))
    (resting,) = [row for row in standings(played.form, played.entrants, played.waves, SEED) if row.status]
    assert (resting.status, resting.points, resting.possible, resting.blocks) == ("1 bye", 4, 4, 0)
    assert translate(resting.status, "de") == "1 Freilos"


def test_a_void_block_counts_half_for_all_at_its_table() -> None:
    played = play(Swiss(2, 1), field_of(2), Random(1), Chances(void=1.0))
    rows = standings(played.form, played.entrants, played.waves, SEED)
    assert [(row.points, row.possible, row.blocks) for row in rows] == [(2, 4, 0)] * 2


def test_a_bot_that_keeps_failing_is_not_paired_any_more() -> None:
    played = play(Swiss(2, 7), field_of(8), Random(1), Chances(failing=frozenset(["bot3"])))
    blocks = [number for number, wave in enumerate(played.waves) for block in wave if "bot3" in block.order]
    assert len(blocks) <= 4
    statuses = {row.entrant: row.status for row in standings(played.form, played.entrants, played.waves, SEED)}
    assert statuses["bot3"] == "keeps failing"


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds"), [(2, 2, 1), (3, 2, 2), (8, 2, 3), (9, 2, 4), (9, 3, 2), (10, 3, 3)]
)
def test_the_usual_number_of_rounds(entrants: int, seats: int, rounds: int) -> None:
    assert usual_rounds(entrants, seats) == rounds


def largest(edges: Sequence[tuple[int, int]]) -> int:
    """The size of a largest matching, by trying everything."""
    if not edges:
        return 0
    (one, other), *rest = edges
    free = [edge for edge in rest if not {one, other} & set(edge)]
    return max(largest(rest), 1 + largest(free))


@settings(max_examples=60)
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14))
    )
)
def test_a_matching_is_perfect_whenever_there_is_a_perfect_one(graph: tuple[int, set[tuple[int, int]]]) -> None:
    size, drawn = graph
    edges = sorted({(min(edge), max(edge)) for edge in drawn if edge[0] != edge[1]})
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    matching = Matching(neighbours)
    assert matching.is_perfect == (2 * largest(edges) == size)
    if matching.is_perfect:
        for one, other in edges:
            rest = [edge for edge in edges if not {one, other} & set(edge)]
            assert Matching(neighbours).take_out(one, other) == (2 * largest(rest) == size - 2)


def test_pairs_of_a_large_field_are_found_at_once() -> None:
    names = [str(number) for number in range(120)]
    met: Counter[frozenset[str]] = Counter()
    for _ in range(5):
        pairs = pair(names, lambda one, other: met[frozenset((one, other))])
        assert not any(met[frozenset(two)] for two in pairs)
        met.update(frozenset(two) for two in pairs)


def test_tables_hold_everybody_once() -> None:
    names = [str(number) for number in range(12)]
    tables = seat_tables(names, 4, lambda *_: 0, {name: name for name in names})
    assert tables == [("0", "1", "2", "3"), ("4", "5", "6", "7"), ("8", "9", "10", "11")]
