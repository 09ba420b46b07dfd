"""What is told of the rounds of knockout and Swiss tournaments agrees with what was planned and how it ended."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.formats.rounds import Met, pairings
from arena.tournament.formats.situation import Situation
from arena.tournament.formats.swiss import Swiss
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, play, standings


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
