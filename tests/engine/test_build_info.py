"""A compiled engine: made anew when its sources changed, and told of in one line when it is not whole."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from engine.build_info import STAMP, HalfBuiltError, look, stamp
from tests.support.pythons import run_in
from tests.support.sources import ROOT

ASKING = """
from engine.errors import EngineError
from engine import registry

try:
    registry.get("foreign_king")
except EngineError as error:
    print(error)
"""
BOT = """
import os
from bots.kit import Bot, run

class First(Bot):
    def decide(self, decision):
        return decision.legal_actions[0]

os.environ["ARENA_ADDRESS"] = "unix:/nowhere"
run(First())
"""
SUFFIX = EXTENSION_SUFFIXES[0]
SOURCE = "one.py"


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """The folder of an engine of two modules, one of them compiled."""
    (tmp_path / "games").mkdir()
    for name in (SOURCE, "two.py"):
        (tmp_path / name).write_text(f'"""{name}"""\n', encoding="utf-8")
    for name in ("one", "native__mypyc"):
        (tmp_path / f"{name}{SUFFIX}").touch()
    write_stamp(tmp_path, SOURCE)
    return tmp_path


def write_stamp(engine: Path, *sources: str, **changes: object) -> None:
    text = json.dumps(stamp(engine, sources, "mypyc 9") | changes)
    (engine / STAMP).write_text(text, encoding="utf-8")


def test_a_whole_one_is_told_with_its_compiler(engine: Path) -> None:
    build = look(engine)
    assert (build.modules, build.compiler, build.other_python) == (1, "mypyc 9", "")


def test_without_compiled_modules_the_sources_run(engine: Path) -> None:
    for path in engine.glob("*.so"):
        path.unlink()
    assert look(engine).modules == 0
    (engine / STAMP).unlink()
    assert look(engine).modules == 0


def test_what_is_for_another_python_is_told_and_does_not_run(engine: Path) -> None:
    for path in engine.glob("*.so"):
        path.rename(path.with_name(path.name.replace(SUFFIX, ".cpython-39-x.so")))
    write_stamp(engine, SOURCE, suffix=".cpython-39-x.so")
    build = look(engine)
    assert (build.modules, build.other_python) == (0, "cpython-39-x")


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (lambda engine: (engine / f"one{SUFFIX}").unlink(), f"half built: one{SUFFIX} is missing"),
        (lambda engine: (engine / f"native__mypyc{SUFFIX}").unlink(), f"half built: native__mypyc{SUFFIX} is missing"),
        (lambda engine: (engine / f"two{SUFFIX}").touch(), f"half built: two{SUFFIX} is of another build"),
        (lambda engine: (engine / f"one{SUFFIX}").write_text("cut"), f"half built: one{SUFFIX} is of another build"),
        (lambda engine: (engine / "games" / "nim.so").touch(), "half built: games/nim.so is of another build"),
        (lambda engine: (engine / STAMP).unlink(), f"half built: native__mypyc{SUFFIX} is of another build"),
        (lambda engine: (engine / STAMP).write_text("{"), f"half built: {STAMP} cannot be read"),
        (lambda engine: write_stamp(engine, SOURCE, sources=3), f"half built: {STAMP} cannot be read"),
        (lambda engine: (engine / SOURCE).write_text("changed = True\n"), f"of other sources: {SOURCE} has changed"),
        (lambda engine: (engine / SOURCE).unlink(), f"of other sources: {SOURCE} has changed"),
    ],
    ids=["module", "library", "another", "cut", "stray", "unstamped", "torn", "odd", "changed", "gone"],
)
def test_one_that_cannot_be_relied_on_is_refused(breaks: Callable[[Path], None], said: str, engine: Path) -> None:
    breaks(engine)
    with pytest.raises(HalfBuiltError, match=re.escape(f"`{sys.executable} -m engine.build_info remove`")) as refused:
        look(engine)
    assert said in str(refused.value)


def leave_modules(engine: Path) -> str:
    """Leave two that cannot be loaded, as when a build ends before the library is there to which they lead."""
    for name in ("chance", "core"):
        (engine / f"{name}{SUFFIX}").touch()
    return "the compiled engine is half built: "


def lose_the_library(engine: Path) -> str:
    """Leave all of a build but the library."""
    said = leave_modules(engine)
    write_stamp(engine, "chance.py", "core.py")
    return said


def change_a_source(engine: Path) -> str:
    """Leave a build of other sources."""
    for name in ("games/rex_romanorum/scoring", "native__mypyc"):
        (engine / f"{name}{SUFFIX}").touch()
    write_stamp(engine, "games/rex_romanorum/scoring.py")
    with (engine / "games/rex_romanorum/scoring.py").open("a", encoding="utf-8") as source:
        source.write("# one more line\n")
    return "the compiled engine is of other sources: "


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with an engine of its own, which stands before that of the checkout."""
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__", "*.so", STAMP))
    return tmp_path


@pytest.mark.parametrize(
    "breaks",
    [
        pytest.param(leave_modules, marks=pytest.mark.needs("minutes")),
        pytest.param(lose_the_library, marks=pytest.mark.needs("minutes")),
        change_a_source,
    ],
)
def test_programs_and_bots_say_it_in_one_line_and_the_way_back_works(breaks: Callable[[Path], str], copy: Path) -> None:
    said = breaks(copy / "engine")
    told = run_in(copy, "-m", "engine.build_info")
    assert (told.returncode, told.stdout.count("\n")) == (1, 1)
    assert told.stdout.startswith(said)
    assert run_in(copy, "-c", ASKING).stdout == told.stdout
    joined = run_in(copy, "-c", BOT)
    assert (joined.returncode, joined.stderr) == (1, told.stdout)
    assert run_in(copy, "-m", "engine.build_info", "remove").returncode == 0
    assert run_in(copy, "-c", ASKING).stdout == ""


@pytest.mark.needs("minutes")
def test_a_command_says_it_in_one_line_and_the_doctor_tells_of_it(copy: Path) -> None:
    change_a_source(copy / "engine")
    told = run_in(copy, "-m", "engine.build_info").stdout
    refused = run_in(copy, "-m", "arena.cli.main", "perft", "rex_romanorum", "--depth", "2")
    assert (refused.returncode, refused.stderr) == (1, f"arena: {told}")
    assert "FAILED" in run_in(copy, "-m", "arena.cli.main", "doctor").stdout


def test_it_depends_on_every_file_that_is_copied_and_on_none_that_is_made() -> None:
    target = f"build/compiled/engine/{STAMP}"
    told = subprocess.run(["make", "-pq", target], cwd=ROOT, capture_output=True, text=True).stdout
    (line,) = (line for line in told.splitlines() if line.startswith(f"{target}: "))
    needed = {name for name in line.split(": ")[1].split() if name.startswith("engine/")}
    copied = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "engine").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so" and path.name != STAMP
    }
    assert needed == copied
