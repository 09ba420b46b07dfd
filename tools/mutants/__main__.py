"""Tries the faults of the areas that are named, or of all: `python -m tools.mutants [AREA ...]`; `--help` tells more.

The sample is fixed by a seed, so that two runs over the same code try the same faults. A fault that no test notices
must be mended by a test, or be listed with the reason why it changes nothing in `survivors.toml`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tools.mutants.areas import AREAS, LEAST_NOTICED, SAMPLE
from tools.mutants.faults import Fault, draw
from tools.mutants.results import Results
from tools.mutants.running import Checkout

_ROOT = Path(__file__).resolve().parents[2]
_SEED = "kingmaker"


def main(arguments: Sequence[str]) -> int:
    """Try the faults of each area, say which no test noticed, and return 1 if these are too many, or not explained."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants")
    parser.add_argument("areas", nargs="*", metavar="AREA", choices=[*AREAS, []])
    parser.add_argument("--again", action="store_true", help="try only what the last run did not see noticed")
    parser.add_argument("--near", action="store_true", help="run only the tests near to a fault, for a first look")
    parser.add_argument("--make-test", action="store_true", help="run only the tests of make test")
    parser.add_argument("--sound", action="store_true", help="the tests are known to pass without a fault")
    chosen = parser.parse_args(arguments)
    reasons = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text(encoding="utf-8"))["reasons"]
    return max(_try_area(name, reasons, chosen) for name in chosen.areas or AREAS)


def _try_area(name: str, reasons: Mapping[str, str], options: argparse.Namespace) -> int:
    faults = draw(_ROOT, AREAS[name].code, SAMPLE, f"{_SEED} {name}")
    results = Results(f"{name}-make-test" if options.make_test else name)
    tried = [fault for fault in faults if not (options.again and results.noticed_by(fault))]
    with tempfile.TemporaryDirectory(prefix="arena-mutants-") as directory:
        marks = "not needs" if options.make_test else ""
        checkout = Checkout(Path(directory) / "checkout", AREAS[name].tests, marks)
        _print(f"{name}: {len(tried)} faults to try")
        if not (options.near or options.sound) and (failed := checkout.measure()):
            _print(f"{name}: its tests fail without any fault ({failed}); mend that first")
            return 1
        tried = _try(tried, checkout.notice_near, results)
        if not options.near:
            harmless = [fault for fault in tried if fault.key in reasons]
            tried = harmless + _try([fault for fault in tried if fault not in harmless], checkout.notice_far, results)
    count = len(faults)
    for fault in tried:
        why = reasons.get(fault.key, "NO TEST NOTICES IT").strip()
        _print(f"  {fault.path}:{fault.line}: {fault.name}: {fault.text}\n    {why}")
    known = sum(fault.key in reasons for fault in tried)
    noticed = count - len(tried)
    _print(f"{name}: {noticed} of {count} noticed, {known} change nothing")
    return int(len(tried) > known or noticed < LEAST_NOTICED * (count - known))


def _try(faults: Sequence[Fault], notice: Callable[[Fault], str], results: Results) -> list[Fault]:
    """Return which of these faults nothing noticed."""
    survivors = []
    for number, fault in enumerate(faults, 1):
        by = notice(fault)
        results.keep(fault, by)
        _print(f"  {number:2}/{len(faults)} {fault.path}:{fault.line}: {fault.name}: {by or 'not noticed yet'}")
        if not by:
            survivors.append(fault)
    return survivors


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
