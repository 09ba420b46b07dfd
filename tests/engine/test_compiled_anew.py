"""The engine of `make test-compiled` is made anew when anything has changed that it is made of, also a board alone."""

from __future__ import annotations

import subprocess

from engine.compiled import STAMP
from tests.support.sources import ROOT


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
