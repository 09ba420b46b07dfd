"""Bots that are built before they play: by this test's own builder, in C++, and sample bots as an arena builds them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import pytest

from arena.hosting.builder.build import BuildFailure, BuildLimits, build_version
from arena.hosting.builds import Built
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeDefinition, RuntimeKind, RuntimeSettings
from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredProgram, StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.result import Fault
from arena.match.spec import MatchSpec, SeatSpec, program_seat
from arena.match.time_control import TimeControl
from arena.worker.match_host import MatchHost
from engine import registry
from ratings.statistics.scores import most_points, seat_points
from tests.support.patience import PATIENCE_S

PLAIN = 'command = ["python", "main.py"]\nbuild = ["python", "make.py"]'
MAKE = "open('made.py', 'w').write('VALUE = 7\\n')\n"


def stop_clock_until(is_so: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the clock of builds stand until something is so, however long a busy machine takes for that."""
    monkeypatch.setattr("arena.hosting.builder.build.LONGEST_FACTOR", 10 * PATIENCE_S)
    monkeypatch.setattr(TreeMeter, "look", lambda _meter: (0, 0 if is_so() else int(PATIENCE_S * 1_000_000)))


class Workshop:
    """A store in which bots are built, beside a place that their builds must not reach."""

    def __init__(self, directory: Path, level: str = "standard") -> None:
        self.directory, self.level = directory, level
        store = VersionStore(directory / "home" / "arena.bots")
        self.programs = StoredPrograms(store, SandboxPolicy(level), RuntimeCatalog(cache=directory / "cache"))

    def add(self, files: dict[str, str], manifest: str = PLAIN) -> str:
        """The version with these files."""
        bot = self.directory / "source"
        bot.mkdir(exist_ok=True)
        text = f'schema = 1\nname = "b"\n{manifest}\n'
        for path, content in {"bot.toml": text, "main.py": "", **files}.items():
            (bot / path).parent.mkdir(parents=True, exist_ok=True)
            (bot / path).write_text(content, encoding="utf-8")
        return self.programs.store.add(bot).hash

    async def build(self, make: str, **limits: float) -> Built | BuildFailure | None:
        """What comes of a build command that is this program of Python."""
        return await self.build_version(self.add({"make.py": make}), **limits)

    async def build_version(self, version: str, **limits: float) -> Built | BuildFailure | None:
        bounds = replace(BuildLimits(), **limits)  # type: ignore[arg-type]
        return await build_version(self.programs, version, has_owner=False, limits=bounds)

    async def refusal(self, make: str, **limits: float) -> BuildFailure:
        """How a build fails; nothing of it is left then but its log."""
        version = self.add({"make.py": make})
        failure = await self.build_version(version, **limits)
        assert isinstance(failure, BuildFailure), failure
        assert "\n" not in failure.sentence
        assert str(self.directory) not in failure.sentence
        root = self.programs.builds.root
        assert {path.suffix for path in root.iterdir()} <= {".log", ".lock"}
        log = self.programs.builds.log(version, self.programs.runtimes.get("arena").hash)
        assert log is not None
        assert failure.sentence in log
        return failure

    def log(self, version: str) -> str:
        """What the build of a version, which goes on or has ended, has said."""
        return self.programs.builds.log(version, self.programs.runtimes.get("arena").hash) or ""

    def record(self, built: Built) -> dict[str, object]:
        """What the store keeps of a built version besides its files."""
        path = built.directory.with_name(f"{built.directory.name}.json")
        found: dict[str, object] = json.loads(path.read_text(encoding="ascii"))
        return found


ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "bots" / "cpp"
GUIDE = ROOT / "docs" / "write-a-bot-in-cpp.md"
_RUNTIME = "compiled"
_BLOCK = re.compile(r"```cpp\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class CppBots:
    """The program that was built, which is any of these bots by its first argument; the sample without one."""

    programs: StoredPrograms
    level: str
    source: Path
    """The directory that was stored and built."""
    built: Built
    log: str
    """What the build said."""

    @property
    def path(self) -> str:
        """The program."""
        return str(self.built.directory / "bot")


async def build_bots(directory: Path, level: str) -> CppBots:
    """Build the program at a level of the sandbox, in a runtime as an organiser defines it."""
    workshop = Workshop(directory, level)
    native = RuntimeSettings({_RUNTIME: RuntimeDefinition(_RUNTIME, RuntimeKind.NATIVE)})
    workshop.programs = replace(workshop.programs, runtimes=RuntimeCatalog(native, cache=directory / "cache"))
    source = _write_source(directory / "cpp")
    version = workshop.programs.store.add(source).hash
    built = await workshop.build_version(version, time_s=PATIENCE_S)
    assert isinstance(built, Built), built
    log = workshop.programs.builds.log(version, built.runtime)
    return CppBots(workshop.programs, level, source, built, log or "")


def _write_source(directory: Path) -> Path:
    """Write a bot that holds the kit, the sample, the template, the bots of the guide and those of the tests."""
    shutil.copytree(SAMPLE, directory, ignore=shutil.ignore_patterns(".build", "main.cpp"))
    for name, source in (("sample", SAMPLE), ("template", SAMPLE / "template")):
        (directory / name).mkdir(exist_ok=True)
        shutil.copy(source / "main.cpp", directory / name)
    shutil.copy(ROOT / "tests" / "bots" / "cpp" / "main.cpp", directory)
    (directory / "guide").mkdir()
    for name, text in zip(("bot", "position"), _BLOCK.findall(GUIDE.read_text(encoding="utf-8")), strict=True):
        (directory / "guide" / f"{name}.inc").write_text(text, encoding="utf-8")
    manifest = (SAMPLE / "bot.toml").read_text(encoding="utf-8")
    (directory / "bot.toml").write_text(manifest.replace('"bundled"', f'"{_RUNTIME}"'), encoding="utf-8")
    return directory


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
