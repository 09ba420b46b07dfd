"""What an interrupted build leaves beside the sources is told of in one line, to a program and by a bot."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from engine.compiled import STAMP, stamp
from tests.compiled.conftest import run_in
from tests.support.sources import ROOT

SUFFIX = EXTENSION_SUFFIXES[0]
ASKING = """
from engine.errors import EngineError
from engine import registry

try:
    registry.get("foreign_king")
except EngineError as error:
    print(error)
"""
BOT = """
from bots.kit import Bot, run

class First(Bot):
    def decide(self, decision):
        return decision.legal_actions[0]

run(First())
"""


def leave_modules(engine: Path) -> None:
    """Leave two that cannot be loaded, as when a build ends before the library is there to which they lead."""
    for name in ("chance", "core"):
        (engine / f"{name}{SUFFIX}").touch()


def lose_the_library(engine: Path) -> None:
    """Leave all of a build but the library."""
    leave_modules(engine)
    text = json.dumps(stamp(engine, ["chance.py", "core.py"], "mypyc 9"))
    (engine / STAMP).write_text(text, encoding="utf-8")


@pytest.fixture(params=[leave_modules, lose_the_library])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with all packages, of whose engine something is compiled that cannot be loaded."""
    for package in ("arena", "bots", "engine"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "static"))
    leave: Callable[[Path], None] = request.param
    leave(tmp_path / "engine")
    return tmp_path


def told_by(folder: Path) -> str:
    said = run_in(folder, "-m", "engine.compiled").stdout
    assert said.startswith("the compiled engine is half built: ")
    return said


def test_a_program_that_asks_for_a_game_is_told_of_it(broken: Path) -> None:
    assert run_in(broken, "-c", ASKING).stdout == told_by(broken)


def test_a_bot_says_it_in_one_line_before_it_joins(broken: Path) -> None:
    program = f"import os; os.environ['ARENA_ADDRESS'] = 'unix:/nowhere'{BOT}"
    ended = run_in(broken, "-c", program)
    assert (ended.returncode, ended.stderr) == (1, told_by(broken))


def test_without_anything_compiled_a_game_is_there(broken: Path) -> None:
    assert run_in(broken, "-m", "engine.compiled", "remove").returncode == 0
    assert run_in(broken, "-c", ASKING).stdout == ""
