"""Which games there are, and what is said where one cannot be played."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.core import UnknownGameError
from engine.openspiel import family, library
from engine.openspiel.naming import Value, read_parameters, split_name, write_name

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


@pytest.mark.usefixtures("spiel")
def test_naming_a_game_loads_no_openspiel() -> None:
    program = (
        "import sys\nfrom engine import registry\n"
        "games = [registry.get(name) for name in registry.names()]\n"
        "assert len(games) > 90 and all(len(game.actions) for game in games)\n"
        "assert 'pyspiel' not in sys.modules\n"
        "registry.get('openspiel_chess').new_state(2)\nassert 'pyspiel' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.usefixtures("spiel")
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


@pytest.mark.usefixtures("spiel")
def test_other_parameters_are_chosen_by_the_name() -> None:
    game = registry.get("openspiel_go:board_size=5:komi=0.5")
    assert game is registry.get("openspiel_go:board_size=5:komi=0.5")
    assert game.name not in registry.names()
    assert (game.title, len(game.actions)) == ("Go (OpenSpiel, board_size 5, komi 0.5)", 26)


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
