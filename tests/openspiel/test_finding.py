"""Which games there are, and what is said where one cannot be played."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.core import UnknownGameError
from engine.folder import read_json
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
