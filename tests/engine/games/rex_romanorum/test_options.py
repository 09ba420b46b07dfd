"""The options, their defaults in `choices.json`, and what is said where the file of data is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import engine
import engine.games.rex_romanorum
from engine.chance import SeededChance
from engine.core import OptionsError
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.options import OPTIONS
from tests.engine.games.rex_romanorum.table import holder, lay, legal, owner, phase, play

FOLDER = Path(engine.games.rex_romanorum.__file__).parent
BLOCK = json.loads((FOLDER / "choices.json").read_text(encoding="utf-8"))
RECONSTRUCTED = ["church_price", "castle_price", "build", "hit", "roll_order", "wealth", "round_limit"]


def test_8_the_defaults_are_the_block_of_the_data_file() -> None:
    shown = GAME.options_json(GAME.parse_options({}))
    assert shown.pop("variant") == "full"
    assert set(shown) == set(BLOCK)
    for name, value in BLOCK.items():
        if name != "titles":
            assert shown[name] == value, name
    # The regions of a nested list come back in the board's order.
    assert {name: _as_sets(value) for name, value in shown["titles"].items()} == {
        name: _as_sets(value) for name, value in BLOCK["titles"].items()
    }


def _as_sets(title: list[Any]) -> list[Any]:
    return [set(entry) if isinstance(entry, list) else entry for entry in title]


@pytest.mark.parametrize("name", RECONSTRUCTED)
def test_8_every_reconstructed_choice_says_so_in_its_description(name: str) -> None:
    assert "reconstructed" in GAME.options_schema()["properties"][name]["description"]


EXAMPLES: list[dict[str, Any]] = [
    {"start_gold": 50},
    {"harvest": {"cap": 7}},
    {"figures": {"knight": {"cost": 3, "move": 1, "castle": [3, 3]}}},
    {"titles": {"sachsen": ["sachsen", ["lausitz"], ["thueringen", "vogtland"]]}},
    {"start_churches": {"mainz": "hessen"}},
    {"vote_order": list(reversed(BLOCK["vote_order"]))},
    {"rows": {"field": ["archer", "knight", "foot"]}},
    {"variant": "short", "round_limit": 3, "votes_to_win": 3},
]


@pytest.mark.parametrize("values", EXAMPLES)
def test_k14_an_option_overrides_its_part_of_the_block_and_nothing_else(values: dict[str, Any]) -> None:
    shown = GAME.options_json(GAME.parse_options(values))
    assert GAME.parse_options(json.loads(json.dumps(shown))) == GAME.parse_options(values)
    for name, default in GAME.options_json(GAME.parse_options({})).items():
        assert (shown[name] == default) == (name not in values), name


def test_k14_values_may_be_texts() -> None:
    texts = {"round_limit": "9", "harvest": '{"cap": 50}', "hit": "d6 >= value", "variant": "short"}
    values = {"round_limit": 9, "harvest": {"cap": 50}, "hit": "d6 >= value", "variant": "short"}
    assert GAME.parse_options(texts) == GAME.parse_options(values)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"colour": 1}, "rex_romanorum has no 'colour'; it has: variant, start_gold"),
    ({"harvest": {"castle": 1}}, "option harvest has no 'castle'; it has: region, church, elector, cap"),
    ({"harvest": "{"}, "option harvest takes JSON, for example"),
    ({"harvest": 3}, "option harvest takes an object"),
    ({"round_limit": 0}, "option round_limit takes 1 to 300, not 0"),
    ({"round_limit": True}, "option round_limit takes 1 to 300, not True"),
    ({"round_limit": "1e2"}, "option round_limit takes 1 to 300"),
    ({"figures": {"foot": {"cost": 0}}}, "option figures.foot.cost takes 1 to 100"),
    ({"figures": {"foot": {"field": [0, 1]}}}, "option figures.foot.field takes two values from 1 to 6"),
    ({"figures": {"foot": {"field": [1]}}}, "option figures.foot.field takes [attack, defence]"),
    ({"rows": {"field": ["foot", "foot", "knight"]}}, "option rows.field takes each of"),
    ({"roll_order": {"field": [["att", "foot"]]}}, "option roll_order.field takes each of"),
    ({"titles": {"pfalz": ["kurpfalz", "mainz"]}}, "option titles.pfalz takes one region"),
    ({"titles": {"sachsen": [["sachsen"]]}}, "at least one outside a nested list"),
    ({"titles": {"sachsen": ["saxony"]}}, "takes the id of a region, not 'saxony'"),
    ({"vote_order": ["mainz"]}, "option vote_order takes each of"),
    ({"start_churches": {"mainz": "koeln"}}, "three different regions"),
    ({"hit": "always"}, "option hit takes d6 <= value or d6 >= value"),
    ({"variant": "tiny"}, "option variant takes full or short"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_k14_what_an_option_does_not_take_is_refused_in_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError) as refusal:
        GAME.parse_options(values)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_k14_prices_are_options() -> None:
    options = {"region_price": 7, "bishop_election_price": 1, "king_election_price": 2}
    state = play(lay(pile="mainz trier koeln", options=options), "ACT_ACQUIRE KEEP:3 PLACE_DONE ACT_HARVEST")
    assert state.to_json()["gold"][0] == 30 - 14
    assert play(state, "ACT_BISHOP:mainz").to_json()["gold"][0] == 15


def test_k14_start_gold_churches_and_their_number_are_options() -> None:
    options = {"start_gold": 3, "start_churches": {"mainz": "hessen"}, "churches_per_diocese": 1}
    data = GAME.new_state(2, GAME.parse_options(options)).to_json()
    assert data["gold"] == [3, 3]
    assert data["churches"]["mainz"] == ["hessen"]
    state = lay(land={0: "aargau"}, options={"churches_per_diocese": 1})
    assert legal(play(state, "ACT_BUILD")) == ["CASTLE:aargau"]


def test_k14_figures_are_options() -> None:
    options = {"figures": {"foot": {"move": 2, "cost": 3}, "knight": {"move": 1}}}
    state = lay(land={0: "aargau", 1: "kurpfalz"}, figures={"aargau": "1F1K"}, options=options)
    assert legal(play(state, "ACT_ATTACK")) == ["MOVE_FROM:F:aargau"]


def test_k14_titles_and_votes_are_options() -> None:
    options = {"titles": {"boehmen": ["verona"]}, "votes_to_win": 1, "vote_order": list(reversed(BLOCK["vote_order"]))}
    state = play(lay(pile="verona trier koeln", options=options), "ACT_ACQUIRE KEEP:1 PLACE_DONE")
    assert holder(state, "boehmen") == 0
    play(state, "ACT_HARVEST ACT_KING STAND DECLINE VOTE:0")
    assert (phase(state), state.to_json()["king"]) == ("END", 0)
    assert owner(state, "verona") == 0


def test_8_the_harvest_is_an_option() -> None:
    options = {"harvest": {"region": 9, "cap": 20}}
    state = lay(land={0: "aargau baden trient"}, gold=[0, 0], options=options)
    assert play(state, "ACT_HARVEST").to_json()["gold"][0] == 20


@pytest.mark.parametrize("values", EXAMPLES)
def test_k14_every_choice_is_playable(values: dict[str, Any]) -> None:
    random = Random(1)
    state = GAME.new_state(3, GAME.parse_options({"round_limit": 8} | values), SeededChance(1))
    while state.seat() is not None:
        state.apply(random.choice(state.legal_actions()))
        if random.random() < 0.05:
            assert GAME.state_from_json(state.to_json()) == state


ENGINE = Path(str(engine.__file__)).parent
COPIED_FOLDER = "games/rex_romanorum"
DEFAULTS = json.loads((ENGINE / COPIED_FOLDER / "choices.json").read_text(encoding="utf-8"))
CHANGES: dict[str, Any] = {
    "church_price": 9,
    "castle_price": 8,
    "build": {"max_total": 4, "max_churches": 2, "max_castles": 1},
    "hit": "d6 >= value",
    "roll_order": {
        "field": DEFAULTS["roll_order"]["castle"],
        "castle": DEFAULTS["roll_order"]["field"],
    },
    "wealth": {**DEFAULTS["wealth"], "castle": 11},
    "round_limit": 7,
}
"""Every field of section 8 that is marked X, with another value."""

SHOW = """
import json
from engine.games.rex_romanorum import GAME
state = GAME.new_state(2)
print(json.dumps({
    "region": GAME.shown.labels("de")["aargau"],
    "options": GAME.options_json(GAME.parse_options({})),
    "played": state.to_json()["options"],
    "names": GAME.actions.names[490:552],
    "picture": GAME.shown.svg(state),
    "neighbours": __import__("engine.games.rex_romanorum.board", fromlist=["x"]).NEIGHBOURS,
}))
"""


def run_copy(directory: Path, change: Callable[[Path], None]) -> dict[str, Any]:
    """What the engine says of itself when the data files of its folder are changed."""
    copy = shutil.copytree(ENGINE, directory / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    change(copy / COPIED_FOLDER)
    finished = subprocess.run([sys.executable, "-c", SHOW], cwd=directory, capture_output=True, text=True, check=True)
    shown: dict[str, Any] = json.loads(finished.stdout)
    return shown


def test_8_every_reconstructed_choice_can_be_replaced_in_its_file(tmp_path: Path) -> None:
    def change(folder: Path) -> None:
        block = json.loads((folder / "choices.json").read_text(encoding="utf-8"))
        assert set(CHANGES) <= set(block)
        (folder / "choices.json").write_text(json.dumps(block | CHANGES), encoding="utf-8")

    shown = run_copy(tmp_path, change)
    for name, value in CHANGES.items():
        assert shown["options"][name] == shown["played"][name] == value, name


@pytest.mark.parametrize("name", CHANGES)
def test_8_every_reconstructed_choice_can_be_replaced_by_an_option(name: str) -> None:
    assert CHANGES[name] != DEFAULTS[name]
    assert GAME.options_json(GAME.parse_options({name: CHANGES[name]}))[name] == CHANGES[name]


def test_3_names_places_and_borders_can_be_replaced_in_their_file(tmp_path: Path) -> None:
    def change(folder: Path) -> None:
        board = json.loads((folder / "board.json").read_text(encoding="utf-8"))
        regions = {region["id"]: region for region in board["regions"]}
        regions["aargau"] |= {"name": "Thurgau", "x": 300}
        regions["aargau"]["neighbours"].remove("baden")
        regions["baden"]["neighbours"].remove("aargau")
        (folder / "board.json").write_text(json.dumps(board), encoding="utf-8")

    shown = run_copy(tmp_path, change)
    assert shown["neighbours"][0] & 1 << 3 == 0
    assert shown["region"] == "Thurgau"
    assert "Thurgau" in shown["picture"]
    assert shown["names"][0] == "MOVE_TO:aargau"


def test_8_the_defaults_are_checked_like_any_options() -> None:
    assert OPTIONS.parse(DEFAULTS) == OPTIONS.parse({})
    with pytest.raises(OptionsError, match="option wealth has no 'horses'"):
        OPTIONS.parse(dict(DEFAULTS) | {"wealth": {"horses": 1}})
