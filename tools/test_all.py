"""Runs pytest, and each test that failed once more alone: `python -m tools.test_all -m pytest -n 3 -m needs`.

For tests of whole programs only. A test that passes then is told as flaky in the last lines, and is the first thing to
be mended next; a run with more than three of them, or with one that fails again, has failed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_FAILED = Path(__file__).resolve().parents[1] / ".pytest_cache/v/cache/lastfailed"
_MOST_FLAKY = 3
_TESTS_FAILED = 1  # what pytest ends with when it ran all tests, and some failed; tests/conftest.py sees to the first


def main(arguments: Sequence[str]) -> int:
    """Run Python with these arguments, then the tests that failed; return what pytest would."""
    _FAILED.unlink(missing_ok=True)
    code = subprocess.call([sys.executable, *arguments])
    if code != _TESTS_FAILED:
        return code
    failed: list[str] = list(json.loads(_FAILED.read_text("utf-8")))
    if len(failed) > _MOST_FLAKY:
        return code
    sys.stdout.write(f"running once more, alone: {', '.join(failed)}\n")
    sys.stdout.flush()
    if subprocess.call([sys.executable, "-m", "pytest", *failed]):
        return code
    sys.stdout.write("".join(f"FLAKY: {name}\n" for name in failed))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
