"""A wheel with a compiled engine, built once and unpacked."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.support.sources import ROOT


@pytest.fixture(scope="session")
def compiled_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: the folder's files run in one process."""
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
