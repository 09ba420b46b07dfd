"""Plays a rated tournament of random bots in a directory of its own for a few seconds, and measures where time goes."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.app.store import add_bot
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.hosting import build_added
from arena.cli.shared.request import MatchTerms, tournament_request
from arena.executor.local import LocalExecutor
from arena.hosting.manifest import MANIFEST_NAME
from arena.hosting.runtime_directory import scratch_directory
from arena.hosting.sample_bots import sample_directory
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.profiling.measuring import Measuring, OnProgress, Recording
from arena.profiling.parts import COORDINATOR_PARTS, ProfilePart
from arena.profiling.sampler import Sampler
from arena.profiling.sheet import Sheet, new_words
from arena.profiling.split import Split, split_of
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.runner import run_tournament
from engine.core import Game

SAMPLE = "random"
MOST_SEATS = 3
TIME = "1s"
START_S = 10.0
"""So long workers and bots may take to start, for which there must be matches, too."""
FASTEST = 5000.0
"""More decisions than a worker takes in a second."""
USUAL_DECISIONS = 50
"""What is taken for the length of a match of a game that does not tell it; a shorter one ends the measuring earlier."""
MOST_MATCHES = 20_000
_NAME = re.compile(r"(?m)^name = .*$")


@dataclass(frozen=True, slots=True)
class ProfiledTournament:
    """Where matches are played to be measured."""

    directory: Path
    connection: ArenaConnection
    tournament: str
    """Its id."""


def seats_of(game: Game) -> int:
    """Return how many bots sit at a match of the game: three if it can be."""
    return max(seats for seats in game.seats if seats <= max(MOST_SEATS, game.seats[0]))


@contextmanager
def profiled_tournament(game: Game, seconds: float, workers: int) -> Iterator[ProfiledTournament]:
    """Plan a tournament in a new database for so long a measuring; nothing of it is left when the block ends."""
    with scratch_directory() as directory, connect(str(directory / "arena.db"), makes=True) as connection:
        bots = _add_bots(connection, directory, seats_of(game))
        form = RoundRobin(len(bots), _blocks(game, seconds, workers))
        order = tournament_request(MatchTerms(time=TIME, seed=1), form, game.name, bots)
        yield ProfiledTournament(directory, connection, connection.arena.tournaments.create_tournament(order).id)


def _blocks(game: Game, seconds: float, workers: int) -> int:
    """Return as many blocks as the fastest machine may play."""
    seats = seats_of(game)
    decisions = game.playable.usual_decisions(seats) if game.playable else USUAL_DECISIONS
    matches = min((seconds + START_S) * workers * FASTEST / max(decisions, 1), MOST_MATCHES)
    return max(round(matches / seats), 1)


def _add_bots(connection: ArenaConnection, directory: Path, count: int) -> list[str]:
    """Add the random sample under so many names."""
    assert connection.storage is not None
    names = [f"{SAMPLE}-{number}" for number in range(1, count + 1)]
    for name in names:
        place = directory / name
        shutil.copytree(sample_directory(SAMPLE), place, ignore=shutil.ignore_patterns("__pycache__"))
        manifest = place / MANIFEST_NAME
        manifest.write_text(_NAME.sub(f'name = "{name}"', manifest.read_text(encoding="utf-8")), encoding="utf-8")
        add_bot(connection.storage.database, connection.storage.programs, place, None, build_added)
    return names


async def measure(
    profiled_tournament: ProfiledTournament, seconds: float, workers: int, on_progress: OnProgress
) -> Split:
    """Play and measure, and return where time went. Raises what the run raises, and UnmeasuredError."""
    sheets = profiled_tournament.directory / "sheets"
    sheets.mkdir()
    own, recording = Sheet(new_words()), Recording()
    async with LocalExecutor(workers, profile=sheets) as executor:
        with Sampler(own, COORDINATOR_PARTS, ProfilePart.COORDINATOR).sampling():
            run = asyncio.create_task(_run(profiled_tournament, _Timed(executor, recording), recording))
            try:
                looks = await Measuring(sheets, workers, own, recording).measure(run, seconds, on_progress)
            finally:
                run.cancel()
                await asyncio.gather(run, return_exceptions=True)
    return split_of(*looks)


async def _run(profiled_tournament: ProfiledTournament, executor: _Timed, recording: Recording) -> None:
    storage = profiled_tournament.connection.storage
    assert storage is not None
    await run_tournament(
        storage.database,
        profiled_tournament.tournament,
        executor,
        storage.programs,
        on_progress=lambda progress: recording.record(progress.played),
    )


class _Timed:
    """Passes matches on, and notes when their results come."""

    def __init__(self, inner: LocalExecutor, recording: Recording) -> None:
        self._inner = inner
        self._recording = recording

    def slots(self) -> int:
        return self._inner.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        report = await self._inner.run(spec)
        self._recording.come()
        return report

    async def cancel(self, match_id: str) -> None:
        await self._inner.cancel(match_id)
