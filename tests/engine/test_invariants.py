"""What the rules of a game say of every position holds in random play: a share of `python -m benchmarks.invariants`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine import registry
from engine.abilities import Checks, need_playable
from engine.core import Game, InvariantError, State
from tests.support.simulations.invariants import play

ROOT = Path(__file__).resolve().parents[2]
GAMES = [registry.get(name) for name in registry.single_names()]


def indices(game: Game) -> list[int]:
    """The games in which each number of seats and each variant comes at least once."""
    seats, variants = len(game.seats), len(registry.checks(game.name).variants)
    return [n % seats + seats * (n % variants) for n in range(max(seats, variants))]


PLAYINGS = [pytest.param(game, index, id=f"{game.name}-{index}") for game in GAMES for index in indices(game)]


@pytest.mark.parametrize(("game", "index"), PLAYINGS)
def test_every_position_of_a_random_game_keeps_the_invariants(game: Game, index: int) -> None:
    play(game, index)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_variants_are_options_of_the_game_the_defaults_first(game: Game) -> None:
    variants = registry.checks(game.name).variants
    assert dict(variants[0]) == {}
    assert len({str(game.options_json(game.parse_options(variant))) for variant in variants}) == len(variants)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_playing_has_some_decisions_and_not_more_than_plies(game: Game) -> None:
    assert all(0 < need_playable(game).usual_decisions(seats) < game.max_plies for seats in game.seats)


def test_a_breach_is_told_with_its_game_and_ply(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[0]

    def breach(state: State) -> None:
        raise InvariantError("pawns float")

    monkeypatch.setattr(registry, "checks", lambda _name: Checks(check_invariants=breach))
    with pytest.raises(InvariantError, match=rf"{game.name}, game 3, ply 1: pawns float"):
        play(game, 3)


@pytest.mark.usefixtures("script_game")
def test_a_game_that_knows_no_invariants_passes() -> None:
    play(registry.get("script"), 1)


def test_the_command_tells_how_the_games_ended() -> None:
    command = [sys.executable, "-m", "benchmarks.invariants", "--game", GAMES[0].name, "--games", "3"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"{GAMES[0].title}: 3 random games over" in told
    assert f"{GAMES[0].seats[0]} seats: 1 games, " in told
