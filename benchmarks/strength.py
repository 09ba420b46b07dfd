"""How strong the sample bots are, against each other and against those of an earlier commit.

    python -m benchmarks.strength                                    # The Foreign King, 2, 3 and 4 seats, 50 ms
    python -m benchmarks.strength --seats 3 --blocks 100 --playouts 200
    python -m benchmarks.strength --game GAME --seats 2 --cpu --pairs search-greedy --seed 7
    python -m benchmarks.strength --pairs search-search@ecb1affd     # against the search of that commit or tag

One bot sits among copies of the other one, once in each seat: the matches of a block share their random opening. Score:
1 for the first rank, 0 for the last, ties in the middle; 0.5 is equal strength. With `--playouts` the figures repeat
exactly, by the clock nearly.

Bots of today are played in this process, through the same messages as in the arena. With `--cpu` their thinking is
measured by the processor's time instead of the wall's: a busy machine then changes little. Where a bot is one of an
earlier commit (`benchmarks.baseline`), all bots of the match are processes of their own, each with the code of its
commit, and the arena's referee plays it and charges their time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev

from arena.match.replay import load
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.worker.match_host import MatchHost
from benchmarks.baseline import ROOT, BaselineError, code_of
from bots.algorithms.greedy import GreedyBot
from bots.algorithms.search import SearchBot
from bots.algorithms.uniform import RandomBot
from bots.kit import Bot
from bots.offline import play_offline
from bots.training.duels import Processes
from engine import registry
from engine.chance import SeededChance
from engine.core import Game
from ratings.statistics.scores import most_points, seat_points

BOTS = ("random", "greedy", "search")
PAIRS = (("search", "greedy"), ("search", "random"), ("greedy", "random"))
HEAD = f"seats  {'contest':^37}  matches          score     wins          by chance  decisions  slowest ms"
_START_LIMIT_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Contest:
    """One bot against copies of another; each is named as `search`, or as `search@COMMIT`."""

    game: str
    seats: int
    subject: str
    opponent: str
    time_limit_us: int
    playouts: int | None
    by_cpu: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        """What thinking is measured by, in seconds."""
        return time.process_time if self.by_cpu else time.monotonic

    @property
    def has_baseline(self) -> bool:
        """Whether a bot of an earlier commit plays."""
        return "@" in self.subject + self.opponent


@dataclass(frozen=True, slots=True)
class Block:
    """What one opening gave: means over the seats of the subject."""

    score: float
    wins: float
    decisions: float
    slowest_s: float


def make_bot(name: str, playouts: int | None = None, clock: Callable[[], float] = time.monotonic) -> Bot:
    """Return a sample bot of today by its name; `clock` is what searching bots think by."""
    makers: dict[str, Callable[[], Bot]] = {
        "random": RandomBot,
        "greedy": GreedyBot,
        "search": lambda: SearchBot(playouts, clock=clock),
    }
    return makers[name]()


def random_opening(game: Game, seats: int, seed: int) -> list[int]:
    """As many uniformly random actions as a match of this game begins with by default."""
    random = Random(seed)
    state = game.new_state(seats, None, SeededChance(seed))
    opening: list[int] = []
    while len(opening) < game.opening_plies(seats) and state.seat() is not None:
        opening.append(random.choice(state.legal_actions()))
        state.apply(opening[-1])
    return opening


def play_block(contest: Contest, seed: int) -> Block:
    """The subject once in each seat, from one opening. What is loaded is no matter for the collector, as in the kit."""
    game = registry.get(contest.game)
    gc.collect()
    gc.freeze()
    opening = random_opening(game, contest.seats, seed)
    matches = []
    for subject_seat in range(contest.seats):
        names = [contest.subject if seat == subject_seat else contest.opponent for seat in range(contest.seats)]
        match = play_offline(
            [make_bot(name, contest.playouts, contest.clock) for name in names],
            contest.game,
            seeds=[seed * 100 + subject_seat * 10 + seat for seat in range(contest.seats)],
            chance_seed=seed,
            opening=opening,
            time_limit_us=contest.time_limit_us,
            clock=contest.clock,
        )
        matches.append(match)
    return Block(
        score=fmean(score(match.ranks, seat) for seat, match in enumerate(matches)),
        wins=fmean(win(match.ranks, seat) for seat, match in enumerate(matches)),
        decisions=fmean(sum(match.decisions) for match in matches),
        slowest_s=max(match.slowest_s[seat] for seat, match in enumerate(matches)),
    )


async def play_hosted_block(contest: Contest, host: MatchHost, code: Mapping[str, Path], seed: int) -> Block:
    """Play the subject once in each seat, from one opening, each bot in a process with the code of its commit."""
    opening = random_opening(registry.get(contest.game), contest.seats, seed)
    scores, wins, decisions, slowest_us = [], [], [], [0]
    for seat in range(contest.seats):
        report = await host.play(_spec(contest, code, seat, opening, seed))
        for fault in report.result.faults:
            if fault.cause is FaultCause.START_FAILED:
                raise SystemExit(f"{contest.subject} - {contest.opponent}: {fault.explanation}")
            print(f"{contest.subject} - {contest.opponent}: {fault.explanation}", file=sys.stderr)
        scores.append(score(report.result.ranks, seat))
        wins.append(win(report.result.ranks, seat))
        answers = [one for one in load(report.replay)["entries"] if "elapsed_us" in one]
        decisions.append(len(answers))
        slowest_us += [one["elapsed_us"] for one in answers if one["seat"] == seat]
    return Block(fmean(scores), fmean(wins), fmean(decisions), max(slowest_us) / 1e6)


def _spec(
    contest: Contest, code: Mapping[str, Path], subject_seat: int, opening: Sequence[int], seed: int
) -> MatchSpec:
    rules_version = registry.get(contest.game).rules_version
    clock = TimeControl(contest.time_limit_us, start_limit_us=_START_LIMIT_US)
    seats = []
    for seat in range(contest.seats):
        name, _, commit = (contest.subject if seat == subject_seat else contest.opponent).partition("@")
        place = code.get(commit, ROOT)
        directory = place / "bots" / name
        words = ["--playouts", str(contest.playouts)] if name == "search" and contest.playouts is not None else []
        seats.append(
            SeatSpec(
                version=hashlib.sha256(str(directory).encode()).hexdigest(),
                name=name,
                directory=str(directory),
                command=(sys.executable, str(directory / "main.py"), *words),
                seed=seed * 100 + subject_seat * 10 + seat,
                environment={"PYTHONPATH": f"{directory}{os.pathsep}{place}"},
            )
        )
    return MatchSpec(
        f"{seed}-{subject_seat}", 1, contest.game, rules_version, {}, clock, 1, seed, tuple(opening), tuple(seats)
    )


def score(ranks: Sequence[int], seat: int) -> float:
    """1 for the first rank alone, 0 for the last alone."""
    return seat_points(ranks, seat) / most_points(len(ranks))


def win(ranks: Sequence[int], seat: int) -> float:
    """The seat's share of the first rank."""
    return 1 / ranks.count(1) if ranks[seat] == 1 else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval; blocks are independent, the matches in one are not."""
    half = 1.96 * stdev(values) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return fmean(values), half


def measure(contest: Contest, code: Mapping[str, Path], blocks: int, processes: int, seed: int) -> list[Block]:
    """Play the blocks, so many at a time, and tell on standard error how far it is."""
    seeds = range(seed, seed + blocks)
    if contest.has_baseline:
        return asyncio.run(_measure_hosted(contest, code, seeds, processes))
    found: list[Block] = []
    with ExitStack() as stack:
        play = map if processes == 1 else stack.enter_context(Processes(processes)).map
        for block in play(play_block, [contest] * blocks, seeds):
            found.append(block)
            _show_progress(contest, found, blocks)
    return found


async def _measure_hosted(
    contest: Contest, code: Mapping[str, Path], seeds: Sequence[int], processes: int
) -> list[Block]:
    found: list[Block] = []
    left = iter(seeds)

    async def play(host: MatchHost) -> None:
        for seed in left:
            found.append(await play_hosted_block(contest, host, code, seed))
            _show_progress(contest, found, len(seeds))

    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(MatchHost()) for _ in range(processes)]
        await asyncio.gather(*map(play, hosts))
    return found


def _show_progress(contest: Contest, found: Sequence[Block], blocks: int) -> None:
    mean, half = interval([one.score for one in found])
    print(
        f"{contest.subject} - {contest.opponent}, {contest.seats} seats: {len(found)} of {blocks} openings, "
        f"score {mean:.3f} ± {half:.3f}",
        file=sys.stderr,
        flush=True,
    )


def report(contest: Contest, blocks: Sequence[Block]) -> str:
    """One line of the table."""
    mean_score, score_half = interval([block.score for block in blocks])
    wins, wins_half = interval([block.wins for block in blocks])
    return (
        f"{contest.seats:5}  {contest.subject:>10} - {contest.opponent:<24}  {len(blocks) * contest.seats:7}  "
        f"{mean_score:.3f} ± {score_half:.3f}  {wins:6.1%} ± {wins_half:5.1%}  {1 / contest.seats:6.1%}  "
        f"{fmean(block.decisions for block in blocks):9.0f}  {max(block.slowest_s for block in blocks) * 1e3:10.1f}"
    )


def contests(arguments: argparse.Namespace) -> Iterator[Contest]:
    """What the command line asks for."""
    game = registry.get(arguments.game)
    for seats in arguments.seats or game.seats:
        for subject, opponent in arguments.pairs:
            limit_us = round(arguments.limit_ms * 1000)
            yield Contest(arguments.game, seats, subject, opponent, limit_us, arguments.playouts, arguments.cpu)


def _pair(text: str) -> tuple[str, str]:
    subject, _, opponent = text.partition("-")
    if not {subject.partition("@")[0], opponent.partition("@")[0]} <= set(BOTS):
        names = ", ".join(BOTS)
        raise argparse.ArgumentTypeError(f"{text}: a pair is two of {names}, as search-greedy or search-search@COMMIT")
    return subject, opponent


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the sample bots against each other.")
    parser.add_argument("--game", default="foreign_king")
    parser.add_argument("--seats", type=int, nargs="*", help="numbers of seats; default all of the game")
    parser.add_argument("--blocks", type=int, default=40, help="openings; each is played once from every seat")
    parser.add_argument("--limit-ms", type=float, default=50, help="limit of a decision")
    parser.add_argument("--playouts", type=int, help="playouts of the search bot, instead of the clock")
    parser.add_argument(
        "--pairs", type=_pair, nargs="*", default=PAIRS, help="e.g. search-greedy; default all three of today"
    )
    parser.add_argument("--cpu", action="store_true", help="measure thinking by the processor's time")
    parser.add_argument("--processes", type=int, default=1, help="at a time; by the clock, no more than free cores")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Print the table; 0, or 2 if there is no such commit."""
    arguments = parse(argv)
    names = [name for pair in arguments.pairs for name in pair]
    with ExitStack() as stack:
        try:
            commits = {commit for name in names if (commit := name.partition("@")[2])}
            code = {commit: stack.enter_context(code_of(commit)) for commit in sorted(commits)}
        except BaselineError as error:
            print(error, file=sys.stderr)
            return 2
        print(
            "seats                  contest  matches          score     wins          by chance  decisions  slowest ms"
        )
        for contest in contests(arguments):
            blocks = measure(contest, code, arguments.blocks, arguments.processes, arguments.seed)
            print(report(contest, blocks), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
