"""Pythons for tests: real virtual environments with made-up packages, and one with an engine of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

from arena.hosting.runtimes.runtime import RuntimeDefinition, RuntimeKind, RuntimeSettings
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT

NAME = "python-ml"


def make_venv(directory: Path, *packages: str) -> Path:
    """A virtual environment without pip, with these packages, each written `name==version`."""
    venv.create(directory, with_pip=False, symlinks=True)
    for package in packages:
        name, _, version = package.partition("==")
        add_package(directory, name, version)
    return directory


def site_packages(directory: Path) -> Path:
    (found,) = (directory / "lib").glob("python3.*/site-packages")
    return found


def add_package(directory: Path, name: str, version: str) -> None:
    """Install a package of one module, in which `VERSION` is its version, over an older version of it."""
    site = site_packages(directory)
    (site / f"{name}.py").write_text(f"VERSION = {version!r}\n", encoding="utf-8")
    metadata = site / f"{name}.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


def lend_grpc(directory: Path) -> tuple[Path, ...]:
    """Let a virtual environment import gRPC from where the tests have it; these directories its bots must see."""
    found = [importlib.util.find_spec(name) for name in ("grpc", "google.protobuf")]
    grpc, protobuf = (Path(spec.origin).parent for spec in found if spec is not None and spec.origin is not None)
    site = site_packages(directory)
    (site / "lent.pth").write_text(f"{grpc.parent}\n", encoding="utf-8")
    names = ("typing_extensions.py",)
    lent = [grpc.parent / name for name in names if (grpc.parent / name).exists()]
    return (grpc, protobuf.parent, *lent)


def settings_for(directory: Path, *trees: Path) -> RuntimeSettings:
    """The settings in which `python-ml` is that virtual environment."""
    return RuntimeSettings({NAME: RuntimeDefinition(NAME, RuntimeKind.PYTHON, venv=directory, trees=trees)})


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
