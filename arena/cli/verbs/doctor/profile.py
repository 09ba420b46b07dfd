"""`arena doctor --profile`: plays random bots for a while, measures, and prints where time went."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from arena.app.bot_store import add_bot
from arena.cli.shared.connect import ArenaConnection, connect
from arena.cli.shared.errors import CliError
from arena.cli.shared.hosting import build_added
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.language import say
from arena.cli.shared.match_order import MatchTerms, tournament_request
from arena.cli.shared.options import get_game
from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.terminal import fold, raw_stream, width_of
from arena.executor.local import LocalExecutor
from arena.hosting.manifest import MANIFEST_NAME
from arena.hosting.procfs.machine import count_cores
from arena.hosting.sample_bots import sample_directory
from arena.hosting.user_directories import scratch_directory
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.model.table_columns import Column, ColumnKind
from arena.profiling.parts import COORDINATOR_PARTS, ProfilePart
from arena.profiling.run_recorder import Measuring, OnProgress, Recording
from arena.profiling.sampler import Sampler
from arena.profiling.shared_counters import Sheet, new_words
from arena.profiling.split import PartCost, Split, UnmeasuredError, split_of
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.runner import run_tournament
from engine import registry
from engine.core import Game
from engine.translatable import Text

FULL = 0.9
"""The share of the cores that compute, from which on cores are what is short."""
_PARTS = (
    Column("part", "what", ColumnKind.NAME, names="cli_doctor.part_"),
    Column("cost", "cost", ColumnKind.COUNT),
    Column("share", "share", ColumnKind.SHARE),
    Column("to_do", "to_do", ColumnKind.SENTENCE),
)
_WALLS = (
    Column("stretch", "what", ColumnKind.NAME, names="cli_doctor.stretch_"),
    Column("cost", "cost", ColumnKind.COUNT),
    Column("share", "share", ColumnKind.SHARE),
    Column("to_do", "to_do", ColumnKind.SENTENCE),
)
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


def profile(game_name: str | None, seconds: float, workers: int, *, as_json: bool) -> None:
    """Play for a while and print where time went. Raises CliError, also after Ctrl-C; nothing is left behind."""
    game = get_game(game_name) if game_name else _first_game()
    typer.echo(
        say("cli_doctor.plays", game=game.title, bots=seats_of(game), workers=workers, seconds=f"{seconds:g}"), err=True
    )
    with profiled_tournament(game, seconds, workers) as staged:
        work = partial(measure, staged, seconds, workers, partial(_show, seconds))
        try:
            split = run_interruptibly(
                work,
                Text("nothing was measured, and nothing is left behind"),
            )
        except UnmeasuredError as error:
            raise CliError(str(error)) from error
        finally:
            _write_live("")
    if as_json:
        figures = {"decisions_per_s": split.decisions_per_s, "cpu_us": split.cpu_us, "busy_cores": split.busy_cores}
        print_json({"game": game.name, "cores": count_cores(), **figures, **asdict(split)}, table="parts")
    else:
        print_profile(split)


def _first_game() -> Game:
    """Return the first game that evaluates its positions, as the demo plays; otherwise the first of all."""
    games = [registry.get(name) for name in registry.names()]
    found = next((game for game in games if game.playable), next(iter(games), None))
    if found is None:
        raise CliError(Text("no game is installed; install the arena anew"))
    return found


def _show(seconds: float, measured_s: float) -> None:
    if sys.stderr.isatty():
        done = f"{min(measured_s, seconds):.1f}"
        text = say("cli_doctor.measured", done=done, seconds=f"{seconds:g}") if measured_s else say("cli_doctor.starts")
        _write_live(text)


def _write_live(text: str) -> None:
    """Show a text in place of the one before, on a terminal; none if it is empty."""
    width = width_of(sys.stderr)
    if width is not None:
        shown = fold(text, max(1, width - 1))[0] if text else ""
        raw_stream(sys.stderr).write(f"\r\x1b[K{shown}")
        sys.stderr.flush()


def print_profile(split: Split) -> None:
    """Print two tables, and after each what it says."""
    typer.echo(say("cli_doctor.cpu_title") + "\n")
    rows = [_part_row(cost) for cost in sorted(split.parts, key=lambda cost: -cost.cpu_us)]
    total = {"part": "all", "cost": f"{split.cpu_us:.0f} us", "share": 1.0, "to_do": ""}
    print_table(_PARTS, [*rows, total], as_json=False)
    typer.echo("\n" + _rate(split))
    cores = count_cores()
    if split.busy_cores >= FULL * cores:
        advice = "cli_doctor.busy_full"
    elif split.workers < cores:
        advice = "cli_doctor.busy_workers"
    else:
        advice = "cli_doctor.busy_free"
    typer.echo(say(advice, busy=f"{split.busy_cores:.1f}", cores=cores))
    typer.echo("\n" + say("cli_doctor.wall_title") + "\n")
    walls = [
        {
            "stretch": wall.stretch,
            "cost": f"{wall.wall_ms:.1f} ms",
            "share": wall.share,
            "to_do": say(f"cli_doctor.mend_{wall.stretch}"),
        }
        for wall in split.walls
    ]
    print_table(_WALLS, walls, as_json=False)
    if split.recording_ms is not None:
        typer.echo("\n" + say("cli_doctor.recorded", time=f"{split.recording_ms:.1f}"))


def _part_row(cost: PartCost) -> Mapping[str, Any]:
    margin = f" ± {cost.margin_us:.0f}" if cost.margin_us else ""
    return {
        "part": cost.part,
        "cost": f"{cost.cpu_us:.0f}{margin} us",
        "share": cost.share,
        "to_do": say(f"cli_doctor.mend_{cost.part}"),
    }


def _rate(split: Split) -> str:
    return say(
        "cli_doctor.rate",
        decisions=f"{split.decisions:,}",
        matches=split.matches,
        seconds=f"{split.seconds:.1f}",
        rate=f"{split.decisions_per_s:,.0f}",
        samples=f"{split.samples:,}",
    )


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
        seats = seats_of(game)
        assert connection.storage is not None
        bots = [f"{SAMPLE}-{number}" for number in range(1, seats + 1)]
        for name in bots:
            place = directory / name
            shutil.copytree(sample_directory(SAMPLE), place, ignore=shutil.ignore_patterns("__pycache__"))
            manifest = place / MANIFEST_NAME
            manifest.write_text(_NAME.sub(f'name = "{name}"', manifest.read_text(encoding="utf-8")), encoding="utf-8")
            add_bot(connection.storage.database, connection.storage.programs, place, None, build_added)
        decisions = game.playable.usual_decisions(seats) if game.playable else USUAL_DECISIONS
        matches = min((seconds + START_S) * workers * FASTEST / max(decisions, 1), MOST_MATCHES)
        form = RoundRobin(len(bots), max(round(matches / seats), 1))
        order = tournament_request(MatchTerms(time=TIME, seed=1), form, game.name, bots)
        yield ProfiledTournament(directory, connection, connection.arena.tournaments.create_tournament(order).id)


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
