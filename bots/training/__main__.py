"""Searches for better weights of a game's evaluation by self-play, and writes them to a file.

    python -m bots.training GAME                                 # 400 steps, to GAME-weights.json
    python -m bots.training GAME --steps 1000 --processes 2 --out weights.json
    python -m bots.training GAME --again weights.json            # start where that file started, to compare
    python -m bots.training GAME --after weights.json            # start with the weights that it found
    python -m bots.training GAME --seats 4 --out weights-4.json  # for four seats alone

The same game, options and seed give the same weights, in any number of processes. Its progress is told on standard
error. The file goes into the game's folder, in place of its weights.json or its weights-4.json. Needs NumPy and nothing
else.

The climb is simultaneous perturbation stochastic approximation (Spall 1992). At each step all weights are moved at
once, each by its unit up or down as coins fall, and the two sets that lie on opposite sides of where the climb stands
play some duels. The climb goes towards the better side, by its lead. The steps grow smaller, and what counts is the
mean of the later half of the path (Polyak and Juditsky 1992), in which the chance of single duels has been averaged
out.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.training.duels import Duel, Processes, need_weighing, play_duel
from engine import registry
from engine.abilities import Weighing
from engine.core import AbilityError, EngineError, Game

Vector = NDArray[np.float64]
Player = Callable[[Sequence[Duel]], list[float]]
"""Plays duels and returns the leads of their first weights, in their order."""
TRIAL_SEED = 1_000_000_000
"""From here on duels of the trial are seeded, which no step has played."""
EVERY = 10
"""Steps from one line of progress to the next."""
DUELS = 4
"""How many duels decide on one step."""
PACE = 0.3
"""How far the first step goes, in units, if one side wins everything."""
SLOWING = 300
"""After so many steps they are half as long."""
UNIT = 0.25
"""How far a weight is moved to see what it does, in parts of what it began with."""
LEAST_UNIT = 0.1
"""How far one is moved that began with nothing."""
DIGITS = 4
"""The significant digits of a weight that are kept; no duel could tell more apart."""


def print_line(line: str) -> None:
    """Write a line to standard error at once."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments. Ends the process with status 2 for bad ones."""
    parser = argparse.ArgumentParser(
        prog="python -m bots.training",
        description="Searches for better weights of a game's evaluation by self-play of the greedy bot.",
        epilog="example: python -m bots.training foreign_king --steps 1000 --processes 2 --out weights.json",
    )
    parser.add_argument("game", help="name of a game whose evaluation lists its weights")
    parser.add_argument("--seats", type=_number_from(2), help="number of seats to train for (default all in turn)")
    parser.add_argument("--steps", type=_number_from(1), default=400, help="number of steps to take (default 400)")
    parser.add_argument(
        "--trial", type=_number_from(0), default=150, help="number of duels that test the result (default 150)"
    )
    parser.add_argument("--seed", type=_number_from(0), default=1, help="seed of all random numbers (default 1)")
    parser.add_argument(
        "--processes", type=_number_from(1), default=1, help="number of duels to play at once (default 1)"
    )
    parser.add_argument("--out", type=Path, help="the file to write (default GAME-weights.json)")
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--again", type=Path, metavar="FILE", help="start with the weights with which this file started")
    begin.add_argument("--after", type=Path, metavar="FILE", help="start with the weights of this file")
    return parser.parse_args(argv)


def _number_from(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: a whole number from {least} on is needed")
        return int(text)

    return number


@contextmanager
def players(processes: int) -> Iterator[Player]:
    """Give what plays duels, several at a time; equal duels have equal leads wherever they are played."""
    if processes == 1:
        yield lambda duels: [play_duel(duel) for duel in duels]
        return
    with Processes(processes) as pool:
        try:
            yield lambda duels: list(pool.map(play_duel, duels))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True, slots=True)
class DuelSetup:
    """What is played at, and what plays the duels."""

    game: Game
    seats: Sequence[int]
    """The numbers of seats, which take turns."""
    play: Player

    def leads(self, first: Vector | Sequence[float], second: Vector | Sequence[float], seeds: range) -> list[float]:
        """Return the lead of the first weights in a duel for each seed."""
        sides = tuple(map(float, first)), tuple(map(float, second))
        return self.play([Duel(self.game.name, *sides, self.seats[seed % len(self.seats)], seed) for seed in seeds])


def train(table: DuelSetup, start: WeightsFile, arguments: argparse.Namespace) -> WeightsFile:
    """Return what was found, and how it did against what it began with."""
    names = need_weighing(table.game).names
    began_with = start.in_order(names, start.weights)

    def lead_of(step: int, one: Vector, other: Vector) -> float:
        first = (arguments.seed * 100_000 + step) * DUELS
        return fmean(table.leads(one, other, range(first, first + DUELS)))

    leads: list[float] = []

    def tell(step: ClimbStep) -> None:
        leads.append(abs(step.lead))
        if (step.number + 1) % EVERY == 0 or step.number + 1 == arguments.steps:
            print_line(f"step {step.number + 1} of {arguments.steps}: sides apart by {fmean(leads[-EVERY:]):.2f}")

    found = [rounded(value) for value in climb(began_with, arguments.steps, arguments.seed, lead_of, tell)]
    trial = try_out(table, found, began_with, arguments.trial)
    print_line(trial)
    climbs = [*start.climbs, {"made_by": command(arguments), "trial": trial}]
    return WeightsFile(dict(zip(names, found, strict=True)), start.began_with, climbs)


def try_out(table: DuelSetup, found: Sequence[float], began_with: Sequence[float], duels: int) -> str:
    """Return in words what the weights found did against the others, in so many duels that no step has played."""
    if not duels:
        return "not tried"
    print_line(f"trying them in {duels} duels")
    leads = table.leads(found, began_with, range(TRIAL_SEED, TRIAL_SEED + duels))
    half = 1.96 * stdev(leads) / sqrt(duels) if duels > 1 else float("nan")
    return f"lead {fmean(leads):+.3f} ± {half:.3f} over the weights before, in {duels} duels"


def command(arguments: argparse.Namespace) -> str:
    """Return the command that finds these weights again; in how many processes does not matter.

    A climb that went on from no other begins again with what its own file says that it began with.
    """
    words = ["python", "-m", "bots.training", arguments.game]
    words += ["--seats", str(arguments.seats)] if arguments.seats else []
    words += ["--steps", str(arguments.steps), "--seed", str(arguments.seed)]
    begin = ("--after", arguments.after) if arguments.after else ("--again", arguments.out)
    return shlex.join([*words, begin[0], begin[1].name])


def start_of(weighing: Weighing, arguments: argparse.Namespace) -> WeightsFile:
    """Return what the climb begins with. Raises WeightsFileError."""
    if arguments.after:
        return read_weights(arguments.after)
    if arguments.again:
        before = read_weights(arguments.again).began_with
    else:
        weights = weighing.weights_at.get(arguments.seats or 0, weighing.weights)
        before = dict(zip(weighing.names, map(float, weights), strict=True))
    return WeightsFile(before, before, [])


def main(argv: Sequence[str]) -> int:
    """Train and write; 0, or 1 with a line on standard error, or 130 after Ctrl-C."""
    arguments = parse(argv)
    try:
        game = registry.get(arguments.game)
        if arguments.seats is not None:
            game.check_seats(arguments.seats)
        seats = game.seats if arguments.seats is None else [arguments.seats]
        start = start_of(need_weighing(game), arguments)
        start.in_order(need_weighing(game).names, start.weights)
        arguments.out = arguments.out or Path(f"{game.name}-weights.json")
        _need_writable(arguments.out)
        with players(arguments.processes) as play:
            found = train(DuelSetup(game, seats, play), start, arguments)
        try:
            arguments.out.write_text(found.dump(), encoding="utf-8")
        except OSError as error:
            sys.stdout.write(found.dump())  # so that no climb is lost
            raise WeightsFileError(
                f"{arguments.out} cannot be written: {error.strerror}; what it should hold was printed"
            ) from None
        sys.stdout.write(f"the weights are in {arguments.out}\n")
    except (AbilityError, EngineError, WeightsFileError) as error:
        print_line(f"bots.training: {error}")
        return 1
    except BrokenProcessPool:
        print_line(
            "bots.training: a process that played duels was ended from outside; nothing was written, start again"
        )
        return 1
    except KeyboardInterrupt:
        print_line("bots.training: stopped; nothing was written")
        return 130
    return 0


def _need_writable(out: Path) -> None:
    """Raise WeightsFileError now if the file could not be written after all the playing."""
    try:
        with out.open("a", encoding="utf-8"):
            pass
        if out.is_file() and not out.stat().st_size:
            out.unlink()
    except OSError as error:
        raise WeightsFileError(f"{out} cannot be written: {error.strerror}; name another file with --out") from None


@dataclass(frozen=True, slots=True)
class ClimbStep:
    """What was played at one step of a climb."""

    number: int
    """From 0."""
    lead: float
    """Of the one side over the other, -1 to 1."""


def units_of(began_with: Sequence[float]) -> Vector:
    """Return by how much each weight is moved, in its own measure: shape (weights,)."""
    sizes = UNIT * np.abs(np.asarray(began_with, dtype=np.float64))
    return np.where(sizes > 0, sizes, LEAST_UNIT)


def climb(
    began_with: Sequence[float],
    steps: int,
    seed: int,
    lead_of: Callable[[int, Vector, Vector], float],
    tell: Callable[[ClimbStep], None],
) -> Vector:
    """Return the weights found after so many steps, shape (weights,); equal arguments and leads give equal weights.

    `lead_of(step, one side, other side)` plays the duels of a step and returns the lead of the one side, -1 to 1.
    """
    random = np.random.default_rng(seed)
    units = units_of(began_with)
    here = np.asarray(began_with, dtype=np.float64) / units
    total, counted = np.zeros_like(here), 0
    for number in range(steps):
        coins = random.choice([-1.0, 1.0], size=here.shape)
        lead = lead_of(number, (here + coins) * units, (here - coins) * units)
        here = here + PACE / (1 + number / SLOWING) * lead * coins
        if number >= steps // 2:
            total, counted = total + here, counted + 1
        tell(ClimbStep(number, lead))
    return (total / counted if counted else here) * units


class WeightsFileError(Exception):
    """A file of weights cannot be read or written, or does not fit the game. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """What the file says."""

    weights: Mapping[str, float]
    began_with: Mapping[str, float]
    climbs: Sequence[Mapping[str, str]]
    """For each climb `made_by`, the command, and `trial`, what its weights did against those it began with."""

    def dump(self) -> str:
        """Return the file's text."""
        told = {"climbs": list(self.climbs), "weights": dict(self.weights), "began_with": dict(self.began_with)}
        return json.dumps(told, indent=1) + "\n"

    def in_order(self, names: Sequence[str], which: Mapping[str, float]) -> tuple[float, ...]:
        """Return `which`, weights of this file, in the order of these names. Raises WeightsFileError if they differ."""
        if set(which) != set(names):
            odd = ", ".join(sorted(set(which) ^ set(names)))
            raise WeightsFileError(
                f"the weights of the file are not those of the game ({odd}); take a file of this game"
            )
        return tuple(which[name] for name in names)


def rounded(value: float) -> float:
    """Return a weight as it is kept."""
    return float(f"{value:.{DIGITS}g}")


def read_weights(path: Path) -> WeightsFile:
    """Return what a file of weights says. Raises WeightsFileError."""
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8-sig"))
        weights, began_with = _numbers(told["weights"]), _numbers(told["began_with"])
        climbs = [{"made_by": str(climb["made_by"]), "trial": str(climb["trial"])} for climb in told["climbs"]]
    except OSError as error:
        raise WeightsFileError(
            f"{path} cannot be read: {error.strerror}; give a file that the training wrote"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WeightsFileError(f"{path} is no file of weights; give a file that the training wrote") from None
    return WeightsFile(weights, began_with, climbs)


def _numbers(told: Mapping[str, float]) -> dict[str, float]:
    numbers = {str(name): float(value) for name, value in told.items()}
    if not all(map(isfinite, numbers.values())):
        raise ValueError("a weight is not finite")
    return numbers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
