"""All hostile bots and all faults of the host that the tests know, again and again: honest bots must lose nothing.

    python -m benchmarks.hostile [--runs 20] [--all] [--only hostile|host_fault] [--match EXPRESSION] [--jobs N]

The first run is of all tests that carry one of the two marks. Each later one is of the quickest tests that together
hold every behaviour and every fault again (with --all: of all of them again). Each of these tests fails if an honest
bot loses anything, if the host loses what is its own, or if not who did it is named. It prints how many behaviours and
faults were held in how many runs, those that this machine or this user cannot try, and every test that failed, with
how often it did; it fails if one did.
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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.marked_names import CHOSEN, MARKS, NAMED, TEST, all_names, files_with

TITLES = {"hostile": "behaviours of hostile bots", "host_fault": "faults of the host"}
_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Case:
    """A test in one run."""

    test: str
    """Its id."""
    names: frozenset[str]
    """What its marks name."""
    seconds: float
    """How long it took, its fixtures included."""
    skipped: bool = False
    failed: str | None = None
    """The first line of why it did not pass."""


def run_once(options: argparse.Namespace, chosen: Iterable[str] | None = None) -> list[Case]:
    """Run the tests with the wanted marks once, or only those chosen.

    Raises CalledProcessError if they could not be run.
    """
    marks = [options.only] if options.only else MARKS
    files = [*dict.fromkeys(str(file) for mark in marks for file in files_with(mark))]
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.support.marked_names"]
    words += ["-n", str(options.jobs), "--dist", "loadfile", "--no-loadscope-reorder", "-m", " or ".join(marks)]
    # The path is short, for the sockets in the homes of services.
    with tempfile.TemporaryDirectory(prefix="hostile-") as directory:
        report = Path(directory, "report.xml")
        words += [f"--junitxml={report}", f"--basetemp={directory}/t"]
        if chosen is not None:
            listed = Path(directory, "chosen")
            listed.write_text("".join(f"{test}\n" for test in chosen), "utf-8")
            words += [CHOSEN, str(listed)]
            files = [*dict.fromkeys(test.partition("::")[0] for test in listed.read_text("utf-8").splitlines())]
        elif options.match:
            words += ["-k", options.match]
        ended = subprocess.run([*words, *files], cwd=_ROOT, capture_output=True, text=True, check=False)
        if not report.exists():
            raise subprocess.CalledProcessError(ended.returncode, words, ended.stdout, ended.stderr)
        cases = []
        for case in ElementTree.parse(report).iter("testcase"):
            told = [(one.get("name"), one.get("value", "")) for one in case.iter("property")]
            test = next((value for name, value in told if name == TEST), f"{case.get('classname')}::{case.get('name')}")
            names = frozenset(value for name, value in told if name == NAMED)
            wrong = case.find("failure") if case.find("error") is None else case.find("error")
            why = None if wrong is None else wrong.get("message", "").partition("\n")[0]
            cases.append(Case(test, names, float(case.get("time", "0")), case.find("skipped") is not None, why))
        return cases


def choose_quickest(cases: Iterable[Case]) -> list[str]:
    """Return the ids of few and quick tests which together name all that the tests that ran name.

    The cases of one function that name the same are taken together or not at all: each may be another part of it.
    """
    groups: dict[tuple[str, frozenset[str]], list[Case]] = {}
    for case in cases:
        if not case.skipped:
            groups.setdefault((case.test.partition("[")[0], case.names), []).append(case)
    missing = {name for _, names in groups for name in names}
    chosen: list[str] = []

    def price(one: tuple[str, frozenset[str]]) -> float:
        """Return the seconds for each name that a group adds; one that adds none is never worth it."""
        new_names = len(one[1] & missing)
        return sum(case.seconds for case in groups[one]) / new_names if new_names else float("inf")

    while missing:
        best = min(groups, key=price)
        missing -= best[1]
        chosen += [case.test for case in groups.pop(best)]
    return sorted(chosen)


def _names_held(run: Iterable[Case]) -> set[str]:
    """The names of which every test that could be run has passed."""
    ran = [case for case in run if not case.skipped]
    return {name for case in ran for name in case.names} - {
        name for case in ran if case.failed is not None for name in case.names
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every test passed every time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--all", action="store_true", help="run every test every time, not only the quickest of each name"
    )
    parser.add_argument("--only", choices=sorted(MARKS))
    parser.add_argument("--match", default="", metavar="EXPRESSION", help="only tests that it names, as pytest's -k")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many files are tested at once")
    options = parser.parse_args(arguments)
    print(f"as {'root' if os.geteuid() == 0 else 'an ordinary user'}, {os.cpu_count()} cores", flush=True)
    runs: list[list[Case]] = []
    failures: Counter[str] = Counter()
    while len(runs) < options.runs:
        started = time.perf_counter()
        runs.append(run_once(options, choose_quickest(runs[0]) if runs and not options.all else None))
        failed = {case.test: case.failed for case in runs[-1] if case.failed is not None}
        failures.update(list(failed))
        skipped = sum(case.skipped for case in runs[-1])
        passed = len(runs[-1]) - skipped - len(failed)
        took = time.perf_counter() - started
        print(f"run {len(runs)}: {passed} tests passed, {skipped} skipped, {len(failed)} failed, {took:.0f} s")
        for test, why in failed.items():
            print(f"    {test}: {why}")
        sys.stdout.flush()
    for mark in [options.only] if options.only else MARKS:
        held = [_names_held(run) for run in runs]
        known = all_names(mark)
        often = Counter(sum(name in names for names in held) for name in known)
        told = ", ".join(f"{count} in {times} runs" for times, count in sorted(often.items(), reverse=True))
        print(f"{TITLES[mark]}: {len(known)}; {told}")
        never = sorted(known.difference(*held))
        if never and not options.match:
            print(f"  never tried here: {', '.join(never)}")
    for test, times in failures.most_common():
        print(f"failed {times} times of {options.runs}: {test}")
    print("an honest bot lost something, or a host" if failures else "honest bots lost nothing, and no host did")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
