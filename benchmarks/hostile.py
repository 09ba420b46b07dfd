"""All hostile bots and all faults of the host that the tests know, again and again: honest bots must lose nothing.

    python -m benchmarks.hostile [--runs 20] [--only hostile|host_fault] [--match EXPRESSION] [--jobs N]

The tests that carry one of the two marks are run so many times, as many files side by side as there are cores. Each of
them fails if an honest bot loses anything, if the host loses what is its own, or if not who did it is named. It prints
how many behaviours and faults they hold, and every test that failed with how often it did; it fails if one did.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.marked_names import FILE, LISTED, files_with

MARKS = {"hostile": "behaviours of hostile bots", "host_fault": "faults of the host"}
_ROOT = Path(__file__).resolve().parents[1]
_NO_TESTS = 5
"""The exit status of pytest when nothing was selected."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of the tests in one run."""

    passed: int
    skipped: int
    failed: dict[str, str]
    """The tests that did not pass, and the first line of why."""


def _pytest(mark: str, options: argparse.Namespace, *more: str) -> list[str]:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", mark, *more]
    return [*words, "-k", options.match] if options.match else words


def find_tests(mark: str, options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return the names that the tests carry with a mark, each once, and the files of these tests.

    Raises CalledProcessError.
    """
    marked = map(str, files_with(mark))
    command = _pytest(mark, options, "--collect-only", "-p", "tests.support.marked_names", *marked)
    found = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    if found.returncode not in (0, _NO_TESTS):
        raise subprocess.CalledProcessError(found.returncode, command, found.stdout, found.stderr)
    lines = found.stdout.splitlines()
    names, files = ([line.removeprefix(word) for line in lines if line.startswith(word)] for word in (LISTED, FILE))
    return names, files


def run_once(mark: str, files: Sequence[str], options: argparse.Namespace) -> Run:
    """Run the tests with a mark in these files once. Raises CalledProcessError if they could not be run."""
    # The path is short, for the sockets in the homes of services.
    with tempfile.TemporaryDirectory(prefix="hostile-") as directory:
        report = Path(directory, "report.xml")
        side_by_side = ["-n", str(options.jobs), "--dist", "loadfile", "--no-loadscope-reorder"]
        command = _pytest(mark, options, f"--junitxml={report}", f"--basetemp={directory}/t", *side_by_side, *files)
        ended = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
        if not report.exists():
            raise subprocess.CalledProcessError(ended.returncode, command, ended.stdout, ended.stderr)
        cases = list(ElementTree.parse(report).iter("testcase"))
    failed = {_name(case): why for case in cases if (why := _why(case)) is not None}
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Run(len(cases) - len(failed) - skipped, skipped, failed)


def _name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}::{case.get('name')}"


def _why(case: ElementTree.Element) -> str | None:
    wrong = case.find("failure") if case.find("error") is None else case.find("error")
    return None if wrong is None else wrong.get("message", "").partition("\n")[0]


def _try(mark: str, options: argparse.Namespace) -> Counter[str]:
    """Run the tests with a mark as often as is wanted, print the figures, and return how often which test failed."""
    names, files = find_tests(mark, options)
    print(f"{MARKS[mark]}: {len(names)}")
    failures: Counter[str] = Counter()
    started = time.perf_counter()
    for number in range(1, options.runs + 1 if files else 1):
        run = run_once(mark, files, options)
        failures.update(run.failed)
        print(f"  run {number}: {run.passed} tests passed, {run.skipped} skipped, {len(run.failed)} failed")
        for test, why in run.failed.items():
            print(f"    {test}: {why}")
        sys.stdout.flush()
    print(f"  {options.runs} runs in {time.perf_counter() - started:.0f} s")
    return failures


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every test passed every time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", choices=sorted(MARKS))
    parser.add_argument("--match", default="", metavar="EXPRESSION", help="only tests that it names, as pytest's -k")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many files are tested at once")
    options = parser.parse_args(arguments)
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"as {who}, {os.cpu_count()} cores")
    failures: Counter[str] = Counter()
    for mark in [options.only] if options.only else MARKS:
        failures += _try(mark, options)
    for test, times in failures.most_common():
        print(f"failed {times} times of {options.runs}: {test}")
    print("an honest bot lost something, or a host" if failures else "honest bots lost nothing, and no host did")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
