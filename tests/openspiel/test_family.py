"""Which games of OpenSpiel there are by which names, what is said where one cannot be played, and their contract."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.chance import SeededChance
from engine.conformance import check_game
from engine.core import UnknownGameError
from engine.kit.game_folder import read_json
from engine.openspiel import catalogue as family
from engine.openspiel import library
from engine.openspiel.catalogue import Facts, Value, find_out, read_parameters, split_name, write_name

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS: dict[str, Value] = {"board_size": 19, "komi": 7.5, "swap": False, "rule": "first"}


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    version = getattr(request, "param", library.VERSION)
    monkeypatch.setattr(library, "installed_version", lambda: version)
    family.get.cache_clear()
    registry.get.cache_clear()


def test_the_extra_asks_for_the_version_that_is_played() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["openspiel"] == [f"open_spiel=={library.VERSION}"]
    assert project["entry-points"]["arena.games"] == {"openspiel_*": family.__name__}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("_installed", "why"),
    [(None, "which is not installed"), ("1.6.0", "and 1.6.0 is installed")],
    indirect=["_installed"],
)
def test_without_the_version_that_is_played_the_remedy_is_told_and_nothing_is_listed(why: str) -> None:
    assert family.names() == ()
    with pytest.raises(UnknownGameError) as told:
        registry.get("openspiel_chess")
    assert str(told.value) == (
        f"openspiel_chess is a game of OpenSpiel {library.VERSION}, {why}; "
        "install it by `pip install 'kingmaker-arena[openspiel]'`"
    )
    assert registry.get("foreign_king").title == "The Foreign King"


@pytest.mark.usefixtures("_installed")
def test_listed_games_are_found_by_the_registry_but_are_not_among_those_that_stand_alone() -> None:
    assert {"openspiel_chess", "openspiel_go:board_size=9"} <= set(registry.names())
    assert not [name for name in registry.single_names() if name.startswith("openspiel")]
    assert registry.family_of("openspiel_anything") == family.__name__
    assert registry.family_of("foreign_king") is None
    assert registry.package_of("openspiel_chess") == "engine.openspiel"


def test_many_games_are_listed_each_with_one_name() -> None:
    names = [entry["name"] for entry in read_json(family.__name__, "catalogue.json")]
    assert len(names) >= 90
    assert {"openspiel_chess", "openspiel_go", "openspiel_go:board_size=9", "openspiel_hearts"} <= set(names)
    assert sorted(set(names)) == names


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "board_size": st.integers(-5, 40),
            "komi": st.floats(-50, 50, width=16),
            "swap": st.booleans(),
            "rule": st.sampled_from(["first", "second", "a-b_c"]),
        },
    )
)
def test_a_name_and_its_parameters_are_inverse(parameters: dict[str, Value]) -> None:
    name = write_name("go", parameters, DEFAULTS)
    short_name, texts = split_name(name)
    read = read_parameters(name, texts, DEFAULTS)
    assert short_name == "go"
    assert read == {key: value for key, value in parameters.items() if value != DEFAULTS[key]}
    assert write_name("go", read, DEFAULTS) == name


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


LOOKED_AT_EVERY = 10
SLOW = {
    *("bridge", "chinese_checkers", "gin_rummy", "go", "go:board_size=13", "gomoku", "havannah", "hive"),
    *("maedn:players=4:twoPlayersOpposite=false", "mnk", "shogi", "universal_poker", "xiangqi", "y", "yacht"),
}
"""Games of which it takes long to find out the facts: others have the same of every kind of fact."""


def kind_of(facts: Facts) -> tuple[object, ...]:
    """Everything of a game that the adapter looks at."""
    table = (facts.seats > 2, facts.opening > 0, facts.has_chance, facts.is_hidden, facts.can_guess)
    return (*table, facts.has_fixed_words, facts.board is not None, facts.clicks)


def shortest_of_each_kind() -> list[str]:
    """Return of each kind of game the one with the fewest actions and decisions."""
    games = sorted(family._catalogue().values(), key=lambda facts: (facts.decisions * facts.actions, facts.name))
    return list({kind_of(facts): facts.name for facts in reversed(games)}.values())


@pytest.mark.parametrize("name", shortest_of_each_kind())
def test_a_game_keeps_the_contract(name: str) -> None:
    check_game(family.get(name))


def test_the_catalogue_says_what_openspiel_says() -> None:
    catalogue = family._catalogue()
    slow = {f"openspiel_{name}{more}" for name in SLOW for more in ("", ":players=3", ":oklahoma=true")}
    asked = catalogue.keys() - slow
    alone = {"openspiel_chinese_checkers:players=3"}
    assert {kind_of(catalogue[name]) for name in asked} == {
        kind_of(catalogue[name]) for name in catalogue.keys() - alone
    }
    wrong = [name for name in asked if catalogue[name] != find_out(name)]
    assert wrong == [], "run `python -m engine.openspiel.catalogue`"


def played(name: str) -> str:
    """Play a game at random, reading now and then what a seat sees; what went otherwise than the catalogue says."""
    game, facts, random, plies = family.get(name), family._catalogue()[name], Random(1), 0
    state = game.new_state(facts.seats, chance=SeededChance(1))
    while (seat := state.seat()) is not None:
        legal = list(state.legal_actions())
        if plies % LOOKED_AT_EVERY == 0:
            seen = game.observed(game.encode_observation(state, seat)[1]).state
            assert list(seen.legal_actions()) == legal, name
        state.apply(random.choice(legal))
        plies += 1
    outcome = state.outcome()
    is_right = outcome is not None and len(outcome.ranks) == facts.seats and plies <= facts.max_plies
    return "" if is_right and len(game.actions) == facts.actions else f"{name}: {plies} plies, {outcome}"


def test_every_game_is_played_to_its_end() -> None:
    assert [told for name in family.names() if (told := played(name))] == []
