"""A wheel with a compiled engine, built once and unpacked; where none can be built, tests are skipped and say why."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT
from tools.compiling import what_is_missing

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def compiled_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = what_is_missing()
    if missing:
        pytest.skip(f"the engine cannot be compiled here: {missing}")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # whoever comes first builds it for all
        shared = shared.parent
    target = shared / "compiled-wheel"
    with (shared / "compiled-wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(target.glob("*.whl")):
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
            subprocess.run(command, cwd=ROOT, env={**os.environ, "ARENA_COMPILE": "1"}, check=True, capture_output=True)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def unpacked(compiled_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what is in the wheel: arena, bots, engine and ratings."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(compiled_wheel) as wheel:
        wheel.extractall(folder)
    return folder


def run_in(folder: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python so that it finds the packages in `folder` before those of the checkout."""
    paths = [str(folder)] if folder else []
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "PY"))}
    environment["PYTHONPATH"] = os.pathsep.join([*paths, str(ROOT / "examples/game_connect_four")])
    if folder:
        environment["ARENA_TEST_ENGINE"] = "compiled"
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
