"""What the name of a game of OpenSpiel chooses, and why it cannot where it does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from engine import registry
from engine.core import UnknownGameError


def test_naming_a_game_loads_no_openspiel() -> None:
    program = (
        "import sys\nfrom engine import registry\n"
        "games = [registry.get(name) for name in registry.names()]\n"
        "assert len(games) > 90 and all(len(game.actions) for game in games)\n"
        "assert 'pyspiel' not in sys.modules\n"
        "registry.get('openspiel_chess').new_state(2)\nassert 'pyspiel' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("openspiel_goofspiel", "cannot be played in the arena: its seats act at the same time"),
        ("openspiel_mfg_garnet", "cannot be played in the arena: it has no seats that act one after another"),
        ("openspiel_negotiation", "cannot be played in the arena: it draws its chance itself"),
        ("openspiel_solitaire", "cannot be played in the arena: it is played alone"),
        ("openspiel_colored_trails", "cannot be played in the arena: it has 93123 actions"),
        ("openspiel_start_at", "cannot be played in the arena: it draws its chance itself"),
        ("openspiel_repeated_poker", "cannot be played in the arena: it is made of other games"),
        ("openspiel_quoridor", "cannot be played in the arena: OpenSpiel says itself that its rules have known issues"),
        ("openspiel_gogo", "OpenSpiel has no game 'gogo'"),
        ("openspiel_go:size=9", "the game has no parameter 'size'; it has: board_size, handicap, komi"),
        ("openspiel_go:board_size=x", "parameter board_size takes a whole number, not 'x'"),
        ("openspiel_hex:swap=yes", "parameter swap takes true or false, not 'yes'"),
        ("openspiel_go:board_size=99", "OpenSpiel refuses openspiel_go:board_size=99"),
        ("openspiel_liars_dice:numdice=0", "OpenSpiel refuses openspiel_liars_dice:numdice=0"),
        ("openspiel_havannah:board_size=0", "a random playing came to a position in which nobody can act"),
        ("openspiel_go:board_size=19", "openspiel_go:board_size=19 is written openspiel_go"),
        ("openspiel_go:komi=6.50", "openspiel_go:komi=6.50 is written openspiel_go:komi=6.5"),
        ("openspiel_bargaining:instances_file=x", "the game has no parameter 'instances_file'"),
        ("openspiel_go(board_size=9)", "is no name of a game of OpenSpiel"),
        ("openspiel_", "is no name of a game of OpenSpiel"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(UnknownGameError, match=re.escape(why)) as told:
        registry.get(name)
    assert "\n" not in str(told.value)


def test_a_game_that_is_too_large_is_refused_before_a_position_of_it_is_made() -> None:
    program = (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        "from engine import registry\nfrom engine.core import UnknownGameError\n"
        "try:\n    registry.get('openspiel_connect_four:columns=100000:rows=100000')\n"
        "except UnknownGameError as error:\n    print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "cannot be played in the arena: it has 100000 actions" in told


def test_other_parameters_are_chosen_by_the_name() -> None:
    game = registry.get("openspiel_go:board_size=5:komi=0.5")
    assert game is registry.get("openspiel_go:board_size=5:komi=0.5")
    assert game.name not in registry.names()
    assert (game.title, len(game.actions)) == ("Go (OpenSpiel, board_size 5, komi 0.5)", 26)


def test_strangers_may_name_what_is_listed_and_nothing_else() -> None:
    assert registry.get_listed("openspiel_go:board_size=9").name == "openspiel_go:board_size=9"
    for name in ("openspiel_go:board_size=7", "openspiel_goofspiel", "chess"):
        with pytest.raises(UnknownGameError, match="there is no game"):
            registry.get_listed(name)


def test_commands_that_name_games_load_no_openspiel() -> None:
    program = (
        "import sys\nfrom arena.cli.app import run\n"
        "for words in (['game', 'list'], ['game', '--help'], ['doctor', '--help']):\n    assert run(words) == 0\n"
        "assert 'pyspiel' not in sys.modules\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "openspiel_go:board_size=9" in told


@pytest.mark.parametrize(
    ("games", "first", "is_loaded"),
    [
        (["*"], "openspiel_go:board_size=5", True),
        (["*"], None, False),
        (["foreign_king"], "openspiel_chess", False),
        (["openspiel_go:board_size=5"], None, True),
    ],
)
def test_a_bot_loads_the_game_that_it_is_started_for_before_the_clock_runs(
    games: list[str], first: str | None, is_loaded: bool
) -> None:
    program = (
        f"import sys\nfrom bots.preload import preload_claimed\npreload_claimed({games!r})\n"
        f"assert ('pyspiel' in sys.modules) is {is_loaded}\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**environment, **({"ARENA_GAME": first} if first else {})}
    )
