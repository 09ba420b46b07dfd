"""What the matches of a block share: openings are random and legal, and no seed tells another."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.format import ScheduleError
from arena.tournament.formats.openings import MOST_OPENINGS, BlockDraw, draw_opening, longest_opening, read_openings
from engine import registry
from engine.core import SeatsError
from tests.support.nim import LUCKY_NIM, NIM, NimOptions


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


def read(text: str, *, size: int = 9, plies: int | None = None) -> tuple[tuple[int, ...], ...]:
    return read_openings(text, NIM, seats=2, options=NimOptions(size), plies=plies).openings


PGN = """\ufeff[Event "a [b] {c"]
[Result "*"]

{one ; brace} 1. TAKE:1 $3 TAKE:2 (1... TAKE:3 (1... TAKE:1 1-0) 2. TAKE:9) ; to the end { of the line
2.TAKE:3 *
[Event "none"]

1-0
% an escape
1 TAKE:2 1... TAKE:2
[Event "last"]
1.TAKE:1
"""


@pytest.mark.parametrize(
    ("text", "openings"),
    [
        ('[["TAKE:1", "TAKE:2"], []]', ((0, 1), ())),
        ('\ufeff\r\n[\r\n"TAKE:1  TAKE:2\\tTAKE:3",["TAKE:3"]]', ((0, 1, 2), (2,))),
        (PGN, ((0, 1, 2), (), (1, 1), (0,))),
        (PGN.replace("\n", "\r\n"), ((0, 1, 2), (), (1, 1), (0,))),
        ("TAKE:3", ((2,),)),
        (
            '[Event "the "open""] [Site "C:\\"]\n1. TAKE:1\n[Event ""]\n1.TAKE:2 1/2\n[Event "x"]TAKE:3',
            ((0,), (1,), (2,)),
        ),
    ],
)
def test_openings_are_read_from_json_and_pgn(text: str, openings: tuple[tuple[int, ...], ...]) -> None:
    assert read(text) == openings


def test_openings_are_cut_where_it_is_said() -> None:
    assert read('["TAKE:3 TAKE:3 TAKE:3 TAKE:3", "TAKE:1"]', plies=2) == ((2, 2), (0,))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[["TAKE:1"],\n ["TAKE:1",\n "TAKE:4"]]', "openings, line 2: 'TAKE:4' is no legal action after 1 plies"),
        ("1. TAKE:1 *\n\n1. TAKE:3 {\n} TAKE:0", "openings, line 4: 'TAKE:0' is no legal action after 1 plies"),
        ('[\n[],\n"TAKE:3 TAKE:3 TAKE:3 TAKE:1"]', "openings, line 3: the game is over before 'TAKE:1'"),
        ('\n["TAKE:3 TAKE:3 TAKE:3"]', "openings, line 2: the opening leaves nothing to decide; make it shorter"),
        ('["TAKE:3 TAKE:3 TAKE:2"]', "openings, line 1: the opening leaves nothing to decide; make it shorter"),
        ('[["TAKE:1"],\n["TAKE:1" "TAKE:1"]]', "openings, line 2: is not valid JSON: Expecting ',' delimiter"),
        ("[" * 100_000, "openings, line 1: is not valid JSON: "),
        ("[" + "9" * 5_000 + "]", "openings, line 1: is not valid JSON: "),
        ('{"TAKE:1": 1}', "openings, line 1: the file is no list"),
        ('"TAKE:1"', "openings, line 1: the file is no list"),
        (
            '[[],\n{"heap": 101}]',
            "openings, line 2: this position cannot be played: heap: expected an integer from",
        ),
        ('[[],\n{"heap": 1}]', "openings, line 2: nothing is left to decide in this position; leave it out"),
        ("[[],\n\n[1]]", "openings, line 3: an opening is a list of actions in notation, or a position"),
        ("[1, 2]", "openings, line 1: an opening is a list of actions in notation, or a position"),
        ("TAKE:1 *\n{no end", "openings, line 2: '{' is neither PGN nor JSON; correct it, or unpack"),
        ("<html>", "openings, line 1: '<html>' is no legal action after 0 plies"),
        ('[Event "a"]\n[SetUp "1"]\n*', "openings, line 2: a position cannot be set up; give the moves that lead to"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "openings, line 1: a position cannot be set up"),
        ("", "the file of openings holds none"),
        ("[]", "the file of openings holds none"),
        ("x" * 500, f"openings, line 1: '{'x' * 40}...' is no legal action after 0 plies"),
        ("\x00\x00", "openings, line 1: '\\x00\\x00' is no legal action"),
        (f'["{"TAKE:1 " * 20_001}"]', "the openings have 20001 plies in all, and 20000 are allowed; shorten them"),
        (f"[{'[],' * MOST_OPENINGS}[]]", f"the file has {MOST_OPENINGS + 1} openings; use {MOST_OPENINGS} or fewer"),
    ],
)
def test_a_file_that_holds_no_openings_is_told_with_the_line(text: str, told: str) -> None:
    with pytest.raises(ScheduleError) as raised:
        read(text)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_position_is_set_up_by_options() -> None:
    book = read_openings('["TAKE:1", {"heap": 7}, []]', NIM, seats=2, options=NimOptions(9))
    assert (book.openings, book.starts) == (((0,), (), ()), ({}, {"left": 7}, {}))


@pytest.mark.parametrize("text", ['[[],\n{"heap": 3}]', '[[],\n"8/8/8/8/8/4k3/4p3/4K3 b - -"]'])
def test_a_position_that_a_game_cannot_set_up_is_told_with_the_line(text: str) -> None:
    game = registry.get("foreign_king")
    with pytest.raises(ScheduleError, match="openings, line 2: a position cannot be set up; give the moves that lead"):
        read_openings(text, game, seats=2, options=game.parse_options({}))


def test_a_game_with_chance_takes_no_openings() -> None:
    with pytest.raises(ScheduleError, match="begins differently by its own chance"):
        read_openings("[[]]", LUCKY_NIM, seats=2, options=NimOptions(9))


def openings_of(secret: bytes, blocks: int, blocks_per_seed: int = 1) -> list[tuple[int, ...]]:
    book = tuple((action,) for action in range(3))
    drawn = BlockDraw(NIM, 2, NimOptions(9), secret, 0, blocks_per_seed, book)
    return [drawn.block(index, ("a", "b")).opening for index in range(blocks)]


def test_each_opening_of_a_file_is_played_once_before_one_is_played_again() -> None:
    orders = set()
    for number in range(50):
        opened = openings_of(bytes([number]) * 32, 6)
        assert sorted(opened[:3]) == [(0,), (1,), (2,)]
        assert opened[3:] == opened[:3]
        assert opened == openings_of(bytes([number]) * 32, 6)
        orders.add(tuple(opened[:3]))
    assert len(orders) == 6


def test_blocks_that_share_a_seed_share_their_opening() -> None:
    alone, shared = openings_of(bytes(32), 3), openings_of(bytes(32), 6, 2)
    assert [shared[0], shared[2], shared[4]] == [shared[1], shared[3], shared[5]] == alone


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
