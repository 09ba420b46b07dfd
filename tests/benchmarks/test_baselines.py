"""The frozen bots play as they did when they were frozen, action by action, whatever becomes of today's."""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module

import pytest

from bots.kit import Bot
from bots.offline import play_offline
from engine import registry
from engine.playout import positions

# By their names: no test imports a benchmark, because benchmarks import what helps tests.
greedy, search, playables = (
    import_module(f"benchmarks.baselines.{name}") for name in ("greedy", "search", "playables")
)


def digest_of(text: str) -> str:
    """Return the beginning of the SHA-256 of a text."""
    return sha256(text.encode()).hexdigest()[:16]


PLAYED = {
    ("foreign_king", "greedy"): "1d672546f0b37b88",
    ("foreign_king", "search"): "e9ceb616a8da58c9",
    ("rex_romanorum", "greedy"): "cab142f98509266b",
    ("rex_romanorum", "search"): "eb73541239fcd259",
}
VALUED = {"foreign_king": "4d0bde28d612f4f0", "rex_romanorum": "a1d7ec4a50ed615c"}


LONGEST = ("rex_romanorum", "greedy")


@pytest.mark.parametrize(
    ("game", "kind"), [pytest.param(*one, marks=[pytest.mark.needs("minutes")] * (one == LONGEST)) for one in PLAYED]
)
def test_the_frozen_bots_play_as_ever(game: str, kind: str) -> None:
    bots: list[Bot] = [greedy.GreedyBot(40) if kind == "greedy" else search.SearchBot(12) for _ in range(3)]
    match = play_offline(bots, game, seeds=[5, 6, 7], chance_seed=8)
    assert digest_of(" ".join(map(str, match.record.actions))) == PLAYED[game, kind]


@pytest.mark.parametrize("game", VALUED)
def test_the_frozen_evaluations_value_as_ever(game: str) -> None:
    playable = playables.frozen_playable(registry.get(game))
    values = [playable.evaluate_all(state) for seed in range(3) for state in positions(registry.get(game), 3, seed)]
    told = " ".join(f"{value:.9f}" for position in values for value in position)
    assert digest_of(told) == VALUED[game]


def test_a_game_that_was_not_frozen_is_valued_as_by_every_bot() -> None:
    for name in registry.names():
        game = registry.get(name)
        if name not in VALUED and game.playable is not None:
            assert playables.frozen_playable(game) is game.playable
