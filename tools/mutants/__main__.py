"""Tries the faults of the areas that are named, or of all: `python -m tools.mutants [AREA ...]`.

The sample is fixed by a seed, so that two runs over the same code try the same faults. A fault that no test notices
must be mended by a test, or be listed with the reason why it changes nothing in `survivors.toml`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.mutants.areas import AREAS, LEAST_NOTICED, SAMPLE, Area
from tools.mutants.faults import Fault, draw

_ROOT = Path(__file__).resolve().parents[2]
_PYTHON = _ROOT / ".venv" / "bin" / "python"
_SEED = "kingmaker"
_PATIENCE = 10
"""How many times as long as without a fault the tests may take; longer, and the fault is noticed."""
_LEAST_PATIENCE_S = 60


def main(names: Sequence[str]) -> int:
    """Try the faults of each area, say which no test noticed, and return 1 if these are too many, or not explained."""
    reasons = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text(encoding="utf-8"))["reasons"]
    with tempfile.TemporaryDirectory(prefix="arena-mutants-") as directory:
        place = Path(directory) / "checkout"
        _copy(place)
        return max(_try_area(place, name, AREAS[name], reasons) for name in names or AREAS)


def _copy(place: Path) -> None:
    """Copy the checkout as it is in its directory: what git knows, and what is new there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=_ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (_ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / name, place / name)


def _try_area(place: Path, name: str, area: Area, reasons: dict[str, str]) -> int:
    began = time.monotonic()
    if not _passes(place, area, None):
        _say(f"{name}: its tests fail without any fault; mend that first")
        return 1
    limit_s = max(_LEAST_PATIENCE_S, _PATIENCE * (time.monotonic() - began))
    faults = draw(_ROOT, area.code, SAMPLE, f"{_SEED} {name}")
    survivors = unexplained = 0
    for fault in faults:
        if _survives(place, area, fault, limit_s):
            survivors += 1
            unexplained += _report(fault, reasons.get(fault.key)) is None
    noticed = len(faults) - survivors
    _say(f"{name}: {noticed} of {len(faults)} noticed, {survivors - unexplained} change nothing")
    return int(bool(unexplained) or noticed < LEAST_NOTICED * (len(faults) - (survivors - unexplained)))


def _report(fault: Fault, reason: str | None) -> str | None:
    """Say which fault no test has noticed, and return the reason why it changes nothing, if one is known."""
    why = reason or "NO TEST NOTICES IT"
    _say(f"  {fault.path}:{fault.line}: {fault.name}: {fault.text}\n    {why}")
    return reason


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _survives(place: Path, area: Area, fault: Fault, limit_s: float) -> bool:
    file = place / fault.path
    sound = file.read_bytes()
    file.write_text(fault.code, encoding="utf-8")
    try:
        return _passes(place, area, limit_s)
    finally:
        file.write_bytes(sound)


def _passes(place: Path, area: Area, limit_s: float | None) -> bool:
    command = [str(_PYTHON), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *area.tests]
    environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            return process.wait(limit_s) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a run, which a fault may have made hang."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
