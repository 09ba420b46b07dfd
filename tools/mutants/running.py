"""Runs tests over a copy of the checkout with one fault in it: those that are near to the fault first, then the others.

Most faults are noticed by the tests of their own file, in a few seconds; files of quick tests come first. A fault has
survived only when all tests of its area have passed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.mutants.faults import Fault
from tools.mutants.results import PLACE

_ROOT = Path(__file__).resolve().parents[2]
_PYTHON = _ROOT / ".venv-all" / "bin" / "python"
_TEST_S = 60  # how long one test may take; longer, and it has noticed the fault, which made something hang
_PATIENCE = 10  # how many times as long as without a fault tests may take together; longer, and the fault is noticed
_LEAST_PATIENCE_S = 120
_UNMEASURED_S = 600  # how long files of tests may take of which nobody knows yet how long they take
_LONGEST_S = 7200  # how long all tests of an area may take, likewise
_TOOK = re.compile(r"^([0-9.]+)s (?:call|setup|teardown) +([^:]+)::", re.MULTILINE)
"""How pytest tells how long each part of a test took."""
_TIMES = PLACE / "seconds.json"  # how long the tests of each file took when they were last measured
_NOTHING_COLLECTED = 5  # what pytest ends with when there was no test


class Checkout:
    """A copy of the checkout as it is in its directory, in which faults are made and mended again."""

    def __init__(self, place: Path, tests: Sequence[str], marks: str) -> None:
        """Copy into a new directory what git knows, and what is new there; these are the tests that must notice.

        `marks` is an expression of pytest that chooses among them; if it is empty, all must.
        """
        self._place = place
        self._tests = tests
        self._marks = marks
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
        took = self._took = _read_times()
        found = [[place / one] if (place / one).is_file() else (place / one).rglob("test_*.py") for one in tests]
        files = [str(file.relative_to(place)) for some in found for file in some]
        self._files = sorted(files, key=lambda file: (took.get(file, 0.0), file))

    def measure(self) -> str:
        """Run all tests without a fault, and return what failed: nothing, or the tests cannot tell anything."""
        failed = self._run(self._tests, "--durations=0", "-vv", note=_keep_times)
        self._took = _read_times()
        return failed

    def near(self, fault: Fault) -> list[str]:
        """Return the tests that are likely to notice a fault: those that name its module, or those of its folder."""
        module = fault.path.removesuffix(".py").replace("/", ".")
        package, _, stem = module.rpartition(".")
        texts = {file: (self._place / file).read_text(encoding="utf-8") for file in self._files}
        named = [
            file
            for file, text in texts.items()
            if Path(file).stem == f"test_{stem}" or module in text or f"from {package} import {stem}" in text
        ]
        named.sort(key=lambda file: Path(file).stem != f"test_{stem}")
        folder = "tests/" + str(Path(fault.path).parent).partition("/")[2]
        return named or [file for file in self._files if file.startswith(f"{folder}/")]

    def notice_near(self, fault: Fault) -> str:
        """Return which of the tests near to a fault notices it, or nothing."""
        near = self.near(fault)
        return self._with(fault, near) if near else ""

    def notice_far(self, fault: Fault) -> str:
        """Return which of the other tests notices a fault, or nothing."""
        near = self.near(fault)
        far = [file for file in self._files if file not in near]
        return self._with(fault, far) if far else ""

    def _with(self, fault: Fault, tests: Sequence[str]) -> str:
        file = self._place / fault.path
        sound = file.read_bytes()
        file.write_text(fault.code, encoding="utf-8")
        try:
            return self._run(tests)
        finally:
            file.write_bytes(sound)

    def _run(self, tests: Sequence[str], *options: str, note: Callable[[str], None] = lambda _: None) -> str:
        if all(file in self._took for file in tests):
            limit_s: float = max(_LEAST_PATIENCE_S, _PATIENCE * sum(self._took[file] for file in tests))
        else:
            limit_s = _UNMEASURED_S if set(tests) <= set(self._files) else _LONGEST_S
        command = [str(_PYTHON), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", f"timeout={_TEST_S}"]
        command += ["-m", self._marks]
        environment = {**os.environ, "PYTHONPATH": str(self._place), "PYTHONDONTWRITEBYTECODE": "1"}
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [*command, *options, *tests],
                cwd=self._place,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            try:
                code = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                return "it hangs"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 9)
                process.wait()
            output.seek(0)
            told = output.read().decode(errors="replace")
            note(told)
            if code in {0, _NOTHING_COLLECTED}:
                return ""
            failures = [line for line in told.splitlines() if line.startswith(("FAILED ", "ERROR "))]
            if failures:
                return failures[0].partition(" ")[2].partition(" - ")[0]
            return (told.splitlines() or ["it crashes"])[-1]


def _read_times() -> dict[str, float]:
    """Return how long the tests of each file took when they were last measured, in seconds."""
    found: dict[str, float] = json.loads(_TIMES.read_text(encoding="utf-8")) if _TIMES.exists() else {}
    return found


def _keep_times(output: str) -> None:
    measured: dict[str, float] = {}
    for seconds, file in _TOOK.findall(output):
        measured[file] = measured.get(file, 0.0) + float(seconds)
    PLACE.mkdir(exist_ok=True)
    _TIMES.write_text(json.dumps(_read_times() | measured, indent=1), encoding="utf-8")
