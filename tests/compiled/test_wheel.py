"""The wheel with a compiled engine: for whom it is, what is in it, and that it plays."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

from engine.build_info import STAMP
from tests.support.patience import ANY_TIME
from tests.support.places import Place
from tests.support.pythons import run_in
from tests.support.sources import ROOT
from tools.compiling import sources

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
