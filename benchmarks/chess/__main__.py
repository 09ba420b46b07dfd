"""The arena and fastchess on the same work: one UCI engine against itself, the same openings, as many games at once.

    python -m benchmarks.chess --fastchess PATH --engine PATH [--nodes 1,100,10000] [--rounds 3] [--share 1.0]

Both play every opening in both colours, by turns. What counts is the time in which all slots are busy with engines that
have played before, so neither the start nor the last game of a side. A move is one that an engine was asked for: the
arena plays by itself where only one is legal, and those are left out. Of each side is told: moves a second, the
processor time of all its processes for a move, that of the engines alone, and lost time: how long a match took for a
move beyond what the engine computed for it. The goals are for the ratio of moves a second, on a machine that does
nothing else; what others compute weighs less on the ratio by processor time. Games of one opening should be the same
on both sides: their lengths are compared.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.chess import arena, fastchess
from benchmarks.chess.run import Figures, Playing, figures, steady_span
from benchmarks.chess.spending import Spending

OPENING_PLIES = 8
GOALS = {1: 0.7, 10_000: 0.98}
"""What the arena must reach of fastchess's moves a second, by the nodes of a move."""
_BOOK_ROUNDS = ((1, 150), (1_000, 100), (10_000, 30))
"""Openings for searches of up to so many nodes; of more, as of the last."""
LEAST_OPENINGS = 3


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is played, and by which programs."""

    fastchess: str
    engine: str
    nodes: int
    openings: int
    slots: int


def play_arena(pairing: Pairing, home: Path) -> Figures:
    """Play the pairing in the arena, in a fresh directory within `home`, which keeps the openings for fastchess."""
    from benchmarks.chess.book import write_book  # which needs OpenSpiel

    with tempfile.TemporaryDirectory(dir=home) as name:
        arena.add_bots(Path(name), pairing.engine, pairing.nodes)
        playings, spending = arena.play(Path(name), pairing.engine, pairing.openings, pairing.slots, OPENING_PLIES)
        (home / "book.pgn").write_text(write_book(arena.openings(Path(name) / "arena.db")), encoding="utf-8")
    return _figures(playings, spending, pairing.slots)


def play_fastchess(pairing: Pairing, home: Path) -> Figures:
    """Play the pairing in fastchess, from the book in `home`."""
    with tempfile.TemporaryDirectory(dir=home) as name:
        shutil.copy(home / "book.pgn", name)
        words = fastchess.command(
            pairing.fastchess, pairing.engine, pairing.nodes, pairing.openings, pairing.slots, OPENING_PLIES
        )
        playings, spending = fastchess.play(words, Path(name), pairing.engine, OPENING_PLIES)
    return _figures(playings, spending, pairing.slots)


SIDES: Mapping[str, Callable[[Pairing, Path], Figures]] = {"arena": play_arena, "fastchess": play_fastchess}


def _figures(playings: Sequence[Playing], spending: Spending, slots: int) -> Figures:
    span = steady_span(playings, slots)
    return figures(playings, slots, span, spending.between(*span))


def compare(pairing: Pairing, rounds: int) -> float:
    """Let both sides take turns, print their figures, and return the ratio of moves a second, the median of rounds."""
    seen: dict[str, list[Figures]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory(prefix="chess-benchmark-") as name:
        for number in range(rounds):
            for side in list(SIDES)[:: -1 if number % 2 else 1]:
                seen[side].append(SIDES[side](pairing, Path(name)))
    for side, rows in seen.items():
        _print_row(pairing.nodes, side, rows)
    pairs = list(zip(seen["arena"], seen["fastchess"], strict=True))
    alike = sum((one.lengths & other.lengths).total() for one, other in pairs)
    games = sum(one.lengths.total() for one, _ in pairs)
    print(f"{pairing.nodes:7,} {alike:,} of {games:,} games have a counterpart of the same length")
    by_cpu = median(other.cpu_us / one.cpu_us for one, other in pairs)
    print(f"{pairing.nodes:7,} moves for the same processor time, arena / fastchess: {by_cpu:.3f}")
    return median(one.moves_a_second / other.moves_a_second for one, other in pairs)


HEAD = f"{'nodes':>7} {'':10} {'moves/s':>9} {'CPU us':>9} {'engines':>9} {'lost us':>9}"


def _print_row(nodes: int, side: str, rows: Sequence[Figures]) -> None:
    names = ("moves_a_second", "cpu_us", "engine_us", "lost_us")
    values = " ".join(f"{median(getattr(row, name) for row in rows):9,.0f}" for name in names)
    print(f"{nodes:7,} {side:10} {values}", flush=True)


def openings_for(nodes: int, share: float) -> int:
    """Return how many openings are played with so many nodes a move, so that no run takes much longer than others."""
    count = next((openings for most, openings in _BOOK_ROUNDS if nodes <= most), _BOOK_ROUNDS[-1][1])
    return max(round(count * share), LEAST_OPENINGS)


def _program(text: str) -> str:
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: there is no program of that name; give the path of one")
    return str(Path(found).absolute())


def _nodes(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: give whole numbers from 1, with commas between them")
    return [int(part) for part in parts]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from 1 to 256")
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r}: give a number above 0, at most 100")
    return value


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.chess",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  python -m benchmarks.chess --fastchess ./fastchess --engine /usr/games/stockfish --nodes 1",
    )
    parser.add_argument("--fastchess", type=_program, required=True, metavar="PATH", help="the program fastchess")
    parser.add_argument(
        "--engine", type=_program, required=True, metavar="PATH", help="a UCI engine, such as Stockfish"
    )
    parser.add_argument("--nodes", type=_nodes, default=[1, 100, 10_000], metavar="N,...", help="positions a move")
    parser.add_argument("--rounds", type=_whole, default=3, metavar="N", help="turns of each side")
    parser.add_argument("--share", type=_share, default=1.0, metavar="X", help="so many times the usual openings")
    parser.add_argument("--slots", type=_whole, default=2, metavar="N", help="games at once")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every goal is met, 1 if one is missed, 2 if nothing could be compared."""
    options = _parse(arguments)
    if find_spec("pyspiel") is None:
        print("chess is played by OpenSpiel's rules; install kingmaker-arena[openspiel]", file=sys.stderr)
        return 2
    print(HEAD)
    missed = False
    for nodes in options.nodes:
        openings = openings_for(nodes, options.share)
        pairing = Pairing(options.fastchess, options.engine, nodes, openings, options.slots)
        try:
            ratio = compare(pairing, options.rounds)
        except (arena.ArenaError, fastchess.FastchessError, ValueError) as error:
            print(error, file=sys.stderr)
            return 2
        goal = GOALS.get(nodes)
        missed |= goal is not None and ratio < goal
        told = "" if goal is None else f" (goal: {goal}{'' if ratio >= goal else ', missed'})"
        print(f"{nodes:7,} moves a second, arena / fastchess: {ratio:.3f}{told}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
