"""What is reconstructed is data: another list in the game's folder changes the game without a line of code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.core import OptionsError
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.options import OPTIONS

ENGINE = Path(str(engine.__file__)).parent
FOLDER = "games/rex_romanorum"
DEFAULTS = json.loads((ENGINE / FOLDER / "choices.json").read_text(encoding="utf-8"))
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
    change(copy / FOLDER)
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
