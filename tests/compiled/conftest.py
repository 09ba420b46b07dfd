"""A wheel with a compiled engine, built once and unpacked."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.sources import ROOT


@pytest.fixture(scope="session")
def compiled_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("compiled-wheel")  # one for all: the folder's files run in one process
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
