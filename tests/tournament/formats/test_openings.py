"""What the matches of a block share: openings are random and legal, and no seed tells another."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.openings import draw_opening, longest_opening
from engine.core import SeatsError
from tests.support.nim import NIM, NimOptions


def draw(seed: int, plies: int | None = None, seats: int = 3, size: int = 9) -> tuple[int, ...]:
    return draw_opening(NIM, seats=seats, options=NimOptions(size), chance_seed=0, seed=seed, plies=plies)


@given(st.integers(0, 2**53 - 1), st.integers(0, 12), st.integers(1, 30))
def test_an_opening_is_legal_and_leaves_somebody_to_decide(seed: int, plies: int, size: int) -> None:
    state = NIM.new_state(3, NimOptions(size))
    opening = draw(seed, plies, size=size)
    for action in opening:
        state.apply(action)
    assert state.seat() is not None
    assert len(opening) <= plies


@given(st.integers(0, 2**53 - 1))
def test_an_opening_is_as_long_as_asked_while_the_game_lasts(seed: int) -> None:
    assert len(draw(seed, 4, size=13)) == 4


def test_the_games_own_length_is_the_default() -> None:
    assert len(draw(1, seats=2, size=20)) == 2
    assert len(draw(1, seats=4, size=20)) == 4


def test_an_opening_that_would_end_the_game_stops_before() -> None:
    assert draw(1, 5, size=1) == ()


@given(st.integers(0, 2**53 - 1), st.integers(2, 30))
def test_an_opening_that_would_end_the_game_leaves_a_choice(seed: int, size: int) -> None:
    state = NIM.new_state(3, NimOptions(size))
    for action in draw(seed, 40, size=size):
        state.apply(action)
    assert len(state.legal_actions()) > 1


def test_the_longest_opening_is_one_after_which_every_random_game_leaves_a_choice() -> None:
    assert longest_opening(NIM, seats=2, options=NimOptions(1), plies=9) == 0  # one counter: the only action is forced
    assert longest_opening(NIM, seats=2, options=NimOptions(4), plies=9) == 0  # it may take three, which leaves one
    longest = longest_opening(NIM, seats=2, options=NimOptions(40), plies=40)
    assert longest is not None
    assert 10 < longest < 20  # 1 to 3 at a time: 20 turns on the average, fewer in the shortest of them
    assert longest_opening(NIM, seats=2, options=NimOptions(40), plies=longest) is None
    assert longest_opening(NIM, seats=2, options=NimOptions(40), plies=longest + 1) == longest


def test_forced_plies_count() -> None:
    assert len(draw(3, 1, size=4)) == 1


def test_the_same_seed_draws_the_same_opening() -> None:
    assert draw(5, 6, size=50) == draw(5, 6, size=50)
    assert len({draw(seed, 6, size=50) for seed in range(20)}) > 10


def test_the_actions_are_drawn_uniformly() -> None:
    drawn = Counter(draw(seed, 1)[0] for seed in range(3000))
    assert set(drawn) == {0, 1, 2}
    assert all(900 < count < 1100 for count in drawn.values())


def test_a_number_of_seats_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(SeatsError):
        draw(1, seats=7)


SECRET = bytes(range(32))
places = st.integers(0, 10**6)


@settings(max_examples=30)
@given(places, places, st.integers(0, 4))
def test_every_seed_fits_a_double(block: int, rotation: int, seat: int) -> None:
    drawn = (
        seeds.schedule_seed(SECRET),
        seeds.chance_seed(SECRET, block),
        seeds.opening_seed(SECRET, block),
        seeds.bot_seed(SECRET, block, rotation, seat),
    )
    assert all(0 <= seed < 2**53 for seed in drawn)
    assert len(set(drawn)) == len(drawn)


@settings(max_examples=30)
@given(st.lists(st.tuples(places, st.integers(0, 4), st.integers(0, 4)), min_size=2, unique=True))
def test_every_place_has_a_seed_of_its_own(keys: list[tuple[int, int, int]]) -> None:
    assert len({seeds.bot_seed(SECRET, *key) for key in keys}) == len(keys)


def test_a_seed_is_the_first_53_bits_of_an_hmac() -> None:
    digest = hmac.new(SECRET, b"bot/12/1/0", hashlib.sha256).hexdigest()
    assert seeds.bot_seed(SECRET, 12, 1, 0) == int(digest, 16) >> (256 - 53)


def test_another_secret_gives_other_seeds() -> None:
    assert seeds.chance_seed(SECRET, 0) != seeds.chance_seed(bytes(32), 0)


def test_secrets_of_the_operating_system_differ() -> None:
    assert seeds.new_secret() != seeds.new_secret()


def test_the_secret_of_a_seed_is_always_the_same() -> None:
    assert seeds.secret_from_seed(7) == seeds.secret_from_seed(7) != seeds.secret_from_seed(8)
