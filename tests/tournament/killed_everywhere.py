"""Kills the coordinator at every state boundary, each in a process of its own, and compares the final tables.

    python -m tests.tournament.killed_everywhere DATABASE FORMAT all|ends|chain

The boundaries: a wave is planned, matches are leased, a result is recorded, a match is given up (each before the
transaction ends), the transaction has ended, a match is handed out. At each the process is killed as by `kill -9` the
first, second, ... time that an undisturbed run gets there, or only the first and the last time; then another one plays
to the end. In a chain one tournament is played, in which each process but the last is killed at a boundary of another
kind.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from arena.tournament import circuit_breaker as host_watch
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.runner import run_tournament
from ratings.ledger import leasing, recording, tournaments
from ratings.ledger.check import check
from ratings.read.tournament_report import tournament_report
from ratings.read.tournaments import list_tournaments
from tests.tournament.book import BOTS, install_nim, open_book
from tests.tournament.runner_process import after
from tests.tournament.scripted_executor import ScriptedExecutor

FORMATS: dict[str, Format] = {
    "round-robin": RoundRobin(2, 2),
    "swiss": Swiss(2, 2),
    "adaptive": Adaptive(2, "winner known at 50% within 400 Elo", 40),
}
ENTRANTS = {"round-robin": 2, "swiss": 3, "adaptive": 2}
POINTS = ("wave", "lease", "result", "lost", "committed", "handed out")


class Killer:
    """Counts how often this process gets to each point, and ends it the `count`-th time it gets to `point`."""

    def __init__(self, point: str = "", count: int = 0, *, is_one_of_many: bool = False) -> None:
        self.point, self._count = point, count
        self.is_one_of_many = is_one_of_many
        self.counts: Counter[str] = Counter()

    def at(self, point: str) -> Callable[..., None]:
        def arrive(*_: Any) -> None:
            self.counts[point] += 1
            if (point, self.counts[point]) == (self.point, self._count):
                os.kill(os.getpid(), signal.SIGKILL)

        return arrive


def run(path: Path, killer: Killer) -> None:
    """Play the tournament in the database to its end, or to the death; some attempts are lost by the host."""
    losses: Any = {"loses": 0.1, "most_lost": 1}  # one before a kill and one after it, so that no match is void
    if killer.is_one_of_many:
        losses["loses"] = 0.5 if killer.point == "lost" else 0.0
    executor = ScriptedExecutor(slots=2, **losses, on_start=killer.at("handed out"))
    with (
        mock.patch.object(tournaments, "add_wave", after(tournaments.add_wave, killer.at("wave"))),
        mock.patch.object(leasing, "lease", after(leasing.lease, killer.at("lease"))),
        mock.patch.object(recording, "record_results", after(recording.record_results, killer.at("result"))),
        mock.patch.object(leasing, "record_lost", after(leasing.record_lost, killer.at("lost"))),
        open_book(path) as book,
    ):
        (row,) = list_tournaments(book.database).items
        if row.progress.is_over:
            return  # it was killed after its very last transaction
        on_progress = killer.at("committed")
        asyncio.run(run_tournament(book.database, row.tournament.id, executor, book.programs, on_progress=on_progress))


def outcome(path: Path) -> Any:
    """Ratings to the last digit, results in schedule order, the format's table, the answer at which it stopped."""
    with open_book(path) as book:
        assert check(book.database) == []
        (row,) = list_tournaments(book.database).items
        answer = tournament_report(book.database, row.tournament.id).answer
        assert (answer is not None) is (row.tournament.format == Adaptive.traits.name)
        return book.table(row.tournament), book.results(row.tournament), book.standings(row.tournament), answer


def was_killed(path: Path, killer: Killer) -> bool:
    """Run in a process of its own; whether it got to the boundary so often, and so was killed."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run(path, killer)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), f"{killer.point}: the run ended with {status}"
    return status == signal.SIGKILL


def copy_of(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(source, target) / "arena.db"


def boundaries(counts: Counter[str], which: str) -> Iterator[tuple[str, int]]:
    """The boundaries that an undisturbed run gets to: all, or the first and the last of each kind."""
    for point, last in counts.items():
        yield from ((point, count) for count in range(1, last + 1) if which == "all" or count in (1, last))


def check_chain(killed: Path, counts: Counter[str], expected: Any) -> None:
    """Let one process after the other be killed, each as soon as it gets to another kind of boundary."""
    for point in counts:
        killer = Killer(point, 1, is_one_of_many=True)
        assert was_killed(killed, killer), f"the run did not get to {point}"
    run(killed, Killer(is_one_of_many=True))
    assert outcome(killed) == expected


def main(path: Path, name: str, which: str) -> None:
    host_watch.FIRST_PAUSE_S = 0.0  # hundreds of matches are lost here
    install_nim()
    with open_book(path) as book:
        book.plan_format(FORMATS[name], bots=BOTS[: ENTRANTS[name]])
    home = path.parent
    undisturbed = copy_of(home, home.with_name("undisturbed"))
    run(undisturbed, killer := Killer())
    expected = outcome(undisturbed)
    assert {*POINTS} - {*killer.counts} <= {"wave"}, "of a round robin all waves are planned before"
    killed = copy_of(home, home.with_name("killed"))
    if which == "chain":
        check_chain(killed, killer.counts, expected)
        return
    for point, count in boundaries(killer.counts, which):
        killed = copy_of(home, home.with_name("killed"))
        assert was_killed(killed, Killer(point, count)), f"the run did not get to {point} {count}"
        run(killed, Killer())
        found = outcome(killed)
        assert found == expected, f"killed at {point} {count}, it ended otherwise: {found} != {expected}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
