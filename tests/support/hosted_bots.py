"""Sample bots among random ones: stored, built and sandboxed as an arena does it, in matches that repeat exactly."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from arena.hosting.builder.build import BuildFailure, build_version
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.programs import StoredProgram, StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.result import Fault
from arena.match.spec import MatchSpec, SeatSpec, program_seat
from arena.match.time_control import TimeControl
from arena.worker.host import MatchHost
from engine import registry
from ratings.statistics.scores import most_points, seat_points

CLOCK = TimeControl(decision_limit_us=60_000_000, start_limit_us=60_000_000)
RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Score:
    """What the matches of a bot in one number of seats came to."""

    seats: int
    scores: tuple[float, ...]
    faults: tuple[Fault, ...]

    @property
    def mean(self) -> float:
        return fmean(self.scores)


class HostedBots:
    """Stored and built bots, and a host that plays them."""

    def __init__(self, programs: StoredPrograms, host: MatchHost, level: str) -> None:
        self._programs, self._host, self._level = programs, host, level
        self._found: dict[str, StoredProgram] = {}

    async def add(self, name: str, directory: Path) -> None:
        """Store a bot, and build it if it is to be built. Raises SystemExit with the log if that fails."""
        version = self._programs.store.add(directory).hash
        built = await build_version(self._programs, version, has_owner=False)
        if isinstance(built, BuildFailure):
            raise SystemExit(f"{name}: {built.sentence}\n{built.log}")
        self._found[name] = self._programs.find(version)

    async def play(self, name: str, game: str, seats: int, matches: int) -> Score:
        """Play matches of one bot among random ones."""
        scores: list[float] = []
        faults: list[Fault] = []
        for index in range(matches):
            seat = index % seats
            report = await self._host.play(self._spec(name, game, seats, index))
            scores.append(seat_points(report.result.ranks, seat) / most_points(seats))
            faults += report.result.faults
        return Score(seats, tuple(scores), tuple(faults))

    def _spec(self, name: str, game: str, seats: int, index: int) -> MatchSpec:
        bots = [name if seat == index % seats else RANDOM for seat in range(seats)]
        specs = tuple(self._seat(bot, index * 10 + seat) for seat, bot in enumerate(bots))
        version = registry.get(game).rules_version
        return MatchSpec(f"m{index}", 1, game, version, {}, CLOCK, 1, index, (), specs)

    def _seat(self, name: str, seed: int) -> SeatSpec:
        found = self._found[name]
        return program_seat(name, name, found, self._level, seed)


@asynccontextmanager
async def open_hosted_bots(level: str, bots: Mapping[str, Path]) -> AsyncIterator[HostedBots]:
    """A hosted_bots in which the bots in these directories, and the random one, play at a level of the sandbox."""
    with TemporaryDirectory() as name:
        home = Path(name)
        store = VersionStore(home / "arena.bots")
        programs = StoredPrograms(store, SandboxPolicy(level), RuntimeCatalog(cache=home / "cache"))
        async with MatchHost() as host:
            hosted_bots = HostedBots(programs, host, level)
            for bot, directory in {RANDOM: sample_directory(RANDOM), **bots}.items():
                await hosted_bots.add(bot, directory)
            yield hosted_bots
