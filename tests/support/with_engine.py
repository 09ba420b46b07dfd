"""Python with an engine of its own: a compiled one, or one that is broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT


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
