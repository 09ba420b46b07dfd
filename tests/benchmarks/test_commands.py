"""Every benchmark can be run: it explains itself, and the README of the benchmarks names it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.sources import ROOT, text_of

FOLDER = Path("benchmarks")
HELP = """
import contextlib, importlib, io, json, sys
told = {}
for name in sys.argv[1:]:
    module, text = importlib.import_module(f"benchmarks.{name}"), io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        module.main(["--help"])
    told[name] = text.getvalue()
print(json.dumps(told))
"""


def commands() -> list[str]:
    """The modules that are programs."""
    return sorted(
        path.stem
        for path in (ROOT / FOLDER).glob("*.py")
        if path.stem != "__main__" and "\ndef main(" in path.read_text("utf-8")
    )


def test_every_benchmark_explains_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELP, *commands()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told) > 10
    assert not [name for name, text in told.items() if "usage: " not in text]


def test_the_readme_names_every_benchmark() -> None:
    text = text_of(FOLDER / "README.md")
    assert not [name for name in commands() if f"`{name}" not in text]
