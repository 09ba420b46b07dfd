"""Feature planes: of fixed shape, in range, and blind to what is hidden."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from game_connect_four import GAME as CONNECT_FOUR
from game_connect_four.checks import CHECKS as CONNECT_FOUR_CHECKS

from arena.adapters.features import Features, features_of
from engine import registry
from engine.abilities import Checks
from engine.chance import SeededChance
from engine.core import AbilityError, Game, Outcome, SeatsError, State
from engine.features import Featured, flags, numbers, reals
from engine.games.foreign_king import GAME as FOREIGN_KING
from engine.games.rex_romanorum import GAME as REX

CHECKED: list[tuple[Game, Checks]] = [
    (FOREIGN_KING, registry.checks("foreign_king")),
    (REX, registry.checks("rex_romanorum")),
    (CONNECT_FOUR, CONNECT_FOUR_CHECKS),
]
CASES = [(game, seats, values) for game, checks in CHECKED for values in checks.variants for seats in game.seats]


def playing(game: Game, seats: int, options: Any, seed: int) -> Iterator[State]:
    """Every position of a random playing, the last included."""
    random, state = Random(seed), game.new_state(seats, options, SeededChance(seed))
    yield state
    while state.seat() is not None:
        state.apply(random.choice(state.legal_actions()))
        yield state


def named(case: object) -> str:
    return case.name if isinstance(case, Game) else str(case)


@pytest.mark.parametrize(("game", "seats", "values"), CASES, ids=named)
def test_planes_are_in_range_and_an_observation_gives_the_same(game: Game, seats: int, values: Any) -> None:
    options = game.parse_options(values)
    features = features_of(game, seats, options)
    high = features.high.reshape(-1, *(1 for _ in features.shape[1:]))
    seen = 0
    for ply, state in enumerate(playing(game, seats, options, seed=seats)):
        seat = ply % seats
        planes = features.planes(state, seat)
        assert planes.shape == features.shape == (len(features.names), *planes.shape[1:])
        assert planes.dtype == np.float32
        assert (planes >= 0).all()
        assert (planes <= high).all(), features.names[(planes > high).reshape(len(planes), -1).any(axis=1).argmax()]
        if ply % 5 == 0:
            observation = game.observed(game.encode_observation(state, seat)[1])
            assert (features.planes(observation, seat) == planes).all()
        seen += 1
    assert seen > 5


@pytest.mark.parametrize("seats", REX.seats)
def test_two_positions_that_a_seat_cannot_tell_apart_have_the_same_planes(seats: int) -> None:
    features, playable = features_of(REX, seats), REX.playable
    assert playable is not None
    different = 0
    for ply, state in enumerate(playing(REX, seats, None, seed=2)):
        if ply % 10:
            continue
        other = playable.redraw(state, 0, Random(ply))
        different += state != other
        for seat in range(seats):
            assert (features.planes(other, seat) == features.planes(state, seat)).all()
    assert different > 5


def plane(features: Features, planes: Any, name: str) -> Any:
    return planes[features.names.index(name)]


def test_the_first_seat_is_the_one_that_looks() -> None:
    features = features_of(FOREIGN_KING, 3)
    state = FOREIGN_KING.new_state(3)
    state.francs = [5, 6, 8]
    planes = features.planes(state, 1)
    assert [plane(features, planes, f"francs+{k}")[0] for k in range(3)] == [6, 8, 5]
    assert plane(features, planes, "seat:1").all()
    assert plane(features, planes, "decides+2").all()
    assert not plane(features, planes, "decides+0").any()


def test_discs_and_factories_lie_in_their_provinces() -> None:
    features = features_of(FOREIGN_KING, 2)
    state = FOREIGN_KING.new_state(2)
    state.discs[9 + 4] = 3  # of seat 1
    state.discs[18 + 2] = 2  # of the virtual player
    state.factories[5] = 2 + 8 * 1 + 64 * 3 + 512 * 4
    planes = features.planes(state, 1)
    assert plane(features, planes, "discs+0").tolist() == [0, 0, 0, 0, 3, 0, 0, 0, 0]
    assert plane(features, planes, "discs:virtual").tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert [plane(features, planes, f"factories:{kind}")[5] for kind in "MTmt"] == [2, 1, 3, 4]


def test_regions_and_figures_lie_where_they_are() -> None:
    features = features_of(REX, 2)
    state = next(iter(playing(REX, 2, None, seed=1)))
    state.army[62 + 7] = 4  # type: ignore[attr-defined]
    state.land[1] = 1 << 7 | 1 << 61  # type: ignore[attr-defined]
    planes = features.planes(state, 1)
    assert np.flatnonzero(plane(features, planes, "land+0")).tolist() == [7, 61]
    assert plane(features, planes, "figures:A:there")[7] == 4
    assert plane(features, planes, "figures:A:there").sum() == 4
    state.arrived = {62 + 7: 3, 62 + 8: 5000}  # type: ignore[attr-defined]
    planes = features.planes(state, 1)
    assert plane(features, planes, "figures:A:there")[7] == 4
    assert plane(features, planes, "figures:A:there")[8] == 0
    assert plane(features, planes, "figures:A:arrived")[[7, 8]].tolist() == [3, 200]


def test_connect_four_has_the_board_of_the_game() -> None:
    features = features_of(CONNECT_FOUR, 2)
    state = CONNECT_FOUR.new_state(2)
    for column in (3, 3, 0):
        state.apply(column)
    assert features.shape == (2, 7, 6)
    own, other = features.planes(state, 1)
    assert np.argwhere(own).tolist() == [[3, 1]]
    assert np.argwhere(other).tolist() == [[0, 0], [3, 0]]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.float16, np.float32, np.float64])
def test_planes_are_the_same_in_every_type_that_holds_them(dtype: Any) -> None:
    features = features_of(REX, 3)
    *_, state = playing(REX, 3, REX.parse_options({"round_limit": 4}), seed=1)
    out = np.full(features.shape, 77, dtype)
    features.write(state, 2, out)
    assert (out == features.planes(state, 2)).all()


def test_an_array_of_another_shape_or_too_small_a_type_is_refused() -> None:
    features, state = features_of(REX, 3), REX.new_state(3)
    with pytest.raises(ValueError, match=r"have the shape \(133, 62\), not \(62, 133\)"):
        features.write(state, 0, np.zeros((62, 133)))
    with pytest.raises(ValueError, match=r"up to 1000, .* int8 holds 127; take int16, or float32"):
        features.write(state, 0, np.zeros(features.shape, np.int8))


def test_scaled_planes_lie_between_nothing_and_one() -> None:
    features = features_of(FOREIGN_KING, 2)
    planes = np.stack([features.planes(state, 0) for state in playing(FOREIGN_KING, 2, None, seed=4)])
    scaled = features.scaled(planes)
    assert scaled.dtype == np.float32
    assert scaled.max() == 1
    assert scaled.min() == 0
    assert (scaled.astype(bool) == planes.astype(bool)).all()


def test_a_number_beyond_the_range_is_shown_as_the_greatest() -> None:
    features, state = features_of(REX, 2), REX.new_state(2)
    state.gold = [250_000, 3]
    assert plane(features, features.planes(state, 0), "gold+0").max() == 1000


def test_records_expand_to_the_same_planes() -> None:
    features = features_of(FOREIGN_KING, 4)
    seen = [(state.clone(), ply % 4) for ply, state in enumerate(playing(FOREIGN_KING, 4, None, seed=3))]
    records = features.records(list(seen))
    assert records.nbytes < len(seen) * 500
    planes = features.expand(records)
    assert all((planes[index] == features.planes(state, seat)).all() for index, (state, seat) in enumerate(seen))
    assert features.expand(features.records([])).shape == (0, *features.shape)


class Blank(State):
    """A position of a game that tests make up."""

    def seat(self) -> int | None:
        return 0

    def legal_actions(self) -> list[int]:
        return [0]

    def is_legal(self, action: int) -> bool:
        return action == 0

    def apply_unchecked(self, action: int) -> None:
        del action

    def clone(self, chance: Any = None) -> Any:
        del chance
        return self

    def outcome(self) -> Outcome | None:
        return None

    def caretaker_action(self) -> int:
        return 0

    def to_json(self) -> dict[str, Any]:
        return {}


def made_up(featured: Featured | None) -> Game:
    """Connect Four, seen otherwise."""

    class MadeUp(type(CONNECT_FOUR)):  # type: ignore[misc]
        @property
        def featured(self) -> Featured | None:
            return featured

    game: Game = MadeUp("game_connect_four")
    return game


def seen_as(board: tuple[int, ...], *parts: Any, found: Any = ()) -> Game:
    return made_up(
        Featured(board=lambda _seats, _options: board, parts=lambda *_: parts, numbers=lambda _state, _seat: found)
    )


def test_numbers_that_are_not_whole_have_no_bounds() -> None:
    features = features_of(seen_as((2,), reals("tensor", "", (":0", ":1")), found=[0.5, -1.5, 2, 3]), 2)
    assert features.planes(Blank(), 0).tolist() == [[0.5, -1.5], [2, 3]]
    assert features.high.tolist() == [np.inf, np.inf]
    assert features.low.tolist() == [-np.inf, -np.inf]
    assert features.scaled(features.planes(Blank(), 0)).tolist() == [[0.5, -1.5], [2, 3]]


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (seen_as((2,), flags("a", ""), numbers("b", "", 3)), "stand in the order CELLS, MASKS, NUMBERS, FLAGS, REALS"),
        (seen_as((2,), numbers("a", "", 3), numbers("a", "", 3)), "two planes have the same name"),
        (seen_as((2,), flags("a", "", tuple(map(str, range(64))))), "a part of flags holds 63 planes"),
    ],
    ids=["order", "names", "flags"],
)
def test_parts_that_cannot_be_laid_out_are_refused(game: Game, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        features_of(game, 2)


def test_a_game_without_planes_and_a_wrong_number_of_seats_are_refused() -> None:
    with pytest.raises(AbilityError, match=r"connect_four gives no feature planes \(Game.featured\)"):
        features_of(made_up(None), 2)
    with pytest.raises(SeatsError, match="played by 2 to 4 seats, not 5"):
        features_of(FOREIGN_KING, 5)


def test_planes_that_went_through_a_pickle_are_the_same() -> None:
    options = FOREIGN_KING.parse_options({"max_rounds": 7, "bank": "37"})
    features = features_of(FOREIGN_KING, 4, options)
    again = pickle.loads(pickle.dumps(features))
    assert (again.game, again.seats, again.options, again.names) == (FOREIGN_KING, 4, options, features.names)
    state = list(playing(FOREIGN_KING, 4, options, seed=1))[40]
    assert (again.planes(state, 1) == features.planes(state, 1)).all()
