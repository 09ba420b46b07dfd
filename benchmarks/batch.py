"""How many steps a second `arena.adapters.batch` makes beside PettingZoo's classic environments, in the same run.

    make setup-bench && .venv-bench/bin/python -m benchmarks.batch
    PYTHONPATH=build/compiled .venv-bench/bin/python -P -m benchmarks.batch  # the compiled engine (make test-compiled)
    .venv-bench/bin/python -m benchmarks.batch --seconds 2 --repetitions 9 --count 256

A step is one decision of one seat: what it sees as an array, its mask of legal actions, a uniformly random legal
action, its rewards; playings that end begin anew. For PettingZoo that is `last`, an action drawn from the mask, and
`step` of the environments as their `env()` gives them, one at a time, as they can do no more. CPU time of one process
on one core; all subjects take turns, and the median counts. The goal, 5 times, is held against the median of the
classic environments; beside each game stands how many times each of them it is. What is missing is named and left out.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import Any

import numpy as np

from arena.adapters.batch import Batch
from engine import registry
from engine.build_info import look

GOAL = 5.0
CLASSIC = (
    *("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6"),
    *("chess_v6", "go_v5"),
)


@dataclass
class Subject:
    """Something that steps: `step` makes some, and tells how many."""

    name: str
    step: Callable[[], int]
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Steps a second, the median of the repetitions."""
        return median(self.rates)

    def measure(self, seconds: float) -> None:
        """Step for so much CPU time."""
        steps, begin = 0, time.process_time()
        while (spent := time.process_time() - begin) < seconds:
            steps += self.step()
        self.rates.append(steps / spent)


def ours(name: str, seats: int, count: int, dtype: type[Any]) -> Subject:
    """A batch of a game."""
    batch, generator = Batch(registry.get(name), count, seats, seed=1, dtype=dtype), np.random.default_rng(1)

    def step() -> int:
        batch.step(batch.random_actions(generator))
        return count

    return Subject(f"{name}, {seats} seats, {np.dtype(dtype)}", step)


def classic(name: str) -> Subject | None:
    """An environment of PettingZoo; None if it cannot be had here."""
    try:
        env = importlib.import_module(f"pettingzoo.classic.{name}").env()
    except ImportError as error:
        print(f"left out: {name} ({str(error).splitlines()[0]})")
        return None
    draw = Random(1).random
    env.reset(seed=1)

    def step() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            seen, _, is_over, is_cut, info = env.last()
            if is_over or is_cut:
                env.step(None)
                continue
            mask = seen["action_mask"] if "action_mask" in seen else info["action_mask"]
            legal = mask.nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            steps += 1
        return steps

    return Subject(name, step)


def run(subjects: Sequence[Subject], seconds: float, repetitions: int) -> None:
    for subject in subjects:
        subject.measure(0.2)
        subject.rates.clear()
    for _ in range(repetitions):
        for subject in subjects:
            subject.measure(seconds)


def report(batches: Sequence[Subject], others: Sequence[Subject]) -> int:
    """Print the table; return how many games miss the goal, 1 if environments are lacking to tell."""
    for subject in (*others, *batches):
        print(f"{subject.name:44} {subject.rate:>9,.0f} steps/s  {1e6 / subject.rate:8.1f} us")
    if not others:
        print("PettingZoo is not here: nothing to compare with; make setup-bench")
        return 1
    is_whole = len(others) == len(CLASSIC)
    if not is_whole:
        print(f"{len(others)} of the {len(CLASSIC)} are here, and the goal is held against all: make setup-bench")
    middle, missed = median(other.rate for other in others), 0
    for subject in batches:
        each = ", ".join(f"{other.name} {subject.rate / other.rate:.1f}" for other in others)
        times = subject.rate / middle
        missed += times < GOAL
        verdict = ("ok" if times >= GOAL else "missed") if is_whole else "of those that are here"
        print(f"{subject.name}: {times:.1f} times the median ({verdict}); {each}")
    return missed if is_whole else 1


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of each repetition")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--count", type=int, default=128, help="playings in a batch")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of the bounds of their boxes
    others = [found for name in CLASSIC if (found := classic(name))]
    batches = [
        ours(name, seats, chosen.count, dtype)
        for name in registry.names()
        if not registry.family_of(name)
        for seats in (registry.get(name).seats[0], registry.get(name).seats[-1])
        for dtype in (np.float32, np.int16)
    ]
    print(f"engine: {'compiled' if look().modules else 'its sources'}; {chosen.count} playings in a batch")
    run([*others, *batches], chosen.seconds, chosen.repetitions)
    return 1 if report(batches, others) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
