"""The bot that `arena bot new` writes in Python: it plays every game to its end, and beats one that draws lots."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bots.algorithms.uniform import RandomBot
from bots.kit import Bot
from bots.offline import play_offline
from engine import registry

TEMPLATE = Path(__file__).resolve().parents[2] / "bots" / "python" / "template" / "main.py"

OVER_SOON: dict[str, dict[str, Any]] = {
    "foreign_king": {"max_rounds": 4},
    "rex_romanorum": {"variant": "short", "round_limit": 3},
}
"""Options with which a match is soon over."""


@pytest.fixture(scope="module")
def my_bot() -> Callable[[], Bot]:
    """The class of the template's bot."""
    spec = importlib.util.spec_from_file_location("template_main", TEMPLATE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[], Bot] = module.MyBot
    return made


@pytest.mark.parametrize("game", registry.single_names())
def test_it_beats_random_in_every_seat(game: str, my_bot: Callable[[], Bot]) -> None:
    for seat, bots in enumerate(([my_bot(), RandomBot()], [RandomBot(), my_bot()])):
        assert play_offline(bots, game, seeds=[seat, seat + 10], chance_seed=seat).ranks[seat] == 1


@pytest.mark.parametrize("game", registry.single_names())
def test_it_plays_with_the_most_seats(game: str, my_bot: Callable[[], Bot]) -> None:
    others = [RandomBot() for _ in range(registry.get(game).seats[-1] - 1)]
    match = play_offline([my_bot(), *others], game, options=OVER_SOON[game])
    assert min(match.ranks) == 1


def test_when_time_is_short_it_still_answers(my_bot: Callable[[], Bot]) -> None:
    assert play_offline([my_bot(), my_bot()], "foreign_king", time_limit_us=1).decisions[0] > 0


def test_a_game_without_an_evaluation_is_played_all_the_same(
    my_bot: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(registry.get("foreign_king")), "playable", None)
    assert play_offline([my_bot(), my_bot()], "foreign_king").decisions[0] > 0
