"""The compiled engine does what its sources do; and its wheel: for whom it is, what is in it, that it plays."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from engine.build_info import STAMP
from tests.support.patience import ANY_TIME
from tests.support.places import Place
from tests.support.pythons import run_in
from tests.support.sources import ROOT
from tools.compiling import sources


@pytest.fixture(scope="session")
def compiled_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all."""
    target = tmp_path_factory.mktemp("compiled-wheel")
    compiler = target / "cc"  # optimising takes twice as long, and `make test-compiled` has an optimised engine
    compiler.write_text(f'#!/bin/sh\nexec {(sysconfig.get_config_var("CC") or "cc").split()[0]} "$@" -O0\n')
    compiler.chmod(0o755)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    environment = os.environ | {"ARENA_COMPILE": "1", "CC": str(compiler)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def unpacked(compiled_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what is in the wheel: arena, bots, engine and ratings."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(compiled_wheel) as wheel:
        wheel.extractall(folder)
    return folder


# Which class is native stands in what mypyc leaves in it.
PRELUDE = """
import copy, hashlib, json, pickle, sys
from dataclasses import fields, replace
from engine import core, registry
from engine.chance import Chance, SeededChance, ScriptedChance
from engine.mypyc_support import is_native
from engine.perft import perft
from engine.playout import playouts
from tests.support.own_games import OURS
"""
PLAYED = (
    PRELUDE
    + """
from engine.playout import moves
for name in OURS:
    game = registry.get(name)
    for seats in game.seats:
        told = hashlib.sha256()
        for move in moves(game, seats, seed=7):
            told.update(f"{move.notation} {move.chance} {move.after.to_json()}".encode())
            told.update(game.encode_observation(move.after, move.seat)[1])
            if game.playable:
                told.update(repr(tuple(game.playable.evaluate_all(move.after))).encode())
        ends = playouts(game.new_state(seats, chance=SeededChance(3)), 5, seed=11)
        print(name, seats, told.hexdigest(), [(end.ranks, end.details) for end in ends])
"""
)
PLUG_IN = (
    PRELUDE
    + """
import game_connect_four
from game_connect_four.state import ConnectFourState
from tests.support.script_game import ScriptState, GAME as SCRIPT

game = game_connect_four.GAME
state = game.new_state(2)
print(json.dumps({
    "native": [is_native(kind) for kind in (core.State, ConnectFourState, ScriptState)],
    "is_a": [isinstance(state, core.State), isinstance(game, core.Game)],
    "name": [game.name, game.has_chance, game.seats[0]],
    "perft": [perft(state, 4), perft(SCRIPT.new_state(2, chance=ScriptedChance([[3]] * 9)), 3)],
    "ends": [end.ranks for end in playouts(state, 20, seed=5)],
    "scripted": [end.ranks for end in playouts(SCRIPT.new_state(2, chance=SeededChance(1)), 5, seed=5)],
}))
"""
)
PYTHON = (
    PRELUDE
    + """
def raised(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]

def twins_of(one):
    return [copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))]

for name in OURS:
    state = registry.get(name).new_state(3, chance=SeededChance(2))
    for _ in range(30):
        state.apply(state.legal_actions()[-1])
    twins = [state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    before = state.to_json()
    twins[0].apply(twins[0].legal_actions()[0])
    print(json.dumps([
        [twin == state for twin in twins], state.to_json() == before, repr(state)[:40],
        raised(lambda: hash(state)), raised(lambda: state.apply(-1)), raised(lambda: state.apply(10 ** 30)),
        raised(lambda: setattr(state, "unheard_of", 1)) is not None, hasattr(state, "__dict__"),
        raised(lambda: core.Outcome((1,)).__setattr__("ranks", ())), repr(core.Reveal("d6", (3,))),
        raised(lambda: ScriptedChance([]).d6()), ScriptedChance([[2, 0, 1]]).permutation(3),
        raised(lambda: core.ActionTable(["a", "a"])),
        [repr(copy.deepcopy(one)) for one in (core.Outcome((1, 2), {"a": [1]}), core.Reveal("card", (4,)))],
        [repr(pickle.loads(pickle.dumps(one))) for one in (core.Outcome((2, 1)), core.Observation(state, 1))][0],
        [repr(twin) for twin in twins_of(state.options)], [twin == state.options for twin in twins_of(state.options)],
        hash(state.options) == hash(twins_of(state.options)[0]),
        raised(lambda: setattr(state.options, fields(state.options)[0].name, "new")),
        repr(replace(state.options, **{fields(state.options)[0].name: "other"})),
    ]))
"""
)
NO_INT = (
    PRELUDE
    + """
class Index:
    def __index__(self):
        return self.number

for name in OURS:
    game = registry.get(name)
    state = game.new_state(2, chance=SeededChance(1))
    before = state.clone()
    action = Index()
    action.number = state.legal_actions()[0]
    for call in (state.is_legal, state.apply, state.apply_unchecked, game.actions.format):
        try:
            call(action)
        except TypeError as error:
            print(error, state == before)
"""
)


def test_an_action_that_is_no_int_is_refused_and_nothing_changes(unpacked: Path) -> None:
    done = run_in(unpacked, "-c", NO_INT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "int object expected; got __main__.Index True\n" * 8


def test_the_engines_own_tests_pass_on_the_compiled_one(unpacked: Path) -> None:
    chosen = ("-m", "not needs", "-k", "not picture and not half_built")  # pictures are drawn by what is not compiled
    tests = ("tests/engine", "tests/examples/test_connect_four.py")
    done = run_in(unpacked, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, *tests)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("program", [PLAYED, PLUG_IN, PYTHON], ids=["played", "plug-in", "python"])
def test_a_program_finds_no_difference(program: str, unpacked: Path) -> None:
    compiled, interpreted = run_in(unpacked, "-c", program), run_in(None, "-c", program)
    assert compiled.returncode == interpreted.returncode == 0, compiled.stderr + interpreted.stderr
    native = '"native": [true, false, false]'
    assert compiled.stdout.replace(native, '"native": [false, false, false]') == interpreted.stdout
    assert (native in compiled.stdout) == (program is PLUG_IN)


PERFT = """
from engine import registry
state = registry.get("rex_romanorum").new_state(2)
from engine.perft import perft
print(perft(state, 2))
"""


def test_it_is_for_this_python_and_holds_sources_and_compiled_modules(compiled_wheel: Path) -> None:
    this = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{this}-{this}-" in compiled_wheel.name
    with zipfile.ZipFile(compiled_wheel) as wheel:
        names = set(wheel.namelist())
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "arena",
        "bots",
        "engine",
        "ratings",
    }
    assert f"engine/{STAMP}" in names
    for source in sources(ROOT / "engine"):
        stem = f"engine/{source.removesuffix('.py')}"
        assert f"{stem}.py" in names
        assert any(name.startswith(f"{stem}.cpython") for name in names), source


def test_doctor_says_which_engine_runs(unpacked: Path, tmp_path: Path) -> None:
    said = f"compiled by mypyc {version('mypy')}, {len(sources(ROOT / 'engine'))} modules"
    compiled = json.loads(run_in(unpacked, "-m", "arena.cli.main", "doctor", "--json").stdout)
    interpreted = Place(tmp_path).here("doctor", "--json").json
    for found, detail in ((compiled, said), (interpreted, "interpreted from its sources")):
        assert {"check": "engine", "state": "ok", "detail": detail, "remedy": ""} in found


def test_a_match_is_refereed_as_the_sources_would(unpacked: Path, tmp_path: Path) -> None:
    place, match = Place(tmp_path), ("--game", "rex_romanorum", "--bots", "random,random", "--seed", "4", *ANY_TIME)
    place.ok("bot", "add", "random", ROOT / "bots/random")
    done = run_in(unpacked, "-m", "arena.cli.main", "match", "run", *match, "--db", str(place.db))
    assert done.returncode == 0, done.stderr
    place.ok("match", "run", *match)
    first, second = place.ok("match", "list", "--json").json
    assert first["game_digest"] == second["game_digest"]


def test_a_library_that_is_cut_short_is_told_of_and_the_way_back_works(unpacked: Path, tmp_path: Path) -> None:
    shutil.copytree(unpacked / "engine", tmp_path / "engine")
    library = next(tmp_path.glob("engine/native__mypyc*.so"))
    os.truncate(library, library.stat().st_size // 2)
    question = ("-c", PERFT)
    refused = run_in(tmp_path, *question)
    assert refused.returncode == 1
    assert f"the compiled engine is half built: {library.name} is of another build" in refused.stderr
    assert run_in(tmp_path, "-m", "engine.build_info", "remove").returncode == 0
    assert run_in(tmp_path, *question).stdout == run_in(unpacked, *question).stdout


def test_without_a_compiler_no_wheel_is_built_and_the_way_back_is_said(tmp_path: Path) -> None:
    environment = os.environ | {"PATH": str(tmp_path), "ARENA_COMPILE": "1"}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the engine cannot be compiled: there is no C compiler" in done.stderr
    assert "without ARENA_COMPILE=1 a pure one is" in done.stderr
    assert not list(tmp_path.glob("dist/*.whl"))
