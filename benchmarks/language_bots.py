"""How the sample bots in other languages fare against the random one, in the sandbox, with the clock of rated matches.

    python -m benchmarks.language_bots                       # those whose tools are installed, 100 matches of each game
    python -m benchmarks.language_bots cpp --seats 2 --game foreign_king --matches 20

Each number of seats gets the given number of matches; the bot sits in each seat in turn, among copies of `random`.
Score: 1 for the first rank, 0 for the last, ties in the middle; 0.5 is equal strength, and 0.7 is asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.cli.shared.request import DEFAULT_TIME
from arena.hosting.builder.build import build_version
from arena.hosting.builder.outcome import BuildFailure
from arena.hosting.manifest import load_manifest
from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl, parse_time_control
from arena.trial.seats import bot_seat, sample_seat
from arena.worker.host import MatchHost
from benchmarks.strength import interval, score
from engine import registry

BOTS = ("node", "cpp")
GOAL = 0.7


class NotBuiltError(Exception):
    """The build command of a bot failed; the message holds its log."""


@dataclass(frozen=True, slots=True)
class Field:
    """One bot among random ones."""

    bot: SeatSpec
    random: SeatSpec
    clock: TimeControl

    def spec(self, game: str, seats: int, number: int) -> MatchSpec:
        """Return the match of that number: with its own chance, the bot in the next seat."""
        players = [self.bot if seat == number % seats else self.random for seat in range(seats)]
        return MatchSpec(
            match_id=f"{game}-{seats}-{number}",
            attempt=1,
            game=game,
            rules_version=registry.get(game).rules_version,
            options={},
            clock=self.clock,
            cores=1,
            chance_seed=number,
            opening=(),
            seats=tuple(replace(player, seed=number * 10 + seat) for seat, player in enumerate(players)),
        )


async def find_seat(directory: Path, level: str, work: Path) -> SeatSpec:
    """Return a seat for the bot in a directory, built if it must be. Raises NotBuiltError and the errors of hosting."""
    programs = StoredPrograms(VersionStore(work / "bots"), SandboxPolicy(level))
    version = programs.store.add(directory).hash
    built = await build_version(programs, version, has_owner=True)
    if isinstance(built, BuildFailure):
        raise NotBuiltError(f"{built.sentence}\n{built.log}")
    return bot_seat(load_manifest(directory).name, version, programs.find(version), level)


async def play(host: MatchHost, field: Field, game: str, seats: int, matches: int) -> list[MatchReport]:
    """Play matches of a game, one after another."""
    return [await host.play(field.spec(game, seats, number)) for number in range(matches)]


def points(reports: Sequence[MatchReport]) -> list[float]:
    """Return the score of the bot in each match; it sat in each seat in turn."""
    ranks = [report.result.ranks for report in reports]
    return [score(each, number % len(each)) for number, each in enumerate(ranks)]


def faults(reports: Sequence[MatchReport]) -> list[str]:
    """Return what the bot did wrong."""
    wrong = [(number, fault) for number, report in enumerate(reports) for fault in report.result.faults]
    return [fault.explanation for number, fault in wrong if fault.seat == number % len(reports[number].result.ranks)]


async def measure(name: str, options: argparse.Namespace) -> bool:
    """Print a line for each game and number of seats; whether the bot is good enough."""
    is_good = True
    with TemporaryDirectory(prefix="language-bots") as work:
        seat = await find_seat(sample_directory(name), options.level, Path(work))
        field = Field(seat, sample_seat("random", options.level), parse_time_control(options.time))
        async with MatchHost() as host:
            for game in options.game or registry.names():
                for seats in options.seats or registry.get(game).seats:
                    reports = await play(host, field, game, seats, options.matches)
                    mean, half = interval(points(reports))
                    wrong = faults(reports)
                    is_good &= mean >= GOAL and not wrong
                    print(f"{name:6} {game:14} {seats} seats  {mean:.3f} ± {half:.3f}  {len(wrong)} faults", flush=True)
                    for sentence in sorted(set(wrong)):
                        print(f"       {sentence}", flush=True)
    return is_good


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 if every score reaches the goal and nobody did anything wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="*", default=BOTS, help="names of samples; default: node and cpp")
    parser.add_argument("--game", nargs="*", help="default: every game")
    parser.add_argument("--seats", type=int, nargs="*", help="numbers of seats; default: all of the game")
    parser.add_argument("--matches", type=int, default=100, help="for each number of seats")
    parser.add_argument("--level", default="standard", help="level of the sandbox")
    parser.add_argument("--time", default=DEFAULT_TIME, help="time control")
    options = parser.parse_args(arguments)
    results = [asyncio.run(measure(name, options)) for name in options.bots]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
