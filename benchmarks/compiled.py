"""How much faster the compiled engine is than its own sources, both in one run.

    python -m benchmarks.compiled                    # compiles into build/compiled first (needs a C compiler)
    python -m benchmarks.compiled --rounds 9 --seats 4
    python -m benchmarks.compiled --engine FOLDER    # FOLDER/engine is compiled already

Both do the same work, counted in CPU time, in processes that take turns; the middle ratio of all rounds counts, and
the CPU milliseconds of both stand beside it, the least of all rounds. The
loop of `random play` is interpreted in both, as a bot's or a referee's is: what it costs by itself bounds the ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.engine import CLONES, midgame
from engine import build_info as compiled
from engine import registry
from engine.chance import SeededChance
from engine.core import Game, State
from engine.perft import perft
from engine.playout import playouts
from tools import compiling

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "compiled"
PLAYING, PLAYED_OUT = "random play", "playouts"
GOALS: Mapping[tuple[str, str], float] = {
    (PLAYING, "foreign_king"): 3,
    (PLAYING, "rex_romanorum"): 5,
    (PLAYED_OUT, "foreign_king"): 5,
    (PLAYED_OUT, "rex_romanorum"): 8,
}
GAMES = 60
"""So many games are played of each kind in a round."""
REPEATS = 5
"""So often each work is done in a round, and the least time counts: others use the machine, too."""
Work = Callable[[], object]


def play(game: Game, seats: int) -> None:
    """Random play whose loop is interpreted, whichever engine runs."""
    draw = Random(seats).random
    for number in range(GAMES):
        state = game.new_state(seats, chance=SeededChance(number))
        while state.seat() is not None:
            legal = state.legal_actions()
            state.apply_unchecked(legal[int(draw() * len(legal))])


def works(game: Game, seats: int) -> dict[str, Work]:
    """What is measured of a game, by name."""
    state: State = midgame(game, seats)
    start = game.new_state(seats, chance=SeededChance(1))
    playable = game.playable
    found: dict[str, Work] = {
        PLAYING: lambda: play(game, seats),
        PLAYED_OUT: lambda: playouts(start, GAMES, seats),
        "sequences of 3 decisions (perft)": lambda: perft(state, 3),
        "clone": lambda: [state.clone() for _ in range(CLONES)],
    }
    if playable is not None:
        found["value for all seats"] = lambda: [playable.evaluate_all(state) for _ in range(CLONES)]
    return found


def measure(seats: int) -> None:
    """Print the CPU seconds of each work of each game, the least of some runs after one that warms up, as JSON."""
    times = {}
    for name in registry.names():
        for work, do in works(registry.get(name), seats).items():
            do()
            times[f"{work}/{name}"] = min(_seconds(do) for _ in range(REPEATS))
    print(json.dumps({"modules": compiled.look().modules, "times": times}))


def _seconds(do: Work) -> float:
    start = time.process_time()
    do()
    return time.process_time() - start


def measured(folder: Path | None, seats: int) -> dict[str, float]:
    """CPU seconds in a process of its own, with the engine in a folder or the sources."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*([str(folder)] if folder else []), str(ROOT)])}
    command = [sys.executable, "-P", "-m", "benchmarks.compiled", "--measure", "--seats", str(seats)]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    if (found["modules"] > 0) != (folder is not None):
        raise SystemExit(f"{folder or ROOT} has the other engine")
    times: dict[str, float] = found["times"]
    return times


@dataclass(frozen=True, slots=True)
class Compared:
    """One work on both engines."""

    ratio: float
    """How many times as fast the compiled engine is: the median of the rounds."""
    sources_s: float
    """CPU seconds on the sources, the least of the rounds."""
    compiled_s: float


def compared(folder: Path, seats: int, rounds: int) -> dict[str, Compared]:
    """What each work of each game takes, by work and game."""
    pairs = [(measured(None, seats), measured(folder, seats)) for _ in range(rounds)]
    return {
        key: Compared(
            median(sources[key] / fast[key] for sources, fast in pairs),
            min(sources[key] for sources, _ in pairs),
            min(fast[key] for _, fast in pairs),
        )
        for key in pairs[0][0]
    }


def main(argv: Sequence[str]) -> int:
    """Compile, measure and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", type=Path, help="a folder with a compiled engine, instead of making one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.measure:
        measure(options.seats)
        return 0
    folder = options.engine.resolve() if options.engine else FOLDER
    if not options.engine and compiling.main([str(folder)]):
        return 1
    return report(compared(folder, options.seats, options.rounds))


def report(found: Mapping[str, Compared]) -> int:
    """Print the ratios beside their goals; 1 if one is missed."""
    missed = False
    print(f"{'compiled against its sources, CPU time':<52}{'times':>7}{'goal':>6}{'ms':>17}")
    for key, both in found.items():
        work, name = key.split("/")
        goal = GOALS.get((work, name))
        is_missed = goal is not None and both.ratio < goal
        missed |= is_missed
        times = f"{1000 * both.sources_s:.2f} -> {1000 * both.compiled_s:.2f}"
        print(f"{f'{name}, {work}':<52}{both.ratio:>7.2f}{goal or '':>6}{times:>17}{'  MISSED' if is_missed else ''}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
