"""A compiled engine that is not whole, or not of these sources, is told of in one line, with a way back that works."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from engine.compiled import STAMP, HalfBuiltError, look, stamp
from tests.compiled.conftest import run_in

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
    write_stamp(tmp_path)
    return tmp_path


def write_stamp(engine: Path, **changes: object) -> None:
    text = json.dumps(stamp(engine, [SOURCE], "mypyc 9") | changes)
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
    write_stamp(engine, suffix=".cpython-39-x.so")
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
        (lambda engine: write_stamp(engine, sources=3), f"half built: {STAMP} cannot be read"),
        (lambda engine: (engine / SOURCE).write_text("changed = True\n"), f"of other sources: {SOURCE} has changed"),
        (lambda engine: (engine / SOURCE).unlink(), f"of other sources: {SOURCE} has changed"),
    ],
    ids=["module", "library", "another", "cut", "stray", "unstamped", "torn", "odd", "changed", "gone"],
)
def test_one_that_cannot_be_relied_on_is_refused(breaks: Callable[[Path], None], said: str, engine: Path) -> None:
    breaks(engine)
    with pytest.raises(HalfBuiltError, match=re.escape(f"`{sys.executable} -m engine.compiled remove`")) as refused:
        look(engine)
    assert said in str(refused.value)


def drop_rules(engine: Path) -> None:
    next(engine.glob("games/rex_romanorum/rules/turn.*.so")).unlink()


def drop_library(engine: Path) -> None:
    next(engine.glob("native__mypyc*.so")).unlink()


def cut_library(engine: Path) -> None:
    library = next(engine.glob("native__mypyc*.so"))
    os.truncate(library, library.stat().st_size // 2)


def change_source(engine: Path) -> None:
    with (engine / "chance.py").open("a", encoding="utf-8") as source:
        source.write("# one more line\n")


@pytest.mark.parametrize("breaks", [drop_rules, drop_library, cut_library, change_source])
def test_a_command_says_it_in_one_line_and_the_way_back_works(
    breaks: Callable[[Path], None], unpacked: Path, tmp_path: Path
) -> None:
    shutil.copytree(unpacked, tmp_path / "broken")
    breaks(tmp_path / "broken" / "engine")
    question = ("-m", "arena.cli.main", "perft", "rex_romanorum", "--depth", "2")
    refused = run_in(tmp_path / "broken", *question)
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("arena: the compiled engine is ")
    assert run_in(tmp_path / "broken", "-m", "engine.compiled").stdout.splitlines() == [line.removeprefix("arena: ")]
    assert "FAILED" in run_in(tmp_path / "broken", "-m", "arena.cli.main", "doctor").stdout or breaks is drop_library
    assert run_in(tmp_path / "broken", "-m", "engine.compiled", "remove").returncode == 0
    answered = run_in(tmp_path / "broken", *question)
    assert (answered.returncode, answered.stdout) == (0, run_in(None, *question).stdout)
